// SPDX-License-Identifier: GPL-2.0-only
/* Agglomerative clustering: nearest-neighbour chain, minimum spanning tree, and the cut. */
#include "cluster/linkage.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The clusters not merged yet. A cluster lives in the slot of its smallest point, so slots stand
 * in the order of the tie rule: for a given cluster, the first of several nearest ones in a scan
 * by ascending slot is the one the rule asks for. That makes the order of cluster pairs strict
 * and keeps it reducible (a merged pair is never closer to a third than the closer of the two
 * was), which is what makes the chain arrive at the greedy tree on tied distances as well.
 */
struct forest {
	uint32_t m;
	uint32_t live_count;
	uint32_t *live;			/* slots in use, ascending; slot 0 is always among them */
	uint8_t *farthest;		/* complete: greatest distance per pair of slots */
	double *sum;			/* average: sum over pairs of observations */
	double *weight;			/* observations per slot */
};

static const char *const names[SCOPE_LINKAGE_COUNT] = {
	[SCOPE_LINKAGE_COMPLETE] = "complete",
	[SCOPE_LINKAGE_AVERAGE] = "average",
	[SCOPE_LINKAGE_SINGLE] = "single",
};

const char *scope_linkage_name(enum scope_linkage linkage)
{
	return (unsigned int)linkage < SCOPE_LINKAGE_COUNT ? names[linkage] : NULL;
}

static size_t pair_of(uint32_t m, uint32_t a, uint32_t b)
{
	return a < b ? scope_linkage_pair(m, a, b) : scope_linkage_pair(m, b, a);
}

static uint32_t nearest_complete(const struct forest *forest, uint32_t slot, double *height)
{
	uint32_t best = slot, k = 0;
	unsigned int best_distance = UINT8_MAX + 1;
	const uint8_t *row;

	for (; forest->live[k] < slot; k++) {
		uint8_t d = forest->farthest[scope_linkage_pair(forest->m, forest->live[k], slot)];

		if (d < best_distance) {
			best_distance = d;
			best = forest->live[k];
		}
	}
	/* From here on the pairs lie in one row. */
	row = forest->farthest + scope_linkage_pair(forest->m, slot, slot + 1);
	for (k++; k < forest->live_count; k++) {
		uint8_t d = row[forest->live[k] - slot - 1];

		if (d < best_distance) {
			best_distance = d;
			best = forest->live[k];
		}
	}
	*height = best_distance;
	return best;
}

static uint32_t nearest_average(const struct forest *forest, uint32_t slot, double *height)
{
	double best_distance = INFINITY;
	uint32_t best = slot;

	for (uint32_t k = 0; k < forest->live_count; k++) {
		uint32_t other = forest->live[k];
		double d;

		if (other == slot)
			continue;
		d = forest->sum[pair_of(forest->m, slot, other)] /
		    (forest->weight[slot] * forest->weight[other]);
		/* A sum that overflowed is still a neighbour when there is no other. */
		if (d < best_distance || best == slot) {
			best_distance = d;
			best = other;
		}
	}
	*height = best_distance;
	return best;
}

static uint32_t nearest(const struct forest *forest, uint32_t slot, double *height)
{
	return forest->farthest ? nearest_complete(forest, slot, height) :
				  nearest_average(forest, slot, height);
}

static void remove_live(struct forest *forest, uint32_t slot)
{
	uint32_t low = 0, high = forest->live_count - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (forest->live[middle] < slot)
			low = middle + 1;
		else
			high = middle;
	}
	forest->live_count--;
	memmove(&forest->live[low], &forest->live[low + 1],
		(forest->live_count - low) * sizeof(*forest->live));
}

/* Merges slot @gone into slot @kept, the smaller of the two. */
static void join(struct forest *forest, uint32_t kept, uint32_t gone)
{
	remove_live(forest, gone);
	for (uint32_t k = 0; k < forest->live_count; k++) {
		uint32_t other = forest->live[k];
		size_t to, from;

		if (other == kept)
			continue;
		to = pair_of(forest->m, kept, other);
		from = pair_of(forest->m, gone, other);
		if (forest->sum)
			forest->sum[to] += forest->sum[from];
		else if (forest->farthest[to] < forest->farthest[from])
			forest->farthest[to] = forest->farthest[from];
	}
	if (forest->weight)
		forest->weight[kept] += forest->weight[gone];
}

/*
 * Follows nearest neighbours until two are each other's, merges these, goes on from where it
 * was. Records slots instead of nodes in @merges; number_nodes() turns one into the other.
 * @chain and @depth_of have room for m each.
 */
