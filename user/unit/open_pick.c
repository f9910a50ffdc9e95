// SPDX-License-Identifier: GPL-2.0-only
/* Decides which call of a thread begins a unit, and which request a read or an accept brought. */
#include "unit/inner_wait.h"
#include "unit/open_call.h"
#include "unit/open_unit.h"
#include "unit/rest.h"

/* The descriptor matters only for reads. */
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

/* True if the open unit has only come from the top of the loop so far. */
static bool begun_by_loop(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit)
{
	const struct scope_unit_call *call;

	return open_unit->tentative && open_unit->from_loop && scope_unit_open_calls(builder, open_unit, &call) == 1 &&
	       call[0].count == 1;
}

int scope_unit_open_report_idle(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, bool read)
{
	open_unit->pending = false;
	open_unit->idle.idle = read;
	open_unit->idle.many = read && open_unit->many && open_unit->pickup.nr == SYS_epoll_pwait;
	return builder->sink.wait(builder->sink.user, &open_unit->idle);
}

/* What a read or an accept brought. */
enum brought {
	BROUGHT_NOTHING,
	BROUGHT_CONNECTION,
	BROUGHT_MORE, /* of a request that is not answered yet */
	BROUGHT_REQUEST,
	BROUGHT_FIRST, /* the same, of a connection that was accepted in the window and has had none */
};

/*
 * A request begins with the first bytes of a connection after the answer to the request before. If
 * a process never answers, only consecutive reads belong to one request.
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
	return scope_timeline_fds_first_request(fds, fd) ? BROUGHT_FIRST : BROUGHT_REQUEST;
}

/*
 * True if the bytes read belong to the open unit. They do until the unit took a request or answered
 * one; so the calls between the top of the loop, or the accept, and the read belong to the request.
 * A thread without a loop takes each connection as a separate unit.
 */
static bool belongs(const struct scope_open_unit *open_unit, enum brought brought, int64_t fd)
{
	if (brought == BROUGHT_CONNECTION)
		return !open_unit->asked && !open_unit->answered && !open_unit->new_thread &&
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

static void waited_for_work(struct scope_open_unit *open_unit, const struct scope_open_call *call, uint64_t exit_ns)
{
	open_unit->idle_ns += exit_ns - call->enter_ns;
	/* A clock brings no work: a thread that sleeps by it, and has a lock, keeps others waiting. */
	if (call->role != SCOPE_CALL_SLEEP)
		scope_unit_rest_idle(open_unit, call->enter_ns, exit_ns);
}

static int take(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
		const struct scope_thread *thread, const struct scope_open_call *call, enum brought brought,
		int64_t ret, uint64_t exit_ns)
{
	const int64_t fd = call->args && brought != BROUGHT_CONNECTION ? (int32_t)call->arg[0] : -1;
	int err = open_unit->doubt ? scope_unit_inner_rest(builder, open_unit, thread->index) : 0;
	/* The turn of the loop that began as the call was entered did no work. */
	const bool empty = open_unit->from_loop && open_unit->end_ns <= open_unit->begin_ns;

	if (err)
		return err;
	if (open_unit->open && brought == BROUGHT_CONNECTION)
		err = scope_unit_rest_turn(builder, open_unit, thread->index, exit_ns);
	if (err)
		return err;
	if (!open_unit->open || empty || scope_unit_rest_is(open_unit) || !belongs(open_unit, brought, fd)) {
		if (open_unit->open && (open_unit->tentative || scope_unit_rest_is(open_unit)))
			err = scope_unit_open_close(builder, thread->index, &open_unit->end, open_unit->end_ns, false);
		waited_for_work(open_unit, call, exit_ns);
		scope_unit_open_begin(open_unit, thread, exit_ns);
	} else if (begun_by_loop(builder, open_unit)) {
		open_unit->histogram = open_unit->root;
		open_unit->calls = 0;
	}
	open_unit->tentative = open_unit->from_loop = false;
	open_unit->connected |= brought == BROUGHT_CONNECTION;
	if (!open_unit->many)
		note_client(open_unit, brought, fd);
	open_unit->asked |= brought == BROUGHT_REQUEST || brought == BROUGHT_FIRST;
	open_unit->first |= brought == BROUGHT_FIRST;
	open_unit->new_thread = false;
	if (fd >= 0)
		open_unit->from_fd = fd;
	open_unit->client_fd = brought == BROUGHT_CONNECTION ? ret : fd;
	if (scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, open_unit->client_fd) !=
	    SCOPE_FD_ACCEPTED)
		open_unit->client_fd = -1;
	else
		open_unit->connection =
			scope_timeline_fds_connection(builder->run->timeline->fds, open_unit->client_fd);
	return err;
}

