// SPDX-License-Identifier: GPL-2.0-only
/* Cuts the units of threads that get requests from others where one answer ends and the work for another one begins. */
#include "unit/next_answer.h"

#include <errno.h>

#define NEXT_SHARE 4 /* inverse of a share of the time before an answer: with less, no work was done for the next */

/* Its time between two marks, without waits for a CPU. */
static uint64_t worked(const struct scope_mark *begin, const struct scope_mark *end)
{
	return end->run_ns - begin->run_ns + end->asleep_ns - begin->asleep_ns;
}

static bool is_client(const struct scope_unit_builder *builder, const struct scope_thread *thread,
		      const struct scope_open_call *call)
{
	return call->args && scope_timeline_fds_kind(builder->run->timeline->fds, thread->tgid,
						     (int32_t)call->arg[0]) == SCOPE_FD_ACCEPTED;
}

int scope_unit_next_cut(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			const struct scope_thread *thread, const struct scope_open_call *call)
{
	const struct scope_open_unit_answer answer = open_unit->answer;
	const struct scope_mark now = scope_unit_mark_now(thread);
	uint64_t bytes;
	int err;

	if (!open_unit->open || !answer.end_ns || !is_client(builder, thread, call) ||
	    scope_timeline_fds_turn(builder->run->timeline->fds, (int32_t)call->arg[0]) != SCOPE_FD_ASKED ||
	    worked(&answer.end, &now) * NEXT_SHARE < worked(&open_unit->begin, &answer.end))
		return 0;
	bytes = open_unit->bytes - answer.bytes;
	open_unit->histogram = answer.histogram;
	open_unit->bytes = answer.bytes;
	err = scope_unit_open_close(builder, thread->index, &answer.end, answer.end_ns, false);
	scope_unit_open_begin(open_unit, thread, answer.end_ns);
	open_unit->begin = answer.end;
	open_unit->histogram = answer.since;
	open_unit->bytes = bytes;
	return err;
}

void scope_unit_next_answered(const struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			      const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
			      uint64_t exit_ns)
{
	/* If calls have no call histogram, it is not known which of them belong to which answer. */
	if (!open_unit->open || ret <= 0 || open_unit->histogram == SCOPE_HISTOGRAM_NONE ||
	    open_unit->root == SCOPE_HISTOGRAM_NONE || !is_client(builder, thread, call))
		return;
	open_unit->answer = (struct scope_open_unit_answer){
		.end_ns = exit_ns,
		.end = scope_unit_mark_now(thread),
		.histogram = open_unit->histogram,
		.since = open_unit->root,
		.bytes = open_unit->bytes,
	};
}

int scope_unit_next_count(struct scope_histograms *histograms, struct scope_open_unit *open_unit, uint16_t nr)
{
	uint32_t to = scope_unit_histograms_recent(histograms, open_unit->answer.since, nr);
	const int err = to == SCOPE_HISTOGRAM_NONE
				? scope_unit_histograms_step(histograms, open_unit->answer.since, nr, &to)
				: 0;

	/* A unit in doubt has to end there, so a call is left out. */
	if (to != SCOPE_HISTOGRAM_NONE)
		open_unit->answer.since = to;
	else if (!open_unit->doubt)
		open_unit->answer.end_ns = 0;
	return err;
}
