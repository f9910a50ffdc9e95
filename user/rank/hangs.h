/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that hang or spin as findings, one for each function they are in. */
#ifndef SCOPE_RANK_HANGS_H
#define SCOPE_RANK_HANGS_H

#include "rank/rank.h"

/* Adds a finding for each function that a hang or a spin of the input is in. 0 or -ENOMEM. */
int scope_rank_hangs(const struct scope_rank_input *input, struct scope_ranking *ranking);

/* Adds a copy. 0 or -ENOMEM. */
int scope_rank_add(struct scope_ranking *ranking, const struct scope_finding *finding);

/* True if both are the same function by name or address, one known from stacks and one from signatures. */
bool scope_rank_same_function(const struct scope_function *a, const struct scope_function *b);

#endif
