/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How each thread picks up work, learned from its own trace.
 *
 * A read on an accepted socket and an accept are always pick-ups. In addition a thread has at most
 * one top-of-loop wait: its epoll, else its poll or select (unless most of these are in the middle
 * of a request: no work is taken before the answer), else, if it reads no accepted socket, its most
 * frequent wait: a futex that is not a lock, a queue, a pipe, a sleep. A lock is never a pick-up. A read on a
 * connection the program opened itself is one only if its process has no clients, and the waits there vary
 * as the arrivals of jobs do: a worker that gets them from a broker.
 */
#ifndef SCOPE_UNIT_PICKUP_H
#define SCOPE_UNIT_PICKUP_H

#include <sys/syscall.h>

#include "timeline/timeline.h"

#define SCOPE_PICKUP_FOREIGN 4 /* no rule: polls of a thread that are distinguished from the top of its loop */

/* A poll of a thread, by its family and what is polled. */
struct scope_poll_site {
	uint16_t nr;	 /* SYS_epoll_pwait, SYS_ppoll or SYS_pselect6, for all calls of that family */
	uint64_t object; /* the epoll's descriptor, where the set of a poll is, or the number of descriptors of a select */
};

struct scope_pickup {
	bool reads;	 /* takes requests from accepted sockets */
	bool unanswered; /* its process takes requests and never answers: each read is one */
	bool datagrams;	 /* takes requests from sockets of datagrams, and answers there */
	bool jobs;	 /* nr: waits for jobs, which come by connections that its process made */
	uint16_t nr;	 /* top-of-loop wait, SCOPE_NR_NONE: none */
	bool any_object; /* with any first argument */
	uint64_t object;
	uint8_t foreigns;
	struct scope_poll_site foreign[SCOPE_PICKUP_FOREIGN]; /* in the middle of requests, or hardly ever */
	uint64_t gap_ns; /* 99th percentile of the time between two calls, of threads without any; 0: too few */
};

enum scope_unit_pickup_match {
	SCOPE_PICKUP_NO,
	SCOPE_PICKUP_READ, /* picks up work only if it returns any */
	SCOPE_PICKUP_LOOP, /* the thread is idle from its entry on */
};

/* Roles of plain calls (timeline/timeline.h) that pick up work only at the top of the loop. */
#define SCOPE_PICKUP_PLAIN_ROLES                                                                                       \
	(~(1u << SCOPE_CALL_ACCEPT | 1u << SCOPE_CALL_POLL | 1u << SCOPE_CALL_FUTEX | 1u << SCOPE_CALL_HANDLED))

struct scope_pickups;
struct scope_learner;

/*
 * Learns from events as they come. Threads have the numbers that every later run gives them.
 * Decisions become better with more events; they are final after finish.
 */
int scope_unit_learner_create(const struct scope_trace *trace, struct scope_learner **ret_learner);
/*
 * Learns from a timeline that is also used by others (scope_unit_run_learn()); it must outlive the
 * learner.
 */
int scope_unit_learner_share(struct scope_timeline *timeline, struct scope_learner **ret_learner);
int scope_unit_learner_feed(struct scope_learner *learner, const struct scope_event *const *event, size_t count);
int scope_unit_learner_finish(struct scope_learner *learner);
/* For a trace that grew: see scope_timeline_holds(). */
bool scope_unit_learner_holds(const struct scope_learner *learner);
size_t scope_unit_learner_threads(const struct scope_learner *learner);
void scope_unit_learner_destroy(struct scope_learner *learner); /* NULL is fine */

/* Creates it without decisions. The caller destroys it. */
int scope_unit_pickups_create(struct scope_pickups **ret_pickups);
/* Decides about the threads below this number that have no decision yet, by what was learned so far. */
int scope_unit_pickups_decide(struct scope_pickups *pickups, const struct scope_learner *learner, size_t threads);
/* The same for threads of which nothing was learned yet: as for the last one of that name, if there is one. */
int scope_unit_pickups_guess(struct scope_pickups *pickups, const struct scope_learner *learner, size_t threads);
/* True if all decisions about the first `threads` threads would be the same now. */
bool scope_unit_pickups_unchanged(const struct scope_pickups *pickups, const struct scope_learner *learner,
				  size_t threads);

void scope_unit_pickups_destroy(struct scope_pickups *pickups);

size_t scope_unit_pickups_threads(const struct scope_pickups *pickups);
/* NULL for a thread that was not seen by the learner. */
const struct scope_pickup *scope_unit_pickups_of(const struct scope_pickups *pickups, uint32_t thread);
/* The name it had at last; thread is below the number of threads. */
const char *scope_unit_pickups_comm(const struct scope_pickups *pickups, uint32_t thread);
/*
 * Call it once, when learning has ended: finds the threads that serve. These are threads that read
 * from or write to accepted sockets, and threads that repeatedly wake a serving thread at the top
 * of its loop, because that one waits there for their work. A thread that ends waits only in the
 * middle of requests does not serve, even if they are long: blame follows these waits to it.
 */
void scope_unit_pickups_conclude(struct scope_pickups *pickups, const struct scope_learner *learner);
/* false as well before that. */
bool scope_unit_pickups_serves(const struct scope_pickups *pickups, uint32_t thread);
/* True if the thread serves nobody, and another one of its process serves. */
bool scope_unit_pickups_background(const struct scope_pickups *pickups, struct scope_threads *threads, uint32_t thread);
static inline struct scope_poll_site scope_unit_poll_site_of(const struct scope_open_call *call)
{
	if (scope_timeline_call_is_epoll(call->nr))
		return (struct scope_poll_site){ .nr = SYS_epoll_pwait, .object = call->arg[0] };
	if (scope_timeline_call_is_select(call->nr))
		return (struct scope_poll_site){ .nr = SYS_pselect6, .object = call->arg[0] };
	return (struct scope_poll_site){ .nr = SYS_ppoll, .object = call->arg[0] };
}
/* True for a poll in which the thread does not wait for work. */
bool scope_unit_pickup_foreign(const struct scope_pickup *pickup, const struct scope_open_call *call);
/* True if the thread takes work, so that it has request units. */
bool scope_unit_pickup_any(const struct scope_pickup *pickup);
enum scope_unit_pickup_match scope_unit_pickup_match(const struct scope_pickup *pickup,
						     const struct scope_open_call *call, enum scope_fd_kind fd);

#endif
