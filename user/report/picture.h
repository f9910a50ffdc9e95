/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data of a report's pictures, as JSON of bounded size; docs/report-json.md has the fields. Each
 * returns NULL without memory, and the caller frees the result.
 */
#ifndef SCOPE_REPORT_PICTURE_H
#define SCOPE_REPORT_PICTURE_H

#include <jansson.h>

#include "analysis/analysis.h"
#include "report/path.h"

/* The call tree: time of slow units at each function, at several quantiles, beside that of usual ones. */
json_t *scope_report_picture_flame(const struct scope_analysis *analysis);

/* Threads over the window: how busy each was, and slow units one by one. Requests over time. */
json_t *scope_report_picture_strips(const struct scope_analysis *analysis);

/* What threads did over the window, by group; null if the analysis did not record it (over_time of its options). */
json_t *scope_report_picture_over_time(const struct scope_analysis *analysis);

/* A unit of that trace: what its thread did, and the threads that it waited for. 0 or -errno. */
int scope_report_picture_scene(struct scope_trace *trace, const struct scope_units *units, uint32_t unit,
			       json_t **ret_scene);

#endif
