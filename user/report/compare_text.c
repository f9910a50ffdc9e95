// SPDX-License-Identifier: GPL-2.0-only
/* The comparison of two reports as text. */
#include "report/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "rank/rank.h"
#include "report/numbers.h"

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* Names in a report from another host may have any bytes. */
static void put(FILE *out, const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));
	char *plain = scope_plain_copy(value && value[0] ? value : "?", SCOPE_PLAIN_SENTENCE);

	fputs(plain ? plain : "?", out);
	free(plain);
}

/* "0.75 % (0.65 to 0.87 %)" */
static void put_share(FILE *out, const json_t *share)
{
	fprintf(out, "%.2g %% (%.2g to %.2g %%)", 100 * number(share, "share"), 100 * number(share, "low"),
		100 * number(share, "high"));
}

static void put_side(FILE *out, const char *name, const char *path, const json_t *side)
{
	const bool requests = json_is_true(json_object_get(side, "requests"));
	const json_t *interval = json_object_get(side, "per_s_interval");
	struct scope_text count, rate, length;

	fprintf(out, "%s  %s: ", name, path);
	put(out, side, "verdict");
	fprintf(out, ", %s %s in %s, %s a second", scope_report_format_count(&count, (uint64_t)number(side, "units")),
		requests ? "requests" : "units of work",
		scope_report_format_window(&length, (uint64_t)(1e9 * number(side, "seconds"))),
		scope_report_format_count(&rate, (uint64_t)(number(side, "per_s") + 0.5)));
	if (json_is_array(interval))
		fprintf(out, " (%s to %s)",
			scope_report_format_count(&count,
						  (uint64_t)(json_number_value(json_array_get(interval, 0)) + 0.5)),
			scope_report_format_count(&rate,
						  (uint64_t)(json_number_value(json_array_get(interval, 1)) + 0.5)));
	fputs("\n        slow ", out);
	put_share(out, json_object_get(side, "slow"));
	fputc('\n', out);
}

/* "in 0.75 % (0.65 to 0.87 %), 4.8 ms instead of 0.11 ms", or "1 thread for 63.0 s" */
static void put_finding(FILE *out, const char *label, const json_t *finding)
{
	struct scope_text slow, usual;
	const double threads = number(finding, "threads");

	if (!json_is_object(finding))
		return;
	fprintf(out, "            %-7s ", label);
	if (threads > 0) {
		fprintf(out, "%.0f thread%s for %s\n", threads, threads > 1 ? "s" : "",
			scope_report_format_ns(&slow, number(finding, "age_ns")));
		return;
	}
	fputs("in ", out);
	put_share(out, json_object_get(finding, "in"));
	fprintf(out, ", %s instead of %s\n", scope_report_format_ns(&slow, number(finding, "p50_ns")),
		scope_report_format_ns(&usual, number(finding, "usual_ns")));
}

/* Prints the effect of the function on requests; for a report of another version the word in it. */
static void put_kind(FILE *out, const json_t *function)
{
	static const char *const does[SCOPE_FINDING_KINDS] = {
		[SCOPE_FINDING_TIME] = "runs longer",
		[SCOPE_FINDING_CALLS] = "makes more calls",
		[SCOPE_FINDING_WAIT] = "waits longer",
		[SCOPE_FINDING_LOCK] = "holds a lock",
		[SCOPE_FINDING_LATE] = "makes others wait",
		[SCOPE_FINDING_HANG] = "hangs",
		[SCOPE_FINDING_SPIN] = "spins",
	};
	const char *kind = json_string_value(json_object_get(function, "kind"));

	fputs(", ", out);
	for (size_t i = 0; kind && i < SCOPE_FINDING_KINDS; i++)
		if (does[i] && !strcmp(scope_rank_kind_name[i], kind)) {
			fputs(does[i], out);
			return;
		}
	put(out, function, "kind");
}

/* Prints "0.10 ms (0.10 to 0.11 ms)"; for a function that this report does not list, "less than 0.10 ms". */
static void put_time(FILE *out, const json_t *time)
{
	struct scope_text ns, low, high;

	scope_report_format_ns(&ns, number(time, "ns"));
	scope_report_format_ns(&low, number(time, "low"));
	scope_report_format_ns(&high, number(time, "high"));
	if (number(time, "ns") > 0)
		fprintf(out, "%s (%s to %s)", ns.text, low.text, high.text);
	else
		fprintf(out, "less than %s", high.text);
}

