/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a capture has come to, drawn again and again while it runs.
 *
 * Each drawing is made by a process of its own, which is forked off at low priority with all that the capture holds in
 * memory by then: the capture goes on. On a terminal drawings replace one another on its alternate screen, else they follow
 * one another on standard output; a terminal that has no such screen (TERM=dumb) counts as none.
 */
#ifndef SCOPE_CMD_SCREEN_H
#define SCOPE_CMD_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "capture/capture.h"

struct scope_cmd_drawing {
	/* In a process of its own. -errno: nothing can be said yet. */
	int (*draw)(void *context, const struct scope_capture_progress *now, FILE *to);
	void *context;
	bool lines; /* each is a line for programs, terminal or not; nothing where draw fails */
};

struct scope_cmd_screen;

/* Draws once in period_ns at most. 0 or -ENOMEM. */
int scope_cmd_screen_create(uint64_t period_ns, const struct scope_cmd_drawing *drawing,
			    struct scope_cmd_screen **ret_screen);

/* Is it the alternate screen of a terminal? */
bool scope_cmd_screen_terminal(const struct scope_cmd_screen *screen);

/* Forks off a drawing if it is time for one and the last is done. */
void scope_cmd_screen_tick(struct scope_cmd_screen *screen, const struct scope_capture_progress *now);

/* The next tick draws, whatever the time. */
void scope_cmd_screen_soon(struct scope_cmd_screen *screen);

/*
 * fork(), of a process that ends with the capture and leaves the CPU to others: what it makes of the capture's memory is for
 * somebody else than a screen.
 */
pid_t scope_cmd_screen_fork(void);

/* The screen is as it was before. NULL is fine. */
void scope_cmd_screen_destroy(struct scope_cmd_screen *screen);

#endif
