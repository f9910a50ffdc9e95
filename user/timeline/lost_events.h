/* SPDX-License-Identifier: GPL-2.0-only */
/* Handles events that are missing: how many, when, and what is no longer known of the threads. */
#ifndef SCOPE_TIMELINE_LOST_EVENTS_H
#define SCOPE_TIMELINE_LOST_EVENTS_H

#include "timeline/sched.h"

/*
 * Events of one CPU are missing. Any thread may have run on it in that time, so no open state of
 * any thread can be trusted. What the listener returned, or -ENOMEM.
 */
int scope_timeline_handle_lost(const struct scope_listener *run, const struct scope_event *event);

/*
 * At the end: further losses by the kernel's count have no known time. A file that continues another one also
 * counts the other's, so none are added for it.
 */
void scope_timeline_lost_unplaced(struct scope_timeline *timeline);

#endif
