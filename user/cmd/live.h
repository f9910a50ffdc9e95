/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of what was traced last, drawn again every few seconds while a capture runs. */
#ifndef SCOPE_CMD_LIVE_H
#define SCOPE_CMD_LIVE_H

#include <stdint.h>

#include "analysis/analysis.h"
#include "capture/capture.h"
#include "report/text.h"

#define SCOPE_LIVE_PERIOD_NS 3000000000ull
#define SCOPE_LIVE_WINDOW_NS 60000000000ull

struct scope_cmd_live;

/*
 * Each report is made by a process of its own, of what the stream holds when it is forked off: the
 * capture goes on meanwhile. On a terminal reports replace one another on its alternate screen, else
 * they follow one another on standard output. What begins in the middle (analysis/change_point.h) is looked for in what
 * each is of: once the time before has left the window nothing is left to compare units with, and only the
 * report at the end, which is of all, tells again. window_ns: of what they are, 0: of all so far; style: of
 * each, but for its colours; json: each is JSON, in a line of its own, terminal or not; options: for all but the
 * stream and the root of files, borrowed. 0 or -ENOMEM.
 */
int scope_cmd_live_create(uint64_t period_ns, uint64_t window_ns, const struct scope_report_style *style, bool json,
			  const struct scope_analysis_options *options, struct scope_cmd_live **ret_live);

/*
 * Forks off a report if it is time for one and the last is done. trace_fd: the file that is written, all
 * of it; stream: NULL, where none follows it any more: the report reads the file.
 */
void scope_cmd_live_tick(struct scope_cmd_live *live, struct scope_stream *stream, int trace_fd,
			 const struct scope_capture_progress *now);

/* The screen is as it was before. NULL is fine. */
void scope_cmd_live_destroy(struct scope_cmd_live *live);

#endif
