// SPDX-License-Identifier: GPL-2.0-only
/* The units that are being built, one of each thread, by what a timeline tells. */
#include "unit/open_unit.h"

#include <string.h>

#include "base/grow.h"

/* Roles of calls that change nothing of a request but the counts. */
static uint32_t plain_roles(const struct scope_open_unit *open_unit)
{
	const uint32_t roles = open_unit->requests ? SCOPE_PICKUP_PLAIN_ROLES : 0;

	return open_unit->pickup.nr == SCOPE_NR_NONE ? roles
						     : roles & ~(1u << scope_timeline_call_role(open_unit->pickup.nr));
}

bool scope_unit_open_meet(struct scope_unit_builder *builder, uint32_t thread)
{
	if (scope_grow(&builder->open_unit, &builder->open_unit_capacity, thread + 1, sizeof(*builder->open_unit)) ||
	    (builder->sink.meet && builder->sink.meet(builder->sink.user, thread)))
		return false;
	for (; builder->open_units <= thread; builder->open_units++) {
		const struct scope_pickup *pickup = scope_unit_pickups_of(builder->pickups, builder->open_units);
		struct scope_open_unit open_unit = {
			.stack.thread = builder->open_units,
			.pickup.nr = SCOPE_NR_NONE,
			.read_fd = -1,
			.from_fd = -1,
			.only_fd = -1,
			.client_fd = -1,
			.loop.nr = SCOPE_NR_NONE,
		};

		if (pickup)
			open_unit.pickup = *pickup;
		if (scope_unit_histograms_root(builder->histograms,
					       builder->run->groups->of_thread[builder->open_units], &open_unit.root))
			return false;
		open_unit.requests = scope_unit_pickup_any(&open_unit.pickup);
		open_unit.plain_roles = plain_roles(&open_unit);
		builder->open_unit[builder->open_units] = open_unit;
	}
	return true;
}

/* What the shape stands for is counted on here. */
static void leave_histogram(const struct scope_histograms *histograms, struct scope_open_unit *open_unit)
{
	const struct scope_histogram *histogram = &histograms->histogram[open_unit->histogram];

	open_unit->calls = histogram->calls;
	memcpy(open_unit->call->call, scope_unit_histogram_calls(histograms, histogram),
	       histogram->calls * sizeof(*open_unit->call->call));
	for (unsigned i = 0; i < open_unit->calls; i++)
		if (open_unit->call->call[i].nr < SCOPE_SYSCALL_MAX)
			open_unit->call->place[open_unit->call->call[i].nr] = (uint8_t)i;
	open_unit->histogram = SCOPE_HISTOGRAM_NONE;
}

/* The place of a number in the list, or where it would be added. */
static unsigned place_of(const struct scope_open_unit *open_unit, uint16_t nr)
{
	const struct scope_unit_call *call = open_unit->call->call;
	unsigned i = nr < SCOPE_SYSCALL_MAX ? open_unit->call->place[nr] : 0;

	if (nr < SCOPE_SYSCALL_MAX)
		return i < open_unit->calls && call[i].nr == nr ? i : open_unit->calls;
	while (i < open_unit->calls && call[i].nr != nr)
		i++;
	return i;
}

int scope_unit_open_count(struct scope_histograms *histograms, struct scope_open_unit *open_unit, uint16_t nr)
{
	struct scope_unit_call *call;
	uint32_t to = SCOPE_HISTOGRAM_NONE;
	unsigned i;

	if (open_unit->histogram != SCOPE_HISTOGRAM_NONE &&
	    scope_unit_histograms_step(histograms, open_unit->histogram, nr, &to))
		return -ENOMEM;
	if (to != SCOPE_HISTOGRAM_NONE) {
		open_unit->histogram = to;
		return 0;
	}
	if (!open_unit->call) {
		open_unit->call = calloc(1, sizeof(*open_unit->call));
		if (!open_unit->call)
			return -ENOMEM;
	}
	if (open_unit->histogram != SCOPE_HISTOGRAM_NONE)
		leave_histogram(histograms, open_unit);
	i = place_of(open_unit, nr);
	if (i == SCOPE_UNIT_CALLS)
		return 0;
	call = &open_unit->call->call[i];
	if (i == open_unit->calls) {
		if (nr < SCOPE_SYSCALL_MAX)
			open_unit->call->place[nr] = (uint8_t)i;
		open_unit->calls++;
		*call = (struct scope_unit_call){ nr, 0 };
	}
	call->count += call->count != UINT16_MAX;
	return 0;
}

static const struct scope_unit_call no_call;

