/* SPDX-License-Identifier: GPL-2.0-only */
/* What a socket is, by its inode number: listening, accepted, connected or datagram. */
#ifndef SCOPE_PROC_SOCKET_H
#define SCOPE_PROC_SOCKET_H

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
void scope_proc_socket_table_destroy(struct scope_socket_table *table); /* NULL is fine */

/* SCOPE_FD_UNKNOWN for an inode that no table has (netlink, packet, closed). */
enum scope_fd_kind scope_proc_socket_kind(const struct scope_socket_table *table, uint64_t inode);

#endif
