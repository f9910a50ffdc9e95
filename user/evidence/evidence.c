// SPDX-License-Identifier: GPL-2.0-only
/* Where abnormal units spent their excess: contrast of abnormal and normal stacks. */
#include "evidence/evidence.h"

#include <errno.h>
#include <stdlib.h>

#include "evidence/collect.h"
#include "evidence/sign.h"

#define WORK_SHARE 0.05	  /* of stacks taken at work: a function with less is no work */
#define WORK_STACKS_MIN 5 /* so many of them, to say anything */
#define SCALE_MAX 20 /* stacks that stand for less than a 20th of a sum are no evidence of it */

/* Per population: weights of the items on each side, and what one weight stands for. */
struct balance {
	double run_weight[2], wait_weight[2];
	double run_scale[2], wait_scale[2];
	double stands_for; /* abnormal units for each one kept */
	double usual_part; /* abnormal units for each usual one kept */
};

struct contrast {
	struct scope_evidence *evidence;
	const struct scope_kept *kept, *reference; /* NULL: none */
	const struct scope_detection *detection;
	struct balance *balance; /* per population */
	double *found_ns;	 /* per unit: weight of blame items laid for it */
};

static double scale_of(double total_ns, double weight_ns)
{
	double scale = weight_ns > 0 ? total_ns / weight_ns : 0;

	return scale > SCALE_MAX ? SCALE_MAX : scale;
}

/*
 * Does a stack that slept count as such? A sleep that another thread ended is that one's doing. Where
 * nothing was seen of it, a futex says nothing of the function that slept: who held the lock may have
 * waited for a CPU, or run for less than a sample.
 */
static bool stands(const struct contrast *contrast, const struct scope_item *item)
{
	if (item->passed && item->abnormal && item->class == SCOPE_WAIT_FUTEX)
		return false;
	return !item->passed || !item->abnormal || contrast->found_ns[item->unit] <= 0;
}

static void weigh(struct contrast *contrast)
{
	struct scope_evidence *evidence = contrast->evidence;

	for (size_t i = 0; i < evidence->items; i++)
		if (evidence->item[i].kind == SCOPE_ITEM_BLAME)
			contrast->found_ns[evidence->item[i].unit] += evidence->item[i].weight_ns;
	for (size_t i = 0; i < contrast->kept->blame.windows; i++)
		contrast->found_ns[contrast->kept->blame.window[i].unit] +=
			contrast->kept->blame.window[i].idle_ns;
	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		struct balance *balance;

		if (item->kind == SCOPE_ITEM_SPIN || item->kind == SCOPE_ITEM_BLAME)
			continue;
		balance = &contrast->balance[item->population];
		if (item->kind == SCOPE_ITEM_RUN)
			balance->run_weight[item->abnormal] += item->weight_ns;
		else
			balance->wait_weight[item->abnormal] += item->weight_ns;
	}
}

/* The usual units that a population is held against. */
static const struct scope_kept_side *usual_side(const struct contrast *contrast, size_t population)
{
	const struct scope_kept *kept = contrast->detection->population[population].reference
						? contrast->reference
						: contrast->kept;

	return &kept->of[population].side[0];
}

static void settle(struct contrast *contrast)
{
	for (size_t i = 0; i < contrast->detection->populations; i++) {
		const struct scope_kept_population *of = &contrast->kept->of[i];
		const struct scope_kept_side *side[2] = {usual_side(contrast, i), &of->side[1]};
		struct balance *balance = &contrast->balance[i];

		balance->stands_for = side[1]->kept ? (double)side[1]->units / side[1]->kept : 0;
		balance->usual_part = side[0]->kept ? (double)side[1]->units / side[0]->kept : 0;
		for (int j = 0; j < 2; j++) {
			balance->run_scale[j] = scale_of(side[j]->run_ns, balance->run_weight[j]);
			balance->wait_scale[j] =
				scale_of(side[j]->blocked_ns, balance->wait_weight[j]);
		}
		contrast->evidence->excess_ns += of->excess_ns;
		contrast->evidence->usual_ns +=
			(side[0]->run_ns + side[0]->blocked_ns) * balance->usual_part;
		contrast->evidence->usual_blocked_ns += side[0]->blocked_ns * balance->usual_part;
		contrast->evidence->usual_units += side[0]->kept;
	}
}