/* The list of calls so far, as many as are returned. */
static unsigned calls_of(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			 const struct scope_unit_call **ret_call)
{
	const struct scope_histograms *histograms = builder->histograms;

	if (open_unit->histogram == SCOPE_HISTOGRAM_NONE) {
		*ret_call = open_unit->calls ? open_unit->call->call : &no_call;
		return open_unit->calls;
	}
	*ret_call = scope_unit_histogram_calls(histograms, &histograms->histogram[open_unit->histogram]);
	return histograms->histogram[open_unit->histogram].calls;
}

int scope_unit_open_close(struct scope_unit_builder *builder, uint32_t thread, const struct scope_mark *end,
			  uint64_t end_ns, bool still_open)
{
	struct scope_open_unit *open_unit = &builder->open_unit[thread];
	bool requests = open_unit->requests;
	const struct scope_mark *begin = &open_unit->begin;
	uint64_t run_ns = end->run_ns - begin->run_ns, probe_ns = end->probe_ns - begin->probe_ns;
	uint64_t waker_queue_ns = end->waker_queue_ns - begin->waker_queue_ns;
	const struct scope_unit_call *call;
	struct scope_unit unit;

	open_unit->open = false;
	open_unit->tentative = false;
	if (end_ns <= open_unit->begin_ns)
		return 0;
	unit = (struct scope_unit){
		.begin_ns = open_unit->begin_ns,
		.end_ns = end_ns,
		.run_ns = run_ns > probe_ns ? run_ns - probe_ns : 0,
		.queue_ns = end->queue_ns - begin->queue_ns,
		.blocked_ns = end->asleep_ns - begin->asleep_ns,
		.bytes = open_unit->bytes,
		.calls = (uint16_t)calls_of(builder, open_unit, &call),
		.histogram = open_unit->histogram,
		.thread = thread,
		.group = builder->run->groups->of_thread[thread],
		.granularity = requests ? SCOPE_UNIT_REQUEST : SCOPE_UNIT_SWITCH,
		.open = still_open,
		.asked = open_unit->asked,
	};
	if (!requests)
		unit.blocked_ns -= end->timer_ns - begin->timer_ns;
	/* A unit that began in the middle of a sleep has only a part of it. */
	if (waker_queue_ns > unit.blocked_ns)
		waker_queue_ns = unit.blocked_ns;
	unit.blocked_ns -= waker_queue_ns;
	unit.queue_ns += waker_queue_ns;
	return builder->sink.unit(builder->sink.user, &unit, call);
}

/* Which descriptor it is matters to reads alone. */
enum scope_unit_pickup_match scope_unit_open_match_any(const struct scope_unit_builder *builder,
						       struct scope_open_unit *open_unit,
						       const struct scope_thread *thread,
						       const struct scope_open_call *call)
{
	enum scope_fd_kind fd = SCOPE_FD_UNKNOWN;
	enum scope_unit_pickup_match match;

	if (call->args && call->role == SCOPE_CALL_READ)
		fd = scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, (int32_t)call->arg[0]);
	match = scope_unit_pickup_match(&open_unit->pickup, call, fd);
	if (match == SCOPE_PICKUP_LOOP && call->role == SCOPE_CALL_POLL && call->args)
		open_unit->loop = (struct scope_open_unit_loop){ call->arg[0], call->nr };
	return match;
}

/* Did the open unit do nothing yet but come from the top of the loop? */
static bool begun_by_loop(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit)
{
	const struct scope_unit_call *call;

	return open_unit->tentative && open_unit->from_loop && calls_of(builder, open_unit, &call) == 1 &&
	       call[0].count == 1;
}

/* A sleep outside units was for a client if work was taken by it, or right behind it. */
static int tell_idle(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, bool read)
{
	open_unit->pending = false;
	open_unit->idle.idle = read;
	return builder->sink.wait(builder->sink.user, &open_unit->idle);
}

/* What a read or an accept brought. */
enum brought {
	BROUGHT_NOTHING,
	BROUGHT_CONNECTION,
	BROUGHT_MORE, /* of a request that is not answered yet */
	BROUGHT_REQUEST,
};

/*
 * A request begins with the first bytes of a connection behind the answer to the one before. Where nothing is ever
 * answered, only reads one behind the other are of one.
 */
static enum brought what_came(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			      const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret)
{
	struct scope_fds *fds = builder->run->timeline->fds;
	const int64_t fd = (int32_t)call->arg[0];

