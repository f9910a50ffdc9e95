// SPDX-License-Identifier: GPL-2.0-only
/* The clustering step: from distinct vectors to numbered clusters. */
#include "cluster/cluster.h"

#include <errno.h>
#include <stdlib.h>

#include "base/huge.h"
#include "base/random.h"
#include "cluster/divisive.h"
#include "cluster/packed.h"
#include "cluster/ward.h"

#define NO_LABEL UINT32_MAX

struct scope_clustering {
	uint32_t *labels; /* by vector id */
	uint32_t count;
	bool sampled;
};

/* A clustering that is being made; points are those of the pack. */
struct open_unit {
	const struct scope_pack *pack;
	const struct scope_vector_set *set;
	const struct scope_levels *levels;
	const struct scope_cluster_options *options;
	uint32_t count;	  /* clusters */
	uint32_t *label;  /* by point */
	uint32_t *member; /* points by cluster, ascending within each */
	uint32_t *start;  /* of each cluster in @member; count + 1 of them */
	uint32_t *medoid; /* point, by cluster */
};

/*
 * Picks @wanted of @count points in ascending order; every set is equally likely (selection sampling, D. Knuth, The Art
 * of Computer Programming 2, 3.4.2, algorithm S).
 */
static void pick_sample(uint32_t count, uint32_t wanted, uint64_t seed, uint32_t *points)
{
	uint32_t taken = 0;

	for (uint32_t p = 0; taken < wanted; p++)
		if (scope_random_below(&seed, count - p) < wanted - taken)
			points[taken++] = p;
}

/* The points to cluster: @m points of the pack, ascending. */
struct selected {
	const uint32_t *points;
	const uint64_t *weight;
	uint32_t m;
	uint32_t *labels; /* the result; their number is set in the clustering */
};

static int cut_at_height(struct open_unit *open_unit, const struct selected *selected, struct scope_merge *merges)
{
	int err = scope_cluster_linkage_cut(merges, selected->m, NULL, open_unit->options->cut, selected->labels,
					    &open_unit->count);

	free(merges);
	return err;
}

/* Complete and single linkage, on a matrix. */
static int cluster_by_matrix(struct open_unit *open_unit, const struct selected *selected)
{
	uint32_t m = selected->m;
	uint8_t *distances = scope_huge_alloc(m * scope_cluster_linkage_stride(m));
	struct scope_merge *merges;
	int err;

	if (!distances)
		return -ENOMEM;
	err = scope_cluster_pack_matrix(open_unit->pack, selected->points, m, distances);
	if (!err)
		err = open_unit->options->linkage == SCOPE_LINKAGE_COMPLETE
			      ? scope_cluster_linkage_complete(distances, m, selected->weight, &merges)
			      : scope_cluster_linkage_single(distances, m, selected->weight, &merges);
	free(distances);
	return err ? err : cut_at_height(open_unit, selected, merges);
}

static int cluster_by_average(struct open_unit *open_unit, const struct selected *selected)
{
	uint32_t dimensions = open_unit->pack->words * 64;
	double *values = calloc(dimensions * scope_cluster_linkage_stride(selected->m) + 1, sizeof(*values));
	struct scope_merge *merges;
	int err;

	if (!values)
		return -ENOMEM;
	scope_cluster_pack_unfold(open_unit->pack, selected->points, selected->m, values);
	err = scope_cluster_linkage_average(values, dimensions, selected->m, selected->weight, &merges);
	free(values);
	return err ? err : cut_at_height(open_unit, selected, merges);
}

static int cluster_by_ward(struct open_unit *open_unit, const struct selected *selected)
{
	uint32_t *ids = calloc(selected->m + 1ul, sizeof(*ids));
	int err;

	if (!ids)
		return -ENOMEM;
	for (uint32_t k = 0; k < selected->m; k++)
		ids[k] = open_unit->pack->id[selected->points[k]];
	err = scope_cluster_ward_run(open_unit->set, open_unit->levels, ids, selected->m, open_unit->options->cut,
				     selected->labels, &open_unit->count);
	free(ids);
	return err;
}

static int cluster_by_division(struct open_unit *open_unit, const struct selected *selected)
{
	return scope_cluster_divisive_run(open_unit->pack, selected->points, selected->m, open_unit->options->cut,
					  selected->labels, &open_unit->count);
}

