// SPDX-License-Identifier: GPL-2.0-only
/* The units that are being built, one of each thread, by what a timeline tells. */
#include "unit/draft.h"

#include <string.h>

#include "base/grow.h"

/* Roles of calls that change nothing of a request but the counts. */
static uint32_t plain_roles(const struct scope_draft *draft)
{
	const uint32_t roles = draft->requests ? SCOPE_PICKUP_PLAIN_ROLES : 0;

	return draft->pickup.nr == SCOPE_NR_NONE ? roles : roles & ~(1u << scope_timeline_call_role(draft->pickup.nr));
}

bool scope_unit_draft_meet(struct scope_unit_builder *builder, uint32_t thread)
{
	if (scope_grow(&builder->draft, &builder->draft_capacity, thread + 1, sizeof(*builder->draft)) ||
	    (builder->sink.meet && builder->sink.meet(builder->sink.user, thread)))
		return false;
	for (; builder->drafts <= thread; builder->drafts++) {
		const struct scope_pickup *pickup = scope_unit_pickups_of(builder->pickups, builder->drafts);
		struct scope_draft draft = {
			.stack.thread = builder->drafts,
			.pickup.nr = SCOPE_NR_NONE,
			.read_fd = -1,
			.from_fd = -1,
			.only_fd = -1,
			.client_fd = -1,
			.loop.nr = SCOPE_NR_NONE,
		};

		if (pickup)
			draft.pickup = *pickup;
		if (scope_unit_shapes_root(builder->shapes, builder->run->groups->of_thread[builder->drafts],
					   &draft.root))
			return false;
		draft.requests = scope_unit_pickup_any(&draft.pickup);
		draft.plain_roles = plain_roles(&draft);
		builder->draft[builder->drafts] = draft;
	}
	return true;
}

/* What the shape stands for is counted on here. */
static void leave_shape(const struct scope_shapes *shapes, struct scope_draft *draft)
{
	const struct scope_shape *shape = &shapes->shape[draft->shape];

	draft->calls = shape->calls;
	memcpy(draft->call->call, scope_unit_shape_calls(shapes, shape), shape->calls * sizeof(*draft->call->call));
	for (unsigned i = 0; i < draft->calls; i++)
		if (draft->call->call[i].nr < SCOPE_SYSCALL_MAX)
			draft->call->place[draft->call->call[i].nr] = (uint8_t)i;
	draft->shape = SCOPE_SHAPE_NONE;
}

/* The place of a number in the list, or where it would be added. */
static unsigned place_of(const struct scope_draft *draft, uint16_t nr)
{
	const struct scope_unit_call *call = draft->call->call;
	unsigned i = nr < SCOPE_SYSCALL_MAX ? draft->call->place[nr] : 0;

	if (nr < SCOPE_SYSCALL_MAX)
		return i < draft->calls && call[i].nr == nr ? i : draft->calls;
	while (i < draft->calls && call[i].nr != nr)
		i++;
	return i;
}

int scope_unit_draft_count(struct scope_shapes *shapes, struct scope_draft *draft, uint16_t nr)
{
	struct scope_unit_call *call;
	uint32_t to = SCOPE_SHAPE_NONE;
	unsigned i;

	if (draft->shape != SCOPE_SHAPE_NONE && scope_unit_shapes_step(shapes, draft->shape, nr, &to))
		return -ENOMEM;
	if (to != SCOPE_SHAPE_NONE) {
		draft->shape = to;
		return 0;
	}
	if (!draft->call) {
		draft->call = calloc(1, sizeof(*draft->call));
		if (!draft->call)
			return -ENOMEM;
	}
	if (draft->shape != SCOPE_SHAPE_NONE)
		leave_shape(shapes, draft);
	i = place_of(draft, nr);
	if (i == SCOPE_UNIT_CALLS)
		return 0;
	call = &draft->call->call[i];
	if (i == draft->calls) {
		if (nr < SCOPE_SYSCALL_MAX)
			draft->call->place[nr] = (uint8_t)i;
		draft->calls++;
		*call = (struct scope_unit_call){ nr, 0 };
	}
	call->count += call->count != UINT16_MAX;
	return 0;
}

static const struct scope_unit_call no_call;

/* The list of calls so far, as many as are returned. */
static unsigned calls_of(const struct scope_unit_builder *builder, const struct scope_draft *draft,
			 const struct scope_unit_call **ret_call)
{
	const struct scope_shapes *shapes = builder->shapes;

	if (draft->shape == SCOPE_SHAPE_NONE) {
		*ret_call = draft->calls ? draft->call->call : &no_call;
		return draft->calls;
	}
	*ret_call = scope_unit_shape_calls(shapes, &shapes->shape[draft->shape]);
	return shapes->shape[draft->shape].calls;
}

