// SPDX-License-Identifier: GPL-2.0-only
/* Options of commands that print another part of the analysis than report does. */
#include "cmd/analysis_options.h"

#include <stddef.h>

#include "cmd/shared_options.h"

const struct scope_option scope_cmd_waits_options[] = {
	TRACED_OPTIONS,
	PART_OPTIONS,
	OUTPUT_OPTION,
	FORMAT_OPTION,
	{ SCOPE_OPTION_SLOWEST, "slowest", "N",
	  .help = "print the critical paths of the N slowest requests, across threads" },
	{ 'v', "verbose", .help = "print the whole tree, not only one screen" },
	SAVE_OPTION,
	SOURCE_OPTION,
	KIND_BY_OPTION,
	NO_STACKS_OPTION,
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};

const struct scope_option scope_cmd_explore_options[] = {
	TRACED_OPTIONS,
	{ SCOPE_OPTION_CV, "cv", "PCT",
	  .help = "a path is unpredictable if the standard deviation of its requests is\n"
		  "more than this part of their mean (default 10)" },
	{ SCOPE_OPTION_CS, "cs", "PCT",
	  .help = "a path is consistently slow if its mean is above this percentile of\n"
		  "its kind (default 95)" },
	{ SCOPE_OPTION_WHY, "why", "N",
	  .help = "print to which path the Nth slowest request belongs, and what took longer\n"
		  "in it; as FILE:N it names the trace, too" },
	{ SCOPE_OPTION_ROUNDS, "rounds", "N",
	  .help = "with -p: number of rounds, at most (default 24); each takes the TIME of\n"
		  "-d (default 3 seconds), and sets probes where most of the variance is" },
	{ SCOPE_OPTION_SEARCH, "search", "NAME",
	  .help = "with -p: which function is probed: flat (default: the middle of a call\n"
		  "path), or hierarchical (the middle callee of a function)",
	  .words = "flat hierarchical" },
	{ SCOPE_OPTION_KEY, "key", "KEY",
	  .help = "with -p: also correlate with an argument, CALL:argN or PROBE:argN; a\n"
		  "number of bins may follow: write:arg2:8 (may be repeated)" },
	{ SCOPE_OPTION_BUDGET, "budget", "PCT",
	  .help = "with -p: remove probes if tracing takes more of a CPU (default 5)" },
	{ SCOPE_OPTION_KERNEL_PROBES, "kernel-probes",
	  .help = "with -p and the module: also probe functions of the kernel below a call" },
	OUTPUT_OPTION,
	FORMAT_OPTION,
	{ 'v', "verbose", .help = "print all paths, not only one screen" },
	SAVE_OPTION,
	SOURCE_OPTION,
	KIND_BY_OPTION,
	NO_STACKS_OPTION,
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};

const struct scope_option scope_cmd_model_options[] = {
	TRACED_OPTIONS,
	PART_OPTIONS,
	{ SCOPE_OPTION_ARGS, "args", NULL,
	  .help = "also print the system calls of each stage: how many for each request, on\n"
		  "what, how many fail, and how many bytes or events they return" },
	{ SCOPE_OPTION_PROFILE, "profile", NULL,
	  .help = "print, as JSON, what a program must do to load a host as this server does:\n"
		  "threads, system calls of requests, sizes, time on a CPU" },
	{ SCOPE_OPTION_SWEEP, "sweep", "LIST",
	  .help = "with -p and --load: measure at each of these loads, conns=1,2,4 or\n"
		  "rate=100,200 or both, and fit how the figures follow from them" },
	{ SCOPE_OPTION_LOAD, "load", "CMD",
	  .help = "of --sweep: the command that makes the load and then ends; {conns} and\n"
		  "{rate} in it are replaced" },
	OUTPUT_OPTION,
	FORMAT_OPTION,
	{ 'v', "verbose", .help = "print all stages, not only one screen" },
	SAVE_OPTION,
	SOURCE_OPTION,
	KIND_BY_OPTION,
	{ SCOPE_OPTION_NO_STACKS, "no-stacks", NULL, .help = "take and use no stacks" },
	HELP_OPTION,
	{ 0 },
};

const struct scope_option scope_cmd_libcalls_options[] = {
	TRACED_OPTIONS,
	PART_OPTIONS,
	{ SCOPE_OPTION_COMPARE, "compare", "A,B",
	  .help = "compare two functions: system calls and time for each KB, if both move\n"
		  "bytes, else their totals" },
	OUTPUT_OPTION,
	FORMAT_OPTION,
	{ 'v', "verbose", .help = "print all functions, not only one screen" },
	SAVE_OPTION,
	SOURCE_OPTION,
	{ SCOPE_OPTION_STACK_BYTES, "stack-bytes", "N",
	  .help = "slice of the stack to copy at each call (default 8192)" },
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};
