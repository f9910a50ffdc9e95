// SPDX-License-Identifier: GPL-2.0-only
/* Straight lines and changes of a mean, each with a 95 % interval by bootstrap. */
#include "causal/fit.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/random.h"

/* Indexes in SCOPE_FIT_DRAWS sorted values: at 2.5 % and 97.5 %. */
#define DRAW_LOW 24
#define DRAW_HIGH 974

/* An estimate and its standard error. */
struct estimate {
	double value, error;
};

struct line {
	struct estimate slope;
	double intercept, r2;
};

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

double scope_causal_fit_mean(const double *value, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += value[i];
	return sum / (double)n;
}

/* True if all values are equal except for rounding. */
static bool is_flat(double squares, double mean, size_t n)
{
	return squares <= 1e-20 * mean * mean * (double)n;
}

/* Returns false if all points have one x. */
static bool fit(const double *x, const double *y, size_t n, struct line *ret_line)
{
	const double mean_x = scope_causal_fit_mean(x, n), mean_y = scope_causal_fit_mean(y, n);
	double xx = 0, xy = 0, yy = 0, rest = 0, sandwich = 0, slope;

	for (size_t i = 0; i < n; i++) {
		xx += (x[i] - mean_x) * (x[i] - mean_x);
		xy += (x[i] - mean_x) * (y[i] - mean_y);
		yy += (y[i] - mean_y) * (y[i] - mean_y);
	}
	if (is_flat(xx, mean_x, n))
		return false;
	slope = xy / xx;
	for (size_t i = 0; i < n; i++) {
		const double dx = x[i] - mean_x, off = y[i] - mean_y - slope * dx;
		const double leverage = 1 - 1 / (double)n - dx * dx / xx;

		rest += off * off;
		/* If one point alone determines the line, the line goes through it, so its residual is always 0. */
		if (leverage > 1e-9)
			sandwich += dx * dx * off * off / (leverage * leverage);
	}
	if (is_flat(rest, mean_y, n))
		sandwich = 0;
	ret_line->slope = (struct estimate){ slope, sqrt(sandwich) / xx };
	ret_line->intercept = mean_y - slope * mean_x;
	ret_line->r2 = is_flat(yy, mean_y, n) ? 0 : fmax(0, 1 - rest / yy);
	return true;
}

/*
 * The distance of a draw from the estimate, in standard errors. A draw with few different points may have an error near
 * 0 by chance, which would make its distance unbounded; so its error is at least ERROR_MIN times that of all points.
 */
#define ERROR_MIN 0.4

static double deviation_of(struct estimate drawn, struct estimate all)
{
	return (drawn.value - all.value) / fmax(drawn.error, ERROR_MIN * all.error);
}

/* Makes of deviations in standard errors the interval around an estimate. */
static int to_interval(struct estimate estimate, double *deviation, size_t draws, struct scope_interval *ret_interval)
{
	if (!(estimate.error > 0)) {
		*ret_interval = (struct scope_interval){ estimate.value, estimate.value };
		return 0;
	}
	if (draws < SCOPE_FIT_DRAWS)
		return -ENODATA;
	qsort(deviation, draws, sizeof(*deviation), by_value);
	ret_interval->low = estimate.value - deviation[DRAW_HIGH] * estimate.error;
	ret_interval->high = estimate.value - deviation[DRAW_LOW] * estimate.error;
	return 0;
}

/* Draws whose points are all at one place cannot be used; they are repeated a limited number of times. */
#define DRAWS_MAX (4 * SCOPE_FIT_DRAWS)

int scope_causal_fit_line(const double *x, const double *y, size_t n, uint64_t seed, struct scope_fit *ret_fit)
{
	double deviation[SCOPE_FIT_DRAWS], *drawn;
	struct scope_interval interval;
	struct line line, again;
	size_t draws = 0;

	if (n < SCOPE_FIT_POINTS_MIN || !fit(x, y, n, &line))
		return -ENODATA;
	drawn = calloc(2 * n, sizeof(*drawn));
	if (!drawn)
		return -ENOMEM;
	for (size_t try = 0; line.slope.error > 0 && draws < SCOPE_FIT_DRAWS && try < DRAWS_MAX; try++) {
		for (size_t i = 0; i < n; i++) {
			const size_t from = scope_random_below(&seed, (uint32_t)n);

			drawn[i] = x[from];
			drawn[n + i] = y[from];
		}
		if (fit(drawn, drawn + n, n, &again))
			deviation[draws++] = deviation_of(again.slope, line.slope);
	}
	free(drawn);
	if (to_interval(line.slope, deviation, draws, &interval))
		return -ENODATA;
	*ret_fit = (struct scope_fit){
		.slope = line.slope.value,
		.slope_95 = interval,
		.intercept = line.intercept,
		.r2 = line.r2,
		.n = n,
	};
	return 0;
}

/* Computes the mean and its squared standard error. */
static void mean_of(const double *value, size_t n, double *ret_mean, double *ret_square)
{
	const double mean = scope_causal_fit_mean(value, n);
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (value[i] - mean) * (value[i] - mean);
	*ret_mean = mean;
	*ret_square = is_flat(squares, mean, n) ? 0 : squares / (double)(n - 1) / (double)n;
}

/* The standard error of a ratio of two means, to first order (the delta method). */
static bool change_of(const double *base, size_t bases, const double *other, size_t others, struct estimate *ret_change)
{
	double mean, square, mean_other, square_other, ratio;

	mean_of(base, bases, &mean, &square);
	mean_of(other, others, &mean_other, &square_other);
	if (mean == 0)
		return false;
	ratio = mean_other / mean;
	ret_change->value = 1 - ratio;
	ret_change->error = sqrt(square_other + ratio * ratio * square) / fabs(mean);
	return true;
}

static void draw(const double *from, size_t n, uint64_t *seed, double *ret_drawn)
{
	for (size_t i = 0; i < n; i++)
		ret_drawn[i] = from[scope_random_below(seed, (uint32_t)n)];
}

int scope_causal_fit_change(const double *base, size_t bases, const double *other, size_t others, uint64_t seed,
			    struct scope_change *ret_change)
{
	double deviation[SCOPE_FIT_DRAWS], *drawn;
	struct scope_interval interval;
	struct estimate change, again;
	size_t draws = 0;

	if (bases < SCOPE_FIT_POINTS_MIN || others < SCOPE_FIT_POINTS_MIN ||
	    !change_of(base, bases, other, others, &change))
		return -ENODATA;
	drawn = calloc(bases + others, sizeof(*drawn));
	if (!drawn)
		return -ENOMEM;
	for (size_t try = 0; change.error > 0 && draws < SCOPE_FIT_DRAWS && try < DRAWS_MAX; try++) {
		draw(base, bases, &seed, drawn);
		draw(other, others, &seed, drawn + bases);
		if (change_of(drawn, bases, drawn + bases, others, &again))
			deviation[draws++] = deviation_of(again, change);
	}
	free(drawn);
	if (to_interval(change, deviation, draws, &interval))
		return -ENODATA;
	*ret_change = (struct scope_change){
		.value = change.value,
		.value_95 = interval,
		.n = others,
	};
	return 0;
}
