/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds units from a timeline, one open unit per thread.
 *
 * The code for every call is here, to be inlined into the code that takes events (timeline/take.h);
 * all else is in open_unit.c.
 */
#ifndef SCOPE_UNIT_OPEN_UNIT_H
#define SCOPE_UNIT_OPEN_UNIT_H

#include <errno.h>
#include <stdlib.h>

#include "timeline/take.h"
#include "unit/histogram.h"
#include "unit/spin.h"
#include "unit/run.h"

/* The calls of one unit that has no shape, in the order they were first made. */
struct scope_open_unit_calls {
	struct scope_unit_call call[SCOPE_UNIT_CALLS];
	uint8_t place[SCOPE_SYSCALL_MAX]; /* index of a number, if that number is there */
};

/* What units need of a thread's account, as it stood at one time. */
struct scope_mark {
	uint64_t run_ns, probe_ns, queue_ns, waker_queue_ns;
	uint64_t asleep_ns, timer_ns; /* the second is of the first */
};

/* A poll at the top of the loop; the next equal one is there, too. */
struct scope_open_unit_loop {
	uint64_t object;
	uint16_t nr; /* SCOPE_NR_NONE: none did yet */
};

/* A thread's times since its last call, updated when it leaves a processor, because calls are much more frequent. */
struct scope_quiet {
	uint64_t run_ns;
	uint64_t asleep_before_ns;     /* its account of sleeps as the call returned */
	uint64_t left_ns, left_run_ns; /* when it last left a processor, and its account of running then */
};

/* Brings it up to now_ns, as the thread leaves or the window ends; exit_ns: the last call's return, 0: none. */
static inline void scope_unit_quiet_count(struct scope_quiet *quiet, const struct scope_thread *thread,
					  uint64_t exit_ns, uint64_t now_ns)
{
	const uint64_t ran_ns = thread->account.run_ns - quiet->left_run_ns;

	if (exit_ns > quiet->left_ns) {
		/* It has not left since the return, and was on the processor all that time. */
		quiet->run_ns = ran_ns < now_ns - exit_ns ? ran_ns : now_ns - exit_ns;
		quiet->asleep_before_ns = thread->account.asleep_ns;
	} else {
		quiet->run_ns += ran_ns;
	}
	quiet->left_ns = now_ns;
	quiet->left_run_ns = thread->account.run_ns;
}

/* A time in which a thread waited for work. */
struct scope_open_unit_idle {
	uint64_t begin_ns, end_ns;
};

#define SCOPE_UNIT_OTHERS_MAX_NS 100000 /* an answer to another client that takes as long is not left out */
#define SCOPE_OPEN_UNIT_IDLES 4		/* last times of a thread without work that are kept */

