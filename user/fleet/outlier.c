// SPDX-License-Identifier: GPL-2.0-only
/* Finds hosts whose requests differ from those of other hosts. */
#include "fleet/outlier.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define UNITS_MIN 100	    /* requests of a member, for its median */
#define UNITS_MIN_TAIL 500  /* the same for its 99th percentile */
#define MAD_TO_SIGMA 1.4826 /* no rule: of a normal distribution */
#define SIGMA_MIN 0.032	    /* as exact as distributions are */

static int by_number(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double median(double *value, size_t count)
{
	qsort(value, count, sizeof(*value), by_number);
	return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

/* The rows of one group of one program, by their numbers. */
static void compare(struct scope_fleet_ranking *ranking, const size_t *row, size_t rows, double quantile, double *value,
		    double *sorted)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	const uint64_t least = quantile > 0.5 ? UNITS_MIN_TAIL : UNITS_MIN;
	size_t count = 0;
	double middle, sigma;

	for (size_t i = 0; i < rows; i++) {
		const struct scope_fleet_group_facts *group = &facts->group[row[i]];

		value[i] = group->units < least ? NAN
						: log(fmax(scope_fleet_coarse_quantile(&group->wall, quantile), 1));
		if (!isnan(value[i]))
			sorted[count++] = value[i];
	}
	if (count < SCOPE_FLEET_OUTLIER_MEMBERS)
		return;
	middle = median(sorted, count);
	for (size_t i = 0, k = 0; i < rows; i++)
		if (!isnan(value[i]))
			sorted[k++] = fabs(value[i] - middle);
	sigma = fmax(MAD_TO_SIGMA * median(sorted, count), SIGMA_MIN);
	for (size_t i = 0; i < rows; i++)
		if (value[i] - middle > fmax(log(SCOPE_FLEET_OUTLIER_TIMES), SCOPE_FLEET_OUTLIER_Z * sigma))
			/* At most two for each row of a group, for which there is memory. */
			ranking->outlier[ranking->outliers++] = (struct scope_fleet_outlier){
				.member = facts->group[row[i]].member,
				.group = facts->group[row[i]].group,
				.quantile = quantile,
				.ns = exp(value[i]),
				.usual_ns = exp(middle),
				.compared = count,
				.units = facts->group[row[i]].units,
			};
}

/* Rows by program, then group, then member. */
static int by_group(const void *left, const void *right, void *context)
{
	const struct scope_fleet_facts *facts = context;
	const struct scope_fleet_group_facts *a = &facts->group[*(const size_t *)left];
	const struct scope_fleet_group_facts *b = &facts->group[*(const size_t *)right];
	const uint32_t p = facts->member[a->member].program, q = facts->member[b->member].program;

	if (p != q)
		return p < q ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->member > b->member) - (a->member < b->member);
}

static bool same_group(const struct scope_fleet_facts *facts, size_t a, size_t b)
{
	return facts->group[a].group == facts->group[b].group &&
	       facts->member[facts->group[a].member].program == facts->member[facts->group[b].member].program;
}

static int by_times(const void *left, const void *right)
{
	const struct scope_fleet_outlier *a = left, *b = right;
	const double p = a->ns / a->usual_ns, q = b->ns / b->usual_ns;

	if (p != q)
		return p > q ? -1 : 1;
	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	return (a->quantile > b->quantile) - (a->quantile < b->quantile);
}

static double middle_of(const struct scope_fleet_member *member)
{
	return ((double)member->from_us + (double)member->to_us) / 2;
}

/* Finds members that ran at another time, or whose clock is wrong. */
static int find_apart(struct scope_fleet_ranking *ranking)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	double *from = calloc(2 * facts->members + 1, sizeof(*from)), *to = from + facts->members;
	double farthest = 0, begin, end;

	if (!from)
		return -ENOMEM;
	ranking->apart = UINT32_MAX;
	for (size_t i = 0; i < facts->members; i++) {
		from[i] = (double)facts->member[i].from_us;
		to[i] = (double)facts->member[i].to_us;
	}
	if (facts->members >= 2) {
		begin = median(from, facts->members);
		end = median(to, facts->members);
		for (size_t i = 0; i < facts->members; i++) {
			const struct scope_fleet_member *member = &facts->member[i];
			const double off = middle_of(member) - (begin + end) / 2;

			if ((double)member->from_us < end && (double)member->to_us > begin)
				continue;
			ranking->aparts++;
			if (fabs(off) <= farthest)
				continue;
			farthest = fabs(off);
			ranking->apart = (uint32_t)i;
			ranking->apart_us = (int64_t)off;
		}
	}
	free(from);
	return 0;
}

int scope_fleet_outlier_find(struct scope_fleet_ranking *ranking)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	size_t *row = calloc(facts->groups + 1, sizeof(*row));
	double *value = calloc(2 * facts->groups + 1, sizeof(*value));
	int err = row && value ? find_apart(ranking) : -ENOMEM;

	if (!err) {
		ranking->outlier = calloc(2 * facts->groups + 1, sizeof(*ranking->outlier));
		err = ranking->outlier ? 0 : -ENOMEM;
	}
	for (size_t i = 0; !err && i < facts->groups; i++)
		row[i] = i;
	if (!err)
		qsort_r(row, facts->groups, sizeof(*row), by_group, (void *)(uintptr_t)facts);
	for (size_t i = 0; !err && i < facts->groups;) {
		size_t end = i + 1;

		while (end < facts->groups && same_group(facts, row[i], row[end]))
			end++;
		compare(ranking, row + i, end - i, 0.5, value, value + facts->groups);
		compare(ranking, row + i, end - i, 0.99, value, value + facts->groups);
		i = end;
	}
	if (!err)
		qsort(ranking->outlier, ranking->outliers, sizeof(*ranking->outlier), by_times);
	free(row);
	free(value);
	return err;
}
