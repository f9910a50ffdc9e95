// SPDX-License-Identifier: GPL-2.0-only
/* Call tree of program functions, with the excess time found under each. */
#include "evidence/tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define HOLDS 0.9      /* a child with this part of its parent's excess takes all of it */
#define MOST 0.5       /* a child with this part of a split may be called too often */
#define LARGEST 0.7    /* a child with this part has most of it … */
#define OWN 0.2	       /* a split function with this part of its own is named itself */
#define BRANCH 0.05    /* branches below this part stay with the function that splits */
#define RUN_WORTH 0.02 /* running excess of this part or more is searched separately */

int scope_evidence_tree_init(struct scope_tree *tree)
{
	*tree = (struct scope_tree){ 0 };
	if (scope_grow(&tree->node, &tree->capacity, 1, sizeof(*tree->node)))
		return -ENOMEM;
	tree->node[0] = (struct scope_tree_node){ 0 };
	tree->count = 1;
	return 0;
}

void scope_evidence_tree_free(struct scope_tree *tree)
{
	free(tree->node);
	*tree = (struct scope_tree){ 0 };
}

static int child_of(struct scope_tree *tree, uint32_t parent, const struct scope_function *function, uint32_t *ret_node)
{
	uint32_t at = tree->node[parent].child;

	while (at && tree->node[at].function != function)
		at = tree->node[at].sibling;
	if (!at) {
		if (scope_grow(&tree->node, &tree->capacity, tree->count + 1, sizeof(*tree->node)))
			return -ENOMEM;
		at = tree->count++;
		tree->node[at] = (struct scope_tree_node){
			.function = function,
			.parent = parent,
			.sibling = tree->node[parent].child,
			.depth = tree->node[parent].depth + 1,
		};
		tree->node[parent].child = at;
	}
	*ret_node = at;
	return 0;
}

int scope_evidence_tree_insert(struct scope_tree *tree, const struct scope_function *const *path, unsigned count,
			       uint32_t *ret_node)
{
	uint32_t node = SCOPE_TREE_ROOT;

	for (unsigned i = 0; i < count; i++) {
		uint32_t first = node;
		int err;

		while (first && tree->node[first].function != path[i])
			first = tree->node[first].parent;
		if (first) {
			node = first;
			continue;
		}
		err = child_of(tree, node, path[i], &node);
		if (err)
			return err;
	}
	*ret_node = node;
	return 0;
}

static bool same_circle(const struct scope_circle *a, const struct scope_circle *b)
{
	return a->function == b->function && a->count == b->count && !memcmp(a->by, b->by, sizeof(a->by));
}

void scope_evidence_tree_vote(struct scope_tree *tree, uint32_t node, const struct scope_circle *circle,
			      unsigned circles)
{
	static const struct scope_circle none = { 0 };

	for (; node != SCOPE_TREE_ROOT; node = tree->node[node].parent) {
		struct scope_tree_node *at = &tree->node[node];
		const struct scope_circle *says = &none;

		for (unsigned i = 0; i < circles; i++)
			if (circle[i].function == at->function)
				says = &circle[i];
		if (!at->votes)
			at->circle = *says;
		at->votes += same_circle(&at->circle, says) ? 1 : -1;
	}
}

void scope_evidence_tree_sum(struct scope_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		tree->node[i].total_ns = tree->node[i].self_ns;
		tree->node[i].total_run_ns = tree->node[i].self_run_ns;
	}
	/* Children come after their parents, so one pass backwards adds all sums to the parents. */
	for (size_t i = tree->count - 1; i > 0; i--) {
		tree->node[tree->node[i].parent].total_ns += tree->node[i].total_ns;
		tree->node[tree->node[i].parent].total_run_ns += tree->node[i].total_run_ns;
	}
}

