/* SPDX-License-Identifier: GPL-2.0-only */
/* A slow unit of a finding beside a usual one, as JSON. */
#ifndef SCOPE_REPORT_EXAMPLE_JSON_H
#define SCOPE_REPORT_EXAMPLE_JSON_H

#include <jansson.h>

#include "analysis/analysis.h"

/* JSON's null for a finding without one; NULL: no memory, or the trace cannot be read. The caller frees. */
json_t *scope_example_json(const struct scope_analysis *analysis, const struct scope_finding *finding);

#endif
