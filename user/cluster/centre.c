// SPDX-License-Identifier: GPL-2.0-only
/*
 * Average and Ward linkage without a matrix: distances of clusters from the sums of their members.
 *
 * The mean distance of the members of two clusters of 0/1 vectors, and the growth of the sum of
 * squares when two clusters join, follow dimension by dimension from the members' sums and numbers.
 * So memory is that of the points. A search adds up dimensions for 64 clusters at once and leaves
 * them as soon as all are too far: no dimension brings two clusters nearer. Those in which points
 * differ most come first.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "cluster/chain.h"

#define BLOCK 64
#define CHUNK 4			/* dimensions between two looks at how far a block is */
#define WIDTH_MIN 256		/* fewer columns are searched with the holes in them */
#define SLACK (1 + 1e-12)	/* what a limit is widened by, for the rounding of its own */

/* Columns are clusters: sums[dimension * stride + column]. */
struct field {
	double *sums;
	double *size;		/* observations; NAN where the cluster is gone */
	uint32_t *slot_of, *column_of;
	uint32_t dimensions, width, live;
	size_t stride;
	bool ward;
};

/* The cluster whose neighbour is searched, and the best found. */
struct search {
	double size, height;
	uint32_t column, best;
};

/* Sum over pairs of observations of |x - y|: of c ones in n and d in k, c * (k - d) + d * (n - c). */
SCOPE_CLONES static void add_average(const double *column, size_t stride, uint32_t dimensions,
				     const double *own, double own_size, const double *size,
				     double *sum)
{
	for (uint32_t k = 0; k < dimensions; k++, column += stride)
		for (int i = 0; i < BLOCK; i++)
			sum[i] += column[i] * (own_size - 2 * own[k]) + own[k] * size[i];
}

/* The square of the distance of the means, times that of both sizes. */
SCOPE_CLONES static void add_ward(const double *column, size_t stride, uint32_t dimensions,
				  const double *own, double own_size, const double *size, double *sum)
{
	for (uint32_t k = 0; k < dimensions; k++, column += stride) {
		for (int i = 0; i < BLOCK; i++) {
			double apart = column[i] * own_size - own[k] * size[i];

			sum[i] += apart * apart;
		}
	}
}

/* What a sum over dimensions is divided by: the mean distance, or twice the growth of squares. */
static double divisor(const struct field *field, double a, double b)
{
	return field->ward ? a * b * (a + b) / 2 : a * b;
}

/* Whether a column of the block may be as near as the best so far; false for those gone. */
SCOPE_CLONES static bool any_near(const double *sum, const double *limit)
{
	int near = 0;

	for (int i = 0; i < BLOCK; i++)
		near |= sum[i] <= limit[i];
	return near;
}

static void search_block(const struct field *field, uint32_t start, struct search *search)
{
	const double *own = field->sums + search->column, *size = field->size + start;
	double sum[BLOCK] = { 0 }, limit[BLOCK];

	for (int i = 0; i < BLOCK; i++)
		limit[i] = divisor(field, search->size, size[i]) * search->height * SLACK;
	for (uint32_t k = 0; k < field->dimensions; k += CHUNK) {
		uint32_t count = field->dimensions - k < CHUNK ? field->dimensions - k : CHUNK;
		double sums[CHUNK];

		for (uint32_t c = 0; c < count; c++)
			sums[c] = own[(k + c) * field->stride];
		(field->ward ? add_ward : add_average)(field->sums + k * field->stride + start,
						       field->stride, count, sums, search->size,
						       size, sum);
		if (!any_near(sum, limit))
			return;
	}
	for (uint32_t i = 0; i < BLOCK; i++) {
		double height = sum[i] / divisor(field, search->size, size[i]);

		if (start + i != search->column &&
		    (height < search->height ||
		     (height == search->height && start + i < search->best))) {
			search->height = height;
			search->best = start + i;
		}
	}
}

static uint32_t nearest(void *state, uint32_t slot, uint32_t near, double *ret_height)
{
	const struct field *field = state;
	uint32_t column = field->column_of[slot], first = field->column_of[near] / BLOCK * BLOCK;
	struct search search = {
		.size = field->size[column], .height = INFINITY, .column = column, .best = UINT32_MAX,
	};

	search_block(field, first, &search);
	for (uint32_t start = 0; start < field->width; start += BLOCK)
		if (start != first)
			search_block(field, start, &search);
	*ret_height = field->ward ? sqrt(search.height) : search.height;
	return field->slot_of[search.best];
}

