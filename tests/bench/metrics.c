// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the units of a trace, with the metrics of its threads or without: the difference is the cost of the metrics.
 *
 * Usage: metrics TRACE all|none      counted by callgrind, which tests/bench/run.sh calls; prints the number of events
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/meter.h"

static int without(struct scope_trace *trace)
{
	struct scope_found_units found;
	int err = scope_analysis_single_pass_run(trace, SCOPE_SINGLE_PASS_EVENTS, NULL, &found, NULL);

	if (err)
		return err;
	err = scope_unit_groups_conclude(found.groups, found.pickups, found.distributions->run->timeline->threads);
	if (err)
		return err;
	printf("%" PRIu64 "\n", found.distributions->run->timeline->events);
	scope_analysis_found_units_destroy(&found);
	return 0;
}

static int with(struct scope_trace *trace)
{
	const struct scope_metrics_options options = { 0 };
	struct scope_metered metered;
	int err = scope_analysis_meter(trace, &options, &metered);

	if (err)
		return err;
	printf("%" PRIu64 "\n", metered.found.distributions->run->timeline->events);
	scope_analysis_metered_free(&metered);
	return 0;
}

int main(int argc, char **argv)
{
	struct scope_error error = { "" };
	struct scope_trace *trace;
	int err;

	if (argc != 3 || (strcmp(argv[2], "none") && strcmp(argv[2], "all"))) {
		fputs("usage: metrics TRACE all|none\n", stderr);
		return 2;
	}
	if (scope_trace_open(argv[1], &error, &trace)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	err = strcmp(argv[2], "all") ? without(trace) : with(trace);
	scope_trace_close(trace);
	return !!err;
}
