/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads that --thread selects. */
#ifndef SCOPE_ANALYSIS_PART_THREADS_H
#define SCOPE_ANALYSIS_PART_THREADS_H

#include "anomaly/hang.h"
#include "unit/distribution.h"

/*
 * A flag for each thread of the timeline, set for those that the text names: by number, by name, or with a star at
 * its end by the begin of their names. The caller frees it. 0, -ESRCH: it names none, -ENOMEM.
 */
int scope_analysis_part_threads(struct scope_timeline *timeline, const char *text, bool **ret_only);

/* Keeps the hangs of threads whose units count, in their order: how many these are. */
size_t scope_analysis_part_hangs(const struct scope_distributions *distributions, struct scope_hang *hangs,
				 size_t count);

#endif
