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
	const char *name; /* name of the command: report, waits, model, explore or libcalls */
	bool waits, model, explore, libcalls;
	struct scope_report_libcalls_pair pair; /* option of libcalls */
	char *pair_text;			/* the text of both names */
	struct scope_forest_limits limits;	/* of explore */
	enum scope_search_mode search;		/* options of explore, like the next ones */
	unsigned rounds;
	uint32_t budget; /* thousandths of a CPU */
	struct scope_explore_key key[SCOPE_UNIT_KEYS];
	struct scope_probe key_probe[SCOPE_UNIT_KEYS];
	size_t keys;
	bool kernel_probes;
	bool of_rounds;	      /* an option was given that needs rounds */
	unsigned why;	      /* number among the slowest requests of the one to explain; 0: none */
	char why_input[4096]; /* its trace, from --why; "": given by -i, -p or a command */
	struct scope_capture_options capture;
	struct scope_selection selection;
	const char *input, *output, *save, *source, *baseline; /* NULL: not given */
	struct scope_cmd_part part;
	enum scope_colour colour;
	char latest[4096];    /* input points here if it is the latest of several files */
	char part_words[160]; /* the options of `part` in the form of a command line */
	struct scope_cmd_symbols symbols;
	struct scope_cmd_learned learned;
	const struct scope_source *from; /* source of a capture, found by the caller */
	char **command;			 /* command to start; NULL: none */
	int *command_status;		 /* set by the caller: gets its exit status */
	unsigned slowest;		 /* requests whose paths are printed */
	unsigned details;
	uint32_t fail_on;     /* a bit for each enum scope_verdict with exit status 3 */
	unsigned causal;      /* functions to experiment on */
	const char *progress; /* point counted in experiments; NULL: the default */
	enum scope_linkage linkage;
	uint64_t live_ns;	  /* 0: no report before the end */
	uint64_t window_ns;	  /* length of the window of these reports; 0: the whole capture so far */
	bool windowed;		  /* --window is given */
	bool args;		  /* of model: print the calls of each stage, too */
	bool profile;		  /* of model: print only the profile */
	struct scope_sweep sweep; /* of model */
	const char *load;	  /* load command of the sweep; NULL: not given */
	bool duration, no_stacks, verbose, quiet, json, html, format, help; /* format: a format was given */
};

/*
 * Parses the command line of the command with that name, and fills in all members but `from`; options that are not
 * given have their defaults. The struct must not be moved, because members point to others. The caller frees its
 * symbols. 0, or the exit status of a wrong command line, after printing the error.
 */
int scope_cmd_report_parse(const char *name, int argc, char **argv, struct scope_cmd_report *request);

/* Takes an option that only explore has. 0, or the exit status for an invalid value; -1: another option. */
int scope_cmd_explore_take(int option, const char *value, struct scope_cmd_report *request);

#endif
