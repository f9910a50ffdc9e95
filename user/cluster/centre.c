// SPDX-License-Identifier: GPL-2.0-only
/*
 * Average and Ward linkage: distances of clusters from the sums of their members.
 *
 * Distances of centres in single precision, with bounds on their rounding errors, select the clusters that may be
 * nearest; exact distances decide between these. docs/methods.md, section 3.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "cluster/chain.h"

#define BLOCK 32   /* no rule: clusters whose distances are computed at once */
#define LANES 8	   /* no rule: of these at a time, in one register that has room for them */
#define ALIGNED 64 /* no rule */

#define FEW 4 /* no rule: doubles that are added at a time */

typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), may_alias));
typedef double few __attribute__((vector_size(FEW * sizeof(double)), may_alias));

/*
 * Clusters, by place; places are numbered from 0 without gaps. Let p and q be two centres, x and y their squares as
 * defined below, and w = 1 for average linkage, or 2ab / (a + b) for Ward's with the sizes a and b. Then the distance
 * is w * (x + y - 2pq).
 */
struct field {
	float *centre;	 /* (block * dimensions + dimension) * BLOCK + place in it */
	float *square;	 /* average: the sum of the centre; Ward: of its squares */
	float *size;	 /* observations */
	float *low;	 /* for lower bounds of distances */
	double *sum;	 /* sums over the members: place * sums + dimension */
	double *members; /* observations */
	uint32_t *slot_of, *place_of;
	struct coordinate *coordinate; /* for the coordinates of a query */
	double scale;		       /* divisor of the coordinates: the greatest of all */
	float error;		       /* see struct query */
	uint32_t dimensions, count;
	uint32_t sums; /* dimensions, and zeros up to a multiple of FEW */
	bool ward;
};

static float *centre_at(const struct field *field, uint32_t place)
{
	return field->centre + (size_t)(place / BLOCK) * field->dimensions * BLOCK + place % BLOCK;
}

static double *sum_at(const struct field *field, uint32_t place)
{
	return field->sum + (size_t)place * field->sums;
}

/* A search for the neighbours of one cluster among all. */
struct query {
	const struct coordinate {
		uint32_t at; /* lanes from the start of a block */
		float value;
	} * coordinate; /* coordinates of its centre that are not 0: few for call sets */
	uint32_t coordinates;
	float square, size;
	float error; /* largest rounding error of x + y - 2pq */
	bool ward;
};

/* Computes bounds of the distances to one block. least[]: the least upper bounds so far. */
static inline __attribute__((always_inline)) void bound_block(const struct query *query, const lanes *block,
							      const lanes *square, const lanes *size, lanes *low,
							      lanes *least)
{
	lanes product[BLOCK / LANES] = { 0 };

	for (uint32_t k = 0; k < query->coordinates; k++) {
		const lanes *centre = block + query->coordinate[k].at;
		const float value = query->coordinate[k].value;

		product[0] += centre[0] * value;
		product[1] += centre[1] * value;
		product[2] += centre[2] * value;
		product[3] += centre[3] * value;
	}
	for (int i = 0; i < BLOCK / LANES; i++) {
		const lanes apart = query->square + square[i] - 2 * product[i];
		lanes high = apart + query->error;

		low[i] = apart - query->error;
		if (query->ward) {
			const lanes weight = 2 * query->size * size[i] / (query->size + size[i]);

			low[i] *= weight;
			high *= weight;
		}
		for (int j = 0; j < LANES; j++)
			least[i][j] = high[j] < least[i][j] ? high[j] : least[i][j];
	}
}

/* Fills low[] for all clusters. Returns the least upper bound. */
SCOPE_CLONES static float bound_all(const struct field *field, const struct query *query)
{
	lanes least[BLOCK / LANES];
	float all = INFINITY;

	for (int i = 0; i < BLOCK; i++)
		((float *)least)[i] = INFINITY;
	for (uint32_t place = 0; place < field->count; place += BLOCK)
		bound_block(query, (const lanes *)centre_at(field, place), (const lanes *)(field->square + place),
			    (const lanes *)(field->size + place), (lanes *)(field->low + place), least);
	for (int i = 0; i < BLOCK; i++)
		all = ((float *)least)[i] < all ? ((float *)least)[i] : all;
	return all;
}

