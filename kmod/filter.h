/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The set of processes and threads a session traces, read by probes without a lock.
 *
 * A number belongs to the cache line that its low bits select. It is in one of the line's slots, or in a slot of the
 * next lines where these are taken. The line counts the entries that belong to it. So a search usually reads one
 * line, and ends with it if the count is 0. Consecutive numbers select consecutive lines. An entry is one word, so
 * that readers see it whole:
 *
 *    31     30      29..28  27   26    25..22    21                       0
 *   +------+-------+------+----+-----+---------+---------------------------+
 *   |thread|leaving|  0   |due |fresh| reasons |    number (tgid or tid)   |
 *   +------+-------+------+----+-----+---------+---------------------------+
 *
 * An entry stays while it has a reason; each kind of selection adds and drops its own. A leaving entry is no member any
 * more: it waits until its end is recorded for the reader. The count of a line is raised before an entry comes and
 * lowered after one went, so it is never too low. Two CPUs that add the same number at the same time may both leave an
 * entry. So dropping and removing change every copy.
 *
 * This file compiles in user space as well, where tests/unit/test_filter.c drives it.
 */
#ifndef SCOPE_KMOD_FILTER_H
#define SCOPE_KMOD_FILTER_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <scope/event.h>

#define SCOPE_FILTER_LINE 15u /* slots of a line; its first word is the count */
#define SCOPE_FILTER_LINES (SCOPE_FILTER_SLOTS / SCOPE_FILTER_LINE)
#define SCOPE_FILTER_REACH (4 * SCOPE_FILTER_LINE) /* slots in which an entry may be */

#define SCOPE_FILTER_NUMBER ((1u << SCOPE_TID_BITS) - 1)
#define SCOPE_FILTER_NAMED (1u << 22)  /* by the user */
#define SCOPE_FILTER_CHILD (1u << 23)  /* a descendant of such a process */
#define SCOPE_FILTER_COMM (1u << 24)   /* its command name matches */
#define SCOPE_FILTER_CGROUP (1u << 25) /* it is in a control group */
#define SCOPE_FILTER_REASONS (0xfu << 22)
#define SCOPE_FILTER_FRESH (1u << 26) /* the reader does not know yet what it is doing */
#define SCOPE_FILTER_DUE (1u << 27)   /* fresh or leaving since before the last mark */
#define SCOPE_FILTER_LEAVING (1u << 30)
#define SCOPE_FILTER_THREAD (1u << 31)
#define SCOPE_FILTER_KEY (SCOPE_FILTER_THREAD | SCOPE_FILTER_NUMBER)

struct scope_filter_line {
	atomic_t homes; /* entries that belong to this line; << 16: those of them in other lines */
	u32 slot[SCOPE_FILTER_LINE];
} ____cacheline_aligned;

struct scope_filter {
	struct scope_filter_line line[SCOPE_FILTER_LINES];
	atomic_t count;	  /* entries that are processes */
	atomic_t threads; /* entries that are threads */
	atomic64_t full;  /* processes and threads that found no slot within reach */
};

/* Command names that select threads. Rules are added and taken away while probes read them. */
struct scope_comm_rule {
	char text[SCOPE_COMM_BYTES];
	u8 bytes; /* 0: this rule is not in use */
	bool prefix;
};

/* All of these may be called from any context. A key is a tgid, or a tid | SCOPE_FILTER_THREAD. */
bool scope_filter_add(struct scope_filter *filter, u32 key, u32 why);
bool scope_filter_drop(struct scope_filter *filter, u32 key, u32 why, bool due);
bool scope_filter_remove(struct scope_filter *filter, u32 key);
u32 scope_filter_entry(const struct scope_filter *filter, u32 key);
void scope_filter_mark(struct scope_filter *filter);
void scope_filter_reported(struct scope_filter *filter, u32 key);
bool scope_comm_matches(const struct scope_comm_rule *rules, u32 count, const char *comm);

static __always_inline const struct scope_filter_line *scope_filter_line_of(const struct scope_filter *filter, u32 key)
{
	return &filter->line[key & (SCOPE_FILTER_LINES - 1)];
}

/*
 * The line of a key. Returns false if the key cannot be in the filter. Numbers are not negative; the idle task's 0 is
 * in no filter.
 */
static __always_inline bool scope_filter_may_have(const struct scope_filter_line *line)
{
	return unlikely(atomic_read(&line->homes));
}

/* Returns true if the key is in the filter and its entry is the only one of its line. */
static __always_inline bool scope_filter_has_first(const struct scope_filter_line *line, u32 key)
{
	u32 found = READ_ONCE(line->slot[0]);

	return (found & SCOPE_FILTER_KEY) == key && found & SCOPE_FILTER_REASONS;
}

static __always_inline bool scope_filter_has(const struct scope_filter *filter, u32 key)
{
	const struct scope_filter_line *line = scope_filter_line_of(filter, key);

	if (likely(!scope_filter_may_have(line)))
		return false;
	return scope_filter_has_first(line, key) || scope_filter_entry(filter, key) & SCOPE_FILTER_REASONS;
}

/* Entry number index of 0..SCOPE_FILTER_SLOTS - 1; 0 if there is none. */
static inline u32 scope_filter_at(const struct scope_filter *filter, u32 index)
{
	return READ_ONCE(filter->line[index / SCOPE_FILTER_LINE].slot[index % SCOPE_FILTER_LINE]);
}

#endif
