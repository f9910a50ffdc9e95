// SPDX-License-Identifier: GPL-2.0-only
/* How each thread picks up work, learned from its own trace. */
#include "unit/pickup.h"

#include <linux/futex.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/grow.h"

#define WAIT_KEYS 32	/* different waits remembered per thread */
#define GAP_BUCKETS 40	/* powers of two of ns */
#define GAP_MIN_CALLS 100

struct wait_key {
	uint16_t nr;
	uint64_t object;
	uint32_t count;
	bool lock;
};

struct learner {
	struct scope_pickup pickup;
	uint32_t epolls, polls, reads;
	struct wait_key key[WAIT_KEYS];
	unsigned keys;
	uint64_t last_exit_ns;
	uint32_t gap[GAP_BUCKETS];
	char comm[SCOPE_COMM_BYTES];
};

struct scope_pickups {
	struct learner *learner;
	size_t count, capacity;
	struct scope_timeline *timeline;
};

static struct learner *get_learner(struct scope_pickups *pickups, uint32_t thread)
{
	if (scope_grow(&pickups->learner, &pickups->capacity, thread + 1,
		       sizeof(*pickups->learner)))
		return NULL;
	while (pickups->count <= thread)
		pickups->learner[pickups->count++] =
			(struct learner){.pickup.nr = SCOPE_NR_NONE};
	return &pickups->learner[thread];
}

static bool is_epoll(uint16_t nr)
{
#ifdef SYS_epoll_wait
	if (nr == SYS_epoll_wait)
		return true;
#endif
	return nr == SYS_epoll_pwait
#ifdef SYS_epoll_pwait2
	       || nr == SYS_epoll_pwait2
#endif
		;
}

static struct wait_key *get_key(struct learner *learner, uint16_t nr, uint64_t object)
{
	unsigned i;

