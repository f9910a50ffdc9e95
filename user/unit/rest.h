/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides if a unit had ended before a sleep in it, where no client waits for the thread.
 *
 * Threads of Go park in a futex when their scheduler has no work for them. In leader/follower and in preforking
 * servers a lock decides which thread or process waits for work next. A sleep there, after an answer, is not
 * part of a request.
 */
#ifndef SCOPE_UNIT_REST_H
#define SCOPE_UNIT_REST_H

#include "unit/open_unit.h"

/*
 * True if the unit is known to have ended at open_unit->rest_ns. More of the answer can still come:
 * scope_unit_open_answer().
 */
static inline bool scope_unit_rest_is(const struct scope_open_unit *open_unit)
{
	return open_unit->rest_ns && open_unit->rests;
}

/*
 * True if the call is where a thread of a runtime that schedules its own tasks (Go, tokio) waits for one that can go on. A task
 * goes on in any thread, so that a request which one thread took is answered by another; and in such a futex the thread sleeps more
 * often than in all others together.
 */
bool scope_unit_rest_parks(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			   const struct scope_thread *thread);
/* True if requests go from thread to thread in that process. */
bool scope_unit_rest_passes(const struct scope_unit_builder *builder, uint32_t tgid);
/* A thread of the process answered a request that another one took; both take requests. */
void scope_unit_rest_note_passing(struct scope_unit_builder *builder, uint32_t tgid);
/* The thread has just gone to sleep: if that is in a futex or for a lock, the unit may end here. */
void scope_unit_rest_begin(struct scope_open_unit *open_unit, const struct scope_thread *thread, uint64_t now_ns);
/*
 * A sleep has ended. The unit ended before it in two cases: its client has its answer, or an empty
 * turn of the loop brought no work, and the sleep was not for a lock; or no answer is owed and the
 * thread that ended the sleep was idle for half of it. In other cases the sleep is part of the
 * unit, and the holder of the lock is blamed.
 */
void scope_unit_rest_judge(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			   const struct scope_wait *wait);
/*
 * True if a sleep that was judged came after the end of its unit: the thread waits for work, or, if it has clients, for a lock whose
 * holder waits for work. A holder that is at work keeps the thread's next client waiting, and one that a thread without clients
 * waits for keeps it from what it does.
 */
bool scope_unit_rest_idles(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			   const struct scope_wait *wait);
/*
 * True if the thread takes clients' requests itself, so that such a sleep is outside of requests. A worker that finds its queue filled after
 * an answer goes on without a call, so it may sleep for the next request; and of threads without clients nothing says that nobody waits
 * for what they do, unless it turns out that they work in the background of threads that serve.
 */
bool scope_unit_rest_has_clients(const struct scope_open_unit *open_unit);
/*
 * More is written to the client of a unit that seemed to have ended: it goes on, with the sleeps since then. 0, or what the
 * sink returned.
 */
int scope_unit_rest_go_on(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, uint32_t thread,
			  uint64_t now_ns);
/*
 * True if, when the window ends, the unit is in such a sleep and ended before it. In a sleep for a lock that is so if
 * the unit has answered and owes no answer. In another one it is so in three cases: no answer is owed; nothing was
 * asked of the thread and it sleeps where it usually does; or it works in the background of threads that serve.
 */
bool scope_unit_rest_at_end(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			    const struct scope_thread *thread, bool owes);
/*
 * The thread waits for work, or has accepted a client. If all it did since was to take a lock, and no client waited
 * for an answer, the lock only decided whose turn it was: the unit ended before that. 0, or what the sink returned.
 */
int scope_unit_rest_turn(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, uint32_t thread,
			 uint64_t now_ns);
/* The thread had nothing to do from begin to end. */
void scope_unit_rest_idle(struct scope_open_unit *open_unit, uint64_t begin_ns, uint64_t end_ns);

#endif
