/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks as text and as JSON: which threads waited for them, who had them, and deadlocks. */
#ifndef SCOPE_REPORT_LOCKS_TEXT_H
#define SCOPE_REPORT_LOCKS_TEXT_H

#include <stdio.h>

#include "analysis/analysis.h"

/*
 * Prints a sentence for each circle of threads that wait for one another at the window's end. *ret_any: there is one. 0
 * or -ENOMEM.
 */
int scope_report_deadlocks_text(const struct scope_analysis *analysis, unsigned width, FILE *out, bool *ret_any);
/*
 * Prints at most `most` locks that threads waited for longest, with a heading; nothing if none matters. 0 or -ENOMEM.
 */
int scope_report_locks_text(const struct scope_analysis *analysis, unsigned most, unsigned width, FILE *out);

/* The caller owns the result. NULL: no memory. */
struct json_t *scope_report_locks_json(const struct scope_analysis *analysis);
struct json_t *scope_report_locks_seen_json(const struct scope_analysis *analysis);
struct json_t *scope_report_deadlocks_json(const struct scope_analysis *analysis);

/*
 * Finds the next circle: each of its threads waits for a lock of the next one, the last one for a lock of the first.
 * at: index in analysis->hangs to start from. ret_hang: the circle's threads, with room for analysis->hang_count
 * indices. Returns their number, 0 if there is no further circle. *ret_next: where to continue.
 */
size_t scope_report_deadlock_at(const struct scope_analysis *analysis, size_t at, size_t *ret_hang, size_t *ret_next);

#endif
