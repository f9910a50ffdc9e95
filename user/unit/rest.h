/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a unit was over before a sleep in it: no client waits for the thread there.
 *
 * Threads of Go park in a futex when their scheduler has nothing for them. Leaders and followers hand on by a lock
 * whose turn it is to wait for work. What is slept there, behind an answer, is no time of a request.
 */
#ifndef SCOPE_UNIT_REST_H
#define SCOPE_UNIT_REST_H

#include "unit/open_unit.h"

/* Is the unit known to have been over at open_unit->rest_ns? More of the answer can still come: scope_open_unit_answer(). */
static inline bool scope_unit_rest_is(const struct scope_open_unit *open_unit)
{
	return open_unit->rest_ns && open_unit->rests;
}

/* The thread has just gone to sleep: where it does so in a futex, the unit may be over here. */
void scope_unit_rest_begin(struct scope_open_unit *open_unit, const struct scope_thread *thread, uint64_t now_ns);
/*
 * A sleep is over. The unit ended before it where its client has its answer, or it took nothing from an empty turn of
 * the loop, and it did not sleep for a lock; or where nothing is owed and the thread that ended the sleep was idle
 * for half of it. Of other locks, and where the answer is owed, the holder is at fault as ever.
 */
void scope_unit_rest_judge(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			   const struct scope_wait *wait);
/* The thread had nothing to do from begin to end. */
void scope_unit_rest_idle(struct scope_open_unit *open_unit, uint64_t begin_ns, uint64_t end_ns);

#endif
