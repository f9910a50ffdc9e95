/* SPDX-License-Identifier: GPL-2.0-only */
/* The requests by their kind, for a trace that has kinds: a section, a clause, and JSON. */
#ifndef SCOPE_REPORT_BY_REQUEST_H
#define SCOPE_REPORT_BY_REQUEST_H

#include <jansson.h>

#include "analysis/analysis.h"

/* "98 % of them are GET /search", of the slow requests; "" if kinds or slow requests are not known. Returns text. */
const char *scope_report_by_request_slow(const struct scope_analysis *analysis, char *text, size_t room);

/* The requested kinds, if the trace has none of them: "http". NULL: it has some, or none were requested. */
const char *scope_report_by_request_none(const struct scope_analysis *analysis);

/* An array; empty without kinds. NULL: no memory. */
json_t *scope_report_by_request_json(const struct scope_analysis *analysis);

#endif
