/* SPDX-License-Identifier: GPL-2.0-only */
/* The command that a mistyped word was meant to be. */
#ifndef SCOPE_CMD_SUGGEST_H
#define SCOPE_CMD_SUGGEST_H

#include "cmd/commands.h"

/* The name in the table (its last row has none) that is most like the word; NULL: none is like it. */
const char *scope_cmd_suggest(const char *word, const struct scope_command *commands);

#endif
