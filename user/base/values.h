/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions of whole numbers, such as sizes, in which a few values occur often.
 *
 * The first SCOPE_VALUES_EXACT different values are counted one by one, so a size that many calls have keeps its mass. Further
 * ones go to a sketch (base/sketch.h), whose buckets are at most 0.4 % wide. A zeroed struct has no values.
 *
 * Rows are the form in which a distribution is written: values that occur often have a row each, the others share rows
 * (the compressed histogram of Poosala, Ioannidis, Haas and Shekita, SIGMOD 1996). Numbers can be drawn from the rows:
 * first a row by its count, then any number of that row. Their distribution function differs from that of the values by
 * at most 1/SCOPE_VALUES_ROWS, plus what the sketch rounds.
 */
#ifndef SCOPE_BASE_VALUES_H
#define SCOPE_BASE_VALUES_H

#include "base/sketch.h"

#define SCOPE_VALUES_EXACT 4096 /* no rule: a bound of memory, 64 KB */
#define SCOPE_VALUES_ROWS 512	/* a value that is fewer than 1 in SCOPE_VALUES_ROWS of all shares a row */

struct scope_value {
	uint64_t value, count;
};

struct scope_values {
	struct scope_value *exact; /* ascending */
	size_t count, capacity;
	struct scope_sketch rest; /* further values */
	uint64_t total;
	double sum;
};

/* Numbers from low to high, both included. */
struct scope_values_row {
	uint64_t low, high, count;
};

/* Puts in a value once. 0; on -ENOMEM it is not in. */
int scope_values_count(struct scope_values *values, uint64_t value);
void scope_values_free(struct scope_values *values);
/* The q-quantile (0 to 1), by linear interpolation between neighbours; 0 if there are no values. */
double scope_values_quantile(const struct scope_values *values, double q);
uint64_t scope_values_most(const struct scope_values *values);

/* The rows, by ascending `low`: a malloc'd array for the caller to free; NULL if there are none. 0 or -ENOMEM. */
int scope_values_rows(const struct scope_values *values, struct scope_values_row **ret_rows, size_t *ret_count);
/* The same of a sketch. */
int scope_values_sketch_rows(const struct scope_sketch *sketch, struct scope_values_row **ret_rows, size_t *ret_count);

#endif
