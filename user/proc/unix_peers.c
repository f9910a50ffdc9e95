// SPDX-License-Identifier: GPL-2.0-only
/* Finds which unix sockets are connected to each other. The tables below /proc/net do not have this. */
#include "proc/unix_peers.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <sys/socket.h>

#include "proc/sock_diag.h"

struct asked {
	int (*each)(uint64_t inode, uint64_t peer, void *context);
	void *context;
	int err; /* of each() */
};

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
	const int err = scope_proc_sock_diag_open(pid, &socket);

	if (err)
		return err == -ENOMEM ? err : 0;
	scope_proc_sock_diag_dump(socket, &request, sizeof(request), take, &asked);
	nl_socket_free(socket);
	return asked.err;
}
