/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of scope watch. */
#ifndef SCOPE_CMD_WATCH_OPTIONS_H
#define SCOPE_CMD_WATCH_OPTIONS_H

#include "cmd/commands.h"
#include "fleet/host_summary.h"
#include "recorder/recorder.h"
#include "watch/watch.h"

extern const struct scope_option scope_cmd_watch_options[];

struct scope_cmd_watch {
	const char *process, *unit, *group; /* exactly one is given */
	struct scope_capture_options capture;
	struct scope_recorder_options recorder; /* without its triggers */
	struct scope_watch_options watch;	/* without the callbacks for its output */
	const char *when[SCOPE_TRIGGERS_MAX];
	size_t whens;
	const char *output;  /* NULL: named after the target */
	const char *source;  /* NULL: the best one */
	const char *summary; /* file of summaries; NULL: none */
	const char *label[SCOPE_FLEET_LABELS_MAX];
	size_t labels;
	bool help;
};

/* See scope_cmd_record_parse(). */
int scope_cmd_watch_parse(int argc, char **argv, struct scope_cmd_watch *request);

#endif
