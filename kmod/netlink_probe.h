/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands of the family for probes that are set at run time. */
#ifndef SCOPE_KMOD_NETLINK_PROBE_H
#define SCOPE_KMOD_NETLINK_PROBE_H

#include <net/genetlink.h>
#include <scope/control.h>

extern const struct nla_policy scope_netlink_probe_policy[SCOPE_ATTR_PROBE_FLAGS + 1];
extern const struct nla_policy scope_netlink_probe_id_policy[SCOPE_ATTR_PROBE_ID + 1];

int scope_netlink_probe_add(struct sk_buff *skb, struct genl_info *info);
int scope_netlink_probe_remove(struct sk_buff *skb, struct genl_info *info);
int scope_netlink_probe_next(struct sk_buff *skb, struct genl_info *info);

#endif
