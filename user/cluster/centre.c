// SPDX-License-Identifier: GPL-2.0-only
/*
 * Average and Ward linkage: distances of clusters from the sums of their members.
 *
 * The mean distance of the members of two clusters of 0/1 vectors, and the growth of the sum of
 * squares when two clusters join, follow dimension by dimension from the members' sums and numbers.
 * So a distance is never the result of others, and does not gather their errors. A matrix of 16 bits
 * a distance, rounded, tells which clusters may be the nearest to another one; between those,
 * distances from the sums decide, which are exact where the sums are.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "cluster/chain.h"
#include "cluster/rows.h"

#define BLOCK 16		/* clusters whose distances are computed at once */
#define LANES 4			/* of them at a time in a register, where one holds so many */
#define KEY_MAX 0xff00		/* of what is a distance: infinity */
#define KEY_FLOOR 1e-9		/* added, so that what rounding makes of 0 is as good as 0 */
#define TILE 64			/* rows that are filled together with their mirror */

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

/*
 * Clusters by their row in the matrix, in blocks: of each dimension BLOCK values stand together.
 * Average: the same as sum. Ward: means of the members.
 */
struct field {
	struct scope_rows rows;
	double *value;		/* (block * dimensions + dimension) * BLOCK + place in it */
	double *sum;		/* of the members, likewise */
	double *size;		/* observations; NAN where no cluster is */
	uint32_t dimensions;
	bool ward;
};

static size_t place_of(const struct field *field, uint32_t cluster, uint32_t dimension)
{
	return ((size_t)(cluster / BLOCK) * field->dimensions + dimension) * BLOCK + cluster % BLOCK;
}

/*
 * Mean distances: the sum over pairs of observations of |x - y|, which in a dimension with c ones in n
 * and d in k is c * (k - d) + d * (n - c), over n * k.
 */
SCOPE_CLONES static void measure_average(const double *restrict value, uint32_t dimensions,
					 const double *restrict own, double own_size,
					 const double *restrict size, double *restrict ret_distance)
{
	lanes a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
	const lanes *at = (const lanes *)value, *sizes = (const lanes *)size;
	lanes *distances = (lanes *)ret_distance;
	double total = 0;

	for (uint32_t k = 0; k < dimensions; k++, at += BLOCK / LANES) {
		const double left = own_size - 2 * own[k];

		total += own[k];
		a += at[0] * left;
		b += at[1] * left;
		c += at[2] * left;
		d += at[3] * left;
	}
	distances[0] = (a + total * sizes[0]) / (own_size * sizes[0]);
	distances[1] = (b + total * sizes[1]) / (own_size * sizes[1]);
	distances[2] = (c + total * sizes[2]) / (own_size * sizes[2]);
	distances[3] = (d + total * sizes[3]) / (own_size * sizes[3]);
}

/* Squares of Ward's heights: twice the growth of the sum of squares. */
SCOPE_CLONES static void measure_ward(const double *restrict value, uint32_t dimensions,
				      const double *restrict own, double own_size,
				      const double *restrict size, double *restrict ret_distance)
{
	lanes a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
	const lanes *at = (const lanes *)value, *sizes = (const lanes *)size;
	lanes *distances = (lanes *)ret_distance;

	for (uint32_t k = 0; k < dimensions; k++, at += BLOCK / LANES) {
		a += (at[0] - own[k]) * (at[0] - own[k]);
		b += (at[1] - own[k]) * (at[1] - own[k]);
		c += (at[2] - own[k]) * (at[2] - own[k]);
		d += (at[3] - own[k]) * (at[3] - own[k]);
	}
	distances[0] = a * (2 * (own_size * sizes[0]) / (own_size + sizes[0]));
	distances[1] = b * (2 * (own_size * sizes[1]) / (own_size + sizes[1]));
	distances[2] = c * (2 * (own_size * sizes[2]) / (own_size + sizes[2]));
	distances[3] = d * (2 * (own_size * sizes[3]) / (own_size + sizes[3]));
}

/* Of a block of clusters from one of which `own` are the values. */
static void measure(const struct field *field, uint32_t block, const double *own, double own_size,
		    double distance[BLOCK])
{
	(field->ward ? measure_ward : measure_average)(
		field->value + (size_t)block * field->dimensions * BLOCK, field->dimensions, own,
		own_size, field->size + block * BLOCK, distance);
}

/* The upper 16 bits behind the sign of a float; what is none is above all others. */
SCOPE_CLONES static void make_keys(const double *restrict distance, uint16_t *restrict ret_key)
{
	union {
		float value[BLOCK];
		uint32_t bits[BLOCK];
	} rounded;

	for (int i = 0; i < BLOCK; i++)
		rounded.value[i] = (float)(distance[i] + KEY_FLOOR);
	for (int i = 0; i < BLOCK; i++)
		ret_key[i] = rounded.bits[i] >> 15;
}

