/* SPDX-License-Identifier: GPL-2.0-only */
/* How much CPU time of the host is free for work that can wait. */
#ifndef SCOPE_CAPTURE_SPARE_H
#define SCOPE_CAPTURE_SPARE_H

#include <stdint.h>

/* A zeroed struct: nothing was read yet, and no time is free. */
struct scope_spare {
	uint64_t look_ns, idle_ns; /* the last look, and the idle time of all CPUs at that time */
	uint64_t left_ns;	   /* CPU time for such work until the next look */
};

/*
 * Finds for how long CPUs idled since the last call. Half of that, and at most half of one CPU, may be used until the
 * next call. text: that of /proc/uptime; NULL: reads it. If it cannot be read, no time is free.
 */
void scope_capture_spare_look(struct scope_spare *spare, uint64_t now_ns, const char *text);

/* Subtracts used_ns from the rest. */
void scope_capture_spare_use(struct scope_spare *spare, uint64_t used_ns);

#endif
