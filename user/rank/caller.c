// SPDX-License-Identifier: GPL-2.0-only
/* Decides if a function with many callers takes long itself, or if one of its callers makes it work too much. */
#include "rank/caller.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "rank/closure.h"
#include "rank/hint.h"
#include "rank/looping.h"
#include "rank/same_cause.h"
#include "rank/shares.h"
#include "rank/wait_helper.h"

#define ELSEWHERE 0.1	      /* share of a function's usual time for other callers: it has many callers … */
#define ELSEWHERE_HINTED 0.02 /* … or this, if a rule of thumb says that its caller is responsible for its calls */
#define SAME 0.7	      /* cosine, 45 degrees: nearer to what the function usually does than to anything else */
#define LONGER 2	  /* times the usual length, below which half of the time of sleeps is due to their number */
#define IN_PROPORTION 0.5 /* ratio to the usual from which a caller's own part grew along with its callee */
#define OWN_ALONE 0.02	  /* a caller's own part, if usual units have no samples of it */
#define STACKS_MIN 5	  /* on each side of a comparison */

#define PLACE_BYTES 16 /* no rule: bytes of code that are taken as one place */

/* Of each node of the tree. */
struct mark {
	const struct scope_function *part; /* below the callee, its function that is called; itself, or NULL elsewhere */
	bool here;			   /* at or below the callee's node */
	bool by;			   /* below a function of the caller's name */
	bool above;			   /* at or below the caller's node */
};

/* Samples at the caller's node, and with all nodes below it. */
struct own {
	double ns, all_ns;
	size_t stacks;
};

/* Stacks of one kind in the callee. */
struct doing {
	double ns;
	uint64_t *place; /* where in the callee each is */
	size_t places;
};

struct callee {
	const struct scope_evidence *evidence;
	const struct scope_function *function;
	struct mark *mark;
	enum scope_item_kind kind; /* by which most of its abnormal time was found */
	bool addresses;		   /* are kept of all its stacks */
	struct doing doing[2];	   /* usual, anywhere; abnormal, here */
	struct scope_shares by;	   /* the caller's, of all time in the callee */
	double usual_ns2;	   /* squares, of the usual */
	struct own own[2];	   /* the caller's: usual, abnormal */
};

/* A child has a higher number than its parent. */
static void mark_nodes(const struct scope_tree *tree, uint32_t node, struct mark *mark)
{
	const struct scope_function *function = tree->node[node].function;
	const uint32_t parent = tree->node[node].parent;

	mark[SCOPE_TREE_ROOT] = (struct mark){ 0 };
	for (uint32_t i = 1; i < tree->count; i++) {
		const struct scope_tree_node *at = &tree->node[i];
		const struct mark *above = &mark[at->parent];

		mark[i] = (struct mark){
			.part = above->part && above->part != function ? above->part : NULL,
			.here = i == node || above->here,
			.by = at->function == tree->node[parent].function || above->by,
			.above = i == parent || above->above,
		};
		if (!mark[i].part && (above->part || at->function == function))
			mark[i].part = at->function;
	}
}

/* The kind that has more than half of the abnormal time there; BLAME: another one, or none. */
static enum scope_item_kind kind_of(const struct callee *callee)
{
	double run_ns = 0, wait_ns = 0, all_ns = 0;

	for (size_t i = 0; i < callee->evidence->items; i++) {
		const struct scope_item *item = &callee->evidence->item[i];

		if (!item->abnormal || item->excess_ns <= 0 || !callee->mark[item->node].here)
			continue;
		all_ns += item->excess_ns;
		run_ns += item->kind == SCOPE_ITEM_RUN ? item->excess_ns : 0;
		wait_ns += item->kind == SCOPE_ITEM_WAIT ? item->excess_ns : 0;
	}
	if (run_ns > all_ns / 2)
		return SCOPE_ITEM_RUN;
	return wait_ns > all_ns / 2 ? SCOPE_ITEM_WAIT : SCOPE_ITEM_BLAME;
}

static bool counts(const struct callee *callee, const struct scope_item *item)
{
	return item->kind == callee->kind && callee->mark[item->node].part && item->weight_ns > 0;
}

