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

/*
 * Puts the k-th smallest value at values[k], none larger before it and none smaller behind it, in
 * linear time as a rule (Hoare, Algorithm 65: FIND, CACM 4(7), 1961).
 */
static double select_kth(double *values, size_t count, size_t k)
{
	size_t low = 0, high = count - 1;

	while (low < high) {
		double pivot = values[low + (high - low) / 2];
		size_t left = low, right = high;

		while (left <= right) {
			while (values[left] < pivot)
				left++;
			while (values[right] > pivot)
				right--;
			if (left > right)
				break;
			double swap = values[left];

			values[left++] = values[right];
			values[right] = swap;
			if (!right)
				break;
			right--;
		}
		if (k <= right && right < left)
			high = right;
		else if (k >= left)
			low = left;
		else
			break;
	}
	return values[k];
}

/* As scope_quantile_sorted() at 0.5; leaves the values in another order. */
static double select_median(double *values, size_t count)
{
	size_t below = (count - 1) / 2;
	double low = select_kth(values, count, below), high;

	if (count % 2)
		return low;
	high = values[below + 1];
	for (size_t i = below + 2; i < count; i++)
		if (values[i] < high)
			high = values[i];
	return low + 0.5 * (high - low);
}

struct scope_spread scope_spread_of(double *values, size_t count, double floor)
{
	struct scope_spread spread = {0, floor};
	double mean_deviation = 0;

	if (!count)
		return spread;
	spread.median = select_median(values, count);
	for (size_t i = 0; i < count; i++) {
		values[i] = fabs(values[i] - spread.median);
		mean_deviation += values[i] / count;
	}
	spread.scale = select_median(values, count) / 0.6745;
	if (spread.scale == 0)
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
