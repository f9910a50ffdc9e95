/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads from outside where tasks of asyncio wait, of CPython 3.8 to 3.13.
 *
 *   interpreter ─► modules ─► asyncio.tasks ─► the set of all tasks ─► task ─► coroutine ─ awaits ─► coroutine … ─► future
 *
 * A task that waits is in no thread. Its coroutines have their frames, each of which keeps what it awaits on the top of its stack. Nearly all
 * of it is where it was in the look before, and is read at once. As in interpreter.h, nothing of the process is changed or waited for, and all
 * of it may lie.
 */
#ifndef SCOPE_INTERPRETER_PYTHON_TASKS_H
#define SCOPE_INTERPRETER_PYTHON_TASKS_H

#include "interpreter/interpreter.h"
#include "interpreter/waiting_tasks.h"

struct scope_python_tasks {
	uint64_t modules;		 /* the dictionary of modules; 0: not found yet */
	uint64_t set;			 /* of all tasks; 0: not found yet */
	uint64_t sleep;			 /* the code of asyncio.sleep(); 0: not known */
	uint32_t coroutine;		 /* where a task has its coroutine; 0: not known yet */
	struct scope_memory_pages pages; /* of the last look */
};

/* True if the program has imported asyncio, and where its tasks are is known. What an earlier call has found is used again. */
bool scope_interpreter_python_tasks_find(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					 struct scope_python_tasks *tasks);

/*
 * All that wait at now_ns; addresses of functions, for scope_interpreter_name(). One whose coroutines await the same as in the look before
 * has waited since then. Of one in asyncio.sleep() only its callers count, so that one that sleeps again and again has waited since it
 * began to. reads: of memory, at most. false: the set cannot be read.
 */
bool scope_interpreter_python_tasks_look(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					 struct scope_python_tasks *tasks, uint32_t reads, uint64_t now_ns,
					 struct scope_waiting_tasks *waiting, struct scope_waiting_places *ret_places);

#endif
