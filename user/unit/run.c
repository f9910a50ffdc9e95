// SPDX-License-Identifier: GPL-2.0-only
/* One run through events that finds the units in them. */
#include "unit/run.h"

#include <errno.h>
#include <stdlib.h>

#include "unit/held_request.h"
#include "unit/inner_wait.h"
#include "unit/open_call.h"
#include "unit/rest.h"
#include "unit/snapshot.h"
#include "unit/run_listeners.h"
#include "unit/learner.h"

SCOPE_TAKE int build_enter(void *user, const struct scope_thread *thread, const struct scope_open_call *call)
{
	return scope_unit_open_enter(user, thread, call);
}

SCOPE_TAKE int build_exit(void *user, const struct scope_thread *thread, const struct scope_open_call *call,
			  int64_t ret, uint64_t exit_ns)
{
	return scope_unit_open_exit(user, thread, call, ret, exit_ns);
}

SCOPE_TAKE uint32_t build_plain_roles(void *user, uint32_t thread)
{
	const struct scope_unit_builder *builder = user;

	return builder->open_unit[thread].plain_roles;
}

SCOPE_TAKE bool build_plain(void *user, const struct scope_thread *thread, const struct scope_event *event,
			    enum scope_timeline_call_role role)
{
	return scope_unit_open_plain(user, thread, event, role);
}

static const struct scope_timeline_ops build = {
	.plain_roles = build_plain_roles,
	.plain = build_plain,
	.enter = build_enter,
	.exit = build_exit,
	.leave = scope_unit_open_leave,
	.wait = scope_unit_open_wait,
	.queued = scope_unit_open_queued,
	.stack = scope_unit_open_stack,
	.snapshot = scope_unit_open_snapshot,
	.request = scope_unit_open_request,
	.lost = scope_unit_open_lost,
	.state = scope_unit_open_state,
	.end = scope_unit_open_end,
};

/* The same, and the learner is called first. */
SCOPE_TAKE int both_enter(void *user, const struct scope_thread *thread, const struct scope_open_call *call)
{
	struct scope_unit_builder *builder = user;
	int err = scope_learn_enter(builder->learner, thread, call);

	return err ? err : scope_unit_open_enter(builder, thread, call);
}

SCOPE_TAKE int both_exit(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
			 uint64_t exit_ns)
{
	struct scope_unit_builder *builder = user;
	int err = scope_learn_exit(builder->learner, thread, call, ret, exit_ns);

	return err ? err : scope_unit_open_exit(builder, thread, call, ret, exit_ns);
}

SCOPE_TAKE uint32_t both_plain_roles(void *user, uint32_t thread)
{
	const struct scope_unit_builder *builder = user;

	return builder->open_unit[thread].plain_roles & scope_learn_plain_roles(builder->learner, thread);
}

SCOPE_TAKE bool both_plain(void *user, const struct scope_thread *thread, const struct scope_event *event,
			   enum scope_timeline_call_role role)
{
	struct scope_unit_builder *builder = user;

	if (!scope_unit_open_plain(builder, thread, event, role))
		return false;
	scope_learn_plain(builder->learner, thread, event);
	return true;
}

static int both_wait(void *user, const struct scope_wait *wait)
{
	struct scope_unit_builder *builder = user;
	int err = scope_unit_learn_wait(builder->learner, wait);

	return err ? err : scope_unit_open_wait(builder, wait);
}

static const struct scope_timeline_ops both = {
	.plain_roles = both_plain_roles,
	.plain = both_plain,
	.enter = both_enter,
	.exit = both_exit,
	.leave = scope_unit_open_leave,
	.wait = both_wait,
	.queued = scope_unit_open_queued,
	.stack = scope_unit_open_stack,
	.snapshot = scope_unit_open_snapshot,
	.request = scope_unit_open_request,
	.lost = scope_unit_open_lost,
	.state = scope_unit_open_state,
	.end = scope_unit_open_end,
};

/* For how long it has run since its last call, or since the last one that was not due to a signal. */
static void finish_quiet(const struct scope_unit_run *run, struct scope_open_unit *open_unit,
			 const struct scope_thread *thread, struct scope_unit_thread *ret_thread)
{
	const bool interrupted = scope_unit_handlers_last(&open_unit->handlers);
	struct scope_quiet *quiet = interrupted ? &open_unit->handlers.quiet : &open_unit->quiet;

	ret_thread->last_call_ns = interrupted ? open_unit->handlers.since_ns : open_unit->stack.exit_ns;
	ret_thread->signals = interrupted ? open_unit->handlers.signals + 1 : 0;
	scope_unit_quiet_count(quiet, thread, ret_thread->last_call_ns, run->timeline->end_ns);
	ret_thread->quiet_run_ns = quiet->run_ns;
	ret_thread->quiet_asleep_ns = thread->account.asleep_ns - quiet->asleep_before_ns;
}

