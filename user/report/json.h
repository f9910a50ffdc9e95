/* SPDX-License-Identifier: GPL-2.0-only */
/* The report as one JSON object, for programs; docs/report-json.md describes its fields. */
#ifndef SCOPE_REPORT_JSON_H
#define SCOPE_REPORT_JSON_H

#include <stdio.h>

#include <jansson.h>

#include "analysis/analysis.h"
#include "report/text.h"

/* Of docs/schema/report.schema.json: increased when a field is removed, or changes its meaning. */
#define SCOPE_REPORT_SCHEMA 1

/* The object, which the caller frees; NULL: no memory. style: its trace and experiments are used. */
json_t *scope_report_json_make(const struct scope_analysis *analysis, const struct scope_report_style *style);

/*
 * Writes the object by jansson's flags, and a newline, and frees the object. NULL: -ENOMEM. 0, or -EIO: writing to
 * out failed.
 */
int scope_report_json_write(json_t *all, size_t flags, FILE *out);
/* 0, -ENOMEM, or -EIO: writing to out failed. */
int scope_report_json(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out);

/*
 * In one line, for a stream of reports. live: the state of the capture, which is freed here; NULL:
 * it has ended. 0, -ENOMEM, or -EIO.
 */
int scope_report_json_line(const struct scope_analysis *analysis, const struct scope_report_style *style, json_t *live,
			   FILE *out);

#endif
