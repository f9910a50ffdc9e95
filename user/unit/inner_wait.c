// SPDX-License-Identifier: GPL-2.0-only
/* Decides if a wait where a thread usually waits for work was in the middle of its request. */
#include "unit/inner_wait.h"

#include "unit/rest.h"

/* True if the client waits for this thread, and no other thread is known to answer instead. */
static bool may_go_on(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
		      const struct scope_thread *thread)
{
	return open_unit->client_fd >= 0 && !open_unit->pickup.unanswered &&
	       !scope_unit_rest_passes(builder, thread->tgid) && scope_unit_open_owes(builder, open_unit, thread);
}

bool scope_unit_inner_enter(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			    const struct scope_thread *thread, const struct scope_open_call *call)
{
	if (call->role != SCOPE_CALL_FUTEX || !open_unit->pickup.reads || !open_unit->asked ||
	    !may_go_on(builder, open_unit, thread))
		return false;
	if (!open_unit->doubt) {
		/* If calls have no call histogram, it is not known which came before. */
		if (open_unit->histogram == SCOPE_HISTOGRAM_NONE || open_unit->root == SCOPE_HISTOGRAM_NONE)
			return false;
		open_unit->answer = (struct scope_open_unit_answer){
			.end_ns = call->enter_ns,
			.end = scope_unit_mark_now(thread),
			.histogram = open_unit->histogram,
			.since = open_unit->root,
			.bytes = open_unit->bytes,
		};
		open_unit->doubt = true;
		open_unit->parks_ns = 0;
	}
	open_unit->tentative = false;
	open_unit->back_ns = 0;
	return true;
}

void scope_unit_inner_exit(struct scope_open_unit *open_unit, const struct scope_thread *thread,
			   const struct scope_open_call *call, int64_t ret, uint64_t exit_ns)
{
	open_unit->back_ns = exit_ns;
	open_unit->back = scope_unit_mark_now(thread);
	open_unit->back_bytes = open_unit->bytes;
	open_unit->back_empty = ret == 0;
	open_unit->parks_ns += exit_ns - call->enter_ns;
	open_unit->answer.since = open_unit->root;
}

/* The sleeps since the doubt began were reported as outside of the unit. */
static int go_on(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, uint32_t thread)
{
	const struct scope_late_wait inside = {
		.begin_ns = open_unit->answer.end_ns,
		.end_ns = open_unit->back_ns,
		.waker = SCOPE_WAIT_NO_THREAD,
		.fd = -1,
		.place = SCOPE_LATE_INSIDE,
	};
	/* A sleep has to be known before the unit that it is in. */
	const int err = open_unit->pending ? scope_unit_open_report_idle(builder, open_unit, false) : 0;

	open_unit->doubt = false;
	open_unit->answer.end_ns = 0;
	open_unit->idle_ns -= open_unit->parks_ns;
	return !err && builder->sink.late ? builder->sink.late(builder->sink.user, thread, &inside) : err;
}

int scope_unit_inner_write(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			   const struct scope_thread *thread, unsigned args, uint64_t fd)
{
	struct scope_fds *fds = builder->run->timeline->fds;

	if (!args || !open_unit->back_ns ||
	    scope_timeline_fds_kind(fds, thread->tgid, (int32_t)fd) != SCOPE_FD_ACCEPTED ||
	    scope_timeline_fds_turn(fds, (int32_t)fd) != SCOPE_FD_ASKED)
		return 0;
	/* It may answer another client, or know by now that requests go from thread to thread. */
	if (open_unit->client_fd != (int32_t)fd || !may_go_on(builder, open_unit, thread))
		return scope_unit_inner_rest(builder, open_unit, thread->index);
	return go_on(builder, open_unit, thread->index);
}

int scope_unit_inner_rest(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, uint32_t thread)
{
	const struct scope_open_unit_answer before = open_unit->answer;
	const uint64_t bytes = open_unit->bytes - open_unit->back_bytes;
	const bool tentative = open_unit->tentative;
	int err;

	open_unit->doubt = false;
	open_unit->histogram = before.histogram;
	open_unit->bytes = before.bytes;
	err = scope_unit_open_close(builder, thread, &before.end, before.end_ns, false);
	open_unit->answer.end_ns = 0;
	if (err || !open_unit->back_ns)
		return err;
	scope_unit_open_begin(open_unit, scope_timeline_threads_at(builder->run->timeline->threads, thread),
			      open_unit->back_ns);
	open_unit->begin = open_unit->back;
	open_unit->histogram = before.since;
	open_unit->bytes = bytes;
	open_unit->from_loop = true;
	open_unit->empty_turn = open_unit->back_empty;
	open_unit->tentative = tentative;
	return 0;
}
