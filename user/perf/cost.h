/* SPDX-License-Identifier: GPL-2.0-only */
/* Measure for how long a sample of a stack holds a thread up. */
#ifndef SCOPE_PERF_COST_H
#define SCOPE_PERF_COST_H

#include <stdint.h>

struct perf_event_attr;

/*
 * ns for one sample of that event, taken of the calling thread with a stack at least as deep as the
 * event copies: the median over some tens of them, after 10 to 150 ms. 0 where it cannot be
 * told: the event or its ring is refused, or there were too few.
 */
uint32_t scope_perf_cost_measure(const struct perf_event_attr *sample);

#endif
