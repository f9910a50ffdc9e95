// SPDX-License-Identifier: GPL-2.0-only
/* Profiles of Coz are read, written and read again; and the other forms of a result. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "causal/coz.h"
#include "report/delay_report.h"

static int read_text(const char *text, const char *point, struct scope_error *error,
		     struct scope_coz_profile *ret_profile)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	int code;

	assert_non_null(in);
	code = scope_causal_coz_read(in, point, error, ret_profile);
	fclose(in);
	return code;
}

static const char old_spelling[] =
	"startup\ttime=1427398799607767367\n"
	"experiment\tselected=a.c:5\tspeedup=0.00\tduration=500\tselected-samples=0\n"
	"progress-point\tname=main.c:7\ttype=source\tdelta=1856\n"
	"experiment\tselected=b.c:6\tspeedup=0.15\tduration=18446744073697732656\tselected-samples=1\n"
	"progress-point\tname=main.c:7\ttype=source\tdelta=4\n"
	"experiment\tselected=b.c:6\tspeedup=0.15\tduration=400\tselected-samples=1\n"
	"progress-point\tname=other\ttype=source\tdelta=1\n"
	"progress-point\tname=main.c:7\ttype=source\tdelta=9\n"
	"samples\tlocation=a.c:5\tcount=14\nruntime\ttime=9\nshutdown\ttime=1\n";

static const char new_spelling[] =
	"{\"type\":\"startup\",\"time\":1}\n"
	"{\"type\":\"experiment\",\"selected\":\"a.c:5\",\"speedup\":0,\"duration\":500,\"selected_samples\":0}\n"
	"{\"type\":\"throughput-point\",\"name\":\"main.c:7\",\"delta\":1856}\n"
	"{\"type\":\"experiment\",\"selected\":\"b.c:6\",\"speedup\":0.15,\"duration\":400,\"selected_samples\":1}\n"
	"{\"type\":\"throughput_point\",\"name\":\"main.c:7\",\"delta\":9}\n"
	"{\"type\":\"latency-point\",\"name\":\"main.c:7\",\"arrivals\":9,\"departures\":9,\"difference\":3}\n";

static void reads_both_spellings(void **state)
{
	struct scope_coz_profile old, new;
	struct scope_error error = { "" };

	(void)state;
	assert_int_equal(read_text(old_spelling, NULL, &error, &old), 0);
	assert_int_equal(read_text(new_spelling, NULL, &error, &new), 0);
	assert_int_equal(old.count, 2);
	assert_int_equal(old.skipped, 1);
	assert_int_equal(old.sites, 2);
	assert_string_equal(old.site[1], "b.c:6");
	assert_string_equal(old.point, "main.c:7");
	assert_int_equal(old.experiment[1].progress, 9);
	assert_int_equal(old.experiment[1].elapsed_ns, 400);
	assert_true(old.experiment[1].value == 0.15);
	assert_int_equal(new.count, 2);
	assert_true(new.experiment[1].in_flight == 3);
	new.experiment[1].in_flight = 0;
	assert_memory_equal(old.experiment, new.experiment, 2 * sizeof(*old.experiment));
	scope_causal_coz_free(&old);
	scope_causal_coz_free(&new);
	assert_int_equal(read_text(old_spelling, "other", &error, &old), 0);
	assert_int_equal(old.count, 1);
	assert_int_equal(old.experiment[0].progress, 1);
	scope_causal_coz_free(&old);
}

static void leaves_out_what_cannot_be_in_flight(void **state)
{
	static const char text[] = "experiment\tselected=a.c:5\tspeedup=0.00\tduration=500\tselected-samples=0\n"
				   "latency-point\tname=p\tarrivals=5\tdepartures=4\tdifference=94713859378156\n"
				   "experiment\tselected=a.c:5\tspeedup=0.00\tduration=500\tselected-samples=0\n"
				   "latency-point\tname=p\tarrivals=5\tdepartures=4\tdifference=2\n";
	struct scope_coz_profile profile;
	struct scope_error error = { "" };

	(void)state;
	assert_int_equal(read_text(text, NULL, &error, &profile), 0);
	assert_int_equal(profile.count, 2);
	assert_true(profile.experiment[0].in_flight == 0);
	assert_int_equal(profile.experiment[0].progress, 4);
	assert_true(profile.experiment[1].in_flight == 2);
	scope_causal_coz_free(&profile);
}

static void refuses_what_is_none(void **state)
{
	static const struct {
		const char *text;
		int code;
	} rows[] = {
		{ "experiment\tselected=a\tspeedup=2\tduration=5\n", -EBADMSG },
		{ "experiment\tselected=a\tspeedup=x\tduration=5\n", -EBADMSG },
		{ "experiment\tspeedup=0\tduration=5\n", -EBADMSG },
		{ "throughput-point\tdelta=5\n", -EBADMSG },
		{ "{\"type\":\"experiment\"\n", -EBADMSG },
		{ "{\"selected\":\"a\"}\n", -EBADMSG },
		{ "[1]\n", -ENODATA },
		{ "throughput-point\tname=p\tdelta=5\n", -ENODATA },
	};
	struct scope_coz_profile profile;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scope_error error = { "" };

		assert_int_equal(read_text(rows[i].text, NULL, &error, &profile), rows[i].code);
		assert_true(error.text[0]);
	}
}

#define COUNT 24

static unsigned count_of(const char *text, const char *word)
{
	unsigned count = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		count++;
	}
	return count;
}

/* A site on the critical path and one off it; names that a file format could trip over. */
static const char *const names[] = { "function:a<b>&\"c\"", "syscall:write" };
static struct scope_experiment experiments[COUNT * 2];

