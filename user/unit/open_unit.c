// SPDX-License-Identifier: GPL-2.0-only
/* Builds units from a timeline, one open unit per thread. */
#include "unit/open_unit.h"

#include <errno.h>
#include <string.h>

#include "base/grow.h"
#include "unit/held_request.h"
#include "unit/inner_wait.h"
#include "unit/next_answer.h"
#include "unit/open_call.h"
#include "unit/rest.h"
#include "unit/snapshot.h"

/* Roles of calls that change only the counts of a request. */
static uint32_t plain_roles(const struct scope_open_unit *open_unit)
{
	const uint32_t answers = scope_unit_next_possible(open_unit) ? 1u << SCOPE_CALL_WRITE : 0;
	const uint32_t roles = open_unit->requests ? SCOPE_PICKUP_PLAIN_ROLES & ~answers : 0;

	return open_unit->pickup.nr == SCOPE_NR_NONE ? roles
						     : roles & ~(1u << scope_timeline_call_role(open_unit->pickup.nr));
}

/*
 * A thread that is made for a connection works for it from its first instruction on: it checks who the client is, or looks
 * up its name, and then reads. All of that is in its first request, if the client had sent it by then.
 */
static void begin_new_thread(struct scope_open_unit *open_unit, const struct scope_thread *thread)
{
	scope_unit_open_begin(open_unit, thread, thread->first_ns);
	open_unit->begin = (struct scope_mark){ 0 };
	open_unit->new_thread = true;
}

bool scope_unit_open_meet(struct scope_unit_builder *builder, uint32_t thread)
{
	if (scope_grow(&builder->open_unit, &builder->open_unit_capacity, thread + 1, sizeof(*builder->open_unit)) ||
	    (builder->sink.meet && builder->sink.meet(builder->sink.user, thread)))
		return false;
	for (; builder->open_units <= thread; builder->open_units++) {
		const struct scope_pickup *pickup = scope_unit_pickups_of(builder->pickups, builder->open_units);
		const struct scope_thread *met =
			scope_timeline_threads_at(builder->run->timeline->threads, builder->open_units);
		struct scope_open_unit open_unit = {
			.stack.thread = builder->open_units,
			.pickup.nr = SCOPE_NR_NONE,
			.read_fd = -1,
			.from_fd = -1,
			.only_fd = -1,
			.client_fd = -1,
			.loop.nr = SCOPE_NR_NONE,
			.of_loop.waker = SCOPE_WAIT_NO_THREAD,
		};

		if (pickup)
			open_unit.pickup = *pickup;
		if (scope_unit_histograms_root(builder->histograms,
					       builder->run->groups->of_thread[builder->open_units], &open_unit.root))
			return false;
		open_unit.requests = scope_unit_pickup_any(&open_unit.pickup);
		open_unit.plain_roles = plain_roles(&open_unit);
		if (open_unit.pickup.reads && met->is_new)
			begin_new_thread(&open_unit, met);
		builder->open_unit[builder->open_units] = open_unit;
	}
	return true;
}

/* The group of its requests of that kind, if it has one by now; else that of the thread. */
static uint32_t group_of(const struct scope_unit_builder *builder, uint32_t thread, uint8_t request)
{
	const struct scope_groups *groups = builder->run->groups;
	const long group = request ? scope_unit_groups_find_request(groups, groups->of_thread[thread], request) : -1;

	return group < 0 ? groups->of_thread[thread] : (uint32_t)group;
}

/* What its thread's account has grown by until then. */
static void set_times(struct scope_unit *unit, const struct scope_open_unit *open_unit, const struct scope_mark *end)
{
	const struct scope_mark *begin = &open_unit->begin;
	const uint64_t run_ns = end->run_ns - begin->run_ns;
	const uint64_t probe_ns = end->probe_ns - begin->probe_ns + open_unit->others_ns;
	uint64_t waker_queue_ns = end->waker_queue_ns - begin->waker_queue_ns;

	unit->run_ns = run_ns > probe_ns ? run_ns - probe_ns : 0;
	unit->blocked_ns = end->asleep_ns - begin->asleep_ns;
	if (unit->granularity == SCOPE_UNIT_SWITCH)
		unit->blocked_ns -= end->timer_ns - begin->timer_ns;
	/* A unit that began within a sleep has only a part of it. */
	if (waker_queue_ns > unit->blocked_ns)
		waker_queue_ns = unit->blocked_ns;
	unit->blocked_ns -= waker_queue_ns;
	unit->queue_ns = end->queue_ns - begin->queue_ns + waker_queue_ns;
}

/* Adds what was done for its request before it was held, and what that waited for. */
static void add_before(struct scope_unit *unit, const struct scope_open_unit_before *before)
{
	unit->earlier = &before->earlier;
	unit->run_ns += before->run_ns;
	unit->blocked_ns += before->blocked_ns + before->earlier.task_ns;
	unit->queue_ns += before->queue_ns;
}

