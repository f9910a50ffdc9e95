/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics of a capture, drawn and exposed repeatedly while it runs. */
#ifndef SCOPE_CMD_METRICS_LIVE_H
#define SCOPE_CMD_METRICS_LIVE_H

#include "capture/capture.h"
#include "report/metrics_text.h"
#include "trace/writer.h"

struct scope_cmd_metrics_live;

struct scope_cmd_metrics_live_options {
	struct scope_metrics_options metrics;
	enum scope_metrics_by by;
	struct scope_series_choice chosen; /* see struct scope_report_metrics */
	uint64_t period_ns;		   /* time between two drawings; 0: no drawings */
	const char *listen;		   /* the address for collectors, or NULL */
	uint64_t expose_ns;		   /* time between two texts for collectors */
	bool keys; /* keys may be read if standard input is a terminal: letters choose the order, q ends the command */
};

/* Follows the writer's file; the writer must outlive it. 0, or -errno with error. */
int scope_cmd_metrics_live_create(const struct scope_cmd_metrics_live_options *options, struct scope_writer *writer,
				  struct scope_error *error, struct scope_cmd_metrics_live **ret_live);
/* True if nothing is drawn, so that the caller may print the progress of the capture. */
bool scope_cmd_metrics_live_silent(const struct scope_cmd_metrics_live *live);
/* Call it regularly during the capture. */
void scope_cmd_metrics_live_tick(struct scope_cmd_metrics_live *live, const struct scope_capture_progress *now);
/* Restores the terminal. NULL is fine. */
void scope_cmd_metrics_live_destroy(struct scope_cmd_metrics_live *live);

#endif
