/* SPDX-License-Identifier: GPL-2.0-only */
/* Matches delay experiments with the findings of a report. */
#ifndef SCOPE_REPORT_CAUSAL_H
#define SCOPE_REPORT_CAUSAL_H

#include <stddef.h>
#include <stdint.h>

#include "causal/result.h"

#define SCOPE_REPORT_NO_SITE UINT32_MAX

/* The delay experiment of a finding. */
struct scope_report_site {
	uint32_t number; /* index of its site in the result; SCOPE_REPORT_NO_SITE: no delays there, */
	char why[256];	 /* why no delays were made there; "": no experiment was requested for it */
};

struct scope_report_causal {
	const struct scope_causal_result *result; /* NULL: no experiments were made, */
	const char *why;			  /* for this reason */
	const struct scope_report_site *finding;  /* by index of the ranking's finding */
};

/* The effect of delays in that finding; NULL: none was measured. causal NULL is fine. */
const struct scope_effect *scope_report_effect(const struct scope_report_causal *causal, size_t index);

#endif
