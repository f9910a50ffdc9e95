// SPDX-License-Identifier: GPL-2.0-only
/* Builds the execution units of every thread from its timeline. */
#include "unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "timeline/take.h"

struct call_sum {
	uint16_t nr;
	uint32_t count;
	uint64_t ns;
};

/* What units need of a thread's account, as it stood at one time. */
struct mark {
	uint64_t run_ns, probe_ns, queue_ns, starved_ns;
	uint64_t asleep_ns, timer_ns; /* the second is of the first */
};

/* The unit under construction of one thread. */
struct draft {
	bool open;
	bool tentative;	     /* inside a read that may turn out to pick up the next request */
	bool goes_on;	     /* inside a read of what the last call picked up work from */
	bool from_loop;	     /* opened behind the top of the loop */
	bool slept_in_call;  /* the open call has blocked */
	uint8_t matched;     /* enum scope_pickup_match of the call entered at matched_ns */
	uint64_t matched_ns;
	uint64_t begin_ns, end_ns; /* end: entry of the tentative read */
	uint64_t last_exit_ns;
	struct mark begin, end;
	struct call_sum *call; /* NULL, or room for SCOPE_UNIT_CALLS */
	unsigned calls;
	uint64_t bytes, idle_ns, last_call_ns;
	int64_t read_fd; /* that the last call picked up work from; -1: it did not */
	struct scope_unit_stack stack; /* as one would be that came now */
	struct scope_pickup pickup;    /* of the thread */
	bool requests;		       /* that has any */
};

struct scope_unit_builder {
	struct scope_units *units;
	const struct scope_pickups *pickups;
	struct scope_unit_sink sink;
	struct draft *draft;
	size_t drafts, draft_capacity;
};

static struct draft *meet_thread(struct scope_unit_builder *builder, uint32_t thread)
{
	if (scope_grow(&builder->draft, &builder->draft_capacity, thread + 1,
		       sizeof(*builder->draft)) ||
	    (builder->sink.meet && builder->sink.meet(builder->sink.user, thread)))
		return NULL;
	for (; builder->drafts <= thread; builder->drafts++) {
		const struct scope_pickup *pickup = scope_pickups_of(builder->pickups, builder->drafts);
		struct draft draft = {
			.stack.thread = builder->drafts, .pickup.nr = SCOPE_NR_NONE, .read_fd = -1,
		};

		if (pickup)
			draft.pickup = *pickup;
		draft.requests = scope_pickup_any(&draft.pickup);
		builder->draft[builder->drafts] = draft;
	}
	return &builder->draft[thread];
}

/* NULL: no memory. */
static inline struct draft *get_draft(struct scope_unit_builder *builder, uint32_t thread)
{
	return thread < builder->drafts ? &builder->draft[thread] : meet_thread(builder, thread);
}

static inline struct mark mark_now(const struct scope_thread *thread)
{
	const struct scope_account *account = &thread->account;

	return (struct mark){
		account->run_ns, account->probe_ns, account->queue_ns, account->starved_ns,
		account->asleep_ns, account->blocked_ns[SCOPE_WAIT_TIMER],
	};
}

static void open_draft(struct draft *draft, const struct scope_thread *thread, uint64_t now_ns)
{
	draft->open = true;
	draft->begin_ns = now_ns;
	draft->begin = mark_now(thread);
	draft->calls = 0;
	draft->bytes = 0;
	draft->last_exit_ns = 0;
}

/* Hands the unit on, with its calls and their vector. */
static int hand_on(struct scope_unit_builder *builder, const struct draft *draft,
		   struct scope_unit *unit)
{
	struct scope_unit_call call[SCOPE_UNIT_CALLS];
	struct scope_vector vector = {{0}};

	unit->calls = draft->calls;
	for (unsigned i = 0; i < draft->calls; i++) {
		const struct call_sum *sum = &draft->call[i];
		uint64_t us = sum->ns / 1000;

		call[i] = (struct scope_unit_call){
			.nr = sum->nr,
			.count = sum->count < UINT16_MAX ? sum->count : UINT16_MAX,
			.us = us < UINT32_MAX ? us : UINT32_MAX,
		};
		if (!scope_call_ignored(sum->nr))
			scope_vector_mark(&vector, sum->nr);
	}
	return builder->sink.unit(builder->sink.user, unit, call, &vector);
}

