// SPDX-License-Identifier: GPL-2.0-only
/* One pass over a trace that cuts request units into their edges. */
#include "variance/edge_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/feed.h"
#include "unit/open_unit.h"
#include "variance/extras.h"
#include "variance/unit_edges.h"

#define LATEST 256 /* no rule: edges of a thread that are kept until its unit ends */
#define KEPT 64	   /* no rule: of these, how many stay if there are more */

/* An edge that the thread has passed. */
struct passed {
	uint64_t edge, begin_ns, end_ns;
	uint64_t slept_ns, queued_ns;
};

struct thread_edges {
	uint32_t point;		      /* the last trace point … */
	uint64_t at_ns;		      /* … when it came, … */
	uint64_t asleep_ns, queue_ns; /* … and the thread's account then */
	uint64_t passed_before;	      /* edges before those of `passed` */
	struct passed *passed;
	uint32_t count;
	struct scope_unit_edges *unit;	     /* the unit's edges that are not in `passed` any more */
	struct scope_unit_edge_stack *stack; /* by number */
	uint32_t stacks, placed;	     /* number of all; of those whose edge is known */
	struct scope_extras *extras;	     /* NULL: nothing of that kind is wanted */
};

struct edge_pass {
	struct scope_trace *trace;
	const struct scope_timeline *timeline;
	struct scope_unit_run *run;
	scope_edge_listener *listener;
	void *user;
	struct scope_edge_wanted wanted;
	struct thread_edges *thread;
	size_t threads, capacity;
};

/*
 * Gives the edge's stacks its index. A call in which the thread ran is known only when it returns, so a sample in it
 * came before the edge of the call, and has the number of the edge before. The time of the sample decides.
 */
static void place_stacks(struct thread_edges *thread, const struct passed *passed, uint64_t number, uint32_t edge)
{
	for (; thread->placed < thread->stacks && thread->stack[thread->placed].number <= number; thread->placed++) {
		struct scope_unit_edge_stack *stack = &thread->stack[thread->placed];

		if (!stack->ns && stack->stack.time_ns > passed->end_ns)
			return;
		if (stack->number == number || (!stack->ns && stack->stack.time_ns >= passed->begin_ns))
			stack->edge = edge;
	}
}

static void fold(struct thread_edges *thread, const struct passed *passed, uint64_t number)
{
	struct scope_unit_edge *edge = scope_variance_unit_edge(thread->unit, passed->edge);
	const uint64_t away_ns = passed->slept_ns + passed->queued_ns;

	edge->ns[SCOPE_EDGE_RUNS] += passed->end_ns - passed->begin_ns - away_ns;
	edge->ns[SCOPE_EDGE_SLEEPS] += passed->slept_ns;
	edge->ns[SCOPE_EDGE_QUEUES] += passed->queued_ns;
	edge->times++;
	place_stacks(thread, passed, number, (uint32_t)(edge - thread->unit->edge));
}

/* Adds the earliest edges that were kept to those of the unit. */
static void fold_first(struct thread_edges *thread, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		fold(thread, &thread->passed[i], thread->passed_before + i);
	thread->count -= count;
	thread->passed_before += count;
	memmove(thread->passed, thread->passed + count, thread->count * sizeof(*thread->passed));
}

/*
 * Begins a unit, which has only the edges from since_ns on: a request that was held (unit/held_request.h) comes while a
 * later unit is open.
 */
static void begin_unit(struct thread_edges *thread, uint64_t since_ns)
{
	uint32_t old = 0;

	while (old < thread->count && thread->passed[old].begin_ns < since_ns)
		old++;
	thread->passed_before += old;
	thread->count -= old;
	memmove(thread->passed, thread->passed + old, thread->count * sizeof(*thread->passed));
	thread->stacks = thread->placed = 0;
	thread->unit->count = 0;
	memset(thread->unit->slot, 0, sizeof(thread->unit->slot));
	if (thread->extras)
		scope_variance_extras_begin(thread->extras);
}

