// SPDX-License-Identifier: GPL-2.0-only
/* Lays the stacks of a trace on units, windows of blame and hangs: one more pass over it. */
#include "evidence/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "evidence/lookup.h"
#include "evidence/spot.h"
#include "symbol/namesake.h"

#define NORMAL_STACKS 20000 /* of normal units, about so many are unwound */

/* What the pass knows of one thread. */
struct track {
	uint64_t slept_ns;	  /* inside the call that has just returned, or is open */
	struct scope_wait wait;	  /* the last sleep of it */
	uint64_t enter_ns, exit_ns; /* of the call that has just returned */
	uint16_t nr;		  /* the call that has just returned */
	bool fresh_state;	  /* the last event was a STATE: a chain belongs to it */
	struct scope_record_state state;
	uint64_t reg[SCOPE_REG_MAX]; /* at the last STATE that had registers */
	unsigned regs;
};

struct collector {
	const struct scope_kept *kept;
	const struct scope_units *units; /* of kept */
	struct scope_lookup lookup;
	const struct scope_detection *detection; /* NULL: units of a reference */
	const struct scope_hang *hangs;
	size_t hang_count;
	struct scope_spotter spotter;
	struct scope_evidence *evidence;
	struct scope_timeline *timeline; /* of this pass */
	size_t *window_first;		 /* per thread its first window; one more than threads */
	uint64_t window_longest_ns;
	double sample_ns;
	uint64_t normal_every, normal_seen;
	struct track *track;
	size_t tracks, track_capacity;
};

static struct track *get_track(struct collector *collector, uint32_t thread)
{
	if (scope_grow(&collector->track, &collector->track_capacity, thread + 1,
		       sizeof(*collector->track)))
		return NULL;
	while (collector->tracks <= thread)
		memset(&collector->track[collector->tracks++], 0, sizeof(*collector->track));
	return &collector->track[thread];
}

