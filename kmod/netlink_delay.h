/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands of the family for delay rules. */
#ifndef SCOPE_KMOD_NETLINK_DELAY_H
#define SCOPE_KMOD_NETLINK_DELAY_H

#include <net/genetlink.h>
#include <scope/control.h>

extern const struct nla_policy scope_netlink_delay_policy[SCOPE_ATTR_DELAY_RANGES + 1];
extern const struct nla_policy scope_netlink_delay_id_policy[SCOPE_ATTR_DELAY_ID + 1];

int scope_netlink_delay_set(struct sk_buff *skb, struct genl_info *info);
int scope_netlink_delay_remove(struct sk_buff *skb, struct genl_info *info);
int scope_netlink_delay_next(struct sk_buff *skb, struct genl_info *info);

#endif
