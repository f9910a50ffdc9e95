/* SPDX-License-Identifier: GPL-2.0-only */
/* Query commands of the family. */
#ifndef SCOPE_KMOD_NETLINK_QUERY_H
#define SCOPE_KMOD_NETLINK_QUERY_H

#include <net/genetlink.h>
#include <scope/control.h>

extern const struct nla_policy scope_netlink_query_policy[SCOPE_ATTR_CPU_FIRST + 1];

int scope_netlink_info(struct sk_buff *skb, struct genl_info *info);
int scope_netlink_query(struct sk_buff *skb, struct genl_info *info);

#endif
