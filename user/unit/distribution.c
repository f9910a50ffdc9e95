// SPDX-License-Identifier: GPL-2.0-only
/* Distributions over all units of a trace by group and vector, without keeping any unit. */
#include "unit/distribution.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/feed.h"
#include "unit/distributor.h"
#include "unit/histogram.h"
#include "unit/unit_tally.h"

/* The descriptor's number may be that of another connection later. */
static int32_t named_of(const struct scope_distributor *distributor, uint32_t thread, int32_t fd)
{
	const struct scope_timeline *timeline = distributor->distributions->run->timeline;

	return scope_timeline_fds_named(timeline->fds, scope_timeline_threads_at(timeline->threads, thread)->tgid, fd);
}

static int add_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct scope_distributor *distributor = user;
	struct scope_unit_earlier named;

	if (unit->earlier && unit->earlier->class == SCOPE_WAIT_NETWORK) {
		named = *unit->earlier;
		named.object = (uint64_t)named_of(distributor, unit->thread, (int32_t)named.object);
		unit->earlier = &named;
	}
	return scope_unit_distributions_take(distributor->distributions, unit, call);
}

static int add_wait(void *user, const struct scope_wait *wait)
{
	const struct scope_distributor *distributor = user;
	struct scope_wait named = *wait;

	if (wait->class == SCOPE_WAIT_NETWORK && !wait->queue && wait->object <= INT32_MAX)
		named.object = (uint64_t)named_of(distributor, wait->thread, (int32_t)wait->object);
	return scope_unit_log_wait(distributor->distributions->log, &named);
}

static int add_stack(void *user, const struct scope_unit_stack *stack, const struct scope_event *event)
{
	const struct scope_distributor *distributor = user;
	struct scope_threads *threads = distributor->distributions->run->timeline->threads;

	return scope_unit_log_stack(distributor->distributions->log, stack, distributor->trace, event,
				    scope_timeline_threads_at(threads, stack->thread)->tgid);
}

static int add_snapshot(void *user, const struct scope_logged_stack *snapshot)
{
	const struct scope_distributor *distributor = user;

	return scope_unit_log_snapshot(distributor->distributions->log, snapshot);
}

static int add_state(void *user, uint32_t thread, const struct scope_event *event)
{
	const struct scope_distributor *distributor = user;

	return scope_unit_log_state(distributor->distributions->log, thread, event);
}

static int add_late(void *user, uint32_t thread, const struct scope_late_wait *wait)
{
	const struct scope_distributor *distributor = user;
	struct scope_late_wait named = *wait;

	if (wait->waker == SCOPE_WAIT_NO_THREAD && !wait->place)
		named.fd = named_of(distributor, thread, wait->fd);
	return scope_unit_log_late(distributor->distributions->log, thread, &named);
}

static int meet(void *user, uint32_t thread)
{
	const struct scope_distributor *distributor = user;
	int err;

	if (!distributor->learner)
		return 0;
	err = (distributor->guess ? scope_unit_pickups_guess : scope_unit_pickups_decide)(
		distributor->pickups, distributor->learner, thread + 1ul);
	return err ? err : scope_unit_groups_extend(distributor->groups, distributor->pickups);
}

static int begin(struct scope_distributions *distributions, const struct scope_listeners *listeners)
{
	struct scope_distributor *distributor = distributions->distributor;
	const struct scope_unit_sink sink = {
		.meet = meet,
		.unit = add_unit,
		.wait = add_wait,
		.stack = add_stack,
		.snapshot = add_snapshot,
		.state = add_state,
		.late = add_late,
		.user = distributor,
	};
	const struct scope_unit_source source = {
		.trace = distributor->trace,
		.groups = distributor->groups,
		.pickups = distributor->pickups,
		.listeners = listeners,
	};
	int err = scope_unit_run_create(&source, &sink, &distributions->own_run);

	if (!err)
		err = scope_unit_log_create(distributions->own_run->histograms, &distributions->own_log);
	if (err)
		return err;
	distributions->run = distributions->own_run;
	distributions->histograms = distributions->run->histograms;
	distributions->log = distributions->own_log;
	return 0;
}

