/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the kind of a socket by its inode number: listening, accepted, connected or datagram. */
#ifndef SCOPE_PROC_SOCKET_H
#define SCOPE_PROC_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct scope_socket_table;

/*
 * Reads the tables below /proc/PID/net of the process's network namespace. A table that cannot be
 * read counts as empty. 0 or -ENOMEM.
 *
 * A TCP socket counts as accepted if a socket of the same namespace listens on its local port; a
 * unix socket if it has the path of a listener. Every other stream counts as connected.
 */
int scope_proc_socket_table_create(uint32_t pid, struct scope_socket_table **ret_table);
/*
 * Adds the network namespace of another process. A socket stays in the namespace in which it was made, and a process
 * may have sockets of several. 0 or -ENOMEM.
 */
int scope_proc_socket_table_add(struct scope_socket_table *table, uint32_t pid);
void scope_proc_socket_table_destroy(struct scope_socket_table *table); /* NULL is fine */

#define SCOPE_PROC_ADDRESS_MAX 64 /* no rule: bytes of an address and its port */

/*
 * Addresses and ports of the socket's peer and of the socket itself ("10.0.0.5:5432", "[::1]:80"). An IPv4 address
 * inside an IPv6 address is written as IPv4, so both ends of a connection have the same form. For a unix socket the
 * peer is "socket:[124]", and its own address "". Returns false if it has no peer, or no known one.
 */
bool scope_proc_socket_ends(const struct scope_socket_table *table, uint64_t inode,
			    char ret_peer[SCOPE_PROC_ADDRESS_MAX], char ret_own[SCOPE_PROC_ADDRESS_MAX]);

/*
 * The inode of the socket at the other end, if it is a unix, TCP or UDP socket in the same network namespace; or that
 * of the listener if the connection is not accepted yet. 0: not known.
 */
uint64_t scope_proc_socket_other_end(const struct scope_socket_table *table, uint64_t inode);

/* SCOPE_FD_UNKNOWN for an inode that is in no table (netlink, packet, closed). */
enum scope_fd_kind scope_proc_socket_kind(const struct scope_socket_table *table, uint64_t inode);

#endif
