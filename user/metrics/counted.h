/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds the kernel's counts of threads, and the time that memory and interrupts took from them. */
#ifndef SCOPE_METRICS_COUNTED_H
#define SCOPE_METRICS_COUNTED_H

#include "metrics/metrics.h"

/* 0 or -ENOMEM, as the functions below. */
int scope_metrics_add_counted(struct scope_metrics *metrics, uint32_t thread, enum scope_metric metric,
			      uint64_t time_ns, uint64_t value);

/* Functions of struct scope_timeline_ops; user: the metrics. */
int scope_metrics_take_stall(void *user, uint32_t thread, uint8_t kind, uint64_t begin_ns, uint64_t end_ns);
int scope_metrics_take_counted(void *user, uint32_t thread, const struct scope_event *event);

#endif
