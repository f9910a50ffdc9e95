/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the step from which units take longer or shorter, which splits a window into before and after.
 *
 * By Pettitt's statistic on the mean latency of each step (A. N. Pettitt, "A Non-parametric Approach to the
 * Change-point Problem", Applied Statistics 28(2), 1979, section 2). Its chance is found by permuting blocks of
 * n^(1/3) steps, because steps resemble their neighbours. A change by less than SCOPE_SHIFT_TIMES of the medians is
 * none.
 */
#ifndef SCOPE_METRICS_SHIFT_H
#define SCOPE_METRICS_SHIFT_H

#include "metrics/view.h"

#define SCOPE_SHIFT_STEPS_MIN 8 /* before and after it, with units */
#define SCOPE_SHIFT_CHANCE 0.01 /* more than that by chance: there is none */
#define SCOPE_SHIFT_TIMES 1.25	/* ratio of the medians of after and before, or the reverse */
#define SCOPE_SHIFT_ROUNDS 2000 /* no rule: permutations */

/* latency: of each step, NAN: no unit ended. *ret_step: the first step after the change. 0; -ENODATA: none; -ENOMEM. */
int scope_metrics_shift(const double *latency, size_t steps, size_t *ret_step);

#endif
