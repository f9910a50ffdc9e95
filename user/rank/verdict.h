/* SPDX-License-Identifier: GPL-2.0-only */
/* What a ranking comes to: the program, what is outside it, nothing, or that nothing can be said. */
#ifndef SCOPE_RANK_VERDICT_H
#define SCOPE_RANK_VERDICT_H

#include "rank/rank.h"

/* Fills verdict and reason by the rest of the ranking, which is complete and in order. */
void scope_rank_verdict(const struct scope_rank_input *input, struct scope_ranking *ranking);

#endif
