/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Appends the results of a watch to a file of summaries (fleet/summary_file.h), each second once.
 *
 * A file of SCOPE_CMD_SUMMARY_BYTES is renamed to NAME.old.scopesum, and an earlier file with that name is removed. So
 * the files have at most twice that size.
 */
#ifndef SCOPE_CMD_WATCH_SUMMARY_H
#define SCOPE_CMD_WATCH_SUMMARY_H

#include "analysis/analysis.h"
#include "base/error.h"

#define SCOPE_CMD_SUMMARY_BYTES (64ll << 20) /* no rule */

struct scope_cmd_watch_summary;

/*
 * label: see scope_fleet_summarize_options. path and label are borrowed. 0, or -errno with error if the file cannot be
 * written to.
 */
int scope_cmd_watch_summary_create(const char *path, const char *const *label, size_t labels, struct scope_error *error,
				   struct scope_cmd_watch_summary **ret_summary);
void scope_cmd_watch_summary_destroy(struct scope_cmd_watch_summary *summary); /* NULL is fine */

/* For scope_watch_options.analysed: called in a child process. Prints errors to stderr, each reason once. */
void scope_cmd_watch_summary_add(void *summary, const struct scope_analysis *analysis);

#endif
