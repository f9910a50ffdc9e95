// SPDX-License-Identifier: GPL-2.0-only
/* Receives the notices of the module on a separate socket. */
#include "control/notice.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

struct scope_notices {
	struct nl_sock *socket;
	struct scope_notice_received heard;
	bool any; /* `heard` has a notice */
};

static int on_message(struct nl_msg *message, void *context)
{
	static const struct nla_policy policy[SCOPE_ATTR_MAX + 1] = {
		[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
		[SCOPE_ATTR_NOTICE] = { .type = NLA_U8 },
		[SCOPE_ATTR_CPU_ID] = { .type = NLA_U32 },
		[SCOPE_ATTR_VALUE] = { .type = NLA_U64 },
	};
	struct scope_notices *notices = context;
	struct nlattr *attr[SCOPE_ATTR_MAX + 1];

	if (genlmsg_parse(nlmsg_hdr(message), 0, attr, SCOPE_ATTR_MAX, policy) < 0 || !attr[SCOPE_ATTR_SESSION] ||
	    !attr[SCOPE_ATTR_NOTICE])
		return NL_SKIP;
	notices->heard = (struct scope_notice_received){
		.session = nla_get_u32(attr[SCOPE_ATTR_SESSION]),
		.notice = nla_get_u8(attr[SCOPE_ATTR_NOTICE]),
		.cpu = attr[SCOPE_ATTR_CPU_ID] ? nla_get_u32(attr[SCOPE_ATTR_CPU_ID]) : 0,
		.value = attr[SCOPE_ATTR_VALUE] ? nla_get_u64(attr[SCOPE_ATTR_VALUE]) : 0,
	};
	notices->any = true;
	return NL_STOP;
}

/* Subscribes to notices. 0, or the error of the module or the kernel (a number of libnl). */
static int ask(struct nl_sock *socket)
{
	const int family = genl_ctrl_resolve(socket, SCOPE_GENL_NAME);
	struct nl_msg *message;

	if (family < 0)
		return family;
	message = nlmsg_alloc();
	if (!message || !genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, NLM_F_ACK, SCOPE_CMD_LISTEN,
				     SCOPE_GENL_VERSION)) {
		nlmsg_free(message);
		return -NLE_NOMEM;
	}
	return nl_send_sync(socket, message);
}

int scope_control_notices_open(struct scope_notices **ret_notices)
{
	struct scope_notices *notices = calloc(1, sizeof(*notices));

	if (!notices)
		return -ENOMEM;
	notices->socket = nl_socket_alloc();
	if (!notices->socket || genl_connect(notices->socket))
		goto close;
	/*
	 * A notice is no answer to a request, so it has no sequence number to check. A notice that arrives before the
	 * answer to the subscription is ignored.
	 */
	nl_socket_disable_seq_check(notices->socket);
	if (ask(notices->socket) || nl_socket_set_nonblocking(notices->socket))
		goto close;
	nl_socket_modify_cb(notices->socket, NL_CB_VALID, NL_CB_CUSTOM, on_message, notices);
	*ret_notices = notices;
	return 0;
close:
	scope_control_notices_close(notices);
	return -ENOENT;
}

void scope_control_notices_close(struct scope_notices *notices)
{
	if (!notices)
		return;
	nl_socket_free(notices->socket);
	free(notices);
}

int scope_control_notices_fd(const struct scope_notices *notices)
{
	return nl_socket_get_fd(notices->socket);
}

int scope_control_notices_receive(struct scope_notices *notices, uint32_t session,
				  struct scope_notice_received *ret_received)
{
	do {
		notices->any = false;
		/* There is no notice, or the socket was full and some are lost: both end the loop. */
		if (nl_recvmsgs_default(notices->socket) < 0 || !notices->any)
			return 0;
	} while (notices->heard.session != session);
	*ret_received = notices->heard;
	return 1;
}
