// SPDX-License-Identifier: GPL-2.0-only
/* How each thread picks up work, learned from its own trace. */
#include "unit/pickup.h"

#include <linux/futex.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/grow.h"
#include "timeline/take.h"

#define WAIT_KEYS 32	/* different waits remembered per thread */
#define GAP_BUCKETS 40	/* powers of two of ns */
#define GAP_MIN_CALLS 100
#define NO_EPOLL UINT64_MAX

struct wait_key {
	uint16_t nr;
	uint64_t object;
	uint32_t count;
	uint32_t inner, taken; /* of an epoll, what came next: an answer, or work; see learn_poll() */
	bool lock;
};

/* What is known of one thread. */
struct lesson {
	uint32_t epolls, polls, reads;
	uint32_t inner_polls; /* of polls: in the middle of a request */
	bool polled;	      /* and nothing taken or answered since */
	uint64_t epolled;     /* the descriptor, where that was by epoll; else NO_EPOLL */
	struct wait_key key[WAIT_KEYS];
	unsigned keys;
	uint64_t last_exit_ns;
	uint32_t gap[GAP_BUCKETS];
};

struct scope_learner {
	struct lesson *lesson; /* by thread */
	size_t count, capacity;
	struct scope_timeline *timeline;
};

struct decision {
	struct scope_pickup pickup;
	char comm[SCOPE_COMM_BYTES];
};

struct scope_pickups {
	struct decision *decision; /* by thread */
	size_t count, capacity;
};

static struct lesson *meet_thread(struct scope_learner *learner, uint32_t thread)
{
	if (scope_grow(&learner->lesson, &learner->capacity, thread + 1, sizeof(*learner->lesson)))
		return NULL;
	while (learner->count <= thread)
		memset(&learner->lesson[learner->count++], 0, sizeof(*learner->lesson));
	return &learner->lesson[thread];
}

/* NULL: no memory. */
static inline struct lesson *get_lesson(struct scope_learner *learner, uint32_t thread)
{
	return thread < learner->count ? &learner->lesson[thread] : meet_thread(learner, thread);
}

static struct wait_key *get_key(struct lesson *lesson, uint16_t nr, uint64_t object)
{
	unsigned i;

	for (i = 0; i < lesson->keys; i++)
		if (lesson->key[i].nr == nr && lesson->key[i].object == object)
			return &lesson->key[i];
	if (i == WAIT_KEYS)
		return NULL;
	lesson->key[i] = (struct wait_key){.nr = nr, .object = object};
	lesson->keys++;
	return &lesson->key[i];
}

static bool may_be_loop(enum scope_call_role role, enum scope_fd_kind fd)
{
	switch (role) {
	case SCOPE_CALL_FUTEX:
	case SCOPE_CALL_SLEEP:
	case SCOPE_CALL_PICK:
		return true;
	case SCOPE_CALL_READ:
		return fd == SCOPE_FD_PIPE || fd == SCOPE_FD_EVENT || fd == SCOPE_FD_DATAGRAM;
	default:
		return false;
	}
}

/*
 * A poll is the top of a loop if work is taken behind it, and stands in the middle of a request if an
 * answer goes out and nothing was taken since: it waited for a resolver or a backend. With nothing
 * taken and no answer it is the top of a loop that found nothing to do. Epolls are told apart by their
 * descriptors: servers keep one for clients and may keep another for what they wait for meanwhile.
 */
static void learn_poll(struct scope_learner *learner, struct lesson *lesson,
		       const struct scope_thread *thread, const struct scope_open_call *call)
{
	const enum scope_call_role role = scope_call_role_of(call->nr, call->args, call->arg[0]);
	const bool epoll = scope_call_is_epoll(call->nr);
	struct wait_key *key;

	if (role == SCOPE_CALL_POLL) {
		lesson->epolled = epoll && call->args ? call->arg[0] : NO_EPOLL;
		epoll ? lesson->epolls++ : lesson->polls++;
		key = lesson->epolled != NO_EPOLL ? get_key(lesson, SYS_epoll_pwait, call->arg[0]) : NULL;
		if (key)
			key->count++;
		/* One that does not say which it was tells nothing. */
		lesson->polled = !epoll || key;
	} else if (lesson->polled && role == SCOPE_CALL_WRITE && call->args) {
		if (scope_fds_kind(learner->timeline->fds, thread->tgid, (int32_t)call->arg[0]) !=
		    SCOPE_FD_ACCEPTED)
			return;
		lesson->polled = false;
		if (lesson->epolled == NO_EPOLL)
			lesson->inner_polls++;
		else
			get_key(lesson, SYS_epoll_pwait, lesson->epolled)->inner++;
	}
}

