// SPDX-License-Identifier: GPL-2.0-only
/* The options that choose the threads and the calls to trace. */
#include <errno.h>
#include <stddef.h>

#include "cmd/cmd.h"
#include "cmd/commands.h"

static const struct {
	int option;
	int (*take)(struct scope_selection *selection, const char *text, struct scope_error *error);
} rows[] = {
	{ 'p', scope_source_selection_process },
	{ 't', scope_source_selection_thread },
	{ SCOPE_OPTION_COMM, scope_source_selection_comm },
	{ SCOPE_OPTION_CGROUP, scope_source_selection_cgroup },
	{ SCOPE_OPTION_SYSCALLS, scope_source_selection_syscalls },
};

int scope_cmd_select(const char *command, int option, const char *value, struct scope_selection *selection)
{
	struct scope_error error = { 0 };
	size_t i;
	int err;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].option != option)
			continue;
		err = rows[i].take(selection, value, &error);
		if (err == -EINVAL)
			return scope_cmd_misuse(command, "%s", error.text);
		return err ? scope_cmd_fail(command, &error) : 0;
	}
	return -1;
}
