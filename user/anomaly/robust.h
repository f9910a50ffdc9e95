/* SPDX-License-Identifier: GPL-2.0-only */
/* Location and spread of samples with heavy tails. */
#ifndef SCOPE_ANOMALY_ROBUST_H
#define SCOPE_ANOMALY_ROBUST_H

#include "base/sketch.h"

/* The q-quantile (0 to 1) of values sorted in ascending order, by linear interpolation; 0 of none. */
double scope_anomaly_quantile_sorted(const double *values, size_t count, double q);

struct scope_spread {
	double median;
	double scale; /* stands for one standard deviation of the bulk; never 0 */
};

/*
 * scale is MAD/0.6745 (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993: the modified
 * z-score); where the MAD is 0 the mean absolute deviation times 1.2533, at least floor.
 * 0 or -ENOMEM.
 */
int scope_anomaly_spread_of(const struct scope_sketch *sketch, double floor, struct scope_spread *ret_spread);

/* The z that a standard normal exceeds with probability p (0 < p < 0.5). */
double scope_anomaly_normal_upper(double p);
/*
 * The t that one of Student's distribution with that many degrees of freedom exceeds with probability p: from the
 * normal one by the inverse of D. L. Wallace, "Bounds on Normal Approximations to Student's and the Chi-Square
 * Distributions", Annals of Mathematical Statistics 30(4), 1959. Too high by 1 % at most from 6 degrees on, and by more
 * below that (by a quarter at 2 and p 0.001).
 */
double scope_anomaly_student_upper(double p, double degrees);

/*
 * Whether a share of n trials is above another of m trials by more than chance, in standard
 * deviations: the signed root of the likelihood ratio of two binomials having one share (Wilks, Annals
 * of Mathematical Statistics 9(1), 1938), which holds where counts are few. n and m are above 0, both
 * shares within 0 and 1, and not both 0 or both 1.
 */
double scope_anomaly_two_shares_z(double share, double n, double other, double m);

#endif
