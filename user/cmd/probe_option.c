// SPDX-License-Identifier: GPL-2.0-only
/* Parses --probe, and finds functions of programs by their names. */
#include "cmd/probe_option.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "symbol/image.h"

static const struct {
	const char *word;
	uint8_t kind, default_args;
	bool user;
} kinds[] = {
	{ "k:", SCOPE_PROBE_KPROBE, 0, false },
	{ "kr:", SCOPE_PROBE_KRETPROBE, 1, false },
	{ "u:", SCOPE_PROBE_UPROBE, 0, true },
	{ "ur:", SCOPE_PROBE_URETPROBE, 1, true },
};

static int bad_form(const char *text, struct scope_error *error)
{
	return scope_error_set(error, -EINVAL,
			       "--probe wants k:SYMBOL, kr:SYMBOL, u:PATH:FUNCTION or "
			       "ur:PATH:FUNCTION, with ,args=N (up to 6) or ,stack after it, not "
			       "'%.200s'",
			       text);
}

/* Cuts ",args=N" and ",stack" off the end of text. */
static int take_suffixes(char *text, struct scope_probe *probe)
{
	char *comma;
	uint64_t number;

	while ((comma = strrchr(text, ','))) {
		if (!strcmp(comma, ",stack"))
			probe->flags |= SCOPE_PROBE_WITH_STACK;
		else if (!strncmp(comma, ",args=", 6) && !scope_cmd_number(comma + 6, 0, SCOPE_ARG_MAX, &number))
			probe->args = (uint8_t)number;
		else
			return -EINVAL;
		*comma = '\0';
	}
	return 0;
}

static int take_offset(const char *text, uint64_t *ret_offset)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*ret_offset = strtoull(text, &end, 0);
	return errno || *end ? -EINVAL : 0;
}

/* The path is one of this host: a file in a container is given as /proc/PID/root/…. */
static int find_function(const char *path, const char *name, struct scope_error *error, uint64_t *ret_offset)
{
	struct scope_image *image;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return scope_error_set(error, -errno, "cannot open %.300s: %s", path, strerror(errno));
	err = scope_symbol_image_create(fd, NULL, path, &image);
	if (err)
		return scope_error_set(error, err, "%.300s is no program or library: %s", path, strerror(-err));
	err = scope_symbol_image_offset(image, name, ret_offset);
	scope_symbol_image_destroy(image);
	if (err)
		return scope_error_set(error, err,
				       "%.300s has no function %.100s: install its debug "
				       "symbols, or give the offset in the file",
				       path, name);
	return 0;
}

/* The colon before the function, whose name may have double colons: PATH:ns::function. */
static char *function_colon(char *text)
{
	for (char *at = text + strlen(text); at > text; at--) {
		if (*at != ':')
			continue;
		if (at[-1] != ':')
			return at;
		at--;
	}
	return NULL;
}

static int take_user(char *text, struct scope_error *error, struct scope_probe *probe)
{
	char *colon = function_colon(text);

	if (!colon || !colon[1])
		return -EINVAL;
	*colon = '\0';
	if (strlen(text) >= sizeof(probe->name))
		return scope_error_set(error, -ENAMETOOLONG, "--probe: a path has at most %zu bytes",
				       sizeof(probe->name) - 1);
	strcpy(probe->name, text);
	if (!take_offset(colon + 1, &probe->offset))
		return 0;
	return find_function(text, colon + 1, error, &probe->offset);
}

static int take_kernel(char *text, struct scope_error *error, struct scope_probe *probe)
{
	char *plus = strchr(text, '+');

	if (plus) {
		*plus = '\0';
		if (take_offset(plus + 1, &probe->offset))
			return -EINVAL;
	}
	if (!*text)
		return -EINVAL;
	if (strlen(text) >= SCOPE_PROBE_SYMBOL_BYTES)
		return scope_error_set(error, -ENAMETOOLONG, "--probe: a symbol has at most %d bytes",
				       SCOPE_PROBE_SYMBOL_BYTES - 1);
	strcpy(probe->name, text);
	return 0;
}

int scope_cmd_probe_parse(const char *text, struct scope_error *error, struct scope_probe *ret_probe)
{
	struct scope_probe probe = { 0 };
	char *copy = NULL;
	int err = -EINVAL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !copy; i++) {
		size_t length = strlen(kinds[i].word);

		if (strncmp(text, kinds[i].word, length))
			continue;
		copy = strdup(text + length);
		if (!copy)
			return scope_error_set(error, -ENOMEM, "no memory for a probe");
		probe.kind = kinds[i].kind;
		probe.args = kinds[i].default_args;
		err = take_suffixes(copy, &probe);
		if (!err)
			err = kinds[i].user ? take_user(copy, error, &probe) : take_kernel(copy, error, &probe);
	}
	free(copy);
	if (err == -EINVAL)
		return bad_form(text, error);
	if (!err)
		*ret_probe = probe;
	return err;
}
