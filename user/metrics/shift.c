// SPDX-License-Identifier: GPL-2.0-only
/* Finds the step from which units take longer or shorter. */
#include "metrics/shift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/resample.h"

static int compare(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Ranks less their mean: their sum up to a step is lowest or highest where a shift is. 0 or -ENOMEM. */
static int centred_ranks(const double *value, size_t count, double *ret_rank)
{
	double *sorted = malloc(count * sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, value, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare);
	for (size_t i = 0; i < count; i++) {
		size_t below = 0, same = 0;

		for (size_t low = 0, high = count; low < high;) {
			const size_t middle = (low + high) / 2;

			if (sorted[middle] < value[i])
				low = middle + 1;
			else
				high = middle;
			below = low;
		}
		while (below + same < count && sorted[below + same] == value[i])
			same++;
		ret_rank[i] = (double)below + ((double)same - 1) / 2 - ((double)count - 1) / 2;
	}
	free(sorted);
	return 0;
}

/* The largest sum, and the first step after it. */
static double statistic(const double *rank, size_t count, size_t *ret_at)
{
	double sum = 0, most = 0;

	*ret_at = 0;
	for (size_t i = 0; i + 1 < count; i++) {
		sum += rank[i];
		if (fabs(sum) > most) {
			most = fabs(sum);
			*ret_at = i + 1;
		}
	}
	return most;
}

/* The probability of as large a statistic when blocks of steps come in any order. Negative: no memory. */
static double chance(const double *rank, size_t count, double most)
{
	const size_t length = (size_t)fmax(1, floor(cbrt((double)count))), blocks = count / length;
	double *other = malloc(count * sizeof(*other));
	size_t *block = malloc(count * sizeof(*block)), at;
	uint64_t seed = SCOPE_METRICS_SEED;
	unsigned as_much = 0;

	for (unsigned i = 0; other && block && i < SCOPE_SHIFT_ROUNDS; i++) {
		const size_t from = scope_metrics_random(&seed) % count;
		size_t used = 0;

		for (size_t j = 0; j < blocks; j++)
			block[j] = j;
		for (size_t j = blocks; j > 1; j--) {
			const size_t with = scope_metrics_random(&seed) % j, kept = block[j - 1];

			block[j - 1] = block[with];
			block[with] = kept;
		}
		for (size_t j = 0; j < blocks; j++)
			for (size_t k = 0; k < length; k++)
				other[used++] = rank[(from + block[j] * length + k) % count];
		for (size_t j = blocks * length; j < count; j++)
			other[used++] = rank[(from + j) % count];
		as_much += statistic(other, count, &at) >= most - 1e-9;
	}
	free(block);
	if (!other)
		return -1;
	free(other);
	return (as_much + 1.0) / (SCOPE_SHIFT_ROUNDS + 1.0);
}

/* Sorts them. */
static double median(double *value, size_t count)
{
	qsort(value, count, sizeof(*value), compare);
	return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

static int find(double *value, double *rank, size_t count, size_t *ret_at)
{
	double most, p, before, after;
	size_t at;

	if (count < 2ul * SCOPE_SHIFT_STEPS_MIN)
		return -ENODATA;
	if (centred_ranks(value, count, rank))
		return -ENOMEM;
	most = statistic(rank, count, &at);
	if (at < SCOPE_SHIFT_STEPS_MIN || count - at < SCOPE_SHIFT_STEPS_MIN)
		return -ENODATA;
	p = chance(rank, count, most);
	if (p < 0)
		return -ENOMEM;
	before = median(value, at);
	after = median(value + at, count - at);
	*ret_at = at;
	return p <= SCOPE_SHIFT_CHANCE && (after >= SCOPE_SHIFT_TIMES * before || before >= SCOPE_SHIFT_TIMES * after)
		       ? 0
		       : -ENODATA;
}

int scope_metrics_shift(const double *latency, size_t steps, size_t *ret_step)
{
	double *value = malloc((steps + 1) * sizeof(*value)), *rank = malloc((steps + 1) * sizeof(*rank));
	size_t *step = malloc((steps + 1) * sizeof(*step)), count = 0, at = 0;
	int err = value && rank && step ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < steps; i++) {
		if (isnan(latency[i]))
			continue;
		step[count] = i;
		value[count++] = latency[i];
	}
	if (!err)
		err = find(value, rank, count, &at);
	if (!err)
		*ret_step = step[at];
	free(step);
	free(rank);
	free(value);
	return err;
}
