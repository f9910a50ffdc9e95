// SPDX-License-Identifier: GPL-2.0-only
/* What all units of a trace are like, without keeping one: distributions by group and vector. */
#include "unit/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/feed.h"
#include "unit/shape.h"

struct scope_surveyor {
	struct scope_survey *survey;
	const struct scope_trace *trace;
	const struct scope_learner *learner; /* NULL: all threads are decided on */
	bool guess;			     /* it knows nothing of a thread that is met */
	struct scope_pickups *pickups;
	struct scope_groups *groups;
};

static struct scope_survey_group *add_groups(struct scope_survey *survey, uint32_t group)
{
	if (scope_grow(&survey->group, &survey->group_capacity, group + 1ul, sizeof(*survey->group)))
		return NULL;
	while (survey->groups <= group)
		memset(&survey->group[survey->groups++], 0, sizeof(*survey->group));
	return &survey->group[group];
}

static inline struct scope_survey_group *get_group(struct scope_survey *survey, uint32_t group)
{
	return group < survey->groups ? &survey->group[group] : add_groups(survey, group);
}

static struct scope_survey_row *add_rows(struct scope_survey_group *group, uint32_t vector)
{
	if (scope_grow(&group->row, &group->capacity, vector + 1, sizeof(*group->row)))
		return NULL;
	while (group->rows <= vector)
		memset(&group->row[group->rows++], 0, sizeof(*group->row));
	return &group->row[vector];
}

static inline struct scope_survey_row *get_row(struct scope_survey_group *group, uint32_t vector)
{
	return vector < group->rows ? &group->row[vector] : add_rows(group, vector);
}

/* So many units made the call so often. */
static int add_call(struct scope_survey_row *row, const struct scope_unit_call *call, uint64_t units)
{
	size_t i;

	for (i = 0; i < row->calls && row->call[i].nr != call->nr; i++)
		;
	if (i == row->calls) {
		if (scope_grow(&row->call, &row->capacity, i + 1, sizeof(*row->call)))
			return -ENOMEM;
		row->call[row->calls++] = (struct scope_survey_call){ .nr = call->nr };
	}
	return scope_sketch_add(&row->call[i].count, call->count, units);
}

static int add_calls(struct scope_survey *survey, const struct scope_shape *shape, const struct scope_unit_call *call,
		     uint64_t units)
{
	struct scope_survey_row *row = &survey->group[shape->group].row[shape->vector];
	int err = 0;

	row->units += units;
	for (unsigned i = 0; !err && i < shape->calls; i++)
		err = add_call(row, &call[i], units);
	return err;
}

static int settle_measure(struct scope_survey *survey)
{
	const struct scope_survey_pending *pending = &survey->pending[survey->first_pending % SCOPE_SURVEY_PENDING];

	survey->first_pending++;
	survey->pendings--;
	return scope_sketch_count(&survey->group[pending->group].row[pending->row].measure, pending->measure_ns);
}

static int add_measure(struct scope_survey *survey, const struct scope_survey_row *row, const struct scope_unit *unit,
		       uint64_t measure_ns)
{
	int err = survey->pendings == SCOPE_SURVEY_PENDING ? settle_measure(survey) : 0;
	unsigned last = survey->first_pending + survey->pendings++;

	scope_sketch_expect(&row->measure, measure_ns);
	survey->pending[last % SCOPE_SURVEY_PENDING] =
		(struct scope_survey_pending){ unit->group, unit->vector, measure_ns };
	return err;
}

static void free_group(struct scope_survey_group *group)
{
	for (size_t i = 0; i < group->rows; i++) {
		struct scope_survey_row *row = &group->row[i];

		for (size_t j = 0; j < row->calls; j++)
			scope_sketch_free(&row->call[j].count);
		free(row->call);
		scope_sketch_free(&row->measure);
	}
	free(group->row);
	scope_sketch_free(&group->request_wall);
}

