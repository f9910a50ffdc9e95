// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of commands and of their options, for parsing, help and completion. The options of report, record,
 * watch, fleet and metrics are in the files that parse them, those of other commands that analyse a trace in
 * analysis_options.c.
 */
#include "cmd/commands.h"

#include <stddef.h>
#include <string.h>

#include "cmd/analysis_options.h"
#include "cmd/cmd.h"
#include "cmd/fleet.h"
#include "cmd/metrics_options.h"
#include "cmd/record_options.h"
#include "cmd/report_options.h"
#include "cmd/shared_options.h"
#include "cmd/watch_options.h"

#define PRINTS_ANYHOW "\nCtrl-C ends the trace early; the output is printed. -p needs root. No module is loaded.\n"

static const struct scope_option learn_options[] = {
	{ 'p', "pid", "PID", .help = "the process; its descendants are traced too" },
	{ 'i', "input", "FILE", .help = "a trace with stacks, as kept by --save" },
	{ 'd', "duration", "TIME",
	  .help = "how long to trace: 90, 1.5, 500ms, 2m (default 90 seconds; a COMMAND:\n"
		  "until it ends)" },
	DB_OPTION,
	{ SCOPE_OPTION_MIN_SUPPORT, "min-support", "N", .help = "keep signatures seen at least N times (default 5)" },
	{ SCOPE_OPTION_MAX_EPISODES, "max-episodes", "N",
	  .help = "keep at most N signatures of a function (default 200)" },
	{ SCOPE_OPTION_STACK_BYTES, "stack-bytes", "N",
	  .help = "slice of the stack to copy at each call (default 8192)" },
	{ SCOPE_OPTION_SAVE, "save", "FILE", .help = "keep the trace" },
	SOURCE_OPTION,
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option signatures_options[] = {
	DB_OPTION,
	{ 'o', "output", "FILE", .help = "export: the file to write (default: standard output)" },
	{ SCOPE_OPTION_MIN_SUPPORT, "min-support", "N",
	  .help = "import: keep signatures seen at least N times (default 5)" },
	{ SCOPE_OPTION_MAX_EPISODES, "max-episodes", "N",
	  .help = "import: keep at most N signatures of a function (default 200)" },
	FORMAT_OPTION,
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option dump_options[] = {
	{ SCOPE_OPTION_FROM, "from", "TIME",
	  .help = "leave out events before TIME: 12.5 (seconds), 500ms, 2m after\n"
		  "the begin of the window" },
	{ SCOPE_OPTION_TO, "to", "TIME", .help = "leave out events from TIME on" },
	{ 'r', "reverse", NULL, .help = "read text ('-': standard input), write a trace" },
	{ 'o', "output", "FILE", .help = "the trace to write, with --reverse" },
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option scrub_options[] = {
	{ 'o', "output", "FILE",
	  .help = "the trace to write (default: replace FILE, and keep the old one\n"
		  "as FILE.old)" },
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option export_options[] = {
	{ 'o', "output", "PATH", .help = "the file or directory to write (default: standard output for text)" },
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option import_options[] = {
	{ 'p', "pid", "PID", .help = "the process, with its threads and descendants" },
	{ SCOPE_OPTION_COMM, "comm", "NAME", .help = "all threads with this name" },
	{ 'o', "output", "FILE", .help = "the trace to write" },
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option delay_options[] = {
	{ 'p', "pid", "PID", .help = "the process, with its descendants" },
	{ SCOPE_OPTION_NO_FOLLOW, "no-follow", NULL, .help = "leave out descendants" },
	{ SCOPE_OPTION_SITE, "site", "SITE",
	  .help = "where to delay: syscall:NAME (before the call), return:NAME (as it\n"
		  "returns), receive (bytes from a socket), function:NAME or\n"
		  "function:FILE:NAME (of the program), kernel:SYMBOL; up to 8 times.\n"
		  "For speedup: function:NAME, or syscall:NAME (while it blocks)" },
	{ SCOPE_OPTION_FUNCTION, "function", "NAME", .help = "the same as --site function:NAME" },
	{ SCOPE_OPTION_TOP, "top", "N",
	  .help = "also the first N functions (1 to 8) that a report on the trace of -i\n"
		  "ranks" },
	{ 'i', "input", "FILE", .help = "the saved trace for --top" },
	{ SCOPE_OPTION_BY, "by", "LIST",
	  .help = "the delays (default 0,50us,200us,1ms; 0 is always included), or auto:\n"
		  "by how often threads visit each site; for speedup 0,25%,50%\n"
		  "(default: random multiples of 5 %)" },
	{ SCOPE_OPTION_PROGRESS, "progress", "POINT",
	  .help = "what counts as progress: request (default: an answer on an accepted\n"
		  "connection), syscall:NAME, function:NAME, begin:MARK,end:MARK; for\n"
		  "read: the name of a point in the profile" },
	{ SCOPE_OPTION_REPEATS, "repeats", "N",
	  .help = "use each delay N times (default 8); speedups without a list 5 times as\n"
		  "often" },
	{ SCOPE_OPTION_LENGTH, "length", "TIME",
	  .help = "length of one experiment (default 500ms; longer if too little happens)" },
	{ SCOPE_OPTION_COOL_OFF, "cool-off", "TIME",
	  .help = "wait before each experiment, with its delay on (default 50ms)" },
	{ SCOPE_OPTION_MAX_DELAY, "max-delay", "TIME",
	  .help = "cap for all threads together in one second (default 10s)" },
	{ SCOPE_OPTION_SEED, "seed", "N",
	  .help = "seed of the order and the intervals (default: random; it is printed)" },
	FORMAT_OPTION,
	{ 'o', "output", "FILE", .help = "write to a file instead of standard output" },
	{ SCOPE_OPTION_SVG, "svg", "FILE", .help = "write the plots to a picture" },
	{ SCOPE_OPTION_COZ, "coz", "FILE", .help = "write the experiments in Coz's format (*.jsonl: as JSON lines)" },
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option diff_options[] = {
	{ SCOPE_OPTION_THRESHOLD, "threshold", "PCT",
	  .help = "by how much a figure has to grow to count as worse (default 20;\nfor the time that half of the requests take 100)" },
	FORMAT_OPTION,
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option status_options[] = {
	{ SCOPE_OPTION_FORMAT, "format", "NAME",
	  .help = "text (default), json, or openmetrics, for a textfile collector", .words = "text json openmetrics" },
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option doctor_options[] = {
	{ 'p', "pid", "PID", .help = "also check whether functions of this process will have names" },
	FORMAT_OPTION,
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option completion_options[] = {
	HELP_OPTION,
	{ 0 },
};

/* In the order of `scope --help`. */
const struct scope_command scope_cmd_commands[] = {
	{
		.name = "report",
		.run = scope_cmd_report,
		.summary = "trace a process, or read a trace, and rank the functions that make it slow or hang",
		.usage = "Usage: scope-report -p PID [OPTION...]\n"
			 "       scope-report [-i] FILE [OPTION...]\n"
			 "       scope-report [OPTION...] -- COMMAND [ARGUMENT...]\n"
			 "Trace a process, or read a trace, and rank the functions that make it slow or hang.\n"
			 "\n",
		.options = scope_cmd_report_options,
		.column = 24,
		.notes = "\n"
			 "Ctrl-C ends the trace early; the report is printed. -p needs root. No module is loaded.\n",
	},
	{
		.name = "waits",
		.run = scope_cmd_waits,
		.summary = "show which threads wait for which, and which function is the bottleneck",
		.usage =
			"Usage: scope waits -p PID [OPTION...]\n"
			"       scope waits -i FILE [OPTION...]\n"
			"       scope waits [OPTION...] -- COMMAND [ARGUMENT...]\n"
			"Show which threads wait for which while they have work to do, down to the function that ran or the\n"
			"wait outside the program; which function is the bottleneck, and which locks are waited for.\n"
			"\n",
		.options = scope_cmd_waits_options,
		.column = 24,
		.notes = PRINTS_ANYHOW,
	},
	{
		.name = "metrics",
		.run = scope_cmd_metrics,
		.summary = "print what threads did over time: CPU, locks, pipes, sockets, disks",
		.usage =
			"Usage: scope metrics -p PID [OPTION...]\n"
			"       scope metrics -i FILE [OPTION...]\n"
			"       scope metrics [OPTION...] -- COMMAND [ARGUMENT...]\n"
			"Print what threads did over time: where their time went, and what they did with futexes, pipes,\n"
			"sockets, files and block devices. The figures are exact, made from all events.\n"
			"\n",
		.options = scope_cmd_metrics_options,
		.column = 24,
		.notes = PRINTS_ANYHOW,
	},
	{
		.name = "explore",
		.run = scope_cmd_explore,
		.summary = "show where the latency of requests varies: between which calls, in which function",
		.usage =
			"Usage: scope explore -p PID [OPTION...]\n"
			"       scope explore -i FILE [OPTION...]\n"
			"       scope explore [OPTION...] -- COMMAND [ARGUMENT...]\n"
			"Split the requests of each kind by their calls, and show which of them vary or are always slow,\n"
			"between which two calls, and in which function, or for which thread they wait. With -p this is\n"
			"done in rounds; each sets probes where the last one found most of the variance.\n"
			"\n",
		.options = scope_cmd_explore_options,
		.column = 24,
		.notes = PRINTS_ANYHOW,
	},
	{
		.name = "model",
		.run = scope_cmd_model,
		.summary = "show what kind of server it is, and how busy its threads are",
		.usage =
			"Usage: scope model -p PID [OPTION...]\n"
			"       scope model -p PID --sweep LIST --load CMD [OPTION...]\n"
			"       scope model -i FILE [OPTION...]\n"
			"       scope model [OPTION...] -- COMMAND [ARGUMENT...]\n"
			"Show what kind of server a process is: which threads accept, read and work, how they get their\n"
			"work and from which threads, and how busy they are.\n"
			"\n",
		.options = scope_cmd_model_options,
		.column = 24,
		.notes = PRINTS_ANYHOW,
	},
	{
		.name = "libcalls",
		.run = scope_cmd_libcalls,
		.summary = "count system calls, bytes and time by library function",
		.usage =
			"Usage: scope libcalls -p PID [OPTION...]\n"
			"       scope libcalls -i FILE [OPTION...]\n"
			"       scope libcalls [OPTION...] -- COMMAND [ARGUMENT...]\n"
			"Count the system calls of a process, their bytes and their time, by the library function that the\n"
			"program called, and by library.\n"
			"\n",
		.options = scope_cmd_libcalls_options,
		.column = 24,
		.notes =
			"\n"
			"Every call gets a stack, so the program runs several times slower while it is traced. If a trace has\n"
			"fewer stacks, counts are projected, with an interval. Ctrl-C ends it early; the output is printed.\n",
	},
	{
		.name = "record",
		.run = scope_cmd_record,
		.summary = "trace a process into a file",
		.usage = "Usage: scope record -p PID [OPTION...]\n"
			 "       scope record [OPTION...] -- COMMAND [ARGUMENT...]\n"
			 "       scope record --snapshot\n"
			 "Trace a process, its threads and its descendants into a file, for `scope report -i`.\n"
			 "\n",
		.options = scope_cmd_record_options,
		.column = 25,
		.notes = "\n"
			 "Ctrl-C ends the trace early and keeps the file. Needs root.\n",
	},
	{
		.name = "watch",
		.run = scope_cmd_watch,
		.summary = "watch a process all the time, and report incidents as they begin",
		.usage =
			"Usage: scope watch -p PID|NAME [OPTION...]\n"
			"       scope watch --unit UNIT [OPTION...]\n"
			"       scope watch --cgroup PATH [OPTION...]\n"
			"Keep the last minute of a target in memory and analyse it repeatedly. When a function becomes\n"
			"slow, hangs or spins, print a message, and write the trace and the report.\n"
			"\n",
		.options = scope_cmd_watch_options,
		.column = 28,
		.notes =
			"\n"
			"Ctrl-C ends it. The program of --exec gets SCOPE_SENTENCE, SCOPE_TRACE, SCOPE_REPORT and more in\n"
			"its environment: see scope-watch(1). Needs root.\n",
	},
	{
		.name = "fleet",
		.run = scope_cmd_fleet,
		.summary = "write small summaries of hosts, and make one report over all hosts",
		.usage =
			"Usage: scope fleet summarize TRACE -o FILE [--label KEY=VALUE...]\n"
			"       scope fleet report FILE|DIR... [OPTION...]\n"
			"       scope fleet send FILE|DIR... --clickhouse URL [OPTION...]\n"
			"       scope fleet report --clickhouse URL [OPTION...]\n"
			"Write a small summary of a trace, and report over the summaries of many hosts: which function\n"
			"makes which hosts slow, since when, and what these hosts have in common.\n"
			"\n",
		.options = scope_cmd_fleet_options,
		.words = "report summarize send",
		.column = 26,
	},
	{
		.name = "learn",
		.run = scope_cmd_learn,
		.summary = "learn which system calls identify the functions of a program",
		.usage = "Usage: scope learn [OPTION...] -- COMMAND [ARGUMENT...]\n"
			 "       scope learn -p PID [OPTION...]\n"
			 "       scope learn -i FILE [OPTION...]\n"
			 "Learn which system calls identify the functions of a program, for reports without stacks.\n"
			 "\n",
		.options = learn_options,
		.column = 25,
		.notes =
			"\n"
			"Every call gets a stack, so the program runs several times slower while it is traced. Runs add up.\n"
			"Run the load of production. Needs root, except with -i.\n",
	},
	{
		.name = "signatures",
		.run = scope_cmd_signatures,
		.summary = "list, show, export or import what was learned",
		.usage = "Usage: scope signatures list\n"
			 "       scope signatures show MODULE|BUILD-ID [FUNCTION]\n"
			 "       scope signatures export [MODULE|BUILD-ID] [-o FILE]\n"
			 "       scope signatures import FILE\n"
			 "Show, export or import the signatures that `scope learn` learned.\n"
			 "\n",
		.options = signatures_options,
		.column = 25,
		.notes = "\n"
			 "list     print the learned programs\n"
			 "show     print the functions of a program, or the signatures of one function\n"
			 "export   write all signatures, or those of one program, as JSON\n"
			 "import   add exported signatures to the database\n"
			 "\n"
			 "Six or more digits of a build-id are enough.\n",
		.words = "list show export import",
	},
	{
		.name = "dump",
		.run = scope_cmd_dump,
		.summary = "print all events of a trace",
		.usage = "Usage: scope dump [--from TIME] [--to TIME] FILE\n"
			 "       scope dump --reverse TEXT -o FILE\n"
			 "Print a trace as text, one row or event per line; or make a trace from such lines.\n"
			 "\n",
		.options = dump_options,
		.column = 22,
	},
	{
		.name = "scrub",
		.run = scope_cmd_scrub,
		.summary = "remove memory of the target from a trace",
		.usage =
			"Usage: scope scrub FILE [-o OUTPUT]\n"
			"Remove memory of the target from a trace that was recorded with raw stacks, or in a format before\n"
			"5: stacks are unwound, and their bytes are replaced by addresses.\n"
			"\n",
		.options = scrub_options,
		.column = 23,
	},
	{
		.name = "export",
		.run = scope_cmd_export,
		.summary = "convert a trace for other tools",
		.usage = "Usage: scope export FORMAT FILE [-o OUTPUT]\n"
			 "       scope export folded-diff BEFORE AFTER [-o OUTPUT]\n"
			 "Write a trace in the format of another tool.\n"
			 "\n",
		.options = export_options,
		.column = 24,
		.notes = "\n"
			 "Formats:\n",
	},
	{
		.name = "import",
		.run = scope_cmd_import,
		.summary = "make a trace from a recording of perf or LTTng",
		.usage = "Usage: scope import INPUT -p PID -o FILE\n"
			 "       scope import INPUT --comm NAME -o FILE\n"
			 "Make a trace from a recording of another tool. INPUT is the output of `perf script` with\n"
			 "raw_syscalls and sched tracepoints ('-': standard input), or a CTF directory of LTTng.\n"
			 "\n",
		.options = import_options,
		.column = 22,
		.notes = "\n"
			 "To record:\n"
			 "  perf record -a -g -e 'raw_syscalls:*,sched:sched_switch,sched:sched_waking,\\\n"
			 "      sched:sched_process_fork,sched:sched_process_exit,cpu-clock' -- sleep 20\n"
			 "  perf script --show-lost-events -F comm,pid,tid,cpu,time,event,trace,ip,sym,dso > text\n"
			 "By -g, functions have names only in programs built with frame pointers. For others, give\n"
			 "'--call-graph dwarf,4096 -m 32M' instead, and record for a few seconds: that writes much.\n",
	},
	{
		.name = "delay",
		.run = scope_cmd_delay,
		.summary = "delay a process on purpose, and measure the effect",
		.usage =
			"Usage: scope delay sensitivity -p PID --site SITE [--site SITE...] [OPTION...]\n"
			"       scope delay speedup -p PID --function NAME [--site SITE...] [OPTION...]\n"
			"       scope delay sensitivity|speedup -p PID --top N -i FILE [OPTION...]\n"
			"       scope delay read FILE [OPTION...]\n"
			"Experiments that show whether a function limits the program. sensitivity delays the threads of a\n"
			"process at a site, by several lengths in random order, and measures the progress of the program.\n"
			"speedup delays all other threads while the site runs, as if the site were faster. read computes\n"
			"the same from a profile in the format of Coz.\n"
			"\n",
		.options = delay_options,
		.column = 25,
		.notes =
			"\n"
			"Ctrl-C ends the experiments and prints the results so far. Needs root and the module. Delays slow the\n"
			"program down: use this in tests, not in production.\n",
		.words = "sensitivity speedup read",
	},
	{
		.name = "diff",
		.run = scope_cmd_diff,
		.summary = "compare two traces or reports: what became slower, and what is gone",
		.usage =
			"Usage: scope diff BEFORE AFTER [OPTION...]\n"
			"Compare two traces, or reports as JSON (scope report --format json): rates, the share of slow\n"
			"requests, and functions that are new, gone, worse or better, with 95 % intervals.\n"
			"\n",
		.options = diff_options,
		.column = 24,
		.notes = "\n"
			 "Exit status 3 if AFTER is worse: a function is new or worse, or requests take longer.\n",
	},
	{
		.name = "status",
		.run = scope_cmd_status,
		.summary = "print the state of the module, its sessions and the flight recorders",
		.usage = "Usage: scope status [OPTION...]\n"
			 "Print whether the scope module is loaded, what its sessions do and cost, and\n"
			 "the state of the flight recorders on this machine.\n"
			 "\n",
		.options = status_options,
		.column = 21,
		.notes = "\n"
			 "Exit status 1 if the module cannot be used, or is missing and no recorder runs without it.\n",
	},
	{
		.name = "doctor",
		.run = scope_cmd_doctor,
		.summary = "list what is missing on this machine, and the remedy",
		.usage =
			"Usage: scope doctor [OPTION...] [SCOPE.KO]\n"
			"List what is missing on this machine for a capture, and the remedy. With the file of a module, also\n"
			"check whether this kernel can load it.\n"
			"\n",
		.options = doctor_options,
		.column = 21,
		.notes =
			"\n"
			"Exit status 0 if a capture can run, with the module or with perf events; 1 if not, or if this kernel\n"
			"cannot load the file.\n",
	},
	{
		.name = "completion",
		.run = scope_cmd_completion,
		.summary = "print a script that completes command lines in a shell",
		.usage = "Usage: scope completion bash|zsh\n"
			 "Print a script with which a shell completes commands, options and their values.\n"
			 "\n",
		.options = completion_options,
		.column = 15,
		.words = "bash zsh",
	},
	{ 0 },
};

const struct scope_command *scope_cmd_find(const char *name)
{
	const struct scope_command *command;

	for (command = scope_cmd_commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}