static struct scope_causal_result make_result(enum scope_causal_kind kind)
{
	struct scope_causal_result result = {
		.kind = kind,
		.program = "prog",
		.pid = 7,
		.kernel = "6.1",
		.seed = 3,
		.progress = "request",
		.site = names,
		.sites = 2,
		.experiment = experiments,
		.count = COUNT * 2,
		.planned = COUNT * 2,
		.ended = "",
	};

	for (uint32_t i = 0; i < COUNT * 2; i++) {
		const double step = i / 2 % 4, slope = i % 2 ? 0 : 1;
		const double jitter = 1 + 0.01 * (double)(i * 7 % 11);
		const bool delays = kind == SCOPE_CAUSAL_SENSITIVITY;
		const double period = (delays ? 1e6 + slope * step * 1e6 : 1e6 - slope * step * 1e5) * jitter;

		experiments[i] = (struct scope_experiment){
			.site = i % 2,
			.value = delays ? step * 1e6 : step / 10,
			.elapsed_ns = 1000000000,
			.progress = (uint64_t)(1e9 / period),
			.visits = 1000,
		};
		experiments[i].served = delays && step > 0 ? experiments[i].progress : 0;
		experiments[i].served_ns = experiments[i].served * (uint64_t)(step * 1e6);
		experiments[i].asked_ns = experiments[i].served_ns;
	}
	assert_int_equal(scope_causal_result_compute(&result), 0);
	return result;
}

/* A profile written and read again has the speedups and counts that went in. */
static void round_trip(enum scope_causal_kind kind, bool json)
{
	struct scope_causal_result result = make_result(kind);
	struct scope_coz_profile profile;
	struct scope_error error;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(scope_causal_coz_write(&result, json, out), 0);
	fclose(out);
	assert_int_equal(text[0], json ? '{' : 's');
	assert_int_equal(read_text(text, "request", &error, &profile), 0);
	assert_int_equal(profile.count, result.count);
	for (size_t i = 0; i < profile.count; i++) {
		const double want = kind == SCOPE_CAUSAL_SPEEDUP ? experiments[i].value
								 : 1 - experiments[i].value / 3e6;

		assert_int_equal(profile.experiment[i].site, experiments[i].site);
		assert_int_equal(profile.experiment[i].progress, experiments[i].progress);
		assert_int_equal(profile.experiment[i].elapsed_ns, experiments[i].elapsed_ns);
		assert_true(fabs(profile.experiment[i].value - want) < 1e-4);
	}
	scope_causal_coz_free(&profile);
	scope_causal_result_free(&result);
	free(text);
}

static void survives_the_way_back(void **state)
{
	(void)state;
	round_trip(SCOPE_CAUSAL_SENSITIVITY, false);
	round_trip(SCOPE_CAUSAL_SENSITIVITY, true);
	round_trip(SCOPE_CAUSAL_SPEEDUP, false);
	round_trip(SCOPE_CAUSAL_SPEEDUP, true);
}

/*
 * What viewers keep: one kind of data for each name of a point (profile.ts of Coz adds to what it finds
 * under the name), so a latency has a name of its own, a line even where nothing is in flight, and is read
 * back.
 */
