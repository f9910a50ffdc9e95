// SPDX-License-Identifier: GPL-2.0-only
/* Where usual requests spend their time. */
#include "rank/usual.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/contrast.h"

/* Of a population: the time that one ns of its stacks stands for; 0: it does not count. */
struct scales {
	double run_weight, wait_weight; /* of its stacks, ns */
	double run, wait;
};

/* What one function has, of all nodes of the tree. */
struct part {
	const struct scope_function *function;
	double run_ns, wait_ns;
	double nr_ns; /* by which nr leads: the majority vote of Boyer and Moore, weighted */
	uint16_t nr;
};

static bool counts(const struct scope_item *item)
{
	return !item->abnormal && (item->kind == SCOPE_ITEM_RUN || item->kind == SCOPE_ITEM_WAIT);
}

static bool takes_requests(const struct scope_detection *detection)
{
	for (size_t i = 0; i < detection->populations; i++)
		if (detection->population[i].asks && !detection->population[i].background)
			return true;
	return false;
}

/* Fills all but the functions. */
static void weigh(const struct scope_rank_input *input, struct scales *scales, struct scope_usual *usual)
{
	const struct scope_detection *detection = input->detection;
	double all_ns = 0;

	usual->requests = takes_requests(detection);
	for (size_t i = 0; i < input->evidence->items; i++) {
		const struct scope_item *item = &input->evidence->item[i];

		if (counts(item) && item->kind == SCOPE_ITEM_RUN)
			scales[item->population].run_weight += item->weight_ns;
		else if (counts(item))
			scales[item->population].wait_weight += item->weight_ns;
	}
	for (size_t i = 0; i < detection->populations; i++) {
		const struct scope_population *population = &detection->population[i];
		const struct scope_kept_side *side = &input->kept->of[i].side[0];
		double stands_for;

		if (population->background || population->reference || !side->kept ||
		    (usual->requests && !population->asks))
			continue;
		stands_for = (double)side->units / (double)side->kept;
		scales[i].run = stands_for * scope_evidence_contrast_scale(side->run_ns, scales[i].run_weight);
		scales[i].wait = stands_for * scope_evidence_contrast_scale(side->blocked_ns, scales[i].wait_weight);
		usual->units += side->units;
		all_ns += stands_for * (side->run_ns + side->blocked_ns);
	}
	usual->mean_ns = usual->units ? all_ns / (double)usual->units : 0;
}

static void vote(struct part *part, uint16_t nr, double ns)
{
	if (part->nr_ns > 0 && part->nr == nr) {
		part->nr_ns += ns;
	} else if (part->nr_ns > ns) {
		part->nr_ns -= ns;
	} else {
		part->nr = nr;
		part->nr_ns = ns - part->nr_ns;
	}
}

static void add_items(const struct scope_rank_input *input, const struct scales *scales, struct part *part,
		      struct scope_usual *usual)
{
	for (size_t i = 0; i < input->evidence->items; i++) {
		const struct scope_item *item = &input->evidence->item[i];
		struct part *of = &part[item->node];
		double ns;

		if (!counts(item))
			continue;
		ns = item->weight_ns *
		     (item->kind == SCOPE_ITEM_RUN ? scales[item->population].run : scales[item->population].wait);
		usual->stacks += ns > 0;
		if (item->kind == SCOPE_ITEM_RUN) {
			of->run_ns += ns;
		} else if (ns > 0) {
			of->wait_ns += ns;
			vote(of, item->nr, ns);
		}
	}
}

/* Each function once. The root, and with it stacks without a function, becomes the last one. */
static int compare_functions(const void *a, const void *b)
{
	const struct part *one = a, *other = b;

	if (!one->function || !other->function)
		return !one->function - !other->function;
	return one->function < other->function ? -1 : one->function > other->function;
}

static size_t merge(struct part *part, size_t count)
{
	size_t merged = 0;

	qsort(part, count, sizeof(*part), compare_functions);
	for (size_t i = 0; i < count && part[i].function; i++) {
		struct part *last = &part[merged ? merged - 1 : 0];

		if (!merged || last->function != part[i].function) {
			part[merged++] = part[i];
			continue;
		}
		last->run_ns += part[i].run_ns;
		last->wait_ns += part[i].wait_ns;
		if (part[i].nr_ns > 0)
			vote(last, part[i].nr, part[i].nr_ns);
	}
	return merged;
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *one = a, *other = b;
	const double ns = one->run_ns + one->wait_ns, other_ns = other->run_ns + other->wait_ns;

	return ns != other_ns ? (ns < other_ns) - (ns > other_ns) : strcmp(one->function->name, other->function->name);
}

static void take_largest(struct part *part, size_t count, struct scope_usual *usual)
{
	const double all_ns = usual->mean_ns * (double)usual->units;

	qsort(part, count, sizeof(*part), compare_parts);
	for (size_t i = 0; i < count && usual->count < SCOPE_USUAL_MAX; i++) {
		const double ns = part[i].run_ns + part[i].wait_ns;

		if (ns < SCOPE_USUAL_SHARE * all_ns)
			return;
		usual->function[usual->count++] = (struct scope_usual_function){
			.function = part[i].function,
			.share = ns < all_ns ? ns / all_ns : 1,
			.asleep_share = part[i].wait_ns / ns,
			.nr = part[i].nr,
		};
	}
}

int scope_rank_usual(const struct scope_rank_input *input, struct scope_usual *ret_usual)
{
	const struct scope_tree *tree = &input->evidence->tree;
	struct scales *scales = calloc(input->detection->populations + 1, sizeof(*scales));
	struct part *part = calloc(tree->count + 1, sizeof(*part));
	int err = -ENOMEM;

	*ret_usual = (struct scope_usual){ 0 };
	if (scales && part) {
		weigh(input, scales, ret_usual);
		add_items(input, scales, part, ret_usual);
		for (size_t i = 0; i < tree->count; i++)
			part[i].function = tree->node[i].function;
		if (ret_usual->mean_ns > 0 && ret_usual->stacks >= SCOPE_USUAL_STACKS)
			take_largest(part, merge(part, tree->count), ret_usual);
		err = 0;
	}
	free(scales);
	free(part);
	return err;
}