static uint64_t place_of(const struct callee *callee, const struct scope_item *item)
{
	const struct scope_function *part = callee->mark[item->node].part;

	if (part != callee->function || !callee->addresses)
		return (uintptr_t)part << 1 | 1;
	/* Its own: the first address follows the process and the number of addresses. */
	return callee->evidence->frames[item->frames + 2] / PLACE_BYTES << 1;
}

static void add_item(struct callee *callee, const struct scope_item *item)
{
	const struct mark *mark = &callee->mark[item->node];
	struct doing *doing = &callee->doing[item->abnormal];

	if (item->abnormal) {
		callee->by.all_here_ns += item->weight_ns;
		callee->by.here_ns += mark->by ? item->weight_ns : 0;
		callee->by.all_stacks++;
		callee->by.stacks += mark->by;
	} else {
		callee->by.all_usual_ns += item->weight_ns;
		callee->by.usual_ns += mark->by ? item->weight_ns : 0;
		callee->usual_ns2 += item->weight_ns * item->weight_ns;
	}
	if (item->abnormal && !mark->here)
		return;
	doing->ns += item->weight_ns;
	doing->place[doing->places++] = place_of(callee, item);
}

static void add_own(struct callee *callee, const struct scope_item *item, uint32_t caller)
{
	struct own *own = &callee->own[item->abnormal];

	if (item->kind != SCOPE_ITEM_RUN || !callee->mark[item->node].above)
		return;
	own->all_ns += item->weight_ns;
	if (item->node != caller)
		return;
	own->ns += item->weight_ns;
	own->stacks++;
}

static void add_items(struct callee *callee, uint32_t caller)
{
	callee->kind = kind_of(callee);
	callee->addresses = true;
	for (size_t i = 0; i < callee->evidence->items; i++)
		if (counts(callee, &callee->evidence->item[i]) && !callee->evidence->item[i].frames)
			callee->addresses = false;
	for (size_t i = 0; i < callee->evidence->items; i++) {
		add_own(callee, &callee->evidence->item[i], caller);
		if (counts(callee, &callee->evidence->item[i]))
			add_item(callee, &callee->evidence->item[i]);
	}
	if (callee->usual_ns2 > 0)
		callee->by.usual_stacks = callee->by.all_usual_ns * callee->by.all_usual_ns / callee->usual_ns2;
}

