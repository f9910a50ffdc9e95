/* SPDX-License-Identifier: GPL-2.0-only */
/* The syscalls of chosen units, in order: what an example of a finding did, beside a usual unit. */
#ifndef SCOPE_REPORT_PATH_H
#define SCOPE_REPORT_PATH_H

#include "unit/unit.h"

struct scope_path_call {
	uint16_t nr;
	uint32_t count; /* the same call so many times in a row */
	uint64_t ns;	/* in all of them */
};

struct scope_path {
	uint32_t unit;
	struct scope_path_call *call;
	size_t calls, capacity;
};

/* Runs through the trace once; path[].unit is given, the rest filled. Free each path's call. */
int scope_path_collect(struct scope_trace *trace, const struct scope_units *units,
		       struct scope_path *path, size_t count);

#endif
