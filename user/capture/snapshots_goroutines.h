/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the goroutines of a process, and where they wait. */
#ifndef SCOPE_CAPTURE_SNAPSHOTS_GOROUTINES_H
#define SCOPE_CAPTURE_SNAPSHOTS_GOROUTINES_H

#include "interpreter/goroutines.h"

enum scope_snapshots_go {
	SCOPE_SNAPSHOTS_GO_FOUND,
	SCOPE_SNAPSHOTS_GO_ABSENT,  /* the process is no Go program */
	SCOPE_SNAPSHOTS_GO_UNKNOWN, /* its version or machine is not known */
};

/* memory: that of the process. */
enum scope_snapshots_go scope_capture_snapshots_go_find(uint32_t tgid, struct scope_memory *memory,
							struct scope_goroutines *ret_goroutines);

#endif
