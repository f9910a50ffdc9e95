// SPDX-License-Identifier: GPL-2.0-only
/* Handles the options that choose where names of functions come from. */
#include "cmd/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "symbol/library.h"
#include "symbol/server.h"

static int no_memory(const char *command)
{
	struct scope_error error;

	scope_error_set(&error, -ENOMEM, "no memory for the options");
	return scope_cmd_fail(command, &error);
}

/* Appends text to the list, and NULL after it. 0 or -ENOMEM. */
static int add(const char ***list, size_t *count, size_t *room, const char *text)
{
	if (scope_grow(list, room, *count + 2, sizeof(**list)))
		return -ENOMEM;
	(*list)[(*count)++] = text;
	(*list)[*count] = NULL;
	return 0;
}

static int take_folder(const char *command, const char *value, struct scope_cmd_symbols *symbols)
{
	struct stat status;
	char *whole;

	if (stat(value, &status) || !S_ISDIR(status.st_mode))
		return scope_cmd_misuse(command, "--debug-dir: %s is no directory that can be read", value);
	/* The path must be absolute, because files in it are looked up from the root directory. */
	whole = realpath(value, NULL);
	if (!whole || add(&symbols->debug_dir, &symbols->debug_dirs, &symbols->debug_dir_room, whole)) {
		free(whole);
		return no_memory(command);
	}
	symbols->options.debug_dir = symbols->debug_dir;
	return 0;
}

/* This is checked before tracing, because libdwfl would find nothing and give no reason. */
static int take_debuginfod(const char *command, const char *value, struct scope_cmd_symbols *symbols)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	const char *missing = scope_symbol_server_missing();

	(void)value;
	if (!urls || !*urls)
		return scope_cmd_misuse(command, "--debuginfod: DEBUGINFOD_URLS names no server; set it to "
						 "the address of your distribution's, and keep it with sudo -E");
	if (missing)
		return scope_cmd_misuse(command, "--debuginfod: %s", missing);
	symbols->options.debuginfod = true;
	return 0;
}

static int add_defaults(struct scope_cmd_symbols *symbols)
{
	int err = 0;

	for (const char *const *pattern = scope_symbol_library_defaults; !err && *pattern; pattern++)
		err = add(&symbols->library, &symbols->libraries, &symbols->library_room, *pattern);
	return err;
}

static int take_libraries(const char *command, const char *value, struct scope_cmd_symbols *symbols)
{
	char *rest, *pattern;
	int err = 0;

	if (!strcmp(value, "show")) {
		for (const char *const *row = scope_symbol_library_defaults; *row; row++)
			puts(*row);
		exit(SCOPE_EXIT_DONE);
	}
	free(symbols->list);
	symbols->libraries = 0;
	symbols->list = rest = strdup(value);
	if (!rest)
		return no_memory(command);
	/* An empty list is valid, too: then any function may be named. */
	if (scope_grow(&symbols->library, &symbols->library_room, 1, sizeof(*symbols->library)))
		return no_memory(command);
	symbols->library[0] = NULL;
	while (!err && (pattern = strsep(&rest, ","))) {
		if (!strcmp(pattern, "default"))
			err = add_defaults(symbols);
		else if (*pattern)
			err = add(&symbols->library, &symbols->libraries, &symbols->library_room, pattern);
	}
	symbols->options.library = symbols->library;
	return err ? no_memory(command) : 0;
}

static const struct {
	int option;
	int (*take)(const char *command, const char *value, struct scope_cmd_symbols *symbols);
} rows[] = {
	{ SCOPE_OPTION_DEBUG_DIR, take_folder },
	{ SCOPE_OPTION_DEBUGINFOD, take_debuginfod },
	{ SCOPE_OPTION_SYSTEM_LIBRARIES, take_libraries },
};

int scope_cmd_symbols(const char *command, int option, const char *value, struct scope_cmd_symbols *symbols)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].option == option)
			return rows[i].take(command, value, symbols);
	return -1;
}

void scope_cmd_symbols_free(struct scope_cmd_symbols *symbols)
{
	for (size_t i = 0; i < symbols->debug_dirs; i++)
		free((char *)symbols->debug_dir[i]);
	free(symbols->debug_dir);
	free(symbols->library);
	free(symbols->list);
}
