/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks at the tasks of processes (goroutines): where they waited, by the stacks that the capture read.
 *
 *   look = rows of one process and one time; row = place, and how many tasks waited in it
 */
#ifndef SCOPE_EVIDENCE_TASK_ROWS_H
#define SCOPE_EVIDENCE_TASK_ROWS_H

#include <string.h>

#include "evidence/stack_node.h"
#include "unit/log.h"

#define SCOPE_TASK_PLACES_MAX 4096 /* no rule: different stacks; others are left out */

struct scope_task_row {
	uint64_t time_ns, since_ns; /* since_ns: the time that it stands for */
	uint32_t tgid, thread;	    /* thread: the first one of the process */
	uint32_t place;		    /* SCOPE_TASK_PLACES_MAX: left out */
	uint32_t tasks;
	uint32_t waited_s; /* for how long the first of them has waited; 0: none for 1 s. Those are rows of their own */
};

struct scope_task_place {
	uint64_t hash;
	uint32_t tgid;
	struct scope_stack_node node;
	const struct scope_function
		*start; /* what the task was started with, a library's function too; NULL: not known */
	const struct scope_function *waits; /* the innermost function that is none of the scheduler's; NULL: not known */
	uint8_t class;			    /* enum scope_wait_class */
	bool lasting;			    /* of tasks that have waited for a second */
	bool choice;  /* for the first of several events, or for news that may not come for long */
	bool lock;    /* for a mutex or a reader-writer lock */
	bool future;  /* for a future of the program: another task ends it, or a thread */
	bool asyncio; /* of a task of Python, else of a goroutine */
};

/* False for NULL. */
static inline bool scope_evidence_task_name_begins(const struct scope_function *function, const char *begin)
{
	return function && !strncmp(function->name, begin, strlen(begin));
}

struct scope_task_rows {
	struct scope_task_place *place;
	size_t places;
	struct scope_task_row *row; /* by time */
	size_t rows;
	size_t row_capacity;
	uint32_t *bucket; /* place + 1 by hash */
	bool within;	  /* the program's connections lead back to it, see scope_trace_peers_within() */
};

/*
 * Reads them all. Stacks are not counted in the evidence: most of them are of tasks that have nothing to do with
 * requests. 0, -ENOMEM, or -errno of a read. Free with scope_evidence_task_rows_free().
 */
int scope_evidence_task_rows_read(struct scope_unit_log *log, struct scope_trace *trace,
				  const struct scope_stack_nodes *stack_nodes, struct scope_task_rows *ret_rows);
void scope_evidence_task_rows_free(struct scope_task_rows *rows);

/* Number of times that tasks of a process were looked at. */
uint64_t scope_evidence_task_rows_looks(const struct scope_task_rows *rows, uint32_t tgid);
/* The rows of the look that begins with row number from end before this one. */
size_t scope_evidence_task_rows_look_end(const struct scope_task_rows *rows, size_t from);

#endif
