/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the branches into which an excess splits are one cause or several. */
#ifndef SCOPE_RANK_SAME_CAUSE_H
#define SCOPE_RANK_SAME_CAUSE_H

#include "rank/rank.h"

struct scope_same_cause {
	const struct scope_rank_input *input;
	uint32_t unsure; /* the first node that may be one cause, and has too few stacks to tell; ROOT: none */
};

/*
 * The judge of scope_evidence_tree_attribute(); user: struct scope_same_cause. Several bugs meet in the function
 * that calls them, and so do the parts of one: a parser that is given far too much reads and applies it.
 * They are one cause if the same units run in all branches: two stacks of one unit lie in the same branch
 * hardly more often than any two (kappa below a half, and by more than chance gives: chance_z standard
 * errors; J. Cohen, "A Coefficient of Agreement for Nominal Scales", 1960). Units too short for two
 * stacks are asked by their sets of calls. And usual units must hardly run there: the node has to meet the
 * rule for findings, its share of usual time included, which a function that handles every request does
 * not. Where a function below holds most of the excess, by whatever ways it is called, it is the cause.
 * What sleeps is not asked.
 */
int scope_rank_same_cause(void *user, uint32_t node, bool *ret_same_cause);

#endif