/* The open unit of one thread. */
struct scope_open_unit {
	bool open;
	bool tentative;	      /* inside a read that may turn out to pick up the next request */
	bool goes_on;	      /* inside a read of the descriptor from which the last call picked up work */
	bool from_loop;	      /* opened after the top of the loop … */
	bool empty_turn;      /* … which brought no work */
	bool new_thread;      /* it began as its thread did, and has taken no request so far */
	bool asked;	      /* a client's request was taken in it */
	uint8_t datagrams;    /* clients' datagrams read in it */
	bool connected;	      /* a client was accepted in it */
	bool answered;	      /* something was written to a client in it */
	bool slept_in_call;   /* the open call has blocked */
	bool for_other;	      /* the open call answers another client than the unit's */
	bool requests;	      /* the thread has any way to pick up work */
	bool pending;	      /* idle is a sleep that may have been for a client */
	uint8_t matched;      /* enum scope_unit_pickup_match of the call entered at matched_ns */
	uint32_t plain_roles; /* as in struct scope_timeline_ops: for calls that are only counted */
	uint32_t root;	      /* shape that its units begin with */
	uint32_t histogram;   /* of its calls so far; SCOPE_HISTOGRAM_NONE: they are counted here: */
	unsigned calls;
	struct scope_open_unit_calls *call; /* NULL until the first */
	uint64_t datagram_fd;		    /* where they are from */
	uint64_t matched_ns;
	uint64_t bytes, idle_ns;
	uint64_t others_ns;   /* of the unit's time on a CPU: answers to other clients */
	int64_t read_fd;      /* that the last call picked up work from; -1: it did not */
	int64_t only_fd;      /* the first that it ever took bytes from; -1: none */
	bool many;	      /* that was not the only one, or it accepted two */
	bool accepted;	      /* it accepted one, ever */
	uint64_t usual_futex; /* address where the thread sleeps most often, of all futexes: by majority vote … */
	uint32_t futex_votes; /* … how many more than elsewhere since it was chosen */
	int64_t client_fd; /* the client's connection that the unit accepted or read last; -1: none yet, or none that is known */
	uint32_t connection;	   /* that this is, as in struct scope_unit */
	int64_t from_fd;	   /* the client's connection that the unit took bytes from; -1: none yet */
	uint64_t begin_ns, end_ns; /* end: entry of the tentative read */
	uint64_t rest_ns; /* the unit may be over since this sleep in a futex: its client has its answer; 0: no */
	bool rests;	  /* the unit is over then, unless more is written to its client */
	uint64_t turn_ns; /* it may be over since this sleep for a lock: a thread takes its turn at waiting for work; 0: no … */
	bool turns;		/* the open call waits for work, and the call before was that for a lock: see turn_ns */
	uint64_t turn_enter_ns; /* … in the call that was entered then */
	struct scope_open_unit_idle idled[SCOPE_OPEN_UNIT_IDLES]; /* the last times it was idle, a ring */
	unsigned idles;						  /* their number in all */
	uint64_t last_exit_ns;
	struct scope_unit_stack stack;	  /* as for a unit that began now */
	struct scope_pickup pickup;	  /* of the thread */
	struct scope_open_unit_loop loop; /* as it was last known */
	struct scope_mark begin, end, rest, turn;
	struct scope_wait idle;
	struct scope_late_wait polled; /* the last sleep in a poll inside a unit … */
	uint64_t polled_enter_ns;      /* … in the call that was entered then; 0: none */
	struct scope_quiet quiet;
	struct scope_spinning spinning;
};

struct scope_unit_builder {
	struct scope_unit_run *run;
	const struct scope_timeline_ops *ops; /* functions for the timeline, without listeners */
	struct scope_histograms *histograms;  /* of the run */
	const struct scope_pickups *pickups;
	struct scope_unit_sink sink;
	struct scope_listeners listeners;
	struct scope_learner *learner; /* NULL, or who hears of all before the builder does */
	struct scope_open_unit *open_unit;
	size_t open_units, open_unit_capacity;
};

/* A sleep outside units was for a client if work was taken by it, or right after it. 0, or what the sink returned. */
int scope_unit_open_report_idle(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, bool read);

/* The list of calls so far, as many as are returned. */
unsigned scope_unit_open_calls(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			       const struct scope_unit_call **ret_call);

/* Begins the open unit of a thread that has none yet. false: no memory. */
bool scope_unit_open_meet(struct scope_unit_builder *builder, uint32_t thread);
/* Ends the open unit at end_ns, where the thread's account stood at end. */
int scope_unit_open_close(struct scope_unit_builder *builder, uint32_t thread, const struct scope_mark *end,
			  uint64_t end_ns, bool still_open);
/* Of a call that may pick up work, by its number; see scope_open_unit_match(). */
enum scope_unit_pickup_match scope_unit_open_match_any(const struct scope_unit_builder *builder,
						       struct scope_open_unit *open_unit,
						       const struct scope_thread *thread,
						       const struct scope_open_call *call);
