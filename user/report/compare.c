// SPDX-License-Identifier: GPL-2.0-only
/* Compares two reports. */
#include "report/compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rank/rank.h"

#define Z95 1.96
#define POINTS 0.05 /* share of a group's time: a share that changes by less is not listed */
#define PARTS_MIN                                                                                                      \
	6 /* parts of a trace: with 5 parts all medians are on one side of the true one in 2 of 32 cases, more than 5 % */
#define PARTS_MAX 10000 /* no rule; a report has 120 */
#define BATCHES 10	/* batches of neighbouring parts: neighbours are similar, so batches are counted */
#define T95 2.262	/* Student's t of 95 % with one degree of freedom less */

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

static int compare_numbers(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* A figure with its interval; the key of the figure is "ns". */
static json_t *make_time(double ns, double low, double high)
{
	return json_pack("{s:f, s:f, s:f}", "ns", ns, "low", low, "high", high);
}

/*
 * The median time of requests. Neighbours in time are similar, so parts of the trace are counted: the result is the
 * median of their medians, with the interval that contains the true median in 95 % of cases by order statistics.
 */
static json_t *make_median(const json_t *report)
{
	const json_t *strips = json_object_get(json_object_get(report, "pictures"), "strips");
	const json_t *points = json_object_get(strips, "points");
	const size_t count = json_array_size(points) < PARTS_MAX ? json_array_size(points) : PARTS_MAX;
	double *median = calloc(count + 1, sizeof(*median));
	size_t parts = 0, low;
	json_t *made = NULL;

	for (size_t i = 0; median && i < count; i++) {
		const json_t *point = json_array_get(points, i);

		if (json_number_value(json_array_get(point, 0)) > 0)
			median[parts++] = json_number_value(json_array_get(point, 2));
	}
	if (parts >= PARTS_MIN) {
		qsort(median, parts, sizeof(*median), compare_numbers);
		low = (size_t)fmax(0, floor(((double)parts - Z95 * sqrt((double)parts)) / 2) - 1);
		made = make_time(median[parts / 2], median[low], median[parts - 1 - low]);
	}
	free(median);
	return made ? made : json_null();
}

/* A mean with the half of its 95 % interval. */
struct mean {
	double mean, half;
	bool known;
};

/*
 * Uses the means of batches (A. M. Law, "Simulation Modeling and Analysis", section 9.5.3). Not known with fewer than
 * two parts for each batch.
 */
static struct mean batch_means(double (*value)(const json_t *parts, size_t i), const json_t *parts, size_t count)
{
	double mean[BATCHES] = { 0 }, sum = 0, squares = 0;
	const size_t size = count / BATCHES;

	if (size < 2)
		return (struct mean){ .known = false };
	for (size_t i = 0; i < BATCHES; i++) {
		for (size_t j = 0; j < size; j++)
			mean[i] += value(parts, i * size + j) / (double)size;
		sum += mean[i];
	}
	for (size_t i = 0; i < BATCHES; i++)
		squares += (mean[i] - sum / BATCHES) * (mean[i] - sum / BATCHES);
	return (struct mean){ sum / BATCHES, T95 * sqrt(squares / (BATCHES - 1) / BATCHES), true };
}

static double requests_of(const json_t *points, size_t i)
{
	return json_number_value(json_array_get(json_array_get(points, i), 0));
}

/* Requests a second, and their interval; null: too few parts. */
static json_t *make_rate(const json_t *report, double seconds)
{
	const json_t *strips = json_object_get(json_object_get(report, "pictures"), "strips");
	const json_t *points = json_object_get(strips, "points");
	const size_t count = json_array_size(points);
	const struct mean mean = batch_means(requests_of, points, count);
	const double per_s = seconds > 0 ? (double)count / seconds : 0;

	if (!mean.known || strcmp(unit_key(report), "requests") != 0)
		return json_null();
	return json_pack("[f, f]", fmax(0, (mean.mean - mean.half) * per_s), (mean.mean + mean.half) * per_s);
}

/* The summary of one of the two reports. */
static json_t *make_side(const json_t *report)
{
	const json_t *basis = json_object_get(report, "basis"), *trace = json_object_get(report, "trace");
	const double seconds = (number(trace, "end_ns") - number(trace, "begin_ns")) / 1e9, all = all_units(report);
	const bool requests = !strcmp(unit_key(report), "requests");

	return json_pack("{s:s, s:f, s:b, s:f, s:f, s:o, s:o, s:o}", "verdict", text(report, "verdict"), "seconds",
			 seconds, "requests", requests, "units", all, "per_s", seconds > 0 ? all / seconds : 0,
			 "per_s_interval", make_rate(report, seconds), "slow",
			 make_share(number(basis, requests ? "slow_requests" : "slow_units"), all), "median",
			 make_median(report));
}

/* True if one share is larger than the other by more than both intervals and the threshold. */
static bool beyond(const json_t *one, const json_t *other, double threshold)
{
	return number(one, "low") > number(other, "high") &&
	       number(one, "share") > number(other, "share") * (1 + threshold);
}

/* "worse", "better" or "same": the same of two times, of which one may be null. */
static const char *longer(const json_t *before, const json_t *after, double threshold)
{
	if (!json_is_object(before) || !json_is_object(after))
		return "same";
	if (number(after, "low") > number(before, "high") &&
	    number(after, "ns") > number(before, "ns") * (1 + threshold))
		return "worse";
	if (number(before, "low") > number(after, "high") &&
	    number(before, "ns") > number(after, "ns") * (1 + threshold))
		return "better";
	return "same";
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

/* Finds the same function in the other report, hung or slow in both. */
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

/* A finding of one report; null if the other has it only. */
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

/* Compares a finding of both reports: the number of its units, or their length. */
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
 * First the functions of the second report in its order, then those that disappeared. *ret_worse: one of them is new or
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

/* ---- usual requests ---- */

static const json_t *find_usual(const json_t *report, const json_t *wanted)
{
	const json_t *functions = json_object_get(json_object_get(report, "usual"), "functions");

	for (size_t i = 0; i < json_array_size(functions); i++) {
		const json_t *one = json_array_get(functions, i);

		if (!strcmp(function_of(one, "name"), function_of(wanted, "name")) &&
		    !strcmp(function_of(one, "module"), function_of(wanted, "module")))
			return one;
	}
	return NULL;
}

/*
 * The time that a usual request spends in a function, by its share of their stacks. A function that is not listed has
 * less than the least that is listed. Null: no usual requests.
 */
static json_t *make_usual_time(const json_t *report, const json_t *function)
{
	const json_t *usual = json_object_get(report, "usual"), *functions = json_object_get(usual, "functions");
	const size_t count = json_array_size(functions);
	const double mean_ns = number(usual, "mean_ns"), stacks = number(usual, "stacks");
	const json_t *found = find_usual(report, function);
	double low = 0, high = SCOPE_USUAL_SHARE, share = 0;

	if (!count)
		return json_null();
	if (found) {
		share = number(found, "share");
		interval(share * stacks, stacks, &low, &high);
	} else if (count >= SCOPE_USUAL_MAX) {
		high = number(json_array_get(functions, count - 1), "share");
	}
	return make_time(mean_ns * share, mean_ns * low, mean_ns * high);
}

static void add_usual(json_t *list, const json_t *function, const json_t *before, const json_t *after, double threshold)
{
	json_t *one = make_usual_time(before, function), *other = make_usual_time(after, function);
	const char *change = longer(one, other, threshold);

	if (strcmp(change, "same"))
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:O, s:O}", "change",
						      !strcmp(change, "worse") ? "longer" : "shorter", "function",
						      function_of(function, "name"), "module",
						      function_of(function, "module"), "before", one, "after", other));
	json_decref(one);
	json_decref(other);
}

