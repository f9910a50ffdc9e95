/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Straight lines and changes of a mean, each with a 95 % interval by bootstrap.
 *
 * Intervals are those of the studentised bootstrap over pairs (Efron and Tibshirani, An Introduction
 * to the Bootstrap, 1993, sections 9.5 and 12.5): points are drawn with replacement, each draw's
 * deviation is divided by its own standard error, and the quantiles of these are scaled by the
 * standard error of the points themselves. That of a slope is the sandwich estimator HC3 (MacKinnon
 * and White, J. Econometrics 29, 1985), since longer delays scatter more. test_effect measures how
 * often the interval holds the truth.
 *
 * The same points and seed give the same interval.
 */
#ifndef SCOPE_CAUSAL_FIT_H
#define SCOPE_CAUSAL_FIT_H

#include <stddef.h>
#include <stdint.h>

#define SCOPE_FIT_DRAWS 999
#define SCOPE_FIT_POINTS_MIN 5 /* with fewer points there is no interval */

struct scope_interval {
	double low, high;
};

struct scope_fit {
	double slope, intercept;
	double r2; /* share of the scatter of y that the line explains, 0 to 1 */
	struct scope_interval slope_95;
	size_t n;
};

/*
 * Least squares of y over x, n points. 0; -ENODATA: fewer than SCOPE_FIT_POINTS_MIN points, or all at
 * one x; -ENOMEM.
 */
int scope_causal_fit_line(const double *x, const double *y, size_t n, uint64_t seed, struct scope_fit *ret_fit);

struct scope_change {
	double value; /* (mean of base - mean of other) / mean of base */
	struct scope_interval value_95;
	size_t n; /* of other */
};

/* 0; -ENODATA: fewer than SCOPE_FIT_POINTS_MIN points in one of them, or a base of 0. */
int scope_causal_fit_change(const double *base, size_t bases, const double *other, size_t others, uint64_t seed,
			    struct scope_change *ret_change);

double scope_causal_fit_mean(const double *value, size_t n); /* n of 1 or more */

#endif
