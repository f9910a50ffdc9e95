// SPDX-License-Identifier: GPL-2.0-only
/* The table of formats. */
#include "export/formats.h"

#include <string.h>

const struct scope_export_format scope_export_formats[] = {
	{ "ctf", "Common Trace Format, a directory: babeltrace2, Trace Compass", SCOPE_EXPORT_DIRECTORY, true,
	  scope_export_ctf },
	{ "perfetto", "Perfetto trace: threads, calls and wakers in ui.perfetto.dev", SCOPE_EXPORT_STREAM, true,
	  scope_export_perfetto },
	{ "folded", "stacks of running threads, a line each with the samples: flame graphs", SCOPE_EXPORT_STREAM, false,
	  scope_export_folded },
	{ "folded-off", "stacks of sleeping threads, a line each with microseconds", SCOPE_EXPORT_STREAM, false,
	  scope_export_folded_off },
	{ "folded-probe", "stacks at probes, a line each with the visits", SCOPE_EXPORT_STREAM, false,
	  scope_export_folded_probe },
	{ "sqlite", "a database: threads, calls, waits, stacks, probes, delays", SCOPE_EXPORT_FILE, true,
	  scope_export_sqlite },
	{ "script", "text as perf script prints it, for what reads that", SCOPE_EXPORT_STREAM, false,
	  scope_export_script },
	{ 0 },
};

const struct scope_export_format *scope_export_find(const char *name)
{
	for (const struct scope_export_format *row = scope_export_formats; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}
