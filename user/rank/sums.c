// SPDX-License-Identifier: GPL-2.0-only
/* Adds up the items of the evidence for one function. */
#include "rank/sums.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int compare_u32(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

const uint32_t *scope_rank_sums_find(const struct scope_sums *sums, uint32_t unit)
{
	return bsearch(&unit, sums->unit, sums->units, sizeof(unit), compare_u32);
}

static void add_abnormal(struct scope_sums *sums, const struct scope_item *item)
{
	sums->abnormal_ns += item->excess_ns;
	sums->unit[sums->units++] = item->unit;
	switch (item->kind) {
	case SCOPE_ITEM_RUN:
		sums->run_ns += item->excess_ns;
		sums->kernel_ns += item->kernel ? item->excess_ns : 0;
		sums->samples++;
		return;
	case SCOPE_ITEM_WAIT:
		sums->wait_ns += item->excess_ns;
		sums->class_ns[item->class] += item->excess_ns;
		sums->task_ns += item->task ? item->excess_ns : 0;
		sums->held_ns += item->held ? item->excess_ns : 0;
		sums->held += item->held;
		break;
	case SCOPE_ITEM_BLAME:
		*(item->lock ? &sums->lock_ns : &sums->late_ns) += item->excess_ns;
		break;
	}
	sums->sleeps++;
	if (item->nr < SCOPE_SYSCALL_MAX)
		sums->nr_ns[item->nr] += item->excess_ns;
}

static void add_usual(struct scope_sums *sums, const struct scope_item *item)
{
	sums->usual_stacks++;
	sums->normal_ns -= item->excess_ns;
	sums->normal_wait_ns -= item->kind == SCOPE_ITEM_WAIT ? item->excess_ns : 0;
}

/* True if it is a unit's, and not part of an earlier finding. */
static bool is_weighed(const struct scope_attribution *attribution, const struct scope_item *item)
{
	return item->kind != SCOPE_ITEM_SPIN && item->excess_ns != 0 && !attribution->owner[item->node].found;
}

static int sum_items(const struct scope_evidence *evidence, const struct scope_attribution *attribution,
		     const struct scope_function *function, struct scope_sums *sums)
{
	size_t distinct = 0;

	sums->unit = calloc(evidence->items + 1, sizeof(*sums->unit));
	if (!sums->unit)
		return -ENOMEM;
	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (!is_weighed(attribution, item))
			continue;
		sums->all[item->abnormal]++;
		sums->kernel_shown |= item->kernel;
		sums->all_ns[item->abnormal] += fabs(item->excess_ns);
		*(item->abnormal ? &sums->abnormal_ns2 : &sums->usual_ns2) += item->excess_ns * item->excess_ns;
		if (item->kind == SCOPE_ITEM_RUN) {
			sums->all_samples[item->abnormal]++;
			sums->all_run_ns[item->abnormal] += fabs(item->excess_ns);
			sums->usual_run_ns2 += item->abnormal ? 0 : item->excess_ns * item->excess_ns;
		}
		if (attribution->owner[item->node].function != function)
			continue;
		if (item->abnormal)
			add_abnormal(sums, item);
		else
			add_usual(sums, item);
	}
	if (sums->units)
		qsort(sums->unit, sums->units, sizeof(*sums->unit), compare_u32);
	for (size_t i = 0; i < sums->units; i++)
		if (!distinct || sums->unit[distinct - 1] != sums->unit[i])
			sums->unit[distinct++] = sums->unit[i];
	sums->units = distinct;
	return 0;
}

/*
 * Samples at a shorter period than the first make a result more certain, not larger: a unit that
 * one of them hit counts with the probability that a sample at the first period had hit it.
 */
static int count_at_first(const struct scope_evidence *evidence, const struct scope_attribution *attribution,
			  const struct scope_function *function, struct scope_sums *sums)
{
	double *part = calloc(sums->units + 1, sizeof(*part));

	if (!part)
		return -ENOMEM;
	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		if (!is_weighed(attribution, item) || !item->abnormal ||
		    attribution->owner[item->node].function != function)
			continue;
		part[scope_rank_sums_find(sums, item->unit) - sums->unit] +=
			item->sampling_ratio > 1 ? 1 / item->sampling_ratio : 1;
	}
	for (size_t i = 0; i < sums->units; i++)
		sums->units_at_first += fmin(part[i], 1);
	free(part);
	return 0;
}

int scope_rank_sums_create(const struct scope_evidence *evidence, const struct scope_attribution *attribution,
			   const struct scope_function *function, struct scope_sums **ret_sums)
{
	struct scope_sums *sums = calloc(1, sizeof(*sums));

	if (!sums || sum_items(evidence, attribution, function, sums) ||
	    count_at_first(evidence, attribution, function, sums)) {
		scope_rank_sums_destroy(sums);
		return -ENOMEM;
	}
	*ret_sums = sums;
	return 0;
}

void scope_rank_sums_destroy(struct scope_sums *sums)
{
	if (!sums)
		return;
	free(sums->unit);
	free(sums);
}
