// SPDX-License-Identifier: GPL-2.0-only
/* Location and spread of samples with heavy tails. */
#include "anomaly/robust.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

void scope_sort(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
}

double scope_quantile_sorted(const double *values, size_t count, double q)
{
	double at = q * (count - 1);
	size_t below = at;

	if (!count)
		return 0;
	if (below + 1 >= count)
		return values[count - 1];
	return values[below] + (at - below) * (values[below + 1] - values[below]);
}

struct scope_spread scope_spread_of(double *values, size_t count, double floor)
{
	struct scope_spread spread = {0, floor};
	double mean_deviation = 0;
	double *deviation;

	if (!count)
		return spread;
	scope_sort(values, count);
	spread.median = scope_quantile_sorted(values, count, 0.5);
	deviation = malloc(count * sizeof(*deviation));
	for (size_t i = 0; i < count; i++)
		mean_deviation += fabs(values[i] - spread.median) / count;
	if (deviation) {
		for (size_t i = 0; i < count; i++)
			deviation[i] = fabs(values[i] - spread.median);
		scope_sort(deviation, count);
		spread.scale = scope_quantile_sorted(deviation, count, 0.5) / 0.6745;
		free(deviation);
	}
	if (!deviation || spread.scale == 0)
		spread.scale = mean_deviation * 1.2533;
	if (spread.scale < floor)
		spread.scale = floor;
	return spread;
}

double scope_normal_upper(double p)
{
	double low = 0, high = 40;

	/* erfc falls monotonically: 60 halvings reach the last bit. */
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (0.5 * erfc(middle / sqrt(2)) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}
