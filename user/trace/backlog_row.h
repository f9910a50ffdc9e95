/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a trace that show which clients waited to be accepted, or until the server read what they sent. */
#ifndef SCOPE_TRACE_BACKLOG_ROW_H
#define SCOPE_TRACE_BACKLOG_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace.h"

/*
 * A listening socket for which connections waited at each look, once a second; or a connection in which bytes waited.
 */
struct scope_backlog_row {
	uint64_t time_ns, since_ns; /* the last look, and the first one */
	uint64_t inode;
	uint32_t count; /* connections, or bytes, at the last time */
	uint32_t limit; /* connections that may wait for the socket; 0: the row is about the bytes of a connection */
};

#define SCOPE_BACKLOG_BYTES 128 /* no rule: of a row as text */

void scope_trace_backlog_format(const struct scope_backlog_row *row, char text[SCOPE_BACKLOG_BYTES]);

/*
 * The last row of each listening socket, or of each connection with bytes that wait, by inode. malloc'd, freed by the caller; NULL if
 * there is none. 0 or -ENOMEM.
 */
int scope_trace_backlogs(const struct scope_trace *trace, bool connections, struct scope_backlog_row **ret_row,
			 size_t *ret_count);
/* The inode of a socket, by its descriptor's row; 0: it is none. */
uint64_t scope_trace_socket_of(const struct scope_trace_fd *row);

#endif
