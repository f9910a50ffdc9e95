// SPDX-License-Identifier: GPL-2.0-only
/* The output of scope status as OpenMetrics, for a collector that reads files. */
#include "report/status_openmetrics.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* For each session: a field of the document, and how it is exposed. */
static const struct {
	const char *field, *name, *unit; /* unit: the end of the name, "" without one */
	const char *text;
	bool counter;
	double times; /* factor from the field to the unit */
} rows[] = {
	{ "events", "scope_session_events", "", "events recorded", true, 1 },
	{ "lost", "scope_session_lost_events", "", "events lost", true, 1 },
	{ "overwritten", "scope_session_overwritten_events", "", "events overwritten by newer ones, in flight mode",
	  true, 1 },
	{ "stacks", "scope_session_stacks", "", "stacks taken", true, 1 },
	{ "stacks_skipped", "scope_session_skipped_stacks", "", "stacks over the limit", true, 1 },
	{ "run_ns", "scope_session_run_seconds", "seconds", "how long it has run", true, 1e-9 },
	{ "memory_bytes", "scope_session_memory_bytes", "bytes", "memory of its rings", false, 1 },
	{ "processes", "scope_session_processes", "", "processes that it traces", false, 1 },
	{ "probe_share", "scope_session_probe_ratio", "ratio", "of one CPU, what its probes take now", false, 1 },
};

static void print_head(const char *name, const char *type, const char *unit, const char *text, FILE *out)
{
	fprintf(out, "# TYPE %s %s\n", name, type);
	if (*unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
	fprintf(out, "# HELP %s %s\n", name, text);
}

static void print_gauge(const char *name, const char *text, double value, FILE *out)
{
	print_head(name, "gauge", "", text, out);
	fprintf(out, "%s %.16g\n", name, value);
}

/* A session without a value (such as a share of a session that does not run) has no sample. */
static void print_row(size_t row, const json_t *sessions, FILE *out)
{
	print_head(rows[row].name, rows[row].counter ? "counter" : "gauge", rows[row].unit, rows[row].text, out);
	for (size_t i = 0; i < json_array_size(sessions); i++) {
		const json_t *session = json_array_get(sessions, i), *value = json_object_get(session, rows[row].field);

		if (json_is_number(value))
			fprintf(out, "%s%s{session=\"%" JSON_INTEGER_FORMAT "\"} %.16g\n", rows[row].name,
				rows[row].counter ? "_total" : "",
				json_integer_value(json_object_get(session, "session")),
				rows[row].times * json_number_value(value));
	}
}

static size_t running(const json_t *sessions)
{
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(sessions); i++) {
		const char *state = json_string_value(json_object_get(json_array_get(sessions, i), "state"));

		count += state && !strcmp(state, "running");
	}
	return count;
}

int scope_report_status_openmetrics(const json_t *document, FILE *out)
{
	const json_t *sessions = json_object_get(document, "sessions");

	print_gauge("scope_module_loaded", "1 where the module is there and can be used",
		    json_is_object(json_object_get(document, "module")), out);
	print_gauge("scope_sessions_running", "sessions of the module that record", (double)running(sessions), out);
	print_gauge("scope_recorders", "flight recorders that let this user in",
		    (double)json_array_size(json_object_get(document, "recorders")), out);
	for (size_t i = 0; json_array_size(sessions) && i < sizeof(rows) / sizeof(*rows); i++)
		print_row(i, sessions, out);
	fputs("# EOF\n", out);
	return ferror(out) ? -EIO : 0;
}
