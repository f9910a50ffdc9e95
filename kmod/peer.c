// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records the addresses of a connection that a call opened.
 *
 * They are read from the socket without its lock, which may sleep: a socket that another thread connects to somewhere
 * else at this moment can have an address of each.
 */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/socket.h>
#include <linux/stat.h>
#include <net/inet_sock.h>
#include <net/sock.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include "arch.h"
#include "compat/inet.h"
#include "peer.h"

bool scope_peer_by(u32 nr)
{
	return nr == __NR_connect || nr == __NR_accept || nr == __NR_accept4;
}

static void fill_ipv4(u64 *to, __be32 address)
{
	to[0] = 0;
	to[1] = 0xffff00000000ull | be32_to_cpu(address);
}

static void fill_ipv6(u64 *to, const struct in6_addr *address)
{
	to[0] = (u64)be32_to_cpu(address->s6_addr32[0]) << 32 | be32_to_cpu(address->s6_addr32[1]);
	to[1] = (u64)be32_to_cpu(address->s6_addr32[2]) << 32 | be32_to_cpu(address->s6_addr32[3]);
}

/* False: it has no peer, or none of the internet. */
static bool fill(struct scope_record_peer *peer, struct sock *sk)
{
	const struct inet_sock *inet = inet_sk(sk);

	if ((sk->sk_family != AF_INET && sk->sk_family != AF_INET6) || !inet->inet_dport)
		return false;
	peer->own_port = be16_to_cpu(inet->inet_sport);
	peer->peer_port = be16_to_cpu(inet->inet_dport);
	fill_ipv4(peer->own, inet->inet_saddr);
	fill_ipv4(peer->peer, inet->inet_daddr);
	if (sk->sk_family == AF_INET6)
		scope_compat_fill_ipv6(sk, peer->own, peer->peer, fill_ipv6);
	return true;
}

void scope_peer_put(struct scope_ring *ring, struct pt_regs *regs, u32 nr, long ret, u64 now)
{
	struct scope_record_peer peer = { .fd = ret };
	struct file *file;
	struct socket *socket;
	bool filled = false;

	/* A connect that has just begun has its addresses. */
	if (ret < 0 && ret != -EINPROGRESS)
		return;
	if (nr == __NR_connect)
		peer.fd = scope_arch_first_arg(regs);
	file = fget(peer.fd);
	if (!file)
		return;
	if (S_ISSOCK(file_inode(file)->i_mode)) {
		socket = SOCKET_I(file_inode(file));
		filled = socket->sk && fill(&peer, socket->sk);
	}
	fput(file);
	if (filled)
		scope_record_put_peer(ring, now, &peer);
}
