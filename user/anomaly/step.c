// SPDX-License-Identifier: GPL-2.0-only
/* Finds the steps that each connection of a group takes once. */
#include "anomaly/step.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WORDS (SCOPE_DISTRIBUTIONS_CONNECTIONS / 64)

/* The connections that have units of some populations. */
struct connections {
	uint64_t connection[WORDS];
	uint64_t units;
	uint32_t number; /* of the population, or of its step */
	bool asks;	 /* they are requests */
};

static unsigned count(const struct connections *set)
{
	unsigned connections = 0;

	for (size_t i = 0; i < WORDS; i++)
		connections += (unsigned)__builtin_popcountll(set->connection[i]);
	return connections;
}

static unsigned count_both(const struct connections *a, const struct connections *b)
{
	unsigned connections = 0;

	for (size_t i = 0; i < WORDS; i++)
		connections += (unsigned)__builtin_popcountll(a->connection[i] & b->connection[i]);
	return connections;
}

static void add(struct connections *to, const struct connections *from)
{
	for (size_t i = 0; i < WORDS; i++)
		to->connection[i] |= from->connection[i];
	to->units += from->units;
}

/*
 * True if fewer connections have units of both than by chance, which is the hypergeometric distribution: b's would be drawn
 * from all, regardless of a's.
 */
static bool are_alternatives(const struct connections *a, const struct connections *b, double all,
			     const struct scope_step_options *options)
{
	const double share = count(a) / all, drawn = count(b);
	const double mean = drawn * share;
	const double spread = sqrt(mean * (1 - share) * (all - drawn) / (all - 1));

	return count_both(a, b) < mean - options->fewer_z * spread;
}

/*
 * True if nearly all connections have one, more evenly than by chance. By chance some would have none: as many as there
 * are empty boxes, of those that as many balls fell into (Feller, An Introduction to Probability Theory and Its
 * Applications, volume 1, chapter IV).
 */
static bool is_step(const struct connections *set, double all, const struct scope_step_options *options)
{
	const double without = all - count(set), each = (double)set->units / all;
	const double mean = all * exp(-each);
	const double spread = sqrt(mean * (1 - (1 + each) * exp(-each)));

	return without <= options->without * all && without < mean - options->fewer_z * spread;
}

static int compare_units(const void *left, const void *right)
{
	const struct connections *a = left, *b = right;

	if (a->units != b->units)
		return a->units < b->units ? 1 : -1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Joins populations, largest first, with those of their kind that are alternatives to them. */
static void join(const struct connections *set, uint32_t populations, unsigned connections, struct connections *step,
		 uint32_t *of, const struct scope_step_options *options)
{
	uint32_t steps = 0, i;

	for (uint32_t at = 0; at < populations; at++) {
		for (i = 0; i < steps && (step[i].asks != set[at].asks ||
					  !are_alternatives(&step[i], &set[at], connections, options));
		     i++)
			;
		if (i == steps)
			step[steps++] = set[at];
		else
			add(&step[i], &set[at]);
		of[set[at].number] = i;
	}
}

int scope_anomaly_steps_find(const struct scope_distributions_group *distributions, const uint32_t *of_vector,
			     uint32_t first, uint32_t populations, const struct scope_step_options *options,
			     uint32_t **ret_step)
{
	struct connections *set = calloc(2 * (size_t)populations + 1, sizeof(*set));
	uint32_t *of = calloc(populations + 1ul, sizeof(*of));
	struct connections all = { .units = 0 };
	unsigned connections;

	if (!set || !of) {
		free(set);
		free(of);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < populations; i++)
		set[i].number = i;
	for (size_t i = 0; i < distributions->rows; i++) {
		const struct scope_distributions_row *row = &distributions->row[i];
		struct connections *to = &set[of_vector[i] - first];

		for (size_t word = 0; word < WORDS; word++)
			to->connection[word] |= row->connection[word];
		to->units += row->connection_units;
		to->asks |= row->asked > 0;
	}
	for (uint32_t i = 0; i < populations; i++)
		add(&all, &set[i]);
	connections = count(&all);
	qsort(set, populations, sizeof(*set), compare_units);
	if (connections >= options->connections_min)
		join(set, populations, connections, set + populations, of, options);
	for (uint32_t i = 0; i < populations; i++)
		if (connections < options->connections_min || !is_step(&set[populations + of[i]], connections, options))
			of[i] = SCOPE_STEP_NONE;
	free(set);
	*ret_step = of;
	return 0;
}
