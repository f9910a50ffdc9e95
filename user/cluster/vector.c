// SPDX-License-Identifier: GPL-2.0-only
/* Interns 0/1 vectors: a hash table from the bits to an id (numbered without gaps) and its multiplicity. */
#include "cluster/vector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INITIAL_CAPACITY 64u /* no rule */

/*
 * A slot of the table. Its hash is compared first, so that a vector that is then read from memory is almost always the
 * right one.
 */
struct slot {
	uint32_t number; /* id + 1, or 0 for a free slot */
	uint32_t hash;	 /* the upper half; the lower half selects the slot */
};

/* Open addressing with linear probing; at most half of the slots are taken. */
struct scope_vector_set {
	struct scope_vector *vectors; /* by id */
	uint64_t *multiplicities;     /* by id */
	struct slot *slots;	      /* 2 * capacity of them */
	uint32_t count;
	uint32_t capacity; /* of entries; a power of two */
	uint64_t units;
};

bool scope_cluster_vector_has(const struct scope_vector *vector, uint32_t bit)
{
	return bit < SCOPE_VECTOR_BITS && (vector->word[bit / 64] >> (bit % 64) & 1);
}

/*
 * Bits are counted by adding neighbours (Warren, Hacker's Delight, 5-1), because not every processor has an instruction
 * for this, and the compilers' replacement is slower. Each word adds at most 8 to a byte, so 31 words fit.
 */