int scope_unit_distributions_begin(const struct scope_trace *trace, const struct scope_learner *learner,
				   struct scope_pickups *pickups, struct scope_groups *groups,
				   const struct scope_listeners *listeners,
				   struct scope_distributions **ret_distributions)
{
	struct scope_distributions *distributions = calloc(1, sizeof(*distributions));
	int err = -ENOMEM;

	if (!distributions)
		return -ENOMEM;
	distributions->distributor = calloc(1, sizeof(*distributions->distributor));
	if (distributions->distributor) {
		*distributions->distributor = (struct scope_distributor){
			.distributions = distributions,
			.trace = trace,
			.learner = learner,
			.pickups = pickups,
			.groups = groups,
		};
		err = begin(distributions, listeners);
	}
	if (err) {
		scope_unit_distributions_destroy(distributions);
		return err;
	}
	*ret_distributions = distributions;
	return 0;
}

int scope_unit_distributions_learn(struct scope_distributions *distributions, struct scope_learner **ret_learner)
{
	struct scope_learner *learner;
	int err = scope_unit_learner_share(distributions->run->timeline, &learner);

	if (err)
		return err;
	scope_unit_run_learn(distributions->run, learner);
	distributions->distributor->learner = learner;
	distributions->distributor->guess = true;
	*ret_learner = learner;
	return 0;
}

int scope_unit_distributions_feed(struct scope_distributions *distributions, const struct scope_event *const *event,
				  size_t count)
{
	return scope_unit_run_feed(distributions->run, event, count);
}

/* Called after the last unit. */
static int settle(struct scope_distributions *distributions, const struct scope_groups *groups)
{
	const struct scope_histograms *histograms = distributions->histograms;
	int err = 0;

	distributions->asked = false;
	for (size_t i = 0; i < distributions->groups; i++)
		distributions->asked |= distributions->group[i].asked > 0;
	for (size_t i = 0; i < distributions->groups; i++) {
		const struct scope_distributions_group *group = &distributions->group[i];

		distributions->units += group->units;
		if (distributions->asked)
			distributions->requests += group->asked;
		else if (groups->group[i].granularity == SCOPE_UNIT_REQUEST)
			distributions->requests += group->units;
		distributions->busy_ns += (double)group->busy_ns;
		distributions->queue_ns += (double)group->queue_ns;
		distributions->long_queue_ns += (double)group->long_queue_ns;
		distributions->long_queue_units += group->long_queue_units;
	}
	while (!err && distributions->pendings)
		err = scope_unit_tally_settle(distributions);
	for (size_t i = 0; !err && i < 2 * histograms->count; i++) {
		const struct scope_histogram *histogram = &histograms->histogram[i / 2];

		if (histogram->units[i % 2])
			err = scope_unit_tally_calls(
				&distributions->group[histogram->group].row[histogram->vector[i % 2]],
				scope_unit_histogram_calls(histograms, histogram), histogram->calls,
				histogram->units[i % 2]);
	}
	return err;
}

/* The first unit of each kind of each call histogram is in its group's set already. */
static int settle_vectors(const struct scope_histograms *histograms, const struct scope_groups *groups)
{
	int err = 0;

	for (size_t i = 0; !err && i < 2 * histograms->count; i++) {
		const struct scope_histogram *histogram = &histograms->histogram[i / 2];

		if (histogram->units[i % 2] > 1)
			err = scope_cluster_vector_set_repeat(groups->group[histogram->group].vectors,
							      histogram->vector[i % 2], histogram->units[i % 2] - 1);
	}
	return err;
}

int scope_unit_distributions_end(struct scope_distributions *distributions)
{
	int err = scope_unit_run_end(distributions->run);
	size_t groups;

	groups = distributions->distributor->groups->count;
	for (size_t i = 0; i < groups; i++)
		if (distributions->distributor->groups->group[i].request)
			scope_unit_distributions_name(distributions->distributor->trace,
						      &distributions->distributor->groups->group[i]);
	if (!err && groups)
		err = scope_unit_tally_room(distributions, (uint32_t)groups - 1, 0);
	if (!err)
		err = settle(distributions, distributions->distributor->groups);
	if (!err)
		err = settle_vectors(distributions->histograms, distributions->distributor->groups);
	free(distributions->distributor);
	distributions->distributor = NULL;
	return err;
}