static int tally(struct scope_survey *survey, const struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct scope_survey_group *group = get_group(survey, unit->group);
	const struct scope_survey_row *row = group ? get_row(group, unit->vector) : NULL;
	const uint64_t measure = scope_unit_measure(unit);
	int err = 0;

	if (!row)
		return -ENOMEM;
	if (unit->shape != SCOPE_SHAPE_NONE)
		survey->shapes->shape[unit->shape].units++;
	else
		err = add_calls(
			survey,
			&(struct scope_shape){ .group = unit->group, .vector = unit->vector, .calls = unit->calls },
			call, 1);
	group->units++;
	group->asked += unit->asked;
	group->busy_ns += measure + unit->queue_ns;
	group->queue_ns += unit->queue_ns;
	if (unit->queue_ns >= SCOPE_SURVEY_LONG_QUEUE_NS) {
		group->long_queue_ns += unit->queue_ns;
		group->long_queue_units++;
	}
	if (err || unit->open)
		return err;
	if (unit->granularity == SCOPE_UNIT_REQUEST)
		err = scope_sketch_count(&group->request_wall, scope_unit_wall(unit));
	return err ? err : add_measure(survey, row, unit, measure);
}

/* The first unit of its shape, or one of a shape that found no room. */
static int meet_shape(struct scope_survey *survey, struct scope_unit *unit, const struct scope_unit_call *call,
		      uint64_t hash)
{
	const struct scope_vector vector = scope_unit_vector(unit, call);
	int err = scope_cluster_vector_set_add(survey->surveyor->groups->group[unit->group].vectors, &vector, 1,
					       &unit->vector);

	if (err)
		return err;
	if (unit->shape == SCOPE_SHAPE_NONE)
		return scope_unit_shapes_add(survey->shapes, hash, unit, call, &unit->shape);
	survey->shapes->shape[unit->shape].vector = unit->vector;
	return 0;
}

/* Its shape, where it has one, is set. */
static int take_unit(struct scope_survey *survey, struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct scope_shapes *shapes = survey->shapes;
	uint64_t hash = 0;
	int err = 0;

	if (unit->shape == SCOPE_SHAPE_NONE) {
		hash = scope_unit_shape_hash(unit->group, call, unit->calls);
		unit->shape = scope_unit_shapes_find(shapes, hash, unit->group, call, unit->calls);
	}
	unit->vector = unit->shape == SCOPE_SHAPE_NONE ? SCOPE_SHAPE_NO_VECTOR : shapes->shape[unit->shape].vector;
	if (unit->vector == SCOPE_SHAPE_NO_VECTOR)
		err = meet_shape(survey, unit, call, hash);
	if (!err)
		err = tally(survey, unit, call);
	return err ? err : scope_unit_log_unit(survey->log, unit, call);
}

int scope_unit_survey_unit(struct scope_survey *survey, struct scope_unit *unit, const struct scope_unit_call *call)
{
	unit->shape = SCOPE_SHAPE_NONE;
	return take_unit(survey, unit, call);
}

static int add_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct scope_surveyor *surveyor = user;

	return take_unit(surveyor->survey, unit, call);
}

static int add_wait(void *user, const struct scope_wait *wait)
{
	const struct scope_surveyor *surveyor = user;

	return scope_unit_log_wait(surveyor->survey->log, wait);
}

static int add_stack(void *user, const struct scope_unit_stack *stack, const struct scope_event *event)
{
	const struct scope_surveyor *surveyor = user;
	struct scope_threads *threads = surveyor->survey->run->timeline->threads;

	return scope_unit_log_stack(surveyor->survey->log, stack, surveyor->trace, event,
				    scope_timeline_threads_at(threads, stack->thread)->tgid);
}

static int add_state(void *user, uint32_t thread, const struct scope_event *event)
{
	const struct scope_surveyor *surveyor = user;

	return scope_unit_log_state(surveyor->survey->log, thread, event);
}

static int meet(void *user, uint32_t thread)
{
	const struct scope_surveyor *surveyor = user;
	int err;

	if (!surveyor->learner)
		return 0;
	err = (surveyor->guess ? scope_unit_pickups_guess : scope_unit_pickups_decide)(surveyor->pickups,
										       surveyor->learner, thread + 1ul);
	return err ? err : scope_unit_groups_extend(surveyor->groups, surveyor->pickups);
}

