// SPDX-License-Identifier: GPL-2.0-only
/* Functions that commands share. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/duration.h"
#include "base/invoker.h"
#include "base/newfile.h"
#include "base/plain.h"
#include "capture/sources.h"
#include "cmd/cmd.h"
#include "cmd/suggest.h"
#include "trace/trace.h"

#define TRACES_MAX 4 /* most traces that are opened together */

static void print_plain(FILE *to, const char *text)
{
	char *plain = scope_plain_copy(text, SCOPE_PLAIN_SENTENCE);

	fputs(plain ? plain : "", to);
	free(plain);
}

/* Prints a sentence in plain form, because names in it may hold any bytes. */
static void print_sentence(FILE *to, const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		return;
	print_plain(to, text);
	free(text);
}

void scope_cmd_print(FILE *to, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_sentence(to, format, arguments);
	va_end(arguments);
	fputc('\n', to);
}

void scope_cmd_print_lines(const char *text)
{
	for (size_t bytes; *text; text += bytes + (text[bytes] == '\n')) {
		bytes = strcspn(text, "\n");
		scope_cmd_print(stdout, "%.*s", (int)bytes, text);
	}
}

void scope_cmd_say(const char *command, const char *format, ...)
{
	va_list arguments;

	scope_cmd_progress_end();
	fputs("scope ", stderr);
	print_plain(stderr, command);
	fputs(": ", stderr);
	va_start(arguments, format);
	print_sentence(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

void scope_cmd_journal_level(int level)
{
	if (getenv("JOURNAL_STREAM"))
		fprintf(stderr, "<%d>", level);
}

int scope_cmd_fail(const char *command, const struct scope_error *error)
{
	scope_cmd_say(command, "%s", error->text);
	return SCOPE_EXIT_ERROR;
}

static bool quiet;

void scope_cmd_be_quiet(void)
{
	quiet = true;
}

void scope_cmd_note(const char *command, const char *note)
{
	if (note[0] && !quiet)
		scope_cmd_say(command, "%s", note);
}

void scope_cmd_note_damage(const char *command, const char *path, const struct scope_trace *trace)
{
	if (*scope_trace_damage(trace))
		scope_cmd_say(command,
			      "%s: %.300s; what could be read is compared: copy the file again, or record again", path,
			      scope_trace_damage(trace));
}

int scope_cmd_newfile_end(const char *command, struct scope_newfile *file, int err, struct scope_error *error)
{
	if (!err)
		err = scope_newfile_finish(file, error);
	scope_cmd_note(command, scope_newfile_note(file));
	scope_newfile_destroy(file);
	return err;
}

int scope_cmd_misuse(const char *command, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "scope %s: ", command);
	va_start(arguments, format);
	print_sentence(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\n`scope %s --help` lists the options\n", command);
	return SCOPE_EXIT_USAGE;
}

int scope_cmd_number(const char *text, uint64_t low, uint64_t high, uint64_t *ret_number)
{
	unsigned long long number;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || *end || number < low || number > high)
		return -EINVAL;
	*ret_number = number;
	return 0;
}

int scope_cmd_seconds(const char *text, uint64_t *ret_ns)
{
	return scope_duration_parse(text, ret_ns);
}

int scope_cmd_duration(const char *command, const char *value, uint64_t *ret_ns)
{
	if (!scope_duration_parse(value, ret_ns))
		return 0;
	return scope_cmd_misuse(command, "-d wants a time as 90, 1.5, 500ms or 2m, up to 168h, not '%s'", value);
}

int scope_cmd_source(const char *command, const char *name, const struct scope_source **ret_source)
{
	struct scope_error error, why;

	if (name && !scope_capture_source_find(name))
		return scope_cmd_misuse(command, "--source wants kmod or perf, not '%s'", name);
	if (scope_capture_source_choose(name, &error, &why, ret_source))
		return scope_cmd_fail(command, &error);
	/* Prints only the fact: `scope doctor` has the remedy, and lists what this source does not record. */
	if (why.text[0] && !quiet)
		scope_cmd_say(command, "%.*s, so %s is used; see `scope doctor`", (int)strcspn(why.text, ":;"),
			      why.text, (*ret_source)->name);
	return 0;
}

/* A bad file may harm only the process that reads it, not the machine. */
int scope_cmd_drop_privilege(struct scope_error *error)
{
	struct scope_invoker invoker;
	int err;

	if (!scope_invoker_find(&invoker))
		return 0;
	err = scope_invoker_become(&invoker);
	if (err)
		return scope_error_set(error, err,
				       "user %u, who called sudo, cannot be gone back to: "
				       "%s; run without sudo",
				       (unsigned)invoker.uid, strerror(-err));
	return 0;
}

int scope_cmd_say_similar(const char *path, int err, struct scope_error *error)
{
	struct scope_error ignored;
	char similar[PATH_MAX];

	/* Searched as the user who called sudo, because root sees other directories. */
	if (err == -ENOENT && !scope_cmd_drop_privilege(&ignored) &&
	    scope_cmd_suggest_file(path, similar, sizeof(similar)))
		scope_error_set(error, err, "there is no file %.200s; did you mean %.200s?", path, similar);
	return err;
}

int scope_cmd_open_traces(size_t count, const char *const *paths, struct scope_error *error,
			  struct scope_trace **ret_traces)
{
	int fd[TRACES_MAX], err = 0;

	for (size_t i = 0; i < count; i++) {
		fd[i] = -1;
		ret_traces[i] = NULL;
	}
	for (size_t i = 0; i < count && !err; i++)
		err = paths[i] ? scope_cmd_say_similar(paths[i], scope_trace_open_only(paths[i], error, &fd[i]), error)
			       : 0;
	if (!err)
		err = scope_cmd_drop_privilege(error);
	for (size_t i = 0; i < count && !err; i++)
		if (paths[i])
			err = scope_trace_open_fd(fd[i], paths[i], error, &ret_traces[i]);
	for (size_t i = 0; i < count; i++) {
		if (fd[i] >= 0)
			close(fd[i]);
		if (!err)
			continue;
		scope_trace_close(ret_traces[i]);
		ret_traces[i] = NULL;
	}
	return err;
}

int scope_cmd_share(const char *text, uint32_t *ret_thousandths)
{
	double number;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	number = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "%")) || !(number <= 100))
		return -EINVAL;
	*ret_thousandths = (uint32_t)lround(number * 10);
	/* A share above 0 must not be rounded to 0, which means no limit. */
	return number > 0 && !*ret_thousandths ? -EINVAL : 0;
}

