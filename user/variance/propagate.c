// SPDX-License-Identifier: GPL-2.0-only
/*
 * Propagates the sleeps of requests to the threads for which they waited, with the covariance of that time and the
 * latency.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "variance/variance.h"

#define LATE 256	   /* no rule: a request is followed this many stays later, because some come late */
#define UNITS 4096	   /* no rule: requests that wait for that */
#define STEPS_EACH 2048	   /* no rule: of a sleep, until … */
#define STEPS_FREE 1000000 /* no rule: … all have taken this many; then … */
#define STEPS_FEW 64	   /* no rule: … this many */

struct due {
	struct scope_variance_kind *kind;
	uint32_t thread;
	uint64_t begin_ns, end_ns, came; /* stays before it */
};

struct follower {
	const struct scope_distributions *distributions;
	const struct scope_groups *groups;
	struct scope_variance_kind *const *of_group;
	struct scope_history history;
	struct due *due; /* a ring of UNITS */
	unsigned first, count;
	uint64_t stays, steps;
	struct scope_variance_wait *part; /* of the request that is followed; of its sums only the first is used */
	size_t parts, part_capacity;
	uint16_t nr; /* of the sleep that is followed */
};

static bool is_same(const struct scope_variance_wait *a, const struct scope_variance_wait *b)
{
	return a->nr == b->nr && a->end == b->end && a->class == b->class && a->group == b->group;
}

/* Adds time to the part with the same cause. */
static int add_part(struct follower *follower, const struct scope_variance_wait *one, double ns)
{
	size_t at = 0;

	while (at < follower->parts && !is_same(&follower->part[at], one))
		at++;
	if (at == follower->parts) {
		if (scope_grow(&follower->part, &follower->part_capacity, at + 1, sizeof(*one)))
			return -ENOMEM;
		follower->part[follower->parts++] = *one;
	}
	follower->part[at].sums.sum += ns;
	return 0;
}

static uint32_t follow(void *user, uint32_t node, const struct scope_stay *sleep)
{
	(void)user, (void)sleep;
	return node;
}

static int take_part(void *user, const struct scope_part *part)
{
	struct follower *follower = user;
	const bool outside = part->end == SCOPE_END_OUTSIDE || part->end == SCOPE_END_PROCESS;
	const struct scope_groups *groups = follower->groups;
	const struct scope_variance_wait one = {
		.nr = follower->nr,
		.end = part->end == SCOPE_END_LEFT ? SCOPE_END_UNSEEN : part->end,
		.class = outside ? part->class : 0,
		.group = part->thread < groups->threads ? groups->of_thread[part->thread] : 0,
	};

	return add_part(follower, &one, (double)(part->end_ns - part->begin_ns));
}

static int follow_sleep(struct follower *follower, uint32_t thread, const struct scope_stay *sleep)
{
	const struct scope_cascade_listener listener = {
		.follow = follow,
		.part = take_part,
		.steps = follower->steps > STEPS_FREE ? STEPS_FEW : STEPS_EACH,
		.user = follower,
	};
	unsigned steps;
	int err;

	follower->nr = sleep->nr;
	err = scope_waits_cascade_run(&follower->history, thread, sleep, 0, &listener, &steps);
	follower->steps += 1 + steps;
	return err;
}

static int add_to_kind(struct scope_variance_kind *kind, const struct scope_variance_wait *one, double shifted_ns,
		       enum scope_band band)
{
	size_t at = 0;

	while (at < kind->waits && !is_same(&kind->wait[at], one))
		at++;
	if (at == SCOPE_VARIANCE_WAITS)
		return 0;
	if (!kind->wait) {
		kind->wait = calloc(SCOPE_VARIANCE_WAITS, sizeof(*kind->wait));
		if (!kind->wait)
			return -ENOMEM;
	}
	if (at == kind->waits) {
		kind->wait[kind->waits++] = *one;
		kind->wait[at].sums = (struct scope_part_sums){ 0 };
	}
	scope_variance_part_add(&kind->wait[at].sums, one->sums.sum, shifted_ns, band);
	return 0;
}

static int follow_due(struct follower *follower)
{
	const struct due *due = &follower->due[follower->first];
	const struct scope_past_stays *stays = scope_waits_history_of(&follower->history, due->thread);
	const uint64_t ns = due->end_ns - due->begin_ns;
	int err = 0;

	follower->first = (follower->first + 1) % UNITS;
	follower->count--;
	follower->parts = 0;
	for (uint32_t i = stays ? stays->count : 0; !err && i-- && stays->stay[i].end_ns > due->begin_ns;)
		if (!stays->stay[i].queue && stays->stay[i].begin_ns >= due->begin_ns &&
		    stays->stay[i].end_ns <= due->end_ns)
			err = follow_sleep(follower, due->thread, &stays->stay[i]);
	for (size_t i = 0; !err && i < follower->parts; i++)
		err = add_to_kind(due->kind, &follower->part[i], (double)ns - due->kind->shift_ns,
				  scope_variance_band(due->kind, ns));
	return err;
}

static int take_wait(void *user, const struct scope_wait *wait)
{
	struct follower *follower = user;
	const struct scope_stay stay = scope_waits_history_stay(wait);
	int err = 0;

	if (stay.end_ns > stay.begin_ns)
		err = scope_waits_history_add(&follower->history, wait->thread, &stay);
	follower->stays++;
	while (!err && follower->count && follower->due[follower->first].came + LATE <= follower->stays)
		err = follow_due(follower);
	return err;
}

static int take_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct follower *follower = user;
	struct scope_variance_kind *kind = follower->of_group[unit->group];
	int err = 0;

	(void)call;
	if (!kind || !unit->blocked_ns || !scope_unit_is_request(follower->distributions, unit))
		return 0;
	if (follower->count == UNITS)
		err = follow_due(follower);
	follower->due[(follower->first + follower->count++) % UNITS] =
		(struct due){ kind, unit->thread, unit->begin_ns, unit->end_ns, follower->stays };
	return err;
}

int scope_variance_propagate(const struct scope_distributions *distributions, const struct scope_groups *groups,
			     struct scope_variance_kind *const *of_group)
{
	struct follower follower = {
		.distributions = distributions,
		.groups = groups,
		.of_group = of_group,
		.due = calloc(UNITS, sizeof(*follower.due)),
	};
	const struct scope_unit_sink sink = { .unit = take_unit, .wait = take_wait, .user = &follower };
	struct scope_threads *threads = distributions->run->timeline->threads;
	int err = follower.due ? scope_waits_history_know_threads(&follower.history, threads,
								  scope_timeline_threads_count(threads))
			       : -ENOMEM;

	if (!err)
		err = scope_unit_distributions_replay(distributions, groups, &sink);
	while (!err && follower.count)
		err = follow_due(&follower);
	scope_waits_history_free(&follower.history);
	free(follower.due);
	free(follower.part);
	return err;
}
