// SPDX-License-Identifier: GPL-2.0-only
/*
 * The OpenMetrics of scope status: the figures of each session under its number, in base units, without unknown values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/status_openmetrics.h"

static char *expose(const char *document)
{
	json_t *json = json_loads(document, 0, NULL);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(json);
	assert_int_equal(scope_report_status_openmetrics(json, out), 0);
	fclose(out);
	json_decref(json);
	return text;
}

static void without_a_module(void **state)
{
	char *text = expose("{\"module\": null, \"sessions\": [], \"recorders\": [{\"pid\": 7}]}");

	(void)state;
	assert_string_equal(text, "# TYPE scope_module_loaded gauge\n"
				  "# HELP scope_module_loaded 1 where the module is there and can be used\n"
				  "scope_module_loaded 0\n"
				  "# TYPE scope_sessions_running gauge\n"
				  "# HELP scope_sessions_running sessions of the module that record\n"
				  "scope_sessions_running 0\n"
				  "# TYPE scope_recorders gauge\n"
				  "# HELP scope_recorders flight recorders that let this user in\n"
				  "scope_recorders 1\n"
				  "# EOF\n");
	free(text);
}

static void has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no %s in %s", line, text);
}

static void two_sessions(void **state)
{
	char *text =
		expose("{\"module\": {}, \"recorders\": [], \"sessions\": ["
		       "{\"session\": 3, \"state\": \"running\", \"run_ns\": 2500000000, \"events\": 9007199254740991,"
		       " \"lost\": 5, \"memory_bytes\": 4194304, \"processes\": 2, \"probe_share\": 0.0125},"
		       "{\"session\": 4, \"state\": \"stopped\", \"run_ns\": 0, \"events\": 0, \"lost\": 0,"
		       " \"memory_bytes\": 1, \"processes\": 0, \"probe_share\": null}]}");

	(void)state;
	has(text, "\nscope_module_loaded 1\n");
	has(text, "\nscope_sessions_running 1\n");
	has(text, "# TYPE scope_session_events counter\n");
	has(text, "\nscope_session_events_total{session=\"3\"} 9007199254740991\n");
	has(text, "\nscope_session_events_total{session=\"4\"} 0\n");
	has(text, "\nscope_session_lost_events_total{session=\"3\"} 5\n");
	has(text, "# UNIT scope_session_run_seconds seconds\n");
	has(text, "\nscope_session_run_seconds_total{session=\"3\"} 2.5\n");
	has(text, "\nscope_session_memory_bytes{session=\"3\"} 4194304\n");
	has(text, "\nscope_session_probe_ratio{session=\"3\"} 0.0125\n");
	assert_null(strstr(text, "scope_session_probe_ratio{session=\"4\"}"));
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_module),
		cmocka_unit_test(two_sessions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
