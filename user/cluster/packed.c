// SPDX-License-Identifier: GPL-2.0-only
/* Packs vectors into the bits in which they differ, and measures distances there. */
#include "cluster/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"

/*
 * Counts the bits of a word. A baseline x86-64 has no instruction for this, and the compiler's builtin would be a call
 * for each word. The compiler recognises this code, and uses the instruction if there is one.
 */
static inline uint32_t ones(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555ULL;
	x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return x * 0x0101010101010101ULL >> 56;
}

static int compare_ids(const void *a, const void *b, void *set)
{
	return scope_cluster_vector_compare(scope_cluster_vector_set_get(set, *(const uint32_t *)a),
					    scope_cluster_vector_set_get(set, *(const uint32_t *)b));
}

/* Lists the bits in which vectors of @set differ; returns how many. */
static uint32_t varying_bits(const struct scope_vector_set *set, uint16_t *bits)
{
	struct scope_vector any = { 0 }, differ = { 0 };
	uint32_t count = 0;

	for (uint32_t id = 0; id < scope_cluster_vector_set_count(set); id++) {
		const struct scope_vector *vector = scope_cluster_vector_set_get(set, id);

		if (!id)
			any = *vector;
		for (int w = 0; w < SCOPE_VECTOR_WORDS; w++)
			differ.word[w] |= any.word[w] ^ vector->word[w];
	}
	for (uint32_t bit = 0; bit < SCOPE_VECTOR_BITS; bit++)
		if (scope_cluster_vector_has(&differ, bit))
			bits[count++] = bit;
	return count;
}

static void pack_vectors(struct scope_pack *pack, const struct scope_vector_set *set, const uint16_t *bits,
			 uint32_t bit_count)
{
	for (uint32_t p = 0; p < pack->count; p++) {
		const struct scope_vector *vector = scope_cluster_vector_set_get(set, pack->id[p]);
		uint64_t *word = pack->bits + (size_t)p * pack->words;

		for (uint32_t k = 0; k < bit_count; k++)
			word[k / 64] |= (uint64_t)scope_cluster_vector_has(vector, bits[k]) << (k % 64);
		pack->weight[p] = scope_cluster_vector_set_multiplicity(set, pack->id[p]);
	}
}

int scope_cluster_pack_create(const struct scope_vector_set *set, struct scope_pack **ret_pack)
{
	uint16_t bits[SCOPE_VECTOR_BITS];
	uint32_t bit_count = varying_bits(set, bits);
	struct scope_pack *pack = calloc(1, sizeof(*pack));
	size_t room;

	if (!pack)
		return -ENOMEM;
	pack->count = scope_cluster_vector_set_count(set);
	pack->words = bit_count ? (bit_count + 63) / 64 : 1;
	room = pack->count ? pack->count : 1;
	pack->bits = calloc(room, pack->words * sizeof(*pack->bits));
	pack->weight = calloc(room, sizeof(*pack->weight));
	pack->id = calloc(room, sizeof(*pack->id));
	if (!pack->bits || !pack->weight || !pack->id) {
		scope_cluster_pack_destroy(pack);
		return -ENOMEM;
	}
	for (uint32_t p = 0; p < pack->count; p++)
		pack->id[p] = p;
	qsort_r(pack->id, pack->count, sizeof(*pack->id), compare_ids, (void *)set);
	pack_vectors(pack, set, bits, bit_count);
	*ret_pack = pack;
	return 0;
}

void scope_cluster_pack_destroy(struct scope_pack *pack)
{
	if (!pack)
		return;
	free(pack->bits);
	free(pack->weight);
	free(pack->id);
	free(pack);
}

SCOPE_CLONES uint32_t scope_cluster_pack_distance(const struct scope_pack *pack, uint32_t a, uint32_t b)
{
	const uint64_t *x = pack->bits + (size_t)a * pack->words;
	const uint64_t *y = pack->bits + (size_t)b * pack->words;
	uint32_t distance = 0;

	for (uint32_t w = 0; w < pack->words; w++)
		distance += ones(x[w] ^ y[w]);
	return distance;
}

/* Computes the distances of one point from @n others, of @words words each, that follow one another in memory. */
static inline __attribute__((always_inline)) void measure(const uint64_t *from, const uint64_t *others, uint32_t words,
							  uint32_t n, uint8_t *distances)
{
	for (uint32_t j = 0; j < n; j++, others += words) {
		uint32_t d = 0;

		for (uint32_t w = 0; w < words; w++)
			d += ones(from[w] ^ others[w]);
		distances[j] = d < SCOPE_LINKAGE_FAR ? d : SCOPE_LINKAGE_FAR;
	}
}

/* Nearly always one word is enough, so it has separate code. */
SCOPE_CLONES static void measure_row(const uint64_t *from, const uint64_t *others, uint32_t words, uint32_t n,
				     uint8_t *distances)
{
	if (words == 1)
		measure(from, others, 1, n, distances);
	else
		measure(from, others, words, n, distances);
}

/* Both halves are computed, which takes no longer than copying one half to the other. */
int scope_cluster_pack_matrix(const struct scope_pack *pack, const uint32_t *points, uint32_t m, uint8_t *distances)
{
	const size_t words = pack->words;
	uint64_t *bits = malloc(m ? m * words * sizeof(*bits) : 1);

	if (!bits)
		return -ENOMEM;
	for (uint32_t i = 0; i < m; i++)
		memcpy(bits + i * words, pack->bits + points[i] * words, words * sizeof(*bits));
	for (uint32_t i = 0; i < m; i++)
		measure_row(bits + i * words, bits, words, m, distances + i * scope_cluster_linkage_stride(m));
	free(bits);
	return 0;
}

void scope_cluster_pack_unfold(const struct scope_pack *pack, const uint32_t *points, uint32_t m, double *values)
{
	for (uint32_t k = 0; k < pack->words * 64; k++, values += scope_cluster_linkage_stride(m))
		for (uint32_t i = 0; i < m; i++)
			values[i] = pack->bits[(size_t)points[i] * pack->words + k / 64] >> (k % 64) & 1;
}

void scope_cluster_pack_medoid(const struct scope_pack *pack, const uint32_t *points, uint32_t n, uint32_t *ret_point,
			       uint64_t *ret_sum)
{
	uint64_t having[SCOPE_VECTOR_BITS] = { 0 }; /* units with each bit set */
	uint64_t units = 0, zero_sum = 0, best_sum = 0;
	uint32_t best = points[0];

	for (uint32_t k = 0; k < n; k++) {
		const uint64_t *word = pack->bits + (size_t)points[k] * pack->words;

		units += pack->weight[points[k]];
		for (uint32_t w = 0; w < pack->words; w++)
			for (uint64_t left = word[w]; left; left &= left - 1)
				having[w * 64 + __builtin_ctzll(left)] += pack->weight[points[k]];
	}
	for (uint32_t bit = 0; bit < pack->words * 64; bit++)
		zero_sum += having[bit];
	/* Intermediate results may wrap, because they are unsigned; every final sum is small and right. */
	for (uint32_t k = 0; k < n; k++) {
		const uint64_t *word = pack->bits + (size_t)points[k] * pack->words;
		uint64_t sum = zero_sum;

		for (uint32_t w = 0; w < pack->words; w++)
			for (uint64_t left = word[w]; left; left &= left - 1)
				sum += units - 2 * having[w * 64 + __builtin_ctzll(left)];
		if (!k || sum < best_sum) {
			best_sum = sum;
			best = points[k];
		}
	}
	*ret_point = best;
	*ret_sum = best_sum;
}
