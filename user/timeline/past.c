// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the accounts of threads at some earlier times. */
#include "timeline/past.h"

#include <stdlib.h>

#include "base/grow.h"

#define ONCE_NS                                                                                                        \
	(UINT64_MAX / (2 * SCOPE_PAST_MARKS)) /* longer than any trace; SCOPE_PAST_MARKS of it still have room */

void scope_timeline_past_begin(struct scope_past *past, uint64_t step_ns)
{
	past->step_ns = step_ns;
	past->next_ns = 0;
}

void scope_timeline_past_at(struct scope_past *past, uint64_t time_ns)
{
	past->step_ns = ONCE_NS;
	past->next_ns = time_ns;
}

void scope_timeline_past_free(struct scope_past *past)
{
	for (unsigned i = 0; i < SCOPE_PAST_MARKS; i++)
		free(past->mark[i].account);
}

/* Nothing happened to any thread since the last event, so each continues its state. */
static int mark(struct scope_past *past, struct scope_threads *threads, uint64_t time_ns)
{
	const size_t count = scope_timeline_threads_count(threads);
	struct scope_past_mark *now = &past->mark[(past->first + past->count) % SCOPE_PAST_MARKS];

	if (past->count == SCOPE_PAST_MARKS)
		past->first = (past->first + 1) % SCOPE_PAST_MARKS;
	else
		past->count++;
	now->time_ns = time_ns;
	now->threads = 0;
	if (scope_grow(&now->account, &now->capacity, count, sizeof(*now->account)))
		return -ENOMEM;
	for (; now->threads < count; now->threads++) {
		struct scope_thread thread = *scope_timeline_threads_at(threads, now->threads);

		scope_timeline_thread_account(&thread, time_ns);
		now->account[now->threads] = thread.account;
	}
	return 0;
}

int scope_timeline_past_note(struct scope_past *past, struct scope_threads *threads, uint64_t now_ns)
{
	const uint64_t whole_ns = SCOPE_PAST_MARKS * past->step_ns;
	int err = 0;

	if (!past->next_ns)
		past->next_ns = now_ns;
	/* Marks that would be overwritten immediately are left out. */
	if (now_ns - past->next_ns > whole_ns)
		past->next_ns += (now_ns - past->next_ns - whole_ns) / past->step_ns * past->step_ns;
	for (; !err && past->next_ns <= now_ns; past->next_ns += past->step_ns)
		err = mark(past, threads, past->next_ns);
	return err;
}

const struct scope_past_mark *scope_timeline_past_find(const struct scope_past *past, uint64_t from_ns)
{
	for (unsigned i = 0; i < past->count; i++) {
		const struct scope_past_mark *at = &past->mark[(past->first + i) % SCOPE_PAST_MARKS];

		if (at->time_ns >= from_ns)
			return at;
	}
	return NULL;
}
