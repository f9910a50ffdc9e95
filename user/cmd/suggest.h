/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the command, option or file that a mistyped word probably means. */
#ifndef SCOPE_CMD_SUGGEST_H
#define SCOPE_CMD_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/commands.h"

/* The name in the table (whose last row has no name) that is most similar to the word; NULL: none is similar. */
const char *scope_cmd_suggest(const char *word, const struct scope_command *commands);
/* The same for the long names of options; the word has no dashes. */
const char *scope_cmd_suggest_option(const char *word, const struct scope_option *options);

/*
 * The same for the files in the directory of a path: fills in the path of the file. Returns false if none is similar,
 * or its path does not fit.
 */
bool scope_cmd_suggest_file(const char *path, char *ret_path, size_t size);

#endif
