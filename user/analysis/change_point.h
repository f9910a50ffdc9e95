/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the time from which units take longer, which splits a window into before and after.
 *
 * A server that became slow while it was watched has most of its slow units at one end of the
 * window, or only slow units from some time on, which then look normal. The time before is a better
 * baseline.
 */
#ifndef SCOPE_ANALYSIS_CHANGE_POINT_H
#define SCOPE_ANALYSIS_CHANGE_POINT_H

#include "evidence/keep.h"

/*
 * Finds by group the time after which the kept units take longer than before, by Pettitt's statistic
 * (A. N. Pettitt, "A Non-parametric Approach to the Change-point Problem", Applied Statistics 28(2),
 * 1979, section 2), each unit with the weight of those it represents. A change counts if it lasts:
 * the share of units above twice the median of before is, in both halves of the time after,
 * share_times as large as in both halves of the time before, and by more than chance. Of several
 * groups the one with the most excess is used. If there is none, the same is asked of units above 8, 32 and 128 times
 * the median, each by the sum of whether they are: a few slow ones do not move the ranks, and are few beside others that
 * were always above twice the median. *ret_ns: in the clock of the trace, 0 if there is none. 0 or -ENOMEM.
 */
int scope_analysis_change_point_find(const struct scope_kept *kept, const struct scope_detection *detection,
				     double share_times, double chance_z, uint64_t *ret_ns);

#endif
