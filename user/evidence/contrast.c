// SPDX-License-Identifier: GPL-2.0-only
/* Computes each item's part of the excess: items of abnormal units, less those of usual ones. */
#include "evidence/contrast.h"

#include <errno.h>
#include <stdlib.h>

#define SCALE_MAX 20 /* stacks with less than a 20th of a sum are not evidence of it */

/* Per population: weights of the items on each side, and the time per weight. */
struct balance {
	double run_weight[2], wait_weight[2];
	double interpreter_run[2],
		interpreter_wait[2];	  /* weights of items of an interpreter alone, which are not in the others */
	bool run_named[2], wait_named[2]; /* the others are enough, and these are left out */
	double run_scale[2], wait_scale[2];
	double stands_for; /* abnormal units for each one kept */
	double usual_part; /* abnormal units for each usual one kept */
	uint64_t abnormal; /* units that are compared with usual ones of this population */
};

struct contrast {
	struct scope_evidence *evidence;
	const struct scope_kept *kept, *reference; /* NULL: none */
	const struct scope_detection *detection;
	struct balance *balance; /* per population */
	double *found_ns;	 /* per unit: weight of its blame items … */
	double *passed_ns; /* … and of those that are sleeps for further threads, which count if these have none */
};

double scope_evidence_contrast_scale(double total_ns, double weight_ns)
{
	double scale = weight_ns > 0 ? total_ns / weight_ns : 0;

	return scale > SCALE_MAX ? SCALE_MAX : scale;
}

/*
 * True if a stack that slept counts for its function. A sleep that another thread ended counts for
 * that thread. If nothing was recorded of that thread, a futex is no evidence against the function
 * that slept: the holder of the lock may have waited for a CPU, or run for less than a sample
 * period. Neither is the wait of a request that a loop gave to another thread, by whatever means.
 */
static bool stands(const struct contrast *contrast, const struct scope_item *item)
{
	if (!item->propagated || !item->abnormal)
		return true;
	return item->class != SCOPE_WAIT_FUTEX && !item->silent && contrast->found_ns[item->unit] <= 0 &&
	       contrast->passed_ns[item->unit] <= 0;
}

/* True if the thread that was waited for counts: it did not sleep for a further one that has evidence itself. */
static bool blames(const struct contrast *contrast, const struct scope_item *item)
{
	return !item->chance && (!item->propagated || contrast->found_ns[item->unit] <= 0);
}

static void weigh_item(struct balance *balance, const struct scope_item *item)
{
	const bool run = item->kind == SCOPE_ITEM_RUN;

	if (item->interpreter)
		(run ? balance->interpreter_run : balance->interpreter_wait)[item->abnormal] += item->weight_ns;
	else
		(run ? balance->run_weight : balance->wait_weight)[item->abnormal] += item->weight_ns;
}

/*
 * The stack of an interpreter shows that some function of the program runs, and snapshots show which one. If there are
 * enough snapshots, the time of such stacks is attributed by them. Returns whether there are enough; if not, such
 * stacks count like others.
 */
static bool suffices(double total_ns, double *weight_ns, double interpreter_ns)
{
	const bool enough = *weight_ns > 0 && *weight_ns * SCALE_MAX >= total_ns;

	if (!enough)
		*weight_ns += interpreter_ns;
	return enough;
}

static void weigh(struct contrast *contrast)
{
	struct scope_evidence *evidence = contrast->evidence;

	for (size_t i = 0; i < evidence->items; i++)
		if (evidence->item[i].kind == SCOPE_ITEM_BLAME)
			(evidence->item[i].propagated
				 ? contrast->passed_ns
				 : contrast->found_ns)[evidence->item[i].unit] += evidence->item[i].weight_ns;
	for (size_t i = 0; i < contrast->kept->wait_chains.windows; i++)
		contrast->found_ns[contrast->kept->wait_chains.window[i].unit] +=
			contrast->kept->wait_chains.window[i].idle_ns;
	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (item->kind != SCOPE_ITEM_SPIN && item->kind != SCOPE_ITEM_BLAME)
			weigh_item(&contrast->balance[item->population], item);
	}
}

/* The usual units that a population is compared with. */
static const struct scope_kept_side *usual_side(const struct contrast *contrast, size_t population)
{
	const struct scope_kept *kept = contrast->detection->population[population].reference ? contrast->reference
											      : contrast->kept;

	return &kept->of[population].side[0];
}

/* True if i, which has usual units, is nearer to a population than best, which may have none. */
static bool is_nearer(const struct contrast *contrast, size_t population, size_t i, size_t best)
{
	const struct scope_population *of = contrast->detection->population;
	const uint64_t least = usual_side(contrast, best)->kept;
	const bool alike = of[i].asks == of[population].asks, was_alike = of[best].asks == of[population].asks;

	if (!least || alike != was_alike)
		return !least || alike;
	return usual_side(contrast, i)->kept > least;
}

/*
 * The population whose usual units one is compared with: its own, or if it has none because all of it is rare and slow, the one
 * of its group with the most of them: of requests if it has requests, and else of those that took none, if there are such.
 */
