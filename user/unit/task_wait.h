/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of tasks that a program schedules itself (goroutines): how long each one waited outside of any thread.
 *
 *   thread 1   read ── unit ──┤ parks                               left: the request has no answer as its unit ends
 *   task                      ├──────── waits ────────┤             task_ns
 *   thread 2                                          ├ unit ── write
 *
 * The thread that took the request goes on with other tasks, or sleeps until there is one. Whichever thread writes the answer
 * runs the task then; its unit gets the request, and the time since the first unit ended. Only in processes whose tasks the
 * capture looked at (SCOPE_STACK_TASKS), because else nothing could be said about that time.
 */
#ifndef SCOPE_UNIT_TASK_WAIT_H
#define SCOPE_UNIT_TASK_WAIT_H

#include "unit/open_unit.h"

/* The process has tasks. */
void scope_unit_task_note(struct scope_unit_builder *builder, uint32_t tgid);

/* A unit of that thread ends at end_ns. True if its request goes on without it, so that it is not counted here. */
bool scope_unit_task_leave(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			   const struct scope_thread *thread, uint64_t end_ns);

/*
 * A write was entered. If it answers a request that a unit left, a unit of another request ends here, because the thread has gone
 * on with another task, and the open unit gets the request. 0, or what the sink returned.
 */
int scope_unit_task_answer(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			   const struct scope_thread *thread, unsigned args, uint64_t fd, uint64_t enter_ns);

#endif
