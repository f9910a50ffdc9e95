/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of commands and their options: parsing, help and completion use it. */
#ifndef SCOPE_CMD_COMMANDS_H
#define SCOPE_CMD_COMMANDS_H

/* Values that scope_cmd_line_next() returns for options without a letter. */
enum {
	SCOPE_OPTION_AFTER = 256,
	SCOPE_OPTION_BASELINE,
	SCOPE_OPTION_BLOCK,
	SCOPE_OPTION_MEMORY,
	SCOPE_OPTION_RELATE,
	SCOPE_OPTION_INTERRUPTS,
	SCOPE_OPTION_KIND_BY,
	SCOPE_OPTION_BUDGET,
	SCOPE_OPTION_KERNEL_PROBES,
	SCOPE_OPTION_BY,
	SCOPE_OPTION_CAUSAL,
	SCOPE_OPTION_CGROUP,
	SCOPE_OPTION_CHAIN,
	SCOPE_OPTION_CLICKHOUSE,
	SCOPE_OPTION_COLOR,
	SCOPE_OPTION_COMM,
	SCOPE_OPTION_COMPARE,
	SCOPE_OPTION_COMPRESS,
	SCOPE_OPTION_CONSUME,
	SCOPE_OPTION_COOL_OFF,
	SCOPE_OPTION_COZ,
	SCOPE_OPTION_CS,
	SCOPE_OPTION_CV,
	SCOPE_OPTION_DB,
	SCOPE_OPTION_DEBUGINFOD,
	SCOPE_OPTION_DEBUG_DIR,
	SCOPE_OPTION_EXEC,
	SCOPE_OPTION_FAIL_ON,
	SCOPE_OPTION_FLIGHT,
	SCOPE_OPTION_FLIGHT_MEMORY,
	SCOPE_OPTION_FORMAT,
	SCOPE_OPTION_FROM,
	SCOPE_OPTION_FUNCTION,
	SCOPE_OPTION_HOST,
	SCOPE_OPTION_KEEP,
	SCOPE_OPTION_KEY,
	SCOPE_OPTION_KIND,
	SCOPE_OPTION_KNOWN,
	SCOPE_OPTION_LABEL,
	SCOPE_OPTION_LENGTH,
	SCOPE_OPTION_LINKAGE,
	SCOPE_OPTION_LIVE,
	SCOPE_OPTION_LISTEN,
	SCOPE_OPTION_MAX_DELAY,
	SCOPE_OPTION_MAX_EPISODES,
	SCOPE_OPTION_MAX_OVERHEAD,
	SCOPE_OPTION_MAX_SIZE,
	SCOPE_OPTION_MIN_INTERVAL,
	SCOPE_OPTION_MIN_SUPPORT,
	SCOPE_OPTION_NO_FOLLOW,
	SCOPE_OPTION_NO_SAMPLES,
	SCOPE_OPTION_NO_SIGNATURES,
	SCOPE_OPTION_NO_STACKS,
	SCOPE_OPTION_OUTSIDE,
	SCOPE_OPTION_PROBE,
	SCOPE_OPTION_PROFILE,
	SCOPE_OPTION_SWEEP,
	SCOPE_OPTION_LOAD,
	SCOPE_OPTION_PROGRESS,
	SCOPE_OPTION_RAW_STACKS,
	SCOPE_OPTION_REPEATS,
	SCOPE_OPTION_ROTATE,
	SCOPE_OPTION_ROUNDS,
	SCOPE_OPTION_SAVE,
	SCOPE_OPTION_SEARCH,
	SCOPE_OPTION_SEED,
	SCOPE_OPTION_SETTINGS,
	SCOPE_OPTION_SHARED,
	SCOPE_OPTION_SINCE,
	SCOPE_OPTION_SITE,
	SCOPE_OPTION_SLOWEST,
	SCOPE_OPTION_SNAPSHOT,
	SCOPE_OPTION_SOURCE,
	SCOPE_OPTION_STEP,
	SCOPE_OPTION_SERIES,
	SCOPE_OPTION_STACK_BUDGET,
	SCOPE_OPTION_STACK_BYTES,
	SCOPE_OPTION_SUBBUF_BYTES,
	SCOPE_OPTION_SUBBUF_COUNT,
	SCOPE_OPTION_SUMMARY,
	SCOPE_OPTION_SVG,
	SCOPE_OPTION_SYSCALLS,
	SCOPE_OPTION_SYSTEM_LIBRARIES,
	SCOPE_OPTION_THREAD,
	SCOPE_OPTION_THRESHOLD,
	SCOPE_OPTION_TO,
	SCOPE_OPTION_TOP,
	SCOPE_OPTION_TRIGGER,
	SCOPE_OPTION_UNIT,
	SCOPE_OPTION_WEBHOOK,
	SCOPE_OPTION_WEIGHTS,
	SCOPE_OPTION_WHEN,
	SCOPE_OPTION_WHY,
	SCOPE_OPTION_ARGS,
	SCOPE_OPTION_WINDOW,
};

struct scope_option {
	int key;	  /* its letter, or one of the values above */
	const char *name; /* without -- */
	const char
		*value; /* name of its value in the help; "[=NAME]": the value may be left out; NULL: it has no value */
	const char *help;  /* its lines, with newlines between */
	const char *words; /* all values, with blanks between, or NULL */
};

struct scope_command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
	const char *summary;
	const char *usage;		    /* text before the options in the help */
	const char *notes;		    /* text after them, or NULL */
	const char *words;		    /* possible values of its first argument; NULL: a file */
	const struct scope_option *options; /* ends with a row without a name */
	int column;			    /* column at which the help of options begins */
};

/* Ends with a row without a name. */
extern const struct scope_command scope_cmd_commands[];

/* NULL: there is no such command. */
const struct scope_command *scope_cmd_find(const char *name);

#endif
