/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits the time that threads spent in requests, and in the slow ones alone, by group. */
#ifndef SCOPE_WAITS_WORK_TIME_H
#define SCOPE_WAITS_WORK_TIME_H

#include "anomaly/detect.h"
#include "waits/fd_time.h"

/*
 * Sums over the request units of a group. Times in ns: wall = run_ns + queue_ns + the sum of blocked_ns + the rest,
 * which is sleeps shorter than SCOPE_UNIT_WAIT_MIN_NS, whose class is not known, and the time of the tracer.
 */
struct scope_work_time {
	uint64_t units;
	double wall_ns, run_ns, queue_ns;
	double blocked_ns[SCOPE_WAIT_CLASSES];
};

struct scope_work_times {
	struct scope_work_time *all, *slow; /* by index of the group; slow: only of abnormal closed units */
	size_t groups;
	struct scope_fd_times fds;
};

/* Of distributions that are complete. 0 or -errno; the caller destroys. */
int scope_waits_work_times_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
				  const struct scope_detection *detection, struct scope_work_times **ret_times);
void scope_waits_work_times_destroy(struct scope_work_times *times);

#endif
