/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes the open unit of a thread by a call that it makes. Inlined into the code that takes events (timeline/take.h). */
#ifndef SCOPE_UNIT_OPEN_CALL_H
#define SCOPE_UNIT_OPEN_CALL_H

#include <errno.h>

#include "unit/held_request.h"
#include "unit/inner_wait.h"
#include "unit/next_answer.h"
#include "unit/open_unit.h"
#include "unit/rest.h"

#define SCOPE_UNIT_OTHERS_MAX_NS 100000 /* an answer to another client that takes as long is not left out */

/*
 * What a call that returned ret adds to the size of a request. Files that it reads or writes add nothing. In a request that a
 * client's connection brought, bytes to and from peers that the server asks add nothing either: the client did not
 * ask for them.
 */
SCOPE_TAKE int64_t scope_unit_open_moved(const struct scope_unit_builder *builder,
					 const struct scope_open_unit *open_unit, const struct scope_thread *thread,
					 uint8_t role, unsigned args, uint64_t fd, int64_t ret)
{
	enum scope_fd_kind kind;

	if (ret <= 0 || !args || (role != SCOPE_CALL_READ && role != SCOPE_CALL_WRITE))
		return ret;
	kind = scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, (int32_t)fd);
	if (kind == SCOPE_FD_FILE)
		return 0;
	return open_unit->from_fd >= 0 && (kind == SCOPE_FD_DATAGRAM || kind == SCOPE_FD_CONNECTED) ? 0 : ret;
}

/* moved: bytes, if it is a read or a write. */
SCOPE_TAKE int scope_unit_open_log(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, uint16_t nr,
				   uint8_t role, int64_t moved)
{
	const uint32_t histogram = scope_unit_histograms_recent(builder->histograms, open_unit->histogram, nr);
	const uint64_t moves = role == SCOPE_CALL_READ || role == SCOPE_CALL_WRITE;

	open_unit->bytes += (uint64_t)(moved > 0 ? moved : 0) & -moves;
	if (open_unit->answer.end_ns && scope_unit_next_count(builder->histograms, open_unit, nr))
		return -ENOMEM;
	if (histogram == SCOPE_HISTOGRAM_NONE)
		return scope_unit_open_count(builder->histograms, open_unit, nr);
	open_unit->histogram = histogram;
	return 0;
}

/*
 * True if a write answers a client whose request an earlier unit of the thread took, while the unit of another
 * request is open. Servers that read all requests at the begin of a turn of their loop, and write all answers at its
 * end, have these writes in the last unit, but they belong to that request as little as the reads did. Call it before
 * scope_unit_open_answer().
 */
SCOPE_TAKE bool scope_unit_open_is_for_other(struct scope_unit_builder *builder,
					     const struct scope_open_unit *open_unit, const struct scope_thread *thread,
					     unsigned args, uint64_t fd)
{
	struct scope_fds *fds = builder->run->timeline->fds;

	if (!open_unit->open || !open_unit->requests || open_unit->client_fd < 0 || !args ||
	    open_unit->client_fd == (int32_t)fd)
		return false;
	return scope_timeline_fds_kind(fds, thread->tgid, (int32_t)fd) == SCOPE_FD_ACCEPTED &&
	       scope_timeline_fds_turn(fds, (int32_t)fd) == SCOPE_FD_ASKED &&
	       scope_timeline_fds_asked(fds, (int32_t)fd) == thread->index;
}

/*
 * The time of such a write that did not sleep is not part of the unit. A long one counts, whichever client it is for.
 */
SCOPE_TAKE void scope_unit_open_leave_out(struct scope_open_unit *open_unit, uint64_t length_ns)
{
	open_unit->others_ns += length_ns < SCOPE_UNIT_OTHERS_MAX_NS ? length_ns : 0;
}

/* An answer by this thread; it is noted for the thread that took the request, if that is another one. */
SCOPE_TAKE void scope_unit_open_answer_for(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
					   const struct scope_thread *thread, uint64_t fd)
{
	const struct scope_fds *fds = builder->run->timeline->fds;
	uint32_t asked;

	if (!open_unit->pickup.reads || scope_timeline_fds_turn(fds, (int32_t)fd) != SCOPE_FD_ASKED)
		return;
	asked = scope_timeline_fds_asked(fds, (int32_t)fd);
	if (asked != thread->index && asked != SCOPE_FD_NOBODY)
		scope_unit_rest_note_passing(builder, thread->tgid);
}

