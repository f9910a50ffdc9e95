/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the process of this host that has a socket, in the way of `ss -p`: reads all descriptors of all processes. */
#ifndef SCOPE_PROC_SOCKET_OWNER_H
#define SCOPE_PROC_SOCKET_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/event.h>

#include "proc/task.h"

#define SCOPE_PEERS_LINKS_MAX 100000 /* no rule: descriptors that are read, in about 0.2 s */

/* A zeroed struct: the descriptors were not read yet. */
struct scope_peers {
	struct scope_peer_socket *socket; /* sorted by inode, then by process */
	size_t count, room;
	size_t links;
	bool read;
	struct scope_proc_task last; /* the process that was found last; tgid 0: none */
};

/*
 * Finds the process with that socket; if several inherited it, the first. The first call reads all descriptors. Returns
 * the process's number, or 0: not known. Processes that the user may not read are not known.
 */
uint32_t scope_proc_peers_find(struct scope_peers *peers, uint64_t inode, char ret_comm[SCOPE_COMM_BYTES]);
void scope_proc_peers_free(struct scope_peers *peers);

#endif
