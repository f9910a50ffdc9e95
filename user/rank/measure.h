/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures one function by the evidence: counts, shares, percentiles. */
#ifndef SCOPE_RANK_MEASURE_H
#define SCOPE_RANK_MEASURE_H

#include "rank/rank.h"

/* Fills all of finding but share; function, node and excess_ns are given. */
int scope_rank_measure(const struct scope_rank_input *input, struct scope_finding *finding);

#endif
