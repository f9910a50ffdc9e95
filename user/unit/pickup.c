// SPDX-License-Identifier: GPL-2.0-only
/* How each thread picks up work, learned from its own trace. */
#include "unit/pickup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/grow.h"
#include "trace/feed.h"
#include "unit/learner.h"

#define DELIVERIES_MIN 5
#define DELIVERED_SHARE 10 /* ratio of a thread's own sleeps to those it ends at the top of another's loop */

struct decision {
	struct scope_pickup pickup;
	bool serves;
	char comm[SCOPE_PLAIN_COMM_BYTES];
};

struct scope_pickups {
	struct decision *decision; /* by thread */
	size_t count, capacity;
};

/* Decides about a thread by what was learned so far. */
static struct decision decision_of(const struct scope_learner *learner, size_t thread)
{
	struct decision decision = { .pickup.nr = SCOPE_NR_NONE };

	if (thread < learner->count)
		scope_unit_thread_stats_decide(
			&learner->stats[thread],
			learner->stats[thread].owns &&
				scope_unit_learner_serves(
					learner, scope_timeline_threads_at(learner->timeline->threads, thread)->tgid),
			&decision.pickup);
	if (decision.pickup.reads && !learner->stats[thread].answers)
		decision.pickup.unanswered = !scope_unit_learner_answers(
			learner, scope_timeline_threads_at(learner->timeline->threads, thread)->tgid);
	if (thread < scope_unit_learner_threads(learner))
		memcpy(decision.comm, scope_timeline_threads_at(learner->timeline->threads, thread)->comm,
		       SCOPE_PLAIN_COMM_BYTES);
	return decision;
}

int scope_unit_pickups_create(struct scope_pickups **ret_pickups)
{
	struct scope_pickups *pickups = calloc(1, sizeof(*pickups));

	if (!pickups)
		return -ENOMEM;
	*ret_pickups = pickups;
	return 0;
}

int scope_unit_pickups_decide(struct scope_pickups *pickups, const struct scope_learner *learner, size_t threads)
{
	if (scope_grow(&pickups->decision, &pickups->capacity, threads, sizeof(*pickups->decision)))
		return -ENOMEM;
	for (; pickups->count < threads; pickups->count++)
		pickups->decision[pickups->count] = decision_of(learner, pickups->count);
	return 0;
}

/* Gaps cut only the units of threads that pick up no work. */
static bool same_pickup(const struct scope_pickup *a, const struct scope_pickup *b)
{
	if (a->foreigns != b->foreigns)
		return false;
	for (unsigned i = 0; i < a->foreigns; i++)
		if (a->foreign[i].nr != b->foreign[i].nr || a->foreign[i].object != b->foreign[i].object)
			return false;
	return a->reads == b->reads && a->unanswered == b->unanswered && a->datagrams == b->datagrams &&
	       a->nr == b->nr && a->any_object == b->any_object && a->object == b->object &&
	       (scope_unit_pickup_any(a) || a->gap_ns == b->gap_ns);
}

#define ALIKE_RECENT 256 /* earlier threads that a new one may be similar to */

static const struct decision *find_name(const struct scope_pickups *pickups, const char *comm)
{
	for (size_t i = pickups->count; i-- > 0 && pickups->count - i <= ALIKE_RECENT;)
		if (!memcmp(pickups->decision[i].comm, comm, SCOPE_PLAIN_COMM_BYTES))
			return &pickups->decision[i];
	return NULL;
}

int scope_unit_pickups_guess(struct scope_pickups *pickups, const struct scope_learner *learner, size_t threads)
{
	if (scope_grow(&pickups->decision, &pickups->capacity, threads, sizeof(*pickups->decision)))
		return -ENOMEM;
	while (pickups->count < threads) {
		struct decision decision = decision_of(learner, pickups->count);
		const struct decision *like = find_name(pickups, decision.comm);

		pickups->decision[pickups->count++] = like ? *like : decision;
	}
	return 0;
}

bool scope_unit_pickups_unchanged(const struct scope_pickups *pickups, const struct scope_learner *learner,
				  size_t threads)
{
	for (size_t i = 0; i < threads; i++) {
		struct decision now = decision_of(learner, i);

		if (!same_pickup(&now.pickup, &pickups->decision[i].pickup) ||
		    memcmp(now.comm, pickups->decision[i].comm, sizeof(now.comm)))
			return false;
	}
	return true;
}

/* True if it passes work to threads that serve, at the top of their loops. */
static bool delivers(const struct scope_pickups *pickups, const struct scope_thread_stats *stats)
{
	uint64_t times = stats->delivered;

	for (unsigned i = 0; i < stats->deliveries; i++) {
		const struct scope_delivery *delivery = &stats->delivery[i];
		const struct scope_open_call call = {
			.nr = delivery->nr,
			.args = 1,
			.arg = { delivery->object },
		};

		if (scope_unit_pickups_serves(pickups, delivery->thread) &&
		    scope_unit_pickup_match(scope_unit_pickups_of(pickups, delivery->thread), &call,
					    SCOPE_FD_UNKNOWN) == SCOPE_PICKUP_LOOP)
			times += delivery->count;
	}
	return times >= DELIVERIES_MIN && times * DELIVERED_SHARE >= stats->waits;
}

