/* SPDX-License-Identifier: GPL-2.0-only */
/* The generic netlink family of include/scope/control.h. */
#ifndef SCOPE_KMOD_NETLINK_H
#define SCOPE_KMOD_NETLINK_H

#include <net/genetlink.h>
#include "session.h"

int scope_netlink_init(void);
void scope_netlink_exit(void);

/* The session that a request names, if its sender may. On success the caller puts *ret_session. */
int scope_netlink_session(struct sk_buff *skb, struct genl_info *info,
			  struct scope_session **ret_session);

/* fill puts the attributes, with data; bytes is an upper bound for them. */
int scope_netlink_reply(struct genl_info *info, u8 command, size_t bytes,
			int (*fill)(struct sk_buff *reply, const void *data), const void *data);

/* What an error means to who asked for a probe; user: where that is in a program, if otherwise. */
struct scope_netlink_reason {
	int err;
	const char *text, *user;
};

/* Says what err means, by the first count of reasons that names it. Returns what user space shall get. */
int scope_netlink_explain(struct genl_info *info, const struct scope_netlink_reason *reasons,
			  size_t count, bool user, int err);

/* netlink_probe.c */
extern const struct nla_policy scope_netlink_probe_policy[SCOPE_ATTR_PROBE_FLAGS + 1];
extern const struct nla_policy scope_netlink_probe_id_policy[SCOPE_ATTR_PROBE_ID + 1];
int scope_netlink_probe_add(struct sk_buff *skb, struct genl_info *info);
int scope_netlink_probe_remove(struct sk_buff *skb, struct genl_info *info);
int scope_netlink_probe_next(struct sk_buff *skb, struct genl_info *info);

/* netlink_delay.c */
extern const struct nla_policy scope_netlink_delay_policy[SCOPE_ATTR_DELAY_RANGES + 1];
extern const struct nla_policy scope_netlink_delay_id_policy[SCOPE_ATTR_DELAY_ID + 1];
int scope_netlink_delay_set(struct sk_buff *skb, struct genl_info *info);
int scope_netlink_delay_remove(struct sk_buff *skb, struct genl_info *info);
int scope_netlink_delay_next(struct sk_buff *skb, struct genl_info *info);

/* To all who listen. May sleep. */
void scope_netlink_notice(u32 session, enum scope_notice notice, u32 cpu, u64 value);

#endif