/* The distance of two clusters. For whole numbers only the quotient is rounded. */
SCOPE_CLONES static double exact_distance(const struct field *field, uint32_t place_a, uint32_t place_b)
{
	const few *a = (const few *)sum_at(field, place_a), *b = (const few *)sum_at(field, place_b);
	const double size_a = field->members[place_a], size_b = field->members[place_b];
	few sum = { 0 };

	if (field->ward) {
		for (uint32_t k = 0; k < field->sums / FEW; k++) {
			const few apart = a[k] * size_b - b[k] * size_a;

			sum += apart * apart;
		}
	} else {
		for (uint32_t k = 0; k < field->sums / FEW; k++)
			sum += a[k] * (size_b - b[k]) + b[k] * (size_a - a[k]);
	}
	return (sum[0] + sum[1] + sum[2] + sum[3]) /
	       (field->ward ? size_a * size_b * (size_a + size_b) / 2 : size_a * size_b);
}

static struct query ask_of(const struct field *field, uint32_t place)
{
	const float *centre = centre_at(field, place);
	struct query query = {
		.coordinate = field->coordinate,
		.square = field->square[place],
		.size = field->size[place],
		.error = field->error,
		.ward = field->ward,
	};

	for (uint32_t k = 0; k < field->dimensions; k++)
		if (centre[(size_t)k * BLOCK] != 0)
			field->coordinate[query.coordinates++] =
				(struct coordinate){ k * (BLOCK / LANES), centre[(size_t)k * BLOCK] };
	return query;
}

/* True if any cluster of a block is this near. */
SCOPE_CLONES static bool any_within(const float *low, float limit)
{
	int found = 0;

	for (int i = 0; i < BLOCK; i++)
		found |= low[i] <= limit;
	return found;
}

static uint32_t nearest(void *state, uint32_t slot, double *ret_height)
{
	struct field *field = state;
	const uint32_t place = field->place_of[slot];
	const struct query query = ask_of(field, place);
	double least = INFINITY;
	uint32_t best = UINT32_MAX;
	float limit;

	field->square[place] = INFINITY; /* it is not its own neighbour */
	limit = bound_all(field, &query);
	field->square[place] = query.square;
	for (uint32_t block = 0; block < field->count; block += BLOCK) {
		if (!any_within(field->low + block, limit))
			continue;
		for (uint32_t i = block; i < block + BLOCK; i++) {
			double distance;

			if (!(field->low[i] <= limit))
				continue;
			distance = exact_distance(field, place, i);
			if (distance > least || (distance == least && field->slot_of[i] > best))
				continue;
			least = distance;
			best = field->slot_of[i];
		}
	}
	*ret_height = field->ward ? sqrt(least) : least;
	return best;
}

/* Updates the rounded values for searches from the sums of the cluster at a place. */
static void place_centre(struct field *field, uint32_t place)
{
	const double *sum = sum_at(field, place), size = field->members[place];
	float *centre = centre_at(field, place);
	double square = 0;

	for (uint32_t k = 0; k < field->dimensions; k++) {
		const double value = sum[k] / size / field->scale;

		centre[(size_t)k * BLOCK] = (float)value;
		square += field->ward ? value * value : value;
	}
	field->square[place] = (float)square;
	field->size[place] = (float)size;
}

/* The last cluster moves to the place of a removed one. */
static void fill_gap(struct field *field, uint32_t place)
{
	const uint32_t last = --field->count;

	if (place != last) {
		memcpy(sum_at(field, place), sum_at(field, last), field->sums * sizeof(double));
		field->members[place] = field->members[last];
		field->slot_of[place] = field->slot_of[last];
		field->place_of[field->slot_of[place]] = place;
		place_centre(field, place);
	}
	field->square[last] = INFINITY;
}

static void join(void *state, uint32_t kept, uint32_t gone)
{
	struct field *field = state;
	const uint32_t to = field->place_of[kept], from = field->place_of[gone];

	for (uint32_t k = 0; k < field->dimensions; k++)
		sum_at(field, to)[k] += sum_at(field, from)[k];
	field->members[to] += field->members[from];
	place_centre(field, to);
	fill_gap(field, from);
}

/* Lists the dimensions in which points differ; the others add nothing to a distance. */
static uint32_t list_dimensions(const double *points, uint32_t dimensions, uint32_t m, const double **ret_list)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < dimensions; k++) {
		const double *values = points + k * scope_cluster_linkage_stride(m);

		for (uint32_t i = 1; i < m; i++) {
			if (values[i] == values[0])
				continue;
			ret_list[count++] = values;
			break;
		}
	}
	return count;
}

