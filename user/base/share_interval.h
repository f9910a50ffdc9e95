/* SPDX-License-Identifier: GPL-2.0-only */
/* The confidence interval of a share, by Wilson's score (E. B. Wilson, "Probable Inference", 1927). */
#ifndef SCOPE_BASE_SHARE_INTERVAL_H
#define SCOPE_BASE_SHARE_INTERVAL_H

/* The 95 % interval of a share of which `part` of `all` were seen; all 0: 0 to 1. */
void scope_share_interval(double part, double all, double *ret_low, double *ret_high);

#endif
