/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds which unix sockets are connected to each other. */
#ifndef SCOPE_PROC_UNIX_PEERS_H
#define SCOPE_PROC_UNIX_PEERS_H

#include <stdint.h>

/*
 * Asks the kernel for the peer of each unix socket in the network namespace of process pid. Finds nothing if the kernel
 * has no unix_diag. each() gets both inodes. If it returns another value than 0, the walk ends and returns it; else
 * returns 0.
 */
int scope_proc_unix_peers(uint32_t pid, int (*each)(uint64_t inode, uint64_t peer, void *context), void *context);

#endif