/*
 * Coordinates, squares and each step of the sums are rounded, by FLT_EPSILON / 2 of numbers that are at most the
 * largest square (squares of centres are). The rest is for weights.
 */
static void place_points(struct field *field, const double *const *list, uint32_t m, const uint64_t *multiplicity)
{
	float most = 0;

	for (uint32_t i = 0; i < m; i++) {
		field->slot_of[i] = field->place_of[i] = i;
		field->members[i] = multiplicity ? multiplicity[i] : 1;
	}
	for (uint32_t k = 0; k < field->dimensions; k++) {
		for (uint32_t i = 0; i < m; i++) {
			const double size = fabs(list[k][i]);

			field->scale = size > field->scale ? size : field->scale;
			sum_at(field, i)[k] = list[k][i] * field->members[i];
		}
	}
	for (uint32_t i = 0; i < m; i++) {
		place_centre(field, i);
		most = field->square[i] > most ? field->square[i] : most;
	}
	for (uint32_t i = m; i < scope_cluster_linkage_stride(m); i++) {
		field->square[i] = INFINITY;
		field->size[i] = 1;
	}
	field->error = (float)(field->dimensions + 32) * FLT_EPSILON * most;
}

static void free_field(struct field *field)
{
	free(field->coordinate);
	free(field->place_of);
	free(field->slot_of);
	free(field->members);
	free(field->sum);
	free(field->low);
	free(field->size);
	free(field->square);
	free(field->centre);
}

static int create_field(struct field *field, uint32_t m)
{
	const size_t stride = scope_cluster_linkage_stride(m), floats = stride * sizeof(float);

	field->count = m;
	field->sums = (field->dimensions + FEW - 1) / FEW * FEW;
	field->centre = aligned_alloc(ALIGNED, (field->dimensions + 1ul) * floats);
	field->square = aligned_alloc(ALIGNED, floats);
	field->size = aligned_alloc(ALIGNED, floats);
	field->low = aligned_alloc(ALIGNED, floats);
	field->sum = aligned_alloc(ALIGNED, (field->sums + 1ul) * stride * sizeof(*field->sum));
	field->members = calloc(m, sizeof(*field->members));
	field->slot_of = calloc(m, sizeof(*field->slot_of));
	field->place_of = calloc(m, sizeof(*field->place_of));
	field->coordinate = calloc(field->dimensions + 1ul, sizeof(*field->coordinate));
	if (!field->centre || !field->square || !field->size || !field->low || !field->sum || !field->members ||
	    !field->slot_of || !field->place_of || !field->coordinate)
		return -ENOMEM;
	memset(field->centre, 0, (field->dimensions + 1ul) * floats);
	memset(field->sum, 0, field->sums * stride * sizeof(*field->sum));
	return 0;
}

static int run(bool ward, const double *points, uint32_t dimensions, uint32_t m, const uint64_t *multiplicity,
	       struct scope_merge *merges)
{
	struct field field = { .ward = ward };
	const struct scope_chain_clusters clusters = { &field, nearest, join };
	const double **list = calloc(dimensions + 1ul, sizeof(*list));
	int err = -ENOMEM;

	if (list) {
		field.dimensions = list_dimensions(points, dimensions, m, list);
		err = create_field(&field, m);
	}
	if (!err) {
		place_points(&field, list, m, multiplicity);
		err = scope_cluster_chain_follow(&clusters, m, merges);
	}
	free_field(&field);
	free(list);
	return err;
}

static int run_all(bool ward, const double *points, uint32_t dimensions, uint32_t m, const uint64_t *multiplicity,
		   struct scope_merge **ret_merges)
{
	struct scope_merge *merges;
	int err = scope_cluster_chain_prepare(m, multiplicity, &merges);

	if (err)
		return err;
	if (m > 1)
		err = run(ward, points, dimensions, m, multiplicity, merges);
	return scope_cluster_chain_finish(err, merges, m, multiplicity, ret_merges);
}

int scope_cluster_linkage_average(const double *points, uint32_t dimensions, uint32_t m, const uint64_t *multiplicity,
				  struct scope_merge **ret_merges)
{
	return run_all(false, points, dimensions, m, multiplicity, ret_merges);
}

int scope_cluster_linkage_ward(const double *points, uint32_t dimensions, uint32_t m, const uint64_t *multiplicity,
			       struct scope_merge **ret_merges)
{
	return run_all(true, points, dimensions, m, multiplicity, ret_merges);
}
