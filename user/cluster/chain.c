// SPDX-License-Identifier: GPL-2.0-only
/* The nearest-neighbour chain, and the steps before and after it that every tree needs. */
#include "cluster/chain.h"

#include <errno.h>
#include <stdlib.h>

#define POINTS_MAX (1u << 24)

int scope_cluster_chain_follow(const struct scope_chain_clusters *clusters, uint32_t m, struct scope_merge *merges)
{
	uint32_t *chain = calloc(m, 2 * sizeof(*chain));
	uint32_t *depth_of = chain ? chain + m : NULL;
	uint32_t depth = 0, done = 0;

	if (!chain)
		return -ENOMEM;
	while (done + 1 < m) {
		uint32_t top, near;
		double height;

		if (!depth) {
			depth_of[0] = 0;
			chain[depth++] = 0; /* slot 0 is always among them */
		}
		top = chain[depth - 1];
		near = clusters->nearest(clusters->state, top, &height);
		if (depth > 1 && near == chain[depth - 2]) {
			uint32_t kept = near < top ? near : top;
			uint32_t gone = near < top ? top : near;

			merges[done++] = (struct scope_merge){ kept, gone, height, 0 };
			clusters->join(clusters->state, kept, gone);
			depth -= 2;
			continue;
		}
		/*
		 * Rounding may violate reducibility in the last bit and lead back into the chain. Going back to that
		 * place is safe, because its neighbour is nearer now.
		 */
		if (depth_of[near] < depth && chain[depth_of[near]] == near) {
			depth = depth_of[near] + 1;
			continue;
		}
		depth_of[near] = depth;
		chain[depth++] = near;
	}
	free(chain);
	return 0;
}

int scope_cluster_chain_compare(const void *a, const void *b)
{
	const struct scope_merge *x = a, *y = b;

	if (x->height != y->height)
		return x->height < y->height ? -1 : 1;
	if (x->left != y->left)
		return x->left < y->left ? -1 : 1;
	return x->right < y->right ? -1 : x->right > y->right;
}

int scope_cluster_chain_prepare(uint32_t m, const uint64_t *multiplicity, struct scope_merge **ret_merges)
{
	struct scope_merge *merges;

	if (m >= POINTS_MAX)
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

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static int number_nodes(struct scope_merge *merges, uint32_t m, const uint64_t *multiplicity)
{
	uint32_t *parent = calloc(m, sizeof(*parent));
	uint32_t *node = calloc(m, sizeof(*node));
	uint64_t *size = calloc(m, sizeof(*size));
	int err = -ENOMEM;

	if (!parent || !node || !size)
		goto free_all;
	qsort(merges, m - 1, sizeof(*merges), scope_cluster_chain_compare);
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

int scope_cluster_chain_finish(int err, struct scope_merge *merges, uint32_t m, const uint64_t *multiplicity,
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
