// SPDX-License-Identifier: GPL-2.0-only
/* Carries the choice of stacks from focus.c to the source. */
#include "capture/steer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/defaults.h"
#include "capture/focus_feed.h"
#include "control/probe.h"

#define SLICES_MIN 4 /* a sub-buffer should have room for this many of the longest stacks */

struct scope_steer {
	const struct scope_source *source;
	void *feed;
	const struct scope_capture_options *options;
	struct scope_focus *focus;
	struct scope_focus_feed *calls; /* for focus */
	uint32_t highest_ns, period_ns;
};

static int apply(struct scope_steer *steer, const struct scope_focus_choice *choice)
{
	const struct scope_capture_options *options = steer->options;
	int err;
	/* Longer stacks allow fewer at a time, because the size of the rings does not change. */
	uint32_t most = (uint32_t)((uint64_t)options->stacks_per_second * options->stack_bytes / choice->slice_bytes);
	const struct scope_stack_change change = {
		.min_given = true,
		.min_ns = choice->on ? choice->min_ns : UINT32_MAX,
		.period_given = true,
		.sample_period_ns = choice->on ? choice->period_ns : 0,
		.syscalls = choice->syscalls,
		.slice_bytes = choice->slice_bytes,
		.per_second = most ? most : 1,
	};

	if (choice->on && choice->min_ns > steer->highest_ns)
		steer->highest_ns = choice->min_ns;
	err = steer->source->stacks(steer->feed, &change, NULL);
	if (!err && choice->on)
		steer->period_ns = choice->period_ns;
	return err;
}

/* There is a first period without stacks only if enough time is left after it. */
static uint64_t learn_ns(const struct scope_capture_options *options)
{
	if (options->held || (options->duration_ns && options->duration_ns < SCOPE_DEFAULT_LEARN_OF_NS))
		return 0;
	return SCOPE_DEFAULT_LEARN_NS;
}

/* Half of the sum of the limits of all CPUs, because not all are equally busy. */
static uint32_t budget(const struct scope_capture_options *options)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (options->stack_budget != SCOPE_STACK_BUDGET_DEFAULT)
		return options->stack_budget;
	return (uint32_t)((cpus > 0 ? cpus : 1) * options->stacks_per_second / 2);
}

int scope_capture_steer_create(const struct scope_source *source, void *feed,
			       const struct scope_capture_options *options, struct scope_error *error,
			       struct scope_steer **ret_steer)
{
	struct scope_focus_limits limits = {
		.learn_ns = source->stacks_always ? 0 : learn_ns(options),
		.min_ns = options->stack_min_ns,
		.per_second = budget(options),
		.slice_bytes = options->stack_bytes,
		.slice_max = options->stack_bytes == SCOPE_DEFAULT_STACK_BYTES &&
					     options->stack_mode >= SCOPE_STACK_COPY &&
					     SLICES_MIN * source->slice_max <= options->subbuf_bytes
				     ? source->slice_max
				     : options->stack_bytes,
		.slice_room = source->slice_room,
		.period_ns = options->sample_period_ns,
		.period_min_ns = options->sample_period_min_ns,
		.samples_per_second = SCOPE_DEFAULT_SAMPLES_PER_SECOND,
	};
	struct scope_focus_choice choice;
	struct scope_steer *steer;
	int err;

	if (!source->stacks || options->stack_mode == SCOPE_STACK_NONE || !options->stack_min_ns ||
	    !limits.per_second) {
		*ret_steer = NULL;
		return 0;
	}
	steer = calloc(1, sizeof(*steer));
	if (!steer)
		return scope_error_set(error, -ENOMEM, "no memory left to begin tracing");
	*steer = (struct scope_steer){
		.source = source, .feed = feed, .options = options, .period_ns = options->sample_period_ns
	};
	memcpy(limits.syscalls, options->stack_syscalls, sizeof(limits.syscalls));
	err = scope_capture_focus_create(&limits, &steer->focus);
	if (!err)
		err = scope_capture_focus_feed_create(steer->focus, limits.min_ns, &steer->calls);
	if (err) {
		scope_capture_steer_destroy(steer);
		return scope_error_set(error, err, "no memory left to begin tracing");
	}
	choice = scope_capture_focus_first(steer->focus);
	/* An older module cannot change this: then every slow call has a stack, as configured. */
	if (apply(steer, &choice)) {
		scope_capture_steer_destroy(steer);
		steer = NULL;
	}
	*ret_steer = steer;
	return 0;
}

void scope_capture_steer_destroy(struct scope_steer *steer)
{
	if (!steer)
		return;
	scope_capture_focus_feed_destroy(steer->calls);
	scope_capture_focus_destroy(steer->focus);
	free(steer);
}

void scope_capture_steer_begin(struct scope_steer *steer, uint64_t now_ns)
{
	if (steer)
		scope_capture_focus_begin(steer->focus, now_ns);
}

void scope_capture_steer_take(struct scope_steer *steer, const struct scope_subbuf *subbuf)
{
	if (steer)
		scope_capture_focus_feed_take(steer->calls, subbuf);
}

void scope_capture_steer_update(struct scope_steer *steer, uint64_t now_ns)
{
	struct scope_focus_choice choice;

	if (!steer)
		return;
	if (steer->source->samples)
		scope_capture_focus_taken(steer->focus, steer->source->samples(steer->feed));
	if (scope_capture_focus_decide(steer->focus, now_ns, &choice))
		apply(steer, &choice);
}

uint32_t scope_capture_steer_highest_ns(const struct scope_steer *steer)
{
	return steer ? steer->highest_ns : 0;
}

uint32_t scope_capture_steer_period_ns(const struct scope_steer *steer)
{
	return steer ? steer->period_ns : 0;
}
