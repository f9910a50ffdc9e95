// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linkage of points as a server's units give them: seconds from the points to the tree, a matrix
 * included, the least of several rounds where points are few, and peak memory; `linkage.py` runs it
 * beside other libraries.
 *
 * Usage: linkage LINKAGE POINTS [FILE]     FILE gets the points: one row of bytes each
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/huge.h"
#include "cluster/packed.h"

#define BITS 48
#define CENTRES 24
#define ROUNDS_OF 20000 /* points; the least time of all rounds counts */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Call sets some calls away from those of a few kinds of request. */
static struct scope_vector_set *make_points(uint32_t m)
{
	struct scope_vector centre[CENTRES] = { 0 };
	struct scope_vector_set *set;
	uint64_t random = 1;

	if (scope_cluster_vector_set_create(&set))
		exit(1);
	for (int c = 0; c < CENTRES; c++)
		centre[c].word[0] = (next_random(&random) & next_random(&random)) << 16;
	while (scope_cluster_vector_set_count(set) < m) {
		struct scope_vector vector = centre[next_random(&random) % CENTRES];

		for (uint64_t flips = next_random(&random) % 8; flips; flips--)
			vector.word[0] ^= 1ULL << (16 + next_random(&random) % BITS);
		if (scope_cluster_vector_set_add(set, &vector, 1, NULL))
			exit(1);
	}
	return set;
}

static void save_points(const struct scope_pack *pack, const char *path)
{
	FILE *file = fopen(path, "wb");

	if (!file)
		exit(1);
	for (uint32_t i = 0; i < pack->count; i++)
		for (uint32_t k = 0; k < pack->words * 64; k++)
			fputc(pack->bits[i * pack->words + k / 64] >> (k % 64) & 1, file);
	if (fclose(file))
		exit(1);
}

static int run(const struct scope_pack *pack, const uint32_t *points, const char *linkage, struct scope_merge **merges)
{
	uint32_t m = pack->count, dimensions = pack->words * 64;
	size_t stride = scope_cluster_linkage_stride(m);
	int err;

	if (!strcmp(linkage, "complete") || !strcmp(linkage, "single")) {
		uint8_t *distances = scope_huge_alloc(m * stride);

		err = scope_cluster_pack_matrix(pack, points, m, distances);
		if (!err)
			err = linkage[0] == 'c' ? scope_cluster_linkage_complete(distances, m, NULL, merges)
						: scope_cluster_linkage_single(distances, m, NULL, merges);
		free(distances);
	} else {
		double *values = calloc(dimensions * stride, sizeof(*values));

		scope_cluster_pack_unfold(pack, points, m, values);
		err = linkage[0] == 'a' ? scope_cluster_linkage_average(values, dimensions, m, NULL, merges)
					: scope_cluster_linkage_ward(values, dimensions, m, NULL, merges);
		free(values);
	}
	return err;
}

/* Of this program: the figure of getrusage() would be its parent's as well. */
static long peak_kb(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kb = 0;

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmHWM: %ld", &kb) == 1)
			break;
	if (status)
		fclose(status);
	return kb;
}

int main(int argc, char **argv)
{
	struct scope_merge *merges = NULL;
	struct timespec begin, end;
	struct scope_vector_set *set;
	struct scope_pack *pack;
	double sum = 0, least_s = 0;
	uint32_t *points;
	uint32_t m;

	if (argc < 3)
		return 2;
	m = strtoul(argv[2], NULL, 10);
	set = make_points(m);
	points = calloc(m, sizeof(*points));
	if (!points || scope_cluster_pack_create(set, &pack))
		return 1;
	for (uint32_t i = 0; i < m; i++)
		points[i] = i;
	for (uint32_t round = 0; round < 1 + ROUNDS_OF / m; round++) {
		double took_s;

		free(merges);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
		if (run(pack, points, argv[1], &merges))
			return 1;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
		took_s = end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9;
		least_s = !round || took_s < least_s ? took_s : least_s;
	}
	for (uint32_t k = 0; k + 1 < m; k++)
		sum += merges[k].height;
	printf("%.4f %ld %.17g\n", least_s, peak_kb(), sum);
	if (argc > 3)
		save_points(pack, argv[3]);
	free(merges);
	scope_cluster_pack_destroy(pack);
	free(points);
	scope_cluster_vector_set_destroy(set);
	return 0;
}
