// SPDX-License-Identifier: GPL-2.0-only
/* Compares two reports. */
#include "report/compare.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define Z95 1.96
#define POINTS 0.05 /* of a group's time: a share that changes by less is not listed */

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

/*
 * The 95 % interval of a share that was seen in `seen` of n (E. B. Wilson, JASA 22(158), 1927). n
 * 0: 0 to 1.
 */
static void interval(double seen, double n, double *ret_low, double *ret_high)
{
	const double p = n > 0 ? seen / n : 0, over = 1 + Z95 * Z95 / n;
	const double half = Z95 * sqrt(p * (1 - p) / n + Z95 * Z95 / (4 * n * n));

	*ret_low = n > 0 ? fmax(0, (p + Z95 * Z95 / (2 * n) - half) / over) : 0;
	*ret_high = n > 0 ? fmin(1, (p + Z95 * Z95 / (2 * n) + half) / over) : 1;
}

/* The key of the requests, or of all units if there are no requests. */
static const char *unit_key(const json_t *report)
{
	return number(json_object_get(report, "basis"), "requests") > 0 ? "requests" : "units";
}

static double all_units(const json_t *report)
{
	return number(json_object_get(report, "basis"), unit_key(report));
}

static json_t *make_share(double seen, double n)
{
	double low, high;

	interval(seen, n, &low, &high);
	return json_pack("{s:f, s:f, s:f}", "share", n > 0 ? seen / n : 0, "low", low, "high", high);
}

/* The summary of one of the two reports. */
static json_t *make_side(const json_t *report)
{
	const json_t *basis = json_object_get(report, "basis"), *trace = json_object_get(report, "trace");
	const double seconds = (number(trace, "end_ns") - number(trace, "begin_ns")) / 1e9, all = all_units(report);
	const bool requests = !strcmp(unit_key(report), "requests");

	return json_pack("{s:s, s:f, s:b, s:f, s:f, s:o}", "verdict", text(report, "verdict"), "seconds", seconds,
			 "requests", requests, "units", all, "per_s", seconds > 0 ? all / seconds : 0, "slow",
			 make_share(number(basis, requests ? "slow_requests" : "slow_units"), all));
}

/* True if one share is larger than the other by more than both intervals and the threshold. */
static bool beyond(const json_t *one, const json_t *other, double threshold)
{
	return number(one, "low") > number(other, "high") &&
	       number(one, "share") > number(other, "share") * (1 + threshold);
}

static const char *function_of(const json_t *finding, const char *key)
{
	return text(json_object_get(finding, "function"), key);
}

static bool is_stuck(const json_t *finding)
{
	const char *kind = text(finding, "kind");

	return !strcmp(kind, "hang") || !strcmp(kind, "spin");
}

/* The same function, hung or slow in both. */
static const json_t *find(const json_t *report, const json_t *finding)
{
	const json_t *findings = json_object_get(report, "findings");

	for (size_t i = 0; i < json_array_size(findings); i++) {
		const json_t *one = json_array_get(findings, i);

		if (!strcmp(function_of(one, "name"), function_of(finding, "name")) &&
		    !strcmp(function_of(one, "module"), function_of(finding, "module")) &&
		    is_stuck(one) == is_stuck(finding))
			return one;
	}
	return NULL;
}

/* A finding on one side; null if it is not one there. */
static json_t *make_finding(const json_t *finding, double all)
{
	if (!finding)
		return json_null();
	if (is_stuck(finding))
		return json_pack("{s:f, s:f}", "threads", number(finding, "threads"), "age_ns",
				 number(finding, "age_ns"));
	return json_pack("{s:f, s:o, s:f, s:f, s:f}", "units", number(finding, "units"), "in",
			 make_share(number(finding, "units"), all), "usual_ns", number(finding, "usual_ns"), "p50_ns",
			 number(finding, "p50_ns"), "p99_ns", number(finding, "p99_ns"));
}

