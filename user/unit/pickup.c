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
#include "unit/lesson.h"

#define DELIVERIES_MIN 5
#define DELIVERED_SHARE 10 /* of a thread's own sleeps, one that it ends at the top of another's loop */

struct scope_learner {
	struct scope_lesson *lesson; /* by thread */
	size_t count, capacity;
	struct scope_timeline *timeline;
};

struct decision {
	struct scope_pickup pickup;
	bool serves;
	char comm[SCOPE_COMM_BYTES];
};

struct scope_pickups {
	struct decision *decision; /* by thread */
	size_t count, capacity;
};

static struct scope_lesson *meet_thread(struct scope_learner *learner, uint32_t thread)
{
	if (scope_grow(&learner->lesson, &learner->capacity, thread + 1, sizeof(*learner->lesson)))
		return NULL;
	while (learner->count <= thread)
		memset(&learner->lesson[learner->count++], 0, sizeof(*learner->lesson));
	return &learner->lesson[thread];
}

/* NULL: no memory. */
static inline struct scope_lesson *get_lesson(struct scope_learner *learner, uint32_t thread)
{
	return thread < learner->count ? &learner->lesson[thread] : meet_thread(learner, thread);
}

static struct scope_wait_key *get_key(struct scope_lesson *lesson, uint16_t nr, uint64_t object)
{
	unsigned i;