void scope_cmd_warn_lossy(const char *command, uint64_t lost)
{
	static bool warned;

	if (!lost || warned)
		return;
	warned = true;
	scope_cmd_say(command,
		      "events are being lost (%" PRIu64 " so far): the rings fill faster than they are "
		      "read; enlarge them with `scope record --subbuf-count`, or take less (--no-stacks, "
		      "--no-samples)",
		      lost);
}

void scope_cmd_warn_skipped(const char *command, const char *name, uint64_t skipped, uint64_t all, const char *first)
{
	if (skipped)
		scope_cmd_say(command,
			      "%s: %" PRIu64 " of %" PRIu64 " lines cannot be read and were skipped; the "
			      "first is %s",
			      name, skipped, all, first);
}

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	(void)number;
	stopped = 1;
}

/* True if nohup or another parent has set the signal to be ignored: it stays ignored. */
static bool is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

const volatile sig_atomic_t *scope_cmd_catch_signals(void)
{
	/* A second signal has the default action, which ends the program and the session. */
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!is_ignored(SIGHUP))
		sigaction(SIGHUP, &action, NULL);
	/* A limit on file sizes shall make a write fail instead of ending the program. */
	signal(SIGXFSZ, SIG_IGN);
	return &stopped;
}

static volatile sig_atomic_t asked;

static void on_usr1(int number)
{
	(void)number;
	asked = 1;
}

volatile sig_atomic_t *scope_cmd_catch_usr1(void)
{
	const struct sigaction action = { .sa_handler = on_usr1 };

	sigaction(SIGUSR1, &action, NULL);
	return &asked;
}

FILE *scope_cmd_text_begin(FILE *to)
{
	FILE *text = scope_ascii_wanted() ? scope_ascii_stream(to) : NULL;

	return text ? text : to;
}

void scope_cmd_text_end(FILE *text, FILE *to)
{
	if (text != to)
		fclose(text);
}

/* stdout and stderr before the conversion. */
static FILE *plain_stdout, *plain_stderr;

static void end_texts(void)
{
	if (plain_stdout) {
		scope_cmd_text_end(stdout, plain_stdout);
		stdout = plain_stdout;
	}
	if (plain_stderr) {
		scope_cmd_text_end(stderr, plain_stderr);
		stderr = plain_stderr;
	}
}

void scope_cmd_text_stdout(void)
{
	FILE *text = plain_stdout ? stdout : scope_cmd_text_begin(stdout);

	if (text == stdout)
		return;
	plain_stdout = stdout;
	stdout = text;
}

void scope_cmd_text_stderr(void)
{
	FILE *text = scope_cmd_text_begin(stderr);

	if (text == stderr)
		return;
	setvbuf(text, NULL, _IONBF, 0);
	plain_stderr = stderr;
	stderr = text;
	atexit(end_texts);
}

int scope_cmd_colour_take(const char *command, const char *value, enum scope_colour *ret_colour)
{
	static const char *const words[] = {
		[SCOPE_COLOUR_AUTO] = "auto",
		[SCOPE_COLOUR_ALWAYS] = "always",
		[SCOPE_COLOUR_NEVER] = "never",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(value, words[i])) {
			*ret_colour = (enum scope_colour)i;
			return 0;
		}
	return scope_cmd_misuse(command, "--color wants auto, always or never, not '%s'", value);
}

bool scope_cmd_colour(enum scope_colour wanted, int fd)
{
	const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");

	if (wanted != SCOPE_COLOUR_AUTO)
		return wanted == SCOPE_COLOUR_ALWAYS;
	return isatty(fd) && !(none && *none) && terminal && strcmp(terminal, "dumb") != 0;
}

unsigned scope_cmd_columns(int fd)
{
	const char *text = getenv("COLUMNS");
	struct winsize size = { 0 };
	uint64_t columns;

	if (text && !scope_cmd_number(text, 1, 10000, &columns))
		return (unsigned)columns;
	return isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

static bool line_open;
static pid_t line_owner; /* the process that wrote the last such line; 0: none */

void scope_cmd_progress(const char *format, ...)
{
	va_list arguments;

	if (quiet || !isatty(STDERR_FILENO))
		return;
	fputc('\r', stderr);
	va_start(arguments, format);
	print_sentence(stderr, format, arguments);
	va_end(arguments);
	fputs("\033[K", stderr);
	line_open = true;
	line_owner = getpid();
}

void scope_cmd_progress_end(void)
{
	/* A child cannot know if its parent has written a line in between. */
	if (!line_open && (!line_owner || line_owner == getpid()))
		return;
	fputs("\r\033[K", stderr);
	line_open = false;
}
