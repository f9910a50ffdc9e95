/* SPDX-License-Identifier: GPL-2.0-only */
/* How threads leave a processor, are woken, and come back to one. */
#ifndef SCOPE_TIMELINE_SCHED_H
#define SCOPE_TIMELINE_SCHED_H

#include "timeline/take.h"

/* What a thread that falls asleep now waits for. disk: it does so as for one. */
enum scope_wait_class scope_timeline_open_class(struct scope_timeline *timeline, const struct scope_thread *thread,
						bool disk);

#endif
