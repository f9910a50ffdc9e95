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
#include "report/libcalls_text.h"
#include "report/swept.h"
#include "source/selection.h"
#include "source/source.h"
#include "explore/explore.h"
#include "variance/forest.h"

extern const struct scope_option scope_cmd_report_options[];

struct scope_cmd_report {
	const char *name; /* of the command: report, waits, model, explore or libcalls */
	bool waits, model, explore, libcalls;
	struct scope_report_libcalls_pair pair; /* of libcalls */
	char *pair_text;			/* its names, in one piece */
	struct scope_forest_limits limits;	/* of explore */
	enum scope_search_mode search;		/* of explore, as are the next ones */
	unsigned rounds;
	uint32_t budget; /* thousandths of a CPU */
	struct scope_explore_key key[SCOPE_UNIT_KEYS];
	struct scope_probe key_probe[SCOPE_UNIT_KEYS];
	size_t keys;
	bool kernel_probes;
	bool of_rounds;	      /* an option was given that needs rounds */
	unsigned why;	      /* number of the request to explain, of the slowest ones; 0: none */
	char why_input[4096]; /* its trace, as --why names it; "": -i, -p or a command does */
	struct scope_capture_options capture;
	struct scope_selection selection;
	const char *input, *output, *save, *source, *baseline; /* NULL: not given */
	struct scope_cmd_part part;
	enum scope_colour colour;
	char latest[4096];    /* input points here if it is the latest of several files */
	char part_words[160]; /* the options of `part` as they are typed */
	struct scope_cmd_symbols symbols;
	struct scope_cmd_learned learned;
	const struct scope_source *from; /* source of a capture, found by the caller */
	char **command;			 /* to be started; NULL: none */
	int *command_status;		 /* set by the caller: where its exit status goes */
	unsigned slowest;		 /* requests whose paths are printed */
	unsigned details;
	uint32_t fail_on;     /* a bit for each enum scope_verdict with exit status 3 */
	unsigned causal;      /* functions to experiment on */
	const char *progress; /* point counted in experiments; NULL: the default */
	enum scope_linkage linkage;
	uint64_t live_ns;	  /* 0: no report before the end */
	uint64_t window_ns;	  /* length of each of these reports; 0: all so far */
	bool windowed;		  /* --window is given */
	bool args;		  /* of model: the calls of each stage, too */
	bool profile;		  /* of model: the profile instead of all else */
	struct scope_sweep sweep; /* of model */
	const char *load;	  /* of the sweep; NULL: not given */
	bool duration, no_stacks, verbose, quiet, json, html, format, help; /* format: a format was named */
};

/*
 * Parses the command line of the command of that name, and fills in all but `from`; options that are not given have
 * their defaults. It must not move, because members point to others. The caller frees its symbols. 0, or the exit
 * status of a wrong command line, after printing the error.
 */
int scope_cmd_report_parse(const char *name, int argc, char **argv, struct scope_cmd_report *request);

/* An option that explore alone has: 0, or the exit status for an invalid value; -1: it is another option. */
int scope_cmd_explore_take(int option, const char *value, struct scope_cmd_report *request);

#endif
