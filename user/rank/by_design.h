/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One trace does not show what a request may cost. A kind of request that is slow by design looks like a bug which only some requests meet,
 * unless usual requests run the same function for less, and did not ask for less.
 */
#ifndef SCOPE_RANK_BY_DESIGN_H
#define SCOPE_RANK_BY_DESIGN_H

#include "rank/rank.h"

/* The first reason that applies. Only functions that take longer themselves have one, and only without a baseline. */
enum scope_by_design scope_rank_by_design(const struct scope_rank_input *input, const struct scope_finding *finding);

/* True if units of the function read and write n times the bytes of usual ones, and take no more than n times as long. */
bool scope_rank_in_proportion(const struct scope_rank_input *input, const struct scope_finding *finding);

/* True if no client notices that it takes longer: by no more than a round trip, or than kinds of requests differ by, which is under ten times. */
bool scope_rank_short(const struct scope_rank_options *options, const struct scope_finding *finding);

/* Half a sentence about it; NULL of NO. */
const char *scope_rank_by_design_text(enum scope_by_design by_design);

#endif