/* Creates the state of a thread that is new, or begins again. NULL: no memory. */
static struct thread_edges *meet(struct edge_pass *pass, uint32_t index)
{
	struct thread_edges *thread;

	if (scope_grow(&pass->thread, &pass->capacity, index + 1ul, sizeof(*pass->thread)))
		return NULL;
	for (; pass->threads <= index; pass->threads++)
		pass->thread[pass->threads] = (struct thread_edges){ 0 };
	thread = &pass->thread[index];
	if (!thread->passed)
		thread->passed = malloc(LATEST * sizeof(*thread->passed));
	if (!thread->unit)
		thread->unit = calloc(1, sizeof(*thread->unit));
	if (!thread->stack)
		thread->stack = malloc(SCOPE_UNIT_STACKS * sizeof(*thread->stack));
	if (!thread->extras && (pass->wanted.probes || pass->wanted.keys)) {
		thread->extras = calloc(1, sizeof(*thread->extras));
		if (!thread->extras)
			return NULL;
		scope_variance_extras_begin(thread->extras);
	}
	return thread->passed && thread->unit && thread->stack ? thread : NULL;
}

/* NULL: no memory. */
static inline struct thread_edges *get(struct edge_pass *pass, uint32_t index)
{
	return index < pass->threads && pass->thread[index].stack ? &pass->thread[index] : meet(pass, index);
}

/*
 * Handles a trace point of a thread. The thread's account is up to date, or it ran since the last update. 0 or -ENOMEM.
 */
static int come_to(struct edge_pass *pass, const struct scope_thread *of, uint32_t point, uint64_t now_ns)
{
	const struct scope_open_unit *open = &pass->run->builder->open_unit[of->index];
	const uint64_t asleep_ns = of->account.asleep_ns, queue_ns = of->account.queue_ns;
	struct thread_edges *thread;

	if (!open->requests)
		return 0;
	thread = get(pass, of->index);
	if (!thread)
		return -ENOMEM;
	if (open->open && thread->at_ns >= open->begin_ns && now_ns >= thread->at_ns) {
		struct passed *passed = &thread->passed[thread->count++];
		const uint64_t wall_ns = now_ns - thread->at_ns;

		passed->edge = scope_variance_edge(thread->point, point);
		passed->begin_ns = thread->at_ns;
		passed->end_ns = now_ns;
		passed->slept_ns = asleep_ns - thread->asleep_ns;
		passed->queued_ns = queue_ns - thread->queue_ns;
		/*
		 * If the thread is new the account began before this edge, which must not be longer than its own
		 * length.
		 */
		if (passed->slept_ns > wall_ns)
			passed->slept_ns = wall_ns;
		if (passed->queued_ns > wall_ns - passed->slept_ns)
			passed->queued_ns = wall_ns - passed->slept_ns;
		if (thread->count == LATEST)
			fold_first(thread, LATEST - KEPT);
	}
	thread->point = point;
	thread->at_ns = now_ns;
	thread->asleep_ns = asleep_ns;
	thread->queue_ns = queue_ns;
	return 0;
}

static uint8_t of_what(const struct edge_pass *pass, uint32_t tgid, uint8_t role, unsigned args, uint64_t fd)
{
	if ((role != SCOPE_CALL_READ && role != SCOPE_CALL_WRITE) || !args)
		return 0;
	return (uint8_t)scope_timeline_fds_kind(pass->timeline->fds, tgid, (int32_t)fd);
}

/* Keeps the words of a call, or of a probe, that are keys. */
static void take_keys(struct edge_pass *pass, uint32_t index, bool probe, uint16_t number, unsigned args,
		      const uint64_t *arg, uint64_t now_ns)
{
	struct thread_edges *thread;

	for (size_t i = 0; i < pass->wanted.keys; i++) {
		const struct scope_unit_key *key = &pass->wanted.key[i];

		if (key->probe != probe || key->number != number || key->arg >= args)
			continue;
		thread = get(pass, index);
		if (thread)
			scope_variance_extras_key(thread->extras, (uint8_t)i, now_ns, (double)(int64_t)arg[key->arg]);
	}
}

