/* SPDX-License-Identifier: GPL-2.0-only */
/* The system calls of each stage of a server: how often, on what, how they fail, and what they return. */
#ifndef SCOPE_REPORT_SERVER_CALLS_H
#define SCOPE_REPORT_SERVER_CALLS_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "report/text.h"
#include "server/calls.h"

/*
 * A table for each stage, the busiest first. Without verbose three of them, with six calls each, and no call that less than
 * one unit in a hundred makes. 0 or -ENOMEM.
 */
int scope_report_server_calls_print(const struct scope_analysis *analysis, const struct scope_server_calls *calls,
				    const struct scope_report_style *style, FILE *out);
/* All of them; the caller's. */
struct json_t *scope_report_server_calls_array(const struct scope_analysis *analysis,
					       const struct scope_server_calls *calls);

#endif
