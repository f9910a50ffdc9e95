/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds descriptors of the target's processes by their number, and by the pipe or socket that they are. */
#ifndef SCOPE_ANOMALY_FD_INDEX_H
#define SCOPE_ANOMALY_FD_INDEX_H

#include "base/sort.h"
#include "trace/trace.h"

/* Rows of the trace, by number: of the process and the descriptor, or of the object. */
struct scope_fd_index {
	const struct scope_trace_fd *row;
	size_t rows, objects;
	struct scope_sort_row *by_fd;
	struct scope_sort_row *by_object; /* pipes and sockets alone */
};

/* 0 or -ENOMEM; free after errors too. It points into the trace. */
int scope_anomaly_fd_index_init(struct scope_fd_index *index, const struct scope_trace *trace);
void scope_anomaly_fd_index_free(struct scope_fd_index *index);

/* The last row of that descriptor, or NULL. */
const struct scope_trace_fd *scope_anomaly_fd_index_find(const struct scope_fd_index *index, uint32_t tgid, int64_t fd);
/* True if there is a row of that process. */
bool scope_anomaly_fd_index_has(const struct scope_fd_index *index, uint32_t tgid);
/*
 * The next row, from *at on, of the pipe or socket that a name begins with ("pipe:[1234]"): *at is 0 at first. NULL: there is no
 * more.
 */
const struct scope_trace_fd *scope_anomaly_fd_index_object(const struct scope_fd_index *index, const char *name,
							   size_t *at);

#endif
