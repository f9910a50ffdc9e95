// SPDX-License-Identifier: GPL-2.0-only
/* The confidence interval of a ratio over steps of time. */
#include "metrics/block_sums.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "metrics/resample.h"

int scope_metrics_block_sums_create(size_t steps, struct scope_block_sums *ret_sums)
{
	*ret_sums = (struct scope_block_sums){
		.value = calloc(steps + 1, sizeof(double)),
		.of = calloc(steps + 1, sizeof(double)),
	};
	return ret_sums->value && ret_sums->of ? 0 : -ENOMEM;
}

void scope_metrics_block_sums_free(struct scope_block_sums *sums)
{
	free(sums->value);
	free(sums->of);
	*sums = (struct scope_block_sums){ 0 };
}

double scope_metrics_block_ratio(const struct scope_block_sums *sums)
{
	double value = 0, of = 0;

	for (size_t i = 0; i < sums->count; i++) {
		value += sums->value[i];
		of += sums->of[i];
	}
	return of > 0 ? value / of : 0;
}

/* The ratio of a sample of as many steps, drawn in blocks that wrap at the end. */
static double draw_ratio(const struct scope_block_sums *sums, uint64_t *seed)
{
	const size_t length = (size_t)fmax(1, floor(cbrt((double)sums->count)));
	double value = 0, of = 0;

	for (size_t i = 0; i < sums->count;) {
		size_t at = scope_metrics_random(seed) % sums->count;

		for (size_t j = 0; j < length && i < sums->count; j++, i++) {
			value += sums->value[at];
			of += sums->of[at];
			at = at + 1 < sums->count ? at + 1 : 0;
		}
	}
	return of > 0 ? value / of : 0;
}

static int compare(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

void scope_metrics_block_sums_fold(struct scope_block_sums *sums, size_t steps)
{
	const size_t each = (sums->count + steps - 1) / steps;
	size_t count = 0;

	if (each < 2)
		return;
	for (size_t i = 0; i < sums->count; i++) {
		const double value = sums->value[i], of = sums->of[i];

		if (i % each == 0) {
			sums->value[count] = sums->of[count] = 0;
			count++;
		}
		sums->value[count - 1] += value;
		sums->of[count - 1] += of;
	}
	sums->count = count;
}

/*
 * The variance of the values around the window's ratio, for each unit of the base, from sums over batches of `length`
 * steps (batch means: Law and Kelton, "Simulation Modeling and Analysis", on output of one long run).
 */
static double batch_variance(const struct scope_block_sums *sums, double ratio, size_t length)
{
	double squares = 0, of = 0;

	for (size_t i = 0; i + length <= sums->count; i += length) {
		double residual = 0;

		for (size_t j = i; j < i + length; j++) {
			residual += sums->value[j] - ratio * sums->of[j];
			of += sums->of[j];
		}
		squares += residual * residual;
	}
	return of > 0 ? squares / of : 0;
}

/* The largest variance for batches of increasing length: only long batches show lasting changes. */
static double long_run_variance(const struct scope_block_sums *sums)
{
	const double ratio = scope_metrics_block_ratio(sums);
	double most = 0;

	for (size_t length = 1; length * SCOPE_BLOCK_BATCHES <= sums->count; length *= 2)
		most = fmax(most, batch_variance(sums, ratio, length));
	return most;
}

/*
 * The standard error of a difference. It assumes that values vary in both windows as in the window in which they vary
 * more: a short window may not contain events that are rare in the other window.
 */
static double error_of(const struct scope_block_sums *before, const struct scope_block_sums *after)
{
	const double variance = fmax(long_run_variance(before), long_run_variance(after));
	double of[2] = { 0 };

	for (size_t i = 0; i < before->count; i++)
		of[0] += before->of[i];
	for (size_t i = 0; i < after->count; i++)
		of[1] += after->of[i];
	return of[0] > 0 && of[1] > 0 ? sqrt(variance / of[0] + variance / of[1]) : INFINITY;
}

struct scope_block_interval scope_metrics_block_difference(const struct scope_block_sums *before,
							   const struct scope_block_sums *after)
{
	double difference[SCOPE_BLOCK_ROUNDS];
	uint64_t seed = SCOPE_METRICS_SEED;

	for (size_t i = 0; i < SCOPE_BLOCK_ROUNDS; i++) {
		const double one = draw_ratio(before, &seed);

		difference[i] = draw_ratio(after, &seed) - one;
	}
	qsort(difference, SCOPE_BLOCK_ROUNDS, sizeof(*difference), compare);
	return (struct scope_block_interval){
		.low = difference[SCOPE_BLOCK_ROUNDS / 40],
		.high = difference[SCOPE_BLOCK_ROUNDS - 1 - SCOPE_BLOCK_ROUNDS / 40],
		.error = error_of(before, after),
	};
}
