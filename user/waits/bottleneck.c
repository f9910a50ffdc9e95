// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds bottlenecks: functions that others wait for during so large a part of the window that making them faster
 * helps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "waits/waits.h"

#define BOTTLENECK_SHARE 0.34	/* share of the window: if it took half as long, throughput would rise by a fifth */
#define BOTTLENECK_ALONE 0.67	/* share of the window, from which on it is a bottleneck, whatever the others have */
#define BOTTLENECK_TIMES 1.5	/* below it: threads wait for it this many times as long as for any other */
#define BOTTLENECK_STACKS 10	/* stacks that a function needs to be named */
#define BOTTLENECK_FUNCTION 0.1 /* share of its group's time: functions with less are ignored */

/* All candidates. */
struct candidates {
	struct scope_bottleneck *one;
	size_t count, capacity;
};

static double share_of(const struct scope_waits *waits, double ns)
{
	const double share = waits->window_ns > 0 ? ns / waits->window_ns : 0;

	return share < 1 ? share : 1;
}

static int add(struct candidates *candidates, const struct scope_bottleneck *one)
{
	if (scope_grow(&candidates->one, &candidates->capacity, candidates->count + 1, sizeof(*one)))
		return -ENOMEM;
	candidates->one[candidates->count++] = *one;
	return 0;
}

/* The class of sleep in which its threads spend most time while they have a lock. */
static uint8_t class_of(const struct scope_waits_group *group)
{
	uint8_t most = 0;

	for (uint8_t i = 1; i < SCOPE_WAIT_CLASSES; i++)
		if (group->held_ns[i] > group->held_ns[most])
			most = i;
	return most;
}

/* The functions of a group, or the group itself if no stack names one. */
static int add_group(const struct scope_waits *waits, uint32_t group, uint8_t kind, struct candidates *candidates)
{
	const struct scope_waits_kept *kept = &waits->group[group].kept[kind];
	const uint8_t class = class_of(&waits->group[group]);
	const double share = share_of(waits, kept->cover_ns);
	bool named = false;
	int err = 0;

	for (size_t i = 0; !err && i < waits->functions; i++) {
		const struct scope_waits_function *function = &waits->function[i];
		const struct scope_bottleneck one = {
			.function = function->function,
			.group = group,
			.share = share * function->share,
			.kind = kind,
			.class = class,
			.nr = function->nr,
			.kept_ns = kept->ns * function->share,
			.stacks = function->stacks,
		};

		if (function->group != group || function->kind != kind)
			continue;
		named = true;
		if (function->share >= BOTTLENECK_FUNCTION && function->stacks >= BOTTLENECK_STACKS)
			err = add(candidates, &one);
	}
	if (err || named || kept->ns <= 0)
		return err;
	return add(candidates, &(struct scope_bottleneck){
				       .group = group,
				       .share = share,
				       .kind = kind,
				       .class = class,
				       .nr = SCOPE_NR_NONE,
				       .kept_ns = kept->ns,
			       });
}

static int compare(const void *left, const void *right)
{
	const struct scope_bottleneck *a = left, *b = right;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

/* True if it stands out; false if several are waited for about equally. */
static bool is_higher(const struct candidates *candidates, size_t at)
{
	const double share = candidates->one[at].share;

	if (share < BOTTLENECK_SHARE)
		return false;
	if (share >= BOTTLENECK_ALONE)
		return true;
	for (size_t i = 0; i < candidates->count; i++)
		if (i != at && candidates->one[i].share * BOTTLENECK_TIMES > share)
			return false;
	return true;
}

static bool is_end(const struct scope_bottleneck *one, const struct scope_waits_node *node)
{
	if (one->kind == SCOPE_BOTTLENECK_RUNS)
		return node->end == SCOPE_END_RUNS;
	if (one->kind == SCOPE_BOTTLENECK_DISK)
		return node->end == SCOPE_END_OUTSIDE && node->class == SCOPE_WAIT_DISK;
	return (node->end == SCOPE_END_OUTSIDE || node->end == SCOPE_END_PROCESS) && node->class == one->class;
}

/* The waits of a group that end in what threads of the bottleneck's group do. */
static void count_ends(const struct scope_waits_tree *tree, uint32_t top, uint32_t at, double *ns,
		       const struct scope_bottleneck *one)
{
	for (uint32_t child = tree->node[at].child; child; child = tree->node[child].sibling) {
		const struct scope_waits_node *node = &tree->node[child];

		if (!node->ends)
			count_ends(tree, top, child, ns, one);
		else if (node->group == one->group && is_end(one, node))
			ns[top] += node->ns;
	}
}

static int find_waiters(const struct scope_waits *waits, struct scope_bottleneck *one)
{
	const struct scope_waits_tree *tree = &waits->tree;
	double *ns = calloc(waits->groups + 1, sizeof(*ns));

	if (!ns)
		return -ENOMEM;
	for (uint32_t at = tree->node[0].child; at; at = tree->node[at].sibling)
		if (!tree->node[at].ends)
			count_ends(tree, tree->node[at].group, at, ns, one);
	for (uint32_t i = 0; i < waits->groups; i++)
		if (ns[i] > ns[one->waits_most])
			one->waits_most = i;
	free(ns);
	return 0;
}

static int choose(struct scope_waits *waits, const struct candidates *candidates)
{
	int err = 0;

	waits->bottleneck = calloc(candidates->count + 1, sizeof(*waits->bottleneck));
	if (!waits->bottleneck)
		return -ENOMEM;
	for (size_t i = 0; !err && i < candidates->count; i++) {
		struct scope_bottleneck *one = &waits->bottleneck[waits->bottlenecks];

		if (!is_higher(candidates, i))
			continue;
		*one = candidates->one[i];
		one->gain = 1 / (1 - one->share / 2) - 1;
		err = find_waiters(waits, one);
		waits->bottlenecks++;
	}
	return err;
}

int scope_waits_judge(struct scope_waits *waits)
{
	struct candidates candidates = { 0 };
	int err = 0;

	for (uint32_t i = 0; !err && i < waits->groups; i++)
		for (uint8_t kind = 0; !err && kind < SCOPE_BOTTLENECK_KINDS; kind++)
			err = add_group(waits, i, kind, &candidates);
	if (!err && candidates.count)
		qsort(candidates.one, candidates.count, sizeof(*candidates.one), compare);
	if (!err)
		err = choose(waits, &candidates);
	free(candidates.one);
	return err;
}