static int (*const cluster_by[SCOPE_LINKAGE_COUNT])(struct open_unit *, const struct selected *) = {
	[SCOPE_LINKAGE_COMPLETE] = cluster_by_matrix,	[SCOPE_LINKAGE_AVERAGE] = cluster_by_average,
	[SCOPE_LINKAGE_SINGLE] = cluster_by_matrix,	[SCOPE_LINKAGE_WARD] = cluster_by_ward,
	[SCOPE_LINKAGE_DIVISIVE] = cluster_by_division,
};

/* Clusters @m points as the options say and labels them. */
static int cluster_points(struct open_unit *open_unit, const uint32_t *points, uint32_t m)
{
	uint32_t *labels = calloc(m + 1ul, sizeof(*labels));
	uint64_t *weight = calloc(m + 1ul, sizeof(*weight));
	const struct selected selected = { points, weight, m, labels };
	int err = -ENOMEM;

	if (labels && weight) {
		for (uint32_t k = 0; k < m; k++)
			weight[k] = open_unit->pack->weight[points[k]];
		err = cluster_by[open_unit->options->linkage](open_unit, &selected);
	}
	for (uint32_t k = 0; !err && k < m; k++)
		open_unit->label[points[k]] = labels[k];
	free(weight);
	free(labels);
	return err;
}

/* Lists the labelled points by cluster: a counting sort. */
static void list_members(struct open_unit *open_unit)
{
	uint32_t total = 0;

	for (uint32_t c = 0; c <= open_unit->count; c++)
		open_unit->start[c] = 0;
	for (uint32_t p = 0; p < open_unit->pack->count; p++)
		if (open_unit->label[p] != NO_LABEL)
			open_unit->start[open_unit->label[p]]++;
	for (uint32_t c = 0; c <= open_unit->count; c++) {
		uint32_t members = open_unit->start[c];

		open_unit->start[c] = total;
		total += members;
	}
	for (uint32_t p = 0; p < open_unit->pack->count; p++)
		if (open_unit->label[p] != NO_LABEL)
			open_unit->member[open_unit->start[open_unit->label[p]]++] = p;
	for (uint32_t c = open_unit->count; c > 0; c--)
		open_unit->start[c] = open_unit->start[c - 1];
	open_unit->start[0] = 0;
}

/* The points that were not sampled join the nearest medoid within the cut, or begin a new cluster. */
static void assign_rest(struct open_unit *open_unit)
{
	for (uint32_t p = 0; p < open_unit->pack->count; p++) {
		uint32_t best = NO_LABEL, best_distance = UINT32_MAX;

		if (open_unit->label[p] != NO_LABEL)
			continue;
		/* Distinct vectors are at least 1 apart, so the search ends at a distance of 1. */
		for (uint32_t c = 0; c < open_unit->count && best_distance > 1; c++) {
			uint32_t d = scope_cluster_pack_distance(open_unit->pack, p, open_unit->medoid[c]);

			if (d < best_distance && d <= open_unit->options->cut) {
				best_distance = d;
				best = c;
			}
		}
		if (best == NO_LABEL) {
			best = open_unit->count++;
			open_unit->medoid[best] = p;
		}
		open_unit->label[p] = best;
	}
}

static uint32_t members_of(const struct open_unit *open_unit, uint32_t cluster, const uint32_t **members)
{
	*members = open_unit->member + open_unit->start[cluster];
	return open_unit->start[cluster + 1] - open_unit->start[cluster];
}

static int cluster_sample(struct open_unit *open_unit)
{
	uint32_t m = open_unit->options->max_points;
	uint32_t *points = calloc(m, sizeof(*points));
	int err;

	if (!points)
		return -ENOMEM;
	pick_sample(open_unit->pack->count, m, open_unit->options->seed, points);
	err = cluster_points(open_unit, points, m);
	free(points);
	if (err)
		return err;
	list_members(open_unit);
	for (uint32_t c = 0; c < open_unit->count; c++) {
		const uint32_t *members;
		uint32_t n = members_of(open_unit, c, &members);
		uint64_t sum;

		scope_cluster_pack_medoid(open_unit->pack, members, n, &open_unit->medoid[c], &sum);
	}
	assign_rest(open_unit);
	return 0;
}

static int cluster_all(struct open_unit *open_unit)
{
	uint32_t m = open_unit->pack->count;
	uint32_t *points = calloc(m ? m : 1, sizeof(*points));
	int err;

	if (!points)
		return -ENOMEM;
	for (uint32_t p = 0; p < m; p++)
		points[p] = p;
	err = cluster_points(open_unit, points, m);
	free(points);
	return err;
}

struct numbering {
	uint64_t unit_count;
	uint32_t medoid; /* a point; points are in canonical order */
	uint32_t index;	 /* in the unordered clustering */
};

