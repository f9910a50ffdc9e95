// SPDX-License-Identifier: GPL-2.0-only
/* Parses progress points, the events that count as one unit of progress, from words of the command line. */
#include "causal/point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scope/abi.h>

#include "base/syscall_name.h"

/* The text after word if text begins with it, else NULL. */
static const char *after(const char *text, const char *word)
{
	const size_t length = strlen(word);

	return strncmp(text, word, length) ? NULL : text + length;
}

static int bad_form(const char *text, struct scope_error *error)
{
	return scope_error_set(error, -EINVAL,
			       "a progress point is request, syscall:NAME, function:NAME "
			       "or begin:MARK,end:MARK with two of the latter, not '%.200s'",
			       text);
}

static int parse_mark(uint32_t tgid, const char *text, struct scope_error *error, struct scope_mark *ret_mark)
{
	struct scope_mark mark = { 0 };
	const char *name;
	int err = 0;

	if ((name = after(text, "syscall:"))) {
		mark.kind = SCOPE_POINT_SYSCALL;
		if (scope_syscall_number(name, &mark.nr) || mark.nr >= SCOPE_SYSCALL_MAX)
			return scope_error_set(error, -EINVAL,
					       "'%.100s' is no system call of this "
					       "machine",
					       name);
	} else if ((name = after(text, "function:"))) {
		mark.kind = SCOPE_POINT_FUNCTION;
		err = scope_causal_locate_function(tgid, name, error, &mark.place);
	} else {
		err = bad_form(text, error);
	}
	if (!err)
		*ret_mark = mark;
	return err;
}

static int parse_pair(uint32_t tgid, const char *text, struct scope_error *error, struct scope_point *ret_point)
{
	struct scope_point point = { .pair = true };
	const char *comma = strstr(text, ",end:");
	char begin[SCOPE_PROBE_NAME_BYTES + 32];
	int err;

	if (!comma || (size_t)(comma - text) >= sizeof(begin))
		return bad_form(text, error);
	snprintf(begin, sizeof(begin), "%.*s", (int)(comma - text), text);
	err = parse_mark(tgid, begin, error, &point.begin);
	if (!err)
		err = parse_mark(tgid, comma + strlen(",end:"), error, &point.end);
	if (!err)
		*ret_point = point;
	return err;
}

int scope_causal_point_parse(uint32_t tgid, const char *text, struct scope_error *error, struct scope_point *ret_point)
{
	struct scope_point point = { 0 };
	const char *pair = after(text, "begin:");
	int err;

	if (pair)
		return parse_pair(tgid, pair, error, ret_point);
	if (!strcmp(text, "request")) {
		*ret_point = (struct scope_point){ .pair = true };
		return 0;
	}
	err = parse_mark(tgid, text, error, &point.end);
	if (!err)
		*ret_point = point;
	return err;
}
