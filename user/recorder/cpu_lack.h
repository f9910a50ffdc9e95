/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides every second if a target is short of CPU, by the time for which its threads waited while they were runnable.
 *
 * This is a direct measurement. It includes the wait between the wakeup and the moment in which a thread picks up its
 * request, which is no part of a unit of work. Only waits of SCOPE_LIVE_LONG_QUEUE_NS or more count, without the time
 * in which another thread of the target had that CPU, because a program with more work than CPUs is not short of CPU.
 * The target is short of CPU if these waits are more than 30 % of the time in which its threads ran or were runnable,
 * in each of the last 3 s, and more than twice the usual share, the median of the minute before. The first limit is
 * that of a report (rank/verdict_outside.c). At this limit work takes 1.4 times as long as it would.
 */
#ifndef SCOPE_RECORDER_CPU_LACK_H
#define SCOPE_RECORDER_CPU_LACK_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/activity.h"

#define SCOPE_CPU_LACK_SECONDS 60

/* All zero: nothing is known yet. */
struct scope_recorder_cpu_lack {
	double share[SCOPE_CPU_LACK_SECONDS]; /* of each second, a ring */
	uint64_t seconds;		      /* that are over */
	uint32_t in_a_row;		      /* of the last ones: above the limits */
	uint64_t since_ns;		      /* when the first of these waits began */
};

void scope_recorder_cpu_lack_second(struct scope_recorder_cpu_lack *lack,
				    const struct scope_recorder_activity_period *period);

/*
 * Returns true if the target is short of CPU. why (128 bytes): "no-cpu: " with the present and the usual share, and
 * since when.
 */
bool scope_recorder_cpu_lack_find(const struct scope_recorder_cpu_lack *lack, uint64_t now_ns, char *ret_why);

/* Reads such a text. Returns false for another text. */
bool scope_recorder_cpu_lack_read(const char *why, double *ret_for_s);

#endif