static struct numbering describe(const struct open_unit *open_unit, uint32_t index)
{
	struct numbering numbering = { .index = index };
	const uint32_t *members;
	uint32_t n = members_of(open_unit, index, &members);
	uint64_t sum;

	scope_cluster_pack_medoid(open_unit->pack, members, n, &numbering.medoid, &sum);
	for (uint32_t k = 0; k < n; k++)
		numbering.unit_count += open_unit->pack->weight[members[k]];
	return numbering;
}

static int compare_numbering(const void *a, const void *b)
{
	const struct numbering *x = a, *y = b;

	if (x->unit_count != y->unit_count)
		return x->unit_count > y->unit_count ? -1 : 1;
	return x->medoid < y->medoid ? -1 : x->medoid > y->medoid;
}

/* Gives the clusters their final numbers. */
static int finish(struct open_unit *open_unit, struct scope_clustering *clustering)
{
	uint32_t n = open_unit->count;
	struct numbering *order = calloc(n ? n : 1, sizeof(*order));
	uint32_t *final = calloc(n ? n : 1, sizeof(*final));
	int err = -ENOMEM;

	clustering->labels = calloc(open_unit->pack->count + 1ul, sizeof(*clustering->labels));
	if (!order || !final || !clustering->labels)
		goto free_all;
	list_members(open_unit);
	for (uint32_t c = 0; c < n; c++)
		order[c] = describe(open_unit, c);
	qsort(order, n, sizeof(*order), compare_numbering);
	for (uint32_t k = 0; k < n; k++)
		final[order[k].index] = k;
	for (uint32_t p = 0; p < open_unit->pack->count; p++)
		clustering->labels[open_unit->pack->id[p]] = final[open_unit->label[p]];
	clustering->count = n;
	err = 0;
free_all:
	free(final);
	free(order);
	return err;
}

static int run_open_unit(struct open_unit *open_unit, struct scope_clustering *clustering)
{
	size_t room = open_unit->pack->count + 1ul;
	int err = -ENOMEM;

	open_unit->label = malloc(room * sizeof(*open_unit->label));
	open_unit->member = calloc(room, sizeof(*open_unit->member));
	open_unit->start = calloc(room, sizeof(*open_unit->start));
	open_unit->medoid = calloc(room, sizeof(*open_unit->medoid));
	if (!open_unit->label || !open_unit->member || !open_unit->start || !open_unit->medoid)
		goto free_all;
	for (uint32_t p = 0; p < open_unit->pack->count; p++)
		open_unit->label[p] = NO_LABEL;
	clustering->sampled = open_unit->pack->count > open_unit->options->max_points;
	err = clustering->sampled ? cluster_sample(open_unit) : cluster_all(open_unit);
	if (!err)
		err = finish(open_unit, clustering);
free_all:
	free(open_unit->medoid);
	free(open_unit->start);
	free(open_unit->member);
	free(open_unit->label);
	return err;
}

int scope_cluster_run(const struct scope_vector_set *set, const struct scope_levels *levels,
		      const struct scope_cluster_options *options, struct scope_clustering **ret_clustering)
{
	struct open_unit open_unit = { .set = set, .levels = levels, .options = options };
	struct scope_clustering *clustering;
	struct scope_pack *pack;
	int err;

	/* The cut must be below the largest distance that the matrix can hold. */
	if (!scope_cluster_linkage_name(options->linkage) || !options->max_points ||
	    !(options->cut >= 0 && options->cut < SCOPE_LINKAGE_FAR))
		return -EINVAL;
	err = scope_cluster_pack_create(set, &pack);
	if (err)
		return err;
	open_unit.pack = pack;
	clustering = calloc(1, sizeof(*clustering));
	err = clustering ? run_open_unit(&open_unit, clustering) : -ENOMEM;
	scope_cluster_pack_destroy(pack);
	if (err) {
		scope_cluster_destroy(clustering);
		return err;
	}
	*ret_clustering = clustering;
	return 0;
}

void scope_cluster_destroy(struct scope_clustering *clustering)
{
	if (!clustering)
		return;
	free(clustering->labels);
	free(clustering);
}

uint32_t scope_cluster_count(const struct scope_clustering *clustering)
{
	return clustering->count;
}

uint32_t scope_cluster_label(const struct scope_clustering *clustering, uint32_t vector_id)
{
	return clustering->labels[vector_id];
}

bool scope_cluster_sampled(const struct scope_clustering *clustering)
{
	return clustering->sampled;
}
