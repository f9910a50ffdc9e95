/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides if the branches of a split excess are one cause or several. */
#ifndef SCOPE_RANK_SAME_CAUSE_H
#define SCOPE_RANK_SAME_CAUSE_H

#include "rank/rank.h"

struct scope_same_cause {
	const struct scope_rank_input *input;
	uint32_t unsure; /* the first node that may be one cause, but has too few stacks to decide; ROOT: none */
};

/*
 * The judge of scope_evidence_tree_attribute(); user: struct scope_same_cause. *ret_same_cause: the branches below the
 * node are one cause, by the rule of docs/methods.md, section 6 ("One cause or several").
 */
int scope_rank_same_cause(void *user, uint32_t node, bool *ret_same_cause);

#endif