static void follow_chain(struct forest *forest, uint32_t *chain, uint32_t *depth_of,
			 struct scope_merge *merges)
{
	uint32_t depth = 0, done = 0;

	while (forest->live_count > 1) {
		uint32_t top, near;
		double height;

		if (!depth) {
			depth_of[0] = 0;
			chain[depth++] = 0;
		}
		top = chain[depth - 1];
		near = nearest(forest, top, &height);
		if (depth > 1 && near == chain[depth - 2]) {
			uint32_t kept = near < top ? near : top;
			uint32_t gone = near < top ? top : near;

			merges[done++] = (struct scope_merge){ kept, gone, height, 0 };
			join(forest, kept, gone);
			depth -= 2;
			continue;
		}
		/*
		 * Rounded means may break reducibility by their last bit and lead back into the
		 * chain. Going back to that place is safe: its neighbour is nearer by now.
		 */
		if (depth_of[near] < depth && chain[depth_of[near]] == near) {
			depth = depth_of[near] + 1;
			continue;
		}
		depth_of[near] = depth;
		chain[depth++] = near;
	}
}

static int run_chain(struct forest *forest, struct scope_merge *merges)
{
	uint32_t m = forest->m;
	uint32_t *scratch = calloc(m, 3 * sizeof(*scratch));

	if (!scratch)
		return -ENOMEM;
	forest->live = scratch;
	forest->live_count = m;
	for (uint32_t i = 0; i < m; i++)
		forest->live[i] = i;
	follow_chain(forest, scratch + m, scratch + 2 * (size_t)m, merges);
	free(scratch);
	return 0;
}

static int compare_merges(const void *a, const void *b)
{
	const struct scope_merge *x = a, *y = b;

	if (x->height != y->height)
		return x->height < y->height ? -1 : 1;
	if (x->left != y->left)
		return x->left < y->left ? -1 : 1;
	return x->right < y->right ? -1 : x->right > y->right;
}

/* The link that the tie rule of single linkage puts first. */
static int compare_links(uint8_t d, uint32_t a, uint32_t b, const struct scope_merge *other)
{
	struct scope_merge link = { a < b ? a : b, a < b ? b : a, d, 0 };

	return compare_merges(&link, other);
}

/* Prim: the tree grows from point 0; link[i] is the best link of point i to the tree. */
static int run_spanning_tree(const uint8_t *distances, uint32_t m, struct scope_merge *merges)
{
	struct scope_merge *link = calloc(m, sizeof(*link));
	uint32_t added = 0;

	if (!link)
		return -ENOMEM;
	for (uint32_t i = 0; i < m; i++)
		link[i].height = INFINITY;
	for (uint32_t done = 0; done + 1 < m; done++) {
		uint32_t best = m;

		link[added].height = -1;	/* in the tree */
		for (uint32_t i = 0; i < m; i++) {
			uint8_t d;

			if (link[i].height < 0)
				continue;
			d = distances[pair_of(m, added, i)];
			if (compare_links(d, added, i, &link[i]) < 0)
				link[i] = (struct scope_merge){ added < i ? added : i,
								added < i ? i : added, d, 0 };
			if (best == m || compare_merges(&link[i], &link[best]) < 0)
				best = i;
		}
		merges[done] = link[best];
		added = best;
	}
	free(link);
	return 0;
}

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

/* Sorts merges that name one point of either side, then names nodes and counts members. */
static int number_nodes(struct scope_merge *merges, uint32_t m, const uint64_t *multiplicity)
{
	uint32_t *parent = calloc(m, sizeof(*parent));
	uint32_t *node = calloc(m, sizeof(*node));
	uint64_t *size = calloc(m, sizeof(*size));
	int err = -ENOMEM;

	if (!parent || !node || !size)
		goto free_all;
	qsort(merges, m - 1, sizeof(*merges), compare_merges);
	for (uint32_t i = 0; i < m; i++) {
		parent[i] = i;
		node[i] = i;
		size[i] = multiplicity ? multiplicity[i] : 1;
	}
	for (uint32_t k = 0; k + 1 < m; k++) {
		uint32_t a = find_root(parent, merges[k].left);
		uint32_t b = find_root(parent, merges[k].right);

		merges[k].left = node[a] < node[b] ? node[a] : node[b];
		merges[k].right = node[a] < node[b] ? node[b] : node[a];
		size[a] += size[b];
		merges[k].size = size[a];
		parent[b] = a;
		node[a] = m + k;
	}
	err = 0;
free_all:
	free(size);
	free(node);
	free(parent);
	return err;
}

