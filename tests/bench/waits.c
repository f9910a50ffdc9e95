// SPDX-License-Identifier: GPL-2.0-only
/*
 * What waits, bottlenecks and locks take after the pass over a trace: CPU time, and memory that is kept.
 *
 * Usage: waits TRACE      pass_...: the pass and its units alone; waits_...: what the tree of waits, bottlenecks and locks
 *                         add to it, without the names of functions
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/single_pass.h"
#include "waits/locks.h"
#include "waits/waits.h"

static double cpu_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static size_t used_kb(void)
{
	const struct mallinfo2 info = mallinfo2();

	return (info.uordblks + info.hblkhd) / 1024;
}

static size_t peak_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (size_t)usage.ru_maxrss;
}

int main(int argc, char **argv)
{
	struct scope_error error = { "" };
	struct scope_found_units found;
	struct scope_waits *waits;
	struct scope_locks *locks;
	struct scope_trace *trace;
	size_t before_kb, peak_before_kb;
	double begin_s = cpu_s(), pass_s;

	if (argc != 2 || scope_trace_open(argv[1], &error, &trace)) {
		fprintf(stderr, "%s\n", argc != 2 ? "usage: waits TRACE" : error.text);
		return 2;
	}
	if (scope_analysis_single_pass_run(trace, SCOPE_SINGLE_PASS_EVENTS, NULL, &found, NULL))
		return 1;
	if (scope_unit_groups_conclude(found.groups, found.pickups, found.distributions->run->timeline->threads))
		return 1;
	pass_s = cpu_s() - begin_s;
	before_kb = used_kb();
	peak_before_kb = peak_kb();
	begin_s = cpu_s();
	if (scope_waits_create(found.distributions, found.groups, &waits) || scope_waits_judge(waits) ||
	    scope_waits_locks_create(found.distributions, found.groups, &locks))
		return 1;
	printf("waits_pass_cpu_seconds %.2f s\nwaits_cpu_seconds %.2f s\nwaits_kept_kb %zu KB\nwaits_peak_kb %zu KB\n",
	       pass_s, cpu_s() - begin_s, used_kb() - before_kb, peak_kb() - peak_before_kb);
	printf("waits_groups %zu\nwaits_futexes %" PRIu64 "\nwaits_followed %" PRIu64 "\n", waits->groups,
	       locks->futexes, waits->waits);
	scope_waits_locks_destroy(locks);
	scope_waits_destroy(waits);
	scope_analysis_found_units_destroy(&found);
	scope_trace_close(trace);
	return 0;
}
