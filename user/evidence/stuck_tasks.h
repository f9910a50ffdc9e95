/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks (goroutines) that have waited for too long in the middle of their work as the window ends: hangs of no thread.
 *
 *   started by a library           net/http.(*conn).serve ─► main.answer ─► main.book ─► sync.(*Mutex).Lock      work
 *                                  net/http.(*conn).serve ─► … ─► net.(*conn).Read                               idle
 *   started by the program         main.worker ─► main.book ─► sync.(*WaitGroup).Wait                            work
 *                                  main.worker ─► (a channel)                                     most wait there: idle
 */
#ifndef SCOPE_EVIDENCE_STUCK_TASKS_H
#define SCOPE_EVIDENCE_STUCK_TASKS_H

#include "evidence/task_rows.h"

/* Tasks that hang in one place. */
struct scope_stuck_tasks {
	struct scope_stack_node node;
	const struct scope_function *waits; /* the function of a library in which they wait; NULL: none */
	uint64_t since_ns;		    /* the first of them; may be before the window */
	uint32_t thread;		    /* the first one of their process */
	uint32_t tasks;
	uint8_t class; /* enum scope_wait_class */
	bool asyncio;  /* they are tasks of Python, else goroutines */
	bool lock;
	bool unsure; /* it waits for the first of several events, so a long wait may be usual */
};

/*
 * Sets the evidence's stuck tasks. 0 or -ENOMEM. A task counts if it has waited for SCOPE_HANG_MIN_NS, and for 10 times what
 * nearly all requests of its process take (p99), and
 *  - it waits for a lock, or
 *  - it was started by a library, and is in a function of the program: a server's library reads the next request itself, or
 *  - it was started by the program, and most tasks that were started so wait nearer to that start.
 * One that reads from a connection never counts: a client may say nothing for long.
 */
int scope_evidence_stuck_tasks_find(const struct scope_task_rows *rows, const struct scope_units *units,
				    struct scope_evidence *evidence);

#endif
