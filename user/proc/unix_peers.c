// SPDX-License-Identifier: GPL-2.0-only
/* Which unix sockets are connected to each other: the tables below /proc/net do not say. */
#include "proc/unix_peers.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct asked {
	int (*each)(uint64_t inode, uint64_t peer, void *context);
	void *context;
	int err; /* of each() */
};

static bool is_own_namespace(uint32_t pid)
{
	char path[64], own[64], other[64];
	ssize_t own_length, length;

	snprintf(path, sizeof(path), "/proc/%u/ns/net", pid);
	own_length = readlink("/proc/self/ns/net", own, sizeof(own));
	length = readlink(path, other, sizeof(other));
	return length > 0 && length == own_length && !memcmp(own, other, (size_t)length);
}

static int take(struct nl_msg *message, void *user)
{
	struct nlmsghdr *head = nlmsg_hdr(message);
	struct asked *asked = user;
	struct unix_diag_msg *row;
	struct nlattr *peer;

	if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || !nlmsg_valid_hdr(head, sizeof(*row)))
		return NL_SKIP;
	row = nlmsg_data(head);
	peer = nlmsg_find_attr(head, sizeof(*row), UNIX_DIAG_PEER);
	if (peer && nla_len(peer) >= (int)sizeof(uint32_t))
		asked->err = asked->each(row->udiag_ino, nla_get_u32(peer), asked->context);
	return asked->err ? NL_STOP : NL_OK;
}

int scope_proc_unix_peers(uint32_t pid, int (*each)(uint64_t inode, uint64_t peer, void *context), void *context)
{
	struct unix_diag_req request = {
		.sdiag_family = AF_UNIX,
		.udiag_states = UINT32_MAX,
		.udiag_show = UDIAG_SHOW_PEER,
	};
	struct asked asked = { each, context, 0 };
	struct nl_sock *socket;

	if (!is_own_namespace(pid))
		return 0;
	socket = nl_socket_alloc();
	if (!socket)
		return -ENOMEM;
	if (!nl_connect(socket, NETLINK_SOCK_DIAG) &&
	    !nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_CUSTOM, take, &asked) &&
	    nl_send_simple(socket, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &request, sizeof(request)) >= 0)
		nl_recvmsgs_default(socket);
	nl_socket_free(socket);
	return asked.err;
}
