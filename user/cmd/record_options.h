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
	struct scope_capture_options capture; /* its pointers point to members below */
	struct scope_selection selection;
	struct scope_probe probe[SCOPE_PROBE_MAX];
	struct scope_recorder_options recorder; /* the caller destroys its triggers */
	const char *output;			/* NULL: named after the process */
	const char *source;			/* NULL: the best one */
	char **command;				/* command to start; NULL: none */
	bool snapshot, help;			/* the request is only for a snapshot, or for help */
	bool quiet;				/* print nothing but errors */
	bool duration;				/* a duration was given */
	bool stackless;				/* no stacks of system calls */
};

/*
 * Parses the command line into a zeroed request; options that are not given have their defaults. The struct must not be
 * moved, because members point to others. 0, or the exit status of a wrong command line, after printing the error.
 */
int scope_cmd_record_parse(int argc, char **argv, struct scope_cmd_record *request);

#endif