static size_t compared_with(const struct contrast *contrast, size_t population)
{
	const struct scope_population *of = contrast->detection->population;
	size_t best = population;

	if (!of[population].against_group || of[population].reference || usual_side(contrast, population)->kept)
		return population;
	for (size_t i = 0; i < contrast->detection->populations; i++)
		if (of[i].group == of[population].group && !of[i].reference && usual_side(contrast, i)->kept &&
		    is_nearer(contrast, population, i, best))
			best = i;
	return best;
}

/* Abnormal units, by the population that they are compared with. */
static void count_abnormal(struct contrast *contrast)
{
	for (size_t i = 0; i < contrast->detection->populations; i++)
		contrast->balance[compared_with(contrast, i)].abnormal += contrast->kept->of[i].side[1].units;
}

static void settle(struct contrast *contrast)
{
	count_abnormal(contrast);
	for (size_t i = 0; i < contrast->detection->populations; i++) {
		const struct scope_kept_population *of = &contrast->kept->of[i];
		const struct scope_kept_side *side[2] = { usual_side(contrast, i), &of->side[1] };
		struct balance *balance = &contrast->balance[i];

		balance->stands_for = side[1]->kept ? (double)side[1]->units / side[1]->kept : 0;
		balance->usual_part = side[0]->kept ? (double)balance->abnormal / side[0]->kept : 0;
		for (int j = 0; j < 2; j++) {
			balance->run_named[j] =
				suffices(side[j]->run_ns, &balance->run_weight[j], balance->interpreter_run[j]);
			balance->wait_named[j] =
				suffices(side[j]->blocked_ns, &balance->wait_weight[j], balance->interpreter_wait[j]);
			balance->run_scale[j] = scope_evidence_contrast_scale(side[j]->run_ns, balance->run_weight[j]);
			balance->wait_scale[j] =
				scope_evidence_contrast_scale(side[j]->blocked_ns, balance->wait_weight[j]);
		}
		contrast->evidence->excess_ns += of->excess_ns;
		contrast->evidence->usual_ns += (side[0]->run_ns + side[0]->blocked_ns) * balance->usual_part;
		contrast->evidence->usual_blocked_ns += side[0]->blocked_ns * balance->usual_part;
		contrast->evidence->usual_units += side[0]->kept;
	}
}

/*
 * True if snapshots say what such a stack does. A function that called the interpreter must count on both sides or on none: else it would be
 * slow where there are few snapshots.
 */
static bool is_named(const bool *named, const struct scope_item *item)
{
	return named[item->abnormal] || (item->node != SCOPE_TREE_ROOT && named[!item->abnormal]);
}

/* The signed part of the excess of an item. */
static double item_excess(const struct contrast *contrast, const struct scope_item *item)
{
	const struct balance *balance;
	double scale;

	if (item->kind == SCOPE_ITEM_SPIN)
		return 0;
	balance = &contrast->balance[item->population];
	if (item->kind == SCOPE_ITEM_BLAME)
		return blames(contrast, item) ? item->weight_ns * balance->stands_for : 0;
	if (item->interpreter &&
	    is_named(item->kind == SCOPE_ITEM_RUN ? balance->run_named : balance->wait_named, item))
		return 0;
	scale = item->kind == SCOPE_ITEM_RUN ? balance->run_scale[item->abnormal] : balance->wait_scale[item->abnormal];
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
		if (item->background) {
			/* The request did not take that long. */
			evidence->excess_ns -= fmax(item->excess_ns, 0);
			item->excess_ns = 0;
		}
		if (item->chance)
			evidence->chance_ns += item->weight_ns * contrast->balance[item->population].stands_for;
		evidence->tree.node[item->node].self_ns += item->excess_ns;
		if (item->kind == SCOPE_ITEM_RUN)
			evidence->tree.node[item->node].self_run_ns += item->excess_ns;
		if (item->below)
			evidence->tree.node[item->node].self_below_ns += item->excess_ns;
		if (scope_evidence_waits_for_task(item))
			evidence->tree.node[item->node].self_task_ns += item->excess_ns;
	}
	scope_evidence_tree_sum(&evidence->tree);
	evidence->found_ns = evidence->tree.node[SCOPE_TREE_ROOT].total_ns;
}

int scope_evidence_contrast_run(struct scope_evidence *evidence, const struct scope_kept *kept,
				const struct scope_kept *reference, const struct scope_detection *detection)
{
	size_t units = kept->units->count;
	struct contrast contrast = {
		.evidence = evidence,
		.kept = kept,
		.reference = reference,
		.detection = detection,
		.balance = calloc(detection->populations + 1, sizeof(*contrast.balance)),
		.found_ns = calloc(units + 1, sizeof(*contrast.found_ns)),
		.passed_ns = calloc(units + 1, sizeof(*contrast.passed_ns)),
	};
	int err = -ENOMEM;

	if (contrast.balance && contrast.found_ns && contrast.passed_ns) {
		weigh(&contrast);
		settle(&contrast);
		spread(&contrast);
		err = 0;
	}
	free(contrast.balance);
	free(contrast.found_ns);
	free(contrast.passed_ns);
	return err;
}
