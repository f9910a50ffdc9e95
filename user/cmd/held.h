/* SPDX-License-Identifier: GPL-2.0-only */
/* The command behind --, if there is one: held until tracing is on, then let go. */
#ifndef SCOPE_CMD_HELD_H
#define SCOPE_CMD_HELD_H

#include "capture/capture.h"
#include "capture/launch.h"
#include "proc/target.h"

struct scope_cmd_held {
	const char *name;	     /* of our command, for what it has to say: "report" */
	struct scope_launch *launch; /* NULL: the process was there before */
	struct scope_error failed;   /* it could not be run */
};

/* command: NULL, or its words; the options are made to trace it. 0, or -errno with error. */
int scope_cmd_held_start(struct scope_cmd_held *held, char *const command[], struct scope_capture_options *options,
			 struct scope_error *error);
/* To be called as tracing is on: says what the user should know of the target, and lets it go. */
void scope_cmd_held_started(struct scope_cmd_held *held, const struct scope_target *target);
/* At the end: -ENOENT with error where it could not be run, else 0. */
int scope_cmd_held_check(const struct scope_cmd_held *held, struct scope_error *error);
void scope_cmd_held_free(struct scope_cmd_held *held);

#endif
