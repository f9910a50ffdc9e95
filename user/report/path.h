/* SPDX-License-Identifier: GPL-2.0-only */
/* The syscalls of chosen units, in order: the calls of a finding's example, and of a usual unit. */
#ifndef SCOPE_REPORT_PATH_H
#define SCOPE_REPORT_PATH_H

#include "unit/units.h"

/* Numbers of no call. */
#define SCOPE_PATH_TASK 0xfffe	  /* its task waited, in no thread */
#define SCOPE_PATH_QUEUE 0xfffd	  /* between two calls, waiting for a CPU */
#define SCOPE_PATH_BETWEEN 0xfffc /* running between calls, in parts too short to be shown one by one */

#define SCOPE_PATH_ANY 0xfffb /* stands for any of them, in a choice */

struct scope_path_call {
	uint16_t nr;	/* SCOPE_PATH_*; SCOPE_NR_NONE: no call, running between two */
	uint32_t count; /* how many times the same call was made in a row */
	uint64_t ns;	/* in all of them */
	bool extra;	/* set by scope_report_path_align(): the other path has no such call there */
};

struct scope_path {
	uint32_t unit;
	struct scope_path_call *call;
	size_t calls, capacity;
	uint64_t last_ns;		   /* return of the last call */
	uint64_t queue_ns, queue_since_ns; /* since then, waiting for a CPU; 0: does not wait now */
	uint64_t short_ns, short_queue_ns; /* sum of what is too short to be shown: running, waiting for a CPU */
};

/*
 * Marks the calls in path that other does not have there: those outside a longest common
 * subsequence. Of long paths the first SCOPE_PATH_ALIGNED calls. 0 or -ENOMEM.
 */
int scope_report_path_align(struct scope_path *path, const struct scope_path *other);

#define SCOPE_PATH_ALIGNED 256

/* Reads the trace where the units are; the caller sets path[].unit, the rest is filled in. Free each path's call. */
int scope_report_path_collect(struct scope_trace *trace, const struct scope_units *units, struct scope_path *path,
			      size_t count);

#endif
