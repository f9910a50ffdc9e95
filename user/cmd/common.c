// SPDX-License-Identifier: GPL-2.0-only
/* What the commands share. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "source/source.h"

#define SECONDS_MAX 604800.0 /* a week */

int scope_cmd_fail(const char *command, const struct scope_error *error)
{
	scope_cmd_progress_end();
	fprintf(stderr, "scope %s: %s\n", command, error->text);
	return SCOPE_EXIT_ERROR;
}

int scope_cmd_misuse(const char *command, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "scope %s: ", command);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
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
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "m", 60 }, { "h", 3600 } };
	double number;
	char *end;
	size_t i;

	if ((*text < '0' || *text > '9') && *text != '.')
		return -EINVAL;
	number = strtod(text, &end);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit))
			break;
	if (end == text || i == sizeof(units) / sizeof(units[0]))
		return -EINVAL;
	number *= units[i].seconds;
	if (!isfinite(number) || number <= 0 || number > SECONDS_MAX)
		return -EINVAL;
	*ret_ns = (uint64_t)llround(number * 1e9);
	return *ret_ns ? 0 : -EINVAL;
}

int scope_cmd_source(const char *command, const char *name, const struct scope_source **ret_source)
{
	struct scope_error error, why;

	if (name && !scope_source_find(name))
		return scope_cmd_misuse(command, "--source wants kmod or perf, not '%s'", name);
	if (scope_source_choose(name, &error, &why, ret_source))
		return scope_cmd_fail(command, &error);
	if (why.text[0])
		fprintf(stderr, "scope %s: %s. Using %s instead, which cannot give %s.\n", command,
			why.text, (*ret_source)->name, (*ret_source)->lacks);
	return 0;
}

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	(void)number;
	stopped = 1;
}

const volatile sig_atomic_t *scope_cmd_catch_signals(void)
{
	/* The second one takes the default way out: nothing is left behind, the session goes too. */
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	/* A limit on file sizes shall show as a failed write. */
	signal(SIGXFSZ, SIG_IGN);
	return &stopped;
}

static bool line_open;

void scope_cmd_progress(const char *format, ...)
{
	va_list arguments;

	if (!isatty(STDERR_FILENO))
		return;
	fputc('\r', stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputs("\033[K", stderr);
	line_open = true;
}

void scope_cmd_progress_end(void)
{
	if (!line_open)
		return;
	fputs("\r\033[K", stderr);
	line_open = false;
}
