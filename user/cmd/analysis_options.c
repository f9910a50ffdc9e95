// SPDX-License-Identifier: GPL-2.0-only
/* Options of commands that print another part of the analysis than report does. */
#include "cmd/analysis_options.h"

#include <stddef.h>

#include "cmd/shared_options.h"

const struct scope_option scope_cmd_waits_options[] = {
	TRACED_OPTIONS,
	PART_OPTIONS,
	{ 'o', "output", "FILE", .help = "print to a file" },
	FORMAT_OPTION,
	{ SCOPE_OPTION_SLOWEST, "slowest", "N",
	  .help = "print where the N slowest requests were at each moment, across threads" },
	{ 'v', "verbose", .help = "print all of the tree, not what a screen holds" },
	SAVE_OPTION,
	SOURCE_OPTION,
	{ SCOPE_OPTION_NO_STACKS, "no-stacks", NULL, .help = "take and use no stacks: functions have no names" },
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};

const struct scope_option scope_cmd_explore_options[] = {
	TRACED_OPTIONS,
	{ SCOPE_OPTION_CV, "cv", "PCT",
	  .help = "requests of one path that differ more are unpredictable: standard\n"
		  "deviation by mean (default 10)" },
	{ SCOPE_OPTION_CS, "cs", "PCT",
	  .help = "a path is consistently slow where its mean is above this percentile of\n"
		  "its kind (default 95)" },
	{ SCOPE_OPTION_WHY, "why", "N", .help = "which path the Nth slowest request took, and what was longer in it" },
	{ SCOPE_OPTION_ROUNDS, "rounds", "N",
	  .help = "with -p: rounds at most (default 24); each lasts TIME of -d (default 3\n"
		  "seconds), and sets probes where most of the variance is" },
	{ SCOPE_OPTION_SEARCH, "search", "NAME",
	  .help = "with -p: how functions are probed: flat (default: the middle of a call\n"
		  "path), or hierarchical (the middle callee of a function)",
	  .words = "flat hierarchical" },
	{ SCOPE_OPTION_KEY, "key", "KEY",
	  .help = "with -p: also correlate with an argument, CALL:argN or PROBE:argN, in\n"
		  "this number of bins: write:arg2:8 (may be repeated)" },
	{ SCOPE_OPTION_BUDGET, "budget", "PCT",
	  .help = "with -p: take probes back where tracing takes more of a CPU (default 5)" },
	{ SCOPE_OPTION_KERNEL_PROBES, "kernel-probes",
	  .help = "with -p and the module: also probe functions of the kernel below a call" },
	{ 'o', "output", "FILE", .help = "print to a file" },
	FORMAT_OPTION,
	{ 'v', "verbose", .help = "print all paths, not what a screen holds" },
	SAVE_OPTION,
	SOURCE_OPTION,
	{ SCOPE_OPTION_NO_STACKS, "no-stacks", NULL, .help = "take and use no stacks: functions have no names" },
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};

const struct scope_option scope_cmd_model_options[] = {
	TRACED_OPTIONS,
	PART_OPTIONS,
	{ SCOPE_OPTION_ARGS, "args", NULL,
	  .help = "also the system calls of each stage: how many for each request, on what,\n"
		  "which fail, and how many bytes or events they return" },
	{ 'o', "output", "FILE", .help = "print to a file" },
	FORMAT_OPTION,
	{ 'v', "verbose", .help = "print all stages, not what a screen holds" },
	SAVE_OPTION,
	SOURCE_OPTION,
	{ SCOPE_OPTION_NO_STACKS, "no-stacks", NULL, .help = "take and use no stacks" },
	HELP_OPTION,
	{ 0 },
};

const struct scope_option scope_cmd_libcalls_options[] = {
	TRACED_OPTIONS,
	PART_OPTIONS,
	{ SCOPE_OPTION_COMPARE, "compare", "A,B",
	  .help = "compare two functions: system calls and time for each KB, if both move\n"
		  "bytes, else in all" },
	{ 'o', "output", "FILE", .help = "print to a file" },
	FORMAT_OPTION,
	{ 'v', "verbose", .help = "print all functions, not what a screen holds" },
	SAVE_OPTION,
	SOURCE_OPTION,
	{ SCOPE_OPTION_STACK_BYTES, "stack-bytes", "N",
	  .help = "slice of the stack to copy at each call (default 8192)" },
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};
