/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of scope report. */
#ifndef SCOPE_CMD_REPORT_OPTIONS_H
#define SCOPE_CMD_REPORT_OPTIONS_H

#include "cluster/cluster.h"
#include "cmd/commands.h"
#include "cmd/cmd.h"
#include "cmd/part_options.h"
#include "cmd/signature_options.h"
#include "cmd/symbols.h"
#include "source/selection.h"
#include "source/source.h"
#include "variance/forest.h"

extern const struct scope_option scope_cmd_report_options[];

struct scope_cmd_report {
	const char *name; /* of the command: report, or waits, model or explore, which print another part of it */
	bool waits, model, explore;
	struct scope_forest_limits limits; /* of explore */
	unsigned why;			   /* of the slowest requests, one that is explained; 0: none */
	struct scope_capture_options capture;
	struct scope_selection selection;
	const char *input, *output, *save, *source, *baseline; /* NULL: not given */
	struct scope_cmd_part part;
	enum scope_colour colour;
	char latest[4096];    /* what input is where the file of that name is one of several, of a flight recorder */
	char part_words[160]; /* its options as they are typed */
	struct scope_cmd_symbols symbols;
	struct scope_cmd_learned learned;
	const struct scope_source *from; /* of what is captured: the caller's to find */
	char **command;			 /* to be started; NULL: none */
	unsigned slowest;		 /* requests whose paths are printed */
	unsigned details;
	uint32_t fail_on;     /* a bit for each enum scope_verdict with exit status 3 */
	unsigned causal;      /* functions to experiment on */
	const char *progress; /* counted during experiments; NULL: the default */
	enum scope_linkage linkage;
	uint64_t live_ns;					     /* 0: no report before the end */
	uint64_t window_ns;					     /* of what these are; 0: of all so far */
	bool windowed;						     /* --window is given */
	bool duration, no_stacks, verbose, json, html, format, help; /* format: it was named */
};

/*
 * Fills in all but `from`, for the command of that name; options that are not given have their
 * defaults. It must not move, because members point to others. The caller frees its symbols. 0, or
 * the exit status of a wrong command line, after printing the error.
 */
int scope_cmd_report_parse(const char *name, int argc, char **argv, struct scope_cmd_report *request);

#endif