uint32_t scope_evidence_tree_child_with(const struct scope_tree *tree, uint32_t node, double total_ns)
{
	uint32_t at = tree->node[node].child;

	while (at && tree->node[at].total_ns < total_ns)
		at = tree->node[at].sibling;
	return at;
}

struct shares {
	struct scope_share *share;
	size_t count, capacity;
};

static int add_share(struct shares *shares, const struct scope_tree *tree, uint32_t node, double excess_ns)
{
	struct scope_share *share;
	const struct scope_function *function = tree->node[node].function;

	if (!function || excess_ns <= 0)
		return 0;
	for (size_t i = 0; i < shares->count; i++) {
		share = &shares->share[i];
		if (share->function != function)
			continue;
		if (tree->node[node].total_ns > tree->node[share->node].total_ns)
			share->node = node;
		share->excess_ns += excess_ns;
		return 0;
	}
	if (scope_grow(&shares->share, &shares->capacity, shares->count + 1, sizeof(*share)))
		return -ENOMEM;
	shares->share[shares->count++] = (struct scope_share){ function, node, excess_ns };
	return 0;
}

uint32_t scope_evidence_tree_branch(const struct scope_tree *tree, uint32_t node, uint32_t other)
{
	uint32_t child = SCOPE_TREE_ROOT;

	for (; node != SCOPE_TREE_ROOT; child = node, node = tree->node[node].parent)
		for (uint32_t at = other; at != SCOPE_TREE_ROOT; at = tree->node[at].parent)
			if (at == node)
				return child;
	return child;
}

const struct scope_function *scope_evidence_tree_outermost(const struct scope_tree *tree, uint32_t node)
{
	const struct scope_function *function = NULL;

	for (; node != SCOPE_TREE_ROOT; node = tree->node[node].parent)
		function = tree->node[node].function;
	return function;
}

static uint32_t largest_child(const struct scope_tree *tree, uint32_t node)
{
	uint32_t best = 0;

	for (uint32_t at = tree->node[node].child; at; at = tree->node[at].sibling)
		if (!best || tree->node[at].total_ns > tree->node[best].total_ns)
			best = at;
	return best;
}

int scope_evidence_attribution_init(struct scope_attribution *attribution, const struct scope_tree *tree)
{
	*attribution = (struct scope_attribution){ calloc(tree->count, sizeof(*attribution->owner)), tree->count };
	return attribution->owner ? 0 : -ENOMEM;
}

void scope_evidence_attribution_free(struct scope_attribution *attribution)
{
	free(attribution->owner);
	*attribution = (struct scope_attribution){ 0 };
}

static void own(const struct scope_tree *tree, uint32_t node, const struct scope_function *function,
		struct scope_attribution *attribution)
{
	attribution->owner[node].function = function;
	for (uint32_t at = tree->node[node].child; at; at = tree->node[at].sibling)
		own(tree, at, function, attribution);
}

void scope_evidence_tree_own(const struct scope_tree *tree, uint32_t node, struct scope_attribution *attribution)
{
	own(tree, node, tree->node[node].function, attribution);
}

/* True if the child has that part of its parent's excess, and of its running excess. */
static bool holds_both(const struct scope_tree *tree, uint32_t node, uint32_t child)
{
	const struct scope_tree_node *of = &tree->node[node], *at = &tree->node[child];

	return at->total_ns >= HOLDS * of->total_ns &&
	       (of->total_run_ns < RUN_WORTH * of->total_ns || at->total_run_ns >= HOLDS * of->total_run_ns);
}

static bool worth_following(const struct scope_tree *tree, uint32_t node, uint32_t child)
{
	const struct scope_tree_node *of = &tree->node[node], *at = &tree->node[child];

	if (at->total_ns <= 0)
		return false;
	return at->total_ns >= BRANCH * of->total_ns ||
	       (of->total_run_ns >= RUN_WORTH * of->total_ns && at->total_run_ns >= BRANCH * of->total_run_ns);
}

