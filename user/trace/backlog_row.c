// SPDX-License-Identifier: GPL-2.0-only
/* The rows of a trace that show which clients waited to be accepted, or until the server read what they sent. */
#include "trace/backlog_row.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/trace_internal.h"

void scope_trace_backlog_format(const struct scope_backlog_row *row, char text[SCOPE_BACKLOG_BYTES])
{
	snprintf(text, SCOPE_BACKLOG_BYTES, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32, row->time_ns,
		 row->since_ns, row->inode, row->count, row->limit);
}

/* False: the text is no row. */
static bool parse(const char *text, struct scope_backlog_row *ret_row)
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

static bool is_row(const struct scope_trace *trace, size_t meta, const char *key, struct scope_backlog_row *ret_row)
{
	return !strncmp(trace->meta[meta].key, key, strlen(key)) && parse(trace->meta[meta].value, ret_row);
}

static int compare_rows(const void *left, const void *right)
{
	const struct scope_backlog_row *a = left, *b = right;

	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

int scope_trace_backlogs(const struct scope_trace *trace, bool connections, struct scope_backlog_row **ret_row,
			 size_t *ret_count)
{
	const char *key = connections ? SCOPE_META_WAITING_BYTES : SCOPE_META_BACKLOG;
	struct scope_backlog_row *row = NULL, one;
	size_t rows = 0, room = 0, kept = 0;

	for (size_t i = 0; i < trace->metas; i++) {
		if (!is_row(trace, i, key, &one))
			continue;
		if (scope_grow(&row, &room, rows + 1, sizeof(*row))) {
			free(row);
			return -ENOMEM;
		}
		row[rows++] = one;
	}
	if (rows)
		qsort(row, rows, sizeof(*row), compare_rows);
	for (size_t i = 0; i < rows; i++)
		if (i + 1 == rows || row[i + 1].inode != row[i].inode)
			row[kept++] = row[i];
	*ret_row = row;
	*ret_count = kept;
	return 0;
}

uint64_t scope_trace_socket_of(const struct scope_trace_fd *row)
{
	uint64_t inode;

	return row->name && sscanf(row->name, "socket:[%" SCNu64 "]", &inode) == 1 ? inode : 0;
}
