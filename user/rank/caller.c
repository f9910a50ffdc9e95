// SPDX-License-Identifier: GPL-2.0-only
/* Decides if a function with many callers takes long itself, or if one of its callers calls it too often. */
#include "rank/caller.h"

#include <errno.h>
#include <stdlib.h>

#include "rank/same_cause.h"

#define ELSEWHERE 0.1	  /* share of a function's usual time for other callers: it has many callers */
#define IN_PROPORTION 0.5 /* ratio to the usual from which a caller's own part grew along with its callee */
#define OWN_ALONE 0.02	  /* a caller's own part, if usual units have no samples of it */
#define OWN_STACKS 5	  /* stacks of a caller's own part that are needed for a decision */

/* Samples at a node, and with all nodes below it: of usual units, of abnormal ones. */
struct side {
	double ns, all_ns;
	uint32_t stacks;
};

struct tally {
	struct side side[2];
};

static void add_items(const struct scope_evidence *evidence, struct tally *tally)
{
	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		struct side *side = &tally[item->node].side[item->abnormal];

		if (item->kind != SCOPE_ITEM_RUN || item->excess_ns == 0)
			continue;
		side->ns += item->abnormal ? item->excess_ns : -item->excess_ns;
		side->stacks++;
	}
	for (size_t i = 0; i < evidence->tree.count; i++)
		for (int j = 0; j < 2; j++)
			tally[i].side[j].all_ns = tally[i].side[j].ns;
	/* A child has a higher number than its parent. */
	for (size_t i = evidence->tree.count; i-- > 1;)
		for (int j = 0; j < 2; j++)
			tally[evidence->tree.node[i].parent].side[j].all_ns += tally[i].side[j].all_ns;
}

static bool lies_below(const struct scope_tree *tree, uint32_t node, const struct scope_function *function)
{
	for (; node != SCOPE_TREE_ROOT; node = tree->node[node].parent)
		if (tree->node[node].function == function)
			return true;
	return false;
}

/* True if usual units spend a part of the callee's time for other callers. */
static bool many_call(const struct scope_tree *tree, const struct tally *tally, uint32_t callee, uint32_t caller)
{
	const struct scope_function *function = tree->node[callee].function;
	double all_ns = 0, elsewhere_ns = 0;

	for (size_t i = 1; i < tree->count; i++) {
		if (tree->node[i].function != function)
			continue;
		all_ns += tally[i].side[0].all_ns;
		if (!lies_below(tree, i, tree->node[caller].function))
			elsewhere_ns += tally[i].side[0].all_ns;
	}
	return elsewhere_ns > 0 && elsewhere_ns >= ELSEWHERE * all_ns;
}

/* True if the caller's own time grew along with that of its callees. */
static bool grew_along(const struct tally *at)
{
	const struct side *usual = &at->side[0], *here = &at->side[1];
	const double part = here->all_ns > 0 ? here->ns / here->all_ns : 0;

	if (here->stacks < OWN_STACKS)
		return false;
	return usual->stacks < OWN_STACKS ? part >= OWN_ALONE : part >= IN_PROPORTION * usual->ns / usual->all_ns;
}

int scope_rank_caller(void *user, uint32_t from, uint32_t node, uint32_t *ret_node)
{
	const struct scope_same_cause *same_cause = user;
	const struct scope_evidence *evidence = same_cause->input->evidence;
	const struct scope_tree *tree = &evidence->tree;
	struct tally *tally;

	*ret_node = node;
	if (node == from || node == SCOPE_TREE_ROOT)
		return 0;
	tally = calloc(tree->count, sizeof(*tally));
	if (!tally)
		return -ENOMEM;
	add_items(evidence, tally);
	for (uint32_t callee = node, at; callee != from; callee = at) {
		at = tree->node[callee].parent;
		if (at == SCOPE_TREE_ROOT)
			break;
		if (grew_along(&tally[at]) && many_call(tree, tally, callee, at)) {
			*ret_node = at;
			break;
		}
	}
	free(tally);
	return 0;
}
