// SPDX-License-Identifier: GPL-2.0-only
/* Threads that differ from their group: a sentence for each, a section, and JSON. */
#include "report/uneven.h"

#include <inttypes.h>
#include <jansson.h>

#include "report/numbers.h"
#include "report/json.h"
#include "report/json_part.h"
#include "report/section.h"
#include "report/waits_text.h"

#define LINES 10       /* of the section */
#define BUSY_SHARE 0.5 /* share of its time: a thread with more work that is busy for less delays no request */

static const struct scope_thread *thread_of(const struct scope_analysis *analysis,
					    const struct scope_uneven_thread *one)
{
	return scope_timeline_threads_at(analysis->units->timeline->threads, one->thread);
}

/* The word for a unit: "round" if the group serves no client. */
static const char *unit_of(const struct scope_analysis *analysis, const struct scope_uneven_thread *one)
{
	const struct scope_groups *groups = analysis->found.groups;

	for (uint32_t i = 0; i < groups->count; i++)
		if (scope_unit_group_of_threads(groups, i) == one->group &&
		    analysis->found.distributions->group[i].asked)
			return "request";
	return "round";
}

static const char *word_of(enum scope_uneven in)
{
	static const char *const word[SCOPE_UNEVENS] = {
		[SCOPE_UNEVEN_SLOWER] = "is slower",
		[SCOPE_UNEVEN_WORK] = "gets more work",
		[SCOPE_UNEVEN_WAITS] = "waits more",
	};

	return word[in];
}

/* "runs 3.0 ms for each request, they 1.0 ms" */
static void write_figures(const struct scope_analysis *analysis, const struct scope_uneven_thread *one, char *text,
			  size_t room)
{
	const char *unit = unit_of(analysis, one);
	struct scope_text own, usual;

	if (one->in == SCOPE_UNEVEN_WORK)
		snprintf(text, room, "takes %.*f %ss a second, others %.*f", one->own < 10, one->own, unit,
			 one->usual < 10, one->usual);
	else
		snprintf(text, room, "%s %s in each %s, others %s",
			 one->in == SCOPE_UNEVEN_SLOWER ? "runs"
			 : one->cpu			? "waits for a CPU"
							: "waits",
			 scope_report_format_ns(&own, one->own), unit, scope_report_format_ns(&usual, one->usual));
}

const char *scope_report_uneven(struct scope_uneven_text *buffer, const struct scope_analysis *analysis,
				const struct scope_uneven_thread *one)
{
	const struct scope_thread *thread = thread_of(analysis, one);
	char figures[128];

	write_figures(analysis, one, figures, sizeof(figures));
	snprintf(buffer->text, sizeof(buffer->text), "Thread %s (tid %u) %s than the other %u of its group: it %s.",
		 thread->comm, thread->tid, word_of((enum scope_uneven)one->in), one->others, figures);
	return buffer->text;
}

const char *scope_report_uneven_short(struct scope_uneven_text *buffer, const struct scope_analysis *analysis,
				      const struct scope_uneven_thread *one)
{
	const struct scope_thread *thread = thread_of(analysis, one);
	char figures[128];

	write_figures(analysis, one, figures, sizeof(figures));
	snprintf(buffer->text, sizeof(buffer->text), "%s (tid %u) %s: %s", thread->comm, thread->tid,
		 word_of((enum scope_uneven)one->in), figures);
	return buffer->text;
}

/* More work does not matter for a thread that has idle time. */
static bool costs(const struct scope_analysis *analysis, const struct scope_uneven_thread *one)
{
	const struct scope_thread *thread = thread_of(analysis, one);
	const double wall_ns = (double)scope_timeline_account_wall(&thread->account);

	if (one->in != SCOPE_UNEVEN_WORK)
		return true;
	return (double)(thread->account.run_ns + thread->account.queue_ns) > BUSY_SHARE * wall_ns;
}

const struct scope_uneven_thread *scope_report_uneven_answer(const struct scope_analysis *analysis)
{
	const struct scope_balance *balance = analysis->balance;

	if (analysis->ranking->verdict != SCOPE_VERDICT_NOTHING || analysis->ranking->findings ||
	    analysis->ranking->left_out || scope_report_is_bottleneck(analysis))
		return NULL;
	for (size_t i = 0; i < balance->count; i++)
		if (costs(analysis, &balance->thread[i]))
			return &balance->thread[i];
	return NULL;
}

const struct scope_uneven_thread *scope_report_uneven_beside(const struct scope_analysis *analysis)
{
	return analysis->balance->count && !scope_report_uneven_answer(analysis) ? analysis->balance->thread : NULL;
}

int scope_report_section_uneven(const struct report *report)
{
	const struct scope_balance *balance = report->analysis->balance;

	if (!balance->count)
		return 0;
	fputs("  threads out of line with their group\n", report->out);
	for (size_t i = 0; i < balance->count && i < LINES; i++) {
		const struct scope_uneven_thread *one = &balance->thread[i];
		struct scope_uneven_text line;
		struct scope_text extra, p50, p99;
		char text[512];

		snprintf(text, sizeof(text), "%s %s more in all; its %ss take %s, 1 of 100 %s.",
			 scope_report_uneven(&line, report->analysis, one),
			 scope_report_format_ns(&extra, one->extra_ns), unit_of(report->analysis, one),
			 scope_report_format_ns(&p50, one->p50_ns), scope_report_format_ns(&p99, one->p99_ns));
		fputs("  ", report->out);
		scope_report_section_wrapped(report, text, 2, 2);
		fputc('\n', report->out);
	}
	if (balance->count > LINES)
		fprintf(report->out, "  … and %zu more\n", balance->count - LINES);
	fputc('\n', report->out);
	return 0;
}

json_t *scope_report_uneven_json(const struct scope_analysis *analysis)
{
	static const char *const name[SCOPE_UNEVENS] = {
		[SCOPE_UNEVEN_SLOWER] = "slower",
		[SCOPE_UNEVEN_WORK] = "more-work",
		[SCOPE_UNEVEN_WAITS] = "waits-more",
	};
	json_t *array = json_array();

	for (size_t i = 0; i < analysis->balance->count; i++) {
		const struct scope_uneven_thread *one = &analysis->balance->thread[i];

		json_array_append_new(
			array, json_pack("{s:o, s:o, s:s, s:b, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "thread",
					 scope_report_json_thread(thread_of(analysis, one)), "group",
					 scope_report_json_string(analysis->found.groups->group[one->group].name), "in",
					 name[one->in], "cpu", one->cpu, "others", (json_int_t)one->others, "units",
					 (json_int_t)one->units, "own", scope_report_json_number(one->own), "usual",
					 scope_report_json_number(one->usual), "extra_ns",
					 scope_report_json_number(one->extra_ns), "p50_ns",
					 scope_report_json_number(one->p50_ns), "p99_ns",
					 scope_report_json_number(one->p99_ns)));
	}
	return array;
}
