// SPDX-License-Identifier: GPL-2.0-only
/* The command after --, if there is one. It is held until tracing is on, then started. */
#include "cmd/held.h"

#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>

int scope_cmd_held_start(struct scope_cmd_held *held, char *const command[], struct scope_capture_options *options,
			 struct scope_error *error)
{
	int err;

	if (!command)
		return 0;
	err = scope_capture_launch_hold(command, error, &held->launch);
	if (err)
		return err;
	options->pid = scope_capture_launch_pid(held->launch);
	options->held = command[0];
	return 0;
}

void scope_cmd_held_started(struct scope_cmd_held *held, const struct scope_target *target)
{
	scope_cmd_note(held->name, target->note);
	if (held->launch)
		scope_capture_launch_go(held->launch, &held->failed);
}

int scope_cmd_held_check(const struct scope_cmd_held *held, struct scope_error *error)
{
	if (!held->failed.text[0])
		return 0;
	*error = held->failed;
	return -ENOENT;
}

int scope_cmd_held_free(struct scope_cmd_held *held)
{
	const int status = held->launch && !held->failed.text[0] ? scope_capture_launch_status(held->launch) : 0;

	scope_capture_launch_destroy(held->launch);
	held->launch = NULL;
	return status > 0 ? status : 0;
}
