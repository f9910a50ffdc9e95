/* SPDX-License-Identifier: GPL-2.0-only */
/* Shows a text that is longer than the terminal by the user's pager. */
#ifndef SCOPE_CMD_PAGER_H
#define SCOPE_CMD_PAGER_H

#include <stdio.h>

struct scope_cmd_pager {
	FILE *to, *text; /* text NULL: nothing is kept back */
	char *bytes;
	size_t size;
	unsigned rows;
};

/*
 * The stream to write the text to: `to` itself unless fd is a terminal that a pager can be used on. The pager is
 * $SCOPE_PAGER, $PAGER or less; none if that is "" or "cat", or TERM is "dumb" or not set.
 */
FILE *scope_cmd_pager_begin(struct scope_cmd_pager *pager, FILE *to, int fd);

/* Prints the text, or waits until the user has left the pager. */
void scope_cmd_pager_end(struct scope_cmd_pager *pager);

#endif
