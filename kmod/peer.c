// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records the addresses of a connection that a call opened, or for which it sleeps.
 *
 * They are read from the socket without its lock, which may sleep: if another thread connects the socket to another
 * place at this moment, the two addresses may belong to different connections. A thread that is about to sleep must not
 * take a reference to a socket, so in that case the address comes from the memory of the program.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kernel.h>
#include <linux/net.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include <linux/stddef.h>
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

/* Returns false if the socket has no peer, or none of the internet. */
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
	struct socket *socket;
	struct sock *sk;
	bool filled;
	int err;

	/* A connect that has just begun has its addresses. */
	if (ret < 0 && ret != -EINPROGRESS)
		return;
	if (nr == __NR_connect)
		peer.fd = scope_arch_first_arg(regs);
	/* Holds the file, which another thread may close. If it is the last one, the kernel frees it after this call. */
	socket = sockfd_lookup(peer.fd, &err);
	if (!socket)
		return;
	sk = READ_ONCE(socket->sk);
	filled = sk && fill(&peer, sk);
	sockfd_put(socket);
	if (filled)
		scope_record_put_peer(ring, now, &peer);
}

void scope_peer_sleep(struct scope_ring *ring, struct scope_call call, u64 now)
{
	struct scope_record_peer peer = { .fd = 0 };
	unsigned long arg[SCOPE_ARG_MAX];
	struct sockaddr_in6 to = { 0 };
	u32 bytes;

	if ((call.abi_args & 0xf) != SCOPE_ABI_NATIVE)
		return;
	syscall_get_arguments(current, task_pt_regs(current), arg);
	/* Reads only what is in memory, because the run queue is locked. */
	bytes = scope_arch_copy_user(&to, arg[1], min_t(u32, arg[2], sizeof(to)));
	peer.fd = arg[0];
	peer.peer_port = be16_to_cpu(to.sin6_port);
	if (to.sin6_family == AF_INET && bytes >= sizeof(struct sockaddr_in))
		fill_ipv4(peer.peer, ((struct sockaddr_in *)&to)->sin_addr.s_addr);
	else if (to.sin6_family == AF_INET6 && bytes >= offsetof(struct sockaddr_in6, sin6_scope_id))
		fill_ipv6(peer.peer, &to.sin6_addr);
	else
		return;
	scope_record_put_peer(ring, now, &peer);
}
