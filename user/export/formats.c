// SPDX-License-Identifier: GPL-2.0-only
/* The table of formats. */
#include "export/formats.h"

#include <string.h>

const struct scope_export_format scope_export_formats[] = {
	{ .name = "ctf",
	  .help = "Common Trace Format, a directory: babeltrace2, Trace Compass",
	  .kind = SCOPE_EXPORT_DIRECTORY,
	  .binary = true,
	  .run = scope_export_ctf },
	{ .name = "perfetto",
	  .help = "Perfetto trace for ui.perfetto.dev: threads, calls, wakers, stacks,\n"
		  "              requests with the slow ones marked, findings",
	  .binary = true,
	  .diagnosis = true,
	  .run = scope_export_perfetto },
	{ .name = "folded",
	  .help = "stacks of running threads, a line each with the samples: flame graphs",
	  .run = scope_export_folded },
	{ .name = "folded-off",
	  .help = "stacks of sleeping threads, a line each with microseconds",
	  .run = scope_export_folded_off },
	{ .name = "folded-probe",
	  .help = "stacks at probes, a line each with the visits",
	  .run = scope_export_folded_probe },
	{ .name = "folded-diff",
	  .help = "stacks of running threads in two traces, BEFORE and AFTER, a line each\n"
		  "              with the samples of both, as difffolded.pl writes: flamegraph.pl",
	  .compares = true,
	  .run = scope_export_folded_diff },
	{ .name = "sqlite",
	  .help = "a database: threads, calls, waits, stacks, probes, delays, requests,\n"
		  "              findings",
	  .kind = SCOPE_EXPORT_FILE,
	  .binary = true,
	  .diagnosis = true,
	  .run = scope_export_sqlite },
	{ .name = "script", .help = "text as perf script prints it", .run = scope_export_script },
	{ 0 },
};

const struct scope_export_format *scope_export_find(const char *name)
{
	for (const struct scope_export_format *row = scope_export_formats; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}
