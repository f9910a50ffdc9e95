/* SPDX-License-Identifier: GPL-2.0-only */
/* The IPv6 addresses of a socket. */
#ifndef SCOPE_KMOD_COMPAT_INET_H
#define SCOPE_KMOD_COMPAT_INET_H

#include <linux/ipv6.h>
#include <net/sock.h>
#include "compat.h"

/* The kernel may be built without IPv6. Then no socket has this family. */
static inline void scope_compat_fill_ipv6(struct sock *sk, u64 *own, u64 *peer,
					  void (*fill)(u64 *to, const struct in6_addr *address))
{
#if IS_ENABLED(CONFIG_IPV6)
#ifdef SCOPE_HAVE_SOCK_V6_ADDRESS
	fill(own, &sk->sk_v6_rcv_saddr);
	fill(peer, &sk->sk_v6_daddr);
#else
	const struct ipv6_pinfo *info = inet6_sk(sk);

	if (!info)
		return;
	fill(own, &info->rcv_saddr);
	fill(peer, &info->daddr);
#endif
#endif
}

#endif
