// SPDX-License-Identifier: GPL-2.0-only
/* Decides from the calls of the last seconds which of the next calls get a stack. */
#include "capture/focus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_NS 1000000000ull
#define BINS 128	   /* four bins for each doubling, from min_ns to more than a minute */
#define STEPS_MAX 16	   /* the most times that min_ns is doubled */
#define EVEN_SHARE 0.95	   /* the calls of a number take about the same time if this share of them … */
#define EVEN_BINS 1	   /* … is within this many bins of the fullest one, a quarter more or less */
#define EVEN_CALLS 50	   /* and there are at least this many a second */
#define FULL_SHARE 0.01	   /* if more than this share of stacks fill their slice, slices become longer */
#define ROOM_BYTES 1000000 /* with this many bytes of stacks a second samples do not become more frequent */
#define EXCESS 1.5	   /* if stacks have this many times the bytes for which there is room, slices become shorter */
#define SPARE 0.5	   /* min_ns is halved if stacks then take at most this share of the budget */
#define COST_SHARE 0.05	   /* share of the time between two samples that a sample may take */
#define COST_SAMPLES 5	   /* samples that are needed to know the time that one takes */

struct scope_focus {
	struct scope_focus_limits limits;
	struct scope_focus_choice choice;
	float rate[SCOPE_SYSCALL_MAX][BINS];	 /* calls a second; the latest periods have most weight */
	uint32_t count[SCOPE_SYSCALL_MAX][BINS]; /* of this period */
	uint64_t begin_ns, next_ns;		 /* begin of this period, and of the next */
	uint32_t stacks, full;			 /* of this period */
	uint64_t bytes;				 /* bytes of these stacks and samples */
	uint64_t sample_bytes;			 /* bytes of these samples */
	uint64_t samples, cost_ns;		 /* samples of traced threads and their cost since the start */
	uint64_t taken;				 /* samples of all threads since the start */
	uint64_t samples_before, taken_before;	 /* this period */
	bool lost;				 /* events were lost at some time */
	unsigned int step;			 /* min_ns is that of limits << step */
	bool seen;				 /* rate has the calls of a period */
};

int scope_capture_focus_create(const struct scope_focus_limits *limits, struct scope_focus **ret_focus)
{
	struct scope_focus *focus = calloc(1, sizeof(*focus));

	if (!focus)
		return -ENOMEM;
	focus->limits = *limits;
	focus->choice.on = !limits->learn_ns;
	focus->choice.min_ns = limits->min_ns;
	focus->choice.slice_bytes = limits->slice_bytes;
	focus->choice.period_ns = limits->period_ns;
	memcpy(focus->choice.syscalls, limits->syscalls, sizeof(limits->syscalls));
	*ret_focus = focus;
	return 0;
}

void scope_capture_focus_destroy(struct scope_focus *focus)
{
	free(focus);
}

static bool is_set(const uint8_t *bits, uint16_t nr)
{
	return bits[nr / 8] >> nr % 8 & 1;
}

/* The bin of a duration: about four times the binary logarithm of duration_ns / min_ns. */
static unsigned int bin_of(uint64_t duration_ns, uint32_t min_ns)
{
	uint64_t quarters = 4 * duration_ns / min_ns; /* is 4 or more */
	unsigned int top = 63 - (unsigned int)__builtin_clzll(quarters);
	unsigned int bin = 4 * (top - 2) + (unsigned int)(quarters >> (top - 2) & 3);

	return bin < BINS ? bin : BINS - 1;
}

void scope_capture_focus_call(struct scope_focus *focus, uint16_t nr, uint64_t duration_ns)
{
	if (nr >= SCOPE_SYSCALL_MAX || duration_ns < focus->limits.min_ns || duration_ns > UINT64_MAX / 4 ||
	    !is_set(focus->limits.syscalls, nr))
		return;
	focus->count[nr][bin_of(duration_ns, focus->limits.min_ns)]++;
}

