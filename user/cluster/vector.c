// SPDX-License-Identifier: GPL-2.0-only
/* Interns 0/1 vectors: a hash table from the bits to a dense id and its multiplicity. */
#include "cluster/vector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INITIAL_CAPACITY 64u

struct entry {
	struct scope_vector vector;
	uint64_t multiplicity;
};

/* Open addressing with linear probing; at most half of the slots are taken. */
struct scope_vector_set {
	struct entry *entries;		/* by id */
	uint32_t *slots;		/* id + 1, or 0 for a free slot; 2 * capacity of them */
	uint32_t count;
	uint32_t capacity;		/* of entries; a power of two */
	uint64_t units;
};

bool scope_vector_has(const struct scope_vector *vector, uint32_t bit)
{
	return bit < SCOPE_VECTOR_BITS && (vector->word[bit / 64] >> (bit % 64) & 1);
}

uint32_t scope_vector_distance(const struct scope_vector *a, const struct scope_vector *b)
{
	uint32_t distance = 0;

	for (int i = 0; i < SCOPE_VECTOR_WORDS; i++)
		distance += __builtin_popcountll(a->word[i] ^ b->word[i]);
	return distance;
}

int scope_vector_compare(const struct scope_vector *a, const struct scope_vector *b)
{
	for (int i = 0; i < SCOPE_VECTOR_WORDS; i++)
		if (a->word[i] != b->word[i])
			return a->word[i] < b->word[i] ? -1 : 1;
	return 0;
}

/*
 * A sum over words, each folded and with a factor of its own, so that none waits for the one before:
 * multiples of the golden ratio, made odd. Then every bit must reach the low ones.
 */
static uint64_t hash_of(const struct scope_vector *vector)
{
	uint64_t hash = 0, factor = 0x9e3779b97f4a7c15ULL;

#pragma GCC unroll 16
	for (int i = 0; i < SCOPE_VECTOR_WORDS; i++) {
		const uint64_t word = vector->word[i];

		if (!word)	/* as most are */
			continue;
		hash += (word ^ word >> 32) * (factor * (uint64_t)(i + 1) | 1);
	}
	hash = (hash ^ hash >> 32) * factor;
	return hash ^ hash >> 32;
}

/* The slot that holds @vector, or the free one where it belongs. */
static uint32_t *find_slot(const struct entry *entries, uint32_t *slots, size_t slot_count,
			   const struct scope_vector *vector)
{
	size_t at = hash_of(vector) & (slot_count - 1);

	while (slots[at] && memcmp(&entries[slots[at] - 1].vector, vector, sizeof(*vector)))
		at = (at + 1) & (slot_count - 1);
	return &slots[at];
}

static int grow(struct scope_vector_set *set)
{
	uint32_t capacity = set->capacity ? set->capacity * 2 : INITIAL_CAPACITY;
	struct entry *entries;
	uint32_t *slots;

	if (set->capacity > UINT32_MAX / 4)
		return -ENOMEM;
	slots = calloc((size_t)capacity * 2, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	entries = realloc(set->entries, (size_t)capacity * sizeof(*entries));
	if (!entries) {
		free(slots);
		return -ENOMEM;
	}
	for (uint32_t id = 0; id < set->count; id++)
		*find_slot(entries, slots, (size_t)capacity * 2, &entries[id].vector) = id + 1;
	free(set->slots);
	set->slots = slots;
	set->entries = entries;
	set->capacity = capacity;
	return 0;
}

int scope_vector_set_create(struct scope_vector_set **ret_set)
{
	struct scope_vector_set *set = calloc(1, sizeof(*set));
	int err;

	if (!set)
		return -ENOMEM;
	err = grow(set);
	if (err) {
		free(set);
		return err;
	}
	*ret_set = set;
	return 0;
}

void scope_vector_set_destroy(struct scope_vector_set *set)
{
	if (!set)
		return;
	free(set->slots);
	free(set->entries);
	free(set);
}

int scope_vector_set_add(struct scope_vector_set *set, const struct scope_vector *vector,
			 uint64_t count, uint32_t *ret_id)
{
	uint32_t *slot;
	int err;

	if (!count)
		return -EINVAL;
	if (count > SCOPE_VECTOR_UNITS_MAX - set->units)
		return -EOVERFLOW;
	slot = find_slot(set->entries, set->slots, (size_t)set->capacity * 2, vector);
	if (!*slot && set->count == set->capacity) {
		err = grow(set);
		if (err)
			return err;
		slot = find_slot(set->entries, set->slots, (size_t)set->capacity * 2, vector);
	}
	if (!*slot) {
		set->entries[set->count] = (struct entry){ .vector = *vector };
		*slot = ++set->count;
	}
	set->entries[*slot - 1].multiplicity += count;
	set->units += count;
	if (ret_id)
		*ret_id = *slot - 1;
	return 0;
}

int scope_vector_set_find(const struct scope_vector_set *set, const struct scope_vector *vector,
			  uint32_t *ret_id)
{
	uint32_t id = *find_slot(set->entries, set->slots, (size_t)set->capacity * 2, vector);

	if (!id)
		return -ENOENT;
	*ret_id = id - 1;
	return 0;
}

uint32_t scope_vector_set_count(const struct scope_vector_set *set)
{
	return set->count;
}

uint64_t scope_vector_set_units(const struct scope_vector_set *set)
{
	return set->units;
}

const struct scope_vector *scope_vector_set_get(const struct scope_vector_set *set, uint32_t id)
{
	return &set->entries[id].vector;
}

uint64_t scope_vector_set_multiplicity(const struct scope_vector_set *set, uint32_t id)
{
	return set->entries[id].multiplicity;
}
