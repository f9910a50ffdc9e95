/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides by the measures of a function if it is a finding. */
#ifndef SCOPE_RANK_JUDGE_H
#define SCOPE_RANK_JUDGE_H

#include "rank/rank.h"

/* As JSON has it; NULL of SCOPE_RULE_NONE. */
const char *scope_rank_rule_name(enum scope_rank_rule rule);
/* The first rule that the finding does not meet. */
enum scope_rank_rule scope_rank_judge(const struct scope_rank_input *input, const struct scope_finding *finding);

#endif
