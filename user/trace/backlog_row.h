/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a trace that say how many connections waited to be accepted. */
#ifndef SCOPE_TRACE_BACKLOG_ROW_H
#define SCOPE_TRACE_BACKLOG_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace.h"

/* A listening socket for which connections waited each time that it was looked at, once a second. */
struct scope_backlog_row {
	uint64_t time_ns, since_ns; /* the last time, and the first one */
	uint64_t inode;
	uint32_t count, limit; /* connections at the last time, and as many as the socket may have */
};

#define SCOPE_BACKLOG_BYTES 128 /* no rule: of a row as text */

void scope_trace_backlog_format(const struct scope_backlog_row *row, char text[SCOPE_BACKLOG_BYTES]);
bool scope_trace_backlog_parse(const char *text, struct scope_backlog_row *ret_row);

/* The last row of the trace for that listening socket. false: no connection waited for it. */
bool scope_trace_backlog_of(const struct scope_trace *trace, uint64_t inode, struct scope_backlog_row *ret_row);
/* The inode of a listening socket, by its descriptor's row; 0: it is another kind of descriptor. */
uint64_t scope_trace_listener_of(const struct scope_trace_fd *row);

#endif
