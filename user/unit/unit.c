// SPDX-License-Identifier: GPL-2.0-only
/* One run through events that tells of the units in them, and the units that are kept of it. */
#include "unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "unit/draft.h"
#include "unit/learn.h"

SCOPE_TAKE int build_enter(void *user, const struct scope_thread *thread,
			   const struct scope_open_call *call)
{
	return scope_draft_enter(user, thread, call);
}

SCOPE_TAKE int build_exit(void *user, const struct scope_thread *thread,
			  const struct scope_open_call *call, int64_t ret, uint64_t exit_ns)
{
	return scope_draft_exit(user, thread, call, ret, exit_ns);
}

SCOPE_TAKE uint32_t build_plain_roles(void *user, uint32_t thread)
{
	const struct scope_unit_builder *builder = user;

	return builder->draft[thread].plain_roles;
}

SCOPE_TAKE bool build_plain(void *user, const struct scope_thread *thread,
			    const struct scope_event *event, enum scope_call_role role)
{
	return scope_draft_plain(user, thread, event, role);
}

static const struct scope_timeline_ops build = {
	.plain_roles = build_plain_roles,
	.plain = build_plain,
	.enter = build_enter,
	.exit = build_exit,
	.leave = scope_draft_leave,
	.wait = scope_draft_wait,
	.stack = scope_draft_stack,
	.lost = scope_draft_lost,
	.state = scope_draft_state,
	.end = scope_draft_end,
};

/* The same, and the learner hears of it first. */
SCOPE_TAKE int both_enter(void *user, const struct scope_thread *thread,
			  const struct scope_open_call *call)
{
	struct scope_unit_builder *builder = user;
	int err = scope_learn_enter(builder->learner, thread, call);

	return err ? err : scope_draft_enter(builder, thread, call);
}

SCOPE_TAKE int both_exit(void *user, const struct scope_thread *thread,
			 const struct scope_open_call *call, int64_t ret, uint64_t exit_ns)
{
	struct scope_unit_builder *builder = user;
	int err = scope_learn_exit(builder->learner, thread, call, ret, exit_ns);

	return err ? err : scope_draft_exit(builder, thread, call, ret, exit_ns);
}

SCOPE_TAKE uint32_t both_plain_roles(void *user, uint32_t thread)
{
	const struct scope_unit_builder *builder = user;

	return builder->draft[thread].plain_roles & scope_learn_plain_roles(builder->learner, thread);
}

SCOPE_TAKE bool both_plain(void *user, const struct scope_thread *thread,
			   const struct scope_event *event, enum scope_call_role role)
{
	struct scope_unit_builder *builder = user;

	if (!scope_draft_plain(builder, thread, event, role))
		return false;
	scope_learn_plain(builder->learner, thread, event);
	return true;
}

static int both_wait(void *user, const struct scope_wait *wait)
{
	struct scope_unit_builder *builder = user;
	int err = scope_learn_wait(builder->learner, wait);

	return err ? err : scope_draft_wait(builder, wait);
}

static const struct scope_timeline_ops both = {
	.plain_roles = both_plain_roles,
	.plain = both_plain,
	.enter = both_enter,
	.exit = both_exit,
	.leave = scope_draft_leave,
	.wait = both_wait,
	.stack = scope_draft_stack,
	.lost = scope_draft_lost,
	.state = scope_draft_state,
	.end = scope_draft_end,
};

static int finish(struct scope_unit_builder *builder)
{
	struct scope_units *units = builder->units;
	struct scope_threads *threads = units->timeline->threads;
	size_t count = scope_threads_count(threads);
	int err = 0;

	units->thread = calloc(count + 1, sizeof(*units->thread));
	if (!units->thread)
		return -ENOMEM;
	units->threads = count;
	for (size_t i = 0; i < count; i++)
		units->thread[i].open_unit = SIZE_MAX;
	for (size_t i = 0; !err && i < builder->drafts; i++) {
		struct scope_draft *draft = &builder->draft[i];
		const struct scope_mark now = scope_mark_now(scope_threads_at(threads, i));

		units->thread[i].idle_ns = draft->idle_ns;
		units->thread[i].last_call_ns = draft->stack.exit_ns;
		if (draft->open && draft->tentative)
			err = scope_draft_close(builder, i, &draft->end, draft->end_ns, false);
		else if (draft->open)
			err = scope_draft_close(builder, i, &now, units->timeline->end_ns, true);
	}
	return err;
}

int scope_units_create(const struct scope_groups *groups, struct scope_units **ret_units)
{
	struct scope_units *units = calloc(1, sizeof(*units));

	if (!units)
		return -ENOMEM;
	units->groups = groups;
	*ret_units = units;
	return 0;
}

static void destroy_builder(struct scope_units *units)
{
	struct scope_unit_builder *builder = units->builder;

	if (!builder)
		return;
	for (size_t i = 0; i < builder->drafts; i++)
		free(builder->draft[i].call);
	free(builder->draft);
	free(builder);
	units->builder = NULL;
}

