// SPDX-License-Identifier: GPL-2.0-only
/* Lays the stacks of a trace on units, windows of blame and hangs. */
#include "evidence/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "evidence/lookup.h"
#include "evidence/spot.h"
#include "symbol/namesake.h"

#define NORMAL_STACKS 20000 /* of normal units, about so many are unwound */

struct collector {
	const struct scope_kept *kept;
	const struct scope_units *units; /* of kept */
	struct scope_lookup lookup;
	const struct scope_detection *detection; /* NULL: units of a reference */
	const struct scope_hang *hangs;
	size_t hang_count;
	struct scope_spotter spotter;
	struct scope_evidence *evidence;
	struct scope_trace *trace;
	size_t *window_first;		 /* per thread its first window; one more than threads */
	uint64_t window_longest_ns;
	double sample_ns;
	uint64_t normal_every, normal_seen;
};

static int spot_of(struct collector *collector, const struct scope_logged_stack *logged,
		   struct scope_spot *ret_spot)
{
	struct scope_event event = {.stack = {
		.ips = logged->ips, .regs = logged->regs, .bytes = logged->bytes,
	}};
	int err = scope_trace_stack_at(collector->trace, &logged->place, &event);

	if (err)
		return err;
	if (event.stack.ips) {
		collector->evidence->stacks++;
		collector->evidence->complete++;
		return scope_spot_chain(&collector->spotter, logged->tgid, event.stack.ip,
					event.stack.ips, SCOPE_UNWIND_COMPLETE, ret_spot);
	}
	return scope_spot_stack(&collector->spotter, logged->tgid, event.stack.reg,
				event.stack.regs, event.stack.data, event.stack.bytes, ret_spot);
}

static int add_item(struct collector *collector, const struct scope_item *item)
{
	struct scope_evidence *evidence = collector->evidence;

	if (scope_grow(&evidence->item, &evidence->item_capacity, evidence->items + 1,
		       sizeof(*item)))
		return -ENOMEM;
	evidence->item[evidence->items++] = *item;
	return 0;
}

/* Is there an abnormal unit that waited for this thread between begin and end? */
static bool in_window(const struct collector *collector, uint32_t index, uint64_t begin_ns,
		      uint64_t end_ns, size_t *at)
{
	const struct scope_blame *blame = &collector->kept->blame;
	size_t end = index < collector->units->threads ? collector->window_first[index + 1] : 0;

	for (; *at < end; ++*at) {
		const struct scope_window *window = &blame->window[*at];

		if (window->begin_ns > end_ns)
			return false;
		if (window->end_ns >= begin_ns)
			return true;
	}
	return false;
}

