/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks as text and as JSON: which threads waited for them, who had them, and deadlocks. */
#ifndef SCOPE_REPORT_LOCKS_TEXT_H
#define SCOPE_REPORT_LOCKS_TEXT_H

#include <stdio.h>

#include "analysis/analysis.h"

/* Threads that wait for one another as the window ends, a sentence for each circle. ret_any: there is one. 0 or -ENOMEM. */
int scope_report_deadlocks_text(const struct scope_analysis *analysis, unsigned width, FILE *out, bool *ret_any);
/* The locks that threads waited for longest, `most` of them at most, with a heading; nothing where none matter. 0 or -ENOMEM. */
int scope_report_locks_text(const struct scope_analysis *analysis, unsigned most, unsigned width, FILE *out);

/* The caller's. NULL: no memory. */
struct json_t *scope_report_locks_json(const struct scope_analysis *analysis);
struct json_t *scope_report_locks_seen_json(const struct scope_analysis *analysis);
struct json_t *scope_report_deadlocks_json(const struct scope_analysis *analysis);

/*
 * The threads of a circle, from one of analysis->hangs on: each waits for a lock that the next one has, the last one for
 * that of the first. at: where to look first. ret_hang: room for analysis->hang_count indices. Returns how many there
 * are in it, 0 where there is no more circle, and sets ret_next to where to look then.
 */
size_t scope_report_deadlock_at(const struct scope_analysis *analysis, size_t at, size_t *ret_hang, size_t *ret_next);

#endif