/* Ends the draft as a unit at end_ns, where the thread's account stood at end. */
static int close_draft(struct scope_unit_builder *builder, uint32_t thread, struct mark end_mark,
		       uint64_t end_ns, bool still_open)
{
	struct draft *draft = &builder->draft[thread];
	bool requests = draft->requests;
	const struct mark *begin = &draft->begin, *end = &end_mark;
	uint64_t run_ns = end->run_ns - begin->run_ns, probe_ns = end->probe_ns - begin->probe_ns;
	uint64_t starved_ns = end->starved_ns - begin->starved_ns;
	struct scope_unit unit;

	draft->open = false;
	draft->tentative = false;
	if (end_ns <= draft->begin_ns)
		return 0;
	unit = (struct scope_unit){
		.begin_ns = draft->begin_ns,
		.end_ns = end_ns,
		.run_ns = run_ns > probe_ns ? run_ns - probe_ns : 0,
		.queue_ns = end->queue_ns - begin->queue_ns,
		.blocked_ns = end->asleep_ns - begin->asleep_ns,
		.bytes = draft->bytes,
		.thread = thread,
		.group = builder->units->groups->of_thread[thread],
		.granularity = requests ? SCOPE_UNIT_REQUEST : SCOPE_UNIT_SWITCH,
		.open = still_open,
	};
	if (!requests)
		unit.blocked_ns -= end->timer_ns - begin->timer_ns;
	/* A unit that began in the middle of a sleep has only a part of it. */
	if (starved_ns > unit.blocked_ns)
		starved_ns = unit.blocked_ns;
	unit.blocked_ns -= starved_ns;
	unit.queue_ns += starved_ns;
	return hand_on(builder, draft, &unit);
}

/* Which descriptor it is matters to reads alone. */
static inline enum scope_pickup_match match(struct scope_unit_builder *builder, const struct draft *draft,
				     const struct scope_thread *thread,
				     const struct scope_open_call *call)
{
	enum scope_fd_kind fd = SCOPE_FD_UNKNOWN;

	if (scope_pickup_never(&draft->pickup, call->nr))
		return SCOPE_PICKUP_NO;
	if (call->args && scope_call_role(call->nr) == SCOPE_CALL_READ)
		fd = scope_fds_kind(builder->units->timeline->fds, thread->tgid,
				    (int32_t)call->arg[0]);
	return scope_pickup_match(&draft->pickup, call, fd);
}

SCOPE_TAKE int build_enter(void *user, const struct scope_thread *thread,
		       const struct scope_open_call *call)
{
	struct scope_unit_builder *builder = user;
	const uint32_t index = thread->index;
	struct draft *draft = get_draft(builder, index);
	int err = 0;

	if (!draft)
		return -ENOMEM;
	draft->slept_in_call = false;
	draft->stack.slept_ns = 0;
	draft->stack.standing = false;
	if (!draft->requests) {
		bool gap = draft->last_exit_ns && draft->pickup.gap_ns &&
			   call->enter_ns - draft->last_exit_ns > draft->pickup.gap_ns;

		if (draft->open && gap)
			err = close_draft(builder, index, mark_now(thread), call->enter_ns,
					  false);
		if (!draft->open)
			open_draft(draft, thread, call->enter_ns);
		return err;
	}
	draft->matched = match(builder, draft, thread, call);
	draft->matched_ns = call->enter_ns;
	switch ((enum scope_pickup_match)draft->matched) {
	case SCOPE_PICKUP_LOOP:
		if (draft->open)
			err = close_draft(builder, index, mark_now(thread), call->enter_ns,
					  false);
		break;
	case SCOPE_PICKUP_READ:
		draft->tentative = draft->open;
		draft->goes_on = draft->open && call->args &&
				 scope_call_role(call->nr) == SCOPE_CALL_READ &&
				 (int64_t)call->arg[0] == draft->read_fd;
		draft->end = mark_now(thread);
		draft->end_ns = call->enter_ns;
		break;
	case SCOPE_PICKUP_NO:
		break;
	}
	return err;
}

static inline int log_call(struct draft *draft, uint16_t nr, uint64_t ns, int64_t ret)
{
	enum scope_call_role role = scope_call_role(nr);
	unsigned i;

	if (ret > 0 && (role == SCOPE_CALL_READ || role == SCOPE_CALL_WRITE))
		draft->bytes += ret;
	for (i = 0; i < draft->calls && draft->call[i].nr != nr; i++)
		;
	if (i == SCOPE_UNIT_CALLS)
		return 0;
	if (!draft->call)
		draft->call = calloc(SCOPE_UNIT_CALLS, sizeof(*draft->call));
	if (!draft->call)
		return -ENOMEM;
	if (i == draft->calls)
		draft->call[draft->calls++] = (struct call_sum){.nr = nr};
	draft->call[i].count++;
	draft->call[i].ns += ns;
	return 0;
}

/*
 * Did the unit do nothing yet but come from the top of the loop? A read then takes the work that the
 * loop was woken for: were the way from the one to the other a unit of its own, half of all units
 * would be next to nothing.
 */
