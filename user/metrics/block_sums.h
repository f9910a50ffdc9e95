/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The confidence interval of a ratio over steps of time, if neighbouring steps are similar.
 *
 * Steps are not independent, because each second resembles the one before. So blocks of steps are drawn again and not
 * single steps (moving block bootstrap: H. R. Künsch, Annals of Statistics 17(3), 1989). A block has n^(1/3) steps, at
 * least 1.
 */
#ifndef SCOPE_METRICS_BLOCK_SUMS_H
#define SCOPE_METRICS_BLOCK_SUMS_H

#include <stddef.h>

#define SCOPE_BLOCK_ROUNDS 1000 /* no rule: number of samples that are drawn */
#define SCOPE_BLOCK_BATCHES 8	/* batches that a window needs for a variance from batches */

/* For each step a value and its base. */
struct scope_block_sums {
	double *value, *of;
	size_t count;
};

/* Room for that number of steps; count is 0. 0 or -ENOMEM. */
int scope_metrics_block_sums_create(size_t steps, struct scope_block_sums *ret_sums);
void scope_metrics_block_sums_free(struct scope_block_sums *sums);

/* The sum of values over the sum of bases; 0 if that is 0. */
double scope_metrics_block_ratio(const struct scope_block_sums *sums);

/* Adds up neighbouring steps until there are at most `steps`, 1 or more. */
void scope_metrics_block_sums_fold(struct scope_block_sums *sums, size_t steps);

/* The 95 % interval of a difference, by bootstrap, and its standard error, by batches that last long enough. */
struct scope_block_interval {
	double low, high, error;
};

/*
 * The second ratio minus the first. The random numbers are seeded, so each run gives the same result. Both have steps.
 */
struct scope_block_interval scope_metrics_block_difference(const struct scope_block_sums *before,
							   const struct scope_block_sums *after);

#endif
