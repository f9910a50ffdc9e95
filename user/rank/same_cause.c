// SPDX-License-Identifier: GPL-2.0-only
/* Decides if the branches of a split excess are one cause or several. */
#include "rank/same_cause.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank/shares.h"

#define LARGEST 0.7  /* share of the excess: a function that holds this much is the cause */
#define RUNNING 0.9  /* share of the excess that is spent running, at least */
#define APART 0.5    /* kappa: from here on units differ in the branches they run in */
#define UNITS_MIN 10 /* units with two stacks or more there; with fewer units kinds of units are compared */

/* A stack of an abnormal unit below the node; it belongs to the unit, or to the unit's kind. */
struct hit {
	uint64_t belongs;
	uint32_t branch;
};

/* What was found below a node. */
struct below {
	struct hit *hit;
	size_t hits;
	struct scope_shares shares;
	double usual_ns2; /* squares, of all usual samples */
	double grown_ns;  /* of abnormal samples there, each multiplied by the growth of its population */
};

/* The child of `above` that has node below it; `above` if node is equal to it; ROOT: node is elsewhere. */
static uint32_t branch_of(const struct scope_tree *tree, uint32_t node, uint32_t above)
{
	uint32_t child = above;

	while (node != above && node != SCOPE_TREE_ROOT) {
		child = node;
		node = tree->node[node].parent;
	}
	return node == above ? child : SCOPE_TREE_ROOT;
}

static int compare_hits(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (a->belongs != b->belongs)
		return a->belongs < b->belongs ? -1 : 1;
	return (a->branch > b->branch) - (a->branch < b->branch);
}

static void add_sample(const struct scope_rank_input *input, const struct scope_item *item, uint32_t node,
		       struct below *below)
{
	const uint32_t branch = branch_of(&input->evidence->tree, item->node, node);
	struct scope_shares *shares = &below->shares;

	if (!item->abnormal) {
		shares->all_usual_ns -= item->excess_ns;
		shares->usual_ns -= branch ? item->excess_ns : 0;
		below->usual_ns2 += item->excess_ns * item->excess_ns;
		return;
	}
	shares->all_here_ns += item->excess_ns;
	shares->all_stacks++;
	if (!branch)
		return;
	shares->here_ns += item->excess_ns;
	below->grown_ns += item->excess_ns * scope_rank_grown(&input->detection->population[item->population]);
	shares->stacks++;
	below->hit[below->hits++] = (struct hit){ item->unit, branch };
}

/* True if usual units run there so little that the node could be a finding. */
static bool is_unusual(const struct scope_rank_options *options, struct below *below)
{
	struct scope_shares *shares = &below->shares;
	struct scope_finding finding = { 0 };

	if (below->usual_ns2 > 0)
		shares->usual_stacks = shares->all_usual_ns * shares->all_usual_ns / below->usual_ns2;
	if (shares->here_ns > 0)
		shares->grown = below->grown_ns / shares->here_ns;
	scope_rank_shares_compare(*shares, &finding);
	return finding.odds >= options->odds_min && finding.chance_z >= options->chance_z &&
	       finding.times >= options->times_min;
}

/*
 * How often stacks that belong together are in the same branch. The error of kappa is Cohen's. One more pair of
 * stacks that agree is added: among few stacks none may agree, which would seem certain.
 */
struct agreement {
	double kappa, at_most; /* by z errors */
	size_t sets;	       /* of two stacks or more that belong together */
};

enum answer { SEVERAL, ONE, UNSURE };

/* The sum of squares of the numbers of hits in each branch, of n sorted hits. */
static double squares(const struct hit *hit, size_t n)
{
	double sum = 0;

	for (size_t i = 0, from = 0; i < n; i++)
		if (i + 1 == n || hit[i + 1].branch != hit[i].branch) {
			sum += (double)(i + 1 - from) * (i + 1 - from);
			from = i + 1;
		}
	return sum;
}

static int compare_branches(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	return (a->branch > b->branch) - (a->branch < b->branch);
}

/*
 * Returns how much more often two stacks that belong together are in the same branch than any two
 * stacks: 0 is equally often, 1 is always. Single stacks are left out.
 */