static int on_enter(void *user, const struct scope_thread *thread, const struct scope_open_call *call)
{
	struct edge_pass *pass = user;
	const uint8_t what = of_what(pass, thread->tgid, call->role, call->args, call->arg[0]);

	return come_to(pass, thread, scope_variance_point(SCOPE_POINT_ENTER, what, call->nr), call->enter_ns);
}

static int on_return(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		     uint64_t exit_ns)
{
	struct edge_pass *pass = user;
	const uint8_t what = of_what(pass, thread->tgid, call->role, call->args, call->arg[0]);

	(void)ret;
	take_keys(pass, thread->index, false, call->nr, call->args, call->arg, exit_ns);
	return come_to(pass, thread, scope_variance_point(SCOPE_POINT_RETURN, what, call->nr), exit_ns);
}

static uint32_t plain_roles(void *user, uint32_t thread)
{
	(void)user, (void)thread;
	return UINT32_MAX;
}

/* Takes a call in which the thread ran all the time. -ENOMEM is returned at the next call. */
static bool on_plain(void *user, const struct scope_thread *thread, const struct scope_event *event,
		     enum scope_timeline_call_role role)
{
	struct edge_pass *pass = user;
	const uint16_t nr = event->syscall.nr;
	const uint8_t what = of_what(pass, thread->tgid, (uint8_t)role, event->syscall.args,
				     event->syscall.args ? event->syscall.arg[0] : 0);

	take_keys(pass, thread->index, false, nr, event->syscall.args, event->syscall.arg, event->time_ns);
	if (!come_to(pass, thread, scope_variance_point(SCOPE_POINT_ENTER, what, nr), event->syscall.enter_ns))
		come_to(pass, thread, scope_variance_point(SCOPE_POINT_RETURN, what, nr), event->time_ns);
	return true;
}

static int on_stack(void *user, uint32_t index, const struct scope_event *event)
{
	struct edge_pass *pass = user;
	const bool sample = event->stack.reason == SCOPE_STACK_SAMPLE;
	struct thread_edges *thread = index < pass->threads ? &pass->thread[index] : NULL;
	uint64_t ns = 0;

	if (!thread || !thread->stack || thread->stacks == SCOPE_UNIT_STACKS ||
	    !pass->run->builder->open_unit[index].open || (!sample && event->stack.reason != SCOPE_STACK_SYSCALL))
		return 0;
	if (!sample && thread->count)
		ns = thread->passed[thread->count - 1].slept_ns;
	if (!sample && !ns)
		return 0;
	thread->stack[thread->stacks++] = (struct scope_unit_edge_stack){
		.stack = scope_unit_logged_stack(&(struct scope_unit_stack){ .thread = index }, pass->trace, event,
						 scope_timeline_threads_at(pass->timeline->threads, index)->tgid),
		.number = thread->passed_before + thread->count - !sample,
		.ns = ns,
		.edge = UINT32_MAX,
	};
	return 0;
}

static int on_end(void *user, uint32_t index, uint64_t now_ns)
{
	struct edge_pass *pass = user;

	(void)now_ns;
	if (index >= pass->threads)
		return 0;
	free(pass->thread[index].passed);
	free(pass->thread[index].unit);
	free(pass->thread[index].stack);
	free(pass->thread[index].extras);
	pass->thread[index] = (struct thread_edges){ 0 };
	return 0;
}

/* The part of an edge that is in a unit which ends within the edge; the thread ran at that time. */
static struct passed cut(const struct passed *passed, uint64_t end_ns)
{
	struct passed first = *passed;

	first.edge = scope_variance_edge(scope_variance_edge_from(passed->edge),
					 scope_variance_point(SCOPE_POINT_END, 0, 0));
	if (end_ns < passed->end_ns) {
		first.end_ns = end_ns;
		first.slept_ns = first.queued_ns = 0;
	}
	return first;
}

