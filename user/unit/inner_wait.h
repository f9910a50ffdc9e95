/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits in the middle of a request, in the futex in which the thread waits for new work as well.
 *
 *   read ── unit ──┤ parks ├── write to the same client     the wait belongs to the request
 *   read ── unit ──┤ parks ├── read from another one        the unit ended as the thread parked, and the next one began after it
 *
 * In the JVM each thread parks in a futex of its own, whatever it waits for: a job of its pool, a future, a lock. Other runtimes make
 * an object for each wait, and get the same memory for it again and again. If the client has no answer yet, the call does not show
 * which one it is. What the thread does next shows it: if its next word to a client answers this one, and it has read
 * nothing since, it waited for a part of that answer.
 */
#ifndef SCOPE_UNIT_INNER_WAIT_H
#define SCOPE_UNIT_INNER_WAIT_H

#include "unit/open_unit.h"

/* True if the unit may have ended, and the thread is where it waits for work. */
static inline bool scope_unit_inner_parked(const struct scope_open_unit *open_unit)
{
	return open_unit->doubt && !open_unit->back_ns;
}

/*
 * The thread enters the wait at the top of its loop. True if that may be in the middle of the open unit, which then stays open;
 * false: the caller ends it.
 */
bool scope_unit_inner_enter(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			    const struct scope_thread *thread, const struct scope_open_call *call);
/* That wait returned ret. The caller counts its call. */
void scope_unit_inner_exit(struct scope_open_unit *open_unit, const struct scope_thread *thread,
			   const struct scope_open_call *call, int64_t ret, uint64_t exit_ns);
/* A write is entered, in a unit that is in doubt. 0, or what the sink returned. */
int scope_unit_inner_write(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			   const struct scope_thread *thread, unsigned args, uint64_t fd);
/*
 * The unit ended where the doubt began. Another one is open since the last such wait returned, if it has. 0, or what the sink returned.
 */
int scope_unit_inner_rest(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, uint32_t thread);

#endif