int scope_unit_open_close(struct scope_unit_builder *builder, uint32_t thread, const struct scope_mark *end,
			  uint64_t end_ns, bool still_open)
{
	struct scope_open_unit *open_unit = &builder->open_unit[thread];
	bool requests = open_unit->requests;
	const uint8_t request = requests ? open_unit->request : 0;
	const struct scope_unit_call *call;
	struct scope_unit unit;
	bool held;

	if (open_unit->doubt) {
		const int err = scope_unit_inner_rest(builder, open_unit, thread);

		if (err || !open_unit->open)
			return err;
	}
	if (scope_unit_rest_is(open_unit) && open_unit->rest_ns < end_ns) {
		end = &open_unit->rest;
		end_ns = open_unit->rest_ns;
		still_open = false;
	}
	if (!open_unit->asked && builder->helds.used)
		scope_unit_held_heard(builder, open_unit, thread, end_ns);
	held = open_unit->asked && !open_unit->client_answered && !still_open &&
	       scope_unit_held_wanted(builder, open_unit, thread);
	open_unit->open = false;
	open_unit->tentative = false;
	/* What a new thread did before it waited for its first work, as one of a pool does; but one that greets its client has worked. */
	if (end_ns <= open_unit->begin_ns || (open_unit->new_thread && !open_unit->answered))
		return 0;
	unit = (struct scope_unit){
		.begin_ns = open_unit->begin_ns,
		.end_ns = end_ns,
		.bytes = open_unit->bytes,
		.calls = (uint16_t)scope_unit_open_calls(builder, open_unit, &call),
		.histogram = open_unit->histogram,
		.thread = thread,
		.group = group_of(builder, thread, request),
		.connection = open_unit->connection,
		.first = open_unit->first,
		.granularity = requests ? SCOPE_UNIT_REQUEST : SCOPE_UNIT_SWITCH,
		.request = request,
		.open = still_open,
		.asked = open_unit->datagrams ? open_unit->datagrams : open_unit->asked,
	};
	set_times(&unit, open_unit, end);
	if (open_unit->before.any)
		add_before(&unit, &open_unit->before);
	return held ? scope_unit_held_add(builder, open_unit, thread, &unit, call)
		    : builder->sink.unit(builder->sink.user, &unit, call);
}

/* The thread waits for a task that can go on. What it does then is a turn of its loop, whatever request that is for. */
static int park(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
		const struct scope_thread *thread, uint64_t now_ns)
{
	const struct scope_mark now = scope_unit_mark_now(thread);
	const bool tentative = open_unit->tentative;

	open_unit->parked = true;
	return open_unit->open ? scope_unit_open_close(builder, thread->index, tentative ? &open_unit->end : &now,
						       tentative ? open_unit->end_ns : now_ns, false)
			       : 0;
}

int scope_unit_open_leave(void *user, uint32_t index, uint64_t now_ns)
{
	struct scope_unit_builder *builder = user;
	struct scope_open_unit *open_unit;
	struct scope_thread *thread = scope_timeline_threads_at(builder->run->timeline->threads, index);
	struct scope_mark now;
	int err = 0;

	if (!scope_unit_open_has(builder, index))
		return -ENOMEM;
	open_unit = &builder->open_unit[index];
	scope_unit_quiet_count(&open_unit->quiet, thread, open_unit->stack.exit_ns, now_ns);
	if (open_unit->handlers.any)
		scope_unit_quiet_count(&open_unit->handlers.quiet, thread, open_unit->handlers.since_ns, now_ns);
	if (thread->run == SCOPE_RUN_BLOCKED) {
		open_unit->slept_in_call = true;
		/* Asleep in a read for the next request: the thread idles since its entry. */
		open_unit->goes_on = false;
		if (scope_unit_rest_parks(builder, open_unit, thread))
			return park(builder, open_unit, thread, now_ns);
		if (!scope_unit_inner_parked(open_unit))
			scope_unit_rest_begin(open_unit, thread, now_ns);
		if (open_unit->open && open_unit->tentative) {
			err = scope_unit_rest_turn(builder, open_unit, index, now_ns);
			if (!err)
				err = scope_unit_open_close(builder, index, &open_unit->end, open_unit->end_ns, false);
		}
		return err;
	}
	if (open_unit->requests || !open_unit->open)
		return 0;
	now = scope_unit_mark_now(thread);
	err = scope_unit_open_close(builder, index, &now, now_ns, false);
	scope_unit_open_begin(open_unit, thread, now_ns);
	return err;
}

