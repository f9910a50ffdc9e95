// SPDX-License-Identifier: GPL-2.0-only
/* Says what a runtime, or the tool that recorded a trace, needs to name functions. */
#include "analysis/names_need.h"

#include <stdio.h>
#include <string.h>

#include "symbol/runtime.h"

const char *scope_analysis_names_need(const struct scope_trace *trace, char *text, size_t size, bool *compiles)
{
	size_t count;
	const struct scope_trace_map *map = scope_trace_maps(trace, &count);
	const struct scope_runtime *runtime = scope_symbol_runtime_of_maps(map, count, 0);
	const char *source = scope_trace_meta(trace, SCOPE_META_SOURCE);

	if (compiles)
		*compiles = runtime && runtime->map && !runtime->named;
	if (runtime) {
		const int used = snprintf(text, size, "it runs %s: ", runtime->name);

		snprintf(text + used, size - used, runtime->needs,
			 (unsigned)scope_trace_meta_number(trace, SCOPE_META_PID, 0));
		return text;
	}
	if (!count && source && strcmp(source, "kmod") && strcmp(source, "perf") && strcmp(source, "text"))
		return "they are as the other tool took them: record there with --call-graph dwarf, or build the "
		       "program with -fno-omit-frame-pointer";
	return NULL;
}
