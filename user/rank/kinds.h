/* SPDX-License-Identifier: GPL-2.0-only */
/* Findings of the kinds that are asked for. */
#ifndef SCOPE_RANK_KINDS_H
#define SCOPE_RANK_KINDS_H

#include "rank/rank.h"

/* Keeps those, in their order, and counts the others as left out; with reason where none is left. */
void scope_rank_kinds_keep(uint32_t kinds, struct scope_ranking *ranking);

#endif
