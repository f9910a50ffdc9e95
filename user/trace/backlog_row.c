// SPDX-License-Identifier: GPL-2.0-only
/* The rows of a trace that say how many connections waited to be accepted. */
#include "trace/backlog_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace_internal.h"

void scope_trace_backlog_format(const struct scope_backlog_row *row, char text[SCOPE_BACKLOG_BYTES])
{
	snprintf(text, SCOPE_BACKLOG_BYTES, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32, row->time_ns,
		 row->since_ns, row->inode, row->count, row->limit);
}

bool scope_trace_backlog_parse(const char *text, struct scope_backlog_row *ret_row)
{
	struct scope_backlog_row row;
	int end = 0;

	if (strspn(text, "0123456789 ") != strlen(text) ||
	    sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu32 " %" SCNu32 "%n", &row.time_ns, &row.since_ns,
		   &row.inode, &row.count, &row.limit, &end) != 5 ||
	    text[end] || row.since_ns > row.time_ns || row.time_ns > INT64_MAX)
		return false;
	*ret_row = row;
	return true;
}

bool scope_trace_backlog_of(const struct scope_trace *trace, uint64_t inode, struct scope_backlog_row *ret_row)
{
	struct scope_backlog_row row;
	bool found = false;

	for (size_t i = 0; i < trace->metas; i++)
		if (!strncmp(trace->meta[i].key, SCOPE_META_BACKLOG, strlen(SCOPE_META_BACKLOG)) &&
		    scope_trace_backlog_parse(trace->meta[i].value, &row) && row.inode == inode &&
		    (!found || row.time_ns > ret_row->time_ns)) {
			*ret_row = row;
			found = true;
		}
	return found;
}

uint64_t scope_trace_listener_of(const struct scope_trace_fd *row)
{
	uint64_t inode;

	return row->kind == SCOPE_FD_LISTEN && row->name && sscanf(row->name, "socket:[%" SCNu64 "]", &inode) == 1
		       ? inode
		       : 0;
}
