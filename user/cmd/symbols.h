/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that choose where names of functions come from, shared by all commands that print names. */
#ifndef SCOPE_CMD_SYMBOLS_H
#define SCOPE_CMD_SYMBOLS_H

#include <stddef.h>

#include "symbol/options.h"

/* The storage of these options; zeroed it is valid. Free it with scope_cmd_symbols_free(). */
struct scope_cmd_symbols {
	struct scope_symbol_options options;
	const char **debug_dir, **library; /* what options point to */
	size_t debug_dirs, libraries, debug_dir_room, library_room;
	char *list; /* what library points into */
};

/* -1: the option is none of these. Else 0, or the exit status; `show` prints and ends the program. */
int scope_cmd_symbols(const char *command, int option, const char *value, struct scope_cmd_symbols *symbols);
void scope_cmd_symbols_free(struct scope_cmd_symbols *symbols);

#endif
