// SPDX-License-Identifier: GPL-2.0-only
/* Adds up what a call tree has in code without names. */
#include "rank/unnamed.h"

#include <math.h>

/* The next node in depth-first order inside the subtree of root; not below `at` if not `into`. 0: there is none. */
static uint32_t next_of(const struct scope_tree *tree, uint32_t root, uint32_t at, bool into)
{
	if (into && tree->node[at].child)
		return tree->node[at].child;
	while (at != root && !tree->node[at].sibling)
		at = tree->node[at].parent;
	return at == root ? 0 : tree->node[at].sibling;
}

double scope_rank_unnamed_share(const struct scope_finding *finding)
{
	const struct scope_tree *tree = &finding->evidence->tree;
	const double all_ns = finding->node ? tree->node[finding->node].total_ns : 0;
	double unnamed_ns = 0;
	uint32_t at;

	if (finding->function && scope_rank_is_unknown_code(finding->function))
		return 1;
	if (all_ns <= 0)
		return 0;
	for (at = next_of(tree, finding->node, finding->node, true); at;) {
		const bool unnamed = scope_rank_is_unknown_code(tree->node[at].function);

		unnamed_ns += unnamed ? tree->node[at].total_ns : 0;
		at = next_of(tree, finding->node, at, !unnamed);
	}
	return fmin(1, unnamed_ns / all_ns);
}