/* Both are findings: compares the number of its units, or how long these take. */
static const char *change_of(const json_t *one, const json_t *other, double threshold)
{
	const json_t *in = json_object_get(one, "in"), *in_other = json_object_get(other, "in");

	if (!in)
		return number(other, "threads") > number(one, "threads")   ? "worse"
		       : number(other, "threads") < number(one, "threads") ? "better"
									   : "same";
	if (beyond(in_other, in, threshold) || number(other, "p50_ns") > number(one, "p50_ns") * (1 + threshold))
		return "worse";
	if (beyond(in, in_other, threshold) || number(one, "p50_ns") > number(other, "p50_ns") * (1 + threshold))
		return "better";
	return "same";
}

static json_t *make_function(const json_t *finding, const json_t *before, const json_t *after, const char *change)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:O, s:O}", "change", change, "function", function_of(finding, "name"),
			 "module", function_of(finding, "module"), "kind", text(finding, "kind"), "before", before,
			 "after", after);
}

/*
 * First the functions of the second report in its order, then those that are gone. *ret_worse: one of them is new or
 * worse.
 */
static json_t *make_functions(const json_t *before, const json_t *after, double threshold, bool *ret_worse)
{
	const json_t *new_ones = json_object_get(after, "findings"), *old_ones = json_object_get(before, "findings");
	json_t *functions = json_array();

	*ret_worse = false;
	for (size_t i = 0; i < json_array_size(new_ones); i++) {
		const json_t *finding = json_array_get(new_ones, i), *old = find(before, finding);
		json_t *a = make_finding(old, all_units(before)), *b = make_finding(finding, all_units(after));
		const char *change = old ? change_of(a, b, threshold) : "new";

		*ret_worse = *ret_worse || !strcmp(change, "new") || !strcmp(change, "worse");
		json_array_append_new(functions, make_function(finding, a, b, change));
		json_decref(a);
		json_decref(b);
	}
	for (size_t i = 0; i < json_array_size(old_ones); i++) {
		const json_t *finding = json_array_get(old_ones, i);
		json_t *a, *b;

		if (find(after, finding))
			continue;
		a = make_finding(finding, all_units(before));
		b = json_null();
		json_array_append_new(functions, make_function(finding, a, b, "gone"));
		json_decref(a);
	}
	return functions;
}

static double part_of(const json_t *group, const char *key)
{
	const double wall = number(group, "wall_ns");

	return wall > 0 ? number(group, key) / wall : 0;
}

static double asleep(const json_t *group)
{
	return fmax(0, 1 - part_of(group, "run_ns") - part_of(group, "queue_ns") - part_of(group, "unexplained_ns"));
}

/* Threads of one name on both sides whose time is distributed differently. */
static json_t *make_groups(const json_t *before, const json_t *after)
{
	const json_t *ones = json_object_get(before, "groups"), *others = json_object_get(after, "groups");
	json_t *groups = json_array();

	for (size_t i = 0; i < json_array_size(others); i++) {
		const json_t *other = json_array_get(others, i), *one = NULL;

		for (size_t j = 0; j < json_array_size(ones) && !one; j++)
			if (!strcmp(text(json_array_get(ones, j), "name"), text(other, "name")))
				one = json_array_get(ones, j);
		if (!one || (fabs(part_of(one, "run_ns") - part_of(other, "run_ns")) < POINTS &&
			     fabs(part_of(one, "queue_ns") - part_of(other, "queue_ns")) < POINTS))
			continue;
		json_array_append_new(groups,
				      json_pack("{s:s, s:[f, f], s:[f, f], s:[f, f]}", "name", text(other, "name"),
						"run", part_of(one, "run_ns"), part_of(other, "run_ns"), "queue",
						part_of(one, "queue_ns"), part_of(other, "queue_ns"), "asleep",
						asleep(one), asleep(other)));
	}
	return groups;
}

json_t *scope_report_compare(const json_t *before, const json_t *after, double threshold)
{
	json_t *one = make_side(before), *other = make_side(after), *functions;
	bool worse, slower;

	functions = make_functions(before, after, threshold, &worse);
	slower = beyond(json_object_get(other, "slow"), json_object_get(one, "slow"), threshold);
	return json_pack("{s:b, s:f, s:b, s:o, s:o, s:o, s:o}", "worse", worse || slower, "threshold", threshold,
			 "slower", slower, "before", one, "after", other, "functions", functions, "groups",
			 make_groups(before, after));
}
