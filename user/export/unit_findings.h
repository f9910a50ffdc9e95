/* SPDX-License-Identifier: GPL-2.0-only */
/* The units of an analysed trace, each with its mark and the finding that explains it. */
#ifndef SCOPE_EXPORT_UNIT_FINDINGS_H
#define SCOPE_EXPORT_UNIT_FINDINGS_H

#include "analysis/analysis.h"

#define SCOPE_EXPORT_NO_FINDING UINT32_MAX

/* A unit; the pointer is valid only during the call. */
struct scope_export_request {
	const struct scope_unit *unit;
	bool request;	  /* a request of a client, or work that a thread picks up; else a round of another thread */
	bool slow;	  /* it takes longer than usual */
	bool frequent;	  /* it makes a call more often than usual */
	uint32_t finding; /* number in the ranking of the finding that explains most of its excess */
};

/*
 * Calls each() for every unit that ended, in the order of their ends. Only units that the analysis kept
 * (evidence/keep.h) have a finding: these are all abnormal ones, unless there are very many. SCOPE_EXPORT_NO_FINDING:
 * no finding is known. 0, -errno, or what each() returned.
 */
int scope_export_requests_each(const struct scope_analysis *analysis,
			       int (*each)(void *user, const struct scope_export_request *request), void *user);

#endif
