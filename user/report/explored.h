/* SPDX-License-Identifier: GPL-2.0-only */
/* The results of an exploration, as text and JSON. */
#ifndef SCOPE_REPORT_EXPLORED_H
#define SCOPE_REPORT_EXPLORED_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "explore/explore.h"
#include "report/text.h"

struct scope_explored {
	const struct scope_explore *explore;
	const char *source;
	uint64_t round_ns;
	uint32_t budget, share_most; /* thousandths of a CPU */
	uint32_t pauses;
	uint64_t lost;
	uint64_t looks_apart_ns; /* between two looks at the buffers while probes were set or waited, the longest */
	uint64_t why_hash;	 /* of the path of the request of --why */
	bool over;		 /* the skeleton alone exceeded the budget */
	bool interrupted;	 /* by the user */
};

/* Prints one line about the results of the last round. */
void scope_report_explored_round(const struct scope_explore *explore, const struct scope_explore_plan *plan, char *text,
				 size_t room);

/*
 * first: the analysis of the first round, which has all edges. 0 or -ENOMEM; errors of the stream are left for
 * ferror().
 */
int scope_report_explored_text(const struct scope_explored *explored, const struct scope_analysis *first,
			       const struct scope_report_style *style, const struct scope_forest_limits *limits,
			       FILE *out);
/* 0, -ENOMEM, or -EIO: writing to out failed. */
int scope_report_explored_json(const struct scope_explored *explored, const struct scope_analysis *first,
			       const struct scope_forest_limits *limits, FILE *out);

#endif