static int begin(struct scope_survey *survey, const struct scope_listeners *listeners)
{
	struct scope_surveyor *surveyor = survey->surveyor;
	const struct scope_unit_sink sink = {
		.meet = meet,
		.unit = add_unit,
		.wait = add_wait,
		.stack = add_stack,
		.state = add_state,
		.user = surveyor,
	};
	const struct scope_unit_source source = {
		.trace = surveyor->trace,
		.groups = surveyor->groups,
		.pickups = surveyor->pickups,
		.listeners = listeners,
	};
	int err = scope_unit_run_create(&source, &sink, &survey->own_run);

	if (!err)
		err = scope_unit_log_create(survey->own_run->shapes, &survey->own_log);
	if (err)
		return err;
	survey->run = survey->own_run;
	survey->shapes = survey->run->shapes;
	survey->log = survey->own_log;
	return 0;
}

int scope_unit_survey_begin(const struct scope_trace *trace, const struct scope_learner *learner,
			    struct scope_pickups *pickups, struct scope_groups *groups,
			    const struct scope_listeners *listeners, struct scope_survey **ret_survey)
{
	struct scope_survey *survey = calloc(1, sizeof(*survey));
	int err = -ENOMEM;

	if (!survey)
		return -ENOMEM;
	survey->surveyor = calloc(1, sizeof(*survey->surveyor));
	if (survey->surveyor) {
		*survey->surveyor = (struct scope_surveyor){
			.survey = survey,
			.trace = trace,
			.learner = learner,
			.pickups = pickups,
			.groups = groups,
		};
		err = begin(survey, listeners);
	}
	if (err) {
		scope_unit_survey_destroy(survey);
		return err;
	}
	*ret_survey = survey;
	return 0;
}

int scope_unit_survey_learn(struct scope_survey *survey, struct scope_learner **ret_learner)
{
	struct scope_learner *learner;
	int err = scope_unit_learner_share(survey->run->timeline, &learner);

	if (err)
		return err;
	scope_unit_run_learn(survey->run, learner);
	survey->surveyor->learner = learner;
	survey->surveyor->guess = true;
	*ret_learner = learner;
	return 0;
}

int scope_unit_survey_feed(struct scope_survey *survey, const struct scope_event *const *event, size_t count)
{
	return scope_unit_run_feed(survey->run, event, count);
}

/* Behind the last unit. */
static int settle(struct scope_survey *survey, const struct scope_groups *groups)
{
	const struct scope_shapes *shapes = survey->shapes;
	int err = 0;

	survey->asked = false;
	for (size_t i = 0; i < survey->groups; i++)
		survey->asked |= survey->group[i].asked > 0;
	for (size_t i = 0; i < survey->groups; i++) {
		const struct scope_survey_group *group = &survey->group[i];

		survey->units += group->units;
		if (survey->asked)
			survey->requests += group->asked;
		else if (groups->group[i].granularity == SCOPE_UNIT_REQUEST)
			survey->requests += group->units;
		survey->busy_ns += (double)group->busy_ns;
		survey->queue_ns += (double)group->queue_ns;
		survey->long_queue_ns += (double)group->long_queue_ns;
		survey->long_queue_units += group->long_queue_units;
	}
	while (!err && survey->pendings)
		err = settle_measure(survey);
	for (size_t i = 0; !err && i < shapes->count; i++)
		if (shapes->shape[i].units)
			err = add_calls(survey, &shapes->shape[i], scope_unit_shape_calls(shapes, &shapes->shape[i]),
					shapes->shape[i].units);
	return err;
}

/* The first unit of each shape is in its group's set already. */
static int settle_vectors(const struct scope_shapes *shapes, const struct scope_groups *groups)
{
	int err = 0;

	for (size_t i = 0; !err && i < shapes->count; i++)
		if (shapes->shape[i].units > 1)
			err = scope_cluster_vector_set_repeat(groups->group[shapes->shape[i].group].vectors,
							      shapes->shape[i].vector, shapes->shape[i].units - 1);
	return err;
}

int scope_unit_survey_end(struct scope_survey *survey)
{
	int err = scope_unit_run_end(survey->run);
	size_t groups;

	groups = survey->surveyor->groups->count;
	if (!err && groups && !get_group(survey, groups - 1))
		err = -ENOMEM;
	if (!err)
		err = settle(survey, survey->surveyor->groups);
	if (!err)
		err = settle_vectors(survey->shapes, survey->surveyor->groups);
	free(survey->surveyor);
	survey->surveyor = NULL;
	return err;
}

