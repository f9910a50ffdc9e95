/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the command or option that a mistyped word probably means. */
#ifndef SCOPE_CMD_SUGGEST_H
#define SCOPE_CMD_SUGGEST_H

#include "cmd/commands.h"

/* The name in the table (its last row has none) that is most similar to the word; NULL: none is similar. */
const char *scope_cmd_suggest(const char *word, const struct scope_command *commands);
/* The same of the long names of options; the word comes without its two dashes. */
const char *scope_cmd_suggest_option(const char *word, const struct scope_option *options);

#endif
