/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads of a trace: names, processes, and where each one's time went so far. */
#ifndef SCOPE_TIMELINE_THREAD_H
#define SCOPE_TIMELINE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/event.h>

#include "base/plain.h"
#include "timeline/class.h"
#include "timeline/waker_queue.h"

enum scope_run {
	SCOPE_RUN_UNKNOWN, /* before its first event, or after a loss */
	SCOPE_RUN_RUNNING,
	SCOPE_RUN_QUEUED, /* runnable, waiting for a CPU */
	SCOPE_RUN_BLOCKED,
	SCOPE_RUN_ENDED,
};

/* Cumulative, ns. The sum of all is the wall time since the thread was first seen. */
struct scope_account {
	uint64_t run_ns;
	uint64_t queue_ns;
	uint64_t blocked_ns[SCOPE_WAIT_CLASSES];
	uint64_t asleep_ns; /* blocked, all classes together: no part of the sum beside them */
	uint64_t unknown_ns;
	uint64_t probe_ns;	 /* of run_ns: the tracer itself, taking stacks */
	uint64_t waker_queue_ns; /* of blocked_ns: the thread it waited for waited for a CPU */
};

/*
 * What a thread does to make room in memory: enum scope_stall_kind (scope/event.h), whether it runs or sleeps; or it
 * sleeps in a stretch that the kernel counts as a memory stall, outside of these: it waits for a page that was swapped
 * out, or evicted a moment ago.
 */
enum { SCOPE_STALL_PAGE = SCOPE_STALL_COMPACT + 1, SCOPE_STALL_KINDS };

/* A syscall that has been entered and has not returned. */
struct scope_open_call {
	uint16_t nr; /* SCOPE_NR_NONE: none */
	uint8_t args;
	uint8_t role; /* enum scope_timeline_call_role of nr */
	uint64_t enter_ns;
	uint64_t arg[SCOPE_ARG_MAX];
};

/*
 * A sleep that is over, false wakeups within it included. Times in ns. A false wakeup is one after
 * which the thread ran for less than SCOPE_FALSE_WAKEUP_NS, and slept again in the same call.
 */
#define SCOPE_FALSE_WAKEUP_NS 50000
#define SCOPE_WAIT_NO_THREAD (-1)

struct scope_wait {
	uint32_t thread;    /* index */
	uint32_t waker_tid; /* 0: an interrupt, or not known; queue: scope_queued.taker_tid (timeline/timeline.h) */
	int32_t waker;	    /* index of another traced thread that ended it, or SCOPE_WAIT_NO_THREAD */
	uint32_t owner;	    /* index + 1 of the traced thread that the lock's memory named as it began; 0: none */
	uint16_t nr;
	uint8_t class;
	uint8_t futex;	   /* enum scope_futex */
	uint8_t interrupt; /* enum scope_interrupt that ended it */
	bool lock;	   /* a futex operation that takes a lock */
	bool woken;	   /* in a futex call that returned 0: another thread woke it, even if no waking was recorded */
	bool outside;	   /* of no unit: set by units (unit/unit.h) */
	bool rests;	   /* after the end of a unit (unit/rest.h), of a thread that has no clients; set by units */
	bool queue; /* no sleep: a scope_queued (timeline/timeline.h); object: own_ns; wake_ns: end_ns - taken_ns */
	bool idle;  /* a thread that reads from clients waits for them; set by units (unit/unit.h) */
	bool many;  /* the same, in an epoll of several clients */
	uint64_t object; /* first argument: a descriptor, or the futex's address; 0: outside calls */
	uint64_t begin_ns, wake_ns, end_ns;
	uint64_t first_ns;	 /* the last of several waits in slices: begin of the first one; else 0 */
	uint64_t waker_queue_ns; /* from begin to wake: time in which the thread it waited for waited for a CPU */
};

/* A wait in slices that is not over; see timeline/slices.h. */
struct scope_slices {
	uint64_t begin_ns; /* of the first slice; 0: there is none */
	uint64_t object;
	uint64_t run_ns;   /* account.run_ns as the last one returned, … */
	uint64_t limit_ns; /* … and how much more it may be as the next one begins */
};

#define SCOPE_THREAD_CONTENDED 4 /* no rule */

