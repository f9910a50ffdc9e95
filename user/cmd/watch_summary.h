/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Appends what a watch analyses to a file of summaries (fleet/summary_file.h), each second once.
 *
 * A file of SCOPE_CMD_SUMMARY_BYTES is renamed to NAME.old.scopesum, and the one that had this name is removed: at most twice as much stays.
 */
#ifndef SCOPE_CMD_WATCH_SUMMARY_H
#define SCOPE_CMD_WATCH_SUMMARY_H

#include "analysis/analysis.h"
#include "base/error.h"

#define SCOPE_CMD_SUMMARY_BYTES (64ll << 20) /* no rule */

struct scope_cmd_watch_summary;

/* label: as of scope_fleet_summarize_options; borrowed, as path is. 0, or -errno with error: it cannot be written to. */
int scope_cmd_watch_summary_create(const char *path, const char *const *label, size_t labels, struct scope_error *error,
				   struct scope_cmd_watch_summary **ret_summary);
void scope_cmd_watch_summary_destroy(struct scope_cmd_watch_summary *summary); /* NULL is fine */

/* For scope_watch_options.analysed: called in a child process; what it says goes to stderr, once for each reason. */
void scope_cmd_watch_summary_add(void *summary, const struct scope_analysis *analysis);

#endif
