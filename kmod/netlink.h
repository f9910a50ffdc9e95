/* SPDX-License-Identifier: GPL-2.0-only */
/* The generic netlink family of include/scope/control.h. */
#ifndef SCOPE_KMOD_NETLINK_H
#define SCOPE_KMOD_NETLINK_H

int scope_netlink_init(void);
void scope_netlink_exit(void);

#endif
