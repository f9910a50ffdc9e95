/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of the program, and what they share: exit statuses and how they complain. */
#ifndef SCOPE_CMD_CMD_H
#define SCOPE_CMD_CMD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "source/selection.h"

enum scope_exit {
	SCOPE_EXIT_DONE = 0,
	SCOPE_EXIT_ERROR = 1,
	SCOPE_EXIT_USAGE = 2,
	SCOPE_EXIT_FOUND = 3, /* what the user asked to fail on is there */
};

/* argv[0] is the command's name; the result is the exit status of the program. */
int scope_cmd_report(int argc, char **argv);
int scope_cmd_waits(int argc, char **argv);
int scope_cmd_metrics(int argc, char **argv);
int scope_cmd_model(int argc, char **argv);
int scope_cmd_explore(int argc, char **argv);
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
int scope_cmd_completion(int argc, char **argv);

struct scope_newfile;

/*
 * Gives a file its name where err is 0, else removes it; tells on stderr what was kept under another
 * name; destroys it. 0, or -errno with error filled.
 */
int scope_cmd_newfile_end(const char *command, struct scope_newfile *file, int err, struct scope_error *error);

/* A sentence on stderr that is no error; nothing for "". */
void scope_cmd_note(const char *command, const char *note);

/*
 * Where text for people goes: to, or a stream before it where the user's locale knows no UTF-8, see base/ascii.h.
 * end gives what was written there, and leaves `to` open.
 */
FILE *scope_cmd_text_begin(FILE *to);
void scope_cmd_text_end(FILE *text, FILE *to);
/* From here on what goes to stderr is text for people. Once, before the next. */
void scope_cmd_text_stderr(void);
/* The same of stdout. */
void scope_cmd_text_stdout(void);
enum scope_colour {
	SCOPE_COLOUR_AUTO, /* on a terminal that shows colours, unless NO_COLOR is set and not empty */
	SCOPE_COLOUR_ALWAYS,
	SCOPE_COLOUR_NEVER,
};

/* Reads the value of --color. 0, or the exit status for another word, which was said. */
int scope_cmd_colour_take(const char *command, const char *value, enum scope_colour *ret_colour);
/* Is text at fd printed in colour? */
bool scope_cmd_colour(enum scope_colour wanted, int fd);
/* Columns of lines for people: the variable COLUMNS, or of the terminal at fd; 0: neither says. */
unsigned scope_cmd_columns(int fd);

/*
 * Print a line to stderr, "scope COMMAND: ...", plain (base/plain.h): names in it may be anybody's. What
 * commands say there goes through these, or scope_cmd_progress(). The result is the exit status.
 */
__attribute__((format(printf, 2, 3))) void scope_cmd_say(const char *command, const char *format, ...);
int scope_cmd_fail(const char *command, const struct scope_error *error);
__attribute__((format(printf, 2, 3))) int scope_cmd_misuse(const char *command, const char *format, ...);

/*
 * Option values: a decimal number from low to high, and seconds ("90", "1.5", "500ms", "2m") as ns.
 * 0, or -EINVAL.
 */
int scope_cmd_number(const char *text, uint64_t low, uint64_t high, uint64_t *ret_number);
int scope_cmd_seconds(const char *text, uint64_t *ret_ns);

/*
 * Takes an option that says whom and what to trace. -1: it is none of these. Else 0, or the exit status for
 * what makes no sense or is gone.
 */
int scope_cmd_select(const char *command, int option, const char *value, struct scope_selection *selection);

/* A share of one CPU in percent ("50", "2.5", 0 to 100) as thousandths. 0, or -EINVAL. */
int scope_cmd_share(const char *text, uint32_t *ret_thousandths);

/* The first time that lost is not 0: tells on stderr that events are being lost, and the remedy. */
void scope_cmd_warn_lossy(const char *command, uint64_t lost);

/*
 * From here on SIGINT, SIGTERM and SIGHUP set the flag, and a second one ends the program. A SIGHUP that was
 * ignored as the program began stays so.
 */
const volatile sig_atomic_t *scope_cmd_catch_signals(void);

/* SIGUSR1 sets the flag, each time; the one that saw it sets it back. */
volatile sig_atomic_t *scope_cmd_catch_usr1(void);

struct scope_source;

/*
 * Which source a capture uses: the one named, or the best that works here, with a line on stderr
 * where that is not the first choice. 0, or the exit status, all being said.
 */
int scope_cmd_source(const char *command, const char *name, const struct scope_source **ret_source);

/* A line to that stream, also plain. */
__attribute__((format(printf, 2, 3))) void scope_cmd_print(FILE *to, const char *format, ...);

/* The lines of a text that another process wrote. */
void scope_cmd_print_lines(const char *text);

/* Says how many lines of a text were skipped, and what is wrong with the first; nothing where none was. */
void scope_cmd_warn_skipped(const char *command, const char *name, uint64_t skipped, uint64_t all, const char *first);

struct scope_trace;

/*
 * Opens saved traces. A program that root runs through sudo becomes the user who called sudo, for
 * good, between opening the files and looking into them. NULL among the paths: no file, no trace.
 * 0, or -errno with error filled and no trace open.
 */
int scope_cmd_open_traces(size_t count, const char *const *paths, struct scope_error *error,
			  struct scope_trace **ret_traces);

/* The database of signatures: the one named, or where it lies usually. 0, or -errno with error. */
int scope_cmd_signature_path(const char *named, char *ret_path, size_t room, struct scope_error *error);

/*
 * A program that root runs through sudo becomes the user who called sudo, for good: before it looks
 * into a file that came from elsewhere. 0, or -errno with error filled.
 */
int scope_cmd_drop_privilege(struct scope_error *error);

/* One line on stderr that is written over, where that is a terminal; nothing where it is none. */
__attribute__((format(printf, 1, 2))) void scope_cmd_progress(const char *format, ...);
void scope_cmd_progress_end(void);

#endif
