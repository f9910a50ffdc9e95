// SPDX-License-Identifier: GPL-2.0-only
/*
 * Learns how threads pick up work and counts their units, if possible in one run through a trace.
 *
 * Which wait is the top of a thread's loop is certain only at the end. But nearly always the start
 * of a trace shows it, and later threads work like earlier ones of the same name. So units are cut
 * by what the start shows, and the run goes on learning. If later decisions differ, the run begins
 * again with these. At the end all decisions are compared with those of the whole trace; if they
 * differ, the units are cut once more.
 */
#include "analysis/single_pass.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/feed.h"

#define RESTARTS_MAX 3 /* no rule */

struct once {
	struct scope_trace *trace;
	const struct scope_listeners *listeners;
	struct scope_found_units found;
	struct scope_learner *learner; /* on the distributions' timeline */
	struct scope_single_pass_course course;
};

void scope_analysis_found_units_destroy(struct scope_found_units *found)
{
	scope_unit_distributions_destroy(found->distributions);
	scope_unit_groups_destroy(found->groups);
	scope_unit_pickups_destroy(found->pickups);
	*found = (struct scope_found_units){ 0 };
}

static void forget(struct once *once)
{
	scope_unit_learner_destroy(once->learner);
	once->learner = NULL;
	scope_analysis_found_units_destroy(&once->found);
}

static int decide(const struct scope_learner *learner, struct scope_pickups **ret_pickups)
{
	struct scope_pickups *pickups;
	int err = scope_unit_pickups_create(&pickups);

	if (err)
		return err;
	err = scope_unit_pickups_decide(pickups, learner, scope_unit_learner_threads(learner));
	if (err) {
		scope_unit_pickups_destroy(pickups);
		return err;
	}
	*ret_pickups = pickups;
	return 0;
}

/* The same from the whole trace: ends learning. */
static int conclude(const struct scope_learner *learner, struct scope_pickups **ret_pickups)
{
	int err = decide(learner, ret_pickups);

	if (!err)
		scope_unit_pickups_conclude(*ret_pickups, learner);
	return err;
}

static int feed_learner(void *user, const struct scope_event *const *event, size_t count)
{
	return scope_unit_learner_feed(user, event, count);
}

/* ret_all: the whole trace was read. */
static int learn_start(struct scope_trace *trace, uint64_t events, struct scope_pickups **ret_pickups, bool *ret_all)
{
	struct scope_learner *learner;
	int more = 1, err = scope_unit_learner_create(trace, &learner);

	if (err)
		return err;
	err = scope_trace_rewind(trace);
	if (!err)
		more = scope_trace_feed(trace, events, feed_learner, learner);
	if (!err && more < 0)
		err = more;
	if (!err && !more)
		err = scope_unit_learner_finish(learner);
	if (!err)
		err = more ? decide(learner, ret_pickups) : conclude(learner, ret_pickups);
	if (!err)
		*ret_all = !more;
	scope_unit_learner_destroy(learner);
	return err;
}

/* Owns the pickups from here on. */
static int begin(struct once *once, struct scope_pickups *pickups)
{
	int err;

	once->found.pickups = pickups;
	err = scope_unit_groups_create(pickups, &once->found.groups);
	if (!err)
		err = scope_unit_distributions_begin(once->trace, NULL, pickups, once->found.groups, once->listeners,
						     &once->found.distributions);
	if (!err)
		err = scope_unit_distributions_learn(once->found.distributions, &once->learner);
	return err ? err : scope_trace_rewind(once->trace);
}

/* Makes better decisions from what this run has learned. */
static int restart(struct once *once)
{
	struct scope_pickups *pickups;
	int err = decide(once->learner, &pickups);

	if (err)
		return err;
	forget(once);
	once->course.restarts++;
	return begin(once, pickups);
}

static int feed_distributions(void *user, const struct scope_event *const *event, size_t count)
{
	return scope_unit_distributions_feed(user, event, count);
}

/* Runs to the end of the trace; check: the number of events before the first check of the decisions. */
static int run(struct once *once, uint64_t check)
{
	size_t threads = scope_unit_pickups_threads(once->found.pickups);
	uint64_t events = 0;
	int more, err;

	while ((more = scope_trace_feed(once->trace, check - events, feed_distributions, once->found.distributions)) >
	       0) {
		events = check;
		check *= 2;
		if (once->course.restarts == RESTARTS_MAX ||
		    scope_unit_pickups_unchanged(once->found.pickups, once->learner, threads))
			continue;
		err = restart(once);
		if (err)
			return err;
		threads = scope_unit_pickups_threads(once->found.pickups);
		events = 0;
	}
	return more ? more : scope_unit_distributions_end(once->found.distributions);
}

/* Cuts the units of a trace whose decisions are final. */
static int distributions(struct once *once, struct scope_pickups *pickups)
{
	int err;

	once->found.pickups = pickups;
	err = scope_unit_groups_create(pickups, &once->found.groups);
	return err ? err
		   : scope_unit_distributions_run(once->trace, pickups, once->found.groups, once->listeners,
						  &once->found.distributions);
}

static int run_all(struct once *once, uint64_t start_events)
{
	struct scope_pickups *pickups;
	bool all;
	int err = learn_start(once->trace, start_events, &pickups, &all);

	if (err)
		return err;
	if (all)
		return distributions(once, pickups);
	err = begin(once, pickups);
	if (!err)
		err = run(once, 2 * start_events);
	if (err)
		return err;
	if (scope_unit_pickups_unchanged(once->found.pickups, once->learner,
					 scope_unit_pickups_threads(once->found.pickups))) {
		scope_unit_pickups_conclude(once->found.pickups, once->learner);
		return 0;
	}
	err = conclude(once->learner, &pickups);
	if (err)
		return err;
	forget(once);
	once->course.twice = true;
	return distributions(once, pickups);
}

int scope_analysis_single_pass_run(struct scope_trace *trace, uint64_t start_events,
				   const struct scope_listeners *listeners, struct scope_found_units *ret_found,
				   struct scope_single_pass_course *ret_course)
{
	struct once once = { .trace = trace, .listeners = listeners };
	int err = run_all(&once, start_events);

	if (err) {
		forget(&once);
		return err;
	}
	scope_unit_learner_destroy(once.learner);
	*ret_found = once.found;
	if (ret_course)
		*ret_course = once.course;
	return 0;
}
