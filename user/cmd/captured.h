/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of a capture that is analysed immediately: a named file that the user keeps, or an unnamed one. */
#ifndef SCOPE_CMD_CAPTURED_H
#define SCOPE_CMD_CAPTURED_H

#include "base/error.h"

struct scope_trace;
struct scope_writer;

struct scope_cmd_captured {
	const char *save; /* NULL: unnamed */
	int fd;		  /* descriptor of the unnamed file */
	struct scope_writer *writer;
};

/* save: NULL, or the name to keep; borrowed. 0 or -errno with error filled; free it in any case. */
int scope_cmd_captured_create(const char *save, struct scope_error *error, struct scope_cmd_captured *ret_captured);
/* Finishes and destroys the writer, and opens the captured trace. */
int scope_cmd_captured_open(const char *command, struct scope_cmd_captured *captured, struct scope_error *error,
			    struct scope_trace **ret_trace);
void scope_cmd_captured_free(struct scope_cmd_captured *captured);

#endif
