/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distinct 0/1 vectors with the number of times each was seen.
 *
 * The vector of an execution unit has one bit for each syscall number, which is set if the unit made that call at least
 * once. Millions of units have some thousands of distinct vectors, so all later steps work on distinct vectors with
 * multiplicities.
 */
#ifndef SCOPE_CLUSTER_VECTOR_H
#define SCOPE_CLUSTER_VECTOR_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#define SCOPE_VECTOR_WORDS 16 /* no rule */
#define SCOPE_VECTOR_BITS (SCOPE_VECTOR_WORDS * 64)

/* Up to this number of units in one set, sums of distances are exact in 64 bits and in a double. */
#define SCOPE_VECTOR_UNITS_MAX (1ULL << 53)

struct scope_vector {
	uint64_t word[SCOPE_VECTOR_WORDS]; /* bit b is bit b % 64 of word b / 64 */
};

struct scope_vector_set;

/* Sets bit @bit (a syscall number). -ERANGE if it is SCOPE_VECTOR_BITS or more. */
static inline int scope_cluster_vector_mark(struct scope_vector *vector, uint32_t bit)
{
	if (bit >= SCOPE_VECTOR_BITS)
		return -ERANGE;
	vector->word[bit / 64] |= 1ULL << (bit % 64);
	return 0;
}

/* True if @bit is set; false for a bit out of range. */
bool scope_cluster_vector_has(const struct scope_vector *vector, uint32_t bit);

/* Manhattan distance: the number of bits that differ, 0 to SCOPE_VECTOR_BITS. */
uint32_t scope_cluster_vector_distance(const struct scope_vector *a, const struct scope_vector *b);

/* Canonical order: by word 0, then word 1 and so on, as unsigned numbers. <0, 0 or >0. */
int scope_cluster_vector_compare(const struct scope_vector *a, const struct scope_vector *b);

/* Makes an empty set; the caller destroys it. -ENOMEM. */
int scope_cluster_vector_set_create(struct scope_vector_set **ret_set);

/* Takes NULL. */
void scope_cluster_vector_set_destroy(struct scope_vector_set *set);

/*
 * Adds @count units with this vector. Equal vectors share one id; ids are numbered from 0 without gaps, in the order of
 * first appearance. @ret_id may be NULL. -EINVAL for a count of 0, -EOVERFLOW beyond SCOPE_VECTOR_UNITS_MAX units,
 * -ENOMEM. A failed call does not change the set.
 */
int scope_cluster_vector_set_add(struct scope_vector_set *set, const struct scope_vector *vector, uint64_t count,
				 uint32_t *ret_id);

/* Adds @count units to those of @id (below the count). -EOVERFLOW as above. */
int scope_cluster_vector_set_repeat(struct scope_vector_set *set, uint32_t id, uint64_t count);

/* The id of this vector. -ENOENT if it was never added. */
int scope_cluster_vector_set_find(const struct scope_vector_set *set, const struct scope_vector *vector,
				  uint32_t *ret_id);

/* Number of distinct vectors. */
uint32_t scope_cluster_vector_set_count(const struct scope_vector_set *set);

/* The vector of @id (below the count). Borrowed: valid until the next add or destroy. */
const struct scope_vector *scope_cluster_vector_set_get(const struct scope_vector_set *set, uint32_t id);

/* How many units have the vector of @id (below the count). */
uint64_t scope_cluster_vector_set_multiplicity(const struct scope_vector_set *set, uint32_t id);

#endif
