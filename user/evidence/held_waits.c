// SPDX-License-Identifier: GPL-2.0-only
/* Attributes the time for which held requests waited to functions that work for them. */
#include "evidence/held_waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST 2	     /* inverse of the share of the stacks that have the function which works for the requests */
#define FREQUENT 2   /* times as frequent as in usual requests: it is particular to those that wait */
#define STACKS_MIN 3 /* with fewer stacks of the requests that wait, those of all requests of the group decide */

/* Stacks by node of the tree, with all nodes below it: of requests that waited, and of usual ones. */
struct counts {
	uint32_t *held, *usual;
};

struct waits {
	struct scope_attributor *attributor;
	const struct scope_units *units;
	struct counts counts;
	uint32_t *node; /* by population: whose stacks have its requests, and 1 more; 0: not known yet */
	const struct scope_task_rows *looks;
	uint32_t tgid;	/* the last process that was searched for in them … */
	bool looked_at; /* … and if it is there */
};

/* Most units follow a unit of the same process, and there are many looks. */
static bool looked_at(struct waits *waits, uint32_t tgid)
{
	if (tgid == waits->tgid)
		return waits->looked_at;
	waits->tgid = tgid;
	waits->looked_at = false;
	for (size_t i = 0; i < waits->looks->rows && !waits->looked_at; i++)
		waits->looked_at = waits->looks->row[i].tgid == tgid;
	return waits->looked_at;
}

static void count(const struct scope_tree *tree, uint32_t *counts, uint32_t node)
{
	for (; node != SCOPE_TREE_ROOT; node = tree->node[node].parent)
		counts[node]++;
	counts[SCOPE_TREE_ROOT]++;
}

/* Counts the stacks of the population's requests that waited, and of usual ones of its group. */
static void count_stacks(struct waits *waits, uint32_t population, uint32_t group)
{
	const struct scope_evidence *evidence = waits->attributor->evidence;
	const struct scope_tree *tree = &evidence->tree;

	memset(waits->counts.held, 0, tree->count * sizeof(*waits->counts.held));
	memset(waits->counts.usual, 0, tree->count * sizeof(*waits->counts.usual));
	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		const struct scope_unit *unit;

		if ((item->kind != SCOPE_ITEM_RUN && item->kind != SCOPE_ITEM_WAIT) || item->task ||
		    item->reference != !waits->attributor->detection || item->node == SCOPE_TREE_ROOT)
			continue;
		unit = &waits->units->unit[item->unit];
		if (unit->group != group || !unit->asked)
			continue;
		if (unit->earlier && item->population == population)
			count(tree, waits->counts.held, item->node);
		else if (!item->abnormal)
			count(tree, waits->counts.usual, item->node);
	}
}

/* The child with the most stacks. */
static uint32_t first_child(const struct scope_tree *tree, const uint32_t *counts, uint32_t node)
{
	uint32_t best = SCOPE_TREE_ROOT;

	for (uint32_t child = tree->node[node].child; child; child = tree->node[child].sibling)
		if (best == SCOPE_TREE_ROOT || counts[child] > counts[best])
			best = child;
	return best;
}

static uint32_t choose(const struct scope_tree *tree, const struct counts *counts)
{
	const bool few = counts->held[SCOPE_TREE_ROOT] < STACKS_MIN;
	const uint32_t *by = few ? counts->usual : counts->held;
	const double all = by[SCOPE_TREE_ROOT], usual = counts->usual[SCOPE_TREE_ROOT];
	uint32_t particular = SCOPE_TREE_ROOT, common = SCOPE_TREE_ROOT;

	/* Without any stack no function has most of them. */
	for (uint32_t at = first_child(tree, by, SCOPE_TREE_ROOT);
	     at != SCOPE_TREE_ROOT && by[at] && by[at] * MOST >= all; at = first_child(tree, by, at)) {
		const double share = usual > 0 ? counts->usual[at] / usual : 0;

		if (!few && by[at] / all >= FREQUENT * share)
			particular = at;
		if (few || share * MOST >= 1 || common == SCOPE_TREE_ROOT)
			common = at;
	}
	return particular != SCOPE_TREE_ROOT ? particular : common;
}

static int add(struct waits *waits, uint32_t number)
{
	struct scope_attributor *attributor = waits->attributor;
	const struct scope_unit *unit = &waits->units->unit[number];
	const uint32_t population = attributor->kept->population[number];
	const struct scope_stretch stretch = {
		.begin_ns = unit->begin_ns,
		.end_ns = unit->begin_ns,
		.weight_ns = (double)unit->earlier->task_ns,
		.propagated = unit->earlier->waker >= 0,
		.silent = unit->earlier->waker >= 0 && !attributor->nameless[number],
		.task = true,
		.held = true,
		.class = unit->earlier->class,
		.nr = SCOPE_NR_NONE,
		.unit = number,
	};
	struct scope_stack_node stack_node = { 0 };

	if (!waits->node[population]) {
		count_stacks(waits, population, unit->group);
		waits->node[population] = choose(&attributor->evidence->tree, &waits->counts) + 1;
	}
	stack_node.node = waits->node[population] - 1;
	if (stack_node.node == SCOPE_TREE_ROOT)
		return 0;
	/* No thread waits there, so no other one waits for that thread. */
	return scope_evidence_attributor_add(attributor, UINT32_MAX, &stretch, stack_node);
}

static int add_all(struct waits *waits)
{
	struct scope_threads *threads = waits->units->timeline->threads;
	int err = 0;

	for (size_t i = 0; !err && i < waits->units->count; i++) {
		const struct scope_unit *unit = &waits->units->unit[i];

		if (scope_unit_task_ns(unit) &&
		    !looked_at(waits, scope_timeline_threads_at(threads, unit->thread)->tgid))
			err = add(waits, (uint32_t)i);
	}
	return err;
}

int scope_evidence_held_waits_collect(struct scope_attributor *attributor, const struct scope_task_rows *looks)
{
	const size_t nodes = attributor->evidence->tree.count;
	struct waits waits = {
		.attributor = attributor,
		.units = attributor->units,
		.looks = looks,
		.counts.held = calloc(nodes + 1, sizeof(*waits.counts.held)),
		.counts.usual = calloc(nodes + 1, sizeof(*waits.counts.usual)),
		.node = calloc(attributor->kept->populations + 1, sizeof(*waits.node)),
	};
	const bool room = waits.counts.held && waits.counts.usual && waits.node;
	const int err = room ? add_all(&waits) : -ENOMEM;

	free(waits.counts.held);
	free(waits.counts.usual);
	free(waits.node);
	return err;
}
