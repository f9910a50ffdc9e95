/* SPDX-License-Identifier: GPL-2.0-only */
/* The options by which a capture records more or less than it does by default. */
#ifndef SCOPE_CMD_RECORDING_OPTIONS_H
#define SCOPE_CMD_RECORDING_OPTIONS_H

#include "capture/capture.h"

/*
 * Handles one of these options. -1: it is another one. Else 0, or the exit status for an invalid value, after an error.
 */
int scope_cmd_capture(const char *command, int option, const char *value, struct scope_capture_options *capture);

#endif