/* Turns distances in @sum into sums over observations, and runs the chain on them. */
static int run_average(double *sum, uint32_t m, const uint64_t *multiplicity,
		       struct scope_merge *merges)
{
	struct forest forest = { .m = m, .sum = sum, .weight = calloc(m, sizeof(double)) };
	int err;

	if (!forest.weight)
		return -ENOMEM;
	for (uint32_t i = 0; i < m; i++)
		forest.weight[i] = multiplicity ? multiplicity[i] : 1;
	for (uint32_t i = 0; i < m; i++)
		for (uint32_t j = i + 1; j < m; j++)
			*sum++ *= forest.weight[i] * forest.weight[j];
	err = run_chain(&forest, merges);
	free(forest.weight);
	return err;
}

static int run_average_of_bytes(const uint8_t *distances, uint32_t m, const uint64_t *multiplicity,
				struct scope_merge *merges)
{
	size_t pairs = (size_t)m * (m - 1) / 2;
	double *sum = calloc(pairs, sizeof(*sum));
	int err;

	if (!sum)
		return -ENOMEM;
	for (size_t k = 0; k < pairs; k++)
		sum[k] = distances[k];
	err = run_average(sum, m, multiplicity, merges);
	free(sum);
	return err;
}

/* Room for the merges of @m points, once the arguments hold. */
static int prepare(uint32_t m, const uint64_t *multiplicity, struct scope_merge **ret_merges)
{
	struct scope_merge *merges;

	if (m > UINT32_MAX / 2)		/* node numbers reach 2 * m - 2 */
		return -EINVAL;
	for (uint32_t i = 0; multiplicity && i < m; i++)
		if (!multiplicity[i])
			return -EINVAL;
	merges = calloc(m > 1 ? m - 1 : 1, sizeof(*merges));
	if (!merges)
		return -ENOMEM;
	*ret_merges = merges;
	return 0;
}

/* Hands over the merges that a run gave, or frees them if it failed. */
static int finish(int err, struct scope_merge *merges, uint32_t m, const uint64_t *multiplicity,
		  struct scope_merge **ret_merges)
{
	if (!err && m > 1)
		err = number_nodes(merges, m, multiplicity);
	if (err)
		free(merges);
	else
		*ret_merges = merges;
	return err;
}

int scope_linkage_run(enum scope_linkage linkage, uint8_t *distances, uint32_t m,
		      const uint64_t *multiplicity, struct scope_merge **ret_merges)
{
	struct forest forest = { .m = m, .farthest = distances };
	struct scope_merge *merges;
	int err;

	if (!scope_linkage_name(linkage))
		return -EINVAL;
	err = prepare(m, multiplicity, &merges);
	if (err)
		return err;
	if (m < 2)
		err = 0;
	else if (linkage == SCOPE_LINKAGE_COMPLETE)
		err = run_chain(&forest, merges);
	else if (linkage == SCOPE_LINKAGE_AVERAGE)
		err = run_average_of_bytes(distances, m, multiplicity, merges);
	else
		err = run_spanning_tree(distances, m, merges);
	return finish(err, merges, m, multiplicity, ret_merges);
}

int scope_linkage_run_average(double *distances, uint32_t m, const uint64_t *multiplicity,
			      struct scope_merge **ret_merges)
{
	size_t pairs = m ? (size_t)m * (m - 1) / 2 : 0;
	struct scope_merge *merges;
	int err;

	for (size_t k = 0; k < pairs; k++)
		if (!isfinite(distances[k]) || distances[k] < 0)
			return -EINVAL;
	err = prepare(m, multiplicity, &merges);
	if (err)
		return err;
	if (m > 1)
		err = run_average(distances, m, multiplicity, merges);
	return finish(err, merges, m, multiplicity, ret_merges);
}

int scope_linkage_cut(const struct scope_merge *merges, uint32_t m, double cut, uint32_t *labels,
		      uint32_t *ret_count)
{
	uint32_t kept = 0, count = 0;
	uint32_t *top;			/* the highest kept node above each node */
	uint32_t *label;		/* by top node, plus 1 */

	while (kept + 1 < m && merges[kept].height <= cut)
		kept++;
	top = calloc((size_t)m + kept + 1, 2 * sizeof(*top));
	if (!top)
		return -ENOMEM;
	label = top + m + kept + 1;
	for (uint32_t i = 0; i < m + kept; i++)
		top[i] = i;
	for (uint32_t k = kept; k-- > 0;) {
		top[merges[k].left] = top[m + k];
		top[merges[k].right] = top[m + k];
	}
	for (uint32_t i = 0; i < m; i++) {
		if (!label[top[i]])
			label[top[i]] = ++count;
		labels[i] = label[top[i]] - 1;
	}
	free(top);
	*ret_count = count;
	return 0;
}
