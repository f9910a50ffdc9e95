/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A runtime such as Node's or Java's compiles functions while it runs. Without names for them a finding is the last
 * function above them that has one: the caller of all requests' code, of which little is known.
 */
#ifndef SCOPE_RANK_UNNAMED_H
#define SCOPE_RANK_UNNAMED_H

#include "rank/rank.h"

/* Share of the finding's extra time, in its function or below, in code made at run time that has no names. */
double scope_rank_unnamed_share(const struct scope_finding *finding);

#endif