/* Functions in which usual requests spend more time than before, or less. */
static json_t *make_usual(const json_t *before, const json_t *after, double threshold)
{
	const json_t *ones = json_object_get(json_object_get(before, "usual"), "functions");
	const json_t *others = json_object_get(json_object_get(after, "usual"), "functions");
	json_t *list = json_array();

	for (size_t i = 0; i < json_array_size(others); i++)
		add_usual(list, json_array_get(others, i), before, after, threshold);
	for (size_t i = 0; i < json_array_size(ones); i++)
		if (!find_usual(after, json_array_get(ones, i)))
			add_usual(list, json_array_get(ones, i), before, after, threshold);
	return list;
}

/* ---- groups of threads ---- */

static double part_of(const json_t *group, const char *key)
{
	const double wall = number(group, "wall_ns");

	return wall > 0 ? number(group, key) / wall : 0;
}

static double asleep(const json_t *group)
{
	return fmax(0, 1 - part_of(group, "run_ns") - part_of(group, "queue_ns") - part_of(group, "unexplained_ns"));
}

/* Waits of a group that changed: their reason, and the parts of the group's time. */
static json_t *make_waits(const json_t *one, const json_t *other)
{
	const json_t *ones = json_object_get(one, "blocked_ns");
	const double wall = number(one, "wall_ns"), wall_other = number(other, "wall_ns");
	json_t *waits = json_object(), *blocked = json_object_get(other, "blocked_ns"), *value;
	const char *name;

	if (wall <= 0 || wall_other <= 0)
		return waits;
	json_object_foreach(blocked, name, value) {
		const double before = number(ones, name) / wall, after = json_number_value(value) / wall_other;

		if (fabs(before - after) >= POINTS)
			json_object_set_new(waits, name, json_pack("[f, f]", before, after));
	}
	return waits;
}

