/* SPDX-License-Identifier: GPL-2.0-only */
/* Which process of this host has a socket, as `ss -p` finds it: all descriptors of all processes are looked through. */
#ifndef SCOPE_PROC_SOCKET_OWNER_H
#define SCOPE_PROC_SOCKET_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/event.h>

#include "proc/task.h"

#define SCOPE_PEERS_LINKS_MAX 100000 /* no rule: descriptors looked at, about 0.2 s: further ones are not known */

/* Zeroed: the descriptors were not looked through yet. */
struct scope_peers {
	struct scope_peer_socket *socket; /* sorted by inode, then by process */
	size_t count, room;
	size_t links;
	bool read;
	struct scope_proc_task last; /* the process that was found last; tgid 0: none */
};

/*
 * Finds the process with that socket: of several, which inherited it, the first. Looks through the descriptors on the
 * first call. Its number, or 0: not known, and of those that the user may not look at none is known.
 */
uint32_t scope_proc_peers_find(struct scope_peers *peers, uint64_t inode, char ret_comm[SCOPE_COMM_BYTES]);
void scope_proc_peers_free(struct scope_peers *peers);

#endif
