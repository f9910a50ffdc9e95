/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes which processes of this host listen at which addresses. */
#ifndef SCOPE_PROC_PORT_OWNERS_H
#define SCOPE_PROC_PORT_OWNERS_H

#include <stddef.h>
#include <stdint.h>

struct scope_proc_port_owners;
struct scope_writer;

/* 0 or -ENOMEM; the caller destroys. */
int scope_proc_port_owners_create(struct scope_proc_port_owners **ret_owners);
void scope_proc_port_owners_destroy(struct scope_proc_port_owners *owners); /* NULL is fine */

/*
 * Writes a row for each new listening TCP socket in the network namespaces of these processes. A namespace stays known
 * after its processes have ended. Nothing is written about namespaces in which the kernel cannot be asked
 * (sock_diag(7)), and about sockets of processes that the user may not read. NULL is fine. 0, -ENOMEM, or what the
 * writer returned.
 */
int scope_proc_port_owners_write(struct scope_proc_port_owners *owners, const uint32_t *tgids, size_t count,
				 struct scope_writer *writer);

#endif