int scope_units_begin(struct scope_units *units, const struct scope_trace *trace,
		      const struct scope_pickups *pickups, const struct scope_unit_sink *sink)
{
	units->builder = calloc(1, sizeof(*units->builder));
	if (!units->builder || scope_shapes_create(&units->shapes))
		return -ENOMEM;
	*units->builder = (struct scope_unit_builder){
		.units = units, .shapes = units->shapes, .pickups = pickups, .sink = *sink,
	};
	return scope_timeline_create(trace, &units->timeline);
}

void scope_units_learn(struct scope_units *units, struct scope_learner *learner)
{
	units->builder->learner = learner;
}

int scope_units_feed(struct scope_units *units, const struct scope_event *const *event, size_t count)
{
	struct scope_unit_builder *builder = units->builder;

	return builder->learner ? scope_timeline_take(units->timeline, event, count, &both, builder)
				: scope_timeline_take(units->timeline, event, count, &build, builder);
}

int scope_units_end(struct scope_units *units)
{
	struct scope_unit_builder *builder = units->builder;
	size_t threads = scope_threads_count(units->timeline->threads);
	int err = scope_timeline_finish(units->timeline, builder->learner ? &both : &build,
					builder);

	if (!err && threads && builder->sink.meet)
		err = builder->sink.meet(builder->sink.user, threads - 1);
	if (!err)
		err = finish(builder);
	destroy_builder(units);
	return err;
}

int scope_units_run(struct scope_units *units, struct scope_trace *trace,
		    const struct scope_pickups *pickups, const struct scope_unit_sink *sink)
{
	const struct scope_event *event[SCOPE_TRACE_TAKE];
	int more, err = scope_units_begin(units, trace, pickups, sink);

	if (!err)
		err = scope_trace_rewind(trace);
	if (err)
		return err;
	while ((more = scope_trace_take(trace, event, SCOPE_TRACE_TAKE)) > 0) {
		err = scope_units_feed(units, event, (size_t)more);
		if (err)
			return err;
	}
	return more ? more : scope_units_end(units);
}

int scope_units_share(const struct scope_units *run, struct scope_units **ret_units)
{
	struct scope_units *units;
	int err = scope_units_create(run->groups, &units);

	if (err)
		return err;
	units->shares = true;
	units->timeline = run->timeline;
	units->discarded = run->discarded;
	units->stacks = run->stacks;
	units->thread = calloc(run->threads + 1, sizeof(*units->thread));
	if (!units->thread) {
		scope_units_destroy(units);
		return -ENOMEM;
	}
	for (; units->threads < run->threads; units->threads++) {
		units->thread[units->threads] = run->thread[units->threads];
		units->thread[units->threads].open_unit = SIZE_MAX;
	}
	*ret_units = units;
	return 0;
}

/* Where the calls of its shape are, and 1 more; 0: nowhere yet; NULL: no memory. */
static uint32_t *shape_call(struct scope_units *units, uint32_t shape)
{
	if (scope_grow(&units->shape_call, &units->shape_capacity, shape + 1ul, sizeof(*units->shape_call)))
		return NULL;
	while (units->shape_calls <= shape)
		units->shape_call[units->shape_calls++] = 0;
	return &units->shape_call[shape];
}

static int keep_calls(struct scope_units *units, const struct scope_unit *unit,
		      const struct scope_unit_call *call, uint32_t *ret_first)
{
	uint32_t none = 0, *place = &none;

	if (unit->shape != SCOPE_SHAPE_NONE)
		place = shape_call(units, unit->shape);
	if (!place || (!*place && scope_grow(&units->call, &units->call_capacity,
					     units->calls + unit->calls, sizeof(*units->call))))
		return -ENOMEM;
	if (!*place) {
		*place = (uint32_t)units->calls + 1;
		if (unit->calls)
			memcpy(&units->call[units->calls], call, unit->calls * sizeof(*call));
		units->calls += unit->calls;
	}
	*ret_first = *place - 1;
	return 0;
}

int scope_units_keep(struct scope_units *units, const struct scope_unit *unit,
		     const struct scope_unit_call *call)
{
	struct scope_unit *kept;
	uint32_t first;

	if (scope_grow(&units->unit, &units->capacity, units->count + 1, sizeof(*units->unit)) ||
	    keep_calls(units, unit, call, &first))
		return -ENOMEM;
	kept = &units->unit[units->count];
	*kept = *unit;
	kept->call = first;
	/* Only the run's end hands out open units, when the threads are counted. */
	if (unit->open)
		units->thread[unit->thread].open_unit = units->count;
	units->count++;
	return 0;
}

void scope_units_destroy(struct scope_units *units)
{
	if (!units)
		return;
	destroy_builder(units);
	if (!units->shares)
		scope_timeline_destroy(units->timeline);
	scope_shapes_destroy(units->shapes);
	free(units->unit);
	free(units->call);
	free(units->shape_call);
	free(units->thread);
	free(units);
}
