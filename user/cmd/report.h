/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of `scope report` that have a file of their own. */
#ifndef SCOPE_CMD_REPORT_H
#define SCOPE_CMD_REPORT_H

#include "causal/site.h"
#include "rank/analysis.h"

/*
 * --causal: holds the process up in the first functions of the ranking, at most so many, and prints
 * what that does behind the report (output NULL: standard output). 0, or -errno with error filled.
 */
int scope_cmd_report_causal(const struct scope_analysis *analysis, uint32_t pid, unsigned most,
			    const char *output, struct scope_error *error);

#endif
