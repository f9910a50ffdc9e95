/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the report as JSON. Each makes a value, the caller's; NULL: no memory. */
#ifndef SCOPE_REPORT_JSON_PART_H
#define SCOPE_REPORT_JSON_PART_H

#include <jansson.h>

#include "report/model.h"

json_t *scope_report_json_string(const char *text);			   /* NULL: null */
json_t *scope_report_json_number(double value);				   /* null where it is not finite */
json_t *scope_report_json_function(const struct scope_function *function); /* NULL: null */
json_t *scope_report_json_thread(const struct scope_thread *thread);

/* One of the findings, and what holding the process up in it did. */
json_t *scope_report_json_finding(const struct scope_model *model, size_t index);
/* A slow unit of a finding beside a usual one; null of one without, and of threads that hang or spin. */
json_t *scope_report_json_example(const struct scope_analysis *analysis, const struct scope_model_finding *one);
/* What was slow inside the kernel; null where nothing was. */
json_t *scope_report_json_kernel(const struct scope_model *model);

#endif
