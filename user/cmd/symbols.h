/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that choose where names of functions come from, shared by all commands that print names. */
#ifndef SCOPE_CMD_SYMBOLS_H
#define SCOPE_CMD_SYMBOLS_H

#include <stddef.h>

#include "symbol/options.h"

/* The memory of these options; a zeroed struct is valid. Free it with scope_cmd_symbols_free(). */
struct scope_cmd_symbols {
	struct scope_symbol_options options;
	const char **debug_dir, **library; /* lists to which `options` points */
	size_t debug_dirs, libraries, debug_dir_room, library_room;
	char *list; /* text into which `library` points */
};

/* Returns -1 for another option; else 0, or the exit status. The value `show` prints the list and ends the program. */
int scope_cmd_symbols(const char *command, int option, const char *value, struct scope_cmd_symbols *symbols);
void scope_cmd_symbols_free(struct scope_cmd_symbols *symbols);

#endif
