/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Analyses the data of a flight recorder, by the rules of a report, in a child process.
 *
 * The child gets at most SCOPE_WATCH_JUDGE_CPU_S of CPU time. Its result comes through memory that both share.
 */
#ifndef SCOPE_WATCH_JUDGEMENT_H
#define SCOPE_WATCH_JUDGEMENT_H

#include "analysis/analysis.h"
#include "watch/seen.h"

#define SCOPE_WATCH_JUDGE_CPU_S 120

struct scope_watch_judge;

/* outside: slowness that has its cause outside the program is a finding, too. 0 or -errno. */
int scope_watch_judge_create(bool outside, struct scope_watch_judge **ret_judge);
void scope_watch_judge_destroy(struct scope_watch_judge *judge); /* ends a child; NULL is fine */

/* trace_fd: a whole trace, borrowed until the end of the call. root: see scope_symbol_options. 0 or -errno. */
int scope_watch_judge_begin(struct scope_watch_judge *judge, int trace_fd, const char *root);
/* From now on analysed() is called in the child with each successful analysis, after its findings were taken. */
void scope_watch_judge_listen(struct scope_watch_judge *judge,
			      void (*analysed)(void *context, const struct scope_analysis *analysis), void *context);
bool scope_watch_judge_runs(const struct scope_watch_judge *judge);
/* Returns true if a child ended, with its result in *ret_judgement; waits at most wait_ms. */
bool scope_watch_judge_end(struct scope_watch_judge *judge, unsigned wait_ms,
			   struct scope_watch_judgement *ret_judgement);

/*
 * Opens the trace at a path and analyses it with a reader of this process's own. Only for a process that ends soon: what it
 * allocates is not freed. 0 or -errno.
 */
int scope_watch_judge_analyse(const char *path, const char *root, bool variance, struct scope_analysis **ret_analysis);

#endif
