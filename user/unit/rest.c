// SPDX-License-Identifier: GPL-2.0-only
/* Decides if a unit had ended before a sleep in it, where no client waits for the thread. */
#include "unit/rest.h"

#include <sys/syscall.h>

#define PASSED_ON_MIN 5 /* requests of a process that one thread took and another one answered */
#define RESTS_SHARE 2	/* inverse of the share of a sleep for which the thread that ended it was idle, or more */

void scope_unit_rest_idle(struct scope_open_unit *open_unit, uint64_t begin_ns, uint64_t end_ns)
{
	struct scope_open_unit_idle *last = &open_unit->idled[(open_unit->idles - 1) % SCOPE_OPEN_UNIT_IDLES];

	if (end_ns - begin_ns < SCOPE_UNIT_WAIT_MIN_NS)
		return;
	/* Two that overlap are one: the read after a poll. */
	if (open_unit->idles && begin_ns <= last->end_ns)
		last->end_ns = end_ns > last->end_ns ? end_ns : last->end_ns;
	else
		open_unit->idled[open_unit->idles++ % SCOPE_OPEN_UNIT_IDLES] =
			(struct scope_open_unit_idle){ begin_ns, end_ns };
}

void scope_unit_rest_begin(struct scope_open_unit *open_unit, const struct scope_thread *thread, uint64_t now_ns)
{
	if (!open_unit->open || open_unit->rest_ns ||
	    (thread->open.role != SCOPE_CALL_FUTEX && thread->open.role != SCOPE_CALL_LOCK))
		return;
	open_unit->rest = scope_unit_mark_now(thread);
	open_unit->rest_ns = now_ns;
	open_unit->rests = false;
}

/*
 * True if the thread that ended the sleep was itself idle for half of it or more. Of a long sleep only the last stretches are
 * remembered, and decide for all of it.
 */
static bool by_idle(const struct scope_unit_builder *builder, const struct scope_wait *wait)
{
	const struct scope_open_unit *waker;
	/* Nothing is known of the time before the window. */
	const uint64_t since_ns = builder->run->timeline->begin_ns;
	uint64_t idle_ns = 0, from_ns = wait->begin_ns > since_ns ? wait->begin_ns : since_ns;

	if (wait->waker < 0 || (size_t)wait->waker >= builder->open_units)
		return false;
	waker = &builder->open_unit[wait->waker];
	if (waker->idles > SCOPE_OPEN_UNIT_IDLES &&
	    waker->idled[waker->idles % SCOPE_OPEN_UNIT_IDLES].begin_ns > from_ns)
		from_ns = waker->idled[waker->idles % SCOPE_OPEN_UNIT_IDLES].begin_ns;
	for (unsigned i = 0; i < SCOPE_OPEN_UNIT_IDLES; i++) {
		const struct scope_open_unit_idle *idle = &waker->idled[i];
		const uint64_t begin_ns = idle->begin_ns > from_ns ? idle->begin_ns : from_ns;
		const uint64_t end_ns = idle->end_ns < wait->wake_ns ? idle->end_ns : wait->wake_ns;

		idle_ns += end_ns > begin_ns ? end_ns - begin_ns : 0;
	}
	return wait->wake_ns > from_ns && idle_ns >= (wait->wake_ns - from_ns) / RESTS_SHARE;
}

/* A sleep for a lock, after which the thread may wait for work. Its call may sleep several times, and so may the next. */
static void note_turn(struct scope_open_unit *open_unit, const struct scope_thread *thread)
{
	if (!open_unit->turn_ns || (open_unit->stack.enter_ns != open_unit->turn_enter_ns &&
				    thread->open.enter_ns != open_unit->turn_enter_ns)) {
		open_unit->turn = open_unit->rest;
		open_unit->turn_ns = open_unit->rest_ns;
	}
	open_unit->turn_enter_ns = thread->open.enter_ns;
}

bool scope_unit_rest_has_clients(const struct scope_open_unit *open_unit)
{
	return open_unit->pickup.reads || open_unit->pickup.datagrams || open_unit->connected;
}

/* The sleeps of the thread since then were reported elsewhere. A sleep has to be known before the unit that it is in. */
static int move(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, uint32_t thread,
		const struct scope_late_wait *late)
{
	const int err = open_unit->pending ? scope_unit_open_report_idle(builder, open_unit, false) : 0;

	return !err && builder->sink.late ? builder->sink.late(builder->sink.user, thread, late) : err;
}

int scope_unit_rest_go_on(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, uint32_t thread,
			  uint64_t now_ns)
{
	const struct scope_late_wait inside = {
		.begin_ns = open_unit->rest_ns,
		.end_ns = now_ns,
		.waker = SCOPE_WAIT_NO_THREAD,
		.fd = -1,
		.place = SCOPE_LATE_INSIDE,
	};
	const bool moves = scope_unit_rest_is(open_unit) && scope_unit_rest_has_clients(open_unit);

	open_unit->rest_ns = 0;
	return moves ? move(builder, open_unit, thread, &inside) : 0;
}