int scope_unit_draft_close(struct scope_unit_builder *builder, uint32_t thread, const struct scope_mark *end,
			   uint64_t end_ns, bool still_open)
{
	struct scope_draft *draft = &builder->draft[thread];
	bool requests = draft->requests;
	const struct scope_mark *begin = &draft->begin;
	uint64_t run_ns = end->run_ns - begin->run_ns, probe_ns = end->probe_ns - begin->probe_ns;
	uint64_t starved_ns = end->starved_ns - begin->starved_ns;
	const struct scope_unit_call *call;
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
		.calls = (uint16_t)calls_of(builder, draft, &call),
		.shape = draft->shape,
		.thread = thread,
		.group = builder->run->groups->of_thread[thread],
		.granularity = requests ? SCOPE_UNIT_REQUEST : SCOPE_UNIT_SWITCH,
		.open = still_open,
		.asked = draft->asked,
	};
	if (!requests)
		unit.blocked_ns -= end->timer_ns - begin->timer_ns;
	/* A unit that began in the middle of a sleep has only a part of it. */
	if (starved_ns > unit.blocked_ns)
		starved_ns = unit.blocked_ns;
	unit.blocked_ns -= starved_ns;
	unit.queue_ns += starved_ns;
	return builder->sink.unit(builder->sink.user, &unit, call);
}

/* Which descriptor it is matters to reads alone. */
enum scope_unit_pickup_match scope_unit_draft_match_any(const struct scope_unit_builder *builder,
							struct scope_draft *draft, const struct scope_thread *thread,
							const struct scope_open_call *call)
{
	enum scope_fd_kind fd = SCOPE_FD_UNKNOWN;
	enum scope_unit_pickup_match match;

	if (call->args && call->role == SCOPE_CALL_READ)
		fd = scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, (int32_t)call->arg[0]);
	match = scope_unit_pickup_match(&draft->pickup, call, fd);
	if (match == SCOPE_PICKUP_LOOP && call->role == SCOPE_CALL_POLL && call->args)
		draft->loop = (struct scope_draft_loop){ call->arg[0], call->nr };
	return match;
}

/* Did the open unit do nothing yet but come from the top of the loop? */
static bool begun_by_loop(const struct scope_unit_builder *builder, const struct scope_draft *draft)
{
	const struct scope_unit_call *call;

	return draft->tentative && draft->from_loop && calls_of(builder, draft, &call) == 1 && call[0].count == 1;
}

