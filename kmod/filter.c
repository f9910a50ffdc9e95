// SPDX-License-Identifier: GPL-2.0-only
/* The seldom part of the filter: inserting, removing and searching beyond the first slot. */
#include "filter.h"

static inline u32 slot_at(u32 start, u32 step)
{
	return (start + step) & (SCOPE_FILTER_SLOTS - 1);
}

bool scope_filter_search(const struct scope_filter *filter, u32 start, u32 tgid)
{
	u32 i;

	for (i = 0; i < SCOPE_FILTER_REACH; i++) {
		u32 found = READ_ONCE(filter->slot[slot_at(start, i)]);

		if (found == SCOPE_FILTER_EMPTY)
			return false;
		if (found == tgid)
			return true;
	}
	return false;
}

/* From any context. Where no slot is free within reach the process is counted in full. */
void scope_filter_add(struct scope_filter *filter, u32 tgid)
{
	u32 start = scope_filter_start(tgid), i;

	if (scope_filter_has(filter, tgid))
		return;
	for (i = 0; i < SCOPE_FILTER_REACH; i++) {
		u32 *slot = &filter->slot[slot_at(start, i)];
		u32 found = READ_ONCE(*slot);

		if (found != SCOPE_FILTER_EMPTY && found != SCOPE_FILTER_TOMB)
			continue;
		if (cmpxchg(slot, found, tgid) == found) {
			atomic_inc(&filter->count);
			return;
		}
	}
	atomic64_inc(&filter->full);
}

void scope_filter_remove(struct scope_filter *filter, u32 tgid)
{
	u32 start = scope_filter_start(tgid), i;

	for (i = 0; i < SCOPE_FILTER_REACH; i++) {
		u32 *slot = &filter->slot[slot_at(start, i)];
		u32 found = READ_ONCE(*slot);

		if (found == SCOPE_FILTER_EMPTY)
			return;
		if (found == tgid && cmpxchg(slot, tgid, SCOPE_FILTER_TOMB) == tgid)
			atomic_dec(&filter->count);
	}
}
