/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Since when units take longer: the time that parts a window into before and since.
 *
 * A server that became slow while it was watched has most of its slow units in one end of the window,
 * or only slow ones from some time on, which are then its norm. The time before is a better one.
 */
#ifndef SCOPE_ANALYSIS_CHANGE_POINT_H
#define SCOPE_ANALYSIS_CHANGE_POINT_H

#include "evidence/keep.h"

/*
 * Of what was kept, by group: where units take longer behind than before, by Pettitt's statistic
 * (A. N. Pettitt, "A Non-parametric Approach to the Change-point Problem", Applied Statistics 28(2),
 * 1979, section 2), each standing for as many as it was kept of. It counts where it lasts: units of
 * twice the median of before are, in both halves of the time since, share_times as large a share as in
 * both halves of the time before, and more than by chance. Of several groups the one with the most excess tells.
 * *ret_ns: in the clock of the trace, 0 where there is none. 0 or -ENOMEM.
 */
int scope_analysis_change_point_find(const struct scope_kept *kept, const struct scope_detection *detection,
				     double share_times, double chance_z, uint64_t *ret_ns);

#endif
