// SPDX-License-Identifier: GPL-2.0-only
/* Finds the time from which units take longer, which splits a window into before and after. */
#include "analysis/change_point.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PART_MIN 0.1 /* of the window, before and after; of a long one less: */
#define PART_MIN_NS 5000000000
#define UNITS_MIN 20 /* in each of the four halves */
#define SLOW_TIMES 2 /* the median of before */

/* If as many units as before take usual time, but more of the others: times the median that these take. */
static const double tail_times[] = { 8, 32, 128 };

struct sample {
	uint64_t begin_ns;
	double measure_ns, weight;
	double above; /* how far it is above the middle; 0 on average */
};

/* A part of the window and its units; which of these are slow. */
struct part {
	uint64_t units, slow;
	double weight, slow_weight, excess_ns;
};

static int by_time(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

static int by_measure(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	return a->measure_ns < b->measure_ns ? -1 : a->measure_ns > b->measure_ns;
}

/* Closed units of a group that are judged, in the order of their begin. */
static size_t gather(const struct scope_kept *kept, const struct scope_detection *detection, uint32_t group,
		     struct sample *sample)
{
	size_t count = 0;

	for (size_t i = 0; i < kept->units->count; i++) {
		const struct scope_unit *unit = &kept->units->unit[i];
		const uint32_t population = kept->population[i];
		const bool abnormal = scope_anomaly_mark_abnormal(kept->mark[i]);

		if (unit->open || unit->group != group || detection->population[population].background)
			continue;
		sample[count++] = (struct sample){
			.begin_ns = unit->begin_ns,
			.measure_ns = scope_unit_measure(unit),
			.weight = kept->of[population].side[abnormal].every,
		};
	}
	return count;
}

/* Ranks between 0 and 1 less the middle one, equal ones for equal measures; sorted by measure when it returns. */
static void rank(struct sample *sample, size_t count)
{
	double below = 0, all = 0;

	for (size_t i = 0; i < count; i++)
		all += sample[i].weight;
	qsort(sample, count, sizeof(*sample), by_measure);
	for (size_t i = 0, next; i < count; i = next) {
		double same = 0;

		for (next = i; next < count && sample[next].measure_ns == sample[i].measure_ns; next++)
			same += sample[next].weight;
		for (size_t j = i; j < next; j++)
			sample[j].above = (below + same / 2) / all - 0.5;
		below += same;
	}
}

/* The same of those that take longer than slow_ns alone. */
static void mark_tail(struct sample *sample, size_t count, double slow_ns)
{
	double slow = 0, all = 0;

	for (size_t i = 0; i < count; i++) {
		all += sample[i].weight;
		slow += sample[i].measure_ns > slow_ns ? sample[i].weight : 0;
	}
	for (size_t i = 0; i < count; i++)
		sample[i].above = (sample[i].measure_ns > slow_ns) - slow / all;
}

/* The first one after the change: up to it the sum is lowest. Sorted by time. */
static size_t change_of(const struct sample *sample, size_t count)
{
	double sum = 0, least = 0;
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		sum += sample[i].weight * sample[i].above;
		if (sum < least) {
			least = sum;
			at = i + 1;
		}
	}
	return at;
}

/* Of the units before the change; sorts them by time again at the end. */
static double median_of(struct sample *sample, size_t count)
{
	double half = 0, sum = 0, median = 0;

	qsort(sample, count, sizeof(*sample), by_measure);
	for (size_t i = 0; i < count; i++)
		half += sample[i].weight / 2;
	for (size_t i = 0; i < count && sum < half; i++) {
		sum += sample[i].weight;
		median = sample[i].measure_ns;
	}
	qsort(sample, count, sizeof(*sample), by_time);
	return median;
}

static struct part part_of(const struct sample *sample, size_t count, uint64_t from_ns, uint64_t until_ns,
			   double median_ns, double times)
{
	struct part part = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (sample[i].begin_ns < from_ns || sample[i].begin_ns >= until_ns)
			continue;
		part.units++;
		part.weight += sample[i].weight;
		if (sample[i].measure_ns <= times * median_ns)
			continue;
		part.slow++;
		part.slow_weight += sample[i].weight;
		part.excess_ns += sample[i].weight * (sample[i].measure_ns - median_ns);
	}
	return part;
}

