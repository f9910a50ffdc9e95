// SPDX-License-Identifier: GPL-2.0-only
/* Prints the time of each thread group by state. */
#include "report/section.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/numbers.h"
#include "report/times.h"

/* before: its account at the window's begin. */
static void add_thread(struct scope_times *line, const struct scope_thread *thread, const struct scope_account *before)
{
	const struct scope_account *account = &thread->account;

	line->threads++;
	line->wall_ns += scope_timeline_account_wall(account) - scope_timeline_account_wall(before);
	line->run_ns += account->run_ns - before->run_ns;
	line->queue_ns += account->queue_ns - before->queue_ns;
	line->unexplained_ns += scope_timeline_thread_unexplained(thread) - before->unknown_ns;
	for (int class = 0; class < SCOPE_WAIT_CLASSES; class += 1)
		line->blocked_ns[class] += account->blocked_ns[class] - before->blocked_ns[class];
}

static struct scope_account account_before(const struct scope_timeline *timeline, size_t thread)
{
	if (timeline->from && thread < timeline->from->threads)
		return timeline->from->account[thread];
	return (struct scope_account){ 0 };
}

/* Threads are numbered as they appear, which depends on CPU numbers; names do not. */
#define NAME 20 /* columns of a group's name */

static int compare_lines(const void *left, const void *right)
{
	const struct scope_times *a = left, *b = right;

	return strcmp(a->name, b->name);
}

/* If events are missing, all figures of the report are uncertain. */
static void warn(const struct report *report, const struct scope_times *line, size_t lines)
{
	for (size_t i = 0; i < lines; i++) {
		char text[256];

		if (line[i].unexplained_ns <= SCOPE_UNEXPLAINED_MAX * line[i].wall_ns)
			continue;
		snprintf(text, sizeof(text),
			 "%.1f %% of the time of %s is unexplained, more than %.0f %%: events of it are "
			 "missing, and its times are not to be relied on.",
			 100 * line[i].unexplained_ns / line[i].wall_ns, line[i].name, 100 * SCOPE_UNEXPLAINED_MAX);
		scope_report_section_paragraph(report, "  ", text);
	}
}

static void add_work(struct scope_work_time *to, const struct scope_work_time *from)
{
	to->units += from->units;
	to->wall_ns += from->wall_ns;
	to->run_ns += from->run_ns;
	to->queue_ns += from->queue_ns;
	for (int class = 0; class < SCOPE_WAIT_CLASSES; class += 1)
		to->blocked_ns[class] += from->blocked_ns[class];
}

/* Adds the time in requests to the line of each thread's name. */
static void add_requests(const struct scope_analysis *analysis, struct scope_times *line, size_t lines)
{
	const struct scope_groups *groups = analysis->found.groups;

	for (uint32_t group = 0; group < analysis->work->groups; group++)
		for (size_t i = 0; i < lines; i++) {
			if (strcmp(line[i].name, groups->group[scope_unit_group_of_threads(groups, group)].name))
				continue;
			add_work(&line[i].work, &analysis->work->all[group]);
			add_work(&line[i].slow, &analysis->work->slow[group]);
		}
}

int scope_report_times_collect(const struct scope_analysis *analysis, struct scope_times **ret_times, size_t *ret_count)
{
	const struct scope_units *units = analysis->units;
	struct scope_times *line = calloc(units->groups->count + 1, sizeof(*line));
	size_t lines = 0;

	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < units->threads; i++) {
		const char *name = units->groups->group[units->groups->of_thread[i]].name;
		const struct scope_thread *thread = scope_timeline_threads_at(units->timeline->threads, i);
		const struct scope_account before = account_before(units->timeline, i);
		size_t at = 0;

		if (!scope_unit_distributions_counts(analysis->found.distributions, i))
			continue;
		/* It ended before the window began. */
		if (units->timeline->from && thread->run == SCOPE_RUN_ENDED &&
		    scope_timeline_account_wall(&thread->account) == scope_timeline_account_wall(&before))
			continue;
		while (at < lines && strcmp(line[at].name, name))
			at++;
		if (at == lines)
			line[lines++].name = name;
		add_thread(&line[at], thread, &before);
	}
	add_requests(analysis, line, lines);
	if (lines)
		qsort(line, lines, sizeof(*line), compare_lines);
	*ret_times = line;
	*ret_count = lines;
	return 0;
}

static void print_parts(FILE *out, const char *name, double run_ns, double queue_ns, const double *blocked,
			double whole_ns)
{
	const double whole = whole_ns > 0 ? whole_ns / 100 : 1;

	fputs("  ", out);
	scope_report_format_padded(out, name, NAME);
	for (size_t i = 0; i < SCOPE_TIMES_COLUMNS; i++) {
		const uint32_t parts = scope_report_times_column[i].parts;
		double ns = parts & SCOPE_TIMES_RUN ? run_ns : parts & SCOPE_TIMES_QUEUE ? queue_ns : 0;

		for (int class = 0; class < SCOPE_WAIT_CLASSES; class += 1)
			if (parts >> class & 1)
				ns += blocked[class];
		fprintf(out, " %4.0f %%", ns / whole);
	}
}

static void print_heads(FILE *out)
{
	fputs("  ", out);
	scope_report_format_padded(out, "where the time went", NAME);
	for (size_t i = 0; i < SCOPE_TIMES_COLUMNS; i++)
		fprintf(out, "%7s", scope_report_times_column[i].head);
	fputs(" " SCOPE_TIMES_REST "\n", out);
}

int scope_report_section_times(const struct report *report)
{
	const struct scope_times *line = report->model->times;
	const size_t lines = report->model->times_count;

	print_heads(report->out);
	for (size_t i = 0; i < lines; i++) {
		const struct scope_work_time *work = &line[i].work, *slow = &line[i].slow;
		char name[64];

		snprintf(name, sizeof(name), "%s ×%u", line[i].name, line[i].threads);
		print_parts(report->out, name, line[i].run_ns, line[i].queue_ns, line[i].blocked_ns, line[i].wall_ns);
		fprintf(report->out, "    %5.1f %%\n",
			100 * line[i].unexplained_ns / (line[i].wall_ns > 0 ? line[i].wall_ns : 1));
		/* The rest is idle. */
		if (work->units) {
			print_parts(report->out, "  of it with work", work->run_ns, work->queue_ns, work->blocked_ns,
				    line[i].wall_ns);
			fputc('\n', report->out);
		}
		if (slow->units) {
			print_parts(report->out, "  slow ones alone", slow->run_ns, slow->queue_ns, slow->blocked_ns,
				    slow->wall_ns);
			fputc('\n', report->out);
		}
	}
	warn(report, line, lines);
	fputc('\n', report->out);
	return 0;
}
