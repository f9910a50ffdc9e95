/* SPDX-License-Identifier: GPL-2.0-only */
/* A report of the last part of a capture, drawn again every few seconds while the capture runs. */
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
 * A forked process makes each report from the state of the stream at the fork, while the capture continues. On a
 * terminal reports replace one another on the alternate screen; otherwise they follow one another on standard output. A
 * change point (analysis/change_point.h) is searched in each report's window. When the time before the change has left
 * the window, there are no units to compare with, and only the report at the end, which covers the whole capture, shows
 * the change again. window_ns: length of the window, 0: the whole capture so far; style: that of each report, without
 * colours; json: each report is a line of JSON, on a terminal, too; options: all but the stream and the root of files
 * are used, borrowed. 0 or -ENOMEM.
 */
int scope_cmd_live_create(uint64_t period_ns, uint64_t window_ns, const struct scope_report_style *style, bool json,
			  const struct scope_analysis_options *options, struct scope_cmd_live **ret_live);

/*
 * Forks a process for a report if it is time and the last process has ended. trace_fd: the file that is being written.
 * stream: NULL if no stream follows the file any more; then the report reads the file.
 */
void scope_cmd_live_tick(struct scope_cmd_live *live, struct scope_stream *stream, int trace_fd,
			 const struct scope_capture_progress *now);

/* Restores the screen. NULL is fine. */
void scope_cmd_live_destroy(struct scope_cmd_live *live);

#endif
