/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the text of /proc/PID/maps. */
#ifndef SCOPE_PROC_MAPS_TEXT_H
#define SCOPE_PROC_MAPS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* One line of /proc/PID/maps. */
struct scope_proc_line {
	struct scope_trace_map map; /* its path points into the text */
	uint32_t major, minor;
	uint64_t inode;
};

/* The valid lines of a text, in their order; splits the text in place. ret_line: malloc'd. */
int scope_proc_maps_parse(char *text, struct scope_proc_line **ret_line, size_t *ret_count);

#endif