/* Signed part of the excess that an item stands for. */
static double item_excess(const struct contrast *contrast, const struct scope_item *item)
{
	const struct balance *balance;
	double scale;

	if (item->kind == SCOPE_ITEM_SPIN)
		return 0;
	balance = &contrast->balance[item->population];
	if (item->kind == SCOPE_ITEM_BLAME)
		return item->weight_ns * balance->stands_for;
	scale = item->kind == SCOPE_ITEM_RUN ? balance->run_scale[item->abnormal]
					     : balance->wait_scale[item->abnormal];
	if (item->abnormal)
		return stands(contrast, item) ? item->weight_ns * scale * balance->stands_for : 0;
	return -item->weight_ns * scale * balance->usual_part;
}

static void spread(struct contrast *contrast)
{
	struct scope_evidence *evidence = contrast->evidence;

	for (size_t i = 0; i < evidence->items; i++) {
		struct scope_item *item = &evidence->item[i];

		item->excess_ns = item_excess(contrast, item);
		evidence->tree.node[item->node].self_ns += item->excess_ns;
		if (item->kind == SCOPE_ITEM_RUN)
			evidence->tree.node[item->node].self_run_ns += item->excess_ns;
	}
	scope_tree_sum(&evidence->tree);
	evidence->found_ns = evidence->tree.node[SCOPE_TREE_ROOT].total_ns;
}

static int contrast_run(struct scope_evidence *evidence, const struct scope_kept *kept,
			const struct scope_kept *reference,
			const struct scope_detection *detection)
{
	size_t units = kept->units->count;
	struct contrast contrast = {
		.evidence = evidence,
		.kept = kept,
		.reference = reference,
		.detection = detection,
		.balance = calloc(detection->populations + 1, sizeof(*contrast.balance)),
		.found_ns = calloc(units + 1, sizeof(*contrast.found_ns)),
	};
	int err = -ENOMEM;

	if (contrast.balance && contrast.found_ns) {
		weigh(&contrast);
		settle(&contrast);
		spread(&contrast);
		err = 0;
	}
	free(contrast.balance);
	free(contrast.found_ns);
	return err;
}

/* The child of the deepest node that both share, on the way to node; ROOT: node itself is shared. */
static uint32_t branch(const struct scope_tree *tree, uint32_t node, uint32_t other)
{
	uint32_t child = SCOPE_TREE_ROOT;

	for (; node != SCOPE_TREE_ROOT; child = node, node = tree->node[node].parent)
		for (uint32_t at = other; at != SCOPE_TREE_ROOT; at = tree->node[at].parent)
			if (at == node)
				return child;
	return child;
}

static bool lies_below(const struct scope_tree *tree, uint32_t node, uint32_t above)
{
	while (node != SCOPE_TREE_ROOT && node != above)
		node = tree->node[node].parent;
	return node == above;
}

static const struct scope_function *outermost(const struct scope_tree *tree, uint32_t node)
{
	const struct scope_function *function = NULL;

	for (; node != SCOPE_TREE_ROOT; node = tree->node[node].parent)
		function = tree->node[node].function;
	return function;
}

/*
 * Of the stacks that were taken while threads that started in the same function were at work, is a
 * part worth a word below this node? True where too few were taken to say.
 */
static bool works_there(const struct scope_evidence *evidence, const struct scope_units *units,
			const struct scope_function *start, uint32_t node)
{
	size_t all = 0, below = 0;

	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (item->kind != SCOPE_ITEM_RUN && item->kind != SCOPE_ITEM_WAIT)
			continue;
		/* A stack that was cut short does not tell what lies above. */
		if (evidence->standing[units->unit[item->unit].thread].start != start ||
		    outermost(&evidence->tree, item->node) != start)
			continue;
		all++;
		below += node && lies_below(&evidence->tree, item->node, node);
	}
	return all < WORK_STACKS_MIN || below >= WORK_SHARE * all;
}

/*
 * Do threads that started in the same function take work, while this one stands still in what they
 * do for their work? Where it stands is told from where they stand: both have the loop in common,
 * and what this one entered from there is either work to others or a place where to wait for it. Where
 * one of them waits for its work at this moment, this one waits for its own.
 */
