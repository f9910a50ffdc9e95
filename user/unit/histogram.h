/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call histograms with short numbers: which calls a unit of a group made, and how often each.
 *
 * Millions of units have only some thousands of different call histograms, so everything that follows from a unit's
 * calls (its vector, what it adds to distributions, how it is written to a log) is computed once for each of them.
 * Memory is bounded: lists that come when there is no more room have no number.
 */
#ifndef SCOPE_UNIT_HISTOGRAM_H
#define SCOPE_UNIT_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "unit/unit.h"

#define SCOPE_HISTOGRAMS_MAX 32768u	     /* no rule */
#define SCOPE_HISTOGRAM_CALLS_MAX (1u << 18) /* of all histograms together */
#define SCOPE_HISTOGRAM_STEPS_BITS 12	     /* no rule */
#define SCOPE_HISTOGRAM_COUNT_MAX 8	     /* no rule: no step leads to more of one call */
#define SCOPE_HISTOGRAM_NO_VECTOR UINT32_MAX

struct scope_histogram {
	uint32_t group;
	uint32_t vector[2]; /* by scope_unit_took(); SCOPE_HISTOGRAM_NO_VECTOR: until a unit ends with that list */
	uint32_t first;	    /* of its calls */
	uint16_t calls;
	uint64_t units[2]; /* of the distributions: with this histogram; by scope_unit_took() */
};

/* One more call: the histogram that follows another one. */
struct scope_histogram_step {
	uint64_t key; /* see scope_unit_histogram_step_key() */
	uint32_t to;
};

struct scope_histogram_slot {
	uint32_t number; /* of the histogram, and 1 more; 0: empty */
	uint32_t hash;
};

/* To be read through the functions below. */
struct scope_histograms {
	struct scope_histogram *histogram;
	size_t count, capacity;
	struct scope_unit_call *call;
	size_t calls, call_capacity;
	struct scope_histogram_slot *slot; /* open addressing, a power of two, half full at most */
	size_t slots;
	struct scope_histogram_step step[1u << SCOPE_HISTOGRAM_STEPS_BITS]; /* the last ones, by their keys' hash */
};

int scope_unit_histograms_create(struct scope_histograms **ret_histograms);
void scope_unit_histograms_destroy(struct scope_histograms *histograms); /* NULL is fine */

static inline const struct scope_unit_call *scope_unit_histogram_calls(const struct scope_histograms *histograms,
								       const struct scope_histogram *histogram)
{
	return &histograms->call[histogram->first];
}

/* The vector of a unit with a call histogram, or SCOPE_HISTOGRAM_NO_VECTOR. */
static inline uint32_t scope_unit_histogram_vector(const struct scope_histograms *histograms,
						   const struct scope_unit *unit)
{
	return histograms->histogram[unit->histogram].vector[scope_unit_took(unit)];
}

/* Of the group and the calls, two calls at a time. */
static inline uint64_t scope_unit_histogram_hash(uint32_t group, const struct scope_unit_call *call, unsigned calls)
{
	const uint64_t factor = 0x9e3779b97f4a7c15ull;
	uint64_t hash = (group + 1ull) * factor, two = 0;
	unsigned i;

	for (i = 0; i + 2 <= calls; i += 2) {
		memcpy(&two, &call[i], sizeof(two));
		hash = (hash ^ hash >> 29 ^ two) * factor;
	}
	if (i < calls)
		hash = (hash ^ hash >> 29 ^ (uint64_t)call[i].nr << 16 ^ call[i].count) * factor;
	return hash ^ hash >> 32;
}

/* The slot of that list, or the empty slot for it. */
static inline struct scope_histogram_slot *scope_unit_histograms_slot(const struct scope_histograms *histograms,
								      uint64_t hash, uint32_t group,
								      const struct scope_unit_call *call,
								      unsigned calls)
{
	for (size_t at = hash & (histograms->slots - 1);; at = (at + 1) & (histograms->slots - 1)) {
		struct scope_histogram_slot *slot = &histograms->slot[at];
		const struct scope_histogram *histogram;

		if (!slot->number)
			return slot;
		if (slot->hash != hash >> 32)
			continue;
		histogram = &histograms->histogram[slot->number - 1];
		if (histogram->group == group && histogram->calls == calls &&
		    !memcmp(scope_unit_histogram_calls(histograms, histogram), call, calls * sizeof(*call)))
			return slot;
	}
}

/* The number of the histogram of that list, or SCOPE_HISTOGRAM_NONE. */
static inline uint32_t scope_unit_histograms_find(const struct scope_histograms *histograms, uint64_t hash,
						  uint32_t group, const struct scope_unit_call *call, unsigned calls)
{
	return scope_unit_histograms_slot(histograms, hash, group, call, calls)->number - 1;
}

/* Adds a list that find() did not find; ret_number: SCOPE_HISTOGRAM_NONE if there is no room. 0 or -ENOMEM. */
int scope_unit_histograms_add(struct scope_histograms *histograms, uint64_t hash, const struct scope_unit *unit,
			      const struct scope_unit_call *call, uint32_t *ret_number);

/* The histogram without any call, or SCOPE_HISTOGRAM_NONE. 0 or -ENOMEM. */
int scope_unit_histograms_root(struct scope_histograms *histograms, uint32_t group, uint32_t *ret_number);

static inline uint64_t scope_unit_histogram_step_key(uint32_t from, uint16_t nr)
{
	return (uint64_t)from << 16 | nr;
}

static inline struct scope_histogram_step *scope_unit_histograms_step_at(struct scope_histograms *histograms,
									 uint64_t key)
{
	return &histograms->step[key * 0x9e3779b97f4a7c15ull >> (64 - SCOPE_HISTOGRAM_STEPS_BITS)];
}

/* As scope_unit_histograms_step(), but only from a cache of recent steps; SCOPE_HISTOGRAM_NONE: not in the cache. */
static inline uint32_t scope_unit_histograms_recent(struct scope_histograms *histograms, uint32_t from, uint16_t nr)
{
	const uint64_t key = scope_unit_histogram_step_key(from, nr);
	const struct scope_histogram_step *step = scope_unit_histograms_step_at(histograms, key);

	return step->key == key ? step->to : SCOPE_HISTOGRAM_NONE;
}

/*
 * The histogram of from's calls and one more. SCOPE_HISTOGRAM_NONE: the caller has to count without a histogram,
 * because calls made more than SCOPE_HISTOGRAM_COUNT_MAX times would need a new one each time, and half of the room
 * is kept for lists that units ended with. 0 or -ENOMEM.
 */
int scope_unit_histograms_step(struct scope_histograms *histograms, uint32_t from, uint16_t nr, uint32_t *ret_to);

#endif
