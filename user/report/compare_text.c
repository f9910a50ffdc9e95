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

/* Names in a report from elsewhere may be any bytes. */
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
	struct scope_text count, rate, length;

	fprintf(out, "%s  %s: ", name, path);
	put(out, side, "verdict");
	fprintf(out, ", %s %s in %s, %s a second\n        slow ",
		scope_report_format_count(&count, (uint64_t)number(side, "units")),
		requests ? "requests" : "units of work",
		scope_report_format_window(&length, (uint64_t)(1e9 * number(side, "seconds"))),
		scope_report_format_count(&rate, (uint64_t)(number(side, "per_s") + 0.5)));
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

/* What the function does to requests; of a report by another version its word. */
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

static void put_pair(FILE *out, const char *what, const json_t *pair)
{
	fprintf(out, "%s %.0f → %.0f %%", what, 100 * json_number_value(json_array_get(pair, 0)),
		100 * json_number_value(json_array_get(pair, 1)));
}

void scope_report_compare_print(const json_t *found, const char *const *path, FILE *out)
{
	const json_t *functions = json_object_get(found, "functions"), *groups = json_object_get(found, "groups");

	fprintf(out, "%s, by more than %.0f %% and beyond 95 %% intervals\n\n",
		json_is_true(json_object_get(found, "worse")) ? "WORSE" : "NOT WORSE",
		100 * number(found, "threshold"));
	put_side(out, "before", path[0], json_object_get(found, "before"));
	put_side(out, "after ", path[1], json_object_get(found, "after"));
	if (json_array_size(functions))
		fputc('\n', out);
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
	if (json_array_size(groups))
		fputs("\n  time of threads\n", out);
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *group = json_array_get(groups, i);

		fputs("            ", out);
		put(out, group, "name");
		put_pair(out, ": runs", json_object_get(group, "run"));
		put_pair(out, ", waits for a CPU", json_object_get(group, "queue"));
		put_pair(out, ", asleep", json_object_get(group, "asleep"));
		fputc('\n', out);
	}
}
