/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The units that are being built, one of each thread, by what a timeline tells.
 *
 * What happens at every call stands here, to be built into the code that takes events
 * (timeline/take.h); all else is in draft.c.
 */
#ifndef SCOPE_UNIT_DRAFT_H
#define SCOPE_UNIT_DRAFT_H

#include <errno.h>
#include <stdlib.h>

#include "timeline/take.h"
#include "unit/shape.h"
#include "unit/spin.h"
#include "unit/run.h"

/* The calls of one unit that has no shape, in the order they were first made. */
struct scope_draft_calls {
	struct scope_unit_call call[SCOPE_UNIT_CALLS];
	uint8_t place[SCOPE_SYSCALL_MAX]; /* of a number, if that is what stands there */
};

/* What units need of a thread's account, as it stood at one time. */
struct scope_mark {
	uint64_t run_ns, probe_ns, queue_ns, starved_ns;
	uint64_t asleep_ns, timer_ns; /* the second is of the first */
};

/* A poll that stood at the top of the loop: the next one like it does, too. */
struct scope_draft_loop {
	uint64_t object;
	uint16_t nr; /* SCOPE_NR_NONE: none did yet */
};

/* What a thread did since its last call, kept up where it leaves a processor: calls are many more. */
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

/* The unit under construction of one thread. */
struct scope_draft {
	bool open;
	bool tentative;	      /* inside a read that may turn out to pick up the next request */
	bool goes_on;	      /* inside a read of what the last call picked up work from */
	bool from_loop;	      /* opened behind the top of the loop */
	bool asked;	      /* a client's request was taken in it */
	bool connected;	      /* a client was accepted in it */
	bool answered;	      /* something was written to a client in it */
	bool slept_in_call;   /* the open call has blocked */
	bool requests;	      /* the thread's pickup is any at all */
	bool pending;	      /* idle is a sleep that may have been for a client */
	uint8_t matched;      /* enum scope_unit_pickup_match of the call entered at matched_ns */
	uint32_t plain_roles; /* as struct scope_timeline_ops has it: of calls that only add up */
	uint32_t root;	      /* shape that its units begin with */
	uint32_t shape;	      /* of its calls so far; SCOPE_SHAPE_NONE: they are counted here: */
	unsigned calls;
	struct scope_draft_calls *call; /* NULL until the first */
	uint64_t matched_ns;
	uint64_t bytes, idle_ns;
	int64_t read_fd;      /* that the last call picked up work from; -1: it did not */
	int64_t only_fd;      /* the first that it ever took bytes from; -1: none */
	bool many;	      /* that was not the only one, or it accepted two */
	bool accepted;	      /* it accepted one, ever */
	uint64_t usual_futex; /* address where the thread sleeps most often, of all futexes: by majority vote … */
	uint32_t futex_votes; /* … so many more than elsewhere since it was chosen */
	int64_t client_fd; /* the client's connection that the unit accepted or read last; -1: none yet, or none that is known */
	int64_t from_fd;	   /* the client's connection that the unit took bytes from; -1: none yet */
	uint64_t begin_ns, end_ns; /* end: entry of the tentative read */
	uint64_t last_exit_ns;
	struct scope_unit_stack stack; /* as one would be that came now */
	struct scope_pickup pickup;    /* of the thread */
	struct scope_draft_loop loop;  /* as it was last known */
	struct scope_mark begin, end;
	struct scope_wait idle;
	struct scope_quiet quiet;
	struct scope_spinning spinning;
};

struct scope_unit_builder {
	struct scope_unit_run *run;
	const struct scope_timeline_ops *ops; /* what the timeline tells, without listeners */
	struct scope_shapes *shapes;	      /* of the run */
	const struct scope_pickups *pickups;
	struct scope_unit_sink sink;
	struct scope_listeners listeners;
	struct scope_learner *learner; /* NULL, or who hears of all before the builder does */
	struct scope_draft *draft;
	size_t drafts, draft_capacity;
};

/* Begins the draft of a thread that has none yet. false: no memory. */
bool scope_unit_draft_meet(struct scope_unit_builder *builder, uint32_t thread);
/* Ends the draft as a unit at end_ns, where the thread's account stood at end. */
int scope_unit_draft_close(struct scope_unit_builder *builder, uint32_t thread, const struct scope_mark *end,
			   uint64_t end_ns, bool still_open);
/* Of a call that may pick up work, by its number; see scope_draft_match(). */
enum scope_unit_pickup_match scope_unit_draft_match_any(const struct scope_unit_builder *builder,
							struct scope_draft *draft, const struct scope_thread *thread,
							const struct scope_open_call *call);
/* Counts a call that leads to no shape known from not long ago. 0 or -ENOMEM. */
int scope_unit_draft_count(struct scope_shapes *shapes, struct scope_draft *draft, uint16_t nr);
/* Is the unit a request that neither it nor, where its connection is known, another thread has answered? */
bool scope_unit_draft_owes(struct scope_unit_builder *builder, const struct scope_draft *draft,
			   const struct scope_thread *thread);
