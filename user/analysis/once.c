// SPDX-License-Identifier: GPL-2.0-only
/*
 * Learns how threads pick up work and surveys the units in one run through a trace, where one will do.
 *
 * Which wait is the top of a thread's loop is known for sure only at the end. But nearly always the
 * start of a trace tells, and threads that come later work like those of their name before them. So
 * units are cut by that, and the run goes on learning. Where what was learned no longer leads to the
 * same decisions, it begins again with better ones; in the end all are held against what the whole
 * trace teaches, and where they differ the units are cut once more.
 */
#include "analysis/once.h"

#include <errno.h>
#include <stdlib.h>

#define RESTARTS_MAX 3

struct once {
	struct scope_trace *trace;
	struct scope_surveyed found;
	struct scope_learner *learner; /* on the survey's timeline */
	struct scope_once_course course;
};

void scope_surveyed_destroy(struct scope_surveyed *found)
{
	scope_survey_destroy(found->survey);
	scope_groups_destroy(found->groups);
	scope_pickups_destroy(found->pickups);
	*found = (struct scope_surveyed){0};
}

static void forget(struct once *once)
{
	scope_learner_destroy(once->learner);
	once->learner = NULL;
	scope_surveyed_destroy(&once->found);
}

static int decide(const struct scope_learner *learner, struct scope_pickups **ret_pickups)
{
	struct scope_pickups *pickups;
	int err = scope_pickups_create(&pickups);

	if (err)
		return err;
	err = scope_pickups_decide(pickups, learner, scope_learner_threads(learner));
	if (err) {
		scope_pickups_destroy(pickups);
		return err;
	}
	*ret_pickups = pickups;
	return 0;
}

/* The same of all that there is: the learner is finished. */
static int conclude(const struct scope_learner *learner, struct scope_pickups **ret_pickups)
{
	int err = decide(learner, ret_pickups);

	if (!err)
		scope_pickups_conclude(*ret_pickups, learner);
	return err;
}

/* ret_all: that was the whole trace. */
static int learn_start(struct scope_trace *trace, uint64_t events, struct scope_pickups **ret_pickups,
		       bool *ret_all)
{
	const struct scope_event *event[SCOPE_TRACE_TAKE];
	struct scope_learner *learner;
	int more = 1, err = scope_learner_create(trace, &learner);

	if (err)
		return err;
	err = scope_trace_rewind(trace);
	while (!err && events && (more = scope_trace_take(trace, event, scope_trace_some(events))) > 0) {
		err = scope_learner_feed(learner, event, (size_t)more);
		events -= (uint64_t)more;
	}
	if (!err && more < 0)
		err = more;
	if (!err && !more)
		err = scope_learner_finish(learner);
	if (!err)
		err = more ? decide(learner, ret_pickups) : conclude(learner, ret_pickups);
	if (!err)
		*ret_all = !more;
	scope_learner_destroy(learner);
	return err;
}

/* Takes the pickups over. */
static int begin(struct once *once, struct scope_pickups *pickups)
{
	int err;

	once->found.pickups = pickups;
	err = scope_groups_create(pickups, &once->found.groups);
	if (!err)
		err = scope_survey_begin(once->trace, NULL, pickups, once->found.groups, &once->found.survey);
	if (!err)
		err = scope_survey_learn(once->found.survey, &once->learner);
	return err ? err : scope_trace_rewind(once->trace);
}

/* Better decisions, by what this run has learned. */
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

/* To the end of the trace; check: the number of events behind which decisions are looked at first. */
static int run(struct once *once, uint64_t check)
{
	size_t threads = scope_pickups_threads(once->found.pickups);
	const struct scope_event *event[SCOPE_TRACE_TAKE];
	uint64_t events = 0;
	int more = 0, err = 0;

	while (!err && (more = scope_trace_take(once->trace, event,
						scope_trace_some(check - events))) > 0) {
		err = scope_survey_feed(once->found.survey, event, (size_t)more);
		events += (uint64_t)more;
		if (err || events < check)
			continue;
		check *= 2;
		if (once->course.restarts == RESTARTS_MAX ||
		    scope_pickups_hold(once->found.pickups, once->learner, threads))
			continue;
		err = restart(once);
		threads = err ? 0 : scope_pickups_threads(once->found.pickups);
		events = 0;
	}
	if (!err)
		err = more;
	return err ? err : scope_survey_end(once->found.survey);
}

/* The survey of a trace whose threads are all decided on for good. */
static int survey(struct once *once, struct scope_pickups *pickups)
{
	int err;

	once->found.pickups = pickups;
	err = scope_groups_create(pickups, &once->found.groups);
	return err ? err : scope_survey_run(once->trace, pickups, once->found.groups, &once->found.survey);
}

static int run_all(struct once *once, uint64_t start_events)
{
	struct scope_pickups *pickups;
	bool all;
	int err = learn_start(once->trace, start_events, &pickups, &all);

	if (err)
		return err;
	if (all)
		return survey(once, pickups);
	err = begin(once, pickups);
	if (!err)
		err = run(once, 2 * start_events);
	if (err)
		return err;
	if (scope_pickups_hold(once->found.pickups, once->learner,
			       scope_pickups_threads(once->found.pickups))) {
		scope_pickups_conclude(once->found.pickups, once->learner);
		return 0;
	}
	err = conclude(once->learner, &pickups);
	if (err)
		return err;
	forget(once);
	once->course.twice = true;
	return survey(once, pickups);
}

int scope_once_run(struct scope_trace *trace, uint64_t start_events, struct scope_surveyed *ret_found,
		   struct scope_once_course *ret_course)
{
	struct once once = {.trace = trace};
	int err = run_all(&once, start_events);

	if (err) {
		forget(&once);
		return err;
	}
	scope_learner_destroy(once.learner);
	*ret_found = once.found;
	if (ret_course)
		*ret_course = once.course;
	return 0;
}
