// SPDX-License-Identifier: GPL-2.0-only
/* The requests by their kind. */
#include "report/by_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"
#include "report/json_part.h"
#include "report/numbers.h"
#include "report/section.h"

/* Times are ns: sums over the finished requests of a kind; p50 and p99 are those of single requests. */
struct kind_row {
	const char *name;   /* borrowed from the analysis: the kind's text */
	const char *server; /* the group of the threads that served it */
	uint64_t requests, slow;
	double p50_ns, p99_ns;
	double wall_ns, run_ns, queue_ns;
};

#define LINES 20  /* of the section */
#define NAME 42	  /* columns of a name */
#define FIGURE 10 /* columns of a number */

static int compare_rows(const void *left, const void *right)
{
	const struct kind_row *a = left, *b = right;

	return a->wall_ns != b->wall_ns ? (a->wall_ns < b->wall_ns) - (a->wall_ns > b->wall_ns)
					: strcmp(a->name, b->name);
}

/*
 * Collects the kinds of requests, the one with most time first. *ret_count is 0 for a trace without kinds. 0 or
 * -ENOMEM; the caller frees *ret_row.
 */
static int collect(const struct scope_analysis *analysis, struct kind_row **ret_row, size_t *ret_count)
{
	const struct scope_groups *groups = analysis->found.groups;
	struct kind_row *row = calloc(groups->count + 1, sizeof(*row));
	size_t count = 0;

	if (!row)
		return -ENOMEM;
	for (uint32_t i = 0; i < groups->count && i < analysis->work->groups; i++) {
		const struct scope_work_time *all = &analysis->work->all[i];
		const struct scope_sketch *wall = &analysis->found.distributions->group[i].request_wall;

		if (!groups->group[i].request || !all->units)
			continue;
		row[count++] = (struct kind_row){
			.name = groups->group[i].name,
			.server = groups->group[groups->group[i].of].name,
			.requests = all->units,
			.slow = analysis->work->slow[i].units,
			.p50_ns = scope_sketch_quantile(wall, 0.5),
			.p99_ns = scope_sketch_quantile(wall, 0.99),
			.wall_ns = all->wall_ns,
			.run_ns = all->run_ns,
			.queue_ns = all->queue_ns,
		};
	}
	if (count)
		qsort(row, count, sizeof(*row), compare_rows);
	*ret_row = row;
	*ret_count = count;
	return 0;
}

const char *scope_report_by_request_slow(const struct scope_analysis *analysis, char *text, size_t room)
{
	struct kind_row *row, *most = NULL;
	uint64_t slow = 0;
	size_t count;

	*text = '\0';
	/* Without memory the report only lacks this section. */
	if (collect(analysis, &row, &count))
		return text;
	for (size_t i = 0; i < count; i++) {
		slow += row[i].slow;
		if (row[i].slow && (!most || row[i].slow > most->slow))
			most = &row[i];
	}
	if (most)
		snprintf(text, room, "%.0f %% of them are %s", 100.0 * (double)most->slow / (double)slow, most->name);
	free(row);
	return text;
}

const char *scope_report_by_request_none(const struct scope_analysis *analysis)
{
	const struct scope_groups *groups = analysis->found.groups;

	for (uint32_t i = 0; i < groups->count; i++)
		if (groups->group[i].request)
			return NULL;
	return scope_trace_meta(analysis->trace, SCOPE_META_REQUESTS);
}

static void print_ns(FILE *out, double ns)
{
	struct scope_text text;

	scope_report_format_ns(&text, ns);
	fprintf(out, "%*s%s", (int)(FIGURE - scope_report_format_columns(text.text)), "", text.text);
}

static void print_row(FILE *out, const struct kind_row *row, double all_ns)
{
	struct scope_text text;

	fputs("  ", out);
	scope_report_format_name(out, row->name, NAME);
	fprintf(out, "%*s", FIGURE, scope_report_format_count(&text, row->requests));
	fprintf(out, "%*s", FIGURE - 2, scope_report_format_count(&text, row->slow));
	print_ns(out, row->p50_ns);
	print_ns(out, row->p99_ns);
	print_ns(out, row->run_ns / (double)row->requests);
	fprintf(out, "%6.0f %%\n", all_ns > 0 ? 100 * row->wall_ns / all_ns : 0);
}

int scope_report_section_by_request(const struct report *report)
{
	struct kind_row *row;
	double all_ns = 0;
	size_t count;
	int err = collect(report->analysis, &row, &count);

	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		all_ns += row[i].wall_ns;
	if (count) {
		fputs("  ", report->out);
		scope_report_format_padded(report->out, "requests by what they ask for", NAME);
		fprintf(report->out, "%*s%*s%*s%*s%*s%8s\n", FIGURE, "requests", FIGURE - 2, "slow", FIGURE, "median",
			FIGURE, "99 %", FIGURE, "on CPU", "time");
	}
	for (size_t i = 0; i < count && i < LINES; i++)
		print_row(report->out, &row[i], all_ns);
	if (count > LINES)
		fprintf(report->out, "  … and %zu more\n", count - LINES);
	if (count)
		fputc('\n', report->out);
	free(row);
	return 0;
}

json_t *scope_report_by_request_json(const struct scope_analysis *analysis)
{
	struct kind_row *row;
	json_t *array;
	size_t count;

	if (collect(analysis, &row, &count))
		return NULL;
	array = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "name",
						       scope_report_json_string(row[i].name), "group",
						       scope_report_json_string(row[i].server), "requests",
						       (json_int_t)row[i].requests, "slow", (json_int_t)row[i].slow,
						       "p50_ns", scope_report_json_number(row[i].p50_ns), "p99_ns",
						       scope_report_json_number(row[i].p99_ns), "wall_ns",
						       scope_report_json_number(row[i].wall_ns), "run_ns",
						       scope_report_json_number(row[i].run_ns), "queue_ns",
						       scope_report_json_number(row[i].queue_ns)));
	free(row);
	return array;
}
