/* SPDX-License-Identifier: GPL-2.0-only */
/* Handles threads that leave a processor, are woken, and run again. */
#ifndef SCOPE_TIMELINE_SCHED_H
#define SCOPE_TIMELINE_SCHED_H

#include "timeline/take.h"

/* What a thread that goes to sleep now waits for. disk: it sleeps as for a disk. */
enum scope_wait_class scope_timeline_open_class(struct scope_timeline *timeline, const struct scope_thread *thread,
						bool disk);

#endif
