/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions of times in few bytes, for summaries: as base/sketch.h, with 16 buckets in a power of two.
 *
 * A value read back is within 3.2 % of one put in. Two of them add up without further loss, in any order.
 */
#ifndef SCOPE_FLEET_COARSE_H
#define SCOPE_FLEET_COARSE_H

#include <stddef.h>
#include <stdint.h>

#define SCOPE_FLEET_COARSE_BITS 4
#define SCOPE_FLEET_BUCKETS ((65 - SCOPE_FLEET_COARSE_BITS) << SCOPE_FLEET_COARSE_BITS) /* no rule */

struct scope_fleet_bucket {
	uint32_t bucket; /* below SCOPE_FLEET_BUCKETS */
	uint64_t count;
};

/* The buckets that are not empty, ascending. A zeroed struct is empty. */
struct scope_fleet_coarse {
	struct scope_fleet_bucket *at;
	size_t count, capacity;
};

uint32_t scope_fleet_coarse_bucket(uint64_t value);
/* The middle of a bucket's values. */
double scope_fleet_coarse_value(uint32_t bucket);

/* Both: 0, or -ENOMEM, and then the distribution is unchanged. The bucket is below SCOPE_FLEET_BUCKETS. */
int scope_fleet_coarse_add(struct scope_fleet_coarse *coarse, uint32_t bucket, uint64_t times);
int scope_fleet_coarse_merge(struct scope_fleet_coarse *to, const struct scope_fleet_coarse *from);
uint64_t scope_fleet_coarse_total(const struct scope_fleet_coarse *coarse);
/* The q-quantile (0 to 1): the least value that at least this share does not exceed; 0 of an empty one. */
double scope_fleet_coarse_quantile(const struct scope_fleet_coarse *coarse, double q);
void scope_fleet_coarse_free(struct scope_fleet_coarse *coarse);

/*
 * As bytes, for databases: per bucket its distance from the one before and its count, LEB128 each. put: room for
 * SCOPE_FLEET_COARSE_BYTES of the count; returns the length. take adds them; -EBADMSG if they are damaged, and what came
 * before the damage is added.
 */
#define SCOPE_FLEET_COARSE_BYTES(count) ((count)*13)
size_t scope_fleet_coarse_put(const struct scope_fleet_coarse *coarse, uint8_t *to);
int scope_fleet_coarse_take(struct scope_fleet_coarse *coarse, const uint8_t *from, size_t bytes);

#endif