static void copy_values(const struct field *field, uint32_t cluster, double *own)
{
	for (uint32_t k = 0; k < field->dimensions; k++)
		own[k] = field->value[place_of(field, cluster, k)];
}

/* Distances of the rows from `top` on, of TILE at most, to a block, and back. */
static void fill_tile(struct field *field, uint32_t top, uint32_t bottom, uint32_t block,
		      const double *own)
{
	for (uint32_t i = top; i < bottom; i++) {
		uint16_t *row = (uint16_t *)scope_rows_at(&field->rows, i) + block * BLOCK;
		double distance[BLOCK];

		measure(field, block, own + (i - top) * field->dimensions, field->size[i], distance);
		make_keys(distance, row);
		for (uint32_t j = 0; j < BLOCK && block * BLOCK + j < field->rows.width; j++)
			((uint16_t *)scope_rows_at(&field->rows, block * BLOCK + j))[i] = row[j];
	}
}

static int fill_matrix(struct field *field)
{
	const uint32_t m = field->rows.width;
	double *own = calloc(field->dimensions + 1ul, TILE * sizeof(*own));

	if (!own)
		return -ENOMEM;
	for (uint32_t top = 0; top < m; top += TILE) {
		const uint32_t bottom = top + TILE < m ? top + TILE : m;

		for (uint32_t i = top; i < bottom; i++)
			copy_values(field, i, own + (i - top) * field->dimensions);
		for (uint32_t block = top / BLOCK; block * BLOCK < m; block++)
			fill_tile(field, top, bottom, block, own);
	}
	free(own);
	return 0;
}

/* Least of a row whose length is a multiple of 64. */
SCOPE_CLONES static uint16_t least_of(const uint16_t *row, size_t length)
{
	uint16_t least[32], all = UINT16_MAX;

	memset(least, UINT8_MAX, sizeof(least));
	for (size_t k = 0; k < length; k += 32)
		for (int i = 0; i < 32; i++)
			least[i] = row[k + i] < least[i] ? row[k + i] : least[i];
	for (int i = 0; i < 32; i++)
		all = least[i] < all ? least[i] : all;
	return all;
}

/* Is any of 32 values this low? */
SCOPE_CLONES static bool any_within(const uint16_t *row, uint16_t limit)
{
	uint16_t found = 0;

	for (int i = 0; i < 32; i++)
		found |= row[i] <= limit;
	return found;
}

/* The distance of two clusters; for whole numbers without rounding but that of the quotient. */
static double exact_distance(const struct field *field, uint32_t a, uint32_t b)
{
	const double size_a = field->size[a], size_b = field->size[b];
	double sum = 0;

	for (uint32_t k = 0; k < field->dimensions; k++) {
		const double of_a = field->sum[place_of(field, a, k)];
		const double of_b = field->sum[place_of(field, b, k)];
		const double apart = of_a * size_b - of_b * size_a;

		sum += field->ward ? apart * apart : of_a * (size_b - of_b) + of_b * (size_a - of_a);
	}
	return sum / (field->ward ? size_a * size_b * (size_a + size_b) / 2 : size_a * size_b);
}

struct chain_state {
	struct field *field;
	double *own;		/* room for the values of one cluster */
};

static uint32_t nearest(void *context, uint32_t slot, double *ret_height)
{
	const struct chain_state *state = context;
	struct field *field = state->field;
	const uint32_t row = field->rows.row_of[slot];
	const uint16_t *keys = scope_rows_at(&field->rows, row);
	uint32_t best = SCOPE_ROWS_NEVER;
	uint16_t limit;

	scope_rows_catch_up(&field->rows, row);
	limit = least_of(keys, field->rows.stride);
	/* The rounding before that of the key may have led to the next one. */
	if (limit < KEY_MAX)
		limit++;
	for (uint32_t start = 0; start < field->rows.width; start += 32) {
		if (!any_within(keys + start, limit))
			continue;
		for (uint32_t i = start; i < start + 32; i++) {
			double distance;

			if (keys[i] > limit)
				continue;
			distance = exact_distance(field, row, i);
			if (best == SCOPE_ROWS_NEVER || distance < *ret_height) {
				*ret_height = distance;
				best = i;
			}
		}
	}
	if (field->ward)
		*ret_height = sqrt(*ret_height);
	return field->rows.row[best].slot;
}

/* Moves clusters as scope_rows_shrink() will. */
static void move_values(struct field *field)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < field->rows.width; i++) {
		if (field->rows.row[i].slot == SCOPE_ROWS_NEVER)
			continue;
		for (uint32_t k = 0; k < field->dimensions; k++) {
			field->value[place_of(field, count, k)] = field->value[place_of(field, i, k)];
			field->sum[place_of(field, count, k)] = field->sum[place_of(field, i, k)];
		}
		field->size[count++] = field->size[i];
	}
	for (uint32_t i = count; i < field->rows.width; i++)
		field->size[i] = NAN;
}

