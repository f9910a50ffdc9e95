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

#define PRINTS_ANYHOW "\nCtrl-C ends the trace early and still prints. -p needs root; it loads no module.\n"

static const struct scope_option learn_options[] = {
	{ 'p', "pid", "PID", .help = "the process; its descendants are traced too" },
	{ 'i', "input", "FILE", .help = "a trace with stacks, as kept by --save" },
	{ 'd', "duration", "TIME",
	  .help = "how long to trace: 90, 1.5, 500ms, 2m (default 90 seconds; a COMMAND:\n"
		  "until it ends)" },
	DB_OPTION,
	{ SCOPE_OPTION_MIN_SUPPORT, "min-support", "N", .help = "keep signatures seen at least N times (default 5)" },
	{ SCOPE_OPTION_MAX_EPISODES, "max-episodes", "N",
	  .help = "signatures of a function, the best supported ones (default 200)" },
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
	{ SCOPE_OPTION_MAX_EPISODES, "max-episodes", "N", .help = "import: signatures of a function (default 200)" },
	FORMAT_OPTION,
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option dump_options[] = {
	{ SCOPE_OPTION_FROM, "from", "TIME",
	  .help = "leave out events before TIME: 12.5 (seconds), 500ms, 2m after\n"
		  "the window's begin" },
	{ SCOPE_OPTION_TO, "to", "TIME", .help = "leave out those from TIME on" },
	{ 'r', "reverse", NULL, .help = "read text ('-': standard input), write a trace" },
	{ 'o', "output", "FILE", .help = "the trace to write, with --reverse" },
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option scrub_options[] = {
	{ 'o', "output", "FILE",
	  .help = "the trace to write (default: FILE itself, and what it was is kept\n"
		  "as FILE.old until you remove it)" },
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option export_options[] = {
	{ 'o', "output", "PATH", .help = "the file, or directory, to write (default: standard output for text)" },
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option import_options[] = {
	{ 'p', "pid", "PID", .help = "the process, with its threads and descendants" },
	{ SCOPE_OPTION_COMM, "comm", "NAME", .help = "all threads of that name" },
	{ 'o', "output", "FILE", .help = "the trace to write" },
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option delay_options[] = {
	{ 'p', "pid", "PID", .help = "the process; descendants too" },
	{ SCOPE_OPTION_NO_FOLLOW, "no-follow", NULL, .help = "leave descendants out" },
	{ SCOPE_OPTION_SITE, "site", "SITE",
	  .help = "where: syscall:NAME (before the call), return:NAME (as it returns),\n"
		  "receive (bytes from a socket), function:NAME or function:FILE:NAME\n"
		  "(of the program), kernel:SYMBOL; up to 8 times. Of a speedup:\n"
		  "function:NAME, or syscall:NAME (while it blocks)" },
	{ SCOPE_OPTION_FUNCTION, "function", "NAME", .help = "the same as --site function:NAME" },
	{ SCOPE_OPTION_TOP, "top", "N",
	  .help = "the first N functions that a report on the saved trace of -i ranks,\n"
		  "1 to 8, besides those of --site" },
	{ 'i', "input", "FILE", .help = "that trace, of scope record or saved by a report" },
	{ SCOPE_OPTION_BY, "by", "LIST",
	  .help = "delays with commas (default 0,50us,200us,1ms; 0 is always there), or\n"
		  "auto: by how often threads come to each site; speedups as 0,25%,50%\n"
		  "(default: steps of 5 % by chance)" },
	{ SCOPE_OPTION_PROGRESS, "progress", "POINT",
	  .help = "what is counted: request (default: an answer on an accepted\n"
		  "connection), syscall:NAME, function:NAME, begin:MARK,end:MARK; for\n"
		  "read: the name of one in the profile" },
	{ SCOPE_OPTION_REPEATS, "repeats", "N",
	  .help = "use each of the list N times (default 8); without a list, 5 times as\n"
		  "many speedups" },
	{ SCOPE_OPTION_LENGTH, "length", "TIME",
	  .help = "of one experiment (default 500ms; longer where too little happens)" },
	{ SCOPE_OPTION_COOL_OFF, "cool-off", "TIME", .help = "before each, with its delay on (default 50ms)" },
	{ SCOPE_OPTION_MAX_DELAY, "max-delay", "TIME", .help = "of all threads together in a second (default 10s)" },
	{ SCOPE_OPTION_SEED, "seed", "N",
	  .help = "of the order and the intervals (default: by chance; it is printed)" },
	FORMAT_OPTION,
	{ 'o', "output", "FILE", .help = "write there instead of standard output" },
	{ SCOPE_OPTION_SVG, "svg", "FILE", .help = "the plots as a picture" },
	{ SCOPE_OPTION_COZ, "coz", "FILE",
	  .help = "the experiments in Coz's format; named *.jsonl: a JSON object a line" },
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option diff_options[] = {
	{ SCOPE_OPTION_THRESHOLD, "threshold", "PCT",
	  .help = "by how much a figure has to grow to count as worse (default 20)" },
	FORMAT_OPTION,
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option status_options[] = {
	{ SCOPE_OPTION_FORMAT, "format", "NAME",
	  .help = "text (the default), json, or openmetrics for a collector that reads files",
	  .words = "text json openmetrics" },
	HELP_OPTION,
	{ 0 },
};

static const struct scope_option doctor_options[] = {
	{ 'p', "pid", "PID", .help = "whether functions of this process will have names, too" },
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
		.summary = "trace a process, or read a trace, and name the functions to blame",
		.usage = "Usage: scope-report -p PID [OPTION...]\n"
			 "       scope-report [-i] FILE [OPTION...]\n"
			 "       scope-report [OPTION...] -- COMMAND [ARGUMENT...]\n"
			 "Trace a process, or read a trace, and print the functions most likely to be the bug.\n"
			 "\n",
		.options = scope_cmd_report_options,
		.column = 24,
		.notes = "\n"
			 "Ctrl-C ends the trace early and still reports. -p needs root; it loads no module.\n",
	},
	{
		.name = "waits",
		.run = scope_cmd_waits,
		.summary = "show who waits for whom, and which function is the bottleneck",
		.usage =
			"Usage: scope waits -p PID [OPTION...]\n"
			"       scope waits -i FILE [OPTION...]\n"
			"       scope waits [OPTION...] -- COMMAND [ARGUMENT...]\n"
			"Show for whom threads wait while they have work to do, down to what ran, or what was waited for\n"
			"outside, which function is the bottleneck, and which locks are waited for.\n"
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
			"Print what threads did over time, exactly: where their time went, and what they passed through\n"
			"futexes, pipes, sockets, files and block devices.\n"
			"\n",
		.options = scope_cmd_metrics_options,
		.column = 24,
		.notes = PRINTS_ANYHOW,
	},
	{
		.name = "explore",
		.run = scope_cmd_explore,
		.summary = "say where the latency of requests varies, between which calls, and in which function",
		.usage =
			"Usage: scope explore -p PID [OPTION...]\n"
			"       scope explore -i FILE [OPTION...]\n"
			"       scope explore [OPTION...] -- COMMAND [ARGUMENT...]\n"
			"Split the requests of each kind by the calls that they make, and say which of them vary or are always\n"
			"slow, between which two calls, and in which function or for whom they wait there. With -p this is done\n"
			"in rounds, and each sets probes where the last one found most of the variance.\n"
			"\n",
		.options = scope_cmd_explore_options,
		.column = 24,
		.notes = PRINTS_ANYHOW,
	},
	{
		.name = "model",
		.run = scope_cmd_model,
		.summary = "say what kind of server it is, and how busy its threads are",
		.usage =
			"Usage: scope model -p PID [OPTION...]\n"
			"       scope model -i FILE [OPTION...]\n"
			"       scope model [OPTION...] -- COMMAND [ARGUMENT...]\n"
			"Say what kind of server a process is: which threads accept, read and work, how they get at their work,\n"
			"who hands it to them, and how busy they are.\n"
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
			"Count the system calls of a process, their bytes and their time by the library functions that the\n"
			"program called for them, and by library.\n"
			"\n",
		.options = scope_cmd_libcalls_options,
		.column = 24,
		.notes =
			"\n"
			"Every call gets a stack: the program runs several times slower while it is traced. Of a trace with\n"
			"fewer stacks counts are projected, with their interval. Ctrl-C ends it early and still prints.\n",
	},
	{
		.name = "record",
		.run = scope_cmd_record,
		.summary = "trace a process into a file",
		.usage = "Usage: scope record -p PID [OPTION...]\n"
			 "       scope record [OPTION...] -- COMMAND [ARGUMENT...]\n"
			 "       scope record --snapshot\n"
			 "Trace a process, its threads and descendants, into a file for `scope report -i`.\n"
			 "\n",
		.options = scope_cmd_record_options,
		.column = 25,
		.notes = "\n"
			 "Ctrl-C ends the trace early and keeps the file. Needs root.\n",
	},
	{
		.name = "watch",
		.run = scope_cmd_watch,
		.summary = "watch a process for as long as it runs, and report incidents as they begin",
		.usage = "Usage: scope watch -p PID|NAME [OPTION...]\n"
			 "       scope watch --unit UNIT [OPTION...]\n"
			 "       scope watch --cgroup PATH [OPTION...]\n"
			 "Keep the last minute of a target in memory and analyse it again and again. When a function\n"
			 "begins to be slow, to hang or to spin, write the trace and the report, and say so.\n"
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
		.summary = "summarize hosts in little room, and report over all of them",
		.usage = "Usage: scope fleet summarize TRACE -o FILE [--label KEY=VALUE...]\n"
			 "       scope fleet report FILE|DIR... [OPTION...]\n"
			 "       scope fleet send FILE|DIR... --clickhouse URL [OPTION...]\n"
			 "       scope fleet report --clickhouse URL [OPTION...]\n"
			 "Write what a trace says of its host in little room, and say which function is to blame on\n"
			 "which of many hosts, since when, and what these hosts have in common.\n"
			 "\n",
		.options = scope_cmd_fleet_options,
		.words = "report summarize send",
		.column = 26,
	},
	{
		.name = "learn",
		.run = scope_cmd_learn,
		.summary = "learn by which system calls a program's functions are recognized",
		.usage =
			"Usage: scope learn [OPTION...] -- COMMAND [ARGUMENT...]\n"
			"       scope learn -p PID [OPTION...]\n"
			"       scope learn -i FILE [OPTION...]\n"
			"Learn by which system calls the functions of a program are recognized, for reports without stacks.\n"
			"\n",
		.options = learn_options,
		.column = 25,
		.notes =
			"\n"
			"Every call gets a stack: the program runs several times slower while it is traced. Runs add up.\n"
			"Give it the work that it does in production. Needs root, but for -i.\n",
	},
	{
		.name = "signatures",
		.run = scope_cmd_signatures,
		.summary = "list, show, export or import what was learned",
		.usage = "Usage: scope signatures list\n"
			 "       scope signatures show MODULE|BUILD-ID [FUNCTION]\n"
			 "       scope signatures export [MODULE|BUILD-ID] [-o FILE]\n"
			 "       scope signatures import FILE\n"
			 "Show or carry what `scope learn` learned.\n"
			 "\n",
		.options = signatures_options,
		.column = 25,
		.notes = "\n"
			 "list     programs that were learned\n"
			 "show     functions of a program, or the signatures of one function\n"
			 "export   all, or those of one program, as JSON\n"
			 "import   add an export from elsewhere; it counts with its number of runs\n"
			 "\n"
			 "Six or more digits of a build-id are enough.\n",
		.words = "list show export import",
	},
	{
		.name = "dump",
		.run = scope_cmd_dump,
		.summary = "print what a trace holds",
		.usage = "Usage: scope dump [--from TIME] [--to TIME] FILE\n"
			 "       scope dump --reverse TEXT -o FILE\n"
			 "Print what a trace holds, one row or event per line; or make a trace of such lines.\n"
			 "\n",
		.options = dump_options,
		.column = 22,
	},
	{
		.name = "scrub",
		.run = scope_cmd_scrub,
		.summary = "take memory of the target out of a trace",
		.usage =
			"Usage: scope scrub FILE [-o OUTPUT]\n"
			"Take memory of the target out of a trace that was recorded with raw stacks, or by a Scope before\n"
			"format 5: stacks are unwound, and addresses take the place of their bytes.\n"
			"\n",
		.options = scrub_options,
		.column = 23,
	},
	{
		.name = "export",
		.run = scope_cmd_export,
		.summary = "give a trace to other tools",
		.usage = "Usage: scope export FORMAT FILE [-o OUTPUT]\n"
			 "       scope export folded-diff BEFORE AFTER [-o OUTPUT]\n"
			 "Write a trace in a format that other tools read.\n"
			 "\n",
		.options = export_options,
		.column = 24,
		.notes = "\n"
			 "Formats:\n",
	},
	{
		.name = "import",
		.run = scope_cmd_import,
		.summary = "make a trace of what perf or LTTng recorded",
		.usage = "Usage: scope import INPUT -p PID -o FILE\n"
			 "       scope import INPUT --comm NAME -o FILE\n"
			 "Make a trace of what another tool recorded. INPUT is the output of `perf script` on\n"
			 "raw_syscalls and sched tracepoints ('-': standard input), or a CTF directory of LTTng's.\n"
			 "\n",
		.options = import_options,
		.column = 22,
		.notes = "\n"
			 "To record:\n"
			 "  perf record -a -g -e 'raw_syscalls:*,sched:sched_switch,sched:sched_waking,\\\n"
			 "      sched:sched_process_fork,sched:sched_process_exit,cpu-clock' -- sleep 20\n"
			 "  perf script -F comm,pid,tid,cpu,time,event,trace,ip,sym,dso > text\n",
	},
	{
		.name = "delay",
		.run = scope_cmd_delay,
		.summary = "hold a process up on purpose, and measure what that changes",
		.usage = "Usage: scope delay sensitivity -p PID --site SITE [--site SITE...] [OPTION...]\n"
			 "       scope delay speedup -p PID --function NAME [--site SITE...] [OPTION...]\n"
			 "       scope delay sensitivity|speedup -p PID --top N -i FILE [OPTION...]\n"
			 "       scope delay read FILE [OPTION...]\n"
			 "Experiments that show whether a place matters. sensitivity holds the threads of a process\n"
			 "up there, for several lengths in random order, and fits what that does to its progress.\n"
			 "speedup holds all others up while it runs, which looks as if it were faster. read does the\n"
			 "arithmetic for a profile in the format of Coz.\n"
			 "\n",
		.options = delay_options,
		.column = 25,
		.notes =
			"\n"
			"Ctrl-C ends it early and prints what there is. Needs root and the module: delays are served in\n"
			"the kernel. They slow the program down: this is for tests, not for production.\n",
		.words = "sensitivity speedup read",
	},
	{
		.name = "diff",
		.run = scope_cmd_diff,
		.summary = "compare two traces or reports: what became slower, and what went",
		.usage =
			"Usage: scope diff BEFORE AFTER [OPTION...]\n"
			"Compare two traces, or reports as JSON (scope report --format json): rates, the share of slow\n"
			"requests, and functions that are new, gone, worse or better, with 95 % intervals.\n"
			"\n",
		.options = diff_options,
		.column = 24,
		.notes = "\n"
			 "Exit status 3 where AFTER is worse: a function is new or worse, or more requests are slow.\n",
	},
	{
		.name = "status",
		.run = scope_cmd_status,
		.summary = "print whether the module is loaded, and which one",
		.usage = "Usage: scope status [OPTION...]\n"
			 "Report whether the scope module is loaded, what its sessions do and cost, and\n"
			 "how the flight recorders stand that run on this machine.\n"
			 "\n",
		.options = status_options,
		.column = 21,
		.notes =
			"\n"
			"Exit status 1 where the module cannot be used, or is missing and no recorder runs without it.\n",
	},
	{
		.name = "doctor",
		.run = scope_cmd_doctor,
		.summary = "list what this machine lacks, and the remedy",
		.usage =
			"Usage: scope doctor [OPTION...] [SCOPE.KO]\n"
			"Report what this machine lacks for a capture, and the remedy; of a module's file, whether this\n"
			"kernel takes it.\n"
			"\n",
		.options = doctor_options,
		.column = 21,
		.notes =
			"\n"
			"Exit status 0 where a capture can run, by the module or by perf events; 1 where none can, or\n"
			"where the file named does not fit.\n",
	},
	{
		.name = "completion",
		.run = scope_cmd_completion,
		.summary = "print what completes command lines in a shell",
		.usage = "Usage: scope completion bash|zsh\n"
			 "Print a script by which a shell completes commands, options and their values.\n"
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