static bool begun_by_loop(const struct draft *draft)
{
	return draft->open && draft->tentative && draft->from_loop && draft->calls == 1 &&
	       draft->call[0].count == 1 && draft->end_ns > draft->begin_ns;
}

static int exit_request(struct scope_unit_builder *builder, struct draft *draft,
			const struct scope_thread *thread, const struct scope_open_call *call,
			int64_t ret, uint64_t exit_ns)
{
	enum scope_pickup_match matched = draft->matched_ns == call->enter_ns
						  ? (enum scope_pickup_match)draft->matched
						  : match(builder, draft, thread, call);
	bool read = matched == SCOPE_PICKUP_READ &&
		    (ret > 0 || (ret == 0 && scope_call_role(call->nr) == SCOPE_CALL_ACCEPT));
	bool goes_on = draft->goes_on && read, joined = read && begun_by_loop(draft);
	int err = 0;

	draft->goes_on = false;
	draft->read_fd = read && call->args ? (int64_t)call->arg[0] : -1;
	if (goes_on || (matched != SCOPE_PICKUP_LOOP && !read)) {
		draft->tentative = false;
		return draft->open ? log_call(draft, call->nr, exit_ns - call->enter_ns, ret) : 0;
	}
	if (draft->open && draft->tentative && !joined)
		err = close_draft(builder, thread->index, draft->end, draft->end_ns, false);
	if (err)
		return err;
	if (joined) {
		draft->tentative = false;
		draft->calls = 0;
	} else {
		draft->idle_ns += exit_ns - call->enter_ns;
		open_draft(draft, thread, exit_ns);
	}
	draft->from_loop = matched == SCOPE_PICKUP_LOOP;
	return log_call(draft, call->nr, 0, ret);
}

SCOPE_TAKE int build_exit(void *user, const struct scope_thread *thread,
		      const struct scope_open_call *call, int64_t ret, uint64_t exit_ns)
{
	struct scope_unit_builder *builder = user;
	struct draft *draft = get_draft(builder, thread->index);
	int err = 0;

	if (!draft)
		return -ENOMEM;
	draft->last_call_ns = exit_ns;
	draft->stack.enter_ns = call->enter_ns;
	draft->stack.exit_ns = exit_ns;
	draft->stack.nr = call->nr;
	draft->stack.standing = false;
	if (draft->requests)
		return exit_request(builder, draft, thread, call, ret, exit_ns);
	if (draft->open)
		err = log_call(draft, call->nr, exit_ns - call->enter_ns, ret);
	draft->last_exit_ns = exit_ns;
	if (!err && draft->slept_in_call && draft->open)
		err = close_draft(builder, thread->index, mark_now(thread), exit_ns, false);
	if (!draft->open)
		open_draft(draft, thread, exit_ns);
	draft->last_exit_ns = exit_ns;
	return err;
}

static int build_leave(void *user, uint32_t index, uint64_t now_ns)
{
	struct scope_unit_builder *builder = user;
	struct draft *draft = get_draft(builder, index);
	struct scope_thread *thread = scope_threads_at(builder->units->timeline->threads, index);
	int err = 0;

	if (!draft)
		return -ENOMEM;
	if (thread->run == SCOPE_RUN_BLOCKED) {
		draft->slept_in_call = true;
		/* Asleep in a read for the next request: the thread idles since its entry. */
		draft->goes_on = false;
		if (draft->open && draft->tentative)
			err = close_draft(builder, index, draft->end, draft->end_ns, false);
		return err;
	}
	if (draft->requests || !draft->open)
		return 0;
	err = close_draft(builder, index, mark_now(thread), now_ns, false);
	open_draft(draft, thread, now_ns);
	return err;
}

static int build_wait(void *user, const struct scope_wait *wait)
{
	struct scope_unit_builder *builder = user;
	struct draft *draft = get_draft(builder, wait->thread);

	if (!draft)
		return -ENOMEM;
	draft->stack.slept_ns += wait->wake_ns - wait->begin_ns - wait->starved_ns;
	draft->stack.wake_ns = wait->wake_ns;
	draft->stack.class = wait->class;
	draft->stack.passed = wait->waker != SCOPE_WAIT_NO_THREAD;
	if (!draft->open || !builder->sink.wait ||
	    wait->end_ns - wait->begin_ns < SCOPE_UNIT_WAIT_MIN_NS)
		return 0;
	return builder->sink.wait(builder->sink.user, wait);
}

