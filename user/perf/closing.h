/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Closes descriptors of probes in a thread of its own. When a probe's descriptor is closed the kernel takes the probe
 * out of the code and waits for all CPUs, 50 to 100 ms for each descriptor. The capture cannot wait for this, because
 * it has to empty the rings.
 */
#ifndef SCOPE_PERF_CLOSING_H
#define SCOPE_PERF_CLOSING_H

#include <stdbool.h>
#include <stddef.h>

/* Descriptors that are being closed by a thread of their own. */
struct scope_perf_closing;

/* Takes over the descriptors. If there is no memory or no thread, they are closed at once. */
void scope_perf_closing_begin(struct scope_perf_closing **list, const int *fd, size_t fds);
/* True if some of them are still open. */
bool scope_perf_closing_busy(struct scope_perf_closing **list);
/* Waits until all are closed. */
void scope_perf_closing_end(struct scope_perf_closing **list);

#endif
