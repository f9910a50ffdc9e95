/* SPDX-License-Identifier: GPL-2.0-only */
/* How much CPU time the host has to spare for work that can wait. */
#ifndef SCOPE_CAPTURE_SPARE_H
#define SCOPE_CAPTURE_SPARE_H

#include <stdint.h>

/* A zeroed struct: nothing was read yet, and there is no time to spare. */
struct scope_spare {
	uint64_t look_ns, idle_ns; /* the last look, and the idle time of all CPUs then */
	uint64_t left_ns;	   /* CPU time for such work until the next look */
};

/*
 * Finds for how long CPUs idled since the last call: half of that may be used until the next one, and half of one CPU
 * at most. text: of /proc/uptime, NULL: reads it. Where it cannot be read, nothing is to spare.
 */
void scope_capture_spare_look(struct scope_spare *spare, uint64_t now_ns, const char *text);

/* Takes used_ns from what is left. */
void scope_capture_spare_use(struct scope_spare *spare, uint64_t used_ns);

#endif
