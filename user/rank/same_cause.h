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
 * The judge of scope_evidence_tree_attribute(); user: struct scope_same_cause. Several bugs have a
 * common caller, and so have the parts of one: a parser that gets far too much input reads and
 * applies it. Branches are one cause if the same units run in all of them: two stacks of one unit
 * are in the same branch hardly more often than any two (kappa is below a half by more than
 * chance_z standard errors; J. Cohen, "A Coefficient of Agreement for Nominal Scales", 1960). For
 * units too short for two stacks, units with the same set of calls are taken as one. Usual units
 * must hardly run there: the node must meet the rule for findings, including the one on its share
 * of usual time, which a function that handles every request does not meet. If one function below
 * holds most of the excess, over all its call paths, it is the cause. Sleeping time is not
 * considered.
 */
int scope_rank_same_cause(void *user, uint32_t node, bool *ret_same_cause);

#endif
