// SPDX-License-Identifier: GPL-2.0-only
/* Priority for the thread that empties the rings, for as long as a capture runs. */
#include "capture/priority.h"

#include <sys/resource.h>

/* Gives nine times the share of a thread at 0 (sched_prio_to_weight of the kernel). */
#define CAPTURE_NICE (-10)

/* On Linux 0 means this thread in these calls, not this process. */
int scope_capture_priority_raise(void)
{
	const int before = getpriority(PRIO_PROCESS, 0);

	if (!before)
		setpriority(PRIO_PROCESS, 0, CAPTURE_NICE);
	return before;
}

void scope_capture_priority_restore(int before)
{
	if (!before)
		setpriority(PRIO_PROCESS, 0, before);
}
