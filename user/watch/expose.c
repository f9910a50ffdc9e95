// SPDX-License-Identifier: GPL-2.0-only
/* The state of a watch as OpenMetrics. */
#include "watch/expose.h"

#include <stdio.h>
#include <stdlib.h>

static void put(FILE *out, const char *name, const char *type, const char *help, double value)
{
	fprintf(out, "# TYPE scope_watch_%s %s\n# HELP scope_watch_%s %s\nscope_watch_%s%s %.16g\n", name, type, name,
		help, name, *type == 'c' ? "_total" : "", value);
}

static void put_all(const struct scope_watch_state *state, const struct scope_watch_counts *counts, FILE *out)
{
	put(out, "running", "gauge", "1 where the target is captured now", state->running);
	put(out, "captures", "counter", "captures begun: one, and one for each restart", (double)state->captures);
	put(out, "incidents", "counter", "incidents", (double)counts->incidents);
	put(out, "known", "counter", "findings that were known", (double)counts->known);
	put(out, "held_back", "counter", "findings that had to wait before they were an incident",
	    (double)counts->held);
	put(out, "unwritten", "counter", "of these, those that ended before", (double)counts->unwritten);
	put(out, "findings", "gauge", "findings that go on, or ended shortly before", (double)state->current);
	put(out, "judgements", "counter", "analyses of what is held", (double)state->judgements);
	put(out, "judgement_failures", "counter", "analyses that failed", (double)state->failures);
	put(out, "judgement_cpu_seconds", "counter", "CPU time of analyses", (double)state->judge_ns / 1e9);
	put(out, "suspicions", "counter", "seconds in which the target departed from its last minute",
	    (double)state->suspicions);
	put(out, "events", "gauge", "events of this capture", (double)state->events);
	put(out, "lost_events", "gauge", "events of this capture that were lost", (double)state->lost);
	put(out, "held_seconds", "gauge", "what the flight recorder holds", state->held_s);
	put(out, "held_bytes", "gauge", "memory of the flight recorder in use", (double)state->held_bytes);
	fputs("# EOF\n", out);
}

void scope_watch_expose(const struct scope_watch_state *state, const struct scope_watch_counts *counts,
			struct scope_http *http)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return;
	put_all(state, counts, out);
	if (!fclose(out))
		scope_export_http_set(http, text, bytes);
	free(text);
}