/* A thread that gets requests from others knows the connection of one by its answer. */
SCOPE_TAKE void scope_unit_open_meet_client(struct scope_open_unit *open_unit, const struct scope_fds *fds, uint64_t fd)
{
	if (open_unit->pickup.reads || open_unit->connection)
		return;
	open_unit->connection = scope_timeline_fds_connection(fds, (int32_t)fd);
	open_unit->first = scope_timeline_fds_first_request(fds, (int32_t)fd);
}

/*
 * Call it when a write is entered, not when it returns, because its peer may have sent the next
 * request by then. ret: any number above 0 if it has not returned. 0, or what the sink returned.
 */
SCOPE_TAKE int scope_unit_open_answer(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
				      const struct scope_thread *thread, unsigned args, uint64_t fd, int64_t ret,
				      uint64_t enter_ns)
{
	struct scope_fds *fds = builder->run->timeline->fds;

	if (!args || ret <= 0)
		return 0;
	if (scope_timeline_fds_kind(fds, thread->tgid, (int32_t)fd) == SCOPE_FD_ACCEPTED) {
		scope_unit_open_answer_for(builder, open_unit, thread, fd);
		scope_unit_open_meet_client(open_unit, fds, fd);
	}
	if (!scope_timeline_fds_answer(fds, thread->tgid, (int32_t)fd) &&
	    !(open_unit->pickup.datagrams &&
	      scope_timeline_fds_kind(fds, thread->tgid, (int32_t)fd) == SCOPE_FD_DATAGRAM))
		return 0;
	open_unit->answered = true;
	open_unit->client_answered |= open_unit->client_fd == (int32_t)fd;
	if (open_unit->client_fd < 0 || open_unit->client_fd == (int32_t)fd)
		return open_unit->rest_ns ? scope_unit_rest_go_on(builder, open_unit, thread->index, enter_ns) : 0;
	return 0;
}

/*
 * A read of that descriptor returned 0. True if it is the unit's client, which has been answered, and has closed the connection:
 * what follows keeps nobody waiting. A client that waits for an answer may only have said that it sends no more.
 */
SCOPE_TAKE bool scope_unit_open_client_left(const struct scope_open_unit *open_unit, uint64_t fd)
{
	return open_unit->open && open_unit->answered && open_unit->client_fd >= 0 &&
	       open_unit->client_fd == (int32_t)fd;
}

/*
 * True if a write to the unit's client failed because the client has closed the connection. Nobody waits for what
 * follows. A turn of a loop has no client of its own; if the thread only ever served one client, it is that one.
 */
SCOPE_TAKE bool scope_unit_open_client_gone(const struct scope_unit_builder *builder,
					    const struct scope_open_unit *open_unit, const struct scope_thread *thread,
					    unsigned args, uint64_t fd, int64_t ret)
{
	if ((ret != -EPIPE && ret != -ECONNRESET) || !args || !open_unit->open)
		return false;
	return (open_unit->client_fd < 0 ? !open_unit->many : open_unit->client_fd == (int32_t)fd) &&
	       scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, (int32_t)fd) == SCOPE_FD_ACCEPTED;
}

/* Ends the unit now. 0 or -ENOMEM. */
SCOPE_TAKE int scope_unit_open_end_now(struct scope_unit_builder *builder, const struct scope_thread *thread,
				       uint64_t now_ns)
{
	const struct scope_mark now = scope_unit_mark_now(thread);

	return scope_unit_open_close(builder, thread->index, &now, now_ns, false);
}

/* A thread that serves clients by datagrams has read: each datagram that came is a request. */
SCOPE_TAKE void scope_unit_open_datagrams(struct scope_open_unit *open_unit, const struct scope_open_call *call,
					  int64_t ret)
{
	const int64_t count = open_unit->datagrams + (call->nr == SYS_recvmmsg ? ret : 1);

	/* What it reads from other sockets than the first one are answers to itself. */
	if (open_unit->datagrams && open_unit->datagram_fd != call->arg[0])
		return;
	open_unit->asked = true;
	open_unit->datagram_fd = call->arg[0];
	open_unit->datagrams = (uint8_t)(count < SCOPE_UNIT_ASKED_MAX ? count : SCOPE_UNIT_ASKED_MAX);
}

