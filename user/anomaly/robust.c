// SPDX-License-Identifier: GPL-2.0-only
/* Location and spread of samples with heavy tails. */
#include "anomaly/robust.h"

#include <math.h>
#include <stdlib.h>

double scope_anomaly_quantile_sorted(const double *values, size_t count, double q)
{
	double at = q * (count - 1);
	size_t below = at;

	if (!count)
		return 0;
	if (below + 1 >= count)
		return values[count - 1];
	return values[below] + (at - below) * (values[below + 1] - values[below]);
}

static int compare_runs(const void *left, const void *right)
{
	const struct scope_sketch_run *a = left, *b = right;

	return (a->value > b->value) - (a->value < b->value);
}

int scope_anomaly_spread_of(const struct scope_sketch *sketch, double floor, struct scope_spread *ret_spread)
{
	struct scope_spread spread = { 0, floor };
	struct scope_sketch_run *runs;
	double mean_deviation = 0;
	size_t count;
	int err = scope_sketch_runs(sketch, &runs, &count);

	if (err)
		return err;
	spread.median = scope_sketch_quantile(sketch, 0.5);
	for (size_t i = 0; i < count; i++) {
		runs[i].value = fabs(runs[i].value - spread.median);
		mean_deviation += runs[i].value * runs[i].count / sketch->total;
	}
	if (count)
		qsort(runs, count, sizeof(*runs), compare_runs);
	spread.scale = scope_sketch_runs_quantile(runs, count, sketch->total, 0.5) / 0.6745;
	free(runs);
	if (spread.scale == 0)
		spread.scale = mean_deviation * 1.2533;
	if (spread.scale < floor)
		spread.scale = floor;
	*ret_spread = spread;
	return 0;
}

double scope_anomaly_normal_upper(double p)
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

double scope_anomaly_student_upper(double p, double degrees)
{
	const double z = scope_anomaly_normal_upper(p) * (8 * degrees + 3) / (8 * degrees + 1);

	return sqrt(degrees * expm1(z * z / degrees));
}

/* n times the divergence of a share from another one, of Bernoulli distributions. */
static double divergence(double n, double share, double from)
{
	return n * ((share > 0 ? share * log(share / from) : 0) +
		    (share < 1 ? (1 - share) * log((1 - share) / (1 - from)) : 0));
}

double scope_anomaly_two_shares_z(double share, double n, double other, double m)
{
	double pooled = (share * n + other * m) / (n + m);
	double ratio = divergence(n, share, pooled) + divergence(m, other, pooled);

	return copysign(sqrt(fmax(2 * ratio, 0)), share - other);
}