/* After the timeline's end: fills in the facts about threads, and gives the units that had not ended. */
static int finish(struct scope_unit_run *run)
{
	struct scope_unit_builder *builder = run->builder;
	struct scope_threads *threads = run->timeline->threads;
	size_t count = scope_timeline_threads_count(threads);
	int err = 0;

	run->thread = calloc(count + 1, sizeof(*run->thread));
	if (!run->thread)
		return -ENOMEM;
	run->threads = count;
	for (size_t i = 0; !err && i < builder->open_units; i++) {
		struct scope_open_unit *open_unit = &builder->open_unit[i];
		const struct scope_thread *thread = scope_timeline_threads_at(threads, i);
		const struct scope_mark now = scope_unit_mark_now(thread);
		bool rests;

		if (open_unit->doubt)
			err = scope_unit_inner_rest(builder, open_unit, (uint32_t)i);
		if (err)
			break;
		run->thread[i].many = open_unit->many || open_unit->pickup.datagrams;
		run->thread[i].tasked = scope_unit_held_has_tasks(builder, thread->tgid);
		run->thread[i].owes = scope_unit_open_owes(builder, open_unit, thread);
		rests = scope_unit_rest_at_end(builder, open_unit, thread, run->thread[i].owes);
		run->thread[i].owes &= !rests;
		run->thread[i].usual_futex = open_unit->futex_votes ? open_unit->usual_futex : 0;
		run->thread[i].idle_ns = open_unit->idle_ns;
		scope_unit_spin_end(&open_unit->spinning, thread,
				    thread->run == SCOPE_RUN_BLOCKED ? thread->block_ns : run->timeline->end_ns);
		run->thread[i].spin = open_unit->spinning.longest;
		run->thread[i].retry = open_unit->retry;
		finish_quiet(run, open_unit, thread, &run->thread[i]);
		err = scope_unit_snapshot_end(builder, open_unit, thread);
		if (err)
			break;
		if (open_unit->open && open_unit->tentative)
			err = scope_unit_open_close(builder, i, &open_unit->end, open_unit->end_ns, false);
		else if (rests)
			err = scope_unit_open_close(builder, i, &open_unit->rest, open_unit->rest_ns, true);
		else if (open_unit->open)
			err = scope_unit_open_close(builder, i, &now, run->timeline->end_ns, true);
	}
	return err;
}

static void destroy_builder(struct scope_unit_run *run)
{
	struct scope_unit_builder *builder = run->builder;

	if (!builder)
		return;
	for (size_t i = 0; i < builder->open_units; i++) {
		free(builder->open_unit[i].call);
		free(builder->open_unit[i].snapshot);
	}
	free(builder->open_unit);
	scope_unit_held_free(builder);
	free(builder);
	run->builder = NULL;
}

static int begin(struct scope_unit_run *run, const struct scope_unit_source *source, const struct scope_unit_sink *sink)
{
	int err;

	run->groups = source->groups;
	run->builder = calloc(1, sizeof(*run->builder));
	if (!run->builder || scope_unit_histograms_create(&run->histograms))
		return -ENOMEM;
	*run->builder = (struct scope_unit_builder){
		.run = run,
		.ops = &build,
		.histograms = run->histograms,
		.pickups = source->pickups,
		.sink = *sink,
	};
	if (source->listeners)
		run->builder->listeners = *source->listeners;
	err = scope_timeline_create(source->trace, &run->timeline);
	return err ? err : scope_timeline_listeners_begin(&run->builder->listeners, run->timeline);
}

int scope_unit_run_create(const struct scope_unit_source *source, const struct scope_unit_sink *sink,
			  struct scope_unit_run **ret_run)
{
	struct scope_unit_run *run = calloc(1, sizeof(*run));
	int err = run ? begin(run, source, sink) : -ENOMEM;

	if (err) {
		scope_unit_run_destroy(run);
		return err;
	}
	*ret_run = run;
	return 0;
}

void scope_unit_run_learn(struct scope_unit_run *run, struct scope_learner *learner)
{
	run->builder->learner = learner;
	run->builder->ops = &both;
}

int scope_unit_run_feed(struct scope_unit_run *run, const struct scope_event *const *event, size_t count)
{
	struct scope_unit_builder *builder = run->builder;

	if (builder->listeners.count)
		return scope_unit_run_listeners_feed(builder, event, count);
	return builder->learner ? scope_timeline_take(run->timeline, event, count, &both, builder)
				: scope_timeline_take(run->timeline, event, count, &build, builder);
}

int scope_unit_run_end(struct scope_unit_run *run)
{
	struct scope_unit_builder *builder = run->builder;
	size_t threads = scope_timeline_threads_count(run->timeline->threads);
	int err = scope_timeline_finish(
		run->timeline, builder->listeners.count ? &scope_unit_run_listeners_ops : builder->ops, builder);

	if (!err && threads && builder->sink.meet)
		err = builder->sink.meet(builder->sink.user, threads - 1);
	if (!err)
		err = finish(run);
	if (!err)
		err = scope_unit_held_end(builder);
	if (!err)
		err = scope_timeline_listeners_finish(&builder->listeners);
	destroy_builder(run);
	return err;
}

void scope_unit_run_destroy(struct scope_unit_run *run)
{
	if (!run)
		return;
	destroy_builder(run);
	scope_timeline_destroy(run->timeline);
	scope_unit_histograms_destroy(run->histograms);
	free(run->thread);
	free(run);
}