/* Counts a call that leads to no shape known from not long ago. 0 or -ENOMEM. */
int scope_unit_open_count(struct scope_histograms *histograms, struct scope_open_unit *open_unit, uint16_t nr);
/* Is the unit a request that neither it nor, where its connection is known, another thread has answered? */
bool scope_unit_open_owes(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			  const struct scope_thread *thread);
/* The return of a call that did or may have picked up work. */
int scope_unit_open_pick(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			 const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
			 uint64_t exit_ns);

/* As struct scope_timeline_ops has them; user is the builder. */
int scope_unit_open_leave(void *user, uint32_t thread, uint64_t now_ns);
int scope_unit_open_wait(void *user, const struct scope_wait *wait);
int scope_unit_open_queued(void *user, const struct scope_queued *queued);
int scope_unit_open_stack(void *user, uint32_t thread, const struct scope_event *event);
int scope_unit_open_lost(void *user, uint32_t thread, uint64_t now_ns);
int scope_unit_open_state(void *user, uint32_t thread, const struct scope_event *event);
int scope_unit_open_end(void *user, uint32_t thread, uint64_t now_ns);

/* Is there an open unit of the thread, builder->open_unit[thread]? false: no memory. */
static inline bool scope_unit_open_has(struct scope_unit_builder *builder, uint32_t thread)
{
	return thread < builder->open_units || scope_unit_open_meet(builder, thread);
}

static inline struct scope_mark scope_unit_mark_now(const struct scope_thread *thread)
{
	const struct scope_account *account = &thread->account;

	return (struct scope_mark){
		account->run_ns,	 account->probe_ns,  account->queue_ns,
		account->waker_queue_ns, account->asleep_ns, account->blocked_ns[SCOPE_WAIT_TIMER],
	};
}

static inline void scope_unit_open_begin(struct scope_open_unit *open_unit, const struct scope_thread *thread,
					 uint64_t now_ns)
{
	open_unit->open = true;
	open_unit->asked = open_unit->connected = open_unit->answered = open_unit->empty_turn = false;
	open_unit->new_thread = false;
	open_unit->datagrams = 0;
	open_unit->connection = 0;
	open_unit->from_fd = open_unit->client_fd = -1;
	open_unit->begin_ns = now_ns;
	open_unit->begin = scope_unit_mark_now(thread);
	open_unit->histogram = open_unit->root;
	open_unit->calls = 0;
	open_unit->bytes = open_unit->others_ns = 0;
	open_unit->last_exit_ns = 0;
	open_unit->rest_ns = open_unit->turn_ns = 0;
	open_unit->turns = false;
}

/*
 * What a call that returned ret adds to the size of a request: not what is read from files, nor, in a request that a client's
 * connection brought, what goes to and comes from peers that the server asks itself, because that is how the server does it,
 * and not what the client asked for.
 */
SCOPE_TAKE int64_t scope_open_unit_moved(const struct scope_unit_builder *builder,
					 const struct scope_open_unit *open_unit, const struct scope_thread *thread,
					 uint8_t role, unsigned args, uint64_t fd, int64_t ret)
{
	enum scope_fd_kind kind;

	if (ret <= 0 || !args || (role != SCOPE_CALL_READ && role != SCOPE_CALL_WRITE))
		return ret;
	kind = scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, (int32_t)fd);
	if (role == SCOPE_CALL_READ && kind == SCOPE_FD_FILE)
		return 0;
	return open_unit->from_fd >= 0 && (kind == SCOPE_FD_DATAGRAM || kind == SCOPE_FD_CONNECTED) ? 0 : ret;
}

/* moved: bytes, if it is a read or a write. */
SCOPE_TAKE int scope_open_unit_log(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, uint16_t nr,
				   uint8_t role, int64_t moved)
{
	const uint32_t histogram = scope_unit_histograms_recent(builder->histograms, open_unit->histogram, nr);
	const uint64_t moves = role == SCOPE_CALL_READ || role == SCOPE_CALL_WRITE;

	open_unit->bytes += (uint64_t)(moved > 0 ? moved : 0) & -moves;
	if (histogram == SCOPE_HISTOGRAM_NONE)
		return scope_unit_open_count(builder->histograms, open_unit, nr);
	open_unit->histogram = histogram;
	return 0;
}

