/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares two reports: rates, shares with intervals, and functions that are new, gone, worse or better. */
#ifndef SCOPE_REPORT_COMPARE_H
#define SCOPE_REPORT_COMPARE_H

#include <stdio.h>

#include <jansson.h>

/*
 * Compares two reports as JSON (report/json.h), which are not trusted: missing fields and fields of another type
 * count as 0 or "". threshold: a part, by which a figure has to differ beyond its 95 % interval; time_threshold: the same for how long half
 * of all requests take. The result is as
 * docs/schema/commands.schema.json has it, without schema, scope and command; the caller frees it. NULL: no memory.
 */
json_t *scope_report_compare(const json_t *before, const json_t *after, double threshold, double time_threshold);

/* The same as text. path: names of the two. */
void scope_report_compare_print(const json_t *found, const char *const *path, FILE *out);

#endif
