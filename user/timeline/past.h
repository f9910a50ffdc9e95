/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the accounts of threads at some earlier times, so that the last minute can be reported
 * alone.
 *
 * An account only grows, so its part in a window is the difference to its value at the window's
 * begin. The windows that will be needed are not known in advance. So accounts are copied at
 * regular times, the last SCOPE_PAST_MARKS of them are kept, and a window begins at one of these
 * marks. Memory: 4 KB for each thread at most.
 */
#ifndef SCOPE_TIMELINE_PAST_H
#define SCOPE_TIMELINE_PAST_H

#include "timeline/thread.h"

#define SCOPE_PAST_MARKS 34 /* no rule */

struct scope_past_mark {
	uint64_t time_ns;
	struct scope_account *account; /* by index of the thread */
	size_t threads, capacity;
};

/* One that never marks has next_ns UINT64_MAX. */
struct scope_past {
	uint64_t step_ns, next_ns;
	struct scope_past_mark mark[SCOPE_PAST_MARKS]; /* a ring, in order of time */
	unsigned first, count;
};

/* Marks from the first event on, with this step. */
void scope_timeline_past_begin(struct scope_past *past, uint64_t step_ns);
/* One mark alone, at that time. */
void scope_timeline_past_at(struct scope_past *past, uint64_t time_ns);
void scope_timeline_past_free(struct scope_past *past);
/* Call it when next_ns has come, before the event at now. 0 or -ENOMEM. */
int scope_timeline_past_note(struct scope_past *past, struct scope_threads *threads, uint64_t now_ns);
/* The first mark that is no earlier; NULL: there is none. */
const struct scope_past_mark *scope_timeline_past_find(const struct scope_past *past, uint64_t from_ns);

#endif
