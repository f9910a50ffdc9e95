/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A store of selected units, with the facts of their run about threads. A trace has millions of
 * units; the number kept is bounded (evidence/keep.h).
 */
#ifndef SCOPE_UNIT_UNITS_H
#define SCOPE_UNIT_UNITS_H

#include "unit/run.h"

/* What was before a unit, in a list of all. */
struct scope_kept_earlier {
	struct scope_kept_earlier *next;
	struct scope_unit_earlier earlier;
};

struct scope_units {
	const struct scope_groups *groups; /* the run's, as is the timeline */
	struct scope_timeline *timeline;   /* as it was at the window's end */
	struct scope_unit *unit;
	size_t count, capacity;
	struct scope_unit_call *call;
	size_t calls, call_capacity;
	struct scope_kept_earlier *earlier;
	uint32_t *histogram_call; /* by call histogram: where its calls are, and 1 more; 0: none of its units was kept */
	size_t histogram_calls, histogram_capacity;
	uint64_t discarded; /* as in struct scope_unit_run, like the next four */
	uint64_t stacks;
	const struct scope_unanswered *unanswered;
	const struct scope_unit_thread *thread;
	size_t threads;
	size_t *open_unit; /* by thread: its unit that had not ended, SIZE_MAX: none was kept */
};

/* Creates an empty store for a run that has ended, which must outlive the store. 0 or -ENOMEM. */
int scope_units_create(const struct scope_unit_run *run, struct scope_units **ret_units);
/* Stores a copy. */
int scope_units_keep(struct scope_units *units, const struct scope_unit *unit, const struct scope_unit_call *call);
void scope_units_destroy(struct scope_units *units); /* NULL is fine */

#endif