static int compare_places(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* How many of the sorted places are equal to the one at i, from i on. */
static size_t equal_from(const struct doing *doing, size_t i)
{
	size_t end = i;

	while (end < doing->places && doing->place[end] == doing->place[i])
		end++;
	return end - i;
}

/*
 * How likely two of its stacks are in the same place. No stack is compared with itself, else few stacks would seem
 * more alike than many.
 */
static double alike(const struct doing *doing)
{
	double pairs = 0;

	for (size_t i = 0, n; i < doing->places; i += n) {
		n = equal_from(doing, i);
		pairs += (double)n * (n - 1);
	}
	return pairs / ((double)doing->places * (doing->places - 1));
}

/* The same of one stack of each. */
static double alike_both(const struct doing *a, const struct doing *b)
{
	double pairs = 0;

	for (size_t i = 0, j = 0, n; i < a->places; i += n) {
		n = equal_from(a, i);
		while (j < b->places && b->place[j] < a->place[i])
			j++;
		if (j < b->places && b->place[j] == a->place[i])
			pairs += (double)n * equal_from(b, j);
	}
	return pairs / ((double)a->places * b->places);
}

/* True if the callee spends abnormal time in the same way as usual time: it does more of the same. */
static bool does_as_usual(struct callee *callee)
{
	struct doing *usual = &callee->doing[0], *here = &callee->doing[1];
	double most;

	if (callee->kind == SCOPE_ITEM_BLAME || usual->places < STACKS_MIN || here->places < STACKS_MIN)
		return false;
	if (callee->kind == SCOPE_ITEM_WAIT)
		return here->ns / here->places <= LONGER * usual->ns / usual->places;
	qsort(usual->place, usual->places, sizeof(*usual->place), compare_places);
	qsort(here->place, here->places, sizeof(*here->place), compare_places);
	most = sqrt(alike(usual) * alike(here));
	return most > 0 && alike_both(usual, here) >= SAME * most;
}

/* True if most of its abnormal time here is in calls for I/O, look-ups of names or sleeps for a set time. */
static bool is_hinted(const struct callee *callee)
{
	double hinted_ns = 0;

	for (size_t i = 0; i < callee->evidence->items; i++) {
		const struct scope_item *item = &callee->evidence->item[i];

		if (item->abnormal && counts(callee, item) && callee->mark[item->node].here &&
		    scope_rank_hint_of_item(item))
			hinted_ns += item->weight_ns;
	}
	return hinted_ns > callee->doing[1].ns / 2;
}

/*
 * True if other functions call it in usual units, and in abnormal units the caller has a clearly larger part of its
 * time.
 */
static bool one_calls(const struct scope_rank_options *options, const struct callee *callee)
{
	const double elsewhere_ns = callee->by.all_usual_ns - callee->by.usual_ns;
	const double least = is_hinted(callee) ? ELSEWHERE_HINTED : ELSEWHERE;
	struct scope_finding finding = { 0 };

	if (elsewhere_ns <= 0 || elsewhere_ns < least * callee->by.all_usual_ns)
		return false;
	scope_rank_shares_compare(callee->by, &finding);
	return finding.odds >= options->odds_min && finding.chance_z >= options->chance_z;
}

/* True if the caller's own time grew along with that of its callees, because a loop takes time itself. */
static bool grew_along(const struct callee *callee)
{
	const struct own *usual = &callee->own[0], *here = &callee->own[1];
	const double part = here->all_ns > 0 ? here->ns / here->all_ns : 0;

	if (callee->kind != SCOPE_ITEM_RUN || here->stacks < STACKS_MIN)
		return false;
	return usual->stacks < STACKS_MIN ? part >= OWN_ALONE : part >= IN_PROPORTION * usual->ns / usual->all_ns;
}

/* Looks at the function of a node, below its caller there. */
static void look_at(struct callee *callee, uint32_t node)
{
	const struct scope_tree *tree = &callee->evidence->tree;
	uint64_t *place[] = { callee->doing[0].place, callee->doing[1].place };

	*callee = (struct callee){
		.evidence = callee->evidence,
		.function = tree->node[node].function,
		.mark = callee->mark,
		.doing = { { .place = place[0] }, { .place = place[1] } },
	};
	mark_nodes(tree, node, callee->mark);
	add_items(callee, tree->node[node].parent);
}

int scope_rank_caller(void *user, uint32_t from, uint32_t node, uint32_t *ret_node)
{
	const struct scope_same_cause *same_cause = user;
	const struct scope_evidence *evidence = same_cause->input->evidence;
	const struct scope_tree *tree = &evidence->tree;
	struct callee callee = {
		.evidence = evidence,
		.mark = calloc(tree->count, sizeof(*callee.mark)),
		.doing = { { .place = calloc(evidence->items + 1, sizeof(uint64_t)) },
			   { .place = calloc(evidence->items + 1, sizeof(uint64_t)) } },
	};
	bool as_usual = true; /* all up to here */
	int err = 0;

	/* It is written in its caller, or sleeps for it, so the caller is examined instead. */
	node = scope_rank_wait_helper_caller(evidence, from, scope_rank_closure_of(tree, from, node), false);
	err = scope_rank_looping(same_cause->input, from, node, &node);
	*ret_node = node;
	if (!callee.mark || !callee.doing[0].place || !callee.doing[1].place)
		err = -ENOMEM;
	/*
	 * Goes up from the last one until a caller is found, and further while all functions below do what they usually
	 * do.
	 */
	for (uint32_t at = node, above; !err && at != from && (as_usual || *ret_node == node); at = above) {
		above = tree->node[at].parent;
		if (above == SCOPE_TREE_ROOT)
			break;
		look_at(&callee, at);
		as_usual = as_usual && does_as_usual(&callee);
		if ((as_usual || (*ret_node == node && grew_along(&callee))) &&
		    one_calls(same_cause->input->options, &callee))
			*ret_node = above;
	}
	free(callee.mark);
	free(callee.doing[0].place);
	free(callee.doing[1].place);
	return err;
}
