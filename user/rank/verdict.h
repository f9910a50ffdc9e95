/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides the verdict of a ranking: the program, a cause outside it, nothing, or unknown. */
#ifndef SCOPE_RANK_VERDICT_H
#define SCOPE_RANK_VERDICT_H

#include "rank/rank.h"

#define SCOPE_RANK_NAMELESS 0.5 /* share of the stacks: with more the verdict is unknown */

/*
 * Share of the stacks without names. Stacks only in functions of the language are not among them:
 * debug symbols would not add a function.
 */
double scope_rank_nameless_share(const struct scope_evidence *evidence);
/* Share of the stacks in which the innermost function of the program calls a library that is the system's only by its folder. */
double scope_rank_foldered_share(const struct scope_evidence *evidence);
/* As JSON has it; NULL: none decided. */
const char *scope_rank_verdict_rule_name(enum scope_verdict_rule rule);
/* Fills in verdict, the rule that decided it, and reason by the rest of the ranking, which must be complete and in order. */
void scope_rank_verdict(const struct scope_rank_input *input, struct scope_ranking *ranking);

#endif
