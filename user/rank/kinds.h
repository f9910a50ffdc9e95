/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps only the findings of the requested kinds. */
#ifndef SCOPE_RANK_KINDS_H
#define SCOPE_RANK_KINDS_H

#include "rank/rank.h"

/* Keeps those, in their order, and counts the others as left out. If none is left, sets the ranking's reason. */
void scope_rank_kinds_keep(uint32_t kinds, struct scope_ranking *ranking);

#endif