SCOPE_TAKE int learn_enter(void *user, const struct scope_thread *thread,
		       const struct scope_open_call *call)
{
	struct lesson *lesson = get_lesson(user, thread->index);
	uint64_t gap;
	int bucket = 0;

	if (!lesson)
		return -ENOMEM;
	if (lesson->last_exit_ns && call->enter_ns > lesson->last_exit_ns) {
		gap = call->enter_ns - lesson->last_exit_ns;
		bucket = 63 - __builtin_clzll(gap);
		lesson->gap[bucket < GAP_BUCKETS ? bucket : GAP_BUCKETS - 1]++;
	}
	learn_poll(user, lesson, thread, call);
	/* A thread that wakes others from a futex it sleeps on itself holds it as a lock. */
	if (call->nr == SYS_futex && call->args >= 2 &&
	    ((call->arg[1] & FUTEX_CMD_MASK) == FUTEX_WAKE ||
	     (call->arg[1] & FUTEX_CMD_MASK) == FUTEX_UNLOCK_PI)) {
		struct wait_key *key = get_key(lesson, SYS_futex, call->arg[0]);

		if (key)
			key->lock = true;
	}
	return 0;
}

static void take_work(struct lesson *lesson)
{
	lesson->reads++;
	if (lesson->polled && lesson->epolled != NO_EPOLL)
		get_key(lesson, SYS_epoll_pwait, lesson->epolled)->taken++;
	lesson->polled = false;
}

SCOPE_TAKE int learn_exit(void *user, const struct scope_thread *thread,
		      const struct scope_open_call *call, int64_t ret, uint64_t exit_ns)
{
	struct scope_learner *learner = user;
	struct lesson *lesson = get_lesson(learner, thread->index);
	enum scope_call_role role = scope_call_role(call->nr);

	if (!lesson)
		return -ENOMEM;
	lesson->last_exit_ns = exit_ns;
	if (role == SCOPE_CALL_ACCEPT && ret >= 0)
		take_work(lesson);
	if (role != SCOPE_CALL_READ || !call->args || ret <= 0)
		return 0;
	if (scope_fds_kind(learner->timeline->fds, thread->tgid, (int32_t)call->arg[0]) ==
	    SCOPE_FD_ACCEPTED)
		take_work(lesson);
	return 0;
}

static int learn_wait(void *user, const struct scope_wait *wait)
{
	struct scope_learner *learner = user;
	struct lesson *lesson = get_lesson(learner, wait->thread);
	uint32_t tgid = scope_threads_at(learner->timeline->threads, wait->thread)->tgid;
	enum scope_call_role role = wait->class == SCOPE_WAIT_TIMER ? SCOPE_CALL_SLEEP
								    : scope_call_role(wait->nr);
	struct wait_key *key;

	if (!lesson)
		return -ENOMEM;
	if (!may_be_loop(role, scope_fds_kind(learner->timeline->fds, tgid, (int32_t)wait->object)))
		return 0;
	key = get_key(lesson, wait->nr, role == SCOPE_CALL_SLEEP ? 0 : wait->object);
	if (key)
		key->count++;
	return 0;
}

/*
 * Waiters of one condition variable sleep on two words of glibc's by turns (since 2.25, its two
 * groups), which share 8 aligned bytes.
 */
static bool same_object(uint16_t nr, uint64_t a, uint64_t b)
{
	return nr == SYS_futex ? a / 8 == b / 8 : a == b;
}

/* How often the thread came back to that wait, under either of its words. */
static uint32_t times_back(const struct lesson *lesson, const struct wait_key *key)
{
	uint32_t times = 0;

	for (unsigned i = 0; i < lesson->keys; i++)
		if (!lesson->key[i].lock && lesson->key[i].nr == key->nr &&
		    same_object(key->nr, lesson->key[i].object, key->object))
			times += lesson->key[i].count;
	return times;
}