	if (call->role == SCOPE_CALL_ACCEPT)
		return ret >= 0 ? BROUGHT_CONNECTION : BROUGHT_NOTHING;
	if (ret <= 0)
		return BROUGHT_NOTHING;
	if (!call->args)
		return BROUGHT_REQUEST;
	if (scope_timeline_fds_kind(fds, thread->tgid, fd) == SCOPE_FD_ACCEPTED &&
	    scope_timeline_fds_turn(fds, fd) == SCOPE_FD_SHUT)
		return BROUGHT_NOTHING;
	if (open_unit->pickup.unanswered)
		return open_unit->goes_on ? BROUGHT_MORE : BROUGHT_REQUEST;
	if (scope_timeline_fds_turn(fds, fd) == SCOPE_FD_ASKED)
		return BROUGHT_MORE;
	scope_timeline_fds_ask(fds, fd, thread->index);
	return BROUGHT_REQUEST;
}

/*
 * Does what came belong to the unit that is open? That holds until it took a request or answered one: so the calls
 * between the top of the loop, or the accept, and the read are of the request. A thread without a loop takes each
 * connection by itself.
 */
static bool belongs(const struct scope_open_unit *open_unit, enum brought brought, int64_t fd)
{
	if (brought == BROUGHT_CONNECTION)
		return !open_unit->asked && !open_unit->answered &&
		       !(open_unit->connected && open_unit->pickup.nr == SCOPE_NR_NONE);
	if (open_unit->from_fd >= 0 && open_unit->from_fd != fd)
		return false;
	return brought == BROUGHT_MORE || (!open_unit->asked && !open_unit->answered);
}

static void note_client(struct scope_open_unit *open_unit, enum brought brought, int64_t fd)
{
	open_unit->many = (brought == BROUGHT_CONNECTION && open_unit->accepted) ||
			  (fd >= 0 && open_unit->only_fd >= 0 && open_unit->only_fd != fd);
	open_unit->accepted |= brought == BROUGHT_CONNECTION;
	if (open_unit->only_fd < 0)
		open_unit->only_fd = fd;
}

static int take(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
		const struct scope_thread *thread, const struct scope_open_call *call, enum brought brought,
		int64_t ret, uint64_t exit_ns)
{
	const int64_t fd = call->args && brought != BROUGHT_CONNECTION ? (int32_t)call->arg[0] : -1;
	/* Nothing was done in a turn of the loop that began as the call was entered. */
	const bool empty = open_unit->from_loop && open_unit->end_ns <= open_unit->begin_ns;
	int err = 0;

	if (!open_unit->open || empty || !belongs(open_unit, brought, fd)) {
		if (open_unit->open && open_unit->tentative)
			err = scope_unit_open_close(builder, thread->index, &open_unit->end, open_unit->end_ns, false);
		open_unit->idle_ns += exit_ns - call->enter_ns;
		scope_unit_open_begin(open_unit, thread, exit_ns);
	} else if (begun_by_loop(builder, open_unit)) {
		open_unit->histogram = open_unit->root;
		open_unit->calls = 0;
	}
	open_unit->tentative = open_unit->from_loop = false;
	open_unit->connected |= brought == BROUGHT_CONNECTION;
	if (!open_unit->many)
		note_client(open_unit, brought, fd);
	open_unit->asked |= brought == BROUGHT_REQUEST;
	if (fd >= 0)
		open_unit->from_fd = fd;
	open_unit->client_fd = brought == BROUGHT_CONNECTION ? ret : fd;
	if (scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, open_unit->client_fd) !=
	    SCOPE_FD_ACCEPTED)
		open_unit->client_fd = -1;
	return err;
}

bool scope_unit_open_owes(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			  const struct scope_thread *thread)
{
	struct scope_fds *fds = builder->run->timeline->fds;

	if (!open_unit->open || !open_unit->requests || open_unit->answered)
		return false;
	if (open_unit->client_fd < 0 || open_unit->pickup.unanswered)
		return true;
	/* Whoever closed it, or took what came next, has had it since. */
	if (scope_timeline_fds_kind(fds, thread->tgid, open_unit->client_fd) != SCOPE_FD_ACCEPTED)
		return false;
	if (scope_timeline_fds_asked(fds, open_unit->client_fd) == SCOPE_FD_NOBODY)
		return !open_unit->asked;
	return scope_timeline_fds_asked(fds, open_unit->client_fd) == thread->index &&
	       scope_timeline_fds_turn(fds, open_unit->client_fd) == SCOPE_FD_ASKED;
}

