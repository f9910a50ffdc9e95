/* SPDX-License-Identifier: GPL-2.0-only */
/* The sockets that receive notices. */
#ifndef SCOPE_KMOD_LISTEN_H
#define SCOPE_KMOD_LISTEN_H

#include <linux/types.h>

struct net;
struct sk_buff;

int scope_listen_init(void);
void scope_listen_exit(void);
int scope_listen_add(struct net *net, u32 portid);
void scope_listen_send(struct sk_buff *message);

#endif
