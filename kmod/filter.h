/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The set of processes a session traces, read by probes without a lock.
 *
 * Open addressing over slots of one tgid each. A search starts at the cache line that the tgid
 * selects and goes on slot by slot until an empty one, at most SCOPE_FILTER_REACH slots;
 * consecutive pids select consecutive lines, so a search is one cache line as a rule. A removed
 * tgid leaves a tombstone, which an insertion may take but a search walks over. Slots are claimed
 * by compare-and-exchange. Two CPUs that insert the same tgid at once may leave it twice: removal
 * therefore clears every copy.
 */
#ifndef SCOPE_KMOD_FILTER_H
#define SCOPE_KMOD_FILTER_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <scope/abi.h>

#define SCOPE_FILTER_EMPTY 0u
#define SCOPE_FILTER_TOMB (~0u)
#define SCOPE_FILTER_LINE (64u / sizeof(u32))
#define SCOPE_FILTER_REACH 64u

struct scope_filter {
	u32 slot[SCOPE_FILTER_SLOTS] ____cacheline_aligned;
	atomic_t count;
	atomic64_t full; /* processes that found no slot within reach */
};

void scope_filter_add(struct scope_filter *filter, u32 tgid);
void scope_filter_remove(struct scope_filter *filter, u32 tgid);
bool scope_filter_search(const struct scope_filter *filter, u32 start, u32 tgid);

static inline u32 scope_filter_start(u32 tgid)
{
	return tgid * SCOPE_FILTER_LINE & (SCOPE_FILTER_SLOTS - 1);
}

/* The idle task's tgid 0 is in no filter. */
static __always_inline bool scope_filter_has(const struct scope_filter *filter, u32 tgid)
{
	u32 start = scope_filter_start(tgid);
	u32 found = READ_ONCE(filter->slot[start]);

	if (likely(found == SCOPE_FILTER_EMPTY))
		return false;
	return found == tgid || scope_filter_search(filter, start, tgid);
}

#endif
