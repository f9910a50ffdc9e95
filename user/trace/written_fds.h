/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which descriptors a file has already, and as what. A capture reads them before it begins and once more after that,
 * because clients come in between; a server has 100,000 of them, and nearly all rows would be there twice.
 */
#ifndef SCOPE_TRACE_WRITTEN_FDS_H
#define SCOPE_TRACE_WRITTEN_FDS_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace.h"

struct scope_written_fd;

/* All zero: none. */
struct scope_written_fds {
	struct scope_written_fd *slot;
	size_t slots, count;
};

/* True if the last row of that descriptor said the same. Else it is noted; without memory it is not. */
bool scope_trace_written_fds_add(struct scope_written_fds *written, const struct scope_trace_fd *fd);

/* Forgets all of them. */
void scope_trace_written_fds_clear(struct scope_written_fds *written);

#endif
