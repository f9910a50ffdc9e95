/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that several commands have, as rows for their tables (cmd/commands.c). */
#ifndef SCOPE_CMD_SHARED_OPTIONS_H
#define SCOPE_CMD_SHARED_OPTIONS_H

#define HELP_OPTION                                                                                                    \
	{                                                                                                              \
		'h', "help", NULL, .help = "print this help"                                                           \
	}

#define FORMAT_OPTION                                                                                                  \
	{                                                                                                              \
		SCOPE_OPTION_FORMAT, "format", "NAME", .help = "text or json (default text)", .words = "text json"     \
	}

#define SELECT_OPTIONS                                                                                                 \
	{ SCOPE_OPTION_COMM, "comm", "NAME",                                                                           \
	  .help = "threads while they have this name (NAME*: any that begins so)" },                                   \
		{ SCOPE_OPTION_CGROUP, "cgroup", "PATH", .help = "threads while they are in this control group" },     \
	{                                                                                                              \
		SCOPE_OPTION_SYSCALLS, "syscalls", "LIST", .help = "record only these calls: read,futex,202"           \
	}

/* Options of commands that trace a process or read a trace. */
#define TRACED_OPTIONS                                                                                                 \
	{ 'p', "pid", "PID", .help = "the process, by number or name; its descendants are traced too" },               \
		{ 't', "tid", "TID", .help = "one thread alone; it, -p and the next two may be repeated" },            \
		SELECT_OPTIONS, { 'i', "input", "FILE", .help = "a trace saved by `scope record` or --save" },         \
	{                                                                                                              \
		'd', "duration", "TIME", .help = "how long to trace: 90, 1.5, 500ms, 2m (default 90 seconds)"          \
	}

/* For captures: counts that the kernel has for threads, and what takes the CPU from threads. */
#define MEMORY_OPTIONS                                                                                                 \
	{ SCOPE_OPTION_MEMORY, "memory", .help = "record page faults and bytes of storage of each thread" },           \
	{                                                                                                              \
		SCOPE_OPTION_INTERRUPTS, "interrupts",                                                                 \
			.help = "record the time that interrupts take from threads (needs the module)"                 \
	}

/* For captures: requests get the kind that their first bytes name. */
#define KIND_BY_OPTION                                                                                                 \
	{                                                                                                              \
		SCOPE_OPTION_KIND_BY, "kind-by", "WHAT",                                                               \
			.help = "group requests by what they ask for, without values: http, redis,\n"                  \
				"sql, memcached (these need the module), or u:PATH:FUNCTION:argN",                     \
			.words = "http redis sql memcached"                                                            \
	}

#define OUTPUT_OPTION                                                                                                  \
	{                                                                                                              \
		'o', "output", "FILE", .help = "write to a file"                                                       \
	}

#define NO_STACKS_OPTION                                                                                               \
	{                                                                                                              \
		SCOPE_OPTION_NO_STACKS, "no-stacks", .help = "take and use no stacks: functions have no names"         \
	}

#define SAVE_OPTION                                                                                                    \
	{                                                                                                              \
		SCOPE_OPTION_SAVE, "save", "FILE", .help = "with -p: keep the trace"                                   \
	}

#define SOURCE_OPTION                                                                                                  \
	{                                                                                                              \
		SCOPE_OPTION_SOURCE, "source", "NAME",                                                                 \
			.help = "kmod (the module) or perf (default: the module if it can be used)",                   \
			.words = "kmod perf"                                                                           \
	}

#define OVERHEAD_OPTION                                                                                                \
	{                                                                                                              \
		SCOPE_OPTION_MAX_OVERHEAD, "max-overhead", "PCT",                                                      \
			.help = "stop tracing if the module's probes take more of a CPU (default\n"                    \
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
	  .help = "with -i: only requests that ended from TIME on: 12.5 (seconds), 500ms,\n"                           \
		  "2m after the begin of the trace, or 18:55:16 or 2026-11-22T18:55:16 (UTC)" },                       \
		{ SCOPE_OPTION_TO, "to", "TIME", .help = "with -i: as if the trace ended at TIME" },                   \
	{                                                                                                              \
		SCOPE_OPTION_THREAD, "thread", "THREAD",                                                               \
			.help = "only requests of threads with this number or name (NAME*: any that\n"                 \
				"begins so)"                                                                           \
	}

#define SYMBOL_OPTIONS                                                                                                 \
	{ SCOPE_OPTION_DEBUG_DIR, "debug-dir", "DIR",                                                                  \
	  .help = "also look in DIR for programs and debug files (may be repeated)" },                                 \
		{ SCOPE_OPTION_DEBUGINFOD, "debuginfod", NULL,                                                         \
		  .help = "download missing debug files from the servers in DEBUGINFOD_URLS" },                        \
	{                                                                                                              \
		SCOPE_OPTION_SYSTEM_LIBRARIES, "system-libraries", "LIST",                                             \
			.help = "files whose functions are never named: names or paths with\n"                         \
				"*, comma-separated; `default` for the usual ones, `show` lists them"                  \
	}

#define LEARNED_OPTIONS                                                                                                \
	{ SCOPE_OPTION_DB, "db", "FILE", .help = "the database of `scope learn` (default: its default)" },             \
		{ SCOPE_OPTION_SHARED, "shared", "N",                                                                  \
		  .help = "ignore signatures of more than N functions (default 4)" },                                  \
		{ SCOPE_OPTION_WEIGHTS, "weights", "NAME",                                                             \
		  .help = "a signature of k functions weighs its length / k (length, the default)\n"                   \
			  "or 1 / k (flat)",                                                                           \
		  .words = "length flat" },                                                                            \
	{                                                                                                              \
		SCOPE_OPTION_NO_SIGNATURES, "no-signatures", NULL, .help = "use no signatures"                         \
	}

#endif