/*
 * Is a write the answer to a client whose request an earlier unit of the thread took, in the unit of another? Servers
 * that read all that came in a turn of their loop, and write all answers at its end, have them in the last unit: they
 * are no more a part of that request than the reads were. To be asked before scope_open_unit_answer().
 */
SCOPE_TAKE bool scope_open_unit_is_for_other(struct scope_unit_builder *builder,
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
 * The time of such a write, which did not sleep, is not part of the unit. A long one is counted, for whichever client
 * it is.
 */
SCOPE_TAKE void scope_open_unit_leave_out(struct scope_open_unit *open_unit, uint64_t length_ns)
{
	open_unit->others_ns += length_ns < SCOPE_UNIT_OTHERS_MAX_NS ? length_ns : 0;
}

/*
 * Call it when a write is entered, not when it returns, because its peer may have sent the next
 * request by then. ret: any number above 0 if it has not returned.
 */
SCOPE_TAKE void scope_open_unit_answer(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
				       const struct scope_thread *thread, unsigned args, uint64_t fd, int64_t ret)
{
	struct scope_fds *fds = builder->run->timeline->fds;

	if (!args || ret <= 0)
		return;
	if (!scope_timeline_fds_answer(fds, thread->tgid, (int32_t)fd) &&
	    !(open_unit->pickup.datagrams &&
	      scope_timeline_fds_kind(fds, thread->tgid, (int32_t)fd) == SCOPE_FD_DATAGRAM))
		return;
	open_unit->answered = true;
	if (open_unit->client_fd < 0 || open_unit->client_fd == (int32_t)fd)
		open_unit->rest_ns = 0;
}

/*
 * A write to the unit's client failed because the client has closed the connection: what follows keeps nobody waiting. A turn of a
 * loop has no client of its own; if the thread only ever served one, it is that.
 */
SCOPE_TAKE bool scope_open_unit_deserted(const struct scope_unit_builder *builder,
					 const struct scope_open_unit *open_unit, const struct scope_thread *thread,
					 unsigned args, uint64_t fd, int64_t ret)
{
	if ((ret != -EPIPE && ret != -ECONNRESET) || !args || !open_unit->open)
		return false;
	return (open_unit->client_fd < 0 ? !open_unit->many : open_unit->client_fd == (int32_t)fd) &&
	       scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, (int32_t)fd) == SCOPE_FD_ACCEPTED;
}

/* The unit ends at once. 0 or -ENOMEM. */
SCOPE_TAKE int scope_open_unit_desert(struct scope_unit_builder *builder, const struct scope_thread *thread,
				      uint64_t now_ns)
{
	const struct scope_mark now = scope_unit_mark_now(thread);

	return scope_unit_open_close(builder, thread->index, &now, now_ns, false);
}

/* A read of a thread that serves clients by datagrams: each that it brought is a request. */
SCOPE_TAKE void scope_open_unit_datagrams(struct scope_open_unit *open_unit, const struct scope_open_call *call,
					  int64_t ret)
{
	const int64_t count = open_unit->datagrams + (call->nr == SYS_recvmmsg ? ret : 1);

	/* From another socket than the first one it reads answers to itself. */
	if (open_unit->datagrams && open_unit->datagram_fd != call->arg[0])
		return;
	open_unit->asked = true;
	open_unit->datagram_fd = call->arg[0];
	open_unit->datagrams = (uint8_t)(count < SCOPE_UNIT_ASKED_MAX ? count : SCOPE_UNIT_ASKED_MAX);
}

/*
 * A read returned ret. To be asked before the call is noted as the last one: if that was a poll in which the thread slept,
 * it waited for the peer of that socket. 0, or what the sink returned.
 */
