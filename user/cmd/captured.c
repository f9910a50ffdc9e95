// SPDX-License-Identifier: GPL-2.0-only
/* The file of a capture that is analysed immediately: a named file that the user keeps, or an unnamed one. */
#include "cmd/captured.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/temporary.h"
#include "cmd/cmd.h"
#include "trace/trace.h"
#include "trace/writer.h"

int scope_cmd_captured_create(const char *save, struct scope_error *error, struct scope_cmd_captured *ret_captured)
{
	int err;

	*ret_captured = (struct scope_cmd_captured){ .save = save, .fd = -1 };
	if (save) {
		err = scope_trace_writer_create(save, error, &ret_captured->writer);
		if (!err && scope_trace_writer_is_special(ret_captured->writer))
			err = scope_error_set(error, -EINVAL,
					      "%s is no regular file, and the trace is read "
					      "again: name another place with --save",
					      save);
		return err;
	}
	err = scope_temporary_open(error, &ret_captured->fd);
	if (!err)
		err = scope_trace_writer_create_fd(ret_captured->fd, "the temporary trace (in TMPDIR)", error,
						   &ret_captured->writer);
	return err;
}

int scope_cmd_captured_open(const char *command, struct scope_cmd_captured *captured, struct scope_error *error,
			    struct scope_trace **ret_trace)
{
	char path[64];

	scope_cmd_note(command, scope_trace_writer_note(captured->writer));
	scope_trace_writer_destroy(captured->writer);
	captured->writer = NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", captured->fd);
	return scope_trace_open(captured->save ? captured->save : path, error, ret_trace);
}

void scope_cmd_captured_free(struct scope_cmd_captured *captured)
{
	scope_trace_writer_destroy(captured->writer);
	if (captured->fd >= 0)
		close(captured->fd);
}
