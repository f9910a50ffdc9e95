// SPDX-License-Identifier: GPL-2.0-only
/* A table from threads to processes, by number. */
#include "trace/owner.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "trace/walk.h"

struct scope_owners {
	uint32_t *tgid; /* by tid; pages never written take no memory */
};

#define TABLE_BYTES ((SCOPE_TID_MASK + 1ul) * sizeof(uint32_t))

int scope_trace_owners_create(struct scope_owners **ret_owners)
{
	struct scope_owners *owners = calloc(1, sizeof(*owners));

	if (!owners)
		return -ENOMEM;
	owners->tgid =
		mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (owners->tgid == MAP_FAILED) {
		free(owners);
		return -ENOMEM;
	}
	*ret_owners = owners;
	return 0;
}

void scope_trace_owners_destroy(struct scope_owners *owners)
{
	if (!owners)
		return;
	munmap(owners->tgid, TABLE_BYTES);
	free(owners);
}

void scope_trace_owners_put(struct scope_owners *owners, uint32_t tid, uint32_t tgid)
{
	if (tid <= SCOPE_TID_MASK && owners->tgid[tid] != tgid)
		owners->tgid[tid] = tgid;
}

uint32_t scope_trace_owners_get(const struct scope_owners *owners, uint32_t tid)
{
	return tid <= SCOPE_TID_MASK ? owners->tgid[tid] : 0;
}

bool scope_trace_owners_note(struct scope_owners *owners, const struct scope_subbuf *subbuf)
{
	const uint32_t types = SCOPE_WALK(STATE) | SCOPE_WALK(FORK) | SCOPE_WALK(EXEC) | SCOPE_WALK(COMM) |
			       SCOPE_WALK(STACK) | SCOPE_WALK(CHAIN) | SCOPE_WALK(FRAMES);
	const void *record;
	uint32_t offset = 0;
	bool found = false;

	while ((record = scope_trace_walk_next(subbuf, types, &offset))) {
		const struct scope_record_state *state = record;
		const struct scope_record_fork *fork = record;
		const struct scope_record_exec *exec = record;
		const struct scope_record_comm *comm = record;

		switch (scope_trace_walk_type(record)) {
		case SCOPE_RECORD_STATE:
			scope_trace_owners_put(owners, state->tid, state->tgid);
			found = true;
			break;
		case SCOPE_RECORD_FORK:
			scope_trace_owners_put(owners, fork->child_tid, fork->child_tgid);
			break;
		case SCOPE_RECORD_EXEC:
			scope_trace_owners_put(owners, exec->tid, exec->tgid);
			break;
		case SCOPE_RECORD_COMM:
			scope_trace_owners_put(owners, comm->tid, comm->tgid);
			break;
		default:
			found = true;
		}
	}
	return found;
}
