/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of a capture that is read at once: one that the user keeps, or an unnamed one. */
#ifndef SCOPE_CMD_CAPTURED_H
#define SCOPE_CMD_CAPTURED_H

#include "base/error.h"

struct scope_trace;
struct scope_writer;

struct scope_cmd_captured {
	const char *save; /* NULL: unnamed */
	int fd;		  /* of the unnamed one */
	struct scope_writer *writer;
};

/* save: NULL, or the name to keep; borrowed. 0 or -errno with error filled; free it in any case. */
int scope_cmd_captured_create(const char *save, struct scope_error *error, struct scope_cmd_captured *ret_captured);
/* Opens what was captured, once the writer was finished; destroys the writer. */
int scope_cmd_captured_open(const char *command, struct scope_cmd_captured *captured, struct scope_error *error,
			    struct scope_trace **ret_trace);
void scope_cmd_captured_free(struct scope_cmd_captured *captured);

#endif
