/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests that are held: their thread went on with others before it answered them.
 *
 *   loop      read ── unit ──┤ polls, and serves others             held: the request has no answer as its unit ends
 *   request                  ├──────── waits ────────┤              task_ns: for a peer, a timer, a child, another thread
 *   loop                                             ├ unit ── write
 *
 * While a request is held, an event loop serves other clients. So does a thread of a runtime that schedules its own
 * tasks (goroutines). The unit that writes the answer gets the request: the work until then, which is its earlier part,
 * and the time in between, for which the request waited outside of any thread. In a loop that is the same thread in a
 * later turn; a task goes on in any thread of its process.
 *
 * Time in which the client had not sent all of its request is the client's, and is left out. An answer in a turn that another client's
 * request brought (a chat, a queue, a blocking pop) was waited for on that client; such a request counts by its first unit alone, as one
 * does that is answered by another thread, in the same turn, or never.
 */
#ifndef SCOPE_UNIT_HELD_REQUEST_H
#define SCOPE_UNIT_HELD_REQUEST_H

#include "unit/open_unit.h"

/* The process has tasks. */
void scope_unit_held_note_tasks(struct scope_unit_builder *builder, uint32_t tgid);

bool scope_unit_held_has_tasks(const struct scope_unit_builder *builder, uint32_t tgid);

/* Called before the unit of that thread ends, which took a request and has not answered it: true if the request goes on without it. */
bool scope_unit_held_wanted(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			    uint32_t thread);
/* Holds the request of a unit that has just ended, instead of giving it to the sink. 0, -errno, or what the sink returned. */
int scope_unit_held_add(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit, uint32_t thread,
			struct scope_unit *unit, const struct scope_unit_call *call);

/*
 * A write was entered. If it answers a request that is held, a unit of another request ends here, and the open unit gets the request.
 * 0, -errno, or what the sink returned.
 */
int scope_unit_held_answer(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			   const struct scope_thread *thread, unsigned args, uint64_t fd, uint64_t enter_ns);
/* A unit that took no new request ends at end_ns. If it took more bytes of a request that is held, that was the client's time so far. */
void scope_unit_held_heard(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit, uint32_t thread,
			   uint64_t end_ns);
/* Events of a thread were lost, among which its answers may have been: its requests count by their units. The same return values. */
int scope_unit_held_lost(struct scope_unit_builder *builder, uint32_t thread);
/* The window ends: those that are still held count by their units, and run->unanswered is filled in. The same return values. */
int scope_unit_held_end(struct scope_unit_builder *builder);
void scope_unit_held_free(struct scope_unit_builder *builder);

#endif
