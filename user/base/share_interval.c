// SPDX-License-Identifier: GPL-2.0-only
/* The confidence interval of a share, by Wilson's score. */
#include "base/share_interval.h"

#include <math.h>

#define NORMAL_95 1.959964 /* no rule: standard deviations */

void scope_share_interval(double part, double all, double *ret_low, double *ret_high)
{
	const double z2 = NORMAL_95 * NORMAL_95, share = all > 0 ? part / all : 0.5;
	double middle, half;

	*ret_low = 0;
	*ret_high = 1;
	if (all <= 0)
		return;
	middle = (share + z2 / (2 * all)) / (1 + z2 / all);
	half = NORMAL_95 * sqrt(share * (1 - share) / all + z2 / (4 * all * all)) / (1 + z2 / all);
	*ret_low = fmax(middle - half, 0);
	*ret_high = fmin(middle + half, 1);
}
