/* SPDX-License-Identifier: GPL-2.0-only */
/* scope model --sweep: runs a load command at several loads, and fits how the server's figures depend on the load. */
#ifndef SCOPE_CMD_SWEEP_H
#define SCOPE_CMD_SWEEP_H

#include "cmd/report_options.h"

/*
 * Adds points: "conns=1,2,4", "rate=100,200", or both with a blank between. 0, or the exit status after printing the
 * error.
 */
int scope_cmd_sweep_take(const char *command, const char *value, struct scope_sweep *sweep);
/* Checks the points and the load command together. 0, or the exit status after printing the error. */
int scope_cmd_sweep_check(const char *command, const struct scope_sweep *sweep, const char *load);
/*
 * Runs all points and prints the result; after an error, that of the points measured so far. 0, or -errno with error
 * filled.
 */
int scope_cmd_sweep_run(const struct scope_cmd_report *request, struct scope_error *error);

#endif
