// SPDX-License-Identifier: GPL-2.0-only
/* Attributes a stretch of a thread's time to the units, waits and hangs that contain it. */
#include "evidence/attribute.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define MERGE_LAST 16 /* most items that are searched backwards */

static bool say_the_same(const struct scope_item *a, const struct scope_item *b)
{
	return a->unit == b->unit && a->node == b->node && a->kind == b->kind && a->nr == b->nr &&
	       a->class == b->class && a->propagated == b->propagated && a->lock == b->lock && a->chance == b->chance &&
	       a->below == b->below && a->task == b->task && a->held == b->held && a->silent == b->silent &&
	       a->interpreter == b->interpreter;
}

static int add_item(struct scope_attributor *attributor, const struct scope_item *item)
{
	struct scope_evidence *evidence = attributor->evidence;
	size_t from = evidence->items > MERGE_LAST ? evidence->items - MERGE_LAST : 0;

	for (size_t i = evidence->items; attributor->merge && i-- > from;)
		if (say_the_same(&evidence->item[i], item)) {
			evidence->item[i].weight_ns += item->weight_ns;
			return 0;
		}
	if (scope_grow(&evidence->item, &evidence->item_capacity, evidence->items + 1, sizeof(*item)))
		return -ENOMEM;
	evidence->item[evidence->items++] = *item;
	return 0;
}

/* True if an abnormal unit waited for this thread between begin and end. */
static bool in_window(const struct scope_attributor *attributor, uint32_t index, uint64_t begin_ns, uint64_t end_ns,
		      size_t *at)
{
	const struct scope_wait_chains *wait_chains = &attributor->kept->wait_chains;
	size_t end = index < attributor->units->threads ? attributor->window_first[index + 1] : 0;

	for (; *at < end; ++*at) {
		const struct scope_wait_segment *window = &wait_chains->window[*at];

		if (window->begin_ns > end_ns)
			return false;
		if (window->end_ns >= begin_ns)
			return true;
	}
	return false;
}

