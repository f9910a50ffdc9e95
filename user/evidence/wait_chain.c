// SPDX-License-Identifier: GPL-2.0-only
/* Finds the threads that abnormal units waited for, and when. */
#include "evidence/wait_chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define WINDOWS_MAX 50000 /* only the first ones are kept: enough for stable shares, bounded in memory */
#define RECENT_FIRST 4	  /* no rule */

void scope_evidence_wait_chains_free(struct scope_wait_chains *wait_chains)
{
	for (size_t i = 0; i < wait_chains->threads; i++)
		free(wait_chains->recent[i].wait);
	free(wait_chains->recent);
	free(wait_chains->window);
	*wait_chains = (struct scope_wait_chains){ 0 };
}

static const struct scope_wait *recent_at(const struct scope_recent *recent, uint32_t at)
{
	return &recent->wait[(recent->first + at) % recent->capacity];
}

/* Doubles the ring up to its limit, oldest first. */
static int grow_recent(struct scope_recent *recent)
{
	uint32_t capacity = recent->capacity ? 2 * recent->capacity : RECENT_FIRST;
	struct scope_wait *grown;

	if (capacity > SCOPE_WAIT_CHAIN_RECENT)
		capacity = SCOPE_WAIT_CHAIN_RECENT;
	grown = calloc(capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	for (uint32_t i = 0; i < recent->count; i++)
		grown[i] = *recent_at(recent, i);
	free(recent->wait);
	recent->wait = grown;
	recent->first = 0;
	recent->capacity = capacity;
	return 0;
}

int scope_evidence_wait_chains_wait(struct scope_wait_chains *wait_chains, const struct scope_wait *wait)
{
	struct scope_recent *recent;

	if (scope_grow(&wait_chains->recent, &wait_chains->recent_capacity, wait->thread + 1,
		       sizeof(*wait_chains->recent)))
		return -ENOMEM;
	while (wait_chains->threads <= wait->thread)
		memset(&wait_chains->recent[wait_chains->threads++], 0, sizeof(*wait_chains->recent));
	recent = &wait_chains->recent[wait->thread];
	if (recent->count == recent->capacity && recent->capacity < SCOPE_WAIT_CHAIN_RECENT && grow_recent(recent))
		return -ENOMEM;
	if (recent->count == recent->capacity) {
		recent->first = (recent->first + 1) % recent->capacity;
		recent->count--;
	}
	recent->wait[(recent->first + recent->count++) % recent->capacity] = *wait;
	return 0;
}

/* The first sleep that ended after time. */
static uint32_t first_after(const struct scope_recent *recent, uint64_t time_ns)
{
	uint32_t low = 0, high = recent->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (recent_at(recent, middle)->end_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int add_window(struct scope_wait_chains *wait_chains, const struct scope_wait_segment *window)
{
	if (wait_chains->windows >= WINDOWS_MAX || window->end_ns <= window->begin_ns)
		return 0;
	if (scope_grow(&wait_chains->window, &wait_chains->capacity, wait_chains->windows + 1,
		       sizeof(*wait_chains->window)))
		return -ENOMEM;
	wait_chains->window[wait_chains->windows++] = *window;
	return 0;
}

static uint64_t overlap(const struct scope_wait_segment *window, const struct scope_wait *wait)
{
	uint64_t begin = window->begin_ns > wait->begin_ns ? window->begin_ns : wait->begin_ns;
	uint64_t end = window->end_ns < wait->wake_ns ? window->end_ns : wait->wake_ns;

	return end > begin ? end - begin : 0;
}

static void add_idle(struct scope_wait_segment *window, const struct scope_wait *wait)
{
	window->idle_ns += overlap(window, wait);
	if (wait->wake_ns - wait->begin_ns <= window->idle_end_ns - window->idle_begin_ns)
		return;
	window->idle_begin_ns = wait->begin_ns;
	window->idle_end_ns = wait->wake_ns;
}

/* Adds the thread waited for, and the threads that it waited for itself in that stretch. */
static int pass_on(struct scope_wait_chains *wait_chains, uint32_t victim, const struct scope_wait_segment *window)
{
	const size_t number = wait_chains->windows;
	int err = add_window(wait_chains, window);
	struct scope_recent *recent;

	if (err || window->depth >= SCOPE_WAIT_CHAIN_DEPTH || window->thread >= wait_chains->threads)
		return err;
	recent = &wait_chains->recent[window->thread];
	for (uint32_t i = first_after(recent, window->begin_ns); i < recent->count; i++) {
		const struct scope_wait *wait = recent_at(recent, i);
		struct scope_wait_segment next = *window;

		if (wait->begin_ns >= window->end_ns)
			break;
		/*
		 * It was idle until its own client, or peer, sent more. A loop of several clients waits for none of
		 * them: what another thread waits for is not kept by its silence.
		 */
		if (wait->idle && wait->waker < 0 && !wait->many) {
			recent->idle_ns += overlap(window, wait) * wait_chains->stands_for;
			wait_chains->idle = true;
			if (number < wait_chains->windows)
				add_idle(&wait_chains->window[number], wait);
		}
		if (wait->idle || wait->waker < 0 || (uint32_t)wait->waker == victim)
			continue;
		next.thread = wait->waker;
		next.depth++;
		if (wait->begin_ns > next.begin_ns)
			next.begin_ns = wait->begin_ns;
		if (wait->wake_ns < next.end_ns)
			next.end_ns = wait->wake_ns;
		next.lock = wait->lock;
		next.object = wait->object;
		next.idle_ns = 0;
		next.idle_begin_ns = next.idle_end_ns = 0;
		next.weight_ns = 0; /* inside its parent's: only items are attributed to it */
		err = pass_on(wait_chains, victim, &next);
		if (err)
			return err;
	}
	return 0;
}

/* Adds the segments of what the unit did in that part. */
static int add_part(struct scope_wait_chains *wait_chains, const struct scope_unit_part *part, uint32_t number)
{
	const struct scope_recent *recent;
	int err = 0;

	if (part->thread >= wait_chains->threads)
		return 0;
	recent = &wait_chains->recent[part->thread];
	for (uint32_t i = first_after(recent, part->begin_ns); !err && i < recent->count; i++) {
		const struct scope_wait *wait = recent_at(recent, i);
		struct scope_wait_segment window = {
			.begin_ns = wait->begin_ns,
			.end_ns = wait->wake_ns,
			.weight_ns = wait->wake_ns - wait->begin_ns,
			.object = wait->object,
			.thread = wait->waker,
			.unit = number,
			.nr = wait->nr,
			.lock = wait->lock,
		};

		if (wait->begin_ns >= part->end_ns)
			break;
		if (wait->idle || wait->waker < 0 || wait->begin_ns < part->begin_ns)
			continue;
		wait_chains->propagated_ns += wait->wake_ns - wait->begin_ns - wait->waker_queue_ns;
		err = pass_on(wait_chains, part->thread, &window);
	}
	return err;
}

/* The request waited in no thread, until that thread continued it. */
static int add_task(struct scope_wait_chains *wait_chains, const struct scope_unit *unit, uint32_t number)
{
	const struct scope_unit_earlier *earlier = unit->earlier;
	const struct scope_wait_segment window = {
		.begin_ns = unit->begin_ns - earlier->task_ns,
		.end_ns = unit->begin_ns,
		.weight_ns = earlier->task_ns,
		.thread = (uint32_t)earlier->waker,
		.unit = number,
		.nr = SCOPE_NR_NONE,
	};

	if (!earlier->task_ns || earlier->waker < 0)
		return 0;
	wait_chains->propagated_ns += earlier->task_ns;
	return pass_on(wait_chains, unit->thread, &window);
}

int scope_evidence_wait_chains_unit(struct scope_wait_chains *wait_chains, const struct scope_unit *unit,
				    uint32_t number, double stands_for)
{
	const struct scope_unit_part own = { unit->begin_ns, unit->end_ns, unit->thread };
	int err = 0;

	wait_chains->stands_for = stands_for;
	wait_chains->idle = false;
	wait_chains->propagated_ns = 0;
	if (unit->earlier) {
		err = add_part(wait_chains, &unit->earlier->part, number);
		if (!err)
			err = add_task(wait_chains, unit, number);
	}
	if (!err)
		err = add_part(wait_chains, &own, number);
	wait_chains->idle_units += wait_chains->idle ? stands_for : 0;
	return err;
}

static int compare_windows(const void *left, const void *right)
{
	const struct scope_wait_segment *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return (a->depth > b->depth) - (a->depth < b->depth);
}

void scope_evidence_wait_chains_sort(struct scope_wait_chains *wait_chains)
{
	if (wait_chains->windows)
		qsort(wait_chains->window, wait_chains->windows, sizeof(*wait_chains->window), compare_windows);
}