/* Both sides of a time that changed. */
static void put_times(FILE *out, const json_t *before, const json_t *after, const char *format)
{
	const json_t *const side[] = { before, after };

	for (int i = 0; i < 2; i++) {
		fprintf(out, "            %s%s", i ? "after   " : "before  ", format);
		put_time(out, side[i]);
		fputc('\n', out);
	}
}

static void put_median(FILE *out, const json_t *found)
{
	const json_t *before = json_object_get(found, "before"), *after = json_object_get(found, "after");
	const char *change = json_string_value(json_object_get(found, "time"));

	if (!strcmp(change, "same"))
		return;
	fprintf(out, "  %-8s  %s take %s\n", change,
		json_is_true(json_object_get(after, "requests")) ? "requests" : "units of work",
		!strcmp(change, "worse") ? "longer" : "less time");
	put_times(out, json_object_get(before, "median"), json_object_get(after, "median"), "half take up to ");
}

static void put_usual(FILE *out, const json_t *usual)
{
	for (size_t i = 0; i < json_array_size(usual); i++) {
		const json_t *function = json_array_get(usual, i);

		fprintf(out, "  %-8s  ", json_string_value(json_object_get(function, "change")));
		put(out, function, "function");
		fputs(" in ", out);
		put(out, function, "module");
		fputs(", in each usual request\n", out);
		put_times(out, json_object_get(function, "before"), json_object_get(function, "after"), "");
	}
}

static double item(const json_t *list, size_t i)
{
	return json_number_value(json_array_get(list, i));
}

static void put_pair(FILE *out, const char *what, const json_t *pair)
{
	fprintf(out, "%s %.0f → %.0f %%", what, 100 * item(pair, 0), 100 * item(pair, 1));
}

/* "runs 54 → 73 % (+19 ±4)": points, with their interval */
static void put_change(FILE *out, const char *what, const json_t *group, const char *key)
{
	const json_t *change = json_object_get(json_object_get(group, "change"), key);
	const double low = 100 * item(change, 0), high = 100 * item(change, 1);

	put_pair(out, what, json_object_get(group, key));
	if (json_is_array(change))
		fprintf(out, " (%+.0f ±%.0f)", (low + high) / 2, (high - low) / 2);
}

/* " (futex 1 → 40 %, network 80 → 41 %)" */
static void put_waits(FILE *out, json_t *waits)
{
	const char *name, *before = " (";
	json_t *pair;

	json_object_foreach(waits, name, pair) {
		char *plain = scope_plain_copy(name, SCOPE_PLAIN_SENTENCE);

		fputs(before, out);
		put_pair(out, plain ? plain : "?", pair);
		before = ", ";
		free(plain);
	}
	if (json_object_size(waits))
		fputc(')', out);
}

void scope_report_compare_print(const json_t *found, const char *const *path, FILE *out)
{
	const json_t *functions = json_object_get(found, "functions"), *groups = json_object_get(found, "groups");
	const json_t *usual = json_object_get(found, "usual");
	const char *time = json_string_value(json_object_get(found, "time"));

	fprintf(out, "%s, by more than %.0f %%", json_is_true(json_object_get(found, "worse")) ? "WORSE" : "NOT WORSE",
		100 * number(found, "threshold"));
	if (number(found, "time_threshold") != number(found, "threshold"))
		fprintf(out, " (times of all requests: %.0f %%)", 100 * number(found, "time_threshold"));
	fputs(" and beyond 95 % intervals\n\n", out);
	put_side(out, "before", path[0], json_object_get(found, "before"));
	put_side(out, "after ", path[1], json_object_get(found, "after"));
	if (json_array_size(functions) || json_array_size(usual) || strcmp(time, "same"))
		fputc('\n', out);
	put_median(out, found);
	for (size_t i = 0; i < json_array_size(functions); i++) {
		const json_t *function = json_array_get(functions, i);

		fprintf(out, "  %-8s  ", json_string_value(json_object_get(function, "change")));
		put(out, function, "function");
		fputs(" in ", out);
		put(out, function, "module");
		put_kind(out, function);
		fputc('\n', out);
		put_finding(out, "before", json_object_get(function, "before"));
		put_finding(out, "after", json_object_get(function, "after"));
	}
	put_usual(out, usual);
	if (json_array_size(groups))
		fputs("\n  time of threads\n", out);
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *group = json_array_get(groups, i);

		fputs("            ", out);
		put(out, group, "name");
		put_change(out, ": runs", group, "run");
		put_change(out, ", waits for a CPU", group, "queue");
		put_change(out, ", asleep", group, "asleep");
		put_waits(out, json_object_get(group, "waits"));
		fputc('\n', out);
	}
}
