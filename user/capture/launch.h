/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command that is held just before its exec until tracing is on.
 *
 * Under sudo it runs as the user who called sudo, with that user's groups and HOME: sudo was for the
 * tracing. `-- sudo COMMAND` runs it as root.
 */
#ifndef SCOPE_CAPTURE_LAUNCH_H
#define SCOPE_CAPTURE_LAUNCH_H

#include <stdint.h>

#include "base/error.h"

struct scope_launch;

/* Forks. argv ends with NULL and must stay until go. 0 or -errno, error filled. */
int scope_capture_launch_hold(char *const argv[], struct scope_error *error, struct scope_launch **ret_launch);
uint32_t scope_capture_launch_pid(const struct scope_launch *launch);

/* Lets it exec. 0; or -errno with error filled if there is no such command: the child has ended then. */
int scope_capture_launch_go(struct scope_launch *launch, struct scope_error *error);

/* Once it has ended: its exit status, or 128 and the signal. -1: it still runs, or was never started. */
int scope_capture_launch_status(struct scope_launch *launch);

/* A command that is still held never runs; a running one continues. NULL is fine. */
void scope_capture_launch_destroy(struct scope_launch *launch);

#endif