static size_t first_window(const struct collector *collector, uint32_t index, uint64_t begin_ns)
{
	const struct scope_blame *blame = &collector->kept->blame;
	size_t low, high;

	if (index >= collector->units->threads)
		return SIZE_MAX;
	low = collector->window_first[index];
	high = collector->window_first[index + 1];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (blame->window[middle].begin_ns + collector->window_longest_ns < begin_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* One stack that stands for what the thread did from begin to end, laid wherever it counts. */
struct stretch {
	uint64_t begin_ns, end_ns;
	double weight_ns;
	bool sample, kernel;
	bool passed;
	uint8_t class;
	uint16_t nr;
	uint32_t unit; /* UINT32_MAX: none that counts */
};

static int lay_blame(struct collector *collector, uint32_t index, const struct stretch *stretch,
		     struct scope_spot spot)
{
	size_t at = first_window(collector, index, stretch->begin_ns);

	for (; in_window(collector, index, stretch->begin_ns, stretch->end_ns, &at); at++) {
		const struct scope_window *window = &collector->kept->blame.window[at];
		uint64_t begin = window->begin_ns > stretch->begin_ns ? window->begin_ns
								      : stretch->begin_ns;
		uint64_t end = window->end_ns < stretch->end_ns ? window->end_ns : stretch->end_ns;
		struct scope_item item = {
			.time_ns = stretch->end_ns,
			.weight_ns = stretch->sample ? stretch->weight_ns : (double)(end - begin),
			.node = spot.node,
			.trail = spot.trail,
			.unit = window->unit,
			.population = collector->kept->population[window->unit],
			.nr = window->nr,
			.lock = window->lock,
			.kind = SCOPE_ITEM_BLAME,
			.abnormal = true,
		};
		int err = item.weight_ns > 0 ? add_item(collector, &item) : 0;

		if (err)
			return err;
	}
	return 0;
}

static int lay(struct collector *collector, uint32_t index, const struct stretch *stretch,
	       struct scope_spot spot)
{
	struct scope_item item = {
		.time_ns = stretch->end_ns,
		.weight_ns = stretch->weight_ns,
		.node = spot.node,
		.trail = spot.trail,
		.unit = stretch->unit,
		.nr = stretch->nr,
		.kind = stretch->sample ? SCOPE_ITEM_RUN : SCOPE_ITEM_WAIT,
		.class = stretch->class,
		.passed = stretch->passed,
		.kernel = stretch->kernel,
	};
	int err = 0;

	if (stretch->unit != UINT32_MAX) {
		item.population = collector->kept->population[stretch->unit];
		item.abnormal = scope_mark_abnormal(collector->kept->mark[stretch->unit]);
		if (collector->kept->mark[stretch->unit] != SCOPE_UNIT_BETWEEN)
			err = add_item(collector, &item);
	}
	if (err)
		return err;
	for (size_t i = 0; stretch->sample && i < collector->hang_count; i++) {
		const struct scope_hang *hang = &collector->hangs[i];

		if (hang->kind != SCOPE_HANG_SPIN || hang->thread != index ||
		    stretch->end_ns < hang->since_ns)
			continue;
		item.kind = SCOPE_ITEM_SPIN;
		item.unit = i;
		item.abnormal = true;
		err = add_item(collector, &item);
	}
	/* A sleep that was itself passed on is told by the thread it was passed to. */
	return err || stretch->passed ? err : lay_blame(collector, index, stretch, spot);
}

/* Is another trace the norm for the unit's population? Then its own usual units are none. */
static bool held_elsewhere(const struct collector *collector, uint32_t unit)
{
	return collector->detection &&
	       collector->detection->population[collector->kept->population[unit]].reference;
}

static bool wanted(struct collector *collector, uint32_t index, const struct stretch *stretch)
{
	size_t at = first_window(collector, index, stretch->begin_ns);
	uint8_t mark = stretch->unit == UINT32_MAX ? SCOPE_UNIT_BETWEEN
						   : collector->kept->mark[stretch->unit];

	if (scope_mark_abnormal(mark))
		return true;
	if (in_window(collector, index, stretch->begin_ns, stretch->end_ns, &at))
		return true;
	for (size_t i = 0; i < collector->hang_count; i++)
		if (collector->hangs[i].kind == SCOPE_HANG_SPIN &&
		    collector->hangs[i].thread == index)
			return true;
	if (mark != SCOPE_UNIT_USUAL || held_elsewhere(collector, stretch->unit))
		return false;
	return collector->normal_seen++ % collector->normal_every == 0;
}

static int collect_standing(struct collector *collector, const struct scope_logged_stack *logged)
{
	const uint32_t index = logged->stack.thread;
	struct scope_spot spot;
	int err;

	if (!collector->detection)
		return 0;
	err = spot_of(collector, logged, &spot);
	if (!err && index < collector->units->threads) {
		collector->evidence->standing[index].node = spot.node;
		collector->evidence->standing[index].trail = spot.trail;
	}
	return err;
}

static struct stretch sample_stretch(const struct collector *collector,
				     const struct scope_logged_stack *logged)
{
	return (struct stretch){
		.begin_ns = logged->time_ns,
		.end_ns = logged->time_ns,
		.weight_ns = collector->sample_ns,
		.sample = true,
		.kernel = logged->flags & SCOPE_STACK_IN_KERNEL,
		.unit = scope_lookup_unit_at(&collector->lookup, collector->units,
					     logged->stack.thread, logged->time_ns),
	};
}

static struct stretch sleep_stretch(const struct collector *collector,
				    const struct scope_logged_stack *logged)
{
	const struct scope_unit_stack *stack = &logged->stack;
	struct stretch stretch = {
		.begin_ns = stack->enter_ns,
		.end_ns = stack->exit_ns,
		.weight_ns = stack->slept_ns,
		.kernel = logged->flags & SCOPE_STACK_IN_KERNEL,
		.passed = stack->passed,
		.class = stack->class,
		.nr = stack->nr,
		.unit = scope_lookup_unit_at(&collector->lookup, collector->units, stack->thread,
					     stack->enter_ns),
	};

	/* A pick-up: it returned into the unit behind it. */
	if (stretch.unit != UINT32_MAX &&
	    collector->units->unit[stretch.unit].end_ns < stack->exit_ns)
		stretch.unit = UINT32_MAX;
	return stretch;
}

static int collect_stack(void *user, const struct scope_logged_stack *logged)
{
	struct collector *collector = user;
	struct stretch stretch;
	struct scope_spot spot;
	int err;

	if (logged->stack.standing)
		return collect_standing(collector, logged);
	stretch = logged->reason == SCOPE_STACK_SAMPLE ? sample_stretch(collector, logged)
						       : sleep_stretch(collector, logged);
	if (!wanted(collector, logged->stack.thread, &stretch))
		return 0;
	err = spot_of(collector, logged, &spot);
	return err ? err : lay(collector, logged->stack.thread, &stretch, spot);
}

static const struct scope_trace_memory *find_memory(const struct scope_trace *trace, uint32_t tid,
						    uint64_t address)
{
	size_t count;
	const struct scope_trace_memory *row = scope_trace_memories(trace, &count);

	/* The latest copy is the one that goes with the latest registers. */
	while (count--)
		if (row[count].tid == tid && row[count].address == address)
			return &row[count];
	return NULL;
}

static unsigned stack_pointer_index(unsigned regs)
{
	return regs == SCOPE_REG_COUNT_X86_64 ? 7 : 31;
}

/* Stacks of threads as they stood, from their registers and the copied memory. */
static int unwind_standing(struct collector *collector)
{
	const struct scope_units *units = collector->units;
	struct scope_tree *tree = &collector->evidence->tree;

	for (size_t i = 0; i < units->threads; i++) {
		const struct scope_thread *thread = scope_threads_at(units->timeline->threads, i);
		const struct scope_logged_state *state =
			scope_unit_log_state_of(collector->kept->log, i);
		struct scope_standing *standing = &collector->evidence->standing[i];
		const struct scope_trace_memory *memory = NULL;
		struct scope_spot spot = { standing->node, standing->trail };
		uint32_t node;
		int err;

		if (state)
			memory = find_memory(collector->trace, thread->tid,
					     state->reg[stack_pointer_index(state->regs)]);
		if (memory) {
			err = scope_spot_stack(&collector->spotter, thread->tgid, state->reg,
					       state->regs, memory->data, memory->bytes, &spot);
			if (err)
				return err;
			standing->node = spot.node;
			standing->trail = spot.trail;
		}
		for (node = standing->node; node; node = tree->node[node].parent)
			standing->start = tree->node[node].function;
	}
	return 0;
}

static int index_windows(struct collector *collector)
{
	const struct scope_blame *blame = &collector->kept->blame;
	size_t threads = collector->units->threads;

	collector->window_first = calloc(threads + 2, sizeof(*collector->window_first));
	if (!collector->window_first)
		return -ENOMEM;
	for (size_t i = 0; i < blame->windows; i++) {
		const struct scope_window *window = &blame->window[i];
		uint64_t length = window->end_ns - window->begin_ns;

		collector->window_first[window->thread + 1]++;
		if (length > collector->window_longest_ns)
			collector->window_longest_ns = length;
	}
	for (size_t i = 1; i <= threads; i++)
		collector->window_first[i] += collector->window_first[i - 1];
	return 0;
}

static int run(struct collector *collector)
{
	int err = index_windows(collector);

	collector->sample_ns = scope_trace_meta_number(collector->trace, SCOPE_META_SAMPLE_NS, 1000000);
	collector->normal_every = 1 + collector->units->stacks / NORMAL_STACKS;
	if (!err)
		err = scope_lookup_units(collector->units, &collector->lookup);
	if (!err)
		err = scope_unit_log_stacks(collector->kept->log, collect_stack, collector);
	if (!err && collector->detection)
		err = unwind_standing(collector);
	scope_lookup_free(&collector->lookup);
	free(collector->window_first);
	return err;
}

int scope_collect_items(const struct scope_evidence_source *source,
			const struct scope_detection *detection, const struct scope_hang *hangs,
			size_t hang_count, struct scope_evidence *evidence)
{
	struct collector collector = {
		.trace = source->trace,
		.kept = source->kept,
		.units = source->kept->units,
		.detection = detection,
		.hangs = hangs,
		.hang_count = hang_count,
		.spotter = { .symbols = source->symbols, .evidence = evidence },
		.evidence = evidence,
	};

	return run(&collector);
}

int scope_collect_reference(const struct scope_evidence_source *reference,
			    const struct scope_symbols *symbols, struct scope_evidence *evidence)
{
	struct scope_namesakes *namesakes;
	struct collector collector = {
		.trace = reference->trace,
		.kept = reference->kept,
		.units = reference->kept->units,
		.spotter = { .symbols = reference->symbols, .evidence = evidence },
		.evidence = evidence,
	};
	int err = scope_namesakes_create(symbols, &namesakes);

	if (err)
		return err;
	collector.spotter.namesakes = namesakes;
	err = run(&collector);
	scope_namesakes_destroy(namesakes);
	return err;
}