void scope_capture_focus_stack(struct scope_focus *focus, uint32_t bytes, bool full)
{
	focus->stacks++;
	focus->bytes += bytes;
	focus->full += full;
}

void scope_capture_focus_sample(struct scope_focus *focus, uint32_t bytes, uint32_t cost_ns)
{
	focus->samples++;
	focus->cost_ns += cost_ns;
	focus->sample_bytes += bytes;
	scope_capture_focus_taken(focus, focus->samples);
}

void scope_capture_focus_taken(struct scope_focus *focus, uint64_t samples)
{
	if (samples > focus->taken)
		focus->taken = samples;
}

void scope_capture_focus_loss(struct scope_focus *focus)
{
	focus->lost = true;
}

/* Adds one period to the rates: the first one alone, later ones with a weight of one half. */
static void rates_age(struct scope_focus *focus, double seconds)
{
	float old = focus->seen ? 0.5f : 0, new = (float)((1 - old) / seconds);

	for (unsigned int nr = 0; nr < SCOPE_SYSCALL_MAX; nr++)
		for (unsigned int bin = 0; bin < BINS; bin++)
			focus->rate[nr][bin] = old * focus->rate[nr][bin] + new *(float)focus->count[nr][bin];
	memset(focus->count, 0, sizeof(focus->count));
	focus->seen = true;
}

/* Stacks a second of these calls at that step. */
static double rate_of(const struct scope_focus *focus, const uint8_t *syscalls, unsigned int step)
{
	double sum = 0;

	for (uint16_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++)
		for (unsigned int bin = 4 * step; is_set(syscalls, nr) && bin < BINS; bin++)
			sum += focus->rate[nr][bin];
	return sum;
}

/* True if nearly all calls of the number take about the same time. */
static bool is_even(const struct scope_focus *focus, uint16_t nr)
{
	const float *rate = focus->rate[nr];
	unsigned int fullest = 0;
	double all = 0, near = 0;

	for (unsigned int bin = 0; bin < BINS; bin++) {
		all += rate[bin];
		if (rate[bin] > rate[fullest])
			fullest = bin;
	}
	for (unsigned int bin = 0; bin < BINS; bin++)
		if (bin + EVEN_BINS >= fullest && bin <= fullest + EVEN_BINS)
			near += rate[bin];
	return all >= EVEN_CALLS && near >= EVEN_SHARE * all;
}

static void choose(struct scope_focus *focus)
{
	uint8_t *syscalls = focus->choice.syscalls;
	double budget = focus->limits.per_second;
	unsigned int step = 0;

	memcpy(syscalls, focus->limits.syscalls, sizeof(focus->limits.syscalls));
	if (rate_of(focus, syscalls, 0) > budget)
		for (uint16_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++)
			if (is_even(focus, nr))
				syscalls[nr / 8] &= (uint8_t) ~(1u << nr % 8);
	while (step < STEPS_MAX && rate_of(focus, syscalls, step) > budget)
		step++;
	if (step < focus->step) {
		step = focus->step;
		if (rate_of(focus, syscalls, step - 1) <= SPARE * budget)
			step--;
	}
	focus->step = step;
	focus->choice.min_ns = (uint32_t)((uint64_t)focus->limits.min_ns << step < UINT32_MAX
						  ? focus->limits.min_ns << step
						  : UINT32_MAX);
}

static void choose_slice(struct scope_focus *focus, double bytes)
{
	uint32_t *slice = &focus->choice.slice_bytes;

	if (focus->lost)
		*slice = focus->limits.slice_bytes;
	else if (bytes > EXCESS * focus->limits.slice_room && *slice / 2 >= focus->limits.slice_bytes)
		*slice /= 2;
	else if (focus->full > FULL_SHARE * focus->stacks)
		for (; 2 * bytes <= focus->limits.slice_room && *slice < focus->limits.slice_max; bytes *= 2)
			*slice = 2 * *slice < focus->limits.slice_max ? 2 * *slice : focus->limits.slice_max;
}

