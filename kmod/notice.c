// SPDX-License-Identifier: GPL-2.0-only
/* Sends notices about sessions. */
#include "listen.h"
#include "netlink_reply.h"
#include "notice.h"

void scope_notice_send(u32 session, enum scope_notice notice, u32 cpu, u64 value)
{
	struct sk_buff *message = genlmsg_new(128, GFP_KERNEL);
	void *header;

	if (!message)
		return;
	header = genlmsg_put(message, 0, 0, &scope_netlink_family, 0, SCOPE_CMD_NOTICE);
	if (!header || nla_put_u32(message, SCOPE_ATTR_SESSION, session) ||
	    nla_put_u8(message, SCOPE_ATTR_NOTICE, notice) || nla_put_u32(message, SCOPE_ATTR_CPU_ID, cpu) ||
	    nla_put_u64_64bit(message, SCOPE_ATTR_VALUE, value, SCOPE_ATTR_PAD)) {
		nlmsg_free(message);
		return;
	}
	genlmsg_end(message, header);
	scope_listen_send(message);
}