/* Leaves out the columns whose clusters are gone. */
static void shrink(struct field *field)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < field->width; i++) {
		if (isnan(field->size[i]))
			continue;
		for (uint32_t k = 0; k < field->dimensions; k++)
			field->sums[k * field->stride + count] = field->sums[k * field->stride + i];
		field->size[count] = field->size[i];
		field->slot_of[count] = field->slot_of[i];
		field->column_of[field->slot_of[i]] = count++;
	}
	for (uint32_t i = count; i < field->width; i++)
		field->size[i] = NAN;
	field->width = count;
}

static void join(void *state, uint32_t kept, uint32_t gone)
{
	struct field *field = state;
	uint32_t to = field->column_of[kept], from = field->column_of[gone];

	for (uint32_t k = 0; k < field->dimensions; k++)
		field->sums[k * field->stride + to] += field->sums[k * field->stride + from];
	field->size[to] += field->size[from];
	field->size[from] = NAN;
	if (--field->live <= field->width / 2 && field->width > WIDTH_MIN)
		shrink(field);
}

struct dimension {
	const double *values;
	double spread;
};

static int compare_dimensions(const void *a, const void *b)
{
	const struct dimension *x = a, *y = b;

	if (x->spread != y->spread)
		return x->spread > y->spread ? -1 : 1;
	return x->values < y->values ? -1 : x->values > y->values;
}

/* The dimensions by their variance, greatest first; returns how many are not the same in all points. */
static uint32_t sort_dimensions(const double *points, uint32_t dimensions, uint32_t m,
				struct dimension *ret_order)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < dimensions; k++) {
		const double *values = points + k * scope_linkage_stride(m);
		double sum = 0, squares = 0;
		bool varies = false;

		for (uint32_t i = 0; i < m; i++) {
			sum += values[i];
			squares += values[i] * values[i];
			varies |= values[i] != values[0];
		}
		if (varies)
			ret_order[count++] = (struct dimension){ values, squares - sum * sum / m };
	}
	qsort(ret_order, count, sizeof(*ret_order), compare_dimensions);
	return count;
}

static void fill(struct field *field, const struct dimension *order, const uint64_t *multiplicity)
{
	for (uint32_t i = 0; i < field->stride; i++) {
		field->size[i] = i >= field->width ? NAN : multiplicity ? multiplicity[i] : 1;
		if (i < field->width)
			field->slot_of[i] = field->column_of[i] = i;
	}
	for (uint32_t k = 0; k < field->dimensions; k++)
		for (uint32_t i = 0; i < field->width; i++)
			field->sums[k * field->stride + i] = order[k].values[i] * field->size[i];
}

static int run(bool ward, const double *points, uint32_t dimensions, uint32_t m,
	       const uint64_t *multiplicity, struct scope_merge *merges)
{
	struct field field = { .width = m, .live = m, .ward = ward,
			       .stride = scope_linkage_stride(m) };
	const struct scope_chain_clusters clusters = { &field, nearest, join };
	struct dimension *order = calloc(dimensions + 1ul, sizeof(*order));
	int err = -ENOMEM;

	field.sums = calloc((dimensions + 1ul) * field.stride, sizeof(*field.sums));
	field.size = calloc(field.stride, sizeof(*field.size));
	field.slot_of = calloc(m, sizeof(*field.slot_of));
	field.column_of = calloc(m, sizeof(*field.column_of));
	if (order && field.sums && field.size && field.slot_of && field.column_of) {
		field.dimensions = sort_dimensions(points, dimensions, m, order);
		fill(&field, order, multiplicity);
		err = scope_chain_follow(&clusters, m, merges);
	}
	free(field.column_of);
	free(field.slot_of);
	free(field.size);
	free(field.sums);
	free(order);
	return err;
}

static int run_all(bool ward, const double *points, uint32_t dimensions, uint32_t m,
		   const uint64_t *multiplicity, struct scope_merge **ret_merges)
{
	struct scope_merge *merges;
	int err = scope_chain_prepare(m, multiplicity, &merges);

	if (err)
		return err;
	if (m > 1)
		err = run(ward, points, dimensions, m, multiplicity, merges);
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