/*
 * True if a sample takes no more than its allowed share of the time between two samples; false if its time is not
 * known.
 */
static bool is_cheap(const struct scope_focus *focus, uint32_t period_ns)
{
	return focus->samples >= COST_SAMPLES && focus->cost_ns &&
	       (double)focus->cost_ns / (double)focus->samples <= COST_SHARE * period_ns;
}

/* Number of samples a second. */
struct volume {
	double traced, all; /* samples of traced threads; of all threads */
	double bytes;	    /* bytes of their stacks, of traced threads */
};

/* True if `times` times as many samples would be within the limits. */
static bool is_within(const struct scope_focus *focus, const struct volume *volume, double times)
{
	return times * volume->traced <= 1e9 / focus->limits.period_ns &&
	       times * volume->all <= focus->limits.samples_per_second && times * volume->bytes <= ROOM_BYTES;
}

static void choose_period(struct scope_focus *focus, const struct volume *volume)
{
	const uint32_t first = focus->limits.period_ns, before = focus->choice.period_ns;
	uint32_t period = before;

	while (period < first &&
	       (!is_within(focus, volume, (double)before / period / EXCESS) || !is_cheap(focus, period)))
		period = period < first / 2 ? 2 * period : first;
	while (period <= before && period / 2 >= focus->limits.period_min_ns &&
	       is_within(focus, volume, 2.0 * before / period) && is_cheap(focus, period / 2))
		period /= 2;
	focus->choice.period_ns = focus->lost ? first : period;
}

/*
 * The size of slices is chosen as if samples came with the first period, so that the order in which slices and rates
 * grow has no effect.
 */
static void choose_volume(struct scope_focus *focus, double seconds)
{
	const struct volume volume = {
		.traced = (double)(focus->samples - focus->samples_before) / seconds,
		.all = (double)(focus->taken - focus->taken_before) / seconds,
		.bytes = (double)focus->sample_bytes / seconds,
	};
	double bytes = (double)focus->bytes / seconds;

	if (focus->choice.period_ns) {
		bytes -= volume.bytes * (1 - (double)focus->choice.period_ns / focus->limits.period_ns);
		choose_period(focus, &volume);
	}
	choose_slice(focus, bytes);
	focus->stacks = focus->full = 0;
	focus->bytes = focus->sample_bytes = 0;
	focus->samples_before = focus->samples;
	focus->taken_before = focus->taken;
}

static bool same_choice(const struct scope_focus_choice *a, const struct scope_focus_choice *b)
{
	return a->on == b->on && a->min_ns == b->min_ns && a->slice_bytes == b->slice_bytes &&
	       a->period_ns == b->period_ns && !memcmp(a->syscalls, b->syscalls, sizeof(a->syscalls));
}

struct scope_focus_choice scope_capture_focus_first(const struct scope_focus *focus)
{
	return focus->choice;
}

void scope_capture_focus_begin(struct scope_focus *focus, uint64_t now_ns)
{
	focus->begin_ns = now_ns;
	focus->next_ns = now_ns + (focus->limits.learn_ns ? focus->limits.learn_ns : PERIOD_NS);
}

bool scope_capture_focus_decide(struct scope_focus *focus, uint64_t now_ns, struct scope_focus_choice *ret_choice)
{
	struct scope_focus_choice before = focus->choice;

	if (now_ns < focus->next_ns)
		return false;
	rates_age(focus, (double)(now_ns - focus->begin_ns) / 1e9);
	choose_volume(focus, (double)(now_ns - focus->begin_ns) / 1e9);
	focus->begin_ns = now_ns;
	focus->next_ns = now_ns + PERIOD_NS;
	choose(focus);
	focus->choice.on = true;
	if (same_choice(&before, &focus->choice))
		return false;
	*ret_choice = focus->choice;
	return true;
}
