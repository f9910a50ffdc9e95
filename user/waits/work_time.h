/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the time of threads went while they had requests to work on, and in the slow ones alone, by group. */
#ifndef SCOPE_WAITS_WORK_TIME_H
#define SCOPE_WAITS_WORK_TIME_H

#include "anomaly/detect.h"

/*
 * Request units of a group, added up. Times in ns: wall = run_ns + queue_ns + the sum of blocked_ns + sleeps that are
 * shorter than SCOPE_UNIT_WAIT_MIN_NS, of which no class is known, and what the tracer took.
 */
struct scope_work_time {
	uint64_t units;
	double wall_ns, run_ns, queue_ns;
	double blocked_ns[SCOPE_WAIT_CLASSES];
};

struct scope_work_times {
	struct scope_work_time *all, *slow; /* by index of the group; the latter of closed units that are abnormal */
	size_t groups;
};

/* Of a survey that has ended, and what is abnormal of it. 0 or -errno; the caller destroys. */
int scope_waits_work_times_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
				  const struct scope_detection *detection, struct scope_work_times **ret_times);
void scope_waits_work_times_destroy(struct scope_work_times *times);

#endif
