/* SPDX-License-Identifier: GPL-2.0-only */
/* The time of a report's threads by state, for groups by name. */
#ifndef SCOPE_REPORT_TIMES_H
#define SCOPE_REPORT_TIMES_H

#include "analysis/analysis.h"

/* All threads of one name; their times added up. */
struct scope_times {
	const char *name; /* of the analysis */
	uint32_t threads;
	double wall_ns, run_ns, queue_ns, unexplained_ns;
	double blocked_ns[SCOPE_WAIT_CLASSES];
	struct scope_work_time work, slow; /* of the wall time in all requests, and in slow ones */
};

/* In the order of the names. 0 or -ENOMEM; free(*ret_times). */
int scope_report_times_collect(const struct scope_analysis *analysis, struct scope_times **ret_times,
			       size_t *ret_count);

#endif
