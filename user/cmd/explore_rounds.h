/* SPDX-License-Identifier: GPL-2.0-only */
/* Explores a running process in rounds, and prints what was found. */
#ifndef SCOPE_CMD_EXPLORE_ROUNDS_H
#define SCOPE_CMD_EXPLORE_ROUNDS_H

#include "cmd/report_options.h"

/* Returns 0, or -errno with error filled. After an error, or the stop flag, the results so far are printed. */
int scope_cmd_explore_rounds(const struct scope_cmd_report *request, struct scope_error *error);

/* "write:arg2", "u:PATH:FUNCTION:arg0:8". 0, or -errno with error filled. */
int scope_cmd_explore_key(const char *text, struct scope_error *error, struct scope_explore_key *ret_key,
			  struct scope_probe *ret_probe);

#endif