/* A sleep counts for the open unit, or for none. A later pick-up decides which. parked: the thread waited for a task of any request. */
static int report_wait(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
		       const struct scope_wait *wait, bool parked)
{
	struct scope_wait outside = *wait, inside = *wait;
	const uint64_t slept_ns = wait->end_ns - (wait->first_ns ? wait->first_ns : wait->begin_ns);
	int err = open_unit->pending ? scope_unit_open_report_idle(builder, open_unit, false) : 0;

	if (err || slept_ns < SCOPE_UNIT_WAIT_MIN_NS)
		return err;
	if (open_unit->open && !parked && !scope_unit_inner_parked(open_unit)) {
		/* The thread may have slept since before the window. */
		if (inside.begin_ns < open_unit->begin_ns)
			inside.begin_ns = open_unit->begin_ns;
		inside.rests = scope_unit_rest_idles(builder, open_unit, wait);
		if (!inside.rests || !scope_unit_rest_has_clients(open_unit))
			return builder->sink.wait(builder->sink.user, &inside);
	}
	outside.outside = true;
	if (parked || !open_unit->pickup.reads || slept_ns < SCOPE_UNIT_IDLE_MIN_NS)
		return builder->sink.wait(builder->sink.user, &outside);
	open_unit->pending = true;
	open_unit->idle = outside;
	return 0;
}

/* The majority of a sequence, if there is one, in one pass (Boyer and Moore, 1981). */
static void vote_futex(struct scope_open_unit *open_unit, uint64_t address)
{
	if (!open_unit->futex_votes)
		open_unit->usual_futex = address;
	if (scope_timeline_wait_same_object(SYS_futex, open_unit->usual_futex, address))
		open_unit->futex_votes++;
	else
		open_unit->futex_votes--;
}

/* Several sleeps in one call are one. */
static void note_poll(struct scope_open_unit *open_unit, const struct scope_thread *thread,
		      const struct scope_wait *wait)
{
	if (open_unit->polled_enter_ns != thread->held_enter_ns)
		open_unit->polled.begin_ns = wait->begin_ns;
	open_unit->polled.end_ns = wait->wake_ns;
	open_unit->polled.waker = SCOPE_WAIT_NO_THREAD;
	open_unit->polled_enter_ns = thread->held_enter_ns;
}

static void unpark(struct scope_open_unit *open_unit, const struct scope_thread *thread, const struct scope_wait *wait)
{
	open_unit->parked = false;
	scope_unit_rest_idle(open_unit, wait->begin_ns, wait->wake_ns);
	scope_unit_open_begin(open_unit, thread, wait->end_ns);
	open_unit->from_loop = open_unit->empty_turn = true;
}

int scope_unit_open_wait(void *user, const struct scope_wait *wait)
{
	struct scope_unit_builder *builder = user;
	struct scope_open_unit *open_unit;
	const struct scope_thread *thread = scope_timeline_threads_at(builder->run->timeline->threads, wait->thread);
	bool parked;
	int err;

	if (!scope_unit_open_has(builder, wait->thread))
		return -ENOMEM;
	open_unit = &builder->open_unit[wait->thread];
	parked = open_unit->parked;
	err = scope_unit_snapshot_wait(builder, open_unit, wait);
	if (err)
		return err;
	if (wait->class == SCOPE_WAIT_POLL)
		open_unit->of_loop.waker = wait->waker;
	open_unit->stack.slept_ns += wait->wake_ns - wait->begin_ns - wait->waker_queue_ns;
	open_unit->stack.wake_ns = wait->wake_ns;
	open_unit->stack.class = wait->class;
	if (wait->class == SCOPE_WAIT_FUTEX && wait->object)
		vote_futex(open_unit, wait->object);
	/* No connection waits for a new thread that waits for work by a condition variable. */
	if (open_unit->new_thread && wait->class == SCOPE_WAIT_FUTEX && !wait->lock)
		open_unit->open = false;
	if (parked)
		unpark(open_unit, thread, wait);
	else
		scope_unit_rest_judge(builder, open_unit, wait);
	/* A waking that the kernel did not report, or that came after a time-out. */
	open_unit->stack.propagated = wait->waker != SCOPE_WAIT_NO_THREAD || (wait->woken && !wait->waker_tid);
	scope_unit_retry_sleep(&open_unit->retry, wait);
	if (wait->end_ns - wait->begin_ns >= SCOPE_SPIN_SLEEP_NS)
		scope_unit_spin_end(&open_unit->spinning, thread, wait->begin_ns);
	if (!builder->sink.wait)
		return 0;
	if (wait->class == SCOPE_WAIT_POLL && open_unit->open && builder->sink.late)
		note_poll(open_unit, thread, wait);
	return report_wait(builder, open_unit, wait, parked);
}

