/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares a function's part of abnormal time with its part of usual time. */
#ifndef SCOPE_RANK_SHARES_H
#define SCOPE_RANK_SHARES_H

#include "rank/rank.h"

struct scope_shares {
	double here_ns, all_here_ns, usual_ns, all_usual_ns; /* the function's, and anything's */
	double stacks, all_stacks;			     /* of the function, and of all functions */
	double weighed_stacks; /* all_stacks, as the number of equally weighted ones with as much information (Kish); 0: they weigh the same */
	double usual_stacks; /* usual stacks of all functions, as the number of equally weighted ones with as much information (Kish) */
	double usual_units; /* units whose timelines give, without stacks, an upper bound of the function's share */
	double usual_share_max;
	bool slower;  /* units are slower as a whole than those of another run */
	double grown; /* mean time of a unit here, over that in the baseline; 0: there is no baseline */
};

/*
 * How many times as long its units take here as in the baseline, on average; 0 without one. Also 0
 * where units are compared by size, because larger requests take longer by themselves.
 */
double scope_rank_grown(const struct scope_population *population);

/*
 * Fills times, odds, chance_z, growth_z, rest_z and rest_times of the finding; leaves them unchanged if there is nothing to
 * compare. Short usual units have few stacks. So two more stacks are assumed, one of which hit the
 * function (the rule of succession), so that few stacks cannot exclude it. If by the same rule the
 * timelines of usual units have less room for it, that bound is used.
 *
 * A few long sleeps are few of the stacks, and most of the time. It is enough if one of the two is above chance:
 * chance_z is the larger of the z of the count of stacks and the z of the part of time, which has as many stacks as its
 * weights allow.
 *
 * A share cannot exceed 1. If units take longer than in the baseline as a whole, times is therefore
 * the ratio of times per unit, which is that of shares, multiplied by the growth of a unit's time.
 * The growth is that of all units, since slow ones alone take longer in any trace, and at most that
 * of the time compared here, since units may take longer for another reason. growth_z compares these times per unit, whose
 * errors are those of the counts of stacks, as of Poisson variables.
 */
void scope_rank_shares_compare(struct scope_shares shares, struct scope_finding *finding);

#endif
