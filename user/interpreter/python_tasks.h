/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads from outside where tasks of asyncio wait, for CPython 3.8 to 3.13.
 *
 *   interpreter ─► modules ─► asyncio.tasks ─► the set of all tasks ─► task ─► coroutine ─ awaits ─► coroutine … ─► future
 *
 * A task that waits is in no thread. Each of its coroutines has a frame, with the object that it awaits on the top of
 * its stack. Nearly all objects are on the same pages as at the look before, so these pages are read with one call. As
 * in interpreter.h, the process is not changed, nothing waits for it, and its memory is not trusted.
 */
#ifndef SCOPE_INTERPRETER_PYTHON_TASKS_H
#define SCOPE_INTERPRETER_PYTHON_TASKS_H

#include "interpreter/interpreter.h"
#include "interpreter/waiting_tasks.h"

struct scope_python_tasks {
	uint64_t modules;		 /* the dictionary of modules; 0: not found yet */
	uint64_t set;			 /* the set of all tasks; 0: not found yet */
	uint64_t sleep;			 /* the code of asyncio.sleep(); 0: not known */
	uint32_t coroutine;		 /* offset of the coroutine in a task; 0: not known yet */
	struct scope_memory_pages pages; /* pages of the last look */
};

/* True if the program has imported asyncio and its tasks were found. Results of earlier calls are used again. */
bool scope_interpreter_python_tasks_find(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					 struct scope_python_tasks *tasks);

/*
 * Finds all tasks that wait at now_ns, with addresses of functions for scope_interpreter_name(). A task whose
 * coroutines await the same objects as at the look before has waited since then. For a task in asyncio.sleep() only its
 * callers are compared, so a task that sleeps repeatedly has waited since the first sleep. reads: the most reads of
 * memory. Returns false if the set cannot be read.
 */
bool scope_interpreter_python_tasks_look(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					 struct scope_python_tasks *tasks, uint32_t reads, uint64_t now_ns,
					 struct scope_waiting_tasks *waiting, struct scope_waiting_places *ret_places);

#endif
