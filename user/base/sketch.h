/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions of whole numbers in bounded memory: a histogram of logarithmic buckets.
 *
 * Values below 512 are kept exactly; above, each power of two has 256 buckets of equal width, so a
 * value read back is within 0.2 % of one put in (the layout of HdrHistogram; the guarantee is that
 * of relative-error sketches: Masson, Rim and Lee, DDSketch, VLDB 2019). Sketches merge without
 * further loss. The result depends only on the values put in, not on their order.
 *
 * A zeroed struct is an empty sketch. Memory: four bytes for each bucket between the lowest and the
 * highest in use, at most 57 KB.
 */
#ifndef SCOPE_BASE_SKETCH_H
#define SCOPE_BASE_SKETCH_H

#include <stddef.h>
#include <stdint.h>

struct scope_sketch {
	uint32_t *count; /* per bucket from first on; a full count stays as it is */
	uint32_t first, length;
	uint64_t total;
	uint64_t most; /* largest value put in */
};

/* A run of equal values, as they are read back. */
struct scope_sketch_run {
	double value;
	uint64_t count;
};

#define SCOPE_SKETCH_BITS 8 /* buckets in a power of two, as a power of two */

static inline uint32_t scope_sketch_bucket(uint64_t value)
{
	const uint32_t shift = 63 - SCOPE_SKETCH_BITS - (uint32_t)__builtin_clzll(value | 1u << SCOPE_SKETCH_BITS);

	return (shift << SCOPE_SKETCH_BITS) + (uint32_t)(value >> shift);
}

/* The lowest value of a bucket; the next one begins after its highest. */
static inline uint64_t scope_sketch_lowest(uint32_t bucket)
{
	const uint32_t shift = bucket < 2u << SCOPE_SKETCH_BITS ? 0 : (bucket >> SCOPE_SKETCH_BITS) - 1;

	return (uint64_t)(bucket - (shift << SCOPE_SKETCH_BITS)) << shift;
}

/* Puts in a value `times` times. 0; on -ENOMEM the sketch stays as it was. */
int scope_sketch_add(struct scope_sketch *sketch, uint64_t value, uint64_t times);

/* Puts in a value once. This is called for every unit. */
static inline int scope_sketch_count(struct scope_sketch *sketch, uint64_t value)
{
	const uint32_t at = scope_sketch_bucket(value) - sketch->first;

	if (at >= sketch->length || sketch->count[at] == UINT32_MAX)
		return scope_sketch_add(sketch, value, 1);
	sketch->count[at]++;
	sketch->total++;
	if (value > sketch->most)
		sketch->most = value;
	return 0;
}

/*
 * Prefetches the bucket of a value that will be put in soon. Not inline: GCC 12 treats a function
 * that only prefetches as one without effect, and removes its calls.
 */
void scope_sketch_expect(const struct scope_sketch *sketch, uint64_t value);
/* Adds all values of `from` to `to`. 0; on -ENOMEM `to` stays as it was. */
int scope_sketch_merge(struct scope_sketch *to, const struct scope_sketch *from);
void scope_sketch_free(struct scope_sketch *sketch);

/*
 * The runs that are not empty, by ascending value: a malloc'd array for the caller to free; NULL if there are none. 0
 * or -ENOMEM.
 */
int scope_sketch_runs(const struct scope_sketch *sketch, struct scope_sketch_run **ret_runs, size_t *ret_count);

/* The q-quantile (0 to 1), by linear interpolation between neighbours; 0 of an empty sketch. */
double scope_sketch_quantile(const struct scope_sketch *sketch, double q);
/* Counts the values greater than `value`, by the buckets they are in. */
uint64_t scope_sketch_above(const struct scope_sketch *sketch, double value);

/* The same quantile of runs in ascending order that hold total values. */
double scope_sketch_runs_quantile(const struct scope_sketch_run *runs, size_t count, uint64_t total, double q);

#endif