struct scope_thread {
	uint32_t index;
	uint32_t tid, tgid;
	uint32_t ancestor; /* the process whose mappings its own has since a fork; 0: they are its own */
	uint32_t plain;	   /* roles of calls, see struct scope_timeline_ops; while it runs, outside calls */
	char comm[SCOPE_PLAIN_COMM_BYTES]; /* plain (base/plain.h) */
	enum scope_run run;
	enum scope_wait_class wait; /* while BLOCKED */
	bool disk;		    /* while BLOCKED: not to be interrupted, or in iowait */
	bool iowait;		    /* while BLOCKED: for a device */
	uint16_t cpu;
	uint64_t since_ns; /* time up to which its account is kept */
	uint64_t stay_ns;  /* time at which run got its value */
	uint64_t first_ns;
	uint64_t block_ns;	 /* when it last went to sleep */
	uint64_t wake_ns;	 /* when it was last made runnable; 0: not since it slept */
	uint32_t waker_tid;	 /* waker: 0 an interrupt, or not known */
	uint8_t interrupt;	 /* enum scope_interrupt of that waking */
	uint8_t early_interrupt; /* … and of that one */
	uint32_t owner_tid;	 /* of the futex that it goes to sleep on, by its memory; 0: none is known */
	uint32_t early_tid;	 /* as waker_tid, of a waking that came while it ran … */
	bool early;		 /* … in the call that it is in, or about to sleep without one */
	bool preempted;		 /* it was runnable as it last left its CPU */
	uint64_t queue_ns;	 /* while QUEUED: since when */
	uint64_t waker_queue_ns; /* as of struct scope_wait, of the last sleep */
	struct scope_waker_queue waker_queue;
	struct scope_open_call open;
	struct scope_slices slices;
	struct scope_account account;
	uint64_t start_run_ns, stop_run_ns; /* the kernel's count of CPU time at start and stop */
	bool is_new;			    /* new in the window: it had not run before */
	/* The last sleep, while it may continue after a false wakeup. */
	bool holding;
	struct scope_wait held;
	uint64_t held_run_ns;			    /* account.run_ns as it ended */
	uint64_t held_enter_ns;			    /* of the call slept in */
	uint64_t contended[SCOPE_THREAD_CONTENDED]; /* words of SCOPE_FUTEX_CONTENDED that it slept on, the last ones; … */
	uint8_t contendeds;			    /* … the next one's place */
	size_t rows_seen;    /* rows of names when it appeared; SIZE_MAX: an event named it immediately */
	bool stopped;	     /* a STATE record of the window's end was seen */
	uint64_t stopped_ns; /* since when it has not run, by that record; 0: not known */
	bool lost;	     /* events of it may be missing since it was last seen */
	bool memstall;	     /* while BLOCKED: in a stretch that the kernel counts as a memory stall */
	uint8_t stall;	     /* 1 + the enum scope_stall_kind that it is in; 0: none */
	uint64_t stall_ns;   /* since when */
};

/* True if it is on no processor, by all recorded events. */
static inline bool scope_timeline_thread_is_away(const struct scope_thread *thread)
{
	return thread->run == SCOPE_RUN_BLOCKED || thread->run == SCOPE_RUN_QUEUED;
}

struct scope_thread_slot {
	uint32_t tid;  /* 0: empty */
	int32_t index; /* -1: forgotten */
};

#define SCOPE_THREADS_RECENT 64 /* no rule: a power of two */

/* To be read through the functions below. */
struct scope_threads {
	struct scope_thread *thread;
	size_t count, capacity;
	struct scope_thread_slot *slot; /* open addressing by tid, a power of two, half full at most */
	size_t slots, used;
	struct scope_thread_slot recent[SCOPE_THREADS_RECENT]; /* copies, by the last bits of tid */
};

int scope_timeline_threads_create(struct scope_threads **ret_threads);
void scope_timeline_threads_destroy(struct scope_threads *threads);

static inline size_t scope_timeline_threads_count(const struct scope_threads *threads)
{
	return threads->count;
}

/* By index, in order of first appearance. Holds until the next thread appears. */
static inline struct scope_thread *scope_timeline_threads_at(struct scope_threads *threads, size_t index)
{
	return &threads->thread[index];
}

/* The index of a thread that was looked up not long ago; -1: look it up. */
static inline int32_t scope_timeline_threads_recent(const struct scope_threads *threads, uint32_t tid)
{
	const struct scope_thread_slot *slot = &threads->recent[tid % SCOPE_THREADS_RECENT];

	return slot->tid == tid ? slot->index : -1;
}

/* The living thread of that tid, or a new one. Returns its index, or -ENOMEM. */
long scope_timeline_threads_get(struct scope_threads *threads, uint32_t tid);
/* Its index, or -ENOENT. */
long scope_timeline_threads_find(const struct scope_threads *threads, uint32_t tid);
/* The tid may from now on mean another thread. */
void scope_timeline_threads_forget(struct scope_threads *threads, uint32_t tid);
/* A thread takes over the tid of another: exec by a thread other than the first. */
int scope_timeline_threads_rename(struct scope_threads *threads, uint32_t old_tid, uint32_t tid);

/* All that does not run. */
void scope_timeline_thread_account_idle(struct scope_thread *thread, uint64_t passed_ns);

/* Brings the account of a thread up to now. */
static inline void scope_timeline_thread_account(struct scope_thread *thread, uint64_t now_ns)
{
	if (now_ns <= thread->since_ns)
		return;
	if (thread->run == SCOPE_RUN_RUNNING)
		thread->account.run_ns += now_ns - thread->since_ns;
	else if (thread->run != SCOPE_RUN_ENDED)
		scope_timeline_thread_account_idle(thread, now_ns - thread->since_ns);
	else
		return;
	thread->since_ns = now_ns;
}

uint64_t scope_timeline_account_wall(const struct scope_account *account);

/*
 * ns of its wall time of which nothing is known, and by how much the kernel's count of its CPU time
 * (schedstat) differs from ours over the window, if it was recorded at both ends. Intervals of one
 * stream of events always sum up, so only the second one shows that events are missing.
 */
uint64_t scope_timeline_thread_unexplained(const struct scope_thread *thread);
#define SCOPE_UNEXPLAINED_MAX 0.02 /* share of the wall time: beyond it times are not to be relied on */

#endif