/*
 * A read returned ret. Call it before the call is noted as the last one. If the last one was a poll in which the
 * thread slept, it waited for the peer of that socket. 0, or what the sink returned.
 */
SCOPE_TAKE int scope_unit_open_find_peer(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
					 const struct scope_thread *thread, unsigned args, uint64_t fd, int64_t ret)
{
	if (!open_unit->polled_enter_ns || open_unit->polled_enter_ns != open_unit->stack.enter_ns || ret <= 0 ||
	    !args ||
	    scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, (int32_t)fd) != SCOPE_FD_CONNECTED)
		return 0;
	open_unit->polled.fd = (int32_t)fd;
	return builder->sink.late(builder->sink.user, thread->index, &open_unit->polled);
}

/* A read returned ret: it says what a turn of the thread's loop is for. */
SCOPE_TAKE void scope_unit_open_note_brought(const struct scope_unit_builder *builder,
					     struct scope_open_unit *open_unit, const struct scope_thread *thread,
					     unsigned args, uint64_t fd, int64_t ret)
{
	enum scope_fd_kind kind;

	if (open_unit->loop.nr == SCOPE_NR_NONE || !args || ret < 0)
		return;
	kind = scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, (int32_t)fd);
	if (kind == SCOPE_FD_FILE || (kind == SCOPE_FD_ACCEPTED && !ret))
		return;
	open_unit->of_loop.brought |= kind == SCOPE_FD_ACCEPTED	   ? SCOPE_TURN_CLIENT
				      : kind == SCOPE_FD_CONNECTED ? SCOPE_TURN_PEER
								   : SCOPE_TURN_OTHER;
	if (kind == SCOPE_FD_CONNECTED)
		open_unit->of_loop.peer = (int32_t)fd;
}

/* false: no memory; enter and exit will return the error. */
SCOPE_TAKE bool scope_unit_open_plain(struct scope_unit_builder *builder, const struct scope_thread *thread,
				      const struct scope_event *event, enum scope_timeline_call_role role)
{
	struct scope_open_unit *open_unit = &builder->open_unit[thread->index];

	if (role == SCOPE_CALL_WRITE && builder->helds.used && event->syscall.ret > 0 &&
	    scope_unit_held_answer(builder, open_unit, thread, event->syscall.args, event->syscall.arg[0],
				   event->syscall.enter_ns))
		return false;
	if (role == SCOPE_CALL_WRITE && open_unit->doubt &&
	    scope_unit_inner_write(builder, open_unit, thread, event->syscall.args, event->syscall.arg[0]))
		return false;
	if (role == SCOPE_CALL_WRITE &&
	    scope_unit_open_is_for_other(builder, open_unit, thread, event->syscall.args, event->syscall.arg[0]))
		scope_unit_open_leave_out(open_unit, event->time_ns - event->syscall.enter_ns);
	else if (open_unit->open &&
		 scope_unit_open_log(builder, open_unit, event->syscall.nr, role,
				     scope_unit_open_moved(builder, open_unit, thread, role, event->syscall.args,
							   event->syscall.arg[0], event->syscall.ret)))
		return false;
	if (role == SCOPE_CALL_WRITE &&
	    scope_unit_open_answer(builder, open_unit, thread, event->syscall.args, event->syscall.arg[0],
				   event->syscall.ret, event->syscall.enter_ns))
		return false;
	if (1u << role & SCOPE_SPIN_PLAIN_ROLES && !scope_unit_spin_waits(&open_unit->spinning, event->syscall.ret) &&
	    !scope_unit_spin_easy(&open_unit->spinning, role, event->syscall.ret))
		SCOPE_SPIN_JUDGE(&open_unit->spinning, builder->run->timeline->fds, thread, &event->syscall, role,
				 event->syscall.ret, event->time_ns);
	scope_unit_retry_call(&open_unit->retry, builder->run->timeline->fds, thread->tgid, role,
			      event->syscall.args > 0, event->syscall.arg[0], event->syscall.ret);
	if (role == SCOPE_CALL_READ)
		scope_unit_open_note_brought(builder, open_unit, thread, event->syscall.args, event->syscall.arg[0],
					     event->syscall.ret);
	if (role == SCOPE_CALL_READ && scope_unit_open_find_peer(builder, open_unit, thread, event->syscall.args,
								 event->syscall.arg[0], event->syscall.ret))
		return false;
	open_unit->stack.slept_ns = 0;
	open_unit->stack.stopped_stack = false;
	if (__builtin_expect(open_unit->handlers.any, 0))
		scope_unit_handlers_call(&open_unit->handlers, &open_unit->quiet, thread, role, event->syscall.enter_ns,
					 open_unit->stack.exit_ns);
	open_unit->stack.enter_ns = event->syscall.enter_ns;
	open_unit->stack.exit_ns = event->time_ns;
	if (role == SCOPE_CALL_WRITE && scope_unit_open_client_gone(builder, open_unit, thread, event->syscall.args,
								    event->syscall.arg[0], event->syscall.ret))
		return !scope_unit_open_end_now(builder, thread, event->time_ns);
	if (role == SCOPE_CALL_READ && !event->syscall.ret && event->syscall.args &&
	    scope_unit_open_client_left(open_unit, event->syscall.arg[0]))
		return !scope_unit_open_end_now(builder, thread, event->time_ns);
	open_unit->stack.nr = event->syscall.nr;
	open_unit->goes_on = open_unit->tentative = false;
	open_unit->read_fd = -1;
	return true;
}