static uint64_t gap_p99(const struct lesson *lesson)
{
	uint64_t total = 0, seen = 0;

	for (int i = 0; i < GAP_BUCKETS; i++)
		total += lesson->gap[i];
	if (total < GAP_MIN_CALLS)
		return 0;
	for (int i = 0; i < GAP_BUCKETS; i++) {
		seen += lesson->gap[i];
		if (seen * 100 >= total * 99)
			return 2ull << i;
	}
	return 0;
}

/* The epoll that is the top of the loop, if another one is not; else any. */
static void decide_epoll(const struct lesson *lesson, struct scope_pickup *pickup)
{
	const struct wait_key *best = NULL;
	bool inner = false;

	for (unsigned i = 0; i < lesson->keys; i++) {
		const struct wait_key *key = &lesson->key[i];

		if (key->nr != SYS_epoll_pwait)
			continue;
		if (key->inner > key->taken)
			inner = true;
		else if (!best || key->count > best->count)
			best = key;
	}
	pickup->any_object = !inner || !best;
	if (!pickup->any_object)
		pickup->object = best->object;
}

static void decide(const struct lesson *lesson, struct scope_pickup *pickup)
{
	const struct wait_key *best = NULL;
	uint32_t most = 1;

	pickup->reads = lesson->reads > 0;
	pickup->gap_ns = gap_p99(lesson);
	if (lesson->epolls || lesson->polls > 2 * lesson->inner_polls) {
		/* Several numbers may serve one loop (epoll_wait, epoll_pwait): match by family. */
		pickup->nr = lesson->epolls ? SYS_epoll_pwait : SYS_ppoll;
		pickup->any_object = true;
		if (lesson->epolls)
			decide_epoll(lesson, pickup);
		return;
	}
	if (pickup->reads)
		return;
	for (unsigned i = 0; i < lesson->keys; i++)
		if (!lesson->key[i].lock && times_back(lesson, &lesson->key[i]) > most) {
			best = &lesson->key[i];
			most = times_back(lesson, best);
		}
	if (best) {
		pickup->nr = best->nr;
		pickup->object = best->object;
		pickup->any_object = scope_call_role(best->nr) == SCOPE_CALL_SLEEP;
	}
}

static const struct scope_timeline_ops learn = {
	.enter = learn_enter,
	.exit = learn_exit,
	.wait = learn_wait,
};

int scope_learner_create(const struct scope_trace *trace, struct scope_learner **ret_learner)
{
	struct scope_learner *learner = calloc(1, sizeof(*learner));
	int err;

	if (!learner)
		return -ENOMEM;
	err = scope_timeline_create(trace, &learner->timeline);
	if (err) {
		free(learner);
		return err;
	}
	*ret_learner = learner;
	return 0;
}

int scope_learner_feed(struct scope_learner *learner, const struct scope_event *event)
{
	return scope_timeline_take(learner->timeline, event, &learn, learner);
}

int scope_learner_finish(struct scope_learner *learner)
{
	return scope_timeline_finish(learner->timeline, &learn, learner);
}

bool scope_learner_holds(const struct scope_learner *learner)
{
	return scope_timeline_holds(learner->timeline);
}

size_t scope_learner_threads(const struct scope_learner *learner)
{
	return scope_threads_count(learner->timeline->threads);
}

void scope_learner_destroy(struct scope_learner *learner)
{
	if (!learner)
		return;
	scope_timeline_destroy(learner->timeline);
	free(learner->lesson);
	free(learner);
}

/* What can be said of a thread by what was learned so far. */
static struct decision decision_of(const struct scope_learner *learner, size_t thread)
{
	struct decision decision = {.pickup.nr = SCOPE_NR_NONE};

	if (thread < learner->count)
		decide(&learner->lesson[thread], &decision.pickup);
	if (thread < scope_learner_threads(learner))
		memcpy(decision.comm, scope_threads_at(learner->timeline->threads, thread)->comm,
		       SCOPE_COMM_BYTES);
	return decision;
}

int scope_pickups_create(struct scope_pickups **ret_pickups)
{
	struct scope_pickups *pickups = calloc(1, sizeof(*pickups));

	if (!pickups)
		return -ENOMEM;
	*ret_pickups = pickups;
	return 0;
}

