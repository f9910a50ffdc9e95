// SPDX-License-Identifier: GPL-2.0-only
/* Computes the effect of each site from experiments, and ranks the sites. */
#include "causal/result.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static bool is_before(const struct scope_effect *left, const struct scope_effect *right)
{
	if (left->known != right->known)
		return left->known;
	return left->known && left->fit.slope > right->fit.slope;
}

/* Sorts by insertion, which is stable; there are few sites. */
static void rank(struct scope_causal_result *result)
{
	for (uint32_t i = 0; i < result->sites; i++) {
		uint32_t at = i;

		for (; at && is_before(&result->effect[i], &result->effect[result->rank[at - 1]]); at--)
			result->rank[at] = result->rank[at - 1];
		result->rank[at] = i;
	}
}

int scope_causal_result_compute(struct scope_causal_result *result)
{
	int err = 0;

	result->effect = calloc(result->sites + 1u, sizeof(*result->effect));
	result->rank = calloc(result->sites + 1u, sizeof(*result->rank));
	if (!result->effect || !result->rank)
		err = -ENOMEM;
	for (uint32_t i = 0; i < result->sites && !err; i++)
		err = scope_causal_effect_compute(result->experiment, result->count, i, result->kind, result->seed,
						  &result->effect[i]);
	if (err)
		scope_causal_result_free(result);
	else
		rank(result);
	return err;
}

void scope_causal_result_free(struct scope_causal_result *result)
{
	free(result->effect);
	free(result->rank);
	result->effect = NULL;
	result->rank = NULL;
}
