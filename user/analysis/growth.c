// SPDX-License-Identifier: GPL-2.0-only
/* Decides by what units take in each part of a window if they take longer and longer. */
#include "analysis/growth.h"

#include <math.h>

#define PARTS SCOPE_GROWTH_PARTS
#define UNITS_MIN 10	 /* in each part */
#define GROWTH_TIMES 1.5 /* what units take at the end, by what they take at the begin */
#define TREND_Z 3	 /* standard deviations beyond chance */
#define LOAD_TIMES 1.25	 /* units at the end by those at the begin: if they are more, the load grows */

static double middle_of(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Standard deviations by which rises and falls between parts differ more than by chance. */
static double trend_of(const struct scope_growth_part *part)
{
	const double variance = PARTS * (PARTS - 1) * (2 * PARTS + 5) / 18.0;
	int sum = 0;

	for (int i = 0; i < PARTS; i++)
		for (int j = i + 1; j < PARTS; j++)
			sum += (part[j].median_ns > part[i].median_ns) - (part[j].median_ns < part[i].median_ns);
	return (sum - 1) / sqrt(variance);
}

struct scope_growth scope_analysis_growth_judge(const struct scope_growth_part part[PARTS])
{
	const struct scope_growth_part *last = part + PARTS - 3;
	const double first_ns = middle_of(part[0].median_ns, part[1].median_ns, part[2].median_ns);
	const double last_ns = middle_of(last[0].median_ns, last[1].median_ns, last[2].median_ns);
	const double first_units = (double)(part[0].units + part[1].units + part[2].units);
	const double last_units = (double)(last[0].units + last[1].units + last[2].units);
	struct scope_growth growth = { .first_ns = first_ns, .last_ns = last_ns };

	for (int i = 0; i < PARTS; i++) {
		if (part[i].units < UNITS_MIN)
			return (struct scope_growth){ 0 };
		growth.excess_ns += (part[i].median_ns - first_ns) * (double)part[i].units;
	}
	if (last_ns < GROWTH_TIMES * first_ns || last_units > LOAD_TIMES * first_units || trend_of(part) < TREND_Z)
		return (struct scope_growth){ 0 };
	return growth;
}
