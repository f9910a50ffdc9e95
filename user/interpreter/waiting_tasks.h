/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where tasks of a runtime (goroutines, tasks of Python's asyncio) wait while they are in no thread. Tasks that wait
 * with the same stack are at one place.
 */
#ifndef SCOPE_INTERPRETER_WAITING_TASKS_H
#define SCOPE_INTERPRETER_WAITING_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_WAITING_TASKS_MAX 16384 /* tasks of one process that are read */
#define SCOPE_WAITING_FRAMES 64	      /* frames of one stack; further outer ones are left out */
#define SCOPE_WAITING_PLACES 512      /* different stacks of one look; others are left out */
#define SCOPE_WAITING_SECONDS_MAX 255 /* the longest wait that is counted */

/* Tasks that have waited for a second or longer have separate places. */
struct scope_waiting_place {
	uint32_t tasks;
	uint32_t waited_s; /* for how long the first of them has waited, at most SCOPE_WAITING_SECONDS_MAX; 0: less than a second */
	uint16_t count;
	bool cut;	/* there are more frames */
	uint64_t first; /* index in struct scope_waiting_places of its first address */
};

struct scope_waiting_places {
	uint32_t places, looked, torn;
	uint32_t addresses;
	struct scope_waiting_place place[SCOPE_WAITING_PLACES];
	/*
	 * Addresses of the frames, innermost first. Go: program counter, return addresses. Python: addresses for
	 * scope_interpreter_name().
	 */
	uint64_t address[SCOPE_WAITING_PLACES * SCOPE_WAITING_FRAMES];
};

#define SCOPE_WAITING_ROWS 32768 /* a power of two, above SCOPE_WAITING_TASKS_MAX */

/* How each task of a process waited at the last look. A zeroed struct is empty. */
struct scope_waiting_tasks {
	uint64_t look; /* number of the last look */
	struct scope_waiting_task {
		uint64_t task, hash, since_ns, look;
	} row[SCOPE_WAITING_ROWS];
};

/* Begins a look. */
void scope_interpreter_waiting_begin(struct scope_waiting_tasks *tasks, struct scope_waiting_places *places);

/* For how many seconds the task at that address has waited: since then each look had the same hash of its stack. */
uint32_t scope_interpreter_waiting_s(struct scope_waiting_tasks *tasks, uint64_t task, uint64_t hash, uint64_t now_ns);

/* Adds a task. It is left out if there is no room for another place. */
void scope_interpreter_waiting_add(struct scope_waiting_places *places, const uint64_t *address, uint16_t count,
				   bool cut, uint32_t waited_s);

#endif