/*
 * True if enough of the excess is the function's own for it to be named itself. What it spends in libraries is not, if one of the functions that
 * it calls has most of the excess: that one is the cause, and the libraries' part is a second.
 */
static bool is_own(const struct scope_tree *tree, uint32_t node, uint32_t largest)
{
	const struct scope_tree_node *of = &tree->node[node];
	double own_ns = of->self_ns - of->self_task_ns;

	if (largest && tree->node[largest].total_ns >= LARGEST * of->total_ns)
		own_ns -= fmax(of->self_below_ns, 0);
	return own_ns >= OWN * of->total_ns;
}

/* above: the function at which the excess was split, of which the node is one branch; ROOT: it was not. */
static int descend(struct shares *shares, const struct scope_tree *tree, const struct scope_tree_judge *judge,
		   uint32_t above, uint32_t node, struct scope_attribution *attribution)
{
	const uint32_t from = node;
	double excess_ns = tree->node[node].total_ns, rest_ns;
	uint32_t best = largest_child(tree, node), callee, caller;
	bool whole;
	int err = 0;

	while (best && holds_both(tree, node, best)) {
		node = best;
		excess_ns = tree->node[node].total_ns;
		best = largest_child(tree, node);
	}
	/* The child in which most of it is spent, though too little to descend to it. */
	callee = best && tree->node[best].total_ns >= MOST * excess_ns ? best : node;
	caller = callee;
	if (judge && judge->caller)
		err = judge->caller(judge->user, above, callee, &caller);
	if (err)
		return err;
	/* One branch of those that the caller has. */
	if (caller != callee && caller == above) {
		own(tree, from, tree->node[above].function, attribution);
		return add_share(shares, tree, above, tree->node[from].total_ns);
	}
	if (caller != callee) {
		scope_evidence_tree_own(tree, caller, attribution);
		return add_share(shares, tree, caller, tree->node[caller].total_ns);
	}
	scope_evidence_tree_own(tree, node, attribution);
	/*
	 * While the task waits for another task, the cause is in that one, maybe in what this function does when it
	 * continues.
	 */
	whole = is_own(tree, node, best) && !(judge && judge->branches);
	if (!whole && judge && best)
		err = judge->same_cause(judge->user, node, &whole);
	if (err)
		return err;
	if (node != SCOPE_TREE_ROOT && whole)
		return add_share(shares, tree, node, excess_ns);
	/* Functions of followed branches become the owners of their nodes. */
	rest_ns = excess_ns;
	for (uint32_t at = tree->node[node].child; at; at = tree->node[at].sibling) {
		if (!worth_following(tree, node, at))
			continue;
		rest_ns -= tree->node[at].total_ns;
		err = descend(shares, tree, judge, node, at, attribution);
		if (err)
			return err;
	}
	return add_share(shares, tree, node, rest_ns);
}

static int compare_shares(const void *left, const void *right)
{
	const struct scope_share *a = left, *b = right;
	int order;

	if (a->excess_ns != b->excess_ns)
		return a->excess_ns < b->excess_ns ? 1 : -1;
	order = strcmp(a->function->name, b->function->name);
	return order ? order : strcmp(a->function->module, b->function->module);
}

int scope_evidence_tree_attribute(const struct scope_tree *tree, const struct scope_tree_judge *judge,
				  struct scope_attribution *attribution, struct scope_share **ret_shares,
				  size_t *ret_count)
{
	struct shares shares = { 0 };
	int err;

	for (size_t i = 0; i < attribution->count; i++)
		attribution->owner[i].function = NULL;
	err = descend(&shares, tree, judge, SCOPE_TREE_ROOT, SCOPE_TREE_ROOT, attribution);
	if (err) {
		free(shares.share);
		return err;
	}
	if (shares.count)
		qsort(shares.share, shares.count, sizeof(*shares.share), compare_shares);
	*ret_shares = shares.share;
	*ret_count = shares.count;
	return 0;
}