bool scope_unit_open_owes(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			  const struct scope_thread *thread)
{
	struct scope_fds *fds = builder->run->timeline->fds;

	if (!open_unit->open || !open_unit->requests || open_unit->answered || open_unit->new_thread)
		return false;
	/* A turn of the loop that a time limit ended, and that has not found anything to do yet. */
	if (open_unit->empty_turn && !open_unit->asked && !open_unit->connected)
		return false;
	if (open_unit->client_fd < 0 || open_unit->pickup.unanswered)
		return true;
	/* If another thread closed it, or took the next request, the connection is not this thread's any more. */
	if (scope_timeline_fds_kind(fds, thread->tgid, open_unit->client_fd) != SCOPE_FD_ACCEPTED)
		return false;
	if (scope_timeline_fds_asked(fds, open_unit->client_fd) == SCOPE_FD_NOBODY)
		return !open_unit->asked;
	return scope_timeline_fds_asked(fds, open_unit->client_fd) == thread->index &&
	       scope_timeline_fds_turn(fds, open_unit->client_fd) == SCOPE_FD_ASKED;
}

/* True if the poll has found nothing and did not sleep, so that the unit goes on. */
static bool only_looked(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret)
{
	return open_unit->open && open_unit->tentative && !open_unit->turns && !ret && !open_unit->slept_in_call &&
	       scope_unit_open_may_look(builder, open_unit, thread, call);
}

static void begin_turn(struct scope_open_unit *open_unit, int64_t ret)
{
	open_unit->loops++;
	open_unit->looks = ret || open_unit->slept_in_call ? 0 : open_unit->looks + 1;
	if (open_unit->slept_in_call) {
		open_unit->of_loop.brought = ret ? 0 : SCOPE_TURN_TIME;
		open_unit->of_loop.number++;
	} else if (ret) { /* else it goes on with what the turn before it was woken for */
		open_unit->of_loop.waker = SCOPE_WAIT_NO_THREAD;
	}
}

int scope_unit_open_pick(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			 const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
			 uint64_t exit_ns)
{
	enum scope_unit_pickup_match matched = open_unit->matched_ns == call->enter_ns
						       ? (enum scope_unit_pickup_match)open_unit->matched
						       : scope_unit_open_match(builder, open_unit, thread, call);
	const enum brought brought = matched == SCOPE_PICKUP_READ ? what_came(builder, open_unit, thread, call, ret)
								  : BROUGHT_NOTHING;
	int err = open_unit->pending && matched != SCOPE_PICKUP_LOOP
			  ? scope_unit_open_report_idle(builder, open_unit, brought != BROUGHT_NOTHING)
			  : 0;

	if (err)
		return err;
	open_unit->goes_on = false;
	open_unit->read_fd = brought != BROUGHT_NOTHING && call->args ? (int64_t)call->arg[0] : -1;
	if (matched == SCOPE_PICKUP_LOOP && scope_unit_inner_parked(open_unit)) {
		waited_for_work(open_unit, call, exit_ns);
		scope_unit_inner_exit(open_unit, thread, call, ret, exit_ns);
	} else if (matched == SCOPE_PICKUP_LOOP && only_looked(builder, open_unit, thread, call, ret)) {
		open_unit->tentative = false;
		begin_turn(open_unit, ret);
	} else if (matched == SCOPE_PICKUP_LOOP) {
		if (open_unit->open && open_unit->tentative)
			err = scope_unit_open_close(builder, thread->index, &open_unit->end, open_unit->end_ns, false);
		if (err)
			return err;
		waited_for_work(open_unit, call, exit_ns);
		scope_unit_open_begin(open_unit, thread, exit_ns);
		open_unit->from_loop = true;
		open_unit->empty_turn = ret == 0;
		begin_turn(open_unit, ret);
		if (open_unit->pickup.datagrams && call->role == SCOPE_CALL_READ && ret > 0)
			scope_unit_open_datagrams(open_unit, call, ret);
	} else if (brought != BROUGHT_NOTHING) {
		err = take(builder, open_unit, thread, call, brought, ret, exit_ns);
		if (err)
			return err;
	} else if (open_unit->tentative && call->role == SCOPE_CALL_READ && !ret && call->args &&
		   scope_unit_open_client_left(open_unit, call->arg[0])) {
		return scope_unit_open_close(builder, thread->index, &open_unit->end, open_unit->end_ns, false);
	} else {
		open_unit->tentative = false;
		if (!open_unit->open)
			return 0;
	}
	return scope_unit_open_log(builder, open_unit, call->nr, call->role, ret);
}
