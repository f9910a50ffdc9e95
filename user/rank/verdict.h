/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides the verdict of a ranking: the program, a cause outside it, nothing, or unknown. */
#ifndef SCOPE_RANK_VERDICT_H
#define SCOPE_RANK_VERDICT_H

#include "rank/rank.h"

/* Fills in verdict and reason by the rest of the ranking, which must be complete and in order. */
void scope_rank_verdict(const struct scope_rank_input *input, struct scope_ranking *ranking);

#endif