int scope_pickups_decide(struct scope_pickups *pickups, const struct scope_learner *learner,
			 size_t threads)
{
	if (scope_grow(&pickups->decision, &pickups->capacity, threads, sizeof(*pickups->decision)))
		return -ENOMEM;
	for (; pickups->count < threads; pickups->count++)
		pickups->decision[pickups->count] = decision_of(learner, pickups->count);
	return 0;
}

/* Gaps cut the units of those threads alone that pick up nothing. */
static bool same_pickup(const struct scope_pickup *a, const struct scope_pickup *b)
{
	return a->reads == b->reads && a->nr == b->nr && a->any_object == b->any_object &&
	       a->object == b->object && (scope_pickup_any(a) || a->gap_ns == b->gap_ns);
}

bool scope_pickups_hold(const struct scope_pickups *pickups, const struct scope_learner *learner)
{
	for (size_t i = 0; i < pickups->count; i++) {
		struct decision now = decision_of(learner, i);

		if (!same_pickup(&now.pickup, &pickups->decision[i].pickup) ||
		    memcmp(now.comm, pickups->decision[i].comm, sizeof(now.comm)))
			return false;
	}
	return true;
}

static int learn_all(struct scope_learner *learner, struct scope_trace *trace)
{
	struct scope_event event;
	int more, err = scope_trace_rewind(trace);

	if (err)
		return err;
	while ((more = scope_trace_next(trace, &event)) > 0) {
		err = scope_learner_feed(learner, &event);
		if (err)
			return err;
	}
	return more ? more : scope_learner_finish(learner);
}

int scope_pickups_learn(struct scope_trace *trace, struct scope_pickups **ret_pickups)
{
	struct scope_pickups *pickups = NULL;
	struct scope_learner *learner;
	int err = scope_learner_create(trace, &learner);

	if (err)
		return err;
	err = learn_all(learner, trace);
	if (!err)
		err = scope_pickups_create(&pickups);
	if (!err)
		err = scope_pickups_decide(pickups, learner, scope_learner_threads(learner));
	scope_learner_destroy(learner);
	if (err) {
		scope_pickups_destroy(pickups);
		return err;
	}
	*ret_pickups = pickups;
	return 0;
}

void scope_pickups_destroy(struct scope_pickups *pickups)
{
	if (!pickups)
		return;
	free(pickups->decision);
	free(pickups);
}

size_t scope_pickups_threads(const struct scope_pickups *pickups)
{
	return pickups->count;
}

const char *scope_pickups_comm(const struct scope_pickups *pickups, uint32_t thread)
{
	return pickups->decision[thread].comm;
}

const struct scope_pickup *scope_pickups_of(const struct scope_pickups *pickups, uint32_t thread)
{
	return thread < pickups->count ? &pickups->decision[thread].pickup : NULL;
}

bool scope_pickup_any(const struct scope_pickup *pickup)
{
	return pickup && (pickup->reads || pickup->nr != SCOPE_NR_NONE);
}

enum scope_pickup_match scope_pickup_match(const struct scope_pickup *pickup,
					   const struct scope_open_call *call,
					   enum scope_fd_kind fd)
{
	enum scope_call_role role = scope_call_role_of(call->nr, call->args, call->arg[0]);

	if (role == SCOPE_CALL_ACCEPT || (role == SCOPE_CALL_READ && fd == SCOPE_FD_ACCEPTED))
		return SCOPE_PICKUP_READ;
	if (!pickup || pickup->nr == SCOPE_NR_NONE)
		return SCOPE_PICKUP_NO;
	/* A poll for sleeping is matched by its number and its 0. */
	if (scope_call_role(pickup->nr) == SCOPE_CALL_POLL &&
	    (pickup->any_object || scope_call_is_epoll(pickup->nr)))
		return role == SCOPE_CALL_POLL &&
				       scope_call_is_epoll(call->nr) == scope_call_is_epoll(pickup->nr) &&
				       (pickup->any_object || !call->args ||
					call->arg[0] == pickup->object)
			       ? SCOPE_PICKUP_LOOP
			       : SCOPE_PICKUP_NO;
	if (role == SCOPE_CALL_POLL || call->nr != pickup->nr)
		return SCOPE_PICKUP_NO;
	return pickup->any_object || (call->args && same_object(call->nr, call->arg[0], pickup->object))
		       ? SCOPE_PICKUP_LOOP
		       : SCOPE_PICKUP_NO;
}