/* The shares of a group's time in each part of the trace: "run" and "run_queue"; NULL: the report has none. */
static const json_t *series_of(const json_t *report, const char *name)
{
	const json_t *over_time = json_object_get(json_object_get(report, "pictures"), "over_time");
	const json_t *groups = json_object_get(over_time, "groups");

	for (size_t i = 0; i < json_array_size(groups); i++)
		if (!strcmp(text(json_array_get(groups, i), "group"), name))
			return json_object_get(json_array_get(groups, i), "shares");
	return NULL;
}

static double run_of(const json_t *shares, size_t i)
{
	return json_number_value(json_array_get(json_object_get(shares, "run"), i));
}

static double queue_of(const json_t *shares, size_t i)
{
	return json_number_value(json_array_get(json_object_get(shares, "run_queue"), i));
}

static double asleep_of(const json_t *shares, size_t i)
{
	return fmax(0, 1 - run_of(shares, i) - queue_of(shares, i));
}

/* The 95 % interval of a share's change; null: too few parts. */
static json_t *make_change(double (*value)(const json_t *parts, size_t i), const json_t *ones, const json_t *others)
{
	const struct mean one = batch_means(value, ones, json_array_size(json_object_get(ones, "run")));
	const struct mean other = batch_means(value, others, json_array_size(json_object_get(others, "run")));
	const double half = hypot(one.half, other.half), change = other.mean - one.mean;

	return one.known && other.known ? json_pack("[f, f]", change - half, change + half) : json_null();
}

static json_t *make_changes(const json_t *before, const json_t *after, const char *name)
{
	const json_t *ones = series_of(before, name), *others = series_of(after, name);

	return json_pack("{s:o, s:o, s:o}", "run", make_change(run_of, ones, others), "queue",
			 make_change(queue_of, ones, others), "asleep", make_change(asleep_of, ones, others));
}

/* Threads of one name on both sides whose time is distributed differently. */
static json_t *make_groups(const json_t *before, const json_t *after)
{
	const json_t *ones = json_object_get(before, "groups"), *others = json_object_get(after, "groups");
	json_t *groups = json_array();

	for (size_t i = 0; i < json_array_size(others); i++) {
		const json_t *other = json_array_get(others, i), *one = NULL;
		json_t *waits;

		for (size_t j = 0; j < json_array_size(ones) && !one; j++)
			if (!strcmp(text(json_array_get(ones, j), "name"), text(other, "name")))
				one = json_array_get(ones, j);
		if (!one)
			continue;
		waits = make_waits(one, other);
		if (fabs(part_of(one, "run_ns") - part_of(other, "run_ns")) >= POINTS ||
		    fabs(part_of(one, "queue_ns") - part_of(other, "queue_ns")) >= POINTS || json_object_size(waits))
			json_array_append_new(groups, json_pack("{s:s, s:[f, f], s:[f, f], s:[f, f], s:o, s:O}", "name",
								text(other, "name"), "run", part_of(one, "run_ns"),
								part_of(other, "run_ns"), "queue",
								part_of(one, "queue_ns"), part_of(other, "queue_ns"),
								"asleep", asleep(one), asleep(other), "change",
								make_changes(before, after, text(other, "name")),
								"waits", waits));
		json_decref(waits);
	}
	return groups;
}

json_t *scope_report_compare(const json_t *before, const json_t *after, double threshold, double time_threshold)
{
	json_t *one = make_side(before), *other = make_side(after), *functions;
	const bool alike = json_is_true(json_object_get(one, "requests")) ==
			   json_is_true(json_object_get(other, "requests"));
	const char *time =
		alike ? longer(json_object_get(one, "median"), json_object_get(other, "median"), time_threshold)
		      : "same";
	bool worse, slower;

	functions = make_functions(before, after, threshold, &worse);
	/*
	 * Requests that are slow by chance come in bursts, which the interval does not contain; the verdict considers
	 * them.
	 */
	slower = beyond(json_object_get(other, "slow"), json_object_get(one, "slow"), threshold) &&
		 strcmp(text(after, "verdict"), "nothing");
	return json_pack("{s:b, s:f, s:f, s:b, s:s, s:o, s:o, s:o, s:o, s:o}", "worse",
			 worse || slower || !strcmp(time, "worse"), "threshold", threshold, "time_threshold",
			 time_threshold, "slower", slower, "time", time, "before", one, "after", other, "functions",
			 functions, "usual", make_usual(before, after, threshold), "groups",
			 make_groups(before, after));
}
