// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records the first bytes that a call received from a socket.
 *
 * They are read as the call returns, when no other thread knows yet that they came: later the program may reuse the
 * memory. Only what is in memory is read, which received bytes are, because the kernel has just written them.
 */
#include <linux/file.h>
#include <linux/net.h>
#include <linux/uio.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include "arch.h"
#include "received.h"

/* The members of struct user_msghdr of a 64-bit program up to the one that is needed. */
struct message {
	u64 name, name_bytes, iov, iov_count;
};

bool scope_received_by(u32 nr)
{
	return nr == __NR_read || nr == __NR_readv || nr == __NR_recvfrom || nr == __NR_recvmsg;
}

static bool is_socket(int fd)
{
	int err;
	/* Holds the file, which another thread may close. If it is the last one, the kernel frees it after this call. */
	struct socket *socket = sockfd_lookup(fd, &err);

	if (socket)
		sockfd_put(socket);
	return socket;
}

/* Where the first bytes are, and how many of them are there in one piece; 0: not known. */
static u32 find_bytes(const unsigned long *arg, u32 nr, u64 *ret_from)
{
	struct iovec first;
	struct message message;
	u64 iov = arg[1];

	if (nr == __NR_read || nr == __NR_recvfrom) {
		*ret_from = arg[1];
		return SCOPE_RECEIVED_BYTES;
	}
	if (nr == __NR_recvmsg) {
		if (scope_arch_copy_user(&message, arg[1], sizeof(message)) != sizeof(message))
			return 0;
		iov = message.iov;
	}
	if (scope_arch_copy_user(&first, iov, sizeof(first)) != sizeof(first))
		return 0;
	*ret_from = (u64)(unsigned long)first.iov_base;
	return first.iov_len < SCOPE_RECEIVED_BYTES ? first.iov_len : SCOPE_RECEIVED_BYTES;
}

void scope_received_put(struct scope_ring *ring, struct pt_regs *regs, u32 nr, long ret, u64 now)
{
	unsigned long arg[SCOPE_ARG_MAX];
	u8 data[SCOPE_RECEIVED_BYTES];
	u32 bytes;
	u64 from;

	if (ret <= 0)
		return;
	syscall_get_arguments(current, regs, arg);
	if (!is_socket(arg[0]))
		return;
	bytes = find_bytes(arg, nr, &from);
	if (ret < bytes)
		bytes = ret;
	bytes = bytes ? scope_arch_copy_user(data, from, bytes) : 0;
	if (bytes)
		scope_record_put_received(ring, now, data, bytes);
}