static struct agreement agreement_of(struct hit *hit, size_t hits, double z)
{
	const struct agreement none = { .kappa = 1, .at_most = 1 };
	double same = 0, by_chance, agreed, error;
	size_t kept = 0, sets = 0;

	qsort(hit, hits, sizeof(*hit), compare_hits);
	for (size_t i = 0, from = 0; i < hits; i++) {
		size_t n = i + 1 - from;

		if (i + 1 < hits && hit[i + 1].belongs == hit[i].belongs)
			continue;
		if (n > 1) {
			same += (squares(&hit[from], n) - n) / (n - 1);
			sets++;
			while (from <= i)
				hit[kept++] = hit[from++];
		}
		from = i + 1;
	}
	if (!kept)
		return none;
	/* In both counts no stack is compared with itself. */
	qsort(hit, kept, sizeof(*hit), compare_branches);
	by_chance = (squares(hit, kept) - kept) / (kept * (kept - 1.0));
	if (by_chance >= 1)
		return none;
	agreed = (same + 1) / (kept + 2);
	error = sqrt(agreed * (1 - agreed) / kept);
	return (struct agreement){
		.sets = sets,
		.kappa = (same / kept - by_chance) / (1 - by_chance),
		.at_most = (same / kept + z * error - by_chance) / (1 - by_chance),
	};
}

/* Short units have one stack or none; then units with the same set of calls are taken as one. */
static int are_one(const struct scope_rank_input *input, const struct hit *hit, size_t hits, enum answer *ret_answer)
{
	struct hit *copy = calloc(hits + 1, sizeof(*copy));
	const double z = input->options->chance_z;
	struct agreement agreement;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, hit, hits * sizeof(*copy));
	agreement = agreement_of(copy, hits, z);
	if (agreement.sets < UNITS_MIN) {
		memcpy(copy, hit, hits * sizeof(*copy));
		for (size_t i = 0; i < hits; i++) {
			const struct scope_unit *unit = &input->units->unit[copy[i].belongs];

			copy[i].belongs = (uint64_t)unit->group << 32 | unit->vector;
		}
		agreement = agreement_of(copy, hits, z);
	}
	free(copy);
	*ret_answer = agreement.at_most < APART ? ONE : agreement.kappa < APART ? UNSURE : SEVERAL;
	return 0;
}

static bool may_be_one(const struct scope_tree *tree, uint32_t node)
{
	const struct scope_tree_node *of = &tree->node[node];

	return node != SCOPE_TREE_ROOT && of->total_run_ns >= RUNNING * of->total_ns;
}

/* True if one function holds most of it, over all its call paths. */
static bool has_cause(const struct scope_tree *tree, uint32_t node)
{
	for (size_t i = node + 1; i < tree->count; i++) {
		double sum_ns = 0;

		if (!branch_of(tree, i, node))
			continue;
		for (size_t j = i; j < tree->count; j++)
			if (tree->node[j].function == tree->node[i].function && branch_of(tree, j, node))
				sum_ns += tree->node[j].total_ns;
		if (sum_ns >= LARGEST * tree->node[node].total_ns)
			return true;
	}
	return false;
}

int scope_rank_same_cause(void *user, uint32_t node, bool *ret_same_cause)
{
	struct scope_same_cause *same_cause = user;
	const struct scope_rank_input *input = same_cause->input;
	const struct scope_evidence *evidence = input->evidence;
	struct below below = { 0 };
	enum answer answer = SEVERAL;
	int err = 0;

	*ret_same_cause = false;
	if (!may_be_one(&evidence->tree, node))
		return 0;
	below.hit = calloc(evidence->items + 1, sizeof(*below.hit));
	if (!below.hit)
		return -ENOMEM;
	for (size_t i = 0; i < evidence->items; i++)
		if (evidence->item[i].kind == SCOPE_ITEM_RUN && evidence->item[i].excess_ns != 0)
			add_sample(input, &evidence->item[i], node, &below);
	if (is_unusual(input->options, &below) && !has_cause(&evidence->tree, node))
		err = are_one(input, below.hit, below.hits, &answer);
	free(below.hit);
	*ret_same_cause = answer == ONE;
	if (answer == UNSURE && same_cause->unsure == SCOPE_TREE_ROOT)
		same_cause->unsure = node;
	return err;
}