static size_t first_window(const struct scope_attributor *attributor, uint32_t index, uint64_t begin_ns)
{
	const struct scope_wait_chains *wait_chains = &attributor->kept->wait_chains;
	size_t low, high;

	if (index >= attributor->units->threads)
		return SIZE_MAX;
	low = attributor->window_first[index];
	high = attributor->window_first[index + 1];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (wait_chains->window[middle].begin_ns + attributor->window_longest_ns < begin_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_sample(const struct scope_stretch *stretch)
{
	return stretch->begin_ns == stretch->end_ns;
}

/* The weight of a part of a stretch, in proportion to its length; a sample has all of it. */
static double weight_between(const struct scope_stretch *stretch, uint64_t begin_ns, uint64_t end_ns)
{
	if (is_sample(stretch))
		return stretch->weight_ns;
	return end_ns > begin_ns ? stretch->weight_ns * (end_ns - begin_ns) / (stretch->end_ns - stretch->begin_ns) : 0;
}

/* True if it sleeps there for its own client. No other thread waits for that. */
static bool is_idle(const struct scope_wait_segment *window, const struct scope_stretch *stretch)
{
	return !stretch->run && stretch->begin_ns < window->idle_end_ns && stretch->end_ns > window->idle_begin_ns;
}

/*
 * True if the thread serves clients in a request that is usual, or that is abnormal by more than its own waits. A
 * thread that waits for it then waits by chance, at a lock or in an interpreter, while the function does its usual
 * work: a lock is held too long only if it is held for longer than usual. Units that are not kept are usual, or nearly
 * so.
 */
static bool is_usual_work(const struct scope_attributor *attributor, uint32_t index,
			  const struct scope_stretch *stretch)
{
	const struct scope_groups *groups = attributor->units->groups;
	uint8_t mark;

	if (!attributor->detection || index >= attributor->units->threads ||
	    !groups->group[groups->of_thread[index]].serves)
		return false;
	if (stretch->unit == UINT32_MAX)
		return true;
	mark = attributor->kept->mark[stretch->unit];
	return !scope_anomaly_mark_abnormal(mark) || mark & SCOPE_UNIT_HELD_UP;
}

/*
 * True if the stack has no function of the program, as that of a thread that a library works with, or is in a process of which no mapping
 * is known: a script that ended before it could be looked at. The thread that waits for it has a name, and its own sleep represents that
 * time.
 */
static bool is_unknown(const struct scope_attributor *attributor, uint32_t node)
{
	const struct scope_function *function = attributor->evidence->tree.node[node].function;

	return node == SCOPE_TREE_ROOT || (function->path && !strcmp(function->path, "[unknown]"));
}

/* Outside of units it sleeps until it gets work. */
static void note_nameless(struct scope_attributor *attributor, uint32_t index, const struct scope_stretch *stretch)
{
	size_t at = first_window(attributor, index, stretch->begin_ns);

	if (!stretch->run && stretch->unit == UINT32_MAX)
		return;
	for (; in_window(attributor, index, stretch->begin_ns, stretch->end_ns, &at); at++)
		attributor->nameless[attributor->kept->wait_chains.window[at].unit] = true;
}

/*
 * True if a thread that others wait for sleeps there for another one. That one is waited for; if it has no function of the program, as a
 * script or a child that was not seen, the function that sleeps is the last one that is known. A futex is no evidence (contrast.c), and
 * outside of a unit the thread waits for work.
 */
static bool may_pass_on(const struct scope_stretch *stretch)
{
	return stretch->propagated && stretch->class != SCOPE_WAIT_FUTEX && stretch->unit != UINT32_MAX;
}

/*
 * True if the thread ran another program for the one that waited, and that one's file does not say what the function is: a compressor, a mail
 * program. The function that waits for it is the last one that is known.
 */
static bool is_other_program(const struct scope_attributor *attributor, const struct scope_wait_segment *window,
			     uint32_t node)
{
	return scope_timeline_call_role(window->nr) == SCOPE_CALL_CHILD &&
	       !attributor->evidence->tree.node[node].function->known;
}

static int attribute_waits(struct scope_attributor *attributor, uint32_t index, const struct scope_stretch *stretch,
			   struct scope_stack_node stack_node)
{
	size_t at = first_window(attributor, index, stretch->begin_ns);
	const bool chance = is_usual_work(attributor, index, stretch);

	for (; in_window(attributor, index, stretch->begin_ns, stretch->end_ns, &at); at++) {
		const struct scope_wait_segment *window = &attributor->kept->wait_chains.window[at];
		uint64_t begin = window->begin_ns > stretch->begin_ns ? window->begin_ns : stretch->begin_ns;
		uint64_t end = window->end_ns < stretch->end_ns ? window->end_ns : stretch->end_ns;
		struct scope_item item = {
			.time_ns = stretch->end_ns,
			.weight_ns = weight_between(stretch, begin, end),
			.node = stack_node.node,
			.frames = stack_node.frames,
			.below = stack_node.below,
			.unit = window->unit,
			.population = attributor->kept->population[window->unit],
			.nr = window->nr,
			.lock = window->lock,
			.kind = SCOPE_ITEM_BLAME,
			.chance = chance,
			.propagated = stretch->propagated,
			.abnormal = true,
		};
		int err;

		if (item.weight_ns <= 0 || is_idle(window, stretch) ||
		    is_other_program(attributor, window, stack_node.node))
			continue;
		err = add_item(attributor, &item);
		if (err)
			return err;
	}
	return 0;
}

int scope_evidence_attributor_add(struct scope_attributor *attributor, uint32_t index,
				  const struct scope_stretch *stretch, struct scope_stack_node stack_node)
{
	struct scope_item item = {
		.time_ns = stretch->end_ns,
		.weight_ns = stretch->weight_ns,
		.node = stack_node.node,
		.frames = stack_node.frames,
		.unit = stretch->unit,
		.nr = stretch->nr,
		.kind = stretch->run ? SCOPE_ITEM_RUN : SCOPE_ITEM_WAIT,
		.class = stretch->class,
		.propagated = stretch->propagated,
		.task = stretch->task,
		.held = stretch->held,
		.silent = stretch->silent,
		.reference = !attributor->detection,
		.kernel = stretch->kernel,
		.sampling_ratio = (float)stretch->sampling_ratio,
		.inside = stretch->inside,
		.below = stack_node.below,
		.above = stack_node.above,
		.interpreter = stretch->interpreter,
	};
	int err = 0;

	if (stretch->unit != UINT32_MAX) {
		item.population = attributor->kept->population[stretch->unit];
		item.abnormal = scope_anomaly_mark_abnormal(attributor->kept->mark[stretch->unit]);
		if (attributor->kept->mark[stretch->unit] != SCOPE_UNIT_BETWEEN)
			err = add_item(attributor, &item);
	}
	/* Spinning threads and those that others wait for are judged by their snapshots alone. */
	if (err || stretch->interpreter)
		return err;
	for (size_t i = 0; stretch->run && i < attributor->hang_count; i++) {
		const struct scope_hang *hang = &attributor->hangs[i];

		if (hang->kind != SCOPE_HANG_SPIN || hang->thread != index || stretch->end_ns < hang->since_ns ||
		    stretch->begin_ns > hang->until_ns)
			continue;
		item.kind = SCOPE_ITEM_SPIN;
		item.unit = i;
		item.abnormal = true;
		err = add_item(attributor, &item);
	}
	if (!err && is_unknown(attributor, stack_node.node))
		note_nameless(attributor, index, stretch);
	/* A sleep that was propagated to another thread is attributed by the stacks of that thread. */
	return err || (stretch->propagated && !may_pass_on(stretch)) || is_unknown(attributor, stack_node.node)
		       ? err
		       : attribute_waits(attributor, index, stretch, stack_node);
}

/* True if another trace is the baseline of the unit's population. Then usual units of this trace do not count. */
static bool held_elsewhere(const struct scope_attributor *attributor, uint32_t unit)
{
	return attributor->detection && attributor->detection->population[attributor->kept->population[unit]].reference;
}

bool scope_evidence_attributor_wants(struct scope_attributor *attributor, uint32_t index,
				     const struct scope_stretch *stretch)
{
	size_t at = first_window(attributor, index, stretch->begin_ns);
	uint8_t mark = stretch->unit == UINT32_MAX ? SCOPE_UNIT_BETWEEN : attributor->kept->mark[stretch->unit];

	if (scope_anomaly_mark_abnormal(mark))
		return true;
	if (in_window(attributor, index, stretch->begin_ns, stretch->end_ns, &at))
		return true;
	for (size_t i = 0; i < attributor->hang_count; i++)
		if (attributor->hangs[i].kind == SCOPE_HANG_SPIN && attributor->hangs[i].thread == index)
			return true;
	if (mark != SCOPE_UNIT_USUAL || held_elsewhere(attributor, stretch->unit))
		return false;
	return attributor->normal_seen++ % attributor->normal_every == 0;
}

static int index_windows(struct scope_attributor *attributor)
{
	const struct scope_wait_chains *wait_chains = &attributor->kept->wait_chains;
	size_t threads = attributor->units->threads;

	attributor->window_first = calloc(threads + 2, sizeof(*attributor->window_first));
	if (!attributor->window_first)
		return -ENOMEM;
	for (size_t i = 0; i < wait_chains->windows; i++) {
		const struct scope_wait_segment *window = &wait_chains->window[i];
		uint64_t length = window->end_ns - window->begin_ns;

		attributor->window_first[window->thread + 1]++;
		if (length > attributor->window_longest_ns)
			attributor->window_longest_ns = length;
	}
	for (size_t i = 1; i <= threads; i++)
		attributor->window_first[i] += attributor->window_first[i - 1];
	return 0;
}

int scope_evidence_attributor_init(struct scope_attributor *attributor, uint64_t normal_every)
{
	int err;

	attributor->units = attributor->kept->units;
	attributor->normal_every = normal_every;
	attributor->nameless = calloc(attributor->units->count + 1, sizeof(*attributor->nameless));
	if (!attributor->nameless)
		return -ENOMEM;
	err = scope_evidence_lookup_units(attributor->units, &attributor->lookup);
	return err ? err : index_windows(attributor);
}

void scope_evidence_attributor_free(struct scope_attributor *attributor)
{
	scope_evidence_lookup_free(&attributor->lookup);
	free(attributor->window_first);
	free(attributor->nameless);
}