static void latency_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int json = 0; json < 2; json++) {
		struct scope_causal_result result = make_result(SCOPE_CAUSAL_SPEEDUP);
		struct scope_coz_profile profile;
		struct scope_error error;
		char *text = NULL;
		size_t bytes;
		FILE *out = open_memstream(&text, &bytes);

		for (size_t i = 0; i < COUNT * 2; i++)
			experiments[i].in_flight = i ? 2.25 : 0;
		assert_int_equal(scope_causal_coz_write(&result, json, out), 0);
		fclose(out);
		assert_int_equal(count_of(text, "latency-point"), COUNT * 2);
		assert_int_equal(count_of(text, json ? "\"request (latency)\"" : "name=request (latency)\t"),
				 COUNT * 2);
		assert_int_equal(count_of(text, json ? "\"request\"" : "name=request\t"), COUNT * 2);
		assert_int_equal(read_text(text, NULL, &error, &profile), 0);
		assert_int_equal(profile.count, COUNT * 2);
		assert_string_equal(profile.point, "request");
		assert_true(profile.experiment[0].in_flight == 0);
		assert_true(profile.experiment[1].in_flight == (json ? 2.25 : 2));
		scope_causal_coz_free(&profile);
		scope_causal_result_free(&result);
		free(text);
	}
}

static void json_says_what_was_computed(void **state)
{
	struct scope_causal_result result = make_result(SCOPE_CAUSAL_SENSITIVITY);
	json_t *all, *site;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_int_equal(scope_report_delay_json(&result, out), 0);
	fclose(out);
	all = json_loads(text, 0, NULL);
	assert_non_null(all);
	site = json_array_get(json_object_get(all, "sites"), 0);
	assert_string_equal(json_string_value(json_object_get(site, "site")), names[0]);
	assert_string_equal(json_string_value(json_object_get(site, "effect")), "strong");
	assert_true(fabs(json_real_value(json_object_get(json_object_get(site, "period"), "slope")) -
			 result.effect[0].fit.slope) < 1e-6);
	site = json_array_get(json_object_get(all, "sites"), 1);
	assert_string_equal(json_string_value(json_object_get(site, "effect")), "none");
	assert_int_equal(json_array_size(json_object_get(all, "experiments")), COUNT * 2);
	json_decref(all);
	scope_causal_result_free(&result);
	free(text);
}

/* Every point is drawn, and nothing of a name is markup. */
static void svg_has_all_points(void **state)
{
	struct scope_causal_result result = make_result(SCOPE_CAUSAL_SPEEDUP);
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_int_equal(scope_report_delay_svg(&result, out), 0);
	fclose(out);
	assert_int_equal(count_of(text, "<circle"), COUNT * 2);
	/* Of each speedup but 0, of which there are three, at each site. */
	assert_int_equal(count_of(text, "class=\"interval\""), 2 * 3);
	assert_null(strstr(text, "nan"));
	assert_int_equal(count_of(text, "a&lt;b&gt;&amp;&quot;c&quot;"), 1);
	assert_int_equal(count_of(text, "<g "), count_of(text, "</g>"));
	scope_causal_result_free(&result);
	free(text);
}

static void text_says_it_in_words(void **state)
{
	struct scope_causal_result result = make_result(SCOPE_CAUSAL_SENSITIVITY);
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	result.ended = "interrupted";
	result.planned = 100;
	assert_int_equal(scope_report_delay_text(&result, false, out), 0);
	fclose(out);
	assert_non_null(strstr(text, "Not all of the 100 experiments planned were made: interrupted."));
	assert_non_null(strstr(text, "it is on the critical path"));
	assert_non_null(strstr(text, "delays here do not come through"));
	assert_true(strstr(text, "strong") < strstr(text, "none"));
	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		assert_true(strcspn(line, "\n") < 130);
	scope_causal_result_free(&result);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_both_spellings),
		cmocka_unit_test(leaves_out_what_cannot_be_in_flight),
		cmocka_unit_test(refuses_what_is_none),
		cmocka_unit_test(survives_the_way_back),
		cmocka_unit_test(latency_has_a_name_of_its_own),
		cmocka_unit_test(json_says_what_was_computed),
		cmocka_unit_test(svg_has_all_points),
		cmocka_unit_test(text_says_it_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