static void add_values(struct field *field, uint32_t to, uint32_t from)
{
	const double size = field->size[to] + field->size[from];

	for (uint32_t k = 0; k < field->dimensions; k++) {
		const size_t place = place_of(field, to, k);

		field->sum[place] += field->sum[place_of(field, from, k)];
		field->value[place] = field->ward ? field->sum[place] / size : field->sum[place];
	}
	field->size[to] = size;
	field->size[from] = NAN;
}

static void join(void *context, uint32_t kept, uint32_t gone)
{
	const struct chain_state *state = context;
	struct field *field = state->field;
	const uint32_t to = field->rows.row_of[kept], from = field->rows.row_of[gone];
	uint16_t *row = scope_rows_at(&field->rows, to);
	double distance[BLOCK];

	add_values(field, to, from);
	copy_values(field, to, state->own);
	/* Those gone have no size, and so no distance. */
	for (uint32_t block = 0; block * BLOCK < field->rows.width; block++) {
		measure(field, block, state->own, field->size[to], distance);
		make_keys(distance, row + block * BLOCK);
	}
	row[to] = UINT16_MAX;
	scope_rows_join(&field->rows, to, from);
	if (!scope_rows_sparse(&field->rows))
		return;
	move_values(field);
	scope_rows_shrink(&field->rows);
}

/* Dimensions in which all points are the same add nothing: they are left out. */
static uint32_t list_dimensions(const double *points, uint32_t dimensions, uint32_t m,
				const double **ret_list)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < dimensions; k++) {
		const double *values = points + k * scope_linkage_stride(m);

		for (uint32_t i = 1; i < m; i++) {
			if (values[i] == values[0])
				continue;
			ret_list[count++] = values;
			break;
		}
	}
	return count;
}

static void fill_values(struct field *field, const double *const *list, const uint64_t *multiplicity)
{
	for (uint32_t i = 0; i < field->rows.stride; i++)
		field->size[i] = i >= field->rows.width ? NAN : multiplicity ? multiplicity[i] : 1;
	for (uint32_t k = 0; k < field->dimensions; k++) {
		for (uint32_t i = 0; i < field->rows.width; i++) {
			const size_t place = place_of(field, i, k);

			field->sum[place] = list[k][i] * field->size[i];
			field->value[place] = field->ward ? list[k][i] : field->sum[place];
		}
	}
}

static int run(struct field *field, const double *points, uint32_t dimensions, uint32_t m,
	       const uint64_t *multiplicity, struct scope_merge *merges)
{
	const size_t stride = scope_linkage_stride(m);
	uint16_t *keys = malloc(m * stride * sizeof(*keys));
	const double **list = calloc(dimensions + 1ul, sizeof(*list));
	struct chain_state state = { field, calloc(dimensions + 1ul, sizeof(double)) };
	const struct scope_chain_clusters clusters = { &state, nearest, join };
	int err = -ENOMEM;

	field->size = calloc(stride, sizeof(*field->size));
	field->value = calloc((dimensions + 1ul) * stride, sizeof(*field->value));
	field->sum = calloc((dimensions + 1ul) * stride, sizeof(*field->sum));
	if (keys && list && state.own && field->size && field->value && field->sum)
		err = scope_rows_init(&field->rows, keys, sizeof(*keys), m);
	if (!err) {
		field->dimensions = list_dimensions(points, dimensions, m, list);
		fill_values(field, list, multiplicity);
		err = fill_matrix(field);
	}
	for (uint32_t i = 0; !err && i < m; i++)
		keys[i * stride + i] = UINT16_MAX;
	if (!err)
		err = scope_chain_follow(&clusters, m, merges);
	scope_rows_free(&field->rows);
	free(field->sum);
	free(field->value);
	free(field->size);
	free(state.own);
	free(list);
	free(keys);
	return err;
}

static int run_all(bool ward, const double *points, uint32_t dimensions, uint32_t m,
		   const uint64_t *multiplicity, struct scope_merge **ret_merges)
{
	struct field field = { .ward = ward };
	struct scope_merge *merges;
	int err = scope_chain_prepare(m, multiplicity, &merges);

	if (err)
		return err;
	if (m > 1)
		err = run(&field, points, dimensions, m, multiplicity, merges);
	return scope_chain_finish(err, merges, m, multiplicity, ret_merges);
}

int scope_linkage_average(const double *points, uint32_t dimensions, uint32_t m,
			  const uint64_t *multiplicity, struct scope_merge **ret_merges)
{
	return run_all(false, points, dimensions, m, multiplicity, ret_merges);
}

int scope_linkage_ward(const double *points, uint32_t dimensions, uint32_t m,
		       const uint64_t *multiplicity, struct scope_merge **ret_merges)
{
	return run_all(true, points, dimensions, m, multiplicity, ret_merges);
}
