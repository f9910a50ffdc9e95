/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where usual requests spend their time. A function that makes all requests equally slow is not unusual in any
 * comparison, but it has most of their time.
 */
#ifndef SCOPE_RANK_USUAL_H
#define SCOPE_RANK_USUAL_H

#include "rank/rank.h"

/*
 * Fills the functions with the largest parts, by the stacks of usual requests (of usual units,
 * where no thread takes requests): none with fewer than SCOPE_USUAL_STACKS stacks. What a function
 * sleeps counts for it, whatever it waits for, and so does what library functions do for it. Units
 * of a baseline do not count. 0 or -ENOMEM.
 */
int scope_rank_usual(const struct scope_rank_input *input, struct scope_usual *ret_usual);

#endif
