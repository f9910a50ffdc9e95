/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of scope fleet. */
#ifndef SCOPE_CMD_FLEET_H
#define SCOPE_CMD_FLEET_H

#include "cmd/commands.h"

extern const struct scope_option scope_cmd_fleet_options[]; /* the last has no name */

#endif