int scope_unit_open_pick(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			 const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
			 uint64_t exit_ns)
{
	enum scope_unit_pickup_match matched = open_unit->matched_ns == call->enter_ns
						       ? (enum scope_unit_pickup_match)open_unit->matched
						       : scope_open_unit_match(builder, open_unit, thread, call);
	const enum brought brought = matched == SCOPE_PICKUP_READ ? what_came(builder, open_unit, thread, call, ret)
								  : BROUGHT_NOTHING;
	int err = open_unit->pending && matched != SCOPE_PICKUP_LOOP
			  ? tell_idle(builder, open_unit, brought != BROUGHT_NOTHING)
			  : 0;

	if (err)
		return err;
	open_unit->goes_on = false;
	open_unit->read_fd = brought != BROUGHT_NOTHING && call->args ? (int64_t)call->arg[0] : -1;
	if (matched == SCOPE_PICKUP_LOOP) {
		open_unit->idle_ns += exit_ns - call->enter_ns;
		scope_unit_open_begin(open_unit, thread, exit_ns);
		open_unit->from_loop = true;
	} else if (brought != BROUGHT_NOTHING) {
		err = take(builder, open_unit, thread, call, brought, ret, exit_ns);
		if (err)
			return err;
	} else {
		open_unit->tentative = false;
		if (!open_unit->open)
			return 0;
	}
	return scope_open_unit_log(builder, open_unit, call->nr, call->role, ret);
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
	if (thread->run == SCOPE_RUN_BLOCKED) {
		open_unit->slept_in_call = true;
		/* Asleep in a read for the next request: the thread idles since its entry. */
		open_unit->goes_on = false;
		if (open_unit->open && open_unit->tentative)
			err = scope_unit_open_close(builder, index, &open_unit->end, open_unit->end_ns, false);
		return err;
	}
	if (open_unit->requests || !open_unit->open)
		return 0;
	now = scope_unit_mark_now(thread);
	err = scope_unit_open_close(builder, index, &now, now_ns, false);
	scope_unit_open_begin(open_unit, thread, now_ns);
	return err;
}

/* What a thread slept in counts to the unit that is open, or to none. Which it is, a pick-up says later. */
static int tell_wait(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
		     const struct scope_wait *wait)
{
	struct scope_wait outside = *wait;
	const uint64_t slept_ns = wait->end_ns - (wait->first_ns ? wait->first_ns : wait->begin_ns);
	int err = open_unit->pending ? tell_idle(builder, open_unit, false) : 0;

	if (err || slept_ns < SCOPE_UNIT_WAIT_MIN_NS)
		return err;
	if (open_unit->open)
		return builder->sink.wait(builder->sink.user, wait);
	outside.outside = true;
	if (!open_unit->pickup.reads || slept_ns < SCOPE_UNIT_IDLE_MIN_NS)
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
	if (open_unit->usual_futex == address)
		open_unit->futex_votes++;
	else
		open_unit->futex_votes--;
}

int scope_unit_open_wait(void *user, const struct scope_wait *wait)
{
	struct scope_unit_builder *builder = user;
	struct scope_open_unit *open_unit;

	if (!scope_unit_open_has(builder, wait->thread))
		return -ENOMEM;
	open_unit = &builder->open_unit[wait->thread];
	open_unit->stack.slept_ns += wait->wake_ns - wait->begin_ns - wait->waker_queue_ns;
	open_unit->stack.wake_ns = wait->wake_ns;
	open_unit->stack.class = wait->class;
	if (wait->class == SCOPE_WAIT_FUTEX && wait->object)
		vote_futex(open_unit, wait->object);
	/* A waking that the kernel did not tell, or that came behind a time-out. */
	open_unit->stack.passed = wait->waker != SCOPE_WAIT_NO_THREAD || (wait->woken && !wait->waker_tid);
	if (wait->end_ns - wait->begin_ns >= SCOPE_SPIN_SLEEP_NS)
		scope_unit_spin_end(&open_unit->spinning,
				    scope_timeline_threads_at(builder->run->timeline->threads, wait->thread),
				    wait->begin_ns);
	if (!builder->sink.wait)
		return 0;
	return tell_wait(builder, open_unit, wait);
}

int scope_unit_open_queued(void *user, uint32_t thread, uint64_t begin_ns, uint64_t end_ns, uint64_t own_ns)
{
	const struct scope_unit_builder *builder = user;
	const struct scope_wait wait = {
		.thread = thread,
		.waker = SCOPE_WAIT_NO_THREAD,
		.nr = SCOPE_NR_NONE,
		.object = own_ns,
		.queue = true,
		.begin_ns = begin_ns,
		.wake_ns = begin_ns,
		.end_ns = end_ns,
	};

	if (!builder->sink.wait || end_ns - begin_ns < SCOPE_UNIT_WAIT_MIN_NS)
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

	(void)now_ns;
	if (!scope_unit_open_has(builder, index))
		return -ENOMEM;
	open_unit = &builder->open_unit[index];
	builder->run->discarded += open_unit->open;
	open_unit->open = open_unit->tentative = open_unit->goes_on = false;
	open_unit->spinning.vain = 0;
	return 0;
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
	    scope_open_unit_match(builder, open_unit, thread, &thread->open) == SCOPE_PICKUP_NO)
		scope_unit_open_begin(open_unit, thread, event->time_ns);
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
