/* SPDX-License-Identifier: GPL-2.0-only */
/* Per-thread statistics of waits and reads, and the way to pick up work that follows from them. */
#ifndef SCOPE_UNIT_THREAD_STATS_H
#define SCOPE_UNIT_THREAD_STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "unit/pickup.h"

#define SCOPE_THREAD_STATS_MADE 8  /* no rule */
#define SCOPE_THREAD_STATS_KEYS 32 /* different waits remembered per thread */
#define SCOPE_THREAD_STATS_GAPS 40 /* no rule: powers of two of ns */
#define SCOPE_THREAD_STATS_OWN 4   /* no rule: connections of its own in whose reads a thread slept, the first ones */
#define SCOPE_THREAD_STATS_NO_KEY (-1)
#define SCOPE_THREAD_STATS_REPLIES_MIN 5 /* a thread that answered fewer datagrams serves nobody by them */
#define SCOPE_THREAD_STATS_DELIVERIES 8	 /* different sleeps of others remembered per thread */

struct scope_wait_key {
	uint16_t nr;
	uint64_t object;
	uint32_t count;
	uint32_t inner, taken; /* what came next: an answer, or work; see learner.c */
	uint32_t handed;       /* of sleeps: another thread of the process ended it, … */
	uint32_t shared;       /* … which sleeps there as well */
	uint32_t woke;	       /* calls by which the thread woke others from that futex */
};

/* Sleeps of another thread that may be the top of its loop, and that this thread ended. */
struct scope_delivery {
	uint64_t object;
	uint32_t thread;
	uint32_t count;
	uint16_t nr;
};

/* Sleeps in reads from one connection that the program made, or in polls and selects. */
struct scope_own_reads {
	uint64_t fd; /* 0 of polls */
	uint16_t nr; /* of the reads, or SYS_ppoll */
	uint32_t sleeps;
	uint32_t length[SCOPE_THREAD_STATS_GAPS]; /* of them, by powers of two of ns */
};

/* The statistics of one thread. */
struct scope_thread_stats {
	uint32_t epolls, polls, reads;
	uint32_t slept_reads;		       /* sleeps in reads from accepted sockets */
	bool answers;			       /* writes to accepted sockets */
	int32_t made[SCOPE_THREAD_STATS_MADE]; /* sockets that it made last, a ring: what it reads there are answers to itself */
	unsigned mades;			       /* their number in all */
	uint32_t datagrams;		       /* read from other sockets that are not connected … */
	uint32_t replies;		       /* … and written to them after one was read */
	bool datagram_due;		       /* one was read, and none written since */
	bool owes;			       /* it read from an accepted socket, and wrote to none since */
	uint32_t waits;			       /* of any kind */
	struct scope_delivery delivery[SCOPE_THREAD_STATS_DELIVERIES];
	unsigned deliveries;
	uint32_t delivered;   /* sleeps for which there is no room above */
	uint32_t slept_polls; /* of polls: it slept there */
	uint32_t inner_polls; /* of polls: in the middle of a request */
	uint32_t asked_polls; /* of polls: the thread had asked a peer something; an answer may take several */
	uint32_t vain_polls;  /* of polls: they timed out, and none for an answer */
	bool asked_poll;      /* the last poll is one of asked_polls */
	bool asked;	      /* it has, and answered no client nor slept elsewhere since */
	int32_t read_fd,
		sent_fd; /* sockets of datagrams that it did not make: which it reads, and writes to, by majority … */
	uint32_t read_votes, sent_votes; /* … how many more than others since they were chosen */
	uint32_t sent;			 /* datagrams written to such sockets */
	bool polled;			 /* and nothing taken or answered since */
	int waited;			 /* the key of that, where it has one; else SCOPE_THREAD_STATS_NO_KEY */
	int32_t waker;			 /* of the last sleep: the thread that ended it, or SCOPE_WAIT_NO_THREAD */
	uint64_t waker_object;		 /* for what that was */
	uint64_t client; /* 1 more than the descriptor of the client that it read from last; 0: none yet */
	struct scope_wait_key key[SCOPE_THREAD_STATS_KEYS];
	unsigned keys;
	struct scope_own_reads own[SCOPE_THREAD_STATS_OWN];
	unsigned owns;
	uint64_t poll_slept_ns; /* in the last poll or select; 0: it did not sleep there */
	uint64_t last_exit_ns;
	uint32_t gap[SCOPE_THREAD_STATS_GAPS];
};

/* Times between calls matter as long as the thread may turn out to pick up nothing. */
static inline bool scope_unit_thread_stats_gaps(const struct scope_thread_stats *stats)
{
	return !stats->reads && !stats->epolls;
}

/* The power of two below a time of that many ns, as far as they are counted. */
static inline unsigned scope_unit_thread_stats_power(uint64_t ns)
{
	const unsigned power = 63u - (unsigned)__builtin_clzll(ns | 1);

	return power < SCOPE_THREAD_STATS_GAPS ? power : SCOPE_THREAD_STATS_GAPS - 1;
}

/* The way to pick up work that they show; see docs/methods.md, section 2. serves: its process has clients. */
void scope_unit_thread_stats_decide(const struct scope_thread_stats *stats, bool serves, struct scope_pickup *pickup);

#endif
