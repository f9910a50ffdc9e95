/* SPDX-License-Identifier: GPL-2.0-only */
/* The report as one JSON object, for programs; docs/report-json.md tells its fields. */
#ifndef SCOPE_REPORT_JSON_H
#define SCOPE_REPORT_JSON_H

#include <stdio.h>

#include <jansson.h>

#include "analysis/analysis.h"
#include "report/text.h"

/* Of docs/schema/report.schema.json: one more where a field goes, or means something else. */
#define SCOPE_REPORT_SCHEMA 1

/* The object itself, the caller's to free; NULL: no memory. style: its trace and experiments count. */
json_t *scope_report_json_make(const struct scope_analysis *analysis, const struct scope_report_style *style);

/* Writes the object as jansson's flags say, and a line's end; it is gone then. NULL: -ENOMEM. 0, or -EIO: out takes no more. */
int scope_report_json_write(json_t *all, size_t flags, FILE *out);
/* 0, -ENOMEM, or -EIO: out takes no more. */
int scope_report_json(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out);

/*
 * In one line, for a stream of reports. live: what the capture has come to, which goes here; NULL: it is over.
 * 0, -ENOMEM, or -EIO.
 */
int scope_report_json_line(const struct scope_analysis *analysis, const struct scope_report_style *style, json_t *live,
			   FILE *out);

#endif
