/* SPDX-License-Identifier: GPL-2.0-only */
/* The options with which a capture records more or less than by default. */
#ifndef SCOPE_CMD_RECORDING_OPTIONS_H
#define SCOPE_CMD_RECORDING_OPTIONS_H

#include "capture/capture.h"

/*
 * Handles one of these options. Returns -1 for another option; else 0, or, after printing an error, the exit status for
 * an invalid value.
 */
int scope_cmd_capture(const char *command, int option, const char *value, struct scope_capture_options *capture);

#endif