uint32_t scope_cluster_vector_distance(const struct scope_vector *a, const struct scope_vector *b)
{
	uint64_t sums = 0;

	_Static_assert(SCOPE_VECTOR_WORDS <= 31, "sums of bits must fit into a byte");
	for (int i = 0; i < SCOPE_VECTOR_WORDS; i++) {
		uint64_t word = a->word[i] ^ b->word[i];

		word -= word >> 1 & 0x5555555555555555ull;
		word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
		sums += (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
	}
	/* Sums of two neighbours do not fit into a byte any more. */
	sums = (sums & 0x00ff00ff00ff00ffull) + (sums >> 8 & 0x00ff00ff00ff00ffull);
	return (uint32_t)(sums * 0x0001000100010001ull >> 48);
}

int scope_cluster_vector_compare(const struct scope_vector *a, const struct scope_vector *b)
{
	for (int i = 0; i < SCOPE_VECTOR_WORDS; i++)
		if (a->word[i] != b->word[i])
			return a->word[i] < b->word[i] ? -1 : 1;
	return 0;
}

/*
 * The hash is a sum over words. Each word is folded and has a factor of its own (an odd multiple of the golden ratio),
 * so that no step depends on the one before. At the end every bit must affect the low bits.
 */
static uint64_t hash_of(const struct scope_vector *vector)
{
	uint64_t hash = 0, factor = 0x9e3779b97f4a7c15ULL;

#pragma GCC unroll 16
	for (int i = 0; i < SCOPE_VECTOR_WORDS; i++) {
		const uint64_t word = vector->word[i];

		if (!word) /* most words are 0 */
			continue;
		hash += (word ^ word >> 32) * (factor * (uint64_t)(i + 1) | 1);
	}
	hash = (hash ^ hash >> 32) * factor;
	return hash ^ hash >> 32;
}

/* The slot that holds @vector, or the free one where it belongs. */
static struct slot *find_slot(const struct scope_vector *vectors, struct slot *slots, size_t slot_count,
			      const struct scope_vector *vector, uint64_t hash)
{
	size_t at = hash & (slot_count - 1);

	while (slots[at].number &&
	       (slots[at].hash != hash >> 32 || memcmp(&vectors[slots[at].number - 1], vector, sizeof(*vector))))
		at = (at + 1) & (slot_count - 1);
	return &slots[at];
}

static int grow(struct scope_vector_set *set)
{
	uint32_t capacity = set->capacity ? set->capacity * 2 : INITIAL_CAPACITY;
	struct scope_vector *vectors;
	uint64_t *multiplicities;
	struct slot *slots;

	if (set->capacity > UINT32_MAX / 4)
		return -ENOMEM;
	slots = calloc((size_t)capacity * 2, sizeof(*slots));
	vectors = realloc(set->vectors, (size_t)capacity * sizeof(*vectors));
	set->vectors = vectors ? vectors : set->vectors;
	multiplicities = realloc(set->multiplicities, (size_t)capacity * sizeof(*multiplicities));
	set->multiplicities = multiplicities ? multiplicities : set->multiplicities;
	if (!slots || !vectors || !multiplicities) {
		free(slots);
		return -ENOMEM;
	}
	for (size_t i = 0; i < 2ul * set->capacity; i++) {
		const struct slot *slot = &set->slots[i];

		if (slot->number)
			*find_slot(vectors, slots, (size_t)capacity * 2, &vectors[slot->number - 1],
				   hash_of(&vectors[slot->number - 1])) = *slot;
	}
	free(set->slots);
	set->slots = slots;
	set->capacity = capacity;
	return 0;
}

int scope_cluster_vector_set_create(struct scope_vector_set **ret_set)
{
	struct scope_vector_set *set = calloc(1, sizeof(*set));
	int err;

	if (!set)
		return -ENOMEM;
	err = grow(set);
	if (err) {
		scope_cluster_vector_set_destroy(set);
		return err;
	}
	*ret_set = set;
	return 0;
}

void scope_cluster_vector_set_destroy(struct scope_vector_set *set)
{
	if (!set)
		return;
	free(set->slots);
	free(set->vectors);
	free(set->multiplicities);
	free(set);
}

int scope_cluster_vector_set_add(struct scope_vector_set *set, const struct scope_vector *vector, uint64_t count,
				 uint32_t *ret_id)
{
	const uint64_t hash = hash_of(vector);
	struct slot *slot;
	int err;

	if (!count)
		return -EINVAL;
	if (count > SCOPE_VECTOR_UNITS_MAX - set->units)
		return -EOVERFLOW;
	slot = find_slot(set->vectors, set->slots, (size_t)set->capacity * 2, vector, hash);
	if (!slot->number && set->count == set->capacity) {
		err = grow(set);
		if (err)
			return err;
		slot = find_slot(set->vectors, set->slots, (size_t)set->capacity * 2, vector, hash);
	}
	if (!slot->number) {
		set->vectors[set->count] = *vector;
		set->multiplicities[set->count] = 0;
		*slot = (struct slot){ .number = ++set->count, .hash = hash >> 32 };
	}
	set->multiplicities[slot->number - 1] += count;
	set->units += count;
	if (ret_id)
		*ret_id = slot->number - 1;
	return 0;
}

int scope_cluster_vector_set_repeat(struct scope_vector_set *set, uint32_t id, uint64_t count)
{
	if (count > SCOPE_VECTOR_UNITS_MAX - set->units)
		return -EOVERFLOW;
	set->multiplicities[id] += count;
	set->units += count;
	return 0;
}

int scope_cluster_vector_set_find(const struct scope_vector_set *set, const struct scope_vector *vector,
				  uint32_t *ret_id)
{
	uint32_t id = find_slot(set->vectors, set->slots, (size_t)set->capacity * 2, vector, hash_of(vector))->number;

	if (!id)
		return -ENOENT;
	*ret_id = id - 1;
	return 0;
}

uint32_t scope_cluster_vector_set_count(const struct scope_vector_set *set)
{
	return set->count;
}

const struct scope_vector *scope_cluster_vector_set_get(const struct scope_vector_set *set, uint32_t id)
{
	return &set->vectors[id];
}

uint64_t scope_cluster_vector_set_multiplicity(const struct scope_vector_set *set, uint32_t id)
{
	return set->multiplicities[id];
}
