/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes the share of each part of a latency in its variance, from sums of one pass.
 *
 * The share of a part X of a latency T is Cov(X, T) / Var(T). If the parts of each unit sum up to its latency, the
 * shares sum up to 1 (the law of total covariance). A share is negative if its part is short when the rest is long. The
 * sums are those of data shifted by a constant near the mean (T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for
 * Computing the Sample Variance", The American Statistician 37(3), 1983), here the median, which is never further from
 * the mean than one standard deviation. So nothing is added for a part that a unit does not have, and sums with the
 * same shift are merged by addition.
 */
#ifndef SCOPE_VARIANCE_MOMENTS_H
#define SCOPE_VARIANCE_MOMENTS_H

#include <stdint.h>

/* The place of a latency among those of its kind. */
enum scope_band {
	SCOPE_BAND_NONE,
	SCOPE_BAND_MIDDLE, /* about the median */
	SCOPE_BAND_HIGH,   /* about the 99th percentile */
};

/* Sums over the latencies of units, ns, less a shift. */
struct scope_spread {
	uint64_t units, middle_units, high_units;
	double sum, squares;
	double middle, high; /* sums over those in each band */
};

/* Sums over one part of the latencies, ns, not shifted. */
struct scope_part_sums {
	double sum, with_latency; /* the second: products with the shifted latency */
	double middle, high;
};

static inline void scope_variance_spread_add(struct scope_spread *spread, double shifted_ns, enum scope_band band)
{
	spread->units++;
	spread->sum += shifted_ns;
	spread->squares += shifted_ns * shifted_ns;
	if (band == SCOPE_BAND_MIDDLE) {
		spread->middle_units++;
		spread->middle += shifted_ns;
	} else if (band == SCOPE_BAND_HIGH) {
		spread->high_units++;
		spread->high += shifted_ns;
	}
}

static inline void scope_variance_part_add(struct scope_part_sums *part, double ns, double shifted_ns,
					   enum scope_band band)
{
	part->sum += ns;
	part->with_latency += ns * shifted_ns;
	if (band == SCOPE_BAND_MIDDLE)
		part->middle += ns;
	else if (band == SCOPE_BAND_HIGH)
		part->high += ns;
}

/* Both must have the same shift. */
void scope_variance_spread_merge(struct scope_spread *to, const struct scope_spread *from);
void scope_variance_part_merge(struct scope_part_sums *to, const struct scope_part_sums *from);

/* The mean, ns; the variance, ns², of these units (not an estimate for a population). 0 without units. */
double scope_variance_mean(const struct scope_spread *spread, double shift_ns);
double scope_variance_of(const struct scope_spread *spread);
/* The coefficient of variation: standard deviation over mean. */
double scope_variance_cv(const struct scope_spread *spread, double shift_ns);
/* Cov(part, latency) / Var(latency); 0 if all latencies are equal. */
double scope_variance_share(const struct scope_spread *spread, const struct scope_part_sums *part);

#define SCOPE_VARIANCE_HIGH_MIN 5 /* units about the 99th percentile: with fewer there is no share */

/*
 * The part's share of the difference between the latencies about the 99th percentile and those about the median. NAN if
 * there are too few of either, or no difference.
 */
double scope_variance_tail_share(const struct scope_spread *spread, const struct scope_part_sums *part);

#endif
