// SPDX-License-Identifier: GPL-2.0-only
/* Decides if a target behaves differently than in the last minute. */
#include "recorder/unusual.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_BYTES 128
#define SECONDS 60  /* that are remembered */
#define USUAL_MIN 5 /* seconds that the baseline needs */
#define NOW 2	    /* seconds that count as now */
#define SLOW_TIMES 1.5
#define SLOW_RANK 0.8	  /* quantile of the seconds that counts as usual: seconds of some servers always differ much */
#define MOVE_TIMES 2	  /* calls and running time, more or less */
#define MOVE_CALLS_MIN 20 /* a second */
#define MOVE_RUN_NS 250e6 /* a second */
#define SILENT_NS 2000000000ull /* of a thread */
#define SILENT_UNTIL_NS 16000000000ull
#define TIMES_MAX 100
#define PREFIX "unusual: "

static const char *const names[SCOPE_UNUSUAL_REASONS] = {
	[SCOPE_UNUSUAL_SILENT] = "a thread without calls",
	[SCOPE_UNUSUAL_MEDIAN] = "median of work",
	[SCOPE_UNUSUAL_CALLS] = "calls",
	[SCOPE_UNUSUAL_RUN] = "running time",
	[SCOPE_UNUSUAL_P99] = "p99 of work",
};

/* The measures of a second. */
enum measure {
	MEASURE_P50,
	MEASURE_P99,
	MEASURE_CALLS,
	MEASURE_RUN,
	MEASURES,
};

struct scope_recorder_unusual {
	double second[MEASURES][SECONDS];
	uint64_t seconds; /* that are over */
};

int scope_recorder_unusual_create(struct scope_recorder_unusual **ret_unusual)
{
	*ret_unusual = calloc(1, sizeof(**ret_unusual));
	return *ret_unusual ? 0 : -ENOMEM;
}

void scope_recorder_unusual_destroy(struct scope_recorder_unusual *unusual)
{
	free(unusual);
}

void scope_recorder_unusual_second(struct scope_recorder_unusual *unusual,
				   const struct scope_recorder_activity_period *period,
				   const struct scope_sketch *units)
{
	const size_t at = unusual->seconds++ % SECONDS;
	double calls = 0;

	for (size_t i = 0; i < SCOPE_SYSCALL_MAX; i++)
		calls += period->call[i];
	unusual->second[MEASURE_P50][at] = scope_sketch_quantile(units, 0.5);
	unusual->second[MEASURE_P99][at] = scope_sketch_quantile(units, 0.99);
	unusual->second[MEASURE_CALLS][at] = calls;
	unusual->second[MEASURE_RUN][at] = (double)period->run_ns;
}

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/* The quantile over the seconds before now, 0 to 1. False: too few are known. */
static bool usual_of(const struct scope_recorder_unusual *unusual, enum measure measure, double quantile,
		     double *ret_usual)
{
	double sorted[SECONDS];
	size_t count = 0;

	for (uint64_t age = NOW; age < SECONDS && age < unusual->seconds; age++)
		sorted[count++] = unusual->second[measure][(unusual->seconds - 1 - age) % SECONDS];
	if (count < USUAL_MIN)
		return false;
	qsort(sorted, count, sizeof(*sorted), by_value);
	*ret_usual = sorted[(size_t)((double)count * quantile)];
	return true;
}

/* The least (most: the greatest) of the seconds that count as now. */
static double now_of(const struct scope_recorder_unusual *unusual, enum measure measure, bool most)
{
	double found = unusual->second[measure][(unusual->seconds - 1) % SECONDS];

	for (uint64_t age = 1; age < NOW; age++) {
		const double value = unusual->second[measure][(unusual->seconds - 1 - age) % SECONDS];

		if (most ? value > found : value < found)
			found = value;
	}
	return found;
}

__attribute__((format(printf, 4, 5))) static void write_why(char *ret_why, enum scope_unusual_reason reason,
							    double times, const char *format, ...)
{
	char text[WHY_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	snprintf(ret_why, WHY_BYTES, PREFIX "%s, %.1f times: %.80s", names[reason], times, text);
}

static bool slower(const struct scope_recorder_unusual *unusual, enum measure measure, enum scope_unusual_reason reason,
		   char *ret_why)
{
	const double now = now_of(unusual, measure, false);
	double usual, most;

	if (!usual_of(unusual, measure, 0.5, &usual) || !usual || now <= SLOW_TIMES * usual ||
	    !usual_of(unusual, measure, SLOW_RANK, &most) || now <= most)
		return false;
	write_why(ret_why, reason, fmin(now / usual, TIMES_MAX), "%.3f ms, usual is %.3f ms", now / 1e6, usual / 1e6);
	return true;
}

/*
 * True if each of the last seconds has much more, or much less, of the measure. least: the smallest value that matters.
 */
static bool moved(const struct scope_recorder_unusual *unusual, enum measure measure, double least,
		  enum scope_unusual_reason reason, char *ret_why)
{
	const double low = now_of(unusual, measure, false), high = now_of(unusual, measure, true);
	double usual, times;

	if (!usual_of(unusual, measure, 0.5, &usual))
		return false;
	if (low > MOVE_TIMES * usual && low - usual >= least)
		times = usual > 0 ? low / usual : TIMES_MAX;
	else if (high * MOVE_TIMES < usual && usual - high >= least)
		times = high > 0 ? usual / high : TIMES_MAX;
	else
		return false;
	write_why(ret_why, reason, fmin(times, TIMES_MAX), "%.4g in a second, usual are %.4g", low, usual);
	return true;
}

bool scope_recorder_unusual_find(const struct scope_recorder_unusual *unusual,
				 const struct scope_recorder_activity *live, uint64_t now_ns, char *ret_why)
{
	struct scope_live_hang silent;

	if (!unusual->seconds)
		return false;
	if (scope_recorder_activity_silent(live, now_ns, SILENT_NS, SILENT_UNTIL_NS, &silent)) {
		write_why(ret_why, SCOPE_UNUSUAL_SILENT, 1, "thread %u for %.1f s", silent.tid,
			  (double)silent.for_ns / 1e9);
		return true;
	}
	return slower(unusual, MEASURE_P50, SCOPE_UNUSUAL_MEDIAN, ret_why) ||
	       moved(unusual, MEASURE_CALLS, MOVE_CALLS_MIN, SCOPE_UNUSUAL_CALLS, ret_why) ||
	       moved(unusual, MEASURE_RUN, MOVE_RUN_NS, SCOPE_UNUSUAL_RUN, ret_why) ||
	       slower(unusual, MEASURE_P99, SCOPE_UNUSUAL_P99, ret_why);
}

bool scope_recorder_unusual_read(const char *why, enum scope_unusual_reason *ret_reason, double *ret_times)
{
	const size_t prefix = strlen(PREFIX);

	if (strncmp(why, PREFIX, prefix))
		return false;
	for (int i = 0; i < SCOPE_UNUSUAL_REASONS; i++) {
		const size_t length = strlen(names[i]);

		if (strncmp(why + prefix, names[i], length) ||
		    sscanf(why + prefix + length, ", %lf times", ret_times) != 1)
			continue;
		*ret_reason = (enum scope_unusual_reason)i;
		return true;
	}
	return false;
}
