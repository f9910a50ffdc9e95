/* SPDX-License-Identifier: GPL-2.0-only */
/* All units of a trace of text lines, and the data that was needed to cut them. */
#ifndef SCOPE_TESTS_UNITS_OF_H
#define SCOPE_TESTS_UNITS_OF_H

#include "trace_of.h"
#include "unit/distribution.h"
#include "unit/units.h"
#include "pickups_learned.h"

/* The results of a run through a trace: all of its units, and what led to them. */
struct run {
	struct scope_trace *trace;
	struct scope_pickups *pickups;
	struct scope_groups *groups;
	struct scope_distributions *distributions;
	struct scope_units *units;
};

static int keep_all(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct run *run = user;
	return scope_units_keep(run->units, unit, call);
}

static struct run run_of(const char *text)
{
	struct run run = { .trace = trace_of(text) };
	const struct scope_unit_sink sink = { .unit = keep_all, .user = &run };

	assert_int_equal(pickups_learned(run.trace, &run.pickups), 0);
	assert_int_equal(scope_unit_groups_create(run.pickups, &run.groups), 0);
	assert_int_equal(scope_unit_distributions_run(run.trace, run.pickups, run.groups, NULL, &run.distributions), 0);
	assert_int_equal(scope_units_create(run.distributions->run, &run.units), 0);
	assert_int_equal(scope_unit_distributions_replay(run.distributions, run.groups, &sink), 0);
	assert_int_equal(run.units->count, run.distributions->units);
	return run;
}

static void end_run(struct run *run)
{
	scope_units_destroy(run->units);
	scope_unit_distributions_destroy(run->distributions);
	scope_unit_groups_destroy(run->groups);
	scope_unit_pickups_destroy(run->pickups);
	scope_trace_close(run->trace);
}

static inline const struct scope_thread *thread_of(const struct scope_units *units, uint32_t tid)
{
	long index = scope_timeline_threads_find(units->timeline->threads, tid);

	assert_true(index >= 0);
	return scope_timeline_threads_at(units->timeline->threads, index);
}

#endif