static int tally_again(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	return scope_unit_tally(user, unit, call);
}

/* Fills empty distributions with all that the log has. */
static int distributions_again(struct scope_distributions *distributions, const struct scope_groups *groups)
{
	const struct scope_unit_sink sink = { .unit = tally_again, .user = distributions };
	int err;

	for (size_t i = 0; i < distributions->histograms->count; i++)
		memset(distributions->histograms->histogram[i].units, 0,
		       sizeof(distributions->histograms->histogram[i].units));
	/* A row for each vector, also for those of other units. */
	for (size_t i = 0; i < groups->count; i++)
		if (scope_unit_tally_room(distributions, (uint32_t)i,
					  scope_cluster_vector_set_count(groups->group[i].vectors)))
			return -ENOMEM;
	err = scope_unit_distributions_replay(distributions, groups, &sink);
	return err ? err : settle(distributions, groups);
}

int scope_unit_distributions_before(struct scope_distributions *distributions, const struct scope_groups *groups,
				    uint64_t until_ns, struct scope_distributions **ret_distributions)
{
	struct scope_distributions *before = calloc(1, sizeof(*before));
	int err;

	if (!before)
		return -ENOMEM;
	before->until_ns = until_ns;
	before->only = distributions->only;
	before->run = distributions->run;
	before->histograms = distributions->histograms;
	before->log = distributions->log;
	err = distributions_again(before, groups);
	if (err) {
		scope_unit_distributions_destroy(before);
		return err;
	}
	*ret_distributions = before;
	return 0;
}

void scope_unit_distributions_remember(struct scope_distributions *distributions, uint64_t step_ns)
{
	scope_timeline_past_begin(&distributions->run->timeline->past, step_ns);
}

/* The window begins there, or at the next mark. */
static void begin_later(struct scope_distributions *distributions, uint64_t from_ns)
{
	struct scope_timeline *timeline = distributions->run->timeline;

	if (from_ns <= timeline->begin_ns)
		return;
	timeline->from = scope_timeline_past_find(&timeline->past, from_ns);
	if (timeline->from)
		from_ns = timeline->from->time_ns;
	timeline->begin_ns = distributions->from_ns = from_ns;
}

int scope_unit_distributions_part(struct scope_distributions *distributions, const struct scope_groups *groups,
				  uint64_t from_ns, bool *only)
{
	distributions->only = distributions->own_only = only;
	if (!distributions->from_ns)
		distributions->whole_begin_ns = distributions->run->timeline->begin_ns;
	begin_later(distributions, from_ns);
	if (!distributions->from_ns && !only)
		return 0;
	distributions->units = distributions->requests = distributions->long_queue_units = 0;
	distributions->busy_ns = distributions->queue_ns = distributions->long_queue_ns = 0;
	for (size_t i = 0; i < distributions->groups; i++) {
		scope_unit_tally_free(&distributions->group[i]);
		distributions->group[i] = (struct scope_distributions_group){ 0 };
	}
	return distributions_again(distributions, groups);
}

static int feed(void *user, const struct scope_event *const *event, size_t count)
{
	return scope_unit_distributions_feed(user, event, count);
}

int scope_unit_distributions_run(struct scope_trace *trace, struct scope_pickups *pickups, struct scope_groups *groups,
				 const struct scope_listeners *listeners,
				 struct scope_distributions **ret_distributions)
{
	struct scope_distributions *distributions;
	int err = scope_unit_distributions_begin(trace, NULL, pickups, groups, listeners, &distributions);

	if (err)
		return err;
	err = scope_trace_feed_all(trace, feed, distributions);
	if (!err)
		err = scope_unit_distributions_end(distributions);
	if (err) {
		scope_unit_distributions_destroy(distributions);
		return err;
	}
	*ret_distributions = distributions;
	return 0;
}

void scope_unit_distributions_destroy(struct scope_distributions *distributions)
{
	if (!distributions)
		return;
	for (size_t i = 0; distributions->group && i < distributions->groups; i++)
		scope_unit_tally_free(&distributions->group[i]);
	free(distributions->group);
	scope_unit_run_destroy(distributions->own_run);
	scope_unit_log_destroy(distributions->own_log);
	free(distributions->distributor);
	free(distributions->own_only);
	free(distributions);
}
