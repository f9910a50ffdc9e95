// SPDX-License-Identifier: GPL-2.0-only
/* Finds what a thread waits for, by the syscall it sleeps in and that call's descriptor. */
#include "timeline/class.h"

#include <linux/futex.h>
#include <sys/syscall.h>

static const char *const class_names[SCOPE_WAIT_CLASSES] = {
	[SCOPE_WAIT_FUTEX] = "futex", [SCOPE_WAIT_NETWORK] = "network",	 [SCOPE_WAIT_POLL] = "epoll",
	[SCOPE_WAIT_DISK] = "disk",   [SCOPE_WAIT_PIPE] = "pipe",	 [SCOPE_WAIT_TIMER] = "timer",
	[SCOPE_WAIT_CHILD] = "child", [SCOPE_WAIT_FAULT] = "page fault", [SCOPE_WAIT_OTHER] = "other",
};

const uint8_t scope_timeline_call_roles[SCOPE_SYSCALL_MAX] = {
	[SYS_read] = SCOPE_CALL_READ,
	[SYS_readv] = SCOPE_CALL_READ,
	[SYS_pread64] = SCOPE_CALL_READ,
	[SYS_preadv] = SCOPE_CALL_READ,
#ifdef SYS_preadv2
	[SYS_preadv2] = SCOPE_CALL_READ,
#endif
	[SYS_recvfrom] = SCOPE_CALL_READ,
	[SYS_recvmsg] = SCOPE_CALL_READ,
	[SYS_recvmmsg] = SCOPE_CALL_READ,
	[SYS_write] = SCOPE_CALL_WRITE,
	[SYS_writev] = SCOPE_CALL_WRITE,
	[SYS_pwrite64] = SCOPE_CALL_WRITE,
	[SYS_pwritev] = SCOPE_CALL_WRITE,
#ifdef SYS_pwritev2
	[SYS_pwritev2] = SCOPE_CALL_WRITE,
#endif
	[SYS_sendto] = SCOPE_CALL_WRITE,
	[SYS_sendmsg] = SCOPE_CALL_WRITE,
	[SYS_sendmmsg] = SCOPE_CALL_WRITE,
	[SYS_sendfile] = SCOPE_CALL_WRITE,
	[SYS_accept] = SCOPE_CALL_ACCEPT,
	[SYS_accept4] = SCOPE_CALL_ACCEPT,
	[SYS_connect] = SCOPE_CALL_CONNECT,
	[SYS_socket] = SCOPE_CALL_SOCKET,
	[SYS_close] = SCOPE_CALL_CLOSE,
	[SYS_epoll_pwait] = SCOPE_CALL_POLL,
	[SYS_ppoll] = SCOPE_CALL_POLL,
	[SYS_pselect6] = SCOPE_CALL_POLL,
#ifdef SYS_epoll_pwait2
	[SYS_epoll_pwait2] = SCOPE_CALL_POLL,
#endif
#ifdef SYS_epoll_wait
	[SYS_epoll_wait] = SCOPE_CALL_POLL,
	[SYS_poll] = SCOPE_CALL_POLL,
	[SYS_select] = SCOPE_CALL_POLL,
#endif
	[SYS_futex] = SCOPE_CALL_FUTEX,
	[SYS_nanosleep] = SCOPE_CALL_SLEEP,
	[SYS_clock_nanosleep] = SCOPE_CALL_SLEEP,
	[SYS_wait4] = SCOPE_CALL_CHILD,
	[SYS_waitid] = SCOPE_CALL_CHILD,
	[SYS_fsync] = SCOPE_CALL_SYNC,
	[SYS_fdatasync] = SCOPE_CALL_SYNC,
	[SYS_sync] = SCOPE_CALL_SYNC,
	[SYS_syncfs] = SCOPE_CALL_SYNC,
	[SYS_sync_file_range] = SCOPE_CALL_SYNC,
	[SYS_msync] = SCOPE_CALL_SYNC,
	[SYS_flock] = SCOPE_CALL_LOCK,
	[SYS_fcntl] = SCOPE_CALL_LOCK,
	[SYS_semop] = SCOPE_CALL_LOCK,
	[SYS_semtimedop] = SCOPE_CALL_LOCK,
	[SYS_sched_yield] = SCOPE_CALL_YIELD,
	[SYS_rt_sigreturn] = SCOPE_CALL_HANDLED,
	[SYS_msgrcv] = SCOPE_CALL_PICK,
	[SYS_mq_timedreceive] = SCOPE_CALL_PICK,
	[SYS_io_getevents] = SCOPE_CALL_PICK,
#ifdef SYS_io_uring_enter
	[SYS_io_uring_enter] = SCOPE_CALL_PICK,
#endif
	[SYS_rt_sigtimedwait] = SCOPE_CALL_PICK,
	[SYS_rt_sigsuspend] = SCOPE_CALL_PICK,
#ifdef SYS_pause
	[SYS_pause] = SCOPE_CALL_PICK,
#endif
};

const char *scope_timeline_wait_class_name(enum scope_wait_class class)
{
	return class < SCOPE_WAIT_CLASSES ? class_names[class] : "?";
}

