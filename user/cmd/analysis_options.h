/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of commands that print another part of the analysis than report does; cmd/report_options.c parses them. */
#ifndef SCOPE_CMD_ANALYSIS_OPTIONS_H
#define SCOPE_CMD_ANALYSIS_OPTIONS_H

#include "cmd/commands.h"

extern const struct scope_option scope_cmd_waits_options[];
extern const struct scope_option scope_cmd_explore_options[];
extern const struct scope_option scope_cmd_model_options[];
extern const struct scope_option scope_cmd_libcalls_options[];

#endif