/* Handles calls that are equal to the ones before, as most are. */
SCOPE_TAKE enum scope_unit_pickup_match scope_unit_open_match(const struct scope_unit_builder *builder,
							      struct scope_open_unit *open_unit,
							      const struct scope_thread *thread,
							      const struct scope_open_call *call)
{
	switch ((enum scope_timeline_call_role)call->role) {
	case SCOPE_CALL_READ:
		if (call->args && scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid,
							  (int32_t)call->arg[0]) == SCOPE_FD_ACCEPTED)
			return SCOPE_PICKUP_READ;
		break;
	case SCOPE_CALL_POLL:
		if (call->nr == open_unit->loop.nr && call->args && call->arg[0] == open_unit->loop.object)
			return SCOPE_PICKUP_LOOP;
		return scope_unit_open_match_any(builder, open_unit, thread, call);
	case SCOPE_CALL_ACCEPT:
		return SCOPE_PICKUP_READ;
	default:
		break;
	}
	return call->nr == open_unit->pickup.nr ? scope_unit_open_match_any(builder, open_unit, thread, call)
						: SCOPE_PICKUP_NO;
}

#define SCOPE_UNIT_LOOKS 16 /* in a row, in one unit: with more a thread waits for work by polls without a sleep */

/* Calls in which a thread waits for work, whatever else it does. */
#define SCOPE_UNIT_IDLE_ROLES (1u << SCOPE_CALL_ACCEPT | 1u << SCOPE_CALL_CHILD | 1u << SCOPE_CALL_PICK)

SCOPE_TAKE int scope_unit_open_enter_switched(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
					      const struct scope_thread *thread, const struct scope_open_call *call)
{
	int err = 0;

	if (open_unit->open && open_unit->last_exit_ns && open_unit->pickup.gap_ns &&
	    call->enter_ns - open_unit->last_exit_ns > open_unit->pickup.gap_ns) {
		const struct scope_mark now = scope_unit_mark_now(thread);

		err = scope_unit_open_close(builder, thread->index, &now, call->enter_ns, false);
	}
	if (!open_unit->open)
		scope_unit_open_begin(open_unit, thread, call->enter_ns);
	/* If it sleeps there, it waited for work. */
	open_unit->tentative = 1u << call->role & SCOPE_UNIT_IDLE_ROLES;
	if (open_unit->tentative) {
		open_unit->end = scope_unit_mark_now(thread);
		open_unit->end_ns = call->enter_ns;
	}
	return err;
}

