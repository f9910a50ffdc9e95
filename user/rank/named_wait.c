// SPDX-License-Identifier: GPL-2.0-only
/* The peers and files at whose descriptors threads waited, by name: descriptors of the same peer or file are one. */
#include "rank/named_wait.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Where connections to the peer have several processes at the other end: the one that listens there. */
static void find_listener(const struct scope_fd_names *names, struct scope_named_wait *wait)
{
	const struct scope_trace_fd *first = scope_waits_fd_names_first(names, wait->time.tgid, wait->time.fd);
	struct scope_trace_peer peer;

	if (wait->peer.address[0] && !wait->peer.pid && first && scope_waits_fd_names_peer(names, first, &peer))
		wait->peer = peer;
}

int scope_rank_named_wait_most(const struct scope_fd_names *names, const struct scope_fd_times *times, uint8_t class,
			       struct scope_named_wait *ret_most)
{
	struct scope_named_wait *wait = calloc(times->count + 1, sizeof(*wait));
	size_t count = 0;

	if (!wait)
		return -ENOMEM;
	*ret_most = (struct scope_named_wait){ .time.class = class };
	for (size_t i = 0; i < times->count; i++) {
		if (times->fd[i].class != class)
			continue;
		wait[count].time = times->fd[i];
		name(&wait[count], scope_waits_fd_names_row(names, times->fd[i].tgid, times->fd[i].fd));
		count++;
	}
	qsort(wait, count, sizeof(*wait), by_name);
	find_most(wait, count, ret_most);
	find_listener(names, ret_most);
	free(wait);
	return weight_of(ret_most) > 0;
}
