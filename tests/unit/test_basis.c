// SPDX-License-Identifier: GPL-2.0-only
/* The basis of a report has the options that were used, in text and in JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/json.h"
#include "report/text.h"
#include "trace_of.h"

static struct scope_analysis *analysis_of(struct scope_trace *trace)
{
	struct scope_analysis_options options;
	struct scope_analysis *analysis;

	scope_analysis_options_init(&options);
	options.detect.times_min = 6;
	options.detect.cluster.linkage = SCOPE_LINKAGE_SINGLE;
	options.rank.units_min = 17;
	options.rank.odds_alone = 23;
	assert_int_equal(scope_analysis_run(trace, &options, &analysis), 0);
	return analysis;
}

static struct scope_trace *make_trace(void)
{
	struct scope_trace *trace;
	size_t bytes;
	char *text;
	FILE *to = open_memstream(&text, &bytes);

	assert_non_null(to);
	fprintf(to,
		"meta begin_ns 1\nmeta stacks_skipped 41\nmeta tables_refused 3\nmeta maps_refused 1\nfd 1 7 accepted -\n"
		"1 0 fork 10 parent=1 tgid=1 comm=worker\n1 0 switch 0 10 sleeping\n");
	for (uint64_t at = 1000; at < 1000000; at += 10000)
		fprintf(to, "%ju 0 syscall 10 read enter=%ju ret=8 args=7\n", (uintmax_t)at + 3000, (uintmax_t)at);
	assert_int_equal(fclose(to), 0);
	trace = trace_of(text);
	free(text);
	return trace;
}

/* One line, a blank between words. */
static char *text_of(const struct scope_analysis *analysis)
{
	const struct scope_report_style style = { .verbose = true, .details = 3 };
	size_t bytes, used = 0;
	char *text;
	FILE *to = open_memstream(&text, &bytes);

	assert_non_null(to);
	assert_int_equal(scope_report_text(analysis, &style, to), 0);
	assert_int_equal(fclose(to), 0);
	for (size_t i = 0; i < bytes; i++) {
		const char next = text[i] == '\n' ? ' ' : text[i];

		if (next != ' ' || (used && text[used - 1] != ' '))
			text[used++] = next;
	}
	text[used] = '\0';
	return text;
}

static json_t *json_of(const struct scope_analysis *analysis)
{
	size_t bytes;
	char *text;
	FILE *to = open_memstream(&text, &bytes);
	json_t *json;

	assert_non_null(to);
	assert_int_equal(scope_report_json(analysis, &(struct scope_report_style){ 0 }, to), 0);
	assert_int_equal(fclose(to), 0);
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	free(text);
	return json;
}

static void the_text_states_them(void **state)
{
	struct scope_trace *trace = make_trace();
	struct scope_analysis *analysis = analysis_of(trace);
	char *text = text_of(analysis);

	(void)state;
	assert_non_null(strstr(text, "and 6 times the median"));
	assert_non_null(strstr(text, "of busy time, 17 slow ones, 2 s or 20 % of the window"));
	assert_non_null(strstr(text, "(or odds ×23)"));
	assert_non_null(strstr(text, "by single clustering"));
	assert_non_null(strstr(text, "41 not taken (limit per second)"));
	assert_non_null(strstr(text, "no room for 3 unwind tables, and 1 time for the mappings of a process"));
	free(text);
	scope_analysis_destroy(analysis);
	scope_trace_close(trace);
}

static void the_json_states_them(void **state)
{
	struct scope_trace *trace = make_trace();
	struct scope_analysis *analysis = analysis_of(trace);
	json_t *json = json_of(analysis), *basis = json_object_get(json, "basis"), *rule;

	(void)state;
	rule = json_object_get(basis, "rule");
	assert_true(json_number_value(json_object_get(rule, "median_times")) == 6);
	assert_int_equal(json_integer_value(json_object_get(rule, "units_min")), 17);
	assert_true(json_number_value(json_object_get(rule, "odds_alone")) == 23);
	assert_string_equal(json_string_value(json_object_get(rule, "linkage")), "single");
	assert_int_equal(json_integer_value(json_object_get(basis, "stacks_skipped")), 41);
	assert_true(json_is_null(json_object_get(basis, "baseline")));
	assert_true(json_is_null(json_object_get(basis, "signatures")));
	json_decref(json);
	scope_analysis_destroy(analysis);
	scope_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_states_them),
		cmocka_unit_test(the_json_states_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
