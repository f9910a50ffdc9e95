// SPDX-License-Identifier: GPL-2.0-only
/* Finds the process of this host that has a socket: reads the links below /proc/PID/fd of all processes. */
#include "proc/socket_owner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "proc/file.h"
#include "proc/task.h"

struct scope_peer_socket {
	uint64_t inode;
	uint32_t tgid;
};

struct look {
	struct scope_peers *peers;
	uint32_t tgid;
};

static int look_at(uint32_t number, void *context)
{
	struct look *look = context;
	struct scope_peers *peers = look->peers;
	char path[64], link[64];
	uint64_t inode;
	ssize_t length;

	if (++peers->links > SCOPE_PEERS_LINKS_MAX)
		return -E2BIG;
	snprintf(path, sizeof(path), "/proc/%u/fd/%u", look->tgid, number);
	length = readlink(path, link, sizeof(link) - 1);
	if (length <= 0)
		return 0;
	link[length] = '\0';
	if (sscanf(link, "socket:[%" SCNu64 "]", &inode) != 1)
		return 0;
	if (scope_grow(&peers->socket, &peers->room, peers->count + 1, sizeof(*peers->socket)))
		return -ENOMEM;
	peers->socket[peers->count++] = (struct scope_peer_socket){ inode, look->tgid };
	return 0;
}

static int look_into(uint32_t tgid, void *context)
{
	struct look look = { context, tgid };
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%u/fd", tgid);
	err = scope_proc_file_numbers(path, look_at, &look);
	/* Other errors mean that the process has ended, or that the user may not read it. */
	return err == -E2BIG || err == -ENOMEM ? err : 0;
}

static int by_inode(const void *left, const void *right)
{
	const struct scope_peer_socket *a = left, *b = right;

	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return a->tgid < b->tgid ? -1 : a->tgid > b->tgid;
}

uint32_t scope_proc_peers_find(struct scope_peers *peers, uint64_t inode, char ret_comm[SCOPE_COMM_BYTES])
{
	size_t from = 0, to;

	if (!peers->read) {
		peers->read = true;
		/* If memory or the number of descriptors ends the search, the sockets found until then are used. */
		scope_proc_file_numbers("/proc", look_into, peers);
		if (peers->count)
			qsort(peers->socket, peers->count, sizeof(*peers->socket), by_inode);
	}
	to = peers->count;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (peers->socket[middle].inode < inode)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == peers->count || peers->socket[from].inode != inode)
		return 0;
	/* Most connections of a server lead to few processes. */
	if (peers->last.tgid != peers->socket[from].tgid &&
	    scope_proc_task_read(peers->socket[from].tgid, &peers->last))
		return 0;
	memcpy(ret_comm, peers->last.comm, SCOPE_COMM_BYTES);
	return peers->last.tgid;
}

void scope_proc_peers_free(struct scope_peers *peers)
{
	free(peers->socket);
	*peers = (struct scope_peers){ 0 };
}
