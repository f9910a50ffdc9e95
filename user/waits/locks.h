/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The futexes that threads waited for while they had work to do: for how long, who had them, and in which functions.
 *
 * A futex is identified by its process and its address. The thread that ends a wait had the lock, and releases it by
 * that. If this thread had waited for the lock itself, and the waiter already waited when that wait ended, the hold
 * began there. The begin of other holds is not known, and they are not in the distribution.
 *
 * The waits for the first SCOPE_LOCKS_MAX futexes are added up. Details are kept of the SCOPE_LOCKS_KEPT that threads
 * waited for longest.
 */
#ifndef SCOPE_WAITS_LOCKS_H
#define SCOPE_WAITS_LOCKS_H

#include "base/sketch.h"
#include "symbol/symbol.h"
#include "unit/distribution.h"

#define SCOPE_LOCKS_MAX 100000
#define SCOPE_LOCKS_KEPT 50
#define SCOPE_LOCK_USERS_MAX 100000 /* threads of all locks that are kept */

enum scope_lock_kind {
	SCOPE_LOCK_MUTEX,
	SCOPE_LOCK_PI_MUTEX,
	SCOPE_LOCK_PI_CONDITION,
	SCOPE_LOCK_RWLOCK,
	SCOPE_LOCK_CONDITION, /* or a semaphore */
	SCOPE_LOCK_FUTEX,     /* the calls do not show what it is */
	SCOPE_LOCK_KINDS,
};

/* A function in which threads wait for a lock, or are while they have it. */
struct scope_lock_site {
	const struct scope_function *function; /* NULL: no stack names one */
	uint32_t group;
	uint64_t stacks;
	double share; /* of the time of all stacks in waits_in, or in held_in */
};

struct scope_lock_sites {
	struct scope_lock_site *site; /* most first */
	size_t count, capacity;
};

struct scope_lock {
	uint32_t tgid;
	uint64_t address;
	enum scope_lock_kind kind;
	uint64_t waits;
	double wait_ns;
	struct scope_sketch wait, hold;	       /* ns */
	uint32_t waiters, holders;	       /* threads that waited; that ended a wait */
	uint32_t waiters_alike, holders_alike; /* of these, in the group of most_waits, most_has */
	uint32_t most_waits;		       /* the thread with most of wait_ns; UINT32_MAX: none */
	uint32_t most_has;		       /* the thread that others waited longest for; UINT32_MAX: none */
	struct scope_lock_sites waits_in, held_in;
};

struct scope_locks {
	struct scope_lock *lock; /* the longest waited for first */
	size_t count;
	uint64_t futexes, waits; /* also of those that are not kept */
	double wait_ns;
	uint64_t left_out;	 /* waits for futexes beyond the first SCOPE_LOCKS_MAX: they are in the sums */
	uint64_t users_left_out; /* waits of threads for which there was no room */
};

/* Each negative return ends the run. */
struct scope_lock_listener {
	/* A wait for a lock that is kept has ended. counts: the result of scope_waits_does_count(). */
	int (*waited)(void *user, struct scope_lock *lock, const struct scope_wait *wait, bool counts);
	/*
	 * The traced thread wait->waker ended the wait, and had the lock from from_ns to wait->wake_ns. whole: it got
	 * the lock at from_ns; else from_ns is the begin of the wait, and the hold may have begun earlier.
	 */
	int (*held)(void *user, struct scope_lock *lock, const struct scope_wait *wait, uint64_t from_ns, bool whole);
	void *user;
};

/*
 * True if a sleep counts because it delays work: every sleep in a unit, and those of threads without units that are not
 * waits for work. groups: of the run that found the wait.
 */
bool scope_waits_does_count(const struct scope_groups *groups, const struct scope_wait *wait);

/* Of distributions that are complete. 0 or -errno; the caller destroys. */
int scope_waits_locks_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
			     struct scope_locks **ret_locks);
void scope_waits_locks_destroy(struct scope_locks *locks);
/* Finds the functions by the trace's stacks. 0 or -errno. */
int scope_waits_locks_name(struct scope_locks *locks, const struct scope_distributions *distributions,
			   const struct scope_groups *groups, struct scope_trace *trace, struct scope_symbols *symbols);

/* All waits for locks that are kept, in the order they end. 0, -errno, or what the listener returned. */
int scope_waits_locks_follow(struct scope_locks *locks, const struct scope_distributions *distributions,
			     const struct scope_groups *groups, const struct scope_lock_listener *listener);

/* True for a wait for a futex with a known address, whether it is a lock or not. */
static inline bool scope_waits_is_lock(const struct scope_wait *wait)
{
	return !wait->queue && wait->futex != SCOPE_FUTEX_NONE && wait->object && wait->wake_ns > wait->begin_ns;
}

/*
 * The address that identifies a futex: the two words of a reader-writer lock or of a condition variable have the same.
 */
static inline uint64_t scope_waits_lock_address(const struct scope_wait *wait)
{
	return wait->futex == SCOPE_FUTEX_MUTEX || wait->futex == SCOPE_FUTEX_PI ? wait->object
										 : wait->object & ~(uint64_t)7;
}

#endif
