// SPDX-License-Identifier: GPL-2.0-only
/* Complete linkage on a matrix of bytes. */
#include <string.h>

#include "cluster/chain.h"
#include "cluster/matrix.h"

/* The least value of a row whose length is a multiple of 64. */
static uint8_t least_of(const uint8_t *row, size_t length)
{
	uint8_t least[64], all = UINT8_MAX;

	memset(least, UINT8_MAX, sizeof(least));
	for (size_t k = 0; k < length; k += 64)
		for (int i = 0; i < 64; i++)
			least[i] = row[k + i] < least[i] ? row[k + i] : least[i];
	for (int i = 0; i < 64; i++)
		all = least[i] < all ? least[i] : all;
	return all;
}

static void take_greater(uint8_t *restrict to, const uint8_t *restrict from, size_t length)
{
	for (size_t k = 0; k < length; k += 64)
		for (int i = 0; i < 64; i++)
			to[k + i] = to[k + i] > from[k + i] ? to[k + i] : from[k + i];
}

static uint32_t nearest(void *state, uint32_t slot, double *ret_height)
{
	struct scope_rows *rows = state;
	const uint32_t row = rows->row_of[slot];
	const uint8_t *values = scope_cluster_rows_at(rows, row);
	uint8_t least;

	scope_cluster_matrix_catch_up(rows, row);
	least = least_of(values, rows->stride);
	*ret_height = least;
	return rows->row[(const uint8_t *)memchr(values, least, rows->width) - values].slot;
}

/* A removed cluster stays removed, because its distance is larger than all others. */
static void join(void *state, uint32_t kept, uint32_t gone)
{
	struct scope_rows *rows = state;
	const uint32_t to = rows->row_of[kept], from = rows->row_of[gone];

	scope_cluster_matrix_catch_up(rows, to);
	scope_cluster_matrix_catch_up(rows, from);
	take_greater(scope_cluster_rows_at(rows, to), scope_cluster_rows_at(rows, from), rows->stride);
	scope_cluster_matrix_join(rows, to, from);
	if (scope_cluster_matrix_sparse(rows))
		scope_cluster_matrix_shrink(rows);
}

static int run(uint8_t *distances, uint32_t m, struct scope_merge *merges)
{
	struct scope_rows rows;
	const struct scope_chain_clusters clusters = { &rows, nearest, join };
	int err = scope_cluster_matrix_init(&rows, distances, m);

	if (!err)
		err = scope_cluster_chain_follow(&clusters, m, merges);
	scope_cluster_matrix_free(&rows);
	return err;
}

int scope_cluster_linkage_complete(uint8_t *distances, uint32_t m, const uint64_t *multiplicity,
				   struct scope_merge **ret_merges)
{
	struct scope_merge *merges;
	int err = scope_cluster_chain_prepare(m, multiplicity, &merges);

	if (err)
		return err;
	if (m > 1)
		err = run(distances, m, merges);
	return scope_cluster_chain_finish(err, merges, m, multiplicity, ret_merges);
}
