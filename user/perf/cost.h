/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures for how long a sample of a stack delays a thread. */
#ifndef SCOPE_PERF_COST_H
#define SCOPE_PERF_COST_H

#include <stdint.h>

struct perf_event_attr;

/*
 * The ns that one sample of that event takes, for a stack at least as deep as the event copies: the median of some tens
 * of samples of the calling thread. This takes 10 to 150 ms. 0: not known, because the event or its ring was refused,
 * or there were too few samples.
 */
uint32_t scope_perf_cost_measure(const struct perf_event_attr *sample);

#endif
