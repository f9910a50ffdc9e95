// SPDX-License-Identifier: GPL-2.0-only
/*
 * Complete linkage on a square matrix of bytes, of which only whole rows are read.
 *
 * A merge changes a row and a column. Writing the column would touch a cache line for each cluster
 * there is, twice as often as all else together. So only the row is written, and a log is kept of
 * merges: a row that is looked at catches up with the log first, which takes one value from the row
 * of each cluster merged since, and none where that cluster was merged again. Rows are then
 * searched from left to right, 16 bytes an instruction. When half of the clusters are gone, the
 * matrix is made that much smaller.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/chain.h"

#define GONE UINT8_MAX		/* no cluster there, or the row's own place: farther than all */
#define WIDTH_MIN 256		/* smaller matrices stay as they are */
#define NEVER UINT32_MAX

struct join {
	uint32_t kept, gone;
};

/* Of each cluster in the matrix: its number is that of its row and column. */
struct row {
	uint32_t slot;
	uint32_t caught_up;	/* with so many joins of the log */
	uint32_t made;		/* by which join, or NEVER */
};

struct matrix {
	uint8_t *distances;
	size_t stride;
	struct row *rows;
	uint32_t width, live;	/* of the rows, and those not gone */
	uint32_t *row_of;	/* by slot */
	struct join *log;
	uint32_t joins;
};

static uint8_t *distances_of(const struct matrix *matrix, uint32_t row)
{
	return matrix->distances + row * matrix->stride;
}

/* Least of a row whose length is a multiple of 64. */
static uint8_t least_of(const uint8_t *row, size_t length)
{
	uint8_t least[64], all = GONE;

	memset(least, GONE, sizeof(least));
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

/*
 * A row made by a join knew all joins before. What another cluster's row says of this one is true
 * if that row was made later than this one.
 */
static void catch_up(struct matrix *matrix, uint32_t row)
{
	uint8_t *distances = distances_of(matrix, row);

	for (uint32_t k = matrix->rows[row].caught_up; k < matrix->joins; k++) {
		const struct join *join = &matrix->log[k];

		distances[join->gone] = GONE;
		if (matrix->rows[join->kept].made == k)
			distances[join->kept] = distances_of(matrix, join->kept)[row];
	}
	matrix->rows[row].caught_up = matrix->joins;
}

/* Leaves the clusters that are gone out of the matrix, in place: nothing moves up or to the right. */
static void shrink(struct matrix *matrix)
{
	size_t stride = scope_linkage_stride(matrix->live);
	uint32_t *left = matrix->row_of;	/* for now: the old rows that stay */
	uint8_t *to = matrix->distances;
	uint32_t count = 0;

	for (uint32_t i = 0; i < matrix->width; i++)
		if (matrix->rows[i].slot != NEVER)
			left[count++] = i;
	for (uint32_t i = 0; i < count; i++)
		catch_up(matrix, left[i]);
	for (uint32_t i = 0; i < count; i++, to += stride) {
		const uint8_t *from = distances_of(matrix, left[i]);

		for (uint32_t j = 0; j < count; j++)
			to[j] = from[left[j]];
		memset(to + count, GONE, stride - count);
		matrix->rows[i] = (struct row){ matrix->rows[left[i]].slot, 0, NEVER };
	}
	for (uint32_t i = 0; i < count; i++)
		matrix->row_of[matrix->rows[i].slot] = i;
	matrix->stride = stride;
	matrix->width = count;
	matrix->joins = 0;
}

static uint32_t nearest(void *state, uint32_t slot, uint32_t near, double *ret_height)
{
	struct matrix *matrix = state;
	uint32_t row = matrix->row_of[slot];
	const uint8_t *distances = distances_of(matrix, row);
	uint8_t least;

	(void)near;
	catch_up(matrix, row);
	least = least_of(distances, matrix->stride);
	*ret_height = least;
	row = (const uint8_t *)memchr(distances, least, matrix->width) - distances;
	return matrix->rows[row].slot;
}

static void join(void *state, uint32_t kept, uint32_t gone)
{
	struct matrix *matrix = state;
	struct join join = { matrix->row_of[kept], matrix->row_of[gone] };

	catch_up(matrix, join.kept);
	catch_up(matrix, join.gone);
	take_greater(distances_of(matrix, join.kept), distances_of(matrix, join.gone),
		     matrix->stride);
	matrix->log[matrix->joins] = join;
	matrix->rows[join.kept].made = matrix->joins++;
	matrix->rows[join.kept].caught_up = matrix->joins;
	matrix->rows[join.gone].slot = NEVER;
	if (--matrix->live <= matrix->width / 2 && matrix->width > WIDTH_MIN)
		shrink(matrix);
}

static int run(uint8_t *distances, uint32_t m, struct scope_merge *merges)
{
	struct matrix matrix = {
		.distances = distances, .stride = scope_linkage_stride(m), .width = m, .live = m,
		.rows = calloc(m, sizeof(*matrix.rows)),
		.row_of = calloc(m, sizeof(*matrix.row_of)),
		.log = calloc(m, sizeof(*matrix.log)),
	};
	const struct scope_chain_clusters clusters = { &matrix, nearest, join };
	int err = -ENOMEM;

	if (matrix.rows && matrix.row_of && matrix.log) {
		for (uint32_t i = 0; i < m; i++) {
			uint8_t *row = distances_of(&matrix, i);

			row[i] = GONE;
			memset(row + m, GONE, matrix.stride - m);
			matrix.rows[i] = (struct row){ i, 0, NEVER };
			matrix.row_of[i] = i;
		}
		err = scope_chain_follow(&clusters, m, merges);
	}
	free(matrix.log);
	free(matrix.row_of);
	free(matrix.rows);
	return err;
}

int scope_linkage_complete(uint8_t *distances, uint32_t m, const uint64_t *multiplicity,
			   struct scope_merge **ret_merges)
{
	struct scope_merge *merges;
	int err = scope_chain_prepare(m, multiplicity, &merges);

	if (err)
		return err;
	if (m > 1)
		err = run(distances, m, merges);
	return scope_chain_finish(err, merges, m, multiplicity, ret_merges);
}
