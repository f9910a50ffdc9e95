/* SPDX-License-Identifier: GPL-2.0-only */
/* Which thread owns a lock, by a copy of the lock's memory. */
#ifndef SCOPE_ANOMALY_LOCK_OWNER_H
#define SCOPE_ANOMALY_LOCK_OWNER_H

#include "anomaly/hang.h"
#include "timeline/timeline.h"

/*
 * The index of the thread that owns the lock at this address, by the copy of its memory that was taken while `thread`
 * waited for it; `thread` itself if it waits for itself; -ENOENT: not known. Layouts: trace/lock_word.h.
 */
long scope_anomaly_owner_find(const struct scope_trace *trace, struct scope_threads *threads, uint32_t thread,
			      uint64_t address);

/*
 * Removes threads that take turns at a lock: they began to wait for it in the window, without a request, and the lock's
 * owner waits for new work. Returns the number of hangs that are left.
 */
size_t scope_anomaly_owner_leave_turns(const struct scope_trace *trace, const struct scope_units *units,
				       const struct scope_pickups *pickups, struct scope_hang *hangs, size_t count);

/* Fills owner and circle of hangs. */
void scope_anomaly_owner_fill(const struct scope_trace *trace, struct scope_threads *threads, struct scope_hang *hangs,
			      size_t count);

/*
 * Adds threads that wait for each other's locks in a circle as the window ends, or for a lock of their own, however short they
 * have waited: that will not change. This is certain of threads that were asleep while their locks were read, as new traces say, and
 * that wait without a time limit. *hangs is in order of threads, and stays so. 0 or -ENOMEM.
 */
int scope_anomaly_owner_circles(const struct scope_trace *trace, const struct scope_timeline *timeline, size_t threads,
				struct scope_hang **hangs, size_t *count);

#endif
