// SPDX-License-Identifier: GPL-2.0-only
/* The correlation of two series. */
#include "metrics/relate.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/resample.h"

#define Z95 1.96 /* no rule: 95 % of a normal distribution */

static double mean_of(const double *value, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += value[i];
	return sum / (double)count;
}

/* Makes a series centred and of length 1, so that r is a sum of products. Returns false if it never changes. */
static bool normalize(double *value, size_t count)
{
	const double mean = mean_of(value, count);
	double squares = 0;

	for (size_t i = 0; i < count; i++) {
		value[i] -= mean;
		squares += value[i] * value[i];
	}
	if (squares <= 1e-24 * fmax(1, mean * mean) * (double)count)
		return false;
	for (size_t i = 0; i < count; i++)
		value[i] /= sqrt(squares);
	return true;
}

static double product(const double *a, const double *b, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += a[i] * b[i];
	return fmax(-1, fmin(1, sum));
}

struct ranked {
	double value;
	size_t at;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* Equal values share the mean of their ranks. 0 or -ENOMEM. */
static int rank(const double *value, size_t count, double *ret_rank)
{
	struct ranked *sorted = malloc(count * sizeof(*sorted));
	size_t end;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct ranked){ value[i], i };
	qsort(sorted, count, sizeof(*sorted), compare_ranked);
	for (size_t i = 0; i < count; i = end) {
		end = i + 1;
		while (end < count && sorted[end].value == sorted[i].value)
			end++;
		for (size_t j = i; j < end; j++)
			ret_rank[sorted[j].at] = ((double)i + (double)end - 1) / 2;
	}
	free(sorted);
	return 0;
}

/* Puts blocks of b in a random order, from a random step on: steps keep their neighbours, but not their places. */
static void permute(const double *b, size_t count, uint64_t *seed, size_t *block, double *ret_b)
{
	const size_t length = (size_t)fmax(1, floor(cbrt((double)count))), blocks = (count + length - 1) / length;
	const size_t shift = scope_metrics_random(seed) % count;
	size_t to = 0;

	for (size_t i = 0; i < blocks; i++)
		block[i] = i;
	for (size_t i = blocks; i > 1; i--) {
		const size_t with = scope_metrics_random(seed) % i, kept = block[i - 1];

		block[i - 1] = block[with];
		block[with] = kept;
	}
	for (size_t i = 0; i < blocks; i++)
		for (size_t j = block[i] * length; j < (block[i] + 1) * length && j < count; j++)
			ret_b[to++] = b[(j + shift) % count];
}

/* The probability of at least that correlation by chance. */
static int chance(const double *a, const double *b, size_t count, double r, double *ret_p)
{
	double *other = malloc(count * sizeof(*other));
	size_t *block = malloc(count * sizeof(*block));
	uint64_t seed = SCOPE_METRICS_SEED;
	unsigned as_much = 0;

	if (other && block)
		for (unsigned i = 0; i < SCOPE_RELATE_ROUNDS; i++) {
			permute(b, count, &seed, block, other);
			as_much += fabs(product(a, other, count)) >= fabs(r) - 1e-12;
		}
	*ret_p = (as_much + 1.0) / (SCOPE_RELATE_ROUNDS + 1.0);
	free(block);
	free(other);
	return other && block ? 0 : -ENOMEM;
}

/* The autocorrelation of a normalized series at a lag of one step. */
static double next_alike(const double *a, size_t count)
{
	return product(a, a + 1, count - 1);
}

static void find_interval(const double *a, const double *b, size_t count, struct scope_relation *relation)
{
	const double alike = fmax(0, next_alike(a, count)) * fmax(0, next_alike(b, count));
	const double independent = fmax(4, (double)count * (1 - alike) / (1 + alike));
	const double z = atanh(fmax(-0.999999, fmin(0.999999, relation->r))), half = Z95 / sqrt(independent - 3);

	relation->low = tanh(z - half);
	relation->high = tanh(z + half);
}

static int relate(double *a, double *b, size_t count, struct scope_relation *relation)
{
	double *rank_a = malloc(count * sizeof(*rank_a)), *rank_b = malloc(count * sizeof(*rank_b));
	int err = rank_a && rank_b ? rank(a, count, rank_a) : -ENOMEM;

	if (!err)
		err = rank(b, count, rank_b);
	if (!err &&
	    !(normalize(a, count) && normalize(b, count) && normalize(rank_a, count) && normalize(rank_b, count)))
		err = -ENODATA;
	if (!err) {
		relation->r = product(a, b, count);
		relation->rho = product(rank_a, rank_b, count);
		relation->steps = count;
		find_interval(a, b, count, relation);
		err = chance(a, b, count, relation->r, &relation->p);
	}
	free(rank_a);
	free(rank_b);
	return err;
}

int scope_metrics_relate(const double *a, const double *b, size_t steps, struct scope_relation *ret_relation)
{
	double *x = malloc((steps + 1) * sizeof(*x)), *y = malloc((steps + 1) * sizeof(*y));
	struct scope_relation relation;
	size_t count = 0;
	int err = x && y ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < steps; i++) {
		if (isnan(a[i]) || isnan(b[i]))
			continue;
		x[count] = a[i];
		y[count++] = b[i];
	}
	if (!err)
		err = count < SCOPE_RELATE_STEPS_MIN ? -ENODATA : relate(x, y, count, &relation);
	if (!err)
		*ret_relation = relation;
	free(x);
	free(y);
	return err;
}

int scope_metrics_relate_correct(struct scope_relation *relation, size_t count)
{
	struct ranked *sorted = malloc((count + 1) * sizeof(*sorted));
	double least = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct ranked){ relation[i].p, i };
	qsort(sorted, count, sizeof(*sorted), compare_ranked);
	for (size_t i = 0; i < count; i++) {
		least = fmax(least, fmin(1, sorted[i].value * (double)(count - i)));
		relation[sorted[i].at].p = least;
	}
	free(sorted);
	return 0;
}