SCOPE_TAKE int scope_open_unit_heard(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
				     const struct scope_thread *thread, unsigned args, uint64_t fd, int64_t ret)
{
	if (!open_unit->polled_enter_ns || open_unit->polled_enter_ns != open_unit->stack.enter_ns || ret <= 0 ||
	    !args ||
	    scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, (int32_t)fd) != SCOPE_FD_CONNECTED)
		return 0;
	open_unit->polled.fd = (int32_t)fd;
	return builder->sink.late(builder->sink.user, thread->index, &open_unit->polled);
}

/* false: no memory; enter and exit will return the error. */
SCOPE_TAKE bool scope_open_unit_plain(struct scope_unit_builder *builder, const struct scope_thread *thread,
				      const struct scope_event *event, enum scope_timeline_call_role role)
{
	struct scope_open_unit *open_unit = &builder->open_unit[thread->index];

	if (role == SCOPE_CALL_WRITE &&
	    scope_open_unit_is_for_other(builder, open_unit, thread, event->syscall.args, event->syscall.arg[0]))
		scope_open_unit_leave_out(open_unit, event->time_ns - event->syscall.enter_ns);
	else if (open_unit->open &&
		 scope_open_unit_log(builder, open_unit, event->syscall.nr, role,
				     scope_open_unit_moved(builder, open_unit, thread, role, event->syscall.args,
							   event->syscall.arg[0], event->syscall.ret)))
		return false;
	if (role == SCOPE_CALL_WRITE)
		scope_open_unit_answer(builder, open_unit, thread, event->syscall.args, event->syscall.arg[0],
				       event->syscall.ret);
	if ((role == SCOPE_CALL_WRITE || role == SCOPE_CALL_READ || role == SCOPE_CALL_CONNECT) &&
	    !scope_unit_spin_waits(&open_unit->spinning, event->syscall.ret) &&
	    !scope_spin_easy(&open_unit->spinning, role, event->syscall.ret))
		SCOPE_SPIN_JUDGE(&open_unit->spinning, builder->run->timeline->fds, thread, &event->syscall, role,
				 event->syscall.ret, event->time_ns);
	if (role == SCOPE_CALL_READ && scope_open_unit_heard(builder, open_unit, thread, event->syscall.args,
							     event->syscall.arg[0], event->syscall.ret))
		return false;
	open_unit->stack.slept_ns = 0;
	open_unit->stack.stopped_stack = false;
	open_unit->stack.enter_ns = event->syscall.enter_ns;
	open_unit->stack.exit_ns = event->time_ns;
	if (role == SCOPE_CALL_WRITE && scope_open_unit_deserted(builder, open_unit, thread, event->syscall.args,
								 event->syscall.arg[0], event->syscall.ret))
		return !scope_open_unit_desert(builder, thread, event->time_ns);
	open_unit->stack.nr = event->syscall.nr;
	open_unit->goes_on = open_unit->tentative = false;
	open_unit->read_fd = -1;
	return true;
}