static enum scope_wait_class classify_fd(enum scope_fd_kind fd, bool disk)
{
	switch (fd) {
	case SCOPE_FD_LISTEN:
	case SCOPE_FD_ACCEPTED:
	case SCOPE_FD_CONNECTED:
	case SCOPE_FD_DATAGRAM:
		return SCOPE_WAIT_NETWORK;
	case SCOPE_FD_PIPE:
	case SCOPE_FD_EVENT:
	case SCOPE_FD_TTY:
		return SCOPE_WAIT_PIPE;
	case SCOPE_FD_FILE:
		return SCOPE_WAIT_DISK;
	default:
		return disk ? SCOPE_WAIT_DISK : SCOPE_WAIT_OTHER;
	}
}

/* True if the call takes any descriptor. Other calls of its role take only sockets. */
static bool takes_any(uint32_t nr)
{
	switch (nr) {
	case SYS_read:
	case SYS_readv:
	case SYS_pread64:
	case SYS_preadv:
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_sendfile:
#ifdef SYS_preadv2
	case SYS_preadv2:
	case SYS_pwritev2:
#endif
		return true;
	default:
		return false;
	}
}

enum scope_wait_class scope_timeline_wait_classify(uint32_t nr, enum scope_fd_kind fd, bool disk)
{
	if (nr == SCOPE_NR_NONE)
		return SCOPE_WAIT_FAULT;
	switch (scope_timeline_call_role(nr)) {
	case SCOPE_CALL_FUTEX:
		return SCOPE_WAIT_FUTEX;
	case SCOPE_CALL_POLL:
		return SCOPE_WAIT_POLL;
	case SCOPE_CALL_SLEEP:
		return SCOPE_WAIT_TIMER;
	case SCOPE_CALL_CHILD:
		return SCOPE_WAIT_CHILD;
	case SCOPE_CALL_SYNC:
		return SCOPE_WAIT_DISK;
	case SCOPE_CALL_ACCEPT:
	case SCOPE_CALL_CONNECT:
		return SCOPE_WAIT_NETWORK;
	case SCOPE_CALL_READ:
	case SCOPE_CALL_WRITE:
		return takes_any(nr) ? classify_fd(fd, disk) : SCOPE_WAIT_NETWORK;
	default:
		return disk ? SCOPE_WAIT_DISK : SCOPE_WAIT_OTHER;
	}
}

enum scope_wait_class scope_timeline_wait_ended_by(enum scope_wait_class class, uint8_t interrupt)
{
	if (class == SCOPE_WAIT_DISK)
		return class;
	switch (interrupt) {
	case SCOPE_INTERRUPT_TIMER:
		return SCOPE_WAIT_TIMER;
	case SCOPE_INTERRUPT_NET:
		return class == SCOPE_WAIT_POLL || class == SCOPE_WAIT_OTHER ? SCOPE_WAIT_NETWORK : class;
	case SCOPE_INTERRUPT_BLOCK:
		return SCOPE_WAIT_DISK;
	default:
		return class;
	}
}

/*
 * The value that a waiter of glibc's reader-writer lock expects: the lock is in its write phase or has a writer (1),
 * and a thread sleeps on the word (PTHREAD_RWLOCK_FUTEX_USED, 2; glibc's pthread_rwlock_common.c).
 */
#define RWLOCK_WORD 3
/*
 * What Erlang's events (ethr_event.c) and the parkers of Rust's library (sys/sync/thread_parking/futex.rs) write before they sleep. The
 * word of a lock has a count, or the number of its owner, and no thread has this one.
 */
#define PARKED_WORD UINT32_MAX
#define CONTENDED_WORD 2 /* taken, and somebody waits: Drepper, "Futexes Are Tricky", section 6 */

enum scope_futex scope_timeline_futex_of(unsigned args, const uint64_t *arg)
{
	const bool zero = args > 2 && !(uint32_t)arg[2];
	const bool parked = args > 2 && (uint32_t)arg[2] == PARKED_WORD;

	switch (args > 1 ? (int)arg[1] & FUTEX_CMD_MASK : -1) {
	case FUTEX_WAIT:
		return zero || parked ? SCOPE_FUTEX_EVENT : SCOPE_FUTEX_MUTEX;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return SCOPE_FUTEX_PI;
	case FUTEX_WAIT_REQUEUE_PI:
		return SCOPE_FUTEX_PI_CONDITION;
	case FUTEX_WAIT_BITSET:
		if (args < 3 || zero || parked)
			return SCOPE_FUTEX_EVENT;
		if ((uint32_t)arg[2] == CONTENDED_WORD)
			return SCOPE_FUTEX_CONTENDED;
		return (uint32_t)arg[2] == RWLOCK_WORD ? SCOPE_FUTEX_RW : SCOPE_FUTEX_WORD;
	default:
		return SCOPE_FUTEX_NONE;
	}
}

bool scope_timeline_futex_is_lock(unsigned args, const uint64_t *arg)
{
	const enum scope_futex futex = scope_timeline_futex_of(args, arg);

	return futex == SCOPE_FUTEX_MUTEX || futex == SCOPE_FUTEX_PI;
}

bool scope_timeline_futex_is_shared(unsigned args, const uint64_t *arg)
{
	return args > 1 && !(arg[1] & FUTEX_PRIVATE_FLAG);
}