	for (i = 0; i < learner->keys; i++)
		if (learner->key[i].nr == nr && learner->key[i].object == object)
			return &learner->key[i];
	if (i == WAIT_KEYS)
		return NULL;
	learner->key[i] = (struct wait_key){.nr = nr, .object = object};
	learner->keys++;
	return &learner->key[i];
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

static int learn_enter(void *user, uint32_t thread, const struct scope_open_call *call)
{
	struct learner *learner = get_learner(user, thread);
	uint64_t gap;
	int bucket = 0;

	if (!learner)
		return -ENOMEM;
	if (learner->last_exit_ns && call->enter_ns > learner->last_exit_ns) {
		gap = call->enter_ns - learner->last_exit_ns;
		bucket = 63 - __builtin_clzll(gap);
		learner->gap[bucket < GAP_BUCKETS ? bucket : GAP_BUCKETS - 1]++;
	}
	if (scope_call_role(call->nr) == SCOPE_CALL_POLL)
		is_epoll(call->nr) ? learner->epolls++ : learner->polls++;
	/* A thread that wakes others from a futex it sleeps on itself holds it as a lock. */
	if (call->nr == SYS_futex && call->args >= 2 &&
	    ((call->arg[1] & FUTEX_CMD_MASK) == FUTEX_WAKE ||
	     (call->arg[1] & FUTEX_CMD_MASK) == FUTEX_UNLOCK_PI)) {
		struct wait_key *key = get_key(learner, SYS_futex, call->arg[0]);

		if (key)
			key->lock = true;
	}
	return 0;
}

static int learn_exit(void *user, uint32_t thread, const struct scope_open_call *call, int64_t ret,
		      uint64_t exit_ns)
{
	struct scope_pickups *pickups = user;
	struct learner *learner = get_learner(pickups, thread);
	enum scope_call_role role = scope_call_role(call->nr);
	uint32_t tgid = scope_threads_at(pickups->timeline->threads, thread)->tgid;
	enum scope_fd_kind fd = SCOPE_FD_UNKNOWN;

	if (!learner)
		return -ENOMEM;
	learner->last_exit_ns = exit_ns;
	if (call->args)
		fd = scope_fds_kind(pickups->timeline->fds, tgid, (int32_t)call->arg[0]);
	if ((role == SCOPE_CALL_ACCEPT && ret >= 0) ||
		 (role == SCOPE_CALL_READ && fd == SCOPE_FD_ACCEPTED && ret > 0))
		learner->reads++;
	return 0;
}

static int learn_wait(void *user, const struct scope_wait *wait)
{
	struct scope_pickups *pickups = user;
	struct learner *learner = get_learner(pickups, wait->thread);
	uint32_t tgid = scope_threads_at(pickups->timeline->threads, wait->thread)->tgid;
	enum scope_call_role role = scope_call_role(wait->nr);
	struct wait_key *key;

	if (!learner)
		return -ENOMEM;
	if (!may_be_loop(role, scope_fds_kind(pickups->timeline->fds, tgid, (int32_t)wait->object)))
		return 0;
	key = get_key(learner, wait->nr, role == SCOPE_CALL_SLEEP ? 0 : wait->object);
	if (key)
		key->count++;
	return 0;
}

static uint64_t gap_p99(const struct learner *learner)
{
	uint64_t total = 0, seen = 0;

	for (int i = 0; i < GAP_BUCKETS; i++)
		total += learner->gap[i];
	if (total < GAP_MIN_CALLS)
		return 0;
	for (int i = 0; i < GAP_BUCKETS; i++) {
		seen += learner->gap[i];
		if (seen * 100 >= total * 99)
			return 2ull << i;
	}
	return 0;
}

static void decide(struct learner *learner)
{
	struct scope_pickup *pickup = &learner->pickup;
	const struct wait_key *best = NULL;

	pickup->reads = learner->reads > 0;
	pickup->gap_ns = gap_p99(learner);
	if (learner->epolls || learner->polls) {
		/* Several numbers may serve one loop (epoll_wait, epoll_pwait): match by family. */
		pickup->nr = learner->epolls ? SYS_epoll_pwait : SYS_ppoll;
		pickup->any_object = true;
		return;
	}
	if (pickup->reads)
		return;
	for (unsigned i = 0; i < learner->keys; i++)
		if (!learner->key[i].lock && learner->key[i].count >= 2 &&
		    (!best || learner->key[i].count > best->count))
			best = &learner->key[i];
	if (best) {
		pickup->nr = best->nr;
		pickup->object = best->object;
		pickup->any_object = scope_call_role(best->nr) == SCOPE_CALL_SLEEP;
	}
}

/* What only the end of the trace tells: the names, and the decisions. */
static int finish(struct scope_pickups *pickups)
{
	size_t threads = scope_threads_count(pickups->timeline->threads);

	if (threads && !get_learner(pickups, threads - 1))
		return -ENOMEM;
	for (size_t i = 0; i < threads; i++) {
		memcpy(pickups->learner[i].comm,
		       scope_threads_at(pickups->timeline->threads, i)->comm, SCOPE_COMM_BYTES);
		decide(&pickups->learner[i]);
	}
	return 0;
}

int scope_pickups_learn(struct scope_trace *trace, struct scope_pickups **ret_pickups)
{
	static const struct scope_timeline_ops ops = {
		.enter = learn_enter,
		.exit = learn_exit,
		.wait = learn_wait,
	};
	struct scope_pickups *pickups = calloc(1, sizeof(*pickups));
	int err;

	if (!pickups)
		return -ENOMEM;
	err = scope_timeline_create(trace, &pickups->timeline);
	if (!err)
		err = scope_timeline_run(pickups->timeline, trace, &ops, pickups);
	if (!err)
		err = finish(pickups);
	scope_timeline_destroy(pickups->timeline);
	pickups->timeline = NULL;
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
	free(pickups->learner);
	free(pickups);
}

size_t scope_pickups_threads(const struct scope_pickups *pickups)
{
	return pickups->count;
}

const char *scope_pickups_comm(const struct scope_pickups *pickups, uint32_t thread)
{
	return pickups->learner[thread].comm;
}

const struct scope_pickup *scope_pickups_of(const struct scope_pickups *pickups, uint32_t thread)
{
	return thread < pickups->count ? &pickups->learner[thread].pickup : NULL;
}

bool scope_pickup_any(const struct scope_pickup *pickup)
{
	return pickup && (pickup->reads || pickup->nr != SCOPE_NR_NONE);
}

enum scope_pickup_match scope_pickup_match(const struct scope_pickup *pickup,
					   const struct scope_open_call *call,
					   enum scope_fd_kind fd)
{
	enum scope_call_role role = scope_call_role(call->nr);

	if (role == SCOPE_CALL_ACCEPT || (role == SCOPE_CALL_READ && fd == SCOPE_FD_ACCEPTED))
		return SCOPE_PICKUP_READ;
	if (!pickup || pickup->nr == SCOPE_NR_NONE)
		return SCOPE_PICKUP_NO;
	if (role == SCOPE_CALL_POLL)
		return scope_call_role(pickup->nr) == SCOPE_CALL_POLL &&
				       is_epoll(call->nr) == is_epoll(pickup->nr)
			       ? SCOPE_PICKUP_LOOP
			       : SCOPE_PICKUP_NO;
	if (call->nr != pickup->nr)
		return SCOPE_PICKUP_NO;
	return pickup->any_object || (call->args && call->arg[0] == pickup->object)
		       ? SCOPE_PICKUP_LOOP
		       : SCOPE_PICKUP_NO;
}