static int tally_again(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	return tally(user, unit, call);
}

struct before {
	uint64_t until_ns;
	const struct scope_unit_sink *sink;
};

static int pass_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct before *before = user;

	return unit->end_ns < before->until_ns ? before->sink->unit(before->sink->user, unit, call) : 0;
}

int scope_unit_survey_replay(const struct scope_survey *survey, const struct scope_groups *groups,
			     const struct scope_unit_sink *sink)
{
	struct before before = { survey->until_ns, sink };
	const struct scope_unit_sink passing = { .unit = pass_unit, .user = &before };

	return scope_unit_log_replay(survey->log, groups, survey->until_ns ? &passing : sink);
}

/* All that the log still tells, into distributions that are empty. */
static int survey_again(struct scope_survey *survey, const struct scope_groups *groups)
{
	const struct scope_unit_sink sink = { .unit = tally_again, .user = survey };
	int err;

	for (size_t i = 0; i < survey->shapes->count; i++)
		survey->shapes->shape[i].units = 0;
	/* A row for each vector, those of other units as well. */
	for (size_t i = 0; i < groups->count; i++) {
		const uint32_t vectors = scope_cluster_vector_set_count(groups->group[i].vectors);

		if (!get_group(survey, i) || (vectors && !get_row(&survey->group[i], vectors - 1)))
			return -ENOMEM;
	}
	err = scope_unit_survey_replay(survey, groups, &sink);
	return err ? err : settle(survey, groups);
}

int scope_unit_survey_before(struct scope_survey *survey, const struct scope_groups *groups, uint64_t until_ns,
			     struct scope_survey **ret_survey)
{
	struct scope_survey *before = calloc(1, sizeof(*before));
	int err;

	if (!before)
		return -ENOMEM;
	before->until_ns = until_ns;
	before->run = survey->run;
	before->shapes = survey->shapes;
	before->log = survey->log;
	err = survey_again(before, groups);
	if (err) {
		scope_unit_survey_destroy(before);
		return err;
	}
	*ret_survey = before;
	return 0;
}

void scope_unit_survey_remember(struct scope_survey *survey, uint64_t step_ns)
{
	scope_timeline_past_begin(&survey->run->timeline->past, step_ns);
}

int scope_unit_survey_forget(struct scope_survey *survey, const struct scope_groups *groups, uint64_t from_ns)
{
	struct scope_timeline *timeline = survey->run->timeline;
	const size_t count = survey->groups;

	if (from_ns <= timeline->begin_ns)
		return 0;
	timeline->from = scope_timeline_past_find(&timeline->past, from_ns);
	if (timeline->from)
		from_ns = timeline->from->time_ns;
	timeline->begin_ns = from_ns;
	survey->units = survey->requests = survey->long_queue_units = 0;
	survey->busy_ns = survey->queue_ns = survey->long_queue_ns = 0;
	for (size_t i = 0; i < count; i++) {
		free_group(&survey->group[i]);
		survey->group[i] = (struct scope_survey_group){ 0 };
	}
	scope_unit_log_forget(survey->log, from_ns);
	return survey_again(survey, groups);
}

static int feed(void *user, const struct scope_event *const *event, size_t count)
{
	return scope_unit_survey_feed(user, event, count);
}

int scope_unit_survey_run(struct scope_trace *trace, struct scope_pickups *pickups, struct scope_groups *groups,
			  const struct scope_listeners *listeners, struct scope_survey **ret_survey)
{
	struct scope_survey *survey;
	int err = scope_unit_survey_begin(trace, NULL, pickups, groups, listeners, &survey);

	if (err)
		return err;
	err = scope_trace_feed_all(trace, feed, survey);
	if (!err)
		err = scope_unit_survey_end(survey);
	if (err) {
		scope_unit_survey_destroy(survey);
		return err;
	}
	*ret_survey = survey;
	return 0;
}

void scope_unit_survey_destroy(struct scope_survey *survey)
{
	if (!survey)
		return;
	for (size_t i = 0; survey->group && i < survey->groups; i++)
		free_group(&survey->group[i]);
	free(survey->group);
	scope_unit_run_destroy(survey->own_run);
	scope_unit_log_destroy(survey->own_log);
	free(survey->surveyor);
	free(survey);
}