/* A sleep outside units was for a client if work was taken by it, or right behind it. */
static int tell_idle(struct scope_unit_builder *builder, struct scope_draft *draft, bool read)
{
	draft->pending = false;
	draft->idle.idle = read;
	return builder->sink.wait(builder->sink.user, &draft->idle);
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
static enum brought what_came(struct scope_unit_builder *builder, const struct scope_draft *draft,
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
	if (draft->pickup.unanswered)
		return draft->goes_on ? BROUGHT_MORE : BROUGHT_REQUEST;
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
static bool belongs(const struct scope_draft *draft, enum brought brought, int64_t fd)
{
	if (brought == BROUGHT_CONNECTION)
		return !draft->asked && !draft->answered && !(draft->connected && draft->pickup.nr == SCOPE_NR_NONE);
	if (draft->from_fd >= 0 && draft->from_fd != fd)
		return false;
	return brought == BROUGHT_MORE || (!draft->asked && !draft->answered);
}

static void note_client(struct scope_draft *draft, enum brought brought, int64_t fd)
{
	draft->many = (brought == BROUGHT_CONNECTION && draft->accepted) ||
		      (fd >= 0 && draft->only_fd >= 0 && draft->only_fd != fd);
	draft->accepted |= brought == BROUGHT_CONNECTION;
	if (draft->only_fd < 0)
		draft->only_fd = fd;
}

static int take(struct scope_unit_builder *builder, struct scope_draft *draft, const struct scope_thread *thread,
		const struct scope_open_call *call, enum brought brought, int64_t ret, uint64_t exit_ns)
{
	const int64_t fd = call->args && brought != BROUGHT_CONNECTION ? (int32_t)call->arg[0] : -1;
	/* Nothing was done in a turn of the loop that began as the call was entered. */
	const bool empty = draft->from_loop && draft->end_ns <= draft->begin_ns;
	int err = 0;

	if (!draft->open || empty || !belongs(draft, brought, fd)) {
		if (draft->open && draft->tentative)
			err = scope_unit_draft_close(builder, thread->index, &draft->end, draft->end_ns, false);
		draft->idle_ns += exit_ns - call->enter_ns;
		scope_unit_draft_open(draft, thread, exit_ns);
	} else if (begun_by_loop(builder, draft)) {
		draft->shape = draft->root;
		draft->calls = 0;
	}
	draft->tentative = draft->from_loop = false;
	draft->connected |= brought == BROUGHT_CONNECTION;
	if (!draft->many)
		note_client(draft, brought, fd);
	draft->asked |= brought == BROUGHT_REQUEST;
	if (fd >= 0)
		draft->from_fd = fd;
	draft->client_fd = brought == BROUGHT_CONNECTION ? ret : fd;
	if (scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, draft->client_fd) != SCOPE_FD_ACCEPTED)
		draft->client_fd = -1;
	return err;
}

bool scope_unit_draft_owes(struct scope_unit_builder *builder, const struct scope_draft *draft,
			   const struct scope_thread *thread)
{
	struct scope_fds *fds = builder->run->timeline->fds;

	if (!draft->open || !draft->requests || draft->answered)
		return false;
	if (draft->client_fd < 0 || draft->pickup.unanswered)
		return true;
	/* Whoever closed it, or took what came next, has had it since. */
	if (scope_timeline_fds_kind(fds, thread->tgid, draft->client_fd) != SCOPE_FD_ACCEPTED)
		return false;
	if (scope_timeline_fds_asked(fds, draft->client_fd) == SCOPE_FD_NOBODY)
		return !draft->asked;
	return scope_timeline_fds_asked(fds, draft->client_fd) == thread->index &&
	       scope_timeline_fds_turn(fds, draft->client_fd) == SCOPE_FD_ASKED;
}

int scope_unit_draft_pick(struct scope_unit_builder *builder, struct scope_draft *draft,
			  const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
			  uint64_t exit_ns)
{
	enum scope_unit_pickup_match matched = draft->matched_ns == call->enter_ns
						       ? (enum scope_unit_pickup_match)draft->matched
						       : scope_draft_match(builder, draft, thread, call);
	const enum brought brought = matched == SCOPE_PICKUP_READ ? what_came(builder, draft, thread, call, ret)
								  : BROUGHT_NOTHING;
	int err = draft->pending && matched != SCOPE_PICKUP_LOOP ? tell_idle(builder, draft, brought != BROUGHT_NOTHING)
								 : 0;

	if (err)
		return err;
	draft->goes_on = false;
	draft->read_fd = brought != BROUGHT_NOTHING && call->args ? (int64_t)call->arg[0] : -1;
	if (matched == SCOPE_PICKUP_LOOP) {
		draft->idle_ns += exit_ns - call->enter_ns;
		scope_unit_draft_open(draft, thread, exit_ns);
		draft->from_loop = true;
	} else if (brought != BROUGHT_NOTHING) {
		err = take(builder, draft, thread, call, brought, ret, exit_ns);
		if (err)
			return err;
	} else {
		draft->tentative = false;
		if (!draft->open)
			return 0;
	}
	return scope_draft_log(builder, draft, call->nr, call->role, ret);
}

int scope_unit_draft_leave(void *user, uint32_t index, uint64_t now_ns)
{
	struct scope_unit_builder *builder = user;
	struct scope_draft *draft;
	struct scope_thread *thread = scope_timeline_threads_at(builder->run->timeline->threads, index);
	struct scope_mark now;
	int err = 0;

	if (!scope_unit_draft_has(builder, index))
		return -ENOMEM;
	draft = &builder->draft[index];
	scope_unit_quiet_count(&draft->quiet, thread, draft->stack.exit_ns, now_ns);
	if (thread->run == SCOPE_RUN_BLOCKED) {
		draft->slept_in_call = true;
		/* Asleep in a read for the next request: the thread idles since its entry. */
		draft->goes_on = false;
		if (draft->open && draft->tentative)
			err = scope_unit_draft_close(builder, index, &draft->end, draft->end_ns, false);
		return err;
	}
	if (draft->requests || !draft->open)
		return 0;
	now = scope_unit_mark_now(thread);
	err = scope_unit_draft_close(builder, index, &now, now_ns, false);
	scope_unit_draft_open(draft, thread, now_ns);
	return err;
}

/* What a thread slept in counts to the unit that is open, or to none. Which it is, a pick-up says later. */
static int tell_wait(struct scope_unit_builder *builder, struct scope_draft *draft, const struct scope_wait *wait)
{
	struct scope_wait outside = *wait;
	const uint64_t slept_ns = wait->end_ns - (wait->first_ns ? wait->first_ns : wait->begin_ns);
	int err = draft->pending ? tell_idle(builder, draft, false) : 0;

	if (err || slept_ns < SCOPE_UNIT_WAIT_MIN_NS)
		return err;
	if (draft->open)
		return builder->sink.wait(builder->sink.user, wait);
	outside.outside = true;
	if (!draft->pickup.reads || slept_ns < SCOPE_UNIT_IDLE_MIN_NS)
		return builder->sink.wait(builder->sink.user, &outside);
	draft->pending = true;
	draft->idle = outside;
	return 0;
}

/* The majority of a sequence, if there is one, in one pass (Boyer and Moore, 1981). */
static void vote_futex(struct scope_draft *draft, uint64_t address)
{
	if (!draft->futex_votes)
		draft->usual_futex = address;
	if (draft->usual_futex == address)
		draft->futex_votes++;
	else
		draft->futex_votes--;
}

int scope_unit_draft_wait(void *user, const struct scope_wait *wait)
{
	struct scope_unit_builder *builder = user;
	struct scope_draft *draft;

	if (!scope_unit_draft_has(builder, wait->thread))
		return -ENOMEM;
	draft = &builder->draft[wait->thread];
	draft->stack.slept_ns += wait->wake_ns - wait->begin_ns - wait->starved_ns;
	draft->stack.wake_ns = wait->wake_ns;
	draft->stack.class = wait->class;
	if (wait->class == SCOPE_WAIT_FUTEX && wait->object)
		vote_futex(draft, wait->object);
	/* A waking that the kernel did not tell, or that came behind a time-out. */
	draft->stack.passed = wait->waker != SCOPE_WAIT_NO_THREAD || (wait->woken && !wait->waker_tid);
	if (wait->end_ns - wait->begin_ns >= SCOPE_SPIN_SLEEP_NS)
		scope_unit_spin_end(&draft->spinning,
				    scope_timeline_threads_at(builder->run->timeline->threads, wait->thread),
				    wait->begin_ns);
	if (!builder->sink.wait)
		return 0;
	return tell_wait(builder, draft, wait);
}

int scope_unit_draft_queued(void *user, uint32_t thread, uint64_t begin_ns, uint64_t end_ns, uint64_t own_ns)
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

int scope_unit_draft_stack(void *user, uint32_t index, const struct scope_event *event)
{
	struct scope_unit_builder *builder = user;
	struct scope_draft *draft;
	struct scope_unit_stack stack;

	if (!scope_unit_draft_has(builder, index))
		return -ENOMEM;
	draft = &builder->draft[index];
	builder->run->stacks++;
	stack = draft->stack;
	draft->stack.standing = false;
	if (!builder->sink.stack || (!stack.standing && !stack.slept_ns && event->stack.reason != SCOPE_STACK_SAMPLE))
		return 0;
	return builder->sink.stack(builder->sink.user, &stack, event);
}

int scope_unit_draft_lost(void *user, uint32_t index, uint64_t now_ns)
{
	struct scope_unit_builder *builder = user;
	struct scope_draft *draft;

	(void)now_ns;
	if (!scope_unit_draft_has(builder, index))
		return -ENOMEM;
	draft = &builder->draft[index];
	builder->run->discarded += draft->open;
	draft->open = draft->tentative = draft->goes_on = false;
	draft->spinning.vain = 0;
	return 0;
}

/* A thread found in the middle of a call that is no pick-up is in the middle of a unit. */
int scope_unit_draft_state(void *user, uint32_t index, const struct scope_event *event)
{
	struct scope_unit_builder *builder = user;
	struct scope_draft *draft;
	struct scope_thread *thread = scope_timeline_threads_at(builder->run->timeline->threads, index);

	if (!scope_unit_draft_has(builder, index))
		return -ENOMEM;
	draft = &builder->draft[index];
	draft->stack.standing = true;
	if (!(event->state.record->flags & SCOPE_STATE_AT_STOP) && !draft->open && draft->requests &&
	    thread->open.nr != SCOPE_NR_NONE &&
	    scope_draft_match(builder, draft, thread, &thread->open) == SCOPE_PICKUP_NO)
		scope_unit_draft_open(draft, thread, event->time_ns);
	return builder->sink.state ? builder->sink.state(builder->sink.user, index, event) : 0;
}

int scope_unit_draft_end(void *user, uint32_t index, uint64_t now_ns)
{
	struct scope_unit_builder *builder = user;
	struct scope_draft *draft;
	struct scope_thread *thread = scope_timeline_threads_at(builder->run->timeline->threads, index);
	struct scope_mark now;
	int err = 0;

	if (!scope_unit_draft_has(builder, index))
		return -ENOMEM;
	draft = &builder->draft[index];
	now = scope_unit_mark_now(thread);
	scope_unit_spin_end(&draft->spinning, thread, now_ns);
	if (draft->open)
		err = scope_unit_draft_close(builder, index, &now, now_ns, false);
	free(draft->call);
	draft->call = NULL;
	draft->shape = draft->root;
	draft->calls = 0;
	return err;
}