/* The edge from the last trace point to the unit's end. */
static struct passed last_of(const struct thread_edges *thread, const struct scope_thread *of, uint64_t end_ns)
{
	struct passed last = {
		.edge = scope_variance_edge(thread->point, scope_variance_point(SCOPE_POINT_END, 0, 0)),
		.begin_ns = thread->at_ns,
		.end_ns = end_ns,
	};
	const uint64_t wall_ns = end_ns - thread->at_ns;

	if (of->since_ns != end_ns)
		return last;
	last.slept_ns = of->account.asleep_ns - thread->asleep_ns;
	last.queued_ns = of->account.queue_ns - thread->queue_ns;
	if (last.slept_ns > wall_ns)
		last.slept_ns = wall_ns;
	if (last.queued_ns > wall_ns - last.slept_ns)
		last.queued_ns = wall_ns - last.slept_ns;
	return last;
}

/* Collects all edges of the unit, which has ended, in thread->unit. */
static void gather(struct thread_edges *thread, const struct scope_thread *of, const struct scope_unit *unit)
{
	const struct scope_unit_earlier *earlier = unit->earlier;
	uint64_t known_ns = 0;
	uint32_t i;

	if (earlier) {
		scope_variance_unit_edge_add(thread->unit, SCOPE_EDGE_EARLIER, SCOPE_EDGE_RUNS,
					     earlier->part.end_ns - earlier->part.begin_ns);
		scope_variance_unit_edge_add(thread->unit, SCOPE_EDGE_HELD, SCOPE_EDGE_SLEEPS, earlier->task_ns);
		scope_variance_unit_edge(thread->unit, SCOPE_EDGE_HELD)->ns[SCOPE_EDGE_QUEUES] += earlier->loop_ns;
	}
	for (i = 0; i < thread->count && thread->passed[i].end_ns < unit->end_ns; i++)
		fold(thread, &thread->passed[i], thread->passed_before + i);
	if (i < thread->count && thread->passed[i].begin_ns < unit->end_ns) {
		const struct passed first = cut(&thread->passed[i], unit->end_ns);

		fold(thread, &first, thread->passed_before + i);
	} else if (i == thread->count && thread->at_ns >= unit->begin_ns && thread->at_ns < unit->end_ns) {
		const struct passed last = last_of(thread, of, unit->end_ns);

		fold(thread, &last, thread->passed_before + i);
	}
	for (i = 0; i < thread->unit->count; i++)
		for (unsigned part = 0; part < SCOPE_EDGE_PARTS; part++)
			known_ns += thread->unit->edge[i].ns[part];
	if (known_ns < scope_unit_wall(unit))
		scope_variance_unit_edge_add(thread->unit, SCOPE_EDGE_UNSEEN, SCOPE_EDGE_RUNS,
					     scope_unit_wall(unit) - known_ns);
}

static int take_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct edge_pass *pass = user;
	const struct scope_thread *of = scope_timeline_threads_at(pass->timeline->threads, unit->thread);
	static const struct scope_unit_extras none;
	const struct scope_open_unit *open;
	struct thread_edges *thread;
	int err = 0;

	(void)call;
	if (unit->granularity != SCOPE_UNIT_REQUEST)
		return 0;
	thread = get(pass, unit->thread);
	if (!thread)
		return -ENOMEM;
	if (!unit->open) {
		gather(thread, of, unit);
		err = pass->listener(pass->user, unit, thread->unit, thread->stack, thread->stacks,
				     thread->extras
					     ? scope_variance_extras_of(thread->extras, unit->begin_ns, unit->end_ns)
					     : &none);
	}
	open = &pass->run->builder->open_unit[unit->thread];
	begin_unit(thread, open->open && open->begin_ns >= unit->end_ns ? unit->end_ns : UINT64_MAX);
	return err;
}

