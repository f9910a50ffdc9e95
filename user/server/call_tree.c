// SPDX-License-Identifier: GPL-2.0-only
/* The call tree of a thread, as counts of its stacks by node, and the distance of two of them. */
#include "server/call_tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"

#define CHANCE_TIMES 2 /* times the mean distance by chance: up to this there is no difference */

int scope_server_call_tree_add(struct scope_call_tree *tree, uint32_t node)
{
	if (tree->nodes && tree->node[tree->nodes - 1].node == node) {
		tree->node[tree->nodes - 1].count++;
		tree->stacks++;
		return 0;
	}
	if (scope_grow(&tree->node, &tree->capacity, tree->nodes + 1, sizeof(*tree->node)))
		return -ENOMEM;
	tree->node[tree->nodes++] = (struct scope_call_count){ node, 1 };
	tree->stacks++;
	return 0;
}

static int by_node(const void *left, const void *right)
{
	const struct scope_call_count *a = left, *b = right;

	return (a->node > b->node) - (a->node < b->node);
}

void scope_server_call_tree_sort(struct scope_call_tree *tree)
{
	size_t to = 0;

	if (!tree->nodes)
		return;
	qsort(tree->node, tree->nodes, sizeof(*tree->node), by_node);
	for (size_t i = 1; i < tree->nodes; i++) {
		if (tree->node[i].node == tree->node[to].node)
			tree->node[to].count += tree->node[i].count;
		else
			tree->node[++to] = tree->node[i];
	}
	tree->nodes = to + 1;
}

void scope_server_call_tree_free(struct scope_call_tree *tree)
{
	free(tree->node);
	*tree = (struct scope_call_tree){ 0 };
}

/* Walks both at once. *ret_chance: by what two samples of both together would differ on average. */
static double compare(const struct scope_call_tree *a, const struct scope_call_tree *b, double *ret_chance)
{
	const double all = (double)a->stacks + b->stacks, parts = 1.0 / a->stacks + 1.0 / b->stacks;
	double sum = 0, chance = 0;
	size_t i = 0, j = 0;

	while (i < a->nodes || j < b->nodes) {
		const uint32_t left = i < a->nodes ? a->node[i].node : UINT32_MAX;
		const uint32_t right = j < b->nodes ? b->node[j].node : UINT32_MAX;
		const double one = left <= right ? a->node[i++].count : 0,
			     other = right <= left ? b->node[j++].count : 0;
		const double share = (one + other) / all;

		sum += fabs(one / a->stacks - other / b->stacks);
		chance += sqrt(share * (1 - share) * parts);
	}
	/* The mean of the size of a normal variable is sqrt(2 / pi) of its standard deviation. */
	*ret_chance = chance * sqrt(2 / M_PI) / 2;
	return sum / 2;
}

double scope_server_call_tree_apart(const struct scope_call_tree *a, const struct scope_call_tree *b)
{
	double chance, distance = compare(a, b, &chance);

	return fmax(distance - CHANCE_TIMES * chance, 0);
}
