/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that several commands have: rows for their tables (cmd/commands.c). */
#ifndef SCOPE_CMD_SHARED_OPTIONS_H
#define SCOPE_CMD_SHARED_OPTIONS_H

#define HELP_OPTION                                                                                                    \
	{                                                                                                              \
		'h', "help", NULL, .help = "this text"                                                                 \
	}

#define FORMAT_OPTION                                                                                                  \
	{                                                                                                              \
		SCOPE_OPTION_FORMAT, "format", "NAME", .help = "text or json (default text)", .words = "text json"     \
	}

#define SELECT_OPTIONS                                                                                                 \
	{ SCOPE_OPTION_COMM, "comm", "NAME", .help = "threads while they have this name (NAME* all that begin so)" },  \
		{ SCOPE_OPTION_CGROUP, "cgroup", "PATH", .help = "threads while they are in this control group" },     \
	{                                                                                                              \
		SCOPE_OPTION_SYSCALLS, "syscalls", "LIST", .help = "record these calls alone: read,futex,202"          \
	}

/* Options of commands that trace, or read a trace. */
#define TRACED_OPTIONS                                                                                                 \
	{ 'p', "pid", "PID", .help = "the process, by number or name; its descendants are traced too" },               \
		{ 't', "tid", "TID", .help = "one thread alone; it, -p and the next two may be repeated" },            \
		SELECT_OPTIONS, { 'i', "input", "FILE", .help = "a trace saved by `scope record` or --save" },         \
	{                                                                                                              \
		'd', "duration", "TIME", .help = "how long to trace: 90, 1.5, 500ms, 2m (default 90 seconds)"          \
	}

/* For captures: what the kernel counts of threads, and what takes the CPU from them. */
#define MEMORY_OPTIONS                                                                                                 \
	{ SCOPE_OPTION_MEMORY, "memory", .help = "record page faults and bytes of storage of each thread" },           \
	{                                                                                                              \
		SCOPE_OPTION_INTERRUPTS, "interrupts",                                                                 \
			.help = "record the time that interrupts take from threads (the module alone can)"             \
	}

#define SAVE_OPTION                                                                                                    \
	{                                                                                                              \
		SCOPE_OPTION_SAVE, "save", "FILE", .help = "with -p: keep the trace"                                   \
	}

#define SOURCE_OPTION                                                                                                  \
	{                                                                                                              \
		SCOPE_OPTION_SOURCE, "source", "NAME",                                                                 \
			.help = "kmod (the module) or perf (default: the module where it can be used)",                \
			.words = "kmod perf"                                                                           \
	}

#define OVERHEAD_OPTION                                                                                                \
	{                                                                                                              \
		SCOPE_OPTION_MAX_OVERHEAD, "max-overhead", "PCT",                                                      \
			.help = "the module stops tracing where probes take more of a CPU (default\n"                  \
				"50, 0: any share)"                                                                    \
	}

#define STACK_BUDGET_OPTION                                                                                            \
	{                                                                                                              \
		SCOPE_OPTION_STACK_BUDGET, "stack-budget", "N",                                                        \
			.help = "take stacks of the N slowest calls a second (default: half of\n"                      \
				"1000 on each CPU); 0: of all slow calls, from the first second on"                    \
	}

#define DB_OPTION                                                                                                      \
	{                                                                                                              \
		SCOPE_OPTION_DB, "db", "FILE",                                                                         \
			.help = "the database (default: /var/lib/scope/signatures.db for root, else\n"                 \
				"~/.local/share/scope/signatures.db)"                                                  \
	}

#define PART_OPTIONS                                                                                                   \
	{ SCOPE_OPTION_FROM, "from", "TIME",                                                                           \
	  .help = "with -i: of requests that ended from TIME on: 12.5 (seconds), 500ms, 2m\n"                          \
		  "after the trace's begin, or 18:55:16 or 2026-11-22T18:55:16 (UTC)" },                               \
		{ SCOPE_OPTION_TO, "to", "TIME", .help = "with -i: as if the trace ended there" },                     \
	{                                                                                                              \
		SCOPE_OPTION_THREAD, "thread", "THREAD",                                                               \
			.help = "of requests of threads of this number or name alone (NAME*: all that\n"               \
				"begin so)"                                                                            \
	}

#define SYMBOL_OPTIONS                                                                                                 \
	{ SCOPE_OPTION_DEBUG_DIR, "debug-dir", "DIR",                                                                  \
	  .help = "look there, too, for programs and debug files (may be repeated)" },                                 \
		{ SCOPE_OPTION_DEBUGINFOD, "debuginfod", NULL,                                                         \
		  .help = "ask the servers in DEBUGINFOD_URLS for what is not found here" },                           \
	{                                                                                                              \
		SCOPE_OPTION_SYSTEM_LIBRARIES, "system-libraries", "LIST",                                             \
			.help = "files never to blame, their callers are: names or paths with\n"                       \
				"*, comma-separated; `default` for the usual ones, `show` lists them"                  \
	}

#define LEARNED_OPTIONS                                                                                                \
	{ SCOPE_OPTION_DB, "db", "FILE",                                                                               \
	  .help = "signatures that `scope learn` learned (default: where it puts them)" },                             \
		{ SCOPE_OPTION_SHARED, "shared", "N",                                                                  \
		  .help = "leave signatures of more than N functions aside (default 4)" },                             \
		{ SCOPE_OPTION_WEIGHTS, "weights", "NAME",                                                             \
		  .help = "a signature of k functions weighs its length / k (length, the default)\n"                   \
			  "or 1 / k (flat)",                                                                           \
		  .words = "length flat" },                                                                            \
	{                                                                                                              \
		SCOPE_OPTION_NO_SIGNATURES, "no-signatures", NULL, .help = "use none"                                  \
	}

#endif
