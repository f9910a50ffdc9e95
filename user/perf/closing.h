/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Closes descriptors of probes beside the capture. The kernel takes a probe out of the code as its descriptor is closed,
 * and waits for all CPUs then, 50 to 100 ms for each descriptor; in that time the rings would not be emptied.
 */
#ifndef SCOPE_PERF_CLOSING_H
#define SCOPE_PERF_CLOSING_H

#include <stdbool.h>
#include <stddef.h>

/* Descriptors that are being closed by a thread of their own. */
struct scope_perf_closing;

/* Takes over the descriptors. They are closed at once if there is no memory or no thread for it. */
void scope_perf_closing_begin(struct scope_perf_closing **list, const int *fd, size_t fds);
/* True if some of them are open yet. */
bool scope_perf_closing_busy(struct scope_perf_closing **list);
/* Waits until none is. */
void scope_perf_closing_end(struct scope_perf_closing **list);

#endif
