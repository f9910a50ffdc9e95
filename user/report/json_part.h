/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the report as JSON. Each returns a new value for the caller; NULL: no memory. */
#ifndef SCOPE_REPORT_JSON_PART_H
#define SCOPE_REPORT_JSON_PART_H

#include <jansson.h>

#include "report/model.h"

json_t *scope_report_json_string(const char *text);			   /* NULL: null */
json_t *scope_report_json_number(double value);				   /* null if it is not finite */
json_t *scope_report_json_function(const struct scope_function *function); /* NULL: null */
json_t *scope_report_json_thread(const struct scope_thread *thread);

/* The figures on which the answer is based. */
json_t *scope_report_json_basis(const struct scope_model *model);
/* One of the findings, and the effect of delays in it. */
json_t *scope_report_json_finding(const struct scope_model *model, size_t index);
/* A slow unit of a finding and a usual one; null for a finding without one, and for hangs and spins. */
json_t *scope_report_json_example(const struct scope_analysis *analysis, const struct scope_model_finding *one);
/* The trigger that wrote the trace, and the unit it saw; null if no trigger did. */
json_t *scope_report_json_triggered(const struct scope_model *model);
/* What was slow inside the kernel; null if nothing was. */
json_t *scope_report_json_kernel(const struct scope_model *model);

#endif
