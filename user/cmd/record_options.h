/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of scope record. */
#ifndef SCOPE_CMD_RECORD_OPTIONS_H
#define SCOPE_CMD_RECORD_OPTIONS_H

#include "cmd/commands.h"
#include "cmd/probe_option.h"
#include "recorder/recorder.h"
#include "source/selection.h"
#include "source/source.h"

extern const struct scope_option scope_cmd_record_options[];

struct scope_cmd_record {
	struct scope_capture_options capture; /* its pointers go to what stands below */
	struct scope_selection selection;
	struct scope_probe probe[SCOPE_PROBE_MAX];
	struct scope_recorder_options recorder; /* the caller destroys its triggers */
	const char *output;			/* NULL: named after the process */
	const char *source;			/* NULL: the best there is */
	char **command;				/* to be started; NULL: none */
	bool snapshot, help;			/* this alone is asked for */
	bool duration;				/* one was named */
	bool stackless;				/* no stacks of syscalls */
};

/*
 * Fills it in; what is not named has its default. It has to stay where it is: parts of it point at
 * others. 0, or the exit status of a wrong command line, which was said.
 */
int scope_cmd_record_parse(int argc, char **argv, struct scope_cmd_record *request);

#endif
