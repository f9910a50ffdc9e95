/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which descriptors a file has already, and with which content. A capture reads the descriptors before it begins and
 * once more afterwards, because clients connect in between. A server may have 100,000 of them, and without this nearly
 * all rows would be in the file twice.
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

/* Returns true if the last row of that descriptor has the same content. Else notes it, if there is memory for that. */
bool scope_trace_written_fds_add(struct scope_written_fds *written, const struct scope_trace_fd *fd);

/* Forgets all of them. */
void scope_trace_written_fds_clear(struct scope_written_fds *written);

#endif
