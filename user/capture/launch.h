/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command that is held just before its exec until tracing is on.
 *
 * Under sudo the command runs as the user who called sudo, with that user's groups and HOME, because sudo was used for
 * tracing. `-- sudo COMMAND` runs it as root.
 */
#ifndef SCOPE_CAPTURE_LAUNCH_H
#define SCOPE_CAPTURE_LAUNCH_H

#include <stdint.h>

#include "base/error.h"

struct scope_launch;

/* Forks. argv ends with NULL and must exist until go. 0, or -errno with error filled. */
int scope_capture_launch_hold(char *const argv[], struct scope_error *error, struct scope_launch **ret_launch);
uint32_t scope_capture_launch_pid(const struct scope_launch *launch);

/* Lets the child call exec. 0; or -errno with error filled if there is no such command, and the child has ended. */
int scope_capture_launch_go(struct scope_launch *launch, struct scope_error *error);

/* The exit status, or 128 plus the number of the signal that ended it. -1: it still runs, or was never started. */
int scope_capture_launch_status(struct scope_launch *launch);

/* A command that is still held will never run; a running one continues. NULL is fine. */
void scope_capture_launch_destroy(struct scope_launch *launch);

#endif