	for (i = 0; i < lesson->keys; i++)
		if (lesson->key[i].nr == nr && lesson->key[i].object == object)
			return &lesson->key[i];
	if (i == SCOPE_LESSON_KEYS)
		return NULL;
	lesson->key[i] = (struct scope_wait_key){.nr = nr, .object = object};
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
static void learn_poll(struct scope_learner *learner, struct scope_lesson *lesson,
		       const struct scope_thread *thread, const struct scope_open_call *call)
{
	const enum scope_call_role role = scope_call_role_of(call->nr, call->args, call->arg[0]);
	const bool epoll = scope_call_is_epoll(call->nr);
	struct scope_wait_key *key;

	if (role == SCOPE_CALL_POLL) {
		epoll ? lesson->epolls++ : lesson->polls++;
		key = epoll && call->args ? get_key(lesson, SYS_epoll_pwait, call->arg[0]) : NULL;
		lesson->waited = key ? key - lesson->key : SCOPE_LESSON_NO_KEY;
		if (key)
			key->count++;
		/* One that does not say which it was tells nothing. */
		lesson->polled = !epoll || key;
	} else if (lesson->polled && role == SCOPE_CALL_WRITE && call->args) {
		if (scope_fds_kind(learner->timeline->fds, thread->tgid, (int32_t)call->arg[0]) !=
		    SCOPE_FD_ACCEPTED)
			return;
		lesson->polled = false;
		if (lesson->waited == SCOPE_LESSON_NO_KEY)
			lesson->inner_polls++;
		else
			lesson->key[lesson->waited].inner++;
	}
}

static void learn_answer(struct scope_learner *learner, struct scope_lesson *lesson,
			 const struct scope_thread *thread, const struct scope_open_call *call)
{
	if (!lesson->answers && call->args && scope_call_role(call->nr) == SCOPE_CALL_WRITE &&
	    scope_fds_kind(learner->timeline->fds, thread->tgid, (int32_t)call->arg[0]) ==
		    SCOPE_FD_ACCEPTED)
		lesson->answers = true;
}

SCOPE_TAKE int learn_enter(void *user, const struct scope_thread *thread,
		       const struct scope_open_call *call)
{
	struct scope_lesson *lesson = get_lesson(user, thread->index);
	uint64_t gap;
	int bucket = 0;

	if (!lesson)
		return -ENOMEM;
	if (lesson->last_exit_ns && call->enter_ns > lesson->last_exit_ns) {
		gap = call->enter_ns - lesson->last_exit_ns;
		bucket = 63 - __builtin_clzll(gap);
		lesson->gap[bucket < SCOPE_LESSON_GAPS ? bucket : SCOPE_LESSON_GAPS - 1]++;
	}
	learn_poll(user, lesson, thread, call);
	learn_answer(user, lesson, thread, call);
	/* A thread that wakes others from a futex it sleeps on itself holds it as a lock. */
	if (call->nr == SYS_futex && call->args >= 2 &&
	    ((call->arg[1] & FUTEX_CMD_MASK) == FUTEX_WAKE ||
	     (call->arg[1] & FUTEX_CMD_MASK) == FUTEX_UNLOCK_PI)) {
		struct scope_wait_key *key = get_key(lesson, SYS_futex, call->arg[0]);

		if (key)
			key->lock = true;
	}
	return 0;
}

static void take_work(struct scope_lesson *lesson)
{
	lesson->reads++;
	if (lesson->polled && lesson->waited != SCOPE_LESSON_NO_KEY)
		lesson->key[lesson->waited].taken++;
	lesson->polled = false;
}

SCOPE_TAKE int learn_exit(void *user, const struct scope_thread *thread,
		      const struct scope_open_call *call, int64_t ret, uint64_t exit_ns)
{
	struct scope_learner *learner = user;
	struct scope_lesson *lesson = get_lesson(learner, thread->index);
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

/* Told to the thread that ended the sleep: the sleeper may have waited for what it hands over. */
static int learn_delivery(struct scope_learner *learner, const struct scope_wait *wait)
{
	struct scope_lesson *lesson;
	unsigned i;

	if (wait->waker < 0 || wait->lock || (uint32_t)wait->waker == wait->thread)
		return 0;
	lesson = get_lesson(learner, wait->waker);
	if (!lesson)
		return -ENOMEM;
	for (i = 0; i < lesson->deliveries; i++)
		if (lesson->delivery[i].thread == wait->thread &&
		    lesson->delivery[i].nr == wait->nr &&
		    lesson->delivery[i].object == wait->object)
			break;
	if (i == SCOPE_LESSON_DELIVERIES) {
		lesson->delivered++;
		return 0;
	}
	if (i == lesson->deliveries)
		lesson->delivery[lesson->deliveries++] = (struct scope_delivery){
			.thread = wait->thread, .nr = wait->nr, .object = wait->object,
		};
	lesson->delivery[i].count++;
	return 0;
}

static int learn_wait(void *user, const struct scope_wait *wait)
{
	struct scope_learner *learner = user;
	struct scope_lesson *lesson = get_lesson(learner, wait->thread);
	uint32_t tgid = scope_threads_at(learner->timeline->threads, wait->thread)->tgid;
	enum scope_call_role role = wait->class == SCOPE_WAIT_TIMER ? SCOPE_CALL_SLEEP
								    : scope_call_role(wait->nr);
	struct scope_wait_key *key;

	if (!lesson || learn_delivery(learner, wait))
		return -ENOMEM;
	lesson = get_lesson(learner, wait->thread); /* another one's may have moved it */
	lesson->waits++;
	if (!may_be_loop(role, scope_fds_kind(learner->timeline->fds, tgid, (int32_t)wait->object)))
		return 0;
	key = get_key(lesson, wait->nr, role == SCOPE_CALL_SLEEP ? 0 : wait->object);
	if (key)
		key->count++;
	/* Workers that are handed connections sleep, and read behind it. */
	if (key && role == SCOPE_CALL_FUTEX && !wait->lock && !lesson->polled) {
		lesson->polled = true;
		lesson->waited = key - lesson->key;
	}
	return 0;
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
		scope_lesson_decide(&learner->lesson[thread], &decision.pickup);
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

/* Does it hand over to threads that serve, at the top of their loops? */
static bool delivers(const struct scope_pickups *pickups, const struct scope_lesson *lesson)
{
	uint64_t times = lesson->delivered;

	for (unsigned i = 0; i < lesson->deliveries; i++) {
		const struct scope_delivery *delivery = &lesson->delivery[i];
		const struct scope_open_call call = {
			.nr = delivery->nr, .args = 1, .arg = {delivery->object},
		};

		if (scope_pickups_serves(pickups, delivery->thread) &&
		    scope_pickup_match(scope_pickups_of(pickups, delivery->thread), &call,
				       SCOPE_FD_UNKNOWN) == SCOPE_PICKUP_LOOP)
			times += delivery->count;
	}
	return times >= DELIVERIES_MIN && times * DELIVERED_SHARE >= lesson->waits;
}

void scope_pickups_conclude(struct scope_pickups *pickups, const struct scope_learner *learner)
{
	bool more = true;

	for (size_t i = 0; i < pickups->count && i < learner->count; i++)
		pickups->decision[i].serves = learner->lesson[i].reads || learner->lesson[i].answers;
	/* Down chains of threads that hand over to one another. */
	while (more) {
		more = false;
		for (size_t i = 0; i < pickups->count && i < learner->count; i++)
			if (!pickups->decision[i].serves &&
			    delivers(pickups, &learner->lesson[i]))
				more = pickups->decision[i].serves = true;
	}
}

bool scope_pickups_serves(const struct scope_pickups *pickups, uint32_t thread)
{
	return thread < pickups->count && pickups->decision[thread].serves;
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
	if (!err)
		scope_pickups_conclude(pickups, learner);
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
	return pickup->any_object ||
			       (call->args && scope_lesson_same_object(call->nr, call->arg[0],
								       pickup->object))
		       ? SCOPE_PICKUP_LOOP
		       : SCOPE_PICKUP_NO;
}
