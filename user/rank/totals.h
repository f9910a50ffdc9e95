/* SPDX-License-Identifier: GPL-2.0-only */
/* The sums by which a verdict is made: units, their time in all and beyond the usual, and what their waits led to. */
#ifndef SCOPE_RANK_TOTALS_H
#define SCOPE_RANK_TOTALS_H

#include "rank/rank.h"

/* Its findings are known. */
void scope_rank_totals(const struct scope_rank_input *input, struct scope_ranking *ranking);

#endif
