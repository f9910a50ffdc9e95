/* SPDX-License-Identifier: GPL-2.0-only */
/* The command after --, if there is one. It is held until tracing is on, then started. */
#ifndef SCOPE_CMD_HELD_H
#define SCOPE_CMD_HELD_H

#include "capture/capture.h"
#include "capture/launch.h"
#include "proc/target.h"

struct scope_cmd_held {
	const char *name;	     /* name of the Scope command, for messages: "report" */
	struct scope_launch *launch; /* NULL: the process exists already */
	struct scope_error failed;   /* why it could not be started */
};

/* command: NULL, or its words; sets the options to trace it. 0, or -errno with error filled. */
int scope_cmd_held_start(struct scope_cmd_held *held, char *const command[], struct scope_capture_options *options,
			 struct scope_error *error);
/* Call it when tracing is on: prints notes about the target, and starts the command. */
void scope_cmd_held_started(struct scope_cmd_held *held, const struct scope_target *target);
/* Call it at the end. Returns -ENOENT with error filled if the command could not be started, else 0. */
int scope_cmd_held_check(const struct scope_cmd_held *held, struct scope_error *error);
/*
 * Frees it. Returns the exit status of the command, like a shell: 128 plus the signal's number if it was killed. 0:
 * there is no command, or it still runs.
 */
int scope_cmd_held_free(struct scope_cmd_held *held);

#endif
