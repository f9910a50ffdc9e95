/* SPDX-License-Identifier: GPL-2.0-only */
/* The report as one JSON object, for programs; docs/report-json.md tells its fields. */
#ifndef SCOPE_REPORT_JSON_H
#define SCOPE_REPORT_JSON_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "report/causal.h"

/* causal: NULL without experiments. 0, -ENOMEM, or -EIO: out takes no more. */
int scope_report_json(const struct scope_analysis *analysis, const struct scope_report_causal *causal,
		      FILE *out);

#endif
