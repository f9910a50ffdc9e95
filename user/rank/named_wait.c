// SPDX-License-Identifier: GPL-2.0-only
/* The peers and files at whose descriptors threads waited, by name: descriptors of the same peer or file are one. */
#include "rank/named_wait.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct scope_trace_fd *scope_rank_named_wait_row(const struct scope_trace *trace, const struct scope_fds *fds,
						       uint32_t tgid, int32_t fd)
{
	return scope_timeline_fds_renewed(fds, tgid, fd) ? NULL : scope_trace_fd_find(trace, tgid, fd);
}

static int by_descriptor(const void *left, const void *right)
{
	const struct scope_trace_fd *a = *(const struct scope_trace_fd *const *)left;
	const struct scope_trace_fd *b = *(const struct scope_trace_fd *const *)right;

	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	if (a->fd != b->fd)
		return a->fd < b->fd ? -1 : 1;
	return a < b ? -1 : a > b; /* of several the last one counts */
}

/* Like scope_rank_named_wait_row(), of rows that are sorted. */
static const struct scope_trace_fd *find_row(const struct scope_trace_fd *const *rows, size_t count,
					     const struct scope_fds *fds, const struct scope_fd_time *time)
{
	size_t from = 0, to = count;

	if (scope_timeline_fds_renewed(fds, time->tgid, time->fd))
		return NULL;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		const struct scope_trace_fd *row = rows[middle];

		if (row->tgid < time->tgid || (row->tgid == time->tgid && row->fd <= time->fd))
			from = middle + 1;
		else
			to = middle;
	}
	return from && rows[from - 1]->tgid == time->tgid && rows[from - 1]->fd == time->fd ? rows[from - 1] : NULL;
}

static const struct scope_trace_fd **sort_rows(const struct scope_trace *trace, size_t *ret_count)
{
	const struct scope_trace_fd *row = scope_trace_fds(trace, ret_count);
	const struct scope_trace_fd **rows = calloc(*ret_count + 1, sizeof(*rows));

	if (!rows)
		return NULL;
	for (size_t i = 0; i < *ret_count; i++)
		rows[i] = &row[i];
	qsort(rows, *ret_count, sizeof(*rows), by_descriptor);
	return rows;
}

static void name(struct scope_named_wait *wait, const struct scope_trace_fd *row)
{
	if (!row)
		return;
	if (wait->time.class == SCOPE_WAIT_NETWORK)
		scope_trace_peer_of(row, &wait->peer);
	else if (row->kind == SCOPE_FD_FILE && row->name[0] == '/')
		wait->file = row->name;
}

static int by_name(const void *left, const void *right)
{
	const struct scope_named_wait *a = left, *b = right;
	int order = strcmp(a->peer.address, b->peer.address);

	if (order)
		return order;
	order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
	if (order)
		return order;
	if (a->time.tgid != b->time.tgid)
		return a->time.tgid < b->time.tgid ? -1 : 1;
	return a->time.fd < b->time.fd ? -1 : a->time.fd > b->time.fd;
}

static bool is_same(const struct scope_named_wait *a, const struct scope_named_wait *b)
{
	return !strcmp(a->peer.address, b->peer.address) && !strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

static double weight_of(const struct scope_named_wait *wait)
{
	return wait->time.slow_ns + (wait->time.class == SCOPE_WAIT_DISK ? wait->time.others_ns : 0);
}

/* Sums up equal names, which are side by side. */
static void find_most(const struct scope_named_wait *wait, size_t count, struct scope_named_wait *ret_most)
{
	double most = 0;

	for (size_t i = 0, end; i < count; i = end) {
		struct scope_named_wait sum = wait[i];

		for (end = i + 1; end < count && is_same(&wait[i], &wait[end]); end++) {
			sum.time.slow += wait[end].time.slow;
			sum.time.others += wait[end].time.others;
			sum.time.slow_ns += wait[end].time.slow_ns;
			sum.time.others_ns += wait[end].time.others_ns;
			/* Each connection of a pool has a process of its own at the other end: the peer is their address. */
			if (sum.peer.pid != wait[end].peer.pid)
				sum.peer.pid = 0;
		}
		if (weight_of(&sum) <= most)
			continue;
		most = weight_of(&sum);
		*ret_most = sum;
	}
}

int scope_rank_named_wait_most(const struct scope_trace *trace, const struct scope_fds *fds,
			       const struct scope_fd_times *times, uint8_t class, struct scope_named_wait *ret_most)
{
	struct scope_named_wait *wait = calloc(times->count + 1, sizeof(*wait));
	size_t rows_count, count = 0;
	const struct scope_trace_fd **rows = sort_rows(trace, &rows_count);

	*ret_most = (struct scope_named_wait){ .time.class = class };
	for (size_t i = 0; wait && rows && i < times->count; i++) {
		if (times->fd[i].class != class)
			continue;
		wait[count].time = times->fd[i];
		name(&wait[count], find_row(rows, rows_count, fds, &times->fd[i]));
		count++;
	}
	if (wait && rows) {
		qsort(wait, count, sizeof(*wait), by_name);
		find_most(wait, count, ret_most);
	}
	free(wait);
	free(rows);
	if (!wait || !rows)
		return -ENOMEM;
	return weight_of(ret_most) > 0;
}
