// SPDX-License-Identifier: GPL-2.0-only
/* The defaults of a capture: arguments, stacks and samples. */
#include "capture/defaults.h"

#include <string.h>
#include <sys/syscall.h>

#include "base/syscall_args.h"

#define ROW(name, args)                                                                                                \
	{                                                                                                              \
		SYS_##name, args                                                                                       \
	}

/* Numbers of this machine's native ABI. arm64 does not have calls that newer ones replaced. */
static const struct {
	uint16_t nr;
	uint8_t args;
} rows[] = {
	ROW(read, 1),
	ROW(write, 1),
	ROW(readv, 1),
	ROW(writev, 1),
	ROW(pread64, 1),
	ROW(pwrite64, 1),
	ROW(preadv, 1),
	ROW(pwritev, 1),
	ROW(recvfrom, 1),
	ROW(sendto, 1),
	ROW(recvmsg, 1),
	ROW(sendmsg, 1),
	ROW(recvmmsg, 1),
	ROW(sendmmsg, 1),
	ROW(accept, 1),
	ROW(accept4, 1),
	ROW(connect, 1),
	ROW(shutdown, 1),
	ROW(listen, 1),
	ROW(bind, 1),
	ROW(setsockopt, 1),
	ROW(getsockopt, 1),
	ROW(close, 1),
	ROW(fsync, 1),
	ROW(fdatasync, 1),
	ROW(sync_file_range, 1),
	ROW(ftruncate, 1),
	ROW(fallocate, 1),
	ROW(lseek, 1),
	ROW(fstat, 1),
	ROW(flock, 1),
	ROW(fcntl, 2),
	ROW(ioctl, 2),
	ROW(getdents64, 1),
	ROW(dup, 1),
	ROW(dup3, 2),
	ROW(sendfile, 2),
	ROW(splice, 3),
	ROW(tee, 2),
	ROW(vmsplice, 1),
	ROW(epoll_ctl, 3),
	ROW(epoll_pwait, 1),
	ROW(ppoll, 1),
	ROW(pselect6, 1),
	ROW(futex, 3),
	ROW(wait4, 1),
	ROW(waitid, 2),
	ROW(io_getevents, 1),
	ROW(timerfd_settime, 1),
#ifdef SYS_preadv2
	ROW(preadv2, 1),
	ROW(pwritev2, 1),
#endif
#ifdef SYS_copy_file_range
	ROW(copy_file_range, 3),
#endif
#ifdef SYS_epoll_wait
	ROW(epoll_wait, 1),
	ROW(poll, 1),
	ROW(select, 1),
	ROW(dup2, 2),
#endif
#ifdef SYS_io_uring_enter
	ROW(io_uring_enter, 1),
#endif
#ifdef SYS_epoll_pwait2
	ROW(epoll_pwait2, 1),
#endif
#ifdef SYS_futex_waitv
	ROW(futex_waitv, 1),
#endif
};

void scope_capture_default_arg_counts(uint8_t ret_counts[SCOPE_SYSCALL_MAX])
{
	size_t i;

	memset(ret_counts, 0, SCOPE_SYSCALL_MAX);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ret_counts[rows[i].nr] = rows[i].args;
}

void scope_capture_parameter_arg_counts(uint8_t counts[SCOPE_SYSCALL_MAX])
{
	for (uint16_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++) {
		const struct scope_syscall_args *args = scope_syscall_args_of(nr);

		if (args && scope_syscall_args_count(args) > counts[nr])
			counts[nr] = scope_syscall_args_count(args);
	}
}

uint32_t scope_capture_default_sample_period_ns(uint32_t cpus)
{
	/* The same factor above a round number as in the usual period. */
	const uint64_t share_ns = 1001500000ull / SCOPE_DEFAULT_SAMPLES_PER_SECOND;
	uint64_t period_ns = share_ns * cpus;

	return period_ns > SCOPE_DEFAULT_SAMPLE_PERIOD_NS ? (uint32_t)period_ns : SCOPE_DEFAULT_SAMPLE_PERIOD_NS;
}

uint32_t scope_capture_default_flight_period_ns(uint32_t cpus)
{
	const uint64_t period_ns = 1001500000ull / SCOPE_DEFAULT_FLIGHT_SAMPLES_PER_SECOND * cpus;

	return period_ns < UINT32_MAX ? (uint32_t)period_ns : UINT32_MAX;
}

void scope_capture_default_stack_syscalls(uint8_t ret_bits[SCOPE_SYSCALL_MAX / 8])
{
	static const uint16_t idle[] = {
		SYS_epoll_pwait,  SYS_accept, SYS_accept4,
#ifdef SYS_epoll_wait
		SYS_epoll_wait,
#endif
#ifdef SYS_epoll_pwait2
		SYS_epoll_pwait2,
#endif
	};
	size_t i;

	memset(ret_bits, 0xff, SCOPE_SYSCALL_MAX / 8);
	for (i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
		ret_bits[idle[i] / 8] &= (uint8_t) ~(1u << idle[i] % 8);
}
