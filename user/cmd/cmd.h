/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of the program, and functions that they share: exit statuses, messages, values of options. */
#ifndef SCOPE_CMD_CMD_H
#define SCOPE_CMD_CMD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "source/selection.h"

struct scope_trace;

enum scope_exit {
	SCOPE_EXIT_DONE = 0,
	SCOPE_EXIT_ERROR = 1,
	SCOPE_EXIT_USAGE = 2,
	SCOPE_EXIT_FOUND = 3, /* a result for which the user requested this status */
};

/* argv[0] is the command's name; the result is the exit status of the program. */
int scope_cmd_report(int argc, char **argv);
int scope_cmd_waits(int argc, char **argv);
int scope_cmd_metrics(int argc, char **argv);
int scope_cmd_model(int argc, char **argv);
int scope_cmd_explore(int argc, char **argv);
int scope_cmd_libcalls(int argc, char **argv);
int scope_cmd_record(int argc, char **argv);
int scope_cmd_status(int argc, char **argv);
int scope_cmd_doctor(int argc, char **argv);
int scope_cmd_dump(int argc, char **argv);
int scope_cmd_export(int argc, char **argv);
int scope_cmd_import(int argc, char **argv);
int scope_cmd_learn(int argc, char **argv);
int scope_cmd_signatures(int argc, char **argv);
int scope_cmd_scrub(int argc, char **argv);
int scope_cmd_delay(int argc, char **argv);
int scope_cmd_diff(int argc, char **argv);
int scope_cmd_watch(int argc, char **argv);
int scope_cmd_fleet(int argc, char **argv);
int scope_cmd_completion(int argc, char **argv);

struct scope_newfile;

/*
 * Finishes a file if err is 0, else removes it. Prints on stderr which file was kept under another name. Destroys it.
 * 0, or -errno with error filled.
 */
int scope_cmd_newfile_end(const char *command, struct scope_newfile *file, int err, struct scope_error *error);

/* From here on only errors are printed, no progress and no notes. */
void scope_cmd_be_quiet(void);

/* Prints a sentence on stderr that is no error; nothing for "". */
void scope_cmd_note(const char *command, const char *note);

/* Prints a note if a part of a baseline's trace could not be read. Call it when all of the trace was read. */
void scope_cmd_note_damage(const char *command, const char *path, const struct scope_trace *trace);

/*
 * begin: the stream for text: `to`, or, if the user's locale does not know UTF-8, a stream that converts
 * (base/ascii.h). end: flushes it, and leaves `to` open.
 */
FILE *scope_cmd_text_begin(FILE *to);
void scope_cmd_text_end(FILE *text, FILE *to);
/* From here on output to stderr is converted in this way. Call it once, before scope_cmd_text_stdout(). */
void scope_cmd_text_stderr(void);
/* The same for stdout. */
void scope_cmd_text_stdout(void);
enum scope_colour {
	SCOPE_COLOUR_AUTO, /* on a terminal that shows colours, unless NO_COLOR is set and not empty */
	SCOPE_COLOUR_ALWAYS,
	SCOPE_COLOUR_NEVER,
};

/* Reads the value of --color. 0, or for another word the exit status after printing the error. */
int scope_cmd_colour_take(const char *command, const char *value, enum scope_colour *ret_colour);
/* True if text at fd is to be printed in colour. */
bool scope_cmd_colour(enum scope_colour wanted, int fd);
/* Columns of a line of text: the variable COLUMNS, else those of the terminal at fd; 0: not known. */
unsigned scope_cmd_columns(int fd);

/*
 * Print a line to stderr, "scope COMMAND: ...", in plain form (base/plain.h), because it may have names from other
 * programs. Commands print to stderr only with these functions, or scope_cmd_progress(). fail and usage return the exit
 * status.
 */
__attribute__((format(printf, 2, 3))) void scope_cmd_say(const char *command, const char *format, ...);
/* Gives the next line on stderr a level of syslog(3), if the journal reads it. */
void scope_cmd_journal_level(int level);
int scope_cmd_fail(const char *command, const struct scope_error *error);
__attribute__((format(printf, 2, 3))) int scope_cmd_misuse(const char *command, const char *format, ...);

/*
 * Values of options: a decimal number from low to high; and seconds ("90", "1.5", "500ms", "2m") as ns. 0, or -EINVAL.
 */
int scope_cmd_number(const char *text, uint64_t low, uint64_t high, uint64_t *ret_number);
int scope_cmd_seconds(const char *text, uint64_t *ret_ns);
/* The value of --duration. 0, or the exit status after printing the error. */
int scope_cmd_duration(const char *command, const char *value, uint64_t *ret_ns);

/*
 * Handles an option that selects threads and calls to trace. Returns -1 for another option; else 0, or the exit status
 * for an invalid value or a target that does not exist.
 */
int scope_cmd_select(const char *command, int option, const char *value, struct scope_selection *selection);

/* A share of one CPU in percent ("50", "2.5", 0 to 100) as thousandths. 0, or -EINVAL. */
int scope_cmd_share(const char *text, uint32_t *ret_thousandths);

/* When lost is not 0 for the first time, prints on stderr that events are being lost, and the remedy. */
void scope_cmd_warn_lossy(const char *command, uint64_t lost);

/*
 * From here on SIGINT, SIGTERM and SIGHUP set the flag, and a second one ends the program. If SIGHUP was ignored when
 * the program began, it stays ignored.
 */
const volatile sig_atomic_t *scope_cmd_catch_signals(void);

/* Each SIGUSR1 sets the flag; the code that has handled it resets it. */
volatile sig_atomic_t *scope_cmd_catch_usr1(void);

struct scope_source;

/*
 * Chooses the source of a capture: the named one, or the best that works here, with a line on stderr if it is not the
 * first choice. 0, or the exit status after printing the error.
 */
int scope_cmd_source(const char *command, const char *name, const struct scope_source **ret_source);

/* Prints a line to that stream, in plain form, too. */
__attribute__((format(printf, 2, 3))) void scope_cmd_print(FILE *to, const char *format, ...);

/* Prints the lines of a text that another process wrote. */
void scope_cmd_print_lines(const char *text);

/* Prints how many lines of a text were skipped, and what is wrong with the first; nothing if none was skipped. */
void scope_cmd_warn_skipped(const char *command, const char *name, uint64_t skipped, uint64_t all, const char *first);

/*
 * Opens saved traces. A program that root runs through sudo permanently becomes the user who called sudo, after opening
 * the files and before reading them. A path that is NULL gives no trace. 0, or -errno with error filled and no trace
 * open.
 */
int scope_cmd_open_traces(size_t count, const char *const *paths, struct scope_error *error,
			  struct scope_trace **ret_traces);

/* The path of the database of signatures: the named one, or the usual one. 0, or -errno with error. */
int scope_cmd_signature_path(const char *named, char *ret_path, size_t room, struct scope_error *error);

/*
 * Call it before reading a file that may come from another host: a program that root runs through sudo permanently
 * becomes the user who called sudo. 0, or -errno with error filled.
 */
int scope_cmd_drop_privilege(struct scope_error *error);

/*
 * If a file does not exist (err -ENOENT), adds to error the name of the one that is probably meant, if there is one.
 * Returns err.
 */
int scope_cmd_say_similar(const char *path, int err, struct scope_error *error);

/* On a terminal, prints a line on stderr that the next such line overwrites; else nothing. */
__attribute__((format(printf, 1, 2))) void scope_cmd_progress(const char *format, ...);
void scope_cmd_progress_end(void);

#endif
