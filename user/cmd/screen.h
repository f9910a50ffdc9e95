/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draws the results of a running capture repeatedly.
 *
 * A forked child with low priority makes each drawing from a copy of the capture's memory, while the capture continues.
 * On a terminal with an alternate screen drawings replace one another there; otherwise (also with TERM=dumb) they
 * follow one another on standard output.
 */
#ifndef SCOPE_CMD_SCREEN_H
#define SCOPE_CMD_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "capture/capture.h"

struct scope_cmd_drawing {
	/* Called in the child. -errno: there is nothing to draw yet. */
	int (*draw)(void *context, const struct scope_capture_progress *now, FILE *to);
	/*
	 * Unless NULL, called instead on a terminal: writes pages with a form feed between them.
	 * scope_cmd_screen_turn() chooses the page that is shown.
	 */
	int (*draw_pages)(void *context, const struct scope_capture_progress *now, FILE *to);
	void *context;
	bool lines; /* each drawing is a line for programs, also on a terminal; there is no line if draw fails */
};

struct scope_cmd_screen;

/* period_ns: the shortest time between two drawings. 0 or -ENOMEM. */
int scope_cmd_screen_create(uint64_t period_ns, const struct scope_cmd_drawing *drawing,
			    struct scope_cmd_screen **ret_screen);

/* True if drawings are on the alternate screen of a terminal. */
bool scope_cmd_screen_terminal(const struct scope_cmd_screen *screen);

/* Forks a child for a drawing if it is time and the last child has ended. */
void scope_cmd_screen_tick(struct scope_cmd_screen *screen, const struct scope_capture_progress *now);

/* Makes the next tick draw at any time. */
void scope_cmd_screen_soon(struct scope_cmd_screen *screen);

/*
 * Shows another page from a line on (both are counted from 0), now and in later drawings. If there is no such page the
 * first one is shown. status: the last line of the screen.
 */
void scope_cmd_screen_turn(struct scope_cmd_screen *screen, unsigned page, unsigned line, const char *status);

/* The line from which the page is shown, if the page has such a line. */
unsigned scope_cmd_screen_line(const struct scope_cmd_screen *screen);

/* The number of pages; 0 before the first drawing. */
unsigned scope_cmd_screen_pages(const struct scope_cmd_screen *screen);

/* While held is true, keeps the present pages and makes no new ones. */
void scope_cmd_screen_hold(struct scope_cmd_screen *screen, bool held);

/* Restores the screen. NULL is fine. */
void scope_cmd_screen_destroy(struct scope_cmd_screen *screen);

#endif
