// SPDX-License-Identifier: GPL-2.0-only
/* Compares how long the same calls take at two times. */
#include "analysis/pace.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/sketch.h"
#include "base/syscall_name.h"
#include "timeline/timeline.h"

#define CALLS_MIN 20 /* no rule: of a number, at each time */

struct listener {
	const struct scope_pace_time *of;
	uint64_t *left_ns; /* by thread: when it last left its processor */
	size_t threads, capacity;
	struct scope_sketch took[SCOPE_SYSCALL_MAX]; /* ns, by the number of the call */
};

static int note_leave(void *user, uint32_t thread, uint64_t now_ns)
{
	struct listener *listener = user;
	int err = scope_grow(&listener->left_ns, &listener->capacity, thread + 1ul, sizeof(*listener->left_ns));

	if (err)
		return err;
	while (listener->threads <= thread)
		listener->left_ns[listener->threads++] = 0;
	listener->left_ns[thread] = now_ns;
	return 0;
}

static int note_exit(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		     uint64_t exit_ns)
{
	struct listener *listener = user;
	const bool left = thread->index < listener->threads && listener->left_ns[thread->index] >= call->enter_ns;

	(void)ret;
	if (left || call->nr >= SCOPE_SYSCALL_MAX || exit_ns < listener->of->from_ns || exit_ns >= listener->of->to_ns)
		return 0;
	return scope_sketch_add(&listener->took[call->nr], exit_ns - call->enter_ns, 1);
}

static const struct scope_timeline_ops ops = { .exit = note_exit, .leave = note_leave };

static int listen_to(const struct scope_pace_time *time, struct listener *listener)
{
	struct scope_timeline *timeline = NULL;
	int err = scope_timeline_create(time->trace, &timeline);

	listener->of = time;
	if (!err)
		err = scope_timeline_run(timeline, time->trace, &ops, listener);
	scope_timeline_destroy(timeline);
	free(listener->left_ns);
	listener->left_ns = NULL;
	return err;
}

struct ratio {
	double times, weight;
};

static int by_times(const void *left, const void *right)
{
	const struct ratio *a = left, *b = right;

	return (a->times > b->times) - (a->times < b->times);
}

static double compare(const struct listener *before, const struct listener *here)
{
	struct ratio ratio[SCOPE_SYSCALL_MAX];
	double half = 0, sum = 0;
	size_t count = 0, at = 0;

	for (size_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++) {
		const double was_ns = scope_sketch_quantile(&before->took[nr], 0.5);
		const uint64_t calls = here->took[nr].total;

		if (before->took[nr].total < CALLS_MIN || calls < CALLS_MIN || was_ns <= 0)
			continue;
		ratio[count++] = (struct ratio){ scope_sketch_quantile(&here->took[nr], 0.5) / was_ns, (double)calls };
		half += (double)calls / 2;
	}
	if (!count)
		return 0;
	qsort(ratio, count, sizeof(*ratio), by_times);
	while (at + 1 < count && sum + ratio[at].weight < half)
		sum += ratio[at++].weight;
	return ratio[at].times;
}

static void end(struct listener *listener)
{
	for (size_t nr = 0; listener && nr < SCOPE_SYSCALL_MAX; nr++)
		scope_sketch_free(&listener->took[nr]);
	free(listener);
}

int scope_analysis_pace_compare(const struct scope_pace_time *before, const struct scope_pace_time *here,
				double *ret_times)
{
	struct listener *was = calloc(1, sizeof(*was)), *is = calloc(1, sizeof(*is));
	int err = was && is ? listen_to(before, was) : -ENOMEM;

	*ret_times = 0;
	if (!err)
		err = listen_to(here, is);
	if (!err)
		*ret_times = compare(was, is);
	end(was);
	end(is);
	return err;
}
