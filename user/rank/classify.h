/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides the kind of a finding: if its function runs longer, is called more often, waits, or keeps others waiting. */
#ifndef SCOPE_RANK_CLASSIFY_H
#define SCOPE_RANK_CLASSIFY_H

#include "rank/rank.h"
#include "rank/sums.h"

/* The usual units with which a population is compared: of its own trace, or of the baseline. */
static inline const struct scope_kept *scope_rank_compared_with(const struct scope_rank_input *input,
								uint32_t population)
{
	return input->detection->population[population].reference ? input->reference : input->kept;
}

static inline bool scope_rank_is_usual(const struct scope_kept *baseline, uint32_t population, size_t unit)
{
	return baseline->population[unit] == population && baseline->mark[unit] == SCOPE_UNIT_USUAL;
}

/* Sets kind, nr and what belongs to the kind. group, population and p50_ns are known. 0 or -ENOMEM. */
int scope_rank_classify(const struct scope_rank_input *input, const struct scope_sums *sums,
			struct scope_finding *finding);
/*
 * Changes the kind of a finding whose units open one connection more than usual ones, and that has most of its running time in
 * the kernel. It asks a peer from an event loop, which does not sleep for the answer; the time
 * to set up a connection is not the function's fault.
 * kernel_share is known. 0 or -ENOMEM.
 */
int scope_rank_classify_connection(const struct scope_rank_input *input, const struct scope_sums *sums,
				   struct scope_finding *finding);

#endif