/* True if a unit goes on after a poll at the top of the loop that finds nothing and does not sleep: what is left to do was there before. */
SCOPE_TAKE bool scope_unit_open_may_look(const struct scope_unit_builder *builder,
					 const struct scope_open_unit *open_unit, const struct scope_thread *thread,
					 const struct scope_open_call *call)
{
	return call->role == SCOPE_CALL_POLL && !open_unit->answered && !open_unit->doubt &&
	       open_unit->looks < SCOPE_UNIT_LOOKS && (open_unit->asked || !open_unit->pickup.reads) &&
	       !(builder->tasked && scope_unit_held_has_tasks(builder, thread->tgid));
}

/* A write is entered. 0, or what the sink returned. */
SCOPE_TAKE int scope_unit_open_enter_write(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
					   const struct scope_thread *thread, const struct scope_open_call *call)
{
	int err = 0;

	if (builder->helds.used)
		err = scope_unit_held_answer(builder, open_unit, thread, call->args, call->arg[0], call->enter_ns);
	if (!err && scope_unit_next_possible(open_unit))
		err = scope_unit_next_cut(builder, open_unit, thread, call);
	if (!err && open_unit->doubt)
		err = scope_unit_inner_write(builder, open_unit, thread, call->args, call->arg[0]);
	if (err)
		return err;
	open_unit->for_other = scope_unit_open_is_for_other(builder, open_unit, thread, call->args, call->arg[0]);
	return scope_unit_open_answer(builder, open_unit, thread, call->args, call->arg[0], 1, call->enter_ns);
}

SCOPE_TAKE int scope_unit_open_enter(struct scope_unit_builder *builder, const struct scope_thread *thread,
				     const struct scope_open_call *call)
{
	struct scope_open_unit *open_unit;

	if (!scope_unit_open_has(builder, thread->index))
		return -ENOMEM;
	open_unit = &builder->open_unit[thread->index];
	open_unit->slept_in_call = false;
	open_unit->stack.slept_ns = 0;
	open_unit->stack.stopped_stack = false;
	if (call->role == SCOPE_CALL_HANDLED)
		scope_unit_handlers_ended(&open_unit->handlers, &open_unit->quiet, call->enter_ns,
					  open_unit->stack.exit_ns);
	open_unit->for_other = false;
	if (call->role == SCOPE_CALL_WRITE) {
		const int err = scope_unit_open_enter_write(builder, open_unit, thread, call);

		if (err)
			return err;
	}
	if (!open_unit->requests)
		return scope_unit_open_enter_switched(builder, open_unit, thread, call);
	open_unit->matched_ns = call->enter_ns;
	open_unit->matched = (uint8_t)scope_unit_open_match(builder, open_unit, thread, call);
	if (open_unit->matched == SCOPE_PICKUP_READ) {
		open_unit->tentative = open_unit->open;
		open_unit->turns = open_unit->turn_ns && open_unit->stack.enter_ns == open_unit->turn_enter_ns;
		open_unit->goes_on = open_unit->open && call->args && call->role == SCOPE_CALL_READ &&
				     (int64_t)call->arg[0] == open_unit->read_fd;
		open_unit->end = scope_unit_mark_now(thread);
		open_unit->end_ns = call->enter_ns;
	} else if (open_unit->matched == SCOPE_PICKUP_LOOP && open_unit->open) {
		const struct scope_mark now = scope_unit_mark_now(thread);

		open_unit->turns = open_unit->turn_ns && open_unit->stack.enter_ns == open_unit->turn_enter_ns;
		if (open_unit->turns || scope_unit_open_may_look(builder, open_unit, thread, call)) {
			open_unit->tentative = true;
			open_unit->end = now;
			open_unit->end_ns = call->enter_ns;
			return 0;
		}
		if (scope_unit_inner_enter(builder, open_unit, thread, call))
			return 0;
		return scope_unit_open_close(builder, thread->index, &now, call->enter_ns, false);
	}
	return 0;
}

SCOPE_TAKE int scope_unit_open_exit_switched(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
					     const struct scope_thread *thread, const struct scope_open_call *call,
					     int64_t ret, uint64_t exit_ns)
{
	int err = open_unit->open ? scope_unit_open_log(builder, open_unit, call->nr, call->role, ret) : 0;

	open_unit->last_exit_ns = exit_ns;
	open_unit->tentative = false;
	if (!err && open_unit->slept_in_call && open_unit->open) {
		const struct scope_mark now = scope_unit_mark_now(thread);

		err = scope_unit_open_close(builder, thread->index, &now, exit_ns, false);
	}
	if (!open_unit->open)
		scope_unit_open_begin(open_unit, thread, exit_ns);
	open_unit->last_exit_ns = exit_ns;
	return err;
}

