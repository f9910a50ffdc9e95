/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks the kernel about sockets of any network namespace, by sock_diag(7). */
#ifndef SCOPE_PROC_SOCK_DIAG_H
#define SCOPE_PROC_SOCK_DIAG_H

#include <netlink/netlink.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Opens a netlink socket in the network namespace of process pid. Needs CAP_SYS_ADMIN if that is not the namespace of this process.
 * 0 or -errno; the caller frees it by nl_socket_free().
 */
int scope_proc_sock_diag_open(uint32_t pid, struct nl_sock **ret_socket);

/*
 * Sends a request for a dump, and calls take() for each answer, like libnl's NL_CB_VALID. 0 or a negative error of
 * libnl.
 */
int scope_proc_sock_diag_dump(struct nl_sock *socket, void *request, size_t bytes, nl_recvmsg_msg_cb_t take,
			      void *user);

#endif
