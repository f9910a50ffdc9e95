/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of scope metrics. */
#ifndef SCOPE_CMD_METRICS_OPTIONS_H
#define SCOPE_CMD_METRICS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/capture.h"
#include "cmd/commands.h"
#include "metrics/view.h"
#include "report/metrics_text.h"
#include "source/selection.h"
#include "source/source.h"

extern const struct scope_option scope_cmd_metrics_options[];

typedef int scope_metrics_printer(const struct scope_report_metrics *report, FILE *out);

struct scope_cmd_metrics {
	struct scope_capture_options capture;
	struct scope_selection selection;
	struct scope_metrics_options metrics;
	enum scope_metrics_by by;
	const char *input, *output, *save, *source, *baseline; /* NULL: not given */
	const char *listen;				       /* the address for collectors; NULL: none */
	const char *compare;				       /* the text of from_ns and to_ns; NULL: not given */
	struct scope_series_choice chosen;		       /* see struct scope_report_metrics */
	uint64_t live_ns;				       /* time between two drawings; 0: no drawings */
	uint64_t from_ns, to_ns;			       /* since the begin of the window */
	const struct scope_source *from;		       /* the source of the capture; the caller finds it */
	char **command;					       /* command to start; NULL: none */
	int *command_status;				       /* set by the caller: gets its exit status */
	scope_metrics_printer *print;			       /* prints the format that was chosen */
	unsigned relate;   /* metric to which others are related; SCOPE_METRICS: latency */
	bool since_change; /* compare the time after the change point with the time before */
	bool duration, verbose, help;
};

/*
 * Fills in all members but `from`; options that are not given have their defaults. The struct must not be moved,
 * because members point to others. 0, or the exit status of a wrong command line, after printing the error.
 */
int scope_cmd_metrics_parse(int argc, char **argv, struct scope_cmd_metrics *request);

#endif