/* The return of a call that did or may have picked up work. */
int scope_unit_draft_pick(struct scope_unit_builder *builder, struct scope_draft *draft,
			  const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
			  uint64_t exit_ns);

/* As struct scope_timeline_ops has them; user is the builder. */
int scope_unit_draft_leave(void *user, uint32_t thread, uint64_t now_ns);
int scope_unit_draft_wait(void *user, const struct scope_wait *wait);
int scope_unit_draft_queued(void *user, uint32_t thread, uint64_t begin_ns, uint64_t end_ns, uint64_t own_ns);
int scope_unit_draft_stack(void *user, uint32_t thread, const struct scope_event *event);
int scope_unit_draft_lost(void *user, uint32_t thread, uint64_t now_ns);
int scope_unit_draft_state(void *user, uint32_t thread, const struct scope_event *event);
int scope_unit_draft_end(void *user, uint32_t thread, uint64_t now_ns);

/* Is there a draft of the thread, builder->draft[thread]? false: no memory. */
static inline bool scope_unit_draft_has(struct scope_unit_builder *builder, uint32_t thread)
{
	return thread < builder->drafts || scope_unit_draft_meet(builder, thread);
}

static inline struct scope_mark scope_unit_mark_now(const struct scope_thread *thread)
{
	const struct scope_account *account = &thread->account;

	return (struct scope_mark){
		account->run_ns,     account->probe_ns,	 account->queue_ns,
		account->starved_ns, account->asleep_ns, account->blocked_ns[SCOPE_WAIT_TIMER],
	};
}

static inline void scope_unit_draft_open(struct scope_draft *draft, const struct scope_thread *thread, uint64_t now_ns)
{
	draft->open = true;
	draft->asked = draft->connected = draft->answered = false;
	draft->from_fd = draft->client_fd = -1;
	draft->begin_ns = now_ns;
	draft->begin = scope_unit_mark_now(thread);
	draft->shape = draft->root;
	draft->calls = 0;
	draft->bytes = 0;
	draft->last_exit_ns = 0;
}

SCOPE_TAKE int scope_draft_log(struct scope_unit_builder *builder, struct scope_draft *draft, uint16_t nr, uint8_t role,
			       int64_t ret)
{
	const uint32_t shape = scope_unit_shapes_recent(builder->shapes, draft->shape, nr);
	const uint64_t moves = role == SCOPE_CALL_READ || role == SCOPE_CALL_WRITE;

	draft->bytes += (uint64_t)(ret > 0 ? ret : 0) & -moves;
	if (shape == SCOPE_SHAPE_NONE)
		return scope_unit_draft_count(builder->shapes, draft, nr);
	draft->shape = shape;
	return 0;
}

/*
 * As a write is entered, and not as it returns: its peer may have asked again by then. ret: any number above 0 where
 * it has not returned.
 */
SCOPE_TAKE void scope_draft_answer(struct scope_unit_builder *builder, struct scope_draft *draft,
				   const struct scope_thread *thread, unsigned args, uint64_t fd, int64_t ret)
{
	if (args && ret > 0 && scope_timeline_fds_answer(builder->run->timeline->fds, thread->tgid, (int32_t)fd))
		draft->answered = true;
}

/* false: there is no memory, and enter and exit will say so. */
SCOPE_TAKE bool scope_draft_plain(struct scope_unit_builder *builder, const struct scope_thread *thread,
				  const struct scope_event *event, enum scope_timeline_call_role role)
{
	struct scope_draft *draft = &builder->draft[thread->index];

	if (draft->open && scope_draft_log(builder, draft, event->syscall.nr, role, event->syscall.ret))
		return false;
	if (role == SCOPE_CALL_WRITE)
		scope_draft_answer(builder, draft, thread, event->syscall.args, event->syscall.arg[0],
				   event->syscall.ret);
	if ((role == SCOPE_CALL_WRITE || role == SCOPE_CALL_READ || role == SCOPE_CALL_CONNECT) &&
	    !scope_unit_spin_waits(&draft->spinning, event->syscall.ret) &&
	    !scope_spin_easy(&draft->spinning, role, event->syscall.ret))
		SCOPE_SPIN_JUDGE(&draft->spinning, builder->run->timeline->fds, thread, &event->syscall, role,
				 event->syscall.ret, event->time_ns);
	draft->stack.slept_ns = 0;
	draft->stack.standing = false;
	draft->stack.enter_ns = event->syscall.enter_ns;
	draft->stack.exit_ns = event->time_ns;
	draft->stack.nr = event->syscall.nr;
	draft->goes_on = draft->tentative = false;
	draft->read_fd = -1;
	return true;
}

