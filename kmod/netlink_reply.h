/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers of all commands of the family. */
#ifndef SCOPE_KMOD_NETLINK_REPLY_H
#define SCOPE_KMOD_NETLINK_REPLY_H

#include "genetlink.h"
#include "session.h"

extern struct genl_family scope_netlink_family;

/* The session that the request names. It exists until the command has returned. */
static inline struct scope_session *scope_netlink_session(struct genl_info *info)
{
	return info->user_ptr[0];
}

/* fill puts the attributes, with data; bytes is an upper bound for them. */
int scope_netlink_reply(struct genl_info *info, u8 command, size_t bytes,
			int (*fill)(struct sk_buff *reply, const void *data), const void *data);

/* The meaning of an error in an answer. user: its meaning for a place in a program, if that differs. */
struct scope_netlink_reason {
	int err;
	const char *text, *user;
};

/* Puts into the answer what err means, by the first of count reasons that has it. Returns the error for user space. */
int scope_netlink_explain(struct genl_info *info, const struct scope_netlink_reason *reasons, size_t count, bool user,
			  int err);

#endif