SCOPE_TAKE int scope_unit_open_exit(struct scope_unit_builder *builder, const struct scope_thread *thread,
				    const struct scope_open_call *call, int64_t ret, uint64_t exit_ns)
{
	struct scope_open_unit *open_unit;
	int err;

	if (!scope_unit_open_has(builder, thread->index))
		return -ENOMEM;
	open_unit = &builder->open_unit[thread->index];
	err = call->role == SCOPE_CALL_READ
		      ? scope_unit_open_find_peer(builder, open_unit, thread, call->args, call->arg[0], ret)
		      : 0;
	if (err)
		return err;
	/* At the end of a handler the kernel does not say which call returns, so that it may be paired with the handler before. */
	if (__builtin_expect(open_unit->handlers.any, 0))
		scope_unit_handlers_call(&open_unit->handlers, &open_unit->quiet, thread,
					 (enum scope_timeline_call_role)call->role,
					 call->enter_ns < open_unit->stack.exit_ns ? exit_ns : call->enter_ns,
					 open_unit->stack.exit_ns);
	if (call->role == SCOPE_CALL_READ && open_unit->matched == SCOPE_PICKUP_READ &&
	    open_unit->matched_ns == call->enter_ns)
		open_unit->of_loop.brought |= ret > 0 ? SCOPE_TURN_CLIENT : 0;
	else if (call->role == SCOPE_CALL_READ)
		scope_unit_open_note_brought(builder, open_unit, thread, call->args, call->arg[0], ret);
	open_unit->stack.enter_ns = call->enter_ns;
	open_unit->stack.exit_ns = exit_ns;
	open_unit->stack.nr = call->nr;
	open_unit->stack.stopped_stack = false;
	if (1u << call->role & SCOPE_SPIN_ROLES &&
	    !scope_unit_spin_easy(&open_unit->spinning, (enum scope_timeline_call_role)call->role, ret))
		SCOPE_SPIN_JUDGE(&open_unit->spinning, builder->run->timeline->fds, thread, call,
				 (enum scope_timeline_call_role)call->role, ret, exit_ns);
	scope_unit_retry_call(&open_unit->retry, builder->run->timeline->fds, thread->tgid,
			      (enum scope_timeline_call_role)call->role, call->args > 0, call->arg[0], ret);
	if (!open_unit->requests)
		return scope_unit_open_exit_switched(builder, open_unit, thread, call, ret, exit_ns);
	if (open_unit->matched || open_unit->matched_ns != call->enter_ns)
		return scope_unit_open_pick(builder, open_unit, thread, call, ret, exit_ns);
	open_unit->goes_on = open_unit->tentative = false;
	open_unit->read_fd = -1;
	if (open_unit->pickup.datagrams && call->role == SCOPE_CALL_READ && ret > 0 && call->args &&
	    scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, (int32_t)call->arg[0]) ==
		    SCOPE_FD_DATAGRAM)
		scope_unit_open_datagrams(open_unit, call, ret);
	if (open_unit->for_other && !open_unit->slept_in_call) {
		scope_unit_open_leave_out(open_unit, exit_ns - call->enter_ns);
		return 0;
	}
	if (open_unit->open)
		err = scope_unit_open_log(builder, open_unit, call->nr, call->role,
					  scope_unit_open_moved(builder, open_unit, thread, call->role, call->args,
								call->arg[0], ret));
	if (!err && call->role == SCOPE_CALL_WRITE && scope_unit_next_possible(open_unit))
		scope_unit_next_answered(builder, open_unit, thread, call, ret, exit_ns);
	return !err && call->role == SCOPE_CALL_WRITE &&
			       scope_unit_open_client_gone(builder, open_unit, thread, call->args,
							   call->args ? call->arg[0] : 0, ret)
		       ? scope_unit_open_end_now(builder, thread, exit_ns)
		       : err;
}

#endif