/* True if it writes datagrams where another thread of its process reads those of clients. */
static bool answers_for_other(const struct scope_learner *learner, size_t thread)
{
	const struct scope_thread_stats *stats = &learner->stats[thread];
	const uint32_t tgid = scope_timeline_threads_at(learner->timeline->threads, thread)->tgid;

	if (stats->sent < SCOPE_THREAD_STATS_REPLIES_MIN || !stats->sent_votes)
		return false;
	for (size_t i = 0; i < learner->count; i++)
		if (learner->stats[i].read_votes && learner->stats[i].read_fd == stats->sent_fd &&
		    scope_timeline_threads_at(learner->timeline->threads, i)->tgid == tgid)
			return true;
	return false;
}

/*
 * True if it takes its work from io_uring, in a process of which no thread is known to serve clients otherwise. What is accepted, read and
 * written there is no call.
 */
static bool serves_by_uring(const struct scope_pickups *pickups, const struct scope_learner *learner, size_t thread)
{
	const uint32_t tgid = scope_timeline_threads_at(learner->timeline->threads, thread)->tgid;

	if (!scope_timeline_call_is_uring(pickups->decision[thread].pickup.nr))
		return false;
	for (size_t i = 0; i < pickups->count && i < learner->count; i++)
		if (pickups->decision[i].serves && !scope_timeline_call_is_uring(pickups->decision[i].pickup.nr) &&
		    scope_timeline_threads_at(learner->timeline->threads, i)->tgid == tgid)
			return false;
	return true;
}

void scope_unit_pickups_conclude(struct scope_pickups *pickups, const struct scope_learner *learner)
{
	bool more = true;

	for (size_t i = 0; i < pickups->count && i < learner->count; i++)
		pickups->decision[i].serves = learner->stats[i].reads || learner->stats[i].answers ||
					      pickups->decision[i].pickup.datagrams || answers_for_other(learner, i);
	for (size_t i = 0; i < pickups->count && i < learner->count; i++)
		pickups->decision[i].serves |= serves_by_uring(pickups, learner, i);
	/* Follows chains of threads that pass work to one another. */
	while (more) {
		more = false;
		for (size_t i = 0; i < pickups->count && i < learner->count; i++)
			if (!pickups->decision[i].serves &&
			    (!learner->stats[i].waits || scope_unit_pickup_any(&pickups->decision[i].pickup)) &&
			    delivers(pickups, &learner->stats[i]))
				more = pickups->decision[i].serves = true;
	}
}

bool scope_unit_pickups_serves(const struct scope_pickups *pickups, uint32_t thread)
{
	return thread < pickups->count && pickups->decision[thread].serves;
}

bool scope_unit_pickups_background(const struct scope_pickups *pickups, struct scope_threads *threads, uint32_t thread)
{
	const uint32_t tgid = scope_timeline_threads_at(threads, thread)->tgid;

	if (scope_unit_pickups_serves(pickups, thread))
		return false;
	for (size_t i = 0; i < pickups->count; i++)
		if (pickups->decision[i].serves && scope_timeline_threads_at(threads, i)->tgid == tgid)
			return true;
	return false;
}

void scope_unit_pickups_destroy(struct scope_pickups *pickups)
{
	if (!pickups)
		return;
	free(pickups->decision);
	free(pickups);
}

size_t scope_unit_pickups_threads(const struct scope_pickups *pickups)
{
	return pickups->count;
}

const char *scope_unit_pickups_comm(const struct scope_pickups *pickups, uint32_t thread)
{
	return pickups->decision[thread].comm;
}

const struct scope_pickup *scope_unit_pickups_of(const struct scope_pickups *pickups, uint32_t thread)
{
	return thread < pickups->count ? &pickups->decision[thread].pickup : NULL;
}

bool scope_unit_pickup_foreign(const struct scope_pickup *pickup, const struct scope_open_call *call)
{
	struct scope_poll_site site;

	if (!pickup || !pickup->foreigns || !call->args ||
	    scope_timeline_call_role_of(call->nr, call->args, call->arg[0]) != SCOPE_CALL_POLL)
		return false;
	site = scope_unit_poll_site_of(call);
	for (unsigned i = 0; i < pickup->foreigns; i++)
		if (pickup->foreign[i].nr == site.nr && pickup->foreign[i].object == site.object)
			return true;
	return false;
}

bool scope_unit_pickup_any(const struct scope_pickup *pickup)
{
	return pickup && (pickup->reads || pickup->nr != SCOPE_NR_NONE);
}

enum scope_unit_pickup_match scope_unit_pickup_match(const struct scope_pickup *pickup,
						     const struct scope_open_call *call, enum scope_fd_kind fd)
{
	enum scope_timeline_call_role role = scope_timeline_call_role_of(call->nr, call->args, call->arg[0]);

	if (role == SCOPE_CALL_ACCEPT || (role == SCOPE_CALL_READ && fd == SCOPE_FD_ACCEPTED))
		return SCOPE_PICKUP_READ;
	if (!pickup || pickup->nr == SCOPE_NR_NONE)
		return SCOPE_PICKUP_NO;
	/* A poll for sleeping is matched by its number and its 0. */
	if (scope_timeline_call_role(pickup->nr) == SCOPE_CALL_POLL && pickup->any_object)
		return role == SCOPE_CALL_POLL &&
				       scope_timeline_call_is_epoll(call->nr) ==
					       scope_timeline_call_is_epoll(pickup->nr) &&
				       !scope_unit_pickup_foreign(pickup, call)
			       ? SCOPE_PICKUP_LOOP
			       : SCOPE_PICKUP_NO;
	if (role == SCOPE_CALL_POLL || call->nr != pickup->nr)
		return SCOPE_PICKUP_NO;
	return pickup->any_object ||
			       (call->args && scope_timeline_wait_same_object(call->nr, call->arg[0], pickup->object))
		       ? SCOPE_PICKUP_LOOP
		       : SCOPE_PICKUP_NO;
}
