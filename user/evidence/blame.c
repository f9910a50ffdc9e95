// SPDX-License-Identifier: GPL-2.0-only
/* Which threads abnormal units waited for, and when. */
#include "evidence/blame.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

#define WINDOWS_MAX 50000 /* the first so many: enough for shares to stand, bounded in memory */

long scope_blame_passes(const struct scope_units *units, const struct scope_wait *wait)
{
	long waker;

	if (!wait->waker_tid)
		return -ENOENT;
	waker = scope_threads_find(units->timeline->threads, wait->waker_tid);
	return waker == (long)wait->thread ? -ENOENT : waker;
}

static int add_window(struct scope_evidence *evidence, const struct scope_window *window)
{
	if (evidence->windows >= WINDOWS_MAX || window->end_ns <= window->begin_ns)
		return 0;
	if (scope_grow(&evidence->window, &evidence->window_capacity, evidence->windows + 1,
		       sizeof(*evidence->window)))
		return -ENOMEM;
	evidence->window[evidence->windows++] = *window;
	return 0;
}

/* The thread waited for, and whom it waited for itself in that stretch. */
static int pass_on(const struct scope_units *units, const struct scope_lookup *waits,
		   struct scope_evidence *evidence, const struct scope_window *window)
{
	int err = add_window(evidence, window);

	if (err || window->depth >= SCOPE_BLAME_DEPTH)
		return err;
	for (size_t i = scope_lookup_wait_after(waits, units, window->thread, window->begin_ns);
	     i < waits->first[window->thread + 1]; i++) {
		const struct scope_wait *wait = &units->wait[waits->row[i]];
		long waker = scope_blame_passes(units, wait);
		struct scope_window next = *window;

		if (wait->begin_ns >= window->end_ns)
			break;
		if (waker < 0 || waker == units->unit[window->unit].thread)
			continue;
		next.thread = waker;
		next.depth++;
		if (wait->begin_ns > next.begin_ns)
			next.begin_ns = wait->begin_ns;
		if (wait->wake_ns < next.end_ns)
			next.end_ns = wait->wake_ns;
		next.lock = wait->lock;
		next.object = wait->object;
		next.weight_ns = 0; /* inside its parent's: only items are laid in it */
		err = pass_on(units, waits, evidence, &next);
		if (err)
			return err;
	}
	return 0;
}

static int compare_windows(const void *left, const void *right)
{
	const struct scope_window *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return (a->depth > b->depth) - (a->depth < b->depth);
}

int scope_blame_windows(const struct scope_units *units, const struct scope_detection *detection,
			const struct scope_lookup *unit_lookup,
			const struct scope_lookup *wait_lookup, struct scope_evidence *evidence)
{
	for (size_t i = 0; i < units->waits; i++) {
		const struct scope_wait *wait = &units->wait[i];
		uint32_t unit = scope_lookup_unit_at(unit_lookup, units, wait->thread,
						     wait->begin_ns);
		long waker;
		struct scope_window window;
		int err;

		if (unit == UINT32_MAX || !scope_mark_abnormal(detection->mark[unit]))
			continue;
		waker = scope_blame_passes(units, wait);
		if (waker < 0)
			continue;
		window = (struct scope_window){
			.begin_ns = wait->begin_ns,
			.end_ns = wait->wake_ns,
			.weight_ns = wait->wake_ns - wait->begin_ns,
			.object = wait->object,
			.thread = waker,
			.unit = unit,
			.nr = wait->nr,
			.lock = wait->lock,
		};
		err = pass_on(units, wait_lookup, evidence, &window);
		if (err)
			return err;
	}
	if (evidence->windows)
		qsort(evidence->window, evidence->windows, sizeof(*evidence->window),
		      compare_windows);
	return 0;
}
