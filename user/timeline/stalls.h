/* SPDX-License-Identifier: GPL-2.0-only */
/* Handles the time that threads spend making room in memory, or waiting for a page. */
#ifndef SCOPE_TIMELINE_STALLS_H
#define SCOPE_TIMELINE_STALLS_H

#include "timeline/take.h"

/* A STALL event of the thread. What the listener returned. */
int scope_timeline_stall_take(const struct scope_listener *run, struct scope_thread *thread,
			      const struct scope_event *event);
/* Ends the stall that the thread is in, if there is one. What the listener returned. */
int scope_timeline_stall_leave(const struct scope_listener *run, struct scope_thread *thread, uint64_t now_ns);

#endif
