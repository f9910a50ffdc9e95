/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds what a thread waits for, by the syscall it sleeps in and that call's descriptor. */
#ifndef SCOPE_TIMELINE_CLASS_H
#define SCOPE_TIMELINE_CLASS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "trace/trace.h"

enum scope_wait_class {
	SCOPE_WAIT_FUTEX,
	SCOPE_WAIT_NETWORK,
	SCOPE_WAIT_POLL, /* epoll, poll, select */
	SCOPE_WAIT_DISK,
	SCOPE_WAIT_PIPE, /* pipe, FIFO, tty, eventfd */
	SCOPE_WAIT_TIMER,
	SCOPE_WAIT_CHILD,
	SCOPE_WAIT_FAULT, /* asleep outside any syscall */
	SCOPE_WAIT_OTHER,
	SCOPE_WAIT_CLASSES,
};

const char *scope_timeline_wait_class_name(enum scope_wait_class class);

/*
 * What a sleep of that class waited for, by the interrupt that ended it (enum scope_interrupt): a poll that packets
 * end waited for a peer, one that a timer ends waited for a time. A sleep for a disk may be ended by any interrupt.
 */
enum scope_wait_class scope_timeline_wait_ended_by(enum scope_wait_class class, uint8_t interrupt);

/* What a syscall does, as far as units and waits need it: a row of one table, by number. */
enum scope_timeline_call_role {
	SCOPE_CALL_PLAIN,
	SCOPE_CALL_READ, /* takes bytes from the descriptor in argument 0 */
	SCOPE_CALL_WRITE,
	SCOPE_CALL_ACCEPT,
	SCOPE_CALL_CONNECT,
	SCOPE_CALL_CLOSE,
	SCOPE_CALL_POLL,
	SCOPE_CALL_FUTEX,
	SCOPE_CALL_SLEEP,
	SCOPE_CALL_CHILD,
	SCOPE_CALL_SYNC,   /* waits for storage */
	SCOPE_CALL_PICK,   /* takes work from a queue of the kernel's, or waits for a signal: msgrcv, pause… */
	SCOPE_CALL_SOCKET, /* returns a new, unconnected socket */
	SCOPE_CALL_LOCK,  /* takes a lock of the kernel's, which processes share: flock, fcntl where it sleeps, semop */
	SCOPE_CALL_YIELD, /* lets others run, and does nothing else */
	SCOPE_CALL_HANDLED, /* the end of a signal handler */
};

extern const uint8_t scope_timeline_call_roles[SCOPE_SYSCALL_MAX];

/* PLAIN for all numbers that are not in the table. */
static inline enum scope_timeline_call_role scope_timeline_call_role(uint32_t nr)
{
	return nr < SCOPE_SYSCALL_MAX ? (enum scope_timeline_call_role)scope_timeline_call_roles[nr] : SCOPE_CALL_PLAIN;
}

/* True of a call that reads from, or writes to, the descriptor in its first argument. */
static inline bool scope_timeline_call_has_data(enum scope_timeline_call_role role)
{
	return role == SCOPE_CALL_READ || role == SCOPE_CALL_WRITE;
}

static inline bool scope_timeline_call_is_epoll(uint32_t nr)
{
#ifdef SYS_epoll_wait
	if (nr == SYS_epoll_wait)
		return true;
#endif
#ifdef SYS_epoll_pwait2
	if (nr == SYS_epoll_pwait2)
		return true;
#endif
	return nr == SYS_epoll_pwait;
}

static inline bool scope_timeline_call_is_select(uint32_t nr)
{
#ifdef SYS_select
	if (nr == SYS_select)
		return true;
#endif
	return nr == SYS_pselect6;
}

/* io_uring_enter: it submits, and waits for the ends of what was submitted, which are no calls. */
static inline bool scope_timeline_call_is_uring(uint32_t nr)
{
	return nr == 426; /* on all machines */
}

/*
 * The same for a call of which at least the first argument is known. Some programs sleep by a poll
 * or a select without descriptors, whose first argument is 0.
 */
static inline enum scope_timeline_call_role scope_timeline_call_role_of(uint32_t nr, unsigned args, uint64_t first)
{
	enum scope_timeline_call_role role = scope_timeline_call_role(nr);

	return role == SCOPE_CALL_POLL && args && !first && !scope_timeline_call_is_epoll(nr) ? SCOPE_CALL_SLEEP : role;
}

/*
 * True for calls that are left out of unit vectors, because they do not characterise the work done (methods:
 * PerfScope).
 */
static inline bool scope_timeline_call_ignored(uint32_t nr)
{
	return nr == SYS_gettimeofday || nr == SYS_clock_gettime || nr == SYS_mmap;
}

/* nr SCOPE_NR_NONE: outside a syscall. disk: the thread slept uninterruptibly or in iowait. */
enum scope_wait_class scope_timeline_wait_classify(uint32_t nr, enum scope_fd_kind fd, bool disk);

/*
 * True if two waits of that call wait for the same thing. Waiters of one condition variable sleep
 * in turns on two words of glibc (since 2.25, its two groups), which share 8 aligned bytes.
 */
static inline bool scope_timeline_wait_same_object(uint32_t nr, uint64_t a, uint64_t b)
{
	return nr == SYS_futex ? a / 8 == b / 8 : a == b;
}

/*
 * True for a lock, by the arguments of a futex call: glibc takes mutexes with FUTEX_WAIT or LOCK_PI
 * and sleeps on condition variables, semaphores and joins with FUTEX_WAIT_BITSET. A word that is 0
 * is a free lock, so a thread that waits while it is 0 (the notes on which Go's threads park) waits
 * for an event, and not for a lock; so does one that waits while it is -1. With fewer than three arguments only the operation decides.
 */
bool scope_timeline_futex_is_lock(unsigned args, const uint64_t *arg);

/* True if threads of other processes may wait there too. */
bool scope_timeline_futex_is_shared(unsigned args, const uint64_t *arg);

/* The kind of a futex, as far as the operation of a call and the value that it expects show it. */
enum scope_futex {
	SCOPE_FUTEX_NONE,	  /* no wait in a futex call, or its arguments are not known */
	SCOPE_FUTEX_MUTEX,	  /* FUTEX_WAIT while the word is neither 0 nor -1 */
	SCOPE_FUTEX_PI,		  /* FUTEX_LOCK_PI, FUTEX_LOCK_PI2: a mutex with priority inheritance */
	SCOPE_FUTEX_PI_CONDITION, /* FUTEX_WAIT_REQUEUE_PI: a condition variable with such a mutex */
	SCOPE_FUTEX_RW,		  /* FUTEX_WAIT_BITSET while the word is 3: glibc's reader-writer lock (since 2.25) */
	SCOPE_FUTEX_CONTENDED, /* the same while it is 2: a mutex of glibc with a time limit, or one of Rust's library */
	SCOPE_FUTEX_HANDED,    /* such a wait, ended by a thread that had waited so for the same word: it is a lock */
	SCOPE_FUTEX_WORD,  /* the same while the word has another value but 0: a join, or a lock of another library */
	SCOPE_FUTEX_EVENT, /* while the word is 0 or -1: a condition variable, a semaphore, a word to be woken by */
	SCOPE_FUTEXES,
};

/* The kind of a futex by the arguments of a call. */
enum scope_futex scope_timeline_futex_of(unsigned args, const uint64_t *arg);

#endif
