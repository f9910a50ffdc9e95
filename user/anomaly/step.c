// SPDX-License-Identifier: GPL-2.0-only
/* Finds the steps that each thread of a group takes once. */
#include "anomaly/step.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WORDS (SCOPE_DISTRIBUTIONS_THREADS / 64)

/* The threads that have units of some populations. */
struct crowd {
	uint64_t thread[WORDS];
	uint64_t units;
	uint32_t number; /* of the population, or of its step */
};

static unsigned count(const struct crowd *crowd)
{
	unsigned threads = 0;

	for (size_t i = 0; i < WORDS; i++)
		threads += (unsigned)__builtin_popcountll(crowd->thread[i]);
	return threads;
}

static unsigned count_both(const struct crowd *a, const struct crowd *b)
{
	unsigned threads = 0;

	for (size_t i = 0; i < WORDS; i++)
		threads += (unsigned)__builtin_popcountll(a->thread[i] & b->thread[i]);
	return threads;
}

static void add(struct crowd *to, const struct crowd *from)
{
	for (size_t i = 0; i < WORDS; i++)
		to->thread[i] |= from->thread[i];
	to->units += from->units;
}

/*
 * True if fewer threads have units of both than by chance, which is the hypergeometric distribution: b's threads would be
 * drawn from all regardless of a's.
 */
static bool are_alternatives(const struct crowd *a, const struct crowd *b, double threads,
			     const struct scope_step_options *options)
{
	const double share = count(a) / threads, drawn = count(b);
	const double mean = drawn * share;
	const double spread = sqrt(mean * (1 - share) * (threads - drawn) / (threads - 1));

	return count_both(a, b) < mean - options->fewer_z * spread;
}

/*
 * True if nearly all threads have one, more evenly than by chance. By chance some would have none: as many as there are
 * empty boxes of those that as many balls fell into (Feller, An Introduction to Probability Theory and Its
 * Applications, volume 1, chapter IV).
 */
static bool is_step(const struct crowd *crowd, double threads, const struct scope_step_options *options)
{
	const double without = threads - count(crowd), each = (double)crowd->units / threads;
	const double mean = threads * exp(-each);
	const double spread = sqrt(mean * (1 - (1 + each) * exp(-each)));

	return without <= options->without * threads && without < mean - options->fewer_z * spread;
}

static int compare_crowds(const void *left, const void *right)
{
	const struct crowd *a = left, *b = right;

	if (a->units != b->units)
		return a->units < b->units ? 1 : -1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Puts populations, largest first, together with others that they are alternatives of. */
static void join(const struct crowd *crowd, uint32_t populations, unsigned threads, struct crowd *step, uint32_t *of,
		 const struct scope_step_options *options)
{
	uint32_t steps = 0, i;

	for (uint32_t at = 0; at < populations; at++) {
		for (i = 0; i < steps && !are_alternatives(&step[i], &crowd[at], threads, options); i++)
			;
		if (i == steps)
			step[steps++] = crowd[at];
		else
			add(&step[i], &crowd[at]);
		of[crowd[at].number] = i;
	}
}

int scope_anomaly_steps_find(const struct scope_distributions_group *distributions, const uint32_t *of_vector,
			     uint32_t first, uint32_t populations, const struct scope_step_options *options,
			     uint32_t **ret_step)
{
	struct crowd *crowd = calloc(2 * (size_t)populations + 1, sizeof(*crowd));
	uint32_t *of = calloc(populations + 1ul, sizeof(*of));
	struct crowd all = { { 0 }, 0, 0 };
	unsigned threads;

	if (!crowd || !of) {
		free(crowd);
		free(of);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < populations; i++)
		crowd[i].number = i;
	for (size_t i = 0; i < distributions->rows; i++) {
		const struct scope_distributions_row *row = &distributions->row[i];
		struct crowd *to = &crowd[of_vector[i] - first];

		for (size_t word = 0; word < WORDS; word++)
			to->thread[word] |= row->thread[word];
		to->units += row->thread_units;
	}
	for (uint32_t i = 0; i < populations; i++)
		add(&all, &crowd[i]);
	threads = count(&all);
	qsort(crowd, populations, sizeof(*crowd), compare_crowds);
	if (threads >= options->threads_min)
		join(crowd, populations, threads, crowd + populations, of, options);
	for (uint32_t i = 0; i < populations; i++)
		if (threads < options->threads_min || !is_step(&crowd[populations + of[i]], threads, options))
			of[i] = SCOPE_STEP_NONE;
	free(crowd);
	*ret_step = of;
	return 0;
}
