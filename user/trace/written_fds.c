// SPDX-License-Identifier: GPL-2.0-only
/* Notes the content of each descriptor's last row. */
#include "trace/written_fds.h"

#include <stdlib.h>

#include "base/hash.h"

#define SLOTS_FIRST 256 /* no rule: a power of two */

struct scope_written_fd {
	uint32_t tgid;
	int32_t fd;
	uint64_t said; /* hash of kind and name; 0: the slot is free */
};

static uint64_t said_by(const struct scope_trace_fd *fd)
{
	return (uint64_t)scope_hash_text(fd->kind, fd->name) << 32 | scope_hash_text(~(uint32_t)fd->kind, fd->name) | 1;
}

/* The slot of a descriptor, or the free slot where it belongs. */
static struct scope_written_fd *slot_of(const struct scope_written_fds *written, uint32_t tgid, int32_t fd)
{
	size_t at = ((uint64_t)tgid << 32 | (uint32_t)fd) * 0x9e3779b97f4a7c15u >>
		    32; /* no rule: 2^64 / golden ratio */

	for (;; at++) {
		struct scope_written_fd *slot = &written->slot[at & (written->slots - 1)];

		if (!slot->said || (slot->tgid == tgid && slot->fd == fd))
			return slot;
	}
}

static bool enlarge(struct scope_written_fds *written)
{
	struct scope_written_fds larger = { .slots = written->slots ? 2 * written->slots : SLOTS_FIRST };

	larger.slot = calloc(larger.slots, sizeof(*larger.slot));
	if (!larger.slot)
		return false;
	for (size_t i = 0; i < written->slots; i++)
		if (written->slot[i].said)
			*slot_of(&larger, written->slot[i].tgid, written->slot[i].fd) = written->slot[i];
	larger.count = written->count;
	free(written->slot);
	*written = larger;
	return true;
}

bool scope_trace_written_fds_add(struct scope_written_fds *written, const struct scope_trace_fd *fd)
{
	const uint64_t said = said_by(fd);
	struct scope_written_fd *slot;

	if (2 * written->count >= written->slots && !enlarge(written)) {
		scope_trace_written_fds_clear(written);
		return false;
	}
	slot = slot_of(written, fd->tgid, fd->fd);
	if (slot->said == said)
		return true;
	written->count += !slot->said;
	*slot = (struct scope_written_fd){ fd->tgid, fd->fd, said };
	return false;
}

void scope_trace_written_fds_clear(struct scope_written_fds *written)
{
	free(written->slot);
	*written = (struct scope_written_fds){ 0 };
}