static bool peers_serve(const struct scope_evidence *evidence, const struct scope_units *units,
			const struct scope_pickups *pickups, uint32_t thread)
{
	const struct scope_standing *standing = evidence->standing;
	const struct scope_function *start = standing[thread].start;
	const struct scope_tree *tree = &evidence->tree;
	uint32_t entered = SCOPE_TREE_ROOT;
	bool serve = false;

	for (size_t i = 0; start && i < units->threads; i++) {
		uint32_t child;

		if (i == thread || standing[i].start != start ||
		    !scope_hang_serves(units, pickups, i))
			continue;
		child = branch(tree, standing[thread].node, standing[i].node);
		if (child == SCOPE_TREE_ROOT && scope_hang_waits(units, pickups, i))
			return false;
		/* Others may be at work themselves, deeper in. */
		if (!serve || tree->node[child].depth < tree->node[entered].depth)
			entered = child;
		serve = true;
	}
	return serve && works_there(evidence, units, start, entered);
}

/* SPIN items name hangs by number: only rows of the other kind go, and those move down. */
static void drop_idle_peers(struct scope_evidence *evidence, const struct scope_evidence *second,
			    const struct scope_units *units, const struct scope_pickups *pickups,
			    bool all_idle, struct scope_hang *hangs, size_t *hang_count)
{
	size_t remain = 0;

	for (size_t i = 0; i < *hang_count; i++) {
		const struct scope_evidence *by =
			second && !evidence->standing[hangs[i].thread].start ? second : evidence;

		hangs[i].unsure = hangs[i].needs_peers && all_idle;
		if (hangs[i].needs_peers && !all_idle &&
		    !peers_serve(by, units, pickups, hangs[i].thread))
			continue;
		for (size_t j = 0; j < evidence->items; j++)
			if (evidence->item[j].kind == SCOPE_ITEM_SPIN && evidence->item[j].unit == i)
				evidence->item[j].unit = remain;
		hangs[remain++] = hangs[i];
	}
	*hang_count = remain;
}

static int create(const struct scope_units *units, struct scope_evidence **ret_evidence)
{
	struct scope_evidence *evidence = calloc(1, sizeof(*evidence));
	int err = -ENOMEM;

	if (!evidence)
		return -ENOMEM;
	evidence->standing = calloc(units->threads + 1, sizeof(*evidence->standing));
	if (evidence->standing)
		err = scope_tree_init(&evidence->tree);
	if (err) {
		scope_evidence_destroy(evidence);
		return err;
	}
	*ret_evidence = evidence;
	return 0;
}

int scope_evidence_collect(const struct scope_evidence_source *source,
			   const struct scope_evidence_source *reference,
			   const struct scope_detection *detection,
			   const struct scope_pickups *pickups,
			   const struct scope_evidence *second, struct scope_hang *hangs,
			   size_t *hang_count, struct scope_evidence **ret_evidence)
{
	struct scope_evidence *evidence;
	int err = create(source->kept->units, &evidence);

	if (err)
		return err;
	if (source->symbols)
		err = scope_collect_items(source, detection, hangs, *hang_count, evidence);
	if (!err && source->symbols && reference)
		err = scope_collect_reference(reference, source->symbols, evidence);
	if (!err)
		err = contrast_run(evidence, source->kept, reference ? reference->kept : NULL,
				   detection);
	if (err) {
		scope_evidence_destroy(evidence);
		return err;
	}
	drop_idle_peers(evidence, second, source->kept->units, pickups, detection->busy_ns <= 0, hangs,
			hang_count);
	*ret_evidence = evidence;
	return 0;
}

int scope_evidence_sign(const struct scope_evidence_source *source,
			const struct scope_evidence_source *reference,
			const struct scope_detection *detection,
			struct scope_evidence **ret_evidence)
{
	struct scope_evidence *evidence;
	int err = create(source->kept->units, &evidence);

	if (err)
		return err;
	err = scope_sign_items(source, detection, evidence);
	if (!err && reference)
		err = scope_sign_reference(reference, source->signatures, evidence);
	if (!err)
		err = contrast_run(evidence, source->kept, reference ? reference->kept : NULL,
				   detection);
	if (err) {
		scope_evidence_destroy(evidence);
		return err;
	}
	*ret_evidence = evidence;
	return 0;
}

void scope_evidence_destroy(struct scope_evidence *evidence)
{
	if (!evidence)
		return;
	scope_tree_free(&evidence->tree);
	free(evidence->item);
	free(evidence->standing);
	free(evidence->trail);
	free(evidence);
}
