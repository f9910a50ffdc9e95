// SPDX-License-Identifier: GPL-2.0-only
/* Decides if a target is short of CPU. */
#include "recorder/cpu_lack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_BYTES 128
#define SHARE_MIN 0.3
#define TIMES 2		/* times the usual share */
#define NOW 3		/* seconds */
#define USUAL_MIN 5	/* seconds that the usual share needs */
#define WAITS_MIN 10	/* in a second, or … */
#define TIME_MIN_NS 5e7 /* … this time in all: a program that runs for a millisecond does not count */
#define PREFIX "no-cpu: "

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/* The median of the seconds before the last `age` ones. Returns false if too few are known. */
static bool usual_of(const struct scope_recorder_cpu_lack *lack, uint64_t age, double *ret_usual)
{
	double sorted[SCOPE_CPU_LACK_SECONDS];
	size_t count = 0;

	for (; age < SCOPE_CPU_LACK_SECONDS && age < lack->seconds; age++)
		sorted[count++] = lack->share[(lack->seconds - 1 - age) % SCOPE_CPU_LACK_SECONDS];
	if (count < USUAL_MIN)
		return false;
	qsort(sorted, count, sizeof(*sorted), by_value);
	*ret_usual = sorted[count / 2];
	return true;
}

void scope_recorder_cpu_lack_second(struct scope_recorder_cpu_lack *lack,
				    const struct scope_recorder_activity_period *period)
{
	const double busy_ns = (double)period->run_ns + (double)period->queue_ns;
	const bool counts = period->taken >= WAITS_MIN || (double)period->taken_ns >= TIME_MIN_NS;
	const double share = counts && busy_ns > 0 ? (double)period->taken_ns / busy_ns : 0;
	double usual;

	lack->share[lack->seconds++ % SCOPE_CPU_LACK_SECONDS] = share;
	if (share <= SHARE_MIN || !usual_of(lack, lack->in_a_row + 1ul, &usual) || share <= TIMES * usual) {
		lack->in_a_row = 0;
		return;
	}
	if (!lack->in_a_row++)
		lack->since_ns = period->taken_since_ns;
}

bool scope_recorder_cpu_lack_find(const struct scope_recorder_cpu_lack *lack, uint64_t now_ns, char *ret_why)
{
	const double now = lack->share[(lack->seconds - 1) % SCOPE_CPU_LACK_SECONDS];
	double usual;

	if (lack->in_a_row < NOW || !usual_of(lack, lack->in_a_row, &usual))
		return false;
	snprintf(ret_why, WHY_BYTES, PREFIX "%.0f %% of the busy time, usual are %.0f %%, for %.1f s", 100 * now,
		 100 * usual, now_ns > lack->since_ns ? (double)(now_ns - lack->since_ns) / 1e9 : 0.0);
	return true;
}

bool scope_recorder_cpu_lack_read(const char *why, double *ret_for_s)
{
	double now, usual;

	return sscanf(why, PREFIX "%lf %% of the busy time, usual are %lf %%, for %lf s", &now, &usual, ret_for_s) == 3;
}
