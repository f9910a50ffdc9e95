// SPDX-License-Identifier: GPL-2.0-only
/* Finds the time from which units take longer, which splits a window into before and after. */
#include "analysis/change_point.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"

#define PART_MIN 0.1 /* share of the window, before and after; of a long one less: */
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

/* Units of a group. */
struct samples {
	struct sample *sample, *room; /* in the order of their begin; the same before that */
	/* In the order of their measure: value is the place in sample; and as much room again. */
	struct scope_sort_row *order;
	size_t count;
};

/* Closed units of a group that are judged. */
static void gather(const struct scope_kept *kept, const struct scope_detection *detection, uint32_t group,
		   struct samples *of)
{
	of->count = 0;
	for (size_t i = 0; i < kept->units->count; i++) {
		const struct scope_unit *unit = &kept->units->unit[i];
		const uint32_t population = kept->population[i];
		const bool abnormal = scope_anomaly_mark_abnormal(kept->mark[i]);

		if (unit->open || unit->group != group || detection->population[population].background)
			continue;
		of->order[of->count] = (struct scope_sort_row){ unit->begin_ns, of->count };
		of->room[of->count++] = (struct sample){
			.begin_ns = unit->begin_ns,
			.measure_ns = scope_unit_measure(unit),
			.weight = kept->of[population].side[abnormal].every,
		};
	}
}

static void put_in_order(struct samples *of)
{
	scope_sort_rows(of->order, of->order + of->count, of->count);
	for (size_t i = 0; i < of->count; i++)
		of->sample[i] = of->room[of->order[i].value];
	for (size_t i = 0; i < of->count; i++)
		of->order[i] = (struct scope_sort_row){ scope_sort_key(of->sample[i].measure_ns), i };
	scope_sort_rows(of->order, of->order + of->count, of->count);
}

/* Ranks between 0 and 1 less the middle one, equal ones for equal measures. */
static void rank(struct samples *of)
{
	double below = 0, all = 0;

	for (size_t i = 0; i < of->count; i++)
		all += of->sample[i].weight;
	for (size_t i = 0, next; i < of->count; i = next) {
		double same = 0;

		for (next = i; next < of->count && of->order[next].key == of->order[i].key; next++)
			same += of->sample[of->order[next].value].weight;
		for (size_t j = i; j < next; j++)
			of->sample[of->order[j].value].above = (below + same / 2) / all - 0.5;
		below += same;
	}
}

/* The same of those that take longer than slow_ns alone. */
static void mark_tail(struct samples *of, double slow_ns)
{
	double slow = 0, all = 0;

	for (size_t i = 0; i < of->count; i++) {
		all += of->sample[i].weight;
		slow += of->sample[i].measure_ns > slow_ns ? of->sample[i].weight : 0;
	}
	for (size_t i = 0; i < of->count; i++)
		of->sample[i].above = (of->sample[i].measure_ns > slow_ns) - slow / all;
}

/* The first one after the change: up to it the sum is lowest. */
static size_t change_of(const struct samples *of)
{
	double sum = 0, least = 0;
	size_t at = 0;

	for (size_t i = 0; i < of->count; i++) {
		sum += of->sample[i].weight * of->sample[i].above;
		if (sum < least) {
			least = sum;
			at = i + 1;
		}
	}
	return at;
}

/* Of the first ones. */
static double median_of(const struct samples *of, size_t first)
{
	double half = 0, sum = 0, median = 0;

	for (size_t i = 0; i < first; i++)
		half += of->sample[i].weight / 2;
	for (size_t i = 0; i < of->count && sum < half; i++) {
		const struct sample *sample = &of->sample[of->order[i].value];

		if (of->order[i].value >= first)
			continue;
		sum += sample->weight;
		median = sample->measure_ns;
	}
	return median;
}

static struct part part_of(const struct samples *of, uint64_t from_ns, uint64_t until_ns, double median_ns,
			   double times)
{
	struct part part = { 0 };

	for (size_t i = 0; i < of->count; i++) {
		const struct sample *sample = &of->sample[i];

		if (sample->begin_ns < from_ns || sample->begin_ns >= until_ns)
			continue;
		part.units++;
		part.weight += sample->weight;
		if (sample->measure_ns <= times * median_ns)
			continue;
		part.slow++;
		part.slow_weight += sample->weight;
		part.excess_ns += sample->weight * (sample->measure_ns - median_ns);
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
static double judge(const struct samples *of, size_t at, const struct scope_timeline *timeline, double times,
		    const struct rule *rule)
{
	const uint64_t begin_ns = timeline->begin_ns, end_ns = timeline->end_ns;
	const uint64_t change_ns = of->sample[at].begin_ns;
	const uint64_t least_ns = fmin(PART_MIN * (double)(end_ns - begin_ns), PART_MIN_NS);
	const double median_ns = median_of(of, at);
	const uint64_t edge[] = {
		begin_ns,   begin_ns + (change_ns - begin_ns) / 2, change_ns, change_ns + (end_ns - change_ns) / 2,
		UINT64_MAX,
	};
	struct part part[4];

	if (change_ns < begin_ns + least_ns || change_ns > end_ns - least_ns)
		return 0;
	for (int i = 0; i < 4; i++) {
		part[i] = part_of(of, i ? edge[i] : 0, edge[i + 1], median_ns, times);
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

/* Takes in where the sum of `above` is lowest, if that is a change, and a larger one than before. */
static void take(const struct samples *of, const struct scope_timeline *timeline, double times, const struct rule *rule,
		 struct change *change)
{
	const size_t at = change_of(of);
	double excess_ns;

	if (!at || at >= of->count)
		return;
	excess_ns = judge(of, at, timeline, times, rule);
	if (excess_ns > change->excess_ns)
		*change = (struct change){ excess_ns, of->sample[at].begin_ns };
}

/* On error there is less of it, which is freed as well. */
static int make_room(size_t count, struct samples *ret_of)
{
	ret_of->sample = calloc(2 * count + 1, sizeof(*ret_of->sample));
	ret_of->room = ret_of->sample ? ret_of->sample + count : NULL;
	ret_of->order = calloc(2 * count + 1, sizeof(*ret_of->order));
	return ret_of->sample && ret_of->order ? 0 : -ENOMEM;
}

int scope_analysis_change_point_find(const struct scope_kept *kept, const struct scope_detection *detection,
				     double share_times, double chance_z, uint64_t *ret_ns)
{
	const struct rule rule = { share_times, chance_z };
	const struct scope_timeline *timeline = kept->units->timeline;
	struct change change = { 0 }, tail = { 0 };
	struct samples of;
	int err = make_room(kept->units->count, &of);

	for (uint32_t group = 0; !err && group < detection->groups; group++) {
		double median_ns;

		gather(kept, detection, group, &of);
		put_in_order(&of);
		rank(&of);
		take(&of, timeline, SLOW_TIMES, &rule, &change);
		median_ns = median_of(&of, of.count);
		for (size_t i = 0; i < sizeof(tail_times) / sizeof(tail_times[0]); i++) {
			mark_tail(&of, tail_times[i] * median_ns);
			take(&of, timeline, tail_times[i], &rule, &tail);
		}
	}
	/* What slows most units explains a longer tail, too. */
	*ret_ns = change.excess_ns > 0 ? change.time_ns : tail.time_ns;
	free(of.sample);
	free(of.order);
	return err;
}