int scope_unit_rest_turn(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, uint32_t thread,
			 uint64_t now_ns)
{
	const struct scope_late_wait outside = {
		.begin_ns = open_unit->turn_ns,
		.end_ns = now_ns,
		.waker = SCOPE_WAIT_NO_THREAD,
		.fd = -1,
		.place = SCOPE_LATE_OUTSIDE,
	};
	const bool turns = open_unit->turns;

	open_unit->turns = false;
	open_unit->turn_ns = 0;
	if (!turns)
		return 0;
	open_unit->rest = open_unit->turn;
	open_unit->rest_ns = outside.begin_ns;
	open_unit->rests = true;
	return scope_unit_rest_has_clients(open_unit) ? move(builder, open_unit, thread, &outside) : 0;
}

void scope_unit_rest_judge(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			   const struct scope_wait *wait)
{
	const struct scope_thread *thread = scope_timeline_threads_at(builder->run->timeline->threads, wait->thread);
	const bool shared = scope_timeline_call_role(wait->nr) == SCOPE_CALL_LOCK, lock = shared || wait->lock;
	bool done, owes;

	if (!open_unit->requests)
		open_unit->rest_ns = 0;
	if (!open_unit->requests || (wait->class != SCOPE_WAIT_FUTEX && !shared))
		return;
	if (open_unit->open && open_unit->rest_ns && !open_unit->rests) {
		done = open_unit->answered || (open_unit->empty_turn && !open_unit->asked && !open_unit->connected);
		owes = open_unit->asked && scope_unit_open_owes(builder, open_unit, thread);
		open_unit->rests = !owes && ((done && !lock) || by_idle(builder, wait));
		/* As the window begins nothing is known of a thread but that it sleeps there. */
		if (lock && !owes && (done || (!open_unit->asked && !open_unit->connected)))
			note_turn(open_unit, thread);
	}
	if (open_unit->open && !open_unit->rests) {
		open_unit->rest_ns = 0;
		return;
	}
	scope_unit_rest_idle(open_unit, wait->begin_ns, wait->wake_ns);
}

bool scope_unit_rest_idles(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			   const struct scope_wait *wait)
{
	const bool shared = scope_timeline_call_role(wait->nr) == SCOPE_CALL_LOCK;

	if (!scope_unit_rest_is(open_unit) || (wait->class != SCOPE_WAIT_FUTEX && !shared))
		return false;
	return (!shared && !wait->lock) || (scope_unit_rest_has_clients(open_unit) && by_idle(builder, wait));
}

/* The futex in which the thread sleeps most often, where it waits for what another thread gives it. */
static bool is_usual(const struct scope_open_unit *open_unit, const struct scope_open_call *call)
{
	return open_unit->futex_votes && call->args && call->arg[0] &&
	       scope_timeline_wait_same_object(SYS_futex, open_unit->usual_futex, call->arg[0]);
}

void scope_unit_rest_note_passing(struct scope_unit_builder *builder, uint32_t tgid)
{
	unsigned at = 0;

	while (at < builder->passings && builder->passing[at].tgid != tgid)
		at++;
	if (at == SCOPE_UNIT_PASSING)
		return;
	if (at == builder->passings)
		builder->passing[builder->passings++] = (struct scope_passing){ .tgid = tgid };
	builder->passing[at].count++;
}

bool scope_unit_rest_passes(const struct scope_unit_builder *builder, uint32_t tgid)
{
	for (unsigned i = 0; i < builder->passings; i++)
		if (builder->passing[i].tgid == tgid)
			return builder->passing[i].count >= PASSED_ON_MIN;
	return false;
}

bool scope_unit_rest_parks(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			   const struct scope_thread *thread)
{
	const struct scope_open_call *call = &thread->open;

	return open_unit->pickup.reads && call->role == SCOPE_CALL_FUTEX && is_usual(open_unit, call) &&
	       !scope_timeline_futex_is_lock(call->args, call->arg) && scope_unit_rest_passes(builder, thread->tgid);
}

bool scope_unit_rest_at_end(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			    const struct scope_thread *thread, bool owes)
{
	const struct scope_open_call *call = &thread->open;

	if (!open_unit->open || !open_unit->rest_ns || thread->run != SCOPE_RUN_BLOCKED)
		return false;
	if (call->role == SCOPE_CALL_LOCK)
		return open_unit->answered && !owes;
	if (call->role != SCOPE_CALL_FUTEX || scope_timeline_futex_is_lock(call->args, call->arg))
		return false;
	return !owes || (!open_unit->asked && is_usual(open_unit, call)) ||
	       scope_unit_pickups_background(builder->pickups, builder->run->timeline->threads, thread->index);
}
