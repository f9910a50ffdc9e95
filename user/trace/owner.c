// SPDX-License-Identifier: GPL-2.0-only
/* A table from threads to processes, by number. */
#include "trace/owner.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "trace/walk.h"

/* By tid or tgid; pages never written take no memory. */
struct scope_owners {
	uint32_t *tgid;	    /* 0: not known */
	uint32_t *ancestor; /* 0: none */
};

#define TABLE_BYTES ((SCOPE_TID_MASK + 1ul) * sizeof(uint32_t))

static uint32_t *create_table(void)
{
	void *table =
		mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return table == MAP_FAILED ? NULL : table;
}

int scope_trace_owners_create(struct scope_owners **ret_owners)
{
	struct scope_owners *owners = calloc(1, sizeof(*owners));

	if (!owners)
		return -ENOMEM;
	owners->tgid = create_table();
	owners->ancestor = create_table();
	if (!owners->tgid || !owners->ancestor) {
		scope_trace_owners_destroy(owners);
		return -ENOMEM;
	}
	*ret_owners = owners;
	return 0;
}

void scope_trace_owners_destroy(struct scope_owners *owners)
{
	if (!owners)
		return;
	if (owners->tgid)
		munmap(owners->tgid, TABLE_BYTES);
	if (owners->ancestor)
		munmap(owners->ancestor, TABLE_BYTES);
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

uint32_t scope_trace_owners_ancestor(const struct scope_owners *owners, uint32_t tgid)
{
	return tgid <= SCOPE_TID_MASK && owners->ancestor[tgid] ? owners->ancestor[tgid] : tgid;
}

static void note_fork(struct scope_owners *owners, const struct scope_record_fork *fork)
{
	const uint32_t parent = scope_trace_owners_get(owners, fork->parent_tid);

	scope_trace_owners_put(owners, fork->child_tid, fork->child_tgid);
	if (parent && fork->child_tgid != parent && fork->child_tgid <= SCOPE_TID_MASK)
		owners->ancestor[fork->child_tgid] = scope_trace_owners_ancestor(owners, parent);
}

static void note_exec(struct scope_owners *owners, const struct scope_record_exec *exec)
{
	scope_trace_owners_put(owners, exec->tid, exec->tgid);
	if (exec->tgid <= SCOPE_TID_MASK && owners->ancestor[exec->tgid])
		owners->ancestor[exec->tgid] = 0;
}

bool scope_trace_owners_note(struct scope_owners *owners, const void *record)
{
	const struct scope_record_state *state = record;
	const struct scope_record_comm *comm = record;

	switch (scope_trace_walk_type(record)) {
	case SCOPE_RECORD_STATE:
		scope_trace_owners_put(owners, state->tid, state->tgid);
		return true;
	case SCOPE_RECORD_FORK:
		note_fork(owners, record);
		return false;
	case SCOPE_RECORD_EXEC:
		note_exec(owners, record);
		return false;
	case SCOPE_RECORD_COMM:
		scope_trace_owners_put(owners, comm->tid, comm->tgid);
		return false;
	}
	return true;
}
