/* SPDX-License-Identifier: GPL-2.0-only */
/* How threads leave a processor, are woken, and come back to one. */
#ifndef SCOPE_TIMELINE_SCHED_H
#define SCOPE_TIMELINE_SCHED_H

#include "timeline/take.h"

/* Both threads of a SWITCH; what the listener returned, or -ENOMEM. */
int scope_timeline_switch(const struct scope_listener *run, const struct scope_event *event);
/* index: the thread that is woken. 0 or -ENOMEM. */
int scope_timeline_waking(const struct scope_listener *run, uint32_t index,
			  const struct scope_event *event);
/* What a thread that falls asleep now waits for. disk: it does so as for one. */
enum scope_wait_class scope_timeline_open_class(struct scope_timeline *timeline,
						const struct scope_thread *thread, bool disk);

#endif