/* Drops the thread's edges, because events of its unit are missing. */
static int on_lost(void *user, uint32_t index, uint64_t now_ns)
{
	struct edge_pass *pass = user;

	(void)now_ns;
	if (index < pass->threads && pass->thread[index].unit) {
		begin_unit(&pass->thread[index], UINT64_MAX);
		if (pass->thread[index].extras)
			scope_variance_extras_lost(pass->thread[index].extras);
	}
	return 0;
}

static int begin(void *user, const struct scope_timeline *timeline)
{
	struct edge_pass *pass = user;

	pass->timeline = timeline;
	return 0;
}

/* True if the probe is that of a function whose calls are wanted. */
static bool on_span(struct edge_pass *pass, const struct scope_thread *of, const struct scope_event *event)
{
	struct thread_edges *thread;

	for (size_t i = 0; i < pass->wanted.probes; i++) {
		const struct scope_span_probe *probe = &pass->wanted.probe[i];

		if (probe->id != event->probe.id)
			continue;
		thread = get(pass, of->index);
		if (!thread)
			return true;
		if (probe->end)
			scope_variance_extras_leave(thread->extras, probe->span, event->time_ns, of->account.queue_ns);
		else
			scope_variance_extras_enter(
				thread->extras, probe->span, event->time_ns, of->account.queue_ns,
				thread->at_ns && event->time_ns > thread->at_ns ? event->time_ns - thread->at_ns : 0);
		return true;
	}
	return false;
}

static int on_probe(struct edge_pass *pass, const struct scope_event *event)
{
	const long index = scope_timeline_threads_find(pass->timeline->threads, event->tid);
	const struct scope_thread *of;

	if (index < 0 || (size_t)index >= pass->run->builder->open_units)
		return 0;
	of = scope_timeline_threads_at(pass->timeline->threads, (size_t)index);
	take_keys(pass, (uint32_t)index, true, event->probe.id, event->probe.args, event->probe.arg, event->time_ns);
	if (on_span(pass, of, event))
		return 0;
	return come_to(pass, of,
		       scope_variance_point(SCOPE_POINT_PROBE, event->flags & SCOPE_PROBE_RETURN, event->probe.id),
		       event->time_ns);
}

/* The timeline does not handle probes, so they are handled here, between its batches. */
static int feed(void *user, const struct scope_event *const *event, size_t count)
{
	struct edge_pass *pass = user;
	int err = 0;

	for (size_t i = 0, end; !err && i < count; i = end + 1) {
		for (end = i; end < count && event[end]->kind != SCOPE_EVENT_PROBE; end++)
			;
		if (end > i)
			err = scope_unit_run_feed(pass->run, &event[i], end - i);
		if (!err && end < count)
			err = on_probe(pass, event[end]);
	}
	return err;
}

static const struct scope_timeline_ops ops = {
	.plain_roles = plain_roles,
	.plain = on_plain,
	.enter = on_enter,
	.exit = on_return,
	.stack = on_stack,
	.lost = on_lost,
	.end = on_end,
};

int scope_variance_edge_pass(struct scope_trace *trace, const struct scope_groups *groups,
			     const struct scope_pickups *pickups, const struct scope_edge_wanted *wanted,
			     scope_edge_listener *listener, void *user)
{
	struct edge_pass pass = { .trace = trace, .listener = listener, .user = user };
	const struct scope_pass_listener one = { .ops = &ops, .begin = begin, .user = &pass };
	const struct scope_listeners listeners = { &one, 1 };
	const struct scope_unit_source source = {
		.trace = trace, .groups = groups, .pickups = pickups, .listeners = &listeners
	};
	const struct scope_unit_sink sink = { .unit = take_unit, .user = &pass };
	int err = scope_unit_run_create(&source, &sink, &pass.run);

	if (err)
		return err;
	if (wanted)
		pass.wanted = *wanted;
	err = scope_trace_feed_all(trace, feed, &pass);
	if (!err)
		err = scope_unit_run_end(pass.run);
	for (size_t i = 0; i < pass.threads; i++)
		on_end(&pass, (uint32_t)i, 0);
	free(pass.thread);
	scope_unit_run_destroy(pass.run);
	return err;
}