/* Handles calls that are equal to the ones before, as most are. */
SCOPE_TAKE enum scope_unit_pickup_match scope_open_unit_match(const struct scope_unit_builder *builder,
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

/* Calls in which a thread waits for work, whatever else it does. */
#define SCOPE_UNIT_IDLE_ROLES (1u << SCOPE_CALL_ACCEPT | 1u << SCOPE_CALL_CHILD | 1u << SCOPE_CALL_PICK)

SCOPE_TAKE int scope_open_unit_enter_switched(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
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

SCOPE_TAKE int scope_open_unit_enter(struct scope_unit_builder *builder, const struct scope_thread *thread,
				     const struct scope_open_call *call)
{
	struct scope_open_unit *open_unit;

	if (!scope_unit_open_has(builder, thread->index))
		return -ENOMEM;
	open_unit = &builder->open_unit[thread->index];
	open_unit->slept_in_call = false;
	open_unit->stack.slept_ns = 0;
	open_unit->stack.stopped_stack = false;
	open_unit->for_other = call->role == SCOPE_CALL_WRITE &&
			       scope_open_unit_is_for_other(builder, open_unit, thread, call->args, call->arg[0]);
	if (call->role == SCOPE_CALL_WRITE)
		scope_open_unit_answer(builder, open_unit, thread, call->args, call->arg[0], 1);
	if (!open_unit->requests)
		return scope_open_unit_enter_switched(builder, open_unit, thread, call);
	open_unit->matched_ns = call->enter_ns;
	open_unit->matched = (uint8_t)scope_open_unit_match(builder, open_unit, thread, call);
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
		if (open_unit->turns) {
			open_unit->tentative = true;
			open_unit->end = now;
			open_unit->end_ns = call->enter_ns;
			return 0;
		}
		return scope_unit_open_close(builder, thread->index, &now, call->enter_ns, false);
	}
	return 0;
}

SCOPE_TAKE int scope_open_unit_exit_switched(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
					     const struct scope_thread *thread, const struct scope_open_call *call,
					     int64_t ret, uint64_t exit_ns)
{
	int err = open_unit->open ? scope_open_unit_log(builder, open_unit, call->nr, call->role, ret) : 0;

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

SCOPE_TAKE int scope_open_unit_exit(struct scope_unit_builder *builder, const struct scope_thread *thread,
				    const struct scope_open_call *call, int64_t ret, uint64_t exit_ns)
{
	struct scope_open_unit *open_unit;
	int err;

	if (!scope_unit_open_has(builder, thread->index))
		return -ENOMEM;
	open_unit = &builder->open_unit[thread->index];
	err = call->role == SCOPE_CALL_READ
		      ? scope_open_unit_heard(builder, open_unit, thread, call->args, call->arg[0], ret)
		      : 0;
	if (err)
		return err;
	open_unit->stack.enter_ns = call->enter_ns;
	open_unit->stack.exit_ns = exit_ns;
	open_unit->stack.nr = call->nr;
	open_unit->stack.stopped_stack = false;
	if (1u << call->role & SCOPE_SPIN_ROLES &&
	    !scope_spin_easy(&open_unit->spinning, (enum scope_timeline_call_role)call->role, ret))
		SCOPE_SPIN_JUDGE(&open_unit->spinning, builder->run->timeline->fds, thread, call,
				 (enum scope_timeline_call_role)call->role, ret, exit_ns);
	if (!open_unit->requests)
		return scope_open_unit_exit_switched(builder, open_unit, thread, call, ret, exit_ns);
	if (open_unit->matched || open_unit->matched_ns != call->enter_ns)
		return scope_unit_open_pick(builder, open_unit, thread, call, ret, exit_ns);
	open_unit->goes_on = open_unit->tentative = false;
	open_unit->read_fd = -1;
	if (open_unit->pickup.datagrams && call->role == SCOPE_CALL_READ && ret > 0 && call->args &&
	    scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid, (int32_t)call->arg[0]) ==
		    SCOPE_FD_DATAGRAM)
		scope_open_unit_datagrams(open_unit, call, ret);
	if (open_unit->for_other && !open_unit->slept_in_call) {
		scope_open_unit_leave_out(open_unit, exit_ns - call->enter_ns);
		return 0;
	}
	if (open_unit->open)
		err = scope_open_unit_log(builder, open_unit, call->nr, call->role,
					  scope_open_unit_moved(builder, open_unit, thread, call->role, call->args,
								call->arg[0], ret));
	return !err && call->role == SCOPE_CALL_WRITE &&
			       scope_open_unit_deserted(builder, open_unit, thread, call->args,
							call->args ? call->arg[0] : 0, ret)
		       ? scope_open_unit_desert(builder, thread, exit_ns)
		       : err;
}

#endif
