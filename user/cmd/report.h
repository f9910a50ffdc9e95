/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of `scope report` that are in separate files. */
#ifndef SCOPE_CMD_REPORT_H
#define SCOPE_CMD_REPORT_H

#include "base/error.h"
#include "rank/rank.h"
#include "report/text.h"

struct scope_analysis;
struct scope_cmd_causal;
struct scope_cmd_report;
struct scope_newfile;

/* The style of the requested report, without colours. */
struct scope_report_style scope_cmd_report_style(const struct scope_cmd_report *request);

/* Prints the requested part to the file, and finishes the file. causal: NULL: none. 0, or -errno with error filled. */
int scope_cmd_report_print(const struct scope_cmd_report *request, const struct scope_analysis *analysis,
			   const struct scope_report_causal *causal, struct scope_newfile *file,
			   struct scope_error *error);

/*
 * --causal: delays the process in the first functions of the ranking, at most `most` (up to SCOPE_DELAY_SITES_MAX).
 * progress: as for scope delay; NULL: answered requests. Returns 0 for every outcome, or -ENOMEM. ranking and progress
 * must outlive it.
 */
int scope_cmd_causal_run(const struct scope_ranking *ranking, uint32_t pid, unsigned most, const char *progress,
			 struct scope_cmd_causal **ret_causal);

/* The results for the style of the report; borrowed. */
const struct scope_report_causal *scope_cmd_causal_report(const struct scope_cmd_causal *causal);

/* 0, or -errno with error filled if this is not the requested result. */
int scope_cmd_causal_check(const struct scope_cmd_causal *causal, struct scope_error *error);
void scope_cmd_causal_free(struct scope_cmd_causal *causal); /* NULL is fine */

#endif