/* By the rule of succession: a share of which none was seen is not 0. */
static double share_of(const struct part *part)
{
	return (part->slow_weight + part->weight / part->units) / (part->weight + 2 * part->weight / part->units);
}

/* The difference of the shares of two parts, in standard errors of that difference. */
static double apart(const struct part *before, const struct part *since)
{
	const double n = before->units, m = since->units;
	const double all = (share_of(before) * n + share_of(since) * m) / (n + m);

	return (share_of(since) - share_of(before)) / sqrt(all * (1 - all) * (1 / n + 1 / m));
}

struct rule {
	double share_times, chance_z;
};

/* If the change at `at` lasts until the end, the excess of the time after it, else 0. Slow are units of times the median. */
static double judge(struct sample *sample, size_t count, size_t at, const struct scope_timeline *timeline, double times,
		    const struct rule *rule)
{
	const uint64_t begin_ns = timeline->begin_ns, end_ns = timeline->end_ns;
	const uint64_t change_ns = sample[at].begin_ns;
	const uint64_t least_ns = fmin(PART_MIN * (double)(end_ns - begin_ns), PART_MIN_NS);
	const double median_ns = median_of(sample, at);
	const uint64_t edge[] = {
		begin_ns,   begin_ns + (change_ns - begin_ns) / 2, change_ns, change_ns + (end_ns - change_ns) / 2,
		UINT64_MAX,
	};
	struct part part[4];

	if (change_ns < begin_ns + least_ns || change_ns > end_ns - least_ns)
		return 0;
	for (int i = 0; i < 4; i++) {
		part[i] = part_of(sample, count, i ? edge[i] : 0, edge[i + 1], median_ns, times);
		if (part[i].units < UNITS_MIN)
			return 0;
	}
	for (int i = 0; i < 2; i++)
		for (int j = 2; j < 4; j++)
			if (share_of(&part[j]) < rule->share_times * share_of(&part[i]) ||
			    apart(&part[i], &part[j]) < rule->chance_z)
				return 0;
	return part[2].excess_ns + part[3].excess_ns;
}

struct change {
	double excess_ns;
	uint64_t time_ns;
};

/* Takes in where the sum of `above` is lowest, if that is a change, and a larger one than before. Sorted by time. */
static void take(struct sample *sample, size_t count, const struct scope_timeline *timeline, double times,
		 const struct rule *rule, struct change *change)
{
	const size_t at = change_of(sample, count);
	double excess_ns;

	if (!at || at >= count)
		return;
	excess_ns = judge(sample, count, at, timeline, times, rule);
	if (excess_ns > change->excess_ns)
		*change = (struct change){ excess_ns, sample[at].begin_ns };
}

int scope_analysis_change_point_find(const struct scope_kept *kept, const struct scope_detection *detection,
				     double share_times, double chance_z, uint64_t *ret_ns)
{
	const struct rule rule = { share_times, chance_z };
	const struct scope_timeline *timeline = kept->units->timeline;
	struct sample *sample = calloc(kept->units->count + 1, sizeof(*sample));
	struct change change = { 0 }, tail = { 0 };

	if (!sample)
		return -ENOMEM;
	for (uint32_t group = 0; group < detection->groups; group++) {
		const size_t count = gather(kept, detection, group, sample);
		double median_ns;

		rank(sample, count);
		qsort(sample, count, sizeof(*sample), by_time);
		take(sample, count, timeline, SLOW_TIMES, &rule, &change);
		median_ns = median_of(sample, count);
		for (size_t i = 0; i < sizeof(tail_times) / sizeof(tail_times[0]); i++) {
			mark_tail(sample, count, tail_times[i] * median_ns);
			take(sample, count, timeline, tail_times[i], &rule, &tail);
		}
	}
	/* What slows most units explains a longer tail, too. */
	*ret_ns = change.excess_ns > 0 ? change.time_ns : tail.time_ns;
	free(sample);
	return 0;
}