int scope_unit_open_request(void *user, uint32_t index, uint32_t kind)
{
	struct scope_unit_builder *builder = user;
	struct scope_open_unit *open_unit;

	if (!scope_unit_open_has(builder, index))
		return -ENOMEM;
	open_unit = &builder->open_unit[index];
	if (kind > SCOPE_REQUEST_KINDS_MAX)
		return 0;
	if (!open_unit->request)
		open_unit->request = (uint8_t)kind;
	else if (open_unit->request != kind)
		open_unit->request = SCOPE_REQUEST_SEVERAL;
	return 0;
}

int scope_unit_open_queued(void *user, const struct scope_queued *queued)
{
	const struct scope_unit_builder *builder = user;
	const struct scope_wait wait = {
		.thread = queued->thread,
		.waker_tid = queued->taker_tid,
		.waker = SCOPE_WAIT_NO_THREAD,
		.nr = SCOPE_NR_NONE,
		.object = queued->own_ns,
		.queue = true,
		.begin_ns = queued->begin_ns,
		.wake_ns = queued->end_ns - queued->taken_ns,
		.end_ns = queued->end_ns,
	};

	if (!builder->sink.wait || queued->end_ns - queued->begin_ns < SCOPE_UNIT_WAIT_MIN_NS)
		return 0;
	return builder->sink.wait(builder->sink.user, &wait);
}

int scope_unit_open_stack(void *user, uint32_t index, const struct scope_event *event)
{
	struct scope_unit_builder *builder = user;
	struct scope_open_unit *open_unit;
	struct scope_unit_stack stack;

	if (!scope_unit_open_has(builder, index))
		return -ENOMEM;
	open_unit = &builder->open_unit[index];
	builder->run->stacks++;
	stack = open_unit->stack;
	open_unit->stack.stopped_stack = false;
	if (!builder->sink.stack ||
	    (!stack.stopped_stack && !stack.slept_ns && event->stack.reason != SCOPE_STACK_SAMPLE))
		return 0;
	return builder->sink.stack(builder->sink.user, &stack, event);
}

int scope_unit_open_lost(void *user, uint32_t index, uint64_t now_ns)
{
	struct scope_unit_builder *builder = user;
	struct scope_open_unit *open_unit;
	int err = 0;

	if (!scope_unit_open_has(builder, index))
		return -ENOMEM;
	open_unit = &builder->open_unit[index];
	/* What it was in before is whole. */
	if (open_unit->doubt)
		err = scope_unit_inner_rest(builder, open_unit, index);
	builder->run->discarded += open_unit->open;
	open_unit->open = open_unit->tentative = open_unit->goes_on = open_unit->parked = false;
	open_unit->retry = (struct scope_retry){ 0 };
	scope_unit_spin_cut(&open_unit->spinning, scope_timeline_threads_at(builder->run->timeline->threads, index),
			    open_unit->stack.exit_ns, now_ns);
	return err ? err : scope_unit_held_lost(builder, index);
}

/* A thread found in the middle of a call that is no pick-up is in the middle of a unit. */
int scope_unit_open_state(void *user, uint32_t index, const struct scope_event *event)
{
	struct scope_unit_builder *builder = user;
	struct scope_open_unit *open_unit;
	struct scope_thread *thread = scope_timeline_threads_at(builder->run->timeline->threads, index);

	if (!scope_unit_open_has(builder, index))
		return -ENOMEM;
	open_unit = &builder->open_unit[index];
	open_unit->stack.stopped_stack = true;
	if (!(event->state.record->flags & SCOPE_STATE_AT_STOP) && !open_unit->open && open_unit->requests &&
	    thread->open.nr != SCOPE_NR_NONE &&
	    scope_unit_open_match(builder, open_unit, thread, &thread->open) == SCOPE_PICKUP_NO) {
		scope_unit_open_begin(open_unit, thread, event->time_ns);
		if (thread->run == SCOPE_RUN_BLOCKED)
			scope_unit_rest_begin(open_unit, thread, event->time_ns);
	}
	return builder->sink.state ? builder->sink.state(builder->sink.user, index, event) : 0;
}

int scope_unit_open_end(void *user, uint32_t index, uint64_t now_ns)
{
	struct scope_unit_builder *builder = user;
	struct scope_open_unit *open_unit;
	struct scope_thread *thread = scope_timeline_threads_at(builder->run->timeline->threads, index);
	struct scope_mark now;
	int err = 0;

	if (!scope_unit_open_has(builder, index))
		return -ENOMEM;
	open_unit = &builder->open_unit[index];
	now = scope_unit_mark_now(thread);
	scope_unit_spin_end(&open_unit->spinning, thread, now_ns);
	if (open_unit->open)
		err = scope_unit_open_close(builder, index, &now, now_ns, false);
	free(open_unit->call);
	open_unit->call = NULL;
	open_unit->histogram = open_unit->root;
	open_unit->calls = 0;
	return err;
}
