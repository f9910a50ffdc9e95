/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where tasks of a runtime wait that are in no thread then: goroutines, tasks of Python's asyncio. Those that wait with the same stack
 * are one place.
 */
#ifndef SCOPE_INTERPRETER_WAITING_TASKS_H
#define SCOPE_INTERPRETER_WAITING_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_WAITING_TASKS_MAX 16384 /* of one process that are looked at */
#define SCOPE_WAITING_FRAMES 64	      /* of one stack; the outer ones beyond are left out */
#define SCOPE_WAITING_PLACES 512      /* different stacks of one look; others are left out */
#define SCOPE_WAITING_SECONDS_MAX 255 /* for which one has waited */

/* Tasks that have waited for a second are apart from the others. */
struct scope_waiting_place {
	uint32_t tasks;
	uint32_t waited_s; /* for how long the first of them has, at most SCOPE_WAITING_SECONDS_MAX; 0: none for a second */
	uint16_t count;
	bool cut;	/* there are more frames */
	uint64_t first; /* in struct scope_waiting_places: its addresses */
};

struct scope_waiting_places {
	uint32_t places, looked, torn;
	uint32_t addresses;
	struct scope_waiting_place place[SCOPE_WAITING_PLACES];
	/* Innermost first. Go: program counter, return addresses. Python: addresses for scope_interpreter_name(). */
	uint64_t address[SCOPE_WAITING_PLACES * SCOPE_WAITING_FRAMES];
};

#define SCOPE_WAITING_ROWS 32768 /* a power of two, above SCOPE_WAITING_TASKS_MAX */

/* How each task waited in the last look. Begins with zeros; one for each process. */
struct scope_waiting_tasks {
	uint64_t look; /* number of the last one */
	struct scope_waiting_task {
		uint64_t task, hash, since_ns, look;
	} row[SCOPE_WAITING_ROWS];
};

/* A look begins. */
void scope_interpreter_waiting_begin(struct scope_waiting_tasks *tasks, struct scope_waiting_places *places);

/* Seconds for which the task at that address has waited: in each look since then with this hash of its stack. */
uint32_t scope_interpreter_waiting_s(struct scope_waiting_tasks *tasks, uint64_t task, uint64_t hash, uint64_t now_ns);

/* Adds a task. Without room for another place it is left out. */
void scope_interpreter_waiting_add(struct scope_waiting_places *places, const uint64_t *address, uint16_t count,
				   bool cut, uint32_t waited_s);

#endif
