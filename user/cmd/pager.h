/* SPDX-License-Identifier: GPL-2.0-only */
/* Shows a text that is longer than the terminal with the user's pager. */
#ifndef SCOPE_CMD_PAGER_H
#define SCOPE_CMD_PAGER_H

#include <stdio.h>

struct scope_cmd_pager {
	FILE *to, *text; /* text NULL: the text goes to `to` directly */
	char *bytes;
	size_t size;
	unsigned rows;
};

/*
 * Returns the stream for the text: `to` itself unless fd is a terminal on which a pager can be used. The pager is
 * $SCOPE_PAGER, $PAGER or less; there is none if that is "" or "cat", or TERM is "dumb" or not set.
 */
FILE *scope_cmd_pager_begin(struct scope_cmd_pager *pager, FILE *to, int fd);

/* Prints the text, or waits until the user has left the pager. */
void scope_cmd_pager_end(struct scope_cmd_pager *pager);

#endif
