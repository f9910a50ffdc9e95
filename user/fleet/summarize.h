/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the summary of a trace from its analysis. */
#ifndef SCOPE_FLEET_SUMMARIZE_H
#define SCOPE_FLEET_SUMMARIZE_H

#include "analysis/analysis.h"
#include "fleet/host_summary.h"

struct scope_fleet_summarize_options {
	const char *const *label; /* "KEY=VALUE" each, see scope_fleet_label_check() */
	size_t labels;
	const char *host; /* NULL: as the trace says */
	/*
	 * If a capture has several summaries they share a number, which is 0 otherwise; each summary has a number of
	 * its own.
	 */
	uint64_t capture, number;
	/*
	 * By the clock of the trace: seconds that began earlier or end later are left out. 0 and UINT64_MAX: all
	 * count.
	 */
	uint64_t from_ns, to_ns;
};

/* A key of letters, digits, '.', '-' and '_', and a value that is not empty. */
bool scope_fleet_label_check(const char *label);

/*
 * 0; -ENODATA: the trace does not say when it was recorded, so it cannot be compared with others, or no second is in the window;
 * -ENOMEM.
 */
int scope_fleet_summarize(const struct scope_analysis *analysis, const struct scope_fleet_summarize_options *options,
			  struct scope_fleet_summary **ret_summary);

#endif
