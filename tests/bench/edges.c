// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure the CPU time that the pass of `scope explore` takes for each edge of a trace.
 *
 * Usage: edges TRACE      edges_all_...: the whole second pass, with reading and decoding the trace, and units;
 *                         edges_own_...: less such a pass that only finds units
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "analysis/single_pass.h"
#include "trace/feed.h"
#include "variance/variance.h"

static double cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int feed(void *user, const struct scope_event *const *event, size_t count)
{
	return scope_unit_run_feed(user, event, count);
}

static int ignore(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	(void)user, (void)unit, (void)call;
	return 0;
}

/* The same pass without edges. 0 or -errno. */
static int pass_units(struct scope_trace *trace, const struct scope_found_units *found)
{
	const struct scope_unit_source source = { .trace = trace, .groups = found->groups, .pickups = found->pickups };
	const struct scope_unit_sink sink = { .unit = ignore };
	struct scope_unit_run *run;
	int err = scope_unit_run_create(&source, &sink, &run);

	if (err)
		return err;
	err = scope_trace_feed_all(trace, feed, run);
	if (!err)
		err = scope_unit_run_end(run);
	scope_unit_run_destroy(run);
	return err;
}

int main(int argc, char **argv)
{
	struct scope_error error = { "" };
	struct scope_found_units found;
	struct scope_variance *variance;
	struct scope_trace *trace;
	double begin_ns, units_ns, all_ns;

	if (argc != 2 || scope_trace_open(argv[1], &error, &trace)) {
		fprintf(stderr, "%s\n", argc != 2 ? "usage: edges TRACE" : error.text);
		return 2;
	}
	if (scope_analysis_single_pass_run(trace, SCOPE_SINGLE_PASS_EVENTS, NULL, &found, NULL))
		return 1;
	if (scope_unit_groups_conclude(found.groups, found.pickups, found.distributions->run->timeline->threads))
		return 1;
	begin_ns = cpu_ns();
	if (pass_units(trace, &found))
		return 1;
	units_ns = cpu_ns() - begin_ns;
	begin_ns = cpu_ns();
	if (scope_variance_create(trace, found.distributions, found.groups, found.pickups, NULL, NULL, &variance))
		return 1;
	all_ns = cpu_ns() - begin_ns;
	printf("edges %" PRIu64 "\nedges_all_ns %.1f ns\nedges_own_ns %.1f ns\n", variance->edges,
	       all_ns / (double)variance->edges, (all_ns - units_ns) / (double)variance->edges);
	scope_variance_destroy(variance);
	scope_analysis_found_units_destroy(&found);
	scope_trace_close(trace);
	return 0;
}