/* Of calls that are like the ones before, as most are, at once. */
SCOPE_TAKE enum scope_unit_pickup_match scope_draft_match(const struct scope_unit_builder *builder,
							  struct scope_draft *draft, const struct scope_thread *thread,
							  const struct scope_open_call *call)
{
	switch ((enum scope_timeline_call_role)call->role) {
	case SCOPE_CALL_READ:
		if (call->args && scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid,
							  (int32_t)call->arg[0]) == SCOPE_FD_ACCEPTED)
			return SCOPE_PICKUP_READ;
		break;
	case SCOPE_CALL_POLL:
		if (call->nr == draft->loop.nr && call->args && call->arg[0] == draft->loop.object)
			return SCOPE_PICKUP_LOOP;
		return scope_unit_draft_match_any(builder, draft, thread, call);
	case SCOPE_CALL_ACCEPT:
		return SCOPE_PICKUP_READ;
	default:
		break;
	}
	return call->nr == draft->pickup.nr ? scope_unit_draft_match_any(builder, draft, thread, call)
					    : SCOPE_PICKUP_NO;
}

SCOPE_TAKE int scope_draft_enter_switched(struct scope_unit_builder *builder, struct scope_draft *draft,
					  const struct scope_thread *thread, const struct scope_open_call *call)
{
	int err = 0;

	if (draft->open && draft->last_exit_ns && draft->pickup.gap_ns &&
	    call->enter_ns - draft->last_exit_ns > draft->pickup.gap_ns) {
		const struct scope_mark now = scope_unit_mark_now(thread);

		err = scope_unit_draft_close(builder, thread->index, &now, call->enter_ns, false);
	}
	if (!draft->open)
		scope_unit_draft_open(draft, thread, call->enter_ns);
	return err;
}

SCOPE_TAKE int scope_draft_enter(struct scope_unit_builder *builder, const struct scope_thread *thread,
				 const struct scope_open_call *call)
{
	struct scope_draft *draft;

	if (!scope_unit_draft_has(builder, thread->index))
		return -ENOMEM;
	draft = &builder->draft[thread->index];
	draft->slept_in_call = false;
	draft->stack.slept_ns = 0;
	draft->stack.standing = false;
	if (call->role == SCOPE_CALL_WRITE)
		scope_draft_answer(builder, draft, thread, call->args, call->arg[0], 1);
	if (!draft->requests)
		return scope_draft_enter_switched(builder, draft, thread, call);
	draft->matched_ns = call->enter_ns;
	draft->matched = (uint8_t)scope_draft_match(builder, draft, thread, call);
	if (draft->matched == SCOPE_PICKUP_READ) {
		draft->tentative = draft->open;
		draft->goes_on = draft->open && call->args && call->role == SCOPE_CALL_READ &&
				 (int64_t)call->arg[0] == draft->read_fd;
		draft->end = scope_unit_mark_now(thread);
		draft->end_ns = call->enter_ns;
	} else if (draft->matched == SCOPE_PICKUP_LOOP && draft->open) {
		const struct scope_mark now = scope_unit_mark_now(thread);

		return scope_unit_draft_close(builder, thread->index, &now, call->enter_ns, false);
	}
	return 0;
}

SCOPE_TAKE int scope_draft_exit_switched(struct scope_unit_builder *builder, struct scope_draft *draft,
					 const struct scope_thread *thread, const struct scope_open_call *call,
					 int64_t ret, uint64_t exit_ns)
{
	int err = draft->open ? scope_draft_log(builder, draft, call->nr, call->role, ret) : 0;

	draft->last_exit_ns = exit_ns;
	if (!err && draft->slept_in_call && draft->open) {
		const struct scope_mark now = scope_unit_mark_now(thread);

		err = scope_unit_draft_close(builder, thread->index, &now, exit_ns, false);
	}
	if (!draft->open)
		scope_unit_draft_open(draft, thread, exit_ns);
	draft->last_exit_ns = exit_ns;
	return err;
}

SCOPE_TAKE int scope_draft_exit(struct scope_unit_builder *builder, const struct scope_thread *thread,
				const struct scope_open_call *call, int64_t ret, uint64_t exit_ns)
{
	struct scope_draft *draft;

	if (!scope_unit_draft_has(builder, thread->index))
		return -ENOMEM;
	draft = &builder->draft[thread->index];
	draft->stack.enter_ns = call->enter_ns;
	draft->stack.exit_ns = exit_ns;
	draft->stack.nr = call->nr;
	draft->stack.standing = false;
	if (1u << call->role & SCOPE_SPIN_ROLES &&
	    !scope_spin_easy(&draft->spinning, (enum scope_timeline_call_role)call->role, ret))
		SCOPE_SPIN_JUDGE(&draft->spinning, builder->run->timeline->fds, thread, call,
				 (enum scope_timeline_call_role)call->role, ret, exit_ns);
	if (!draft->requests)
		return scope_draft_exit_switched(builder, draft, thread, call, ret, exit_ns);
	if (draft->matched || draft->matched_ns != call->enter_ns)
		return scope_unit_draft_pick(builder, draft, thread, call, ret, exit_ns);
	draft->goes_on = draft->tentative = false;
	draft->read_fd = -1;
	return draft->open ? scope_draft_log(builder, draft, call->nr, call->role, ret) : 0;
}

#endif
