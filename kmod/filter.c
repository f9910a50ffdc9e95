// SPDX-License-Identifier: GPL-2.0-only
/* The slow path of the filter: all but the check of an empty line; and the comparison with command names. */
#include <linux/string.h>
#include <asm/barrier.h>
#include "filter.h"

#define AWAY (1 << 16) /* in the count of a line, in addition to the 1 of any entry */

static inline u32 line_of(u32 key)
{
	return key & (SCOPE_FILTER_LINES - 1);
}

static inline u32 *slot_at(const struct scope_filter *filter, u32 key, u32 step)
{
	u32 line = line_of(key + step / SCOPE_FILTER_LINE);

	return (u32 *)&filter->line[line].slot[step % SCOPE_FILTER_LINE];
}

/* How many slots may hold a copy of the key. */
static inline u32 reach_of(const struct scope_filter *filter, u32 key)
{
	int homes = atomic_read(&filter->line[line_of(key)].homes);

	if (!homes)
		return 0;
	return homes >= AWAY ? SCOPE_FILTER_REACH : SCOPE_FILTER_LINE;
}

/* The copy from slot *step on, to which *step moves; NULL if there is none. */
static u32 *next_copy(const struct scope_filter *filter, u32 key, u32 *step, u32 *ret_entry)
{
	u32 reach = reach_of(filter, key);

	for (; *step < reach; (*step)++) {
		u32 *slot = slot_at(filter, key, *step), entry = READ_ONCE(*slot);

		if (entry && (entry & SCOPE_FILTER_KEY) == key) {
			*ret_entry = entry;
			return slot;
		}
	}
	return NULL;
}

static inline atomic_t *count_of(struct scope_filter *filter, u32 key)
{
	return key & SCOPE_FILTER_THREAD ? &filter->threads : &filter->count;
}

/* The slot at this step was emptied: the line of its entry counts one less. */
static void uncount(struct scope_filter *filter, u32 key, u32 step)
{
	atomic_sub(step < SCOPE_FILTER_LINE ? 1 : 1 + AWAY, &filter->line[line_of(key)].homes);
	atomic_dec(count_of(filter, key));
}

/* The entry of a member, or else of one that is leaving, or else 0. */
u32 scope_filter_entry(const struct scope_filter *filter, u32 key)
{
	u32 step = 0, entry, leaving = 0;

	for (; next_copy(filter, key, &step, &entry); step++) {
		if (entry & SCOPE_FILTER_REASONS)
			return entry;
		leaving = entry;
	}
	return leaving;
}

/*
 * Adds a reason (with SCOPE_FILTER_FRESH where a new entry has to be reported to the reader). Returns false if no
 * slot within reach is free, which is counted.
 */
bool scope_filter_add(struct scope_filter *filter, u32 key, u32 why)
{
	atomic_t *homes = &filter->line[line_of(key)].homes;
	u32 step = 0, entry, *slot;

	while ((slot = next_copy(filter, key, &step, &entry))) {
		/* The reader does not know yet that this entry was leaving, so for the reader it was never away. */
		u32 kept = entry & SCOPE_FILTER_LEAVING ? key : entry;

		if (cmpxchg(slot, entry, kept | (why & SCOPE_FILTER_REASONS)) == entry)
			return true;
	}
	atomic_inc(homes);
	/* This comes before the entry: see the comment at the top of filter.h. */
	smp_mb__after_atomic();
	for (step = 0; step < SCOPE_FILTER_REACH; step++) {
		slot = slot_at(filter, key, step);
		if (step == SCOPE_FILTER_LINE) {
			atomic_add(AWAY, homes);
			smp_mb__after_atomic();
		}
		if (!READ_ONCE(*slot) && cmpxchg(slot, 0, key | why) == 0) {
			atomic_inc(count_of(filter, key));
			return true;
		}
	}
	atomic_sub(1 + AWAY, homes);
	atomic64_inc(&filter->full);
	return false;
}

/*
 * Takes reasons away. An entry without any reason is removed, or if `due` is set stays as a leaving one. Returns true
 * if a member lost its last reason.
 */
bool scope_filter_drop(struct scope_filter *filter, u32 key, u32 why, bool due)
{
	u32 step = 0, entry, *slot;
	bool lost = false;

	while ((slot = next_copy(filter, key, &step, &entry))) {
		u32 left = entry & ~why;

		if (!(entry & why & SCOPE_FILTER_REASONS)) {
			step++;
			continue;
		}
		if (!(left & SCOPE_FILTER_REASONS))
			left = due ? key | SCOPE_FILTER_LEAVING : 0;
		if (cmpxchg(slot, entry, left) != entry)
			continue;
		if (!left)
			uncount(filter, key, step);
		if (!(left & SCOPE_FILTER_REASONS))
			lost = true;
		step++;
	}
	return lost && !scope_filter_has(filter, key);
}

/* Whatever its reasons are. Returns true if there was one, leaving or not. */
bool scope_filter_remove(struct scope_filter *filter, u32 key)
{
	u32 step = 0, entry, *slot;
	bool found = false;

	while ((slot = next_copy(filter, key, &step, &entry))) {
		if (cmpxchg(slot, entry, 0) != entry)
			continue;
		uncount(filter, key, step++);
		found = true;
	}
	return found;
}

/* Entries that are fresh or leaving now are reported next; later ones wait for the next mark. */
void scope_filter_mark(struct scope_filter *filter)
{
	u32 i;

	for (i = 0; i < SCOPE_FILTER_SLOTS; i++) {
		u32 *slot = &filter->line[i / SCOPE_FILTER_LINE].slot[i % SCOPE_FILTER_LINE];
		u32 entry = READ_ONCE(*slot);

		while (entry & (SCOPE_FILTER_FRESH | SCOPE_FILTER_LEAVING)) {
			u32 found = cmpxchg(slot, entry, entry | SCOPE_FILTER_DUE);

			if (found == entry)
				break;
			entry = found;
		}
	}
}

/* The reader knows all that was marked: such an entry is no longer fresh, or it is removed. */
void scope_filter_reported(struct scope_filter *filter, u32 key)
{
	u32 step = 0, entry, *slot;

	while ((slot = next_copy(filter, key, &step, &entry))) {
		u32 left = entry & ~(SCOPE_FILTER_FRESH | SCOPE_FILTER_DUE);

		if (!(entry & SCOPE_FILTER_DUE)) {
			step++;
			continue;
		}
		if (entry & SCOPE_FILTER_LEAVING)
			left = 0;
		if (cmpxchg(slot, entry, left) != entry)
			continue;
		if (!left)
			uncount(filter, key, step);
		step++;
	}
}

/* comm: SCOPE_COMM_BYTES, which may change while it is read. If it does, the next change decides. */
bool scope_comm_matches(const struct scope_comm_rule *rules, u32 count, const char *comm)
{
	u32 i;

	for (i = 0; i < count; i++) {
		/* Pairs with the release in the function that filled the rule in. */
		u8 bytes = smp_load_acquire(&rules[i].bytes);

		if (bytes && !strncmp(rules[i].text, comm, bytes) &&
		    (rules[i].prefix || bytes == SCOPE_COMM_BYTES - 1 || !comm[bytes]))
			return true;
	}
	return false;
}