static int spot_of_event(struct collector *collector, uint32_t index,
			 const struct scope_event *event, struct scope_spot *ret_spot)
{
	uint32_t tgid = scope_threads_at(collector->timeline->threads, index)->tgid;

	if (event->stack.ips) {
		collector->evidence->stacks++;
		collector->evidence->complete++;
		return scope_spot_chain(&collector->spotter, tgid, event->stack.ip, event->stack.ips,
					SCOPE_UNWIND_COMPLETE, ret_spot);
	}
	return scope_spot_stack(&collector->spotter, tgid, event->stack.reg, event->stack.regs,
				event->stack.data, event->stack.bytes, ret_spot);
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

static int collect_stack(void *user, uint32_t index, const struct scope_event *event)
{
	struct collector *collector = user;
	struct track *track = get_track(collector, index);
	struct stretch stretch = {
		.begin_ns = event->time_ns,
		.end_ns = event->time_ns,
		.sample = event->stack.reason == SCOPE_STACK_SAMPLE,
		.kernel = event->flags & SCOPE_STACK_IN_KERNEL,
	};
	struct scope_spot spot;
	int err;

	if (!track)
		return -ENOMEM;
	if (track->fresh_state) {
		track->fresh_state = false;
		if (!collector->detection)
			return 0;
		err = spot_of_event(collector, index, event, &spot);
		if (!err && index < collector->units->threads) {
			collector->evidence->standing[index].node = spot.node;
			collector->evidence->standing[index].trail = spot.trail;
		}
		return err;
	}
	if (stretch.sample) {
		stretch.weight_ns = collector->sample_ns;
		stretch.unit = scope_lookup_unit_at(&collector->lookup, collector->units, index,
						    event->time_ns);
	} else {
		stretch.begin_ns = track->enter_ns;
		stretch.end_ns = track->exit_ns;
		stretch.weight_ns = track->slept_ns;
		stretch.nr = track->nr;
		stretch.class = track->wait.class;
		stretch.unit = scope_lookup_unit_at(&collector->lookup, collector->units, index,
						    track->enter_ns);
		stretch.passed = track->slept_ns &&
				 scope_blame_passes(collector->timeline->threads,
						    &track->wait) >= 0;
		/* A pick-up: it returned into the unit behind it. */
		if (stretch.unit != UINT32_MAX &&
		    collector->units->unit[stretch.unit].end_ns < track->exit_ns)
			stretch.unit = UINT32_MAX;
		if (!track->slept_ns)
			return 0;
	}
	if (!wanted(collector, index, &stretch))
		return 0;
	err = spot_of_event(collector, index, event, &spot);
	return err ? err : lay(collector, index, &stretch, spot);
}

static int collect_enter(void *user, uint32_t index, const struct scope_open_call *call)
{
	struct track *track = get_track(user, index);

	(void)call;
	if (!track)
		return -ENOMEM;
	track->slept_ns = 0;
	track->fresh_state = false;
	return 0;
}

static int collect_exit(void *user, uint32_t index, const struct scope_open_call *call, int64_t ret,
			uint64_t exit_ns)
{
	struct track *track = get_track(user, index);

	(void)ret;
	if (!track)
		return -ENOMEM;
	track->enter_ns = call->enter_ns;
	track->exit_ns = exit_ns;
	track->nr = call->nr;
	track->fresh_state = false;
	return 0;
}

static int collect_wait(void *user, const struct scope_wait *wait)
{
	struct track *track = get_track(user, wait->thread);

	if (!track)
		return -ENOMEM;
	track->slept_ns += wait->wake_ns - wait->begin_ns;
	track->wait = *wait;
	return 0;
}

static int collect_state(void *user, uint32_t index, const struct scope_event *event)
{
	struct track *track = get_track(user, index);

	if (!track)
		return -ENOMEM;
	track->fresh_state = true;
	track->state = *event->state.record;
	if (track->state.regs && track->state.regs <= SCOPE_REG_MAX) {
		track->regs = track->state.regs;
		memcpy(track->reg, event->state.reg, track->regs * sizeof(*track->reg));
	}
	return 0;
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
static int unwind_standing(struct collector *collector, const struct scope_trace *trace)
{
	struct scope_tree *tree = &collector->evidence->tree;

	for (size_t i = 0; i < collector->tracks && i < collector->units->threads; i++) {
		const struct scope_thread *thread =
			scope_threads_at(collector->timeline->threads, i);
		struct track *track = &collector->track[i];
		struct scope_standing *standing = &collector->evidence->standing[i];
		const struct scope_trace_memory *memory = NULL;
		struct scope_spot spot = { standing->node, standing->trail };
		uint32_t node;
		int err;

		if (track->regs)
			memory = find_memory(trace, thread->tid,
					     track->reg[stack_pointer_index(track->regs)]);
		if (memory) {
			err = scope_spot_stack(&collector->spotter, thread->tgid, track->reg,
					       track->regs, memory->data, memory->bytes, &spot);
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

static int run(struct collector *collector, struct scope_trace *trace)
{
	static const struct scope_timeline_ops ops = {
		.enter = collect_enter,
		.exit = collect_exit,
		.wait = collect_wait,
		.stack = collect_stack,
		.state = collect_state,
	};
	int err = index_windows(collector);

	collector->sample_ns = scope_trace_meta_number(trace, SCOPE_META_SAMPLE_NS, 1000000);
	collector->normal_every = 1 + collector->units->stacks / NORMAL_STACKS;
	if (!err)
		err = scope_lookup_units(collector->units, &collector->lookup);
	if (!err)
		err = scope_timeline_create(trace, &collector->timeline);
	if (!err)
		err = scope_timeline_run(collector->timeline, trace, &ops, collector);
	if (!err && collector->detection)
		err = unwind_standing(collector, trace);
	scope_timeline_destroy(collector->timeline);
	scope_lookup_free(&collector->lookup);
	free(collector->track);
	free(collector->window_first);
	return err;
}

int scope_collect_items(const struct scope_evidence_source *source,
			const struct scope_detection *detection, const struct scope_hang *hangs,
			size_t hang_count, struct scope_evidence *evidence)
{
	struct collector collector = {
		.kept = source->kept,
		.units = source->kept->units,
		.detection = detection,
		.hangs = hangs,
		.hang_count = hang_count,
		.spotter = { .symbols = source->symbols, .evidence = evidence },
		.evidence = evidence,
	};

	return run(&collector, source->trace);
}

int scope_collect_reference(const struct scope_evidence_source *reference,
			    const struct scope_symbols *symbols, struct scope_evidence *evidence)
{
	struct scope_namesakes *namesakes;
	struct collector collector = {
		.kept = reference->kept,
		.units = reference->kept->units,
		.spotter = { .symbols = reference->symbols, .evidence = evidence },
		.evidence = evidence,
	};
	int err = scope_namesakes_create(symbols, &namesakes);

	if (err)
		return err;
	collector.spotter.namesakes = namesakes;
	err = run(&collector, reference->trace);
	scope_namesakes_destroy(namesakes);
	return err;
}