static int build_stack(void *user, uint32_t index, const struct scope_event *event)
{
	struct scope_unit_builder *builder = user;
	struct draft *draft = get_draft(builder, index);
	struct scope_unit_stack stack;

	if (!draft)
		return -ENOMEM;
	builder->units->stacks++;
	stack = draft->stack;
	draft->stack.standing = false;
	if (!builder->sink.stack || (!stack.standing && !stack.slept_ns &&
				     event->stack.reason != SCOPE_STACK_SAMPLE))
		return 0;
	return builder->sink.stack(builder->sink.user, &stack, event);
}

static int build_lost(void *user, uint32_t index, uint64_t now_ns)
{
	struct scope_unit_builder *builder = user;
	struct draft *draft = get_draft(builder, index);

	(void)now_ns;
	if (!draft)
		return -ENOMEM;
	builder->units->discarded += draft->open;
	draft->open = draft->tentative = draft->goes_on = false;
	return 0;
}

/* A thread found in the middle of a call that is no pick-up is in the middle of a unit. */
static int build_state(void *user, uint32_t index, const struct scope_event *event)
{
	struct scope_unit_builder *builder = user;
	struct draft *draft = get_draft(builder, index);
	struct scope_thread *thread = scope_threads_at(builder->units->timeline->threads, index);

	if (!draft)
		return -ENOMEM;
	draft->stack.standing = true;
	if (!(event->state.record->flags & SCOPE_STATE_AT_STOP) && !draft->open &&
	    draft->requests && thread->open.nr != SCOPE_NR_NONE &&
	    match(builder, draft, thread, &thread->open) == SCOPE_PICKUP_NO)
		open_draft(draft, thread, event->time_ns);
	return builder->sink.state ? builder->sink.state(builder->sink.user, index, event) : 0;
}

static int build_end(void *user, uint32_t index, uint64_t now_ns)
{
	struct scope_unit_builder *builder = user;
	struct draft *draft = get_draft(builder, index);
	struct scope_thread *thread = scope_threads_at(builder->units->timeline->threads, index);
	int err = 0;

	if (!draft)
		return -ENOMEM;
	if (draft->open)
		err = close_draft(builder, index, mark_now(thread), now_ns, false);
	free(draft->call);
	draft->call = NULL;
	draft->calls = 0;
	return err;
}

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
		struct draft *draft = &builder->draft[i];
		struct scope_thread *thread = scope_threads_at(threads, i);

		units->thread[i].idle_ns = draft->idle_ns;
		units->thread[i].last_call_ns = draft->last_call_ns;
		if (draft->open && draft->tentative)
			err = close_draft(builder, i, draft->end, draft->end_ns, false);
		else if (draft->open)
			err = close_draft(builder, i, mark_now(thread), units->timeline->end_ns,
					  true);
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

static const struct scope_timeline_ops build = {
	.enter = build_enter,
	.exit = build_exit,
	.leave = build_leave,
	.wait = build_wait,
	.stack = build_stack,
	.lost = build_lost,
	.state = build_state,
	.end = build_end,
};

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
	if (!units->builder)
		return -ENOMEM;
	*units->builder = (struct scope_unit_builder){
		.units = units, .pickups = pickups, .sink = *sink,
	};
	return scope_timeline_create(trace, &units->timeline);
}

int scope_units_feed(struct scope_units *units, const struct scope_event *event)
{
	return scope_timeline_take(units->timeline, event, &build, units->builder);
}

int scope_units_end(struct scope_units *units)
{
	struct scope_unit_builder *builder = units->builder;
	size_t threads = scope_threads_count(units->timeline->threads);
	int err = scope_timeline_finish(units->timeline, &build, builder);

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
	struct scope_event event;
	int more, err = scope_units_begin(units, trace, pickups, sink);

	if (!err)
		err = scope_trace_rewind(trace);
	if (err)
		return err;
	while ((more = scope_trace_next(trace, &event)) > 0) {
		err = scope_units_feed(units, &event);
		if (err)
			return err;
	}
	return more ? more : scope_units_end(units);
}

int scope_units_keep(struct scope_units *units, const struct scope_unit *unit,
		     const struct scope_unit_call *call)
{
	struct scope_unit *kept;

	if (scope_grow(&units->unit, &units->capacity, units->count + 1, sizeof(*units->unit)) ||
	    scope_grow(&units->call, &units->call_capacity, units->calls + unit->calls,
		       sizeof(*units->call)))
		return -ENOMEM;
	kept = &units->unit[units->count];
	*kept = *unit;
	kept->call = units->calls;
	memcpy(&units->call[units->calls], call, unit->calls * sizeof(*call));
	units->calls += unit->calls;
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
	scope_timeline_destroy(units->timeline);
	free(units->unit);
	free(units->call);
	free(units->thread);
	free(units);
}
