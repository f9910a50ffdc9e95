/* SPDX-License-Identifier: GPL-2.0-only */
/* Holds a function's share of abnormal time against its share of usual time. */
#ifndef SCOPE_RANK_SHARES_H
#define SCOPE_RANK_SHARES_H

#include "rank/rank.h"

struct scope_shares {
	double here_ns, all_here_ns, usual_ns, all_usual_ns; /* the function's, and anything's */
	double stacks, all_stacks;			     /* here, and here anywhere */
	double usual_stacks; /* usual ones anywhere: so many of equal weight tell as much (Kish) */
	double usual_units;  /* whose timelines tell, without stacks, what the function's share is at most */
	double usual_share_max;
};

/*
 * Fills times, odds and chance_z of the finding; leaves them where there is nothing to compare. Stacks
 * of usual units are few where units are short: one more is taken to have hit the function, of two more
 * in all (the rule of succession), so that few stacks cannot rule it out. Where the timelines of usual units
 * have less room for it than that, by the same rule, it is no more.
 */
void scope_rank_shares_compare(struct scope_shares shares, struct scope_finding *finding);

#endif
