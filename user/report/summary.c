// SPDX-License-Identifier: GPL-2.0-only
/* The first screen of the report: what is wrong, where, how bad, how sure, and what to do next. */
#include "report/section.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/names_need.h"
#include "proc/container.h"
#include "report/answer.h"
#include "report/by_request.h"
#include "report/metrics_text.h"
#include "report/numbers.h"
#include "report/triggered.h"
#include "report/uneven.h"
#include "report/waits_text.h"

#define LABEL SCOPE_SCREEN_LABEL
#define EXAMPLE_CALLS 3 /* calls shown of a slow request and of a usual one */
#define CUT_MOST 0.5	/* share of cut stacks from which the path is marked as cut */
#define ALSO_MAX 4	/* further findings, in one line */

static const char *meta(const struct report *report, const char *key)
{
	return scope_trace_meta(report->analysis->trace, key);
}

/* ---- the head: two lines ---- */

/* Prints text at the left and right ends of a line; the left one is cut if both do not fit. */
static void print_ends(const struct report *report, const char *left, const char *right)
{
	const unsigned width = scope_report_format_columns(right), all = scope_report_section_width(report),
		       room = width + 2 < all ? all - 2 - width : 0;
	const unsigned used = scope_report_format_columns(left);

	scope_report_format_clipped(report->out, left, room);
	fprintf(report->out, "%*s%s\n", 2 + (int)(used < room ? room - used : 0), "", right);
}

/* "pod 8a5b1c2d, docker 3f2a1b9c0d1e: " of the target; "" on the host itself. Ids as short as their tools take them. */
static const char *format_container(const struct report *report, char *text, size_t room)
{
	const char *group = meta(report, SCOPE_META_GROUP);
	struct scope_container container;

	*text = '\0';
	if (group && scope_proc_container_find(group, &container))
		snprintf(text, room, "%s%.8s%s%s%s%.12s: ", container.pod[0] ? "pod " : "", container.pod,
			 container.pod[0] && container.runtime[0] ? ", " : "", container.runtime,
			 container.runtime[0] ? " " : "", container.name);
	return text;
}

static void print_head(const struct report *report)
{
	const struct scope_timeline *timeline = report->analysis->units->timeline;
	const char *host = meta(report, SCOPE_META_HOST), *command = meta(report, SCOPE_META_COMMAND);
	const char *line = meta(report, SCOPE_META_COMMAND_LINE), *pid = meta(report, SCOPE_META_PID);
	const char *source = meta(report, SCOPE_META_SOURCE);
	const uint64_t lost = scope_timeline_lost(timeline);
	const char *headline = scope_report_headline(report->model);
	const struct scope_model_part *part = &report->model->part;
	const time_t begin = (time_t)(report->model->begin_wall_ns / 1000000000);
	char left[512], right[96], when[40] = "", window[56], container[80];
	struct tm tm;
	struct scope_text count;
	bool below;
	int target;

	target = snprintf(left, sizeof(left), "%s%s %s (pid %s)%s%s", headline,
			  strstr(headline, "outside") || strstr(headline, "SAID") ? " of" : " in",
			  command ? command : "?", pid ? pid : "?", part->thread ? ", thread " : "",
			  part->thread ? part->thread : "");
	if (part->timed)
		snprintf(window, sizeof(window), "%.1f to %.1f of %.1f s", part->from_s, part->to_s, part->whole_s);
	else
		snprintf(window, sizeof(window), "%s",
			 scope_report_format_window(&count, timeline->end_ns - timeline->begin_ns));
	if (report->model->begin_wall_ns && gmtime_r(&begin, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC, ", &tm);
	/* Rather without the date than without the process. */
	snprintf(right, sizeof(right), "%s%s",
		 *when && scope_report_format_columns(left) + 2 + strlen(when) + strlen(window) >
					 scope_report_section_width(report)
			 ? when + strlen("2026-11-22 ")
			 : when,
		 window);
	if (host && target >= 0 && (size_t)target < sizeof(left))
		snprintf(left + target, sizeof(left) - (size_t)target, " on %s", host);
	/* A host for which this line has no room begins the next one. */
	below = host && scope_report_format_columns(left) + 2 + scope_report_format_columns(right) >
				scope_report_section_width(report);
	if (below && target >= 0 && (size_t)target < sizeof(left))
		left[target] = '\0';
	fputs(report->style->colour ? "\033[1m" : "", report->out);
	print_ends(report, left, right);
	fputs(scope_report_section_plain(report), report->out);
	snprintf(right, sizeof(right), "source %s · %s lost", source ? source : "?",
		 lost ? scope_report_format_count(&count, lost) : "nothing");
	snprintf(left, sizeof(left), "%s%s%s%s%s", below ? "on " : "", below ? host : "", below ? " · " : "",
		 format_container(report, container, sizeof(container)),
		 line	   ? line
		 : command ? command
			   : "");
	print_ends(report, left, right);
	fputc('\n', report->out);
}

/* ---- the answer ---- */

static int print_answer(const struct report *report)
{
	char *text;
	int err = scope_report_answer(report->model, &text);

	if (err)
		return err;
	fputs("  ", report->out);
	scope_report_section_prose(report, text);
	fputs("\n\n", report->out);
	free(text);
	return 0;
}

/* Prints the change of the load since the baseline, because it may explain any other difference. */
static void print_load(const struct report *report)
{
	const struct scope_basis_baseline *baseline = &report->model->basis.baseline;
	char text[160];

	if (!baseline->known || baseline->before || isnan(baseline->per_s))
		return;
	scope_report_section_label(report, SCOPE_LABEL_LOAD);
	scope_report_format_clipped(report->out,
				    scope_report_metrics_load(text, sizeof(text), baseline->load_per_s,
							      baseline->load_here_per_s,
							      baseline->requests ? "requests" : "units"),
				    scope_report_section_width(report) - LABEL);
	fputc('\n', report->out);
}

/* ---- the first finding ---- */

void scope_report_section_label(const struct report *report, enum scope_report_label label)
{
	fprintf(report->out, "  %-*s", LABEL - 2, label == SCOPE_LABELS ? "" : scope_report_label_text[label]);
}

/* Prints a labelled line, broken at the right edge. */
static int print_broken(const struct report *report, enum scope_report_label label, struct scope_paragraph *line)
{
	char *text;
	int err = scope_report_paragraph_end(line, &text);

	if (err)
		return err;
	scope_report_section_label(report, label);
	scope_report_format_wrapped_to(report->out, text, LABEL, LABEL, scope_report_section_width(report));
	fputc('\n', report->out);
	free(text);
	return 0;
}

/* Prints a line, cut at the right edge. */
static int print_clipped(const struct report *report, struct scope_paragraph *line)
{
	char *text;
	int err = scope_report_paragraph_end(line, &text);

	if (err)
		return err;
	scope_report_format_clipped(report->out, text, scope_report_section_width(report) - LABEL);
	fputc('\n', report->out);
	free(text);
	return 0;
}

/* Adds the loop, with its file if that is not the one that is named already. */
static void put_loop(FILE *to, const struct scope_source_loop *loop, const char *file)
{
	if (!loop->file || loop->last == loop->first)
		return;
	if (strcmp(loop->file, file))
		fprintf(to, ", loop at %s:%d-%d", scope_report_section_base_name(loop->file), loop->first, loop->last);
	else
		fprintf(to, ", loop of lines %d-%d", loop->first, loop->last);
}

/* The thread that holds the lock which the stuck one waits for, and where it is. */
static int print_holder(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_model_owner *owner = &one->owner;
	struct scope_paragraph text;
	char line[128];

	if (!owner->thread || owner->itself)
		return 0;
	if (scope_report_paragraph_begin(&text))
		return -ENOMEM;
	fprintf(text.to, "%s (tid %u)", owner->thread->comm, owner->thread->tid);
	if (owner->at)
		fprintf(text.to, ", in %s%s", owner->at->name,
			scope_report_section_line_of(&owner->place, line, sizeof(line)));
	scope_report_section_label(report, SCOPE_LABEL_HOLDER);
	return print_clipped(report, &text);
}

static int print_where(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_places_row *row = one->places ? &one->place[0] : NULL;
	struct scope_paragraph line;
	char at[128];

	if (!one->finding->function)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	fprintf(line.to, "%s in %s", one->name, one->finding->function->module);
	if (row && row->lines) {
		fputs(scope_report_section_line_of(row, at, sizeof(at)), line.to);
		if (row->line[0].function[0])
			fprintf(line.to, " in %s", row->line[0].function);
		put_loop(line.to, &one->loop.lines, row->line[0].file);
	}
	scope_report_section_label(report, SCOPE_LABEL_WHERE);
	return print_clipped(report, &line);
}

size_t scope_report_section_callers(const struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	size_t count = one->path_count;

	while (count > 1 && !strcmp(tree->node[one->path[count - 1]].function->name, "_start"))
		count--;
	return count;
}

/*
 * Of a function without a symbol, what it calls that has one: the innermost callee with most of its excess, or the library
 * function that it mostly calls. NULL: none, or it has a symbol itself.
 */
static const char *named_callee(const struct report *report, const struct scope_model_finding *one,
				const char **ret_phrase)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;

	if (!one->finding->function || one->finding->function->known)
		return NULL;
	*ret_phrase = "most of it in";
	for (size_t i = one->most_count; i-- > 0;) {
		const struct scope_function *callee = tree->node[one->most[i]].function;

		if (callee->known)
			return scope_signatures_name(report->analysis->signatures, callee);
	}
	*ret_phrase = "calls";
	return one->below && one->below->known ? one->below->name : NULL;
}

static int print_callers(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	const size_t count = one->finding->function ? scope_report_section_callers(one) : 0;
	const char *phrase, *callee = named_callee(report, one, &phrase);
	struct scope_paragraph line;

	if (count < 2 && !callee)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	if (callee)
		fprintf(line.to, "%s %s%s", phrase, callee, count < 2 ? "" : ", ");
	for (size_t i = 1; i < count; i++)
		fprintf(line.to, "%s%s", i == 1 ? "called by " : " ← ",
			scope_signatures_name(report->analysis->signatures, tree->node[one->path[i]].function));
	if (one->cut_share > CUT_MOST)
		fputs(" ← …", line.to);
	scope_report_section_label(report, SCOPE_LABELS);
	return print_clipped(report, &line);
}

static int print_calls(const struct report *report, enum scope_report_label label, const struct scope_path *path,
		       unsigned width)
{
	char *text;
	int err = scope_report_section_path(path, EXAMPLE_CALLS, &text);

	if (err)
		return err;
	scope_report_section_label(report, label);
	scope_report_format_clipped(report->out, text, width);
	free(text);
	return 0;
}

static int print_example(const struct report *report, const struct scope_model_finding *one)
{
	struct scope_text worst;
	int err = 0;

	if (one->has_usual) {
		err = print_calls(report,
				  one->usual_of_baseline ? SCOPE_LABEL_SCREEN_BASELINE : SCOPE_LABEL_SCREEN_NORMAL,
				  &one->usual, scope_report_section_width(report) - LABEL);
		fputc('\n', report->out);
	}
	if (!err && one->has_slow) {
		err = print_calls(report, SCOPE_LABEL_SCREEN_SLOW, &one->slow,
				  scope_report_section_width(report) - LABEL - 18);
		fprintf(report->out, "   (p99 %s)\n", scope_report_format_ns(&worst, one->finding->p99_ns));
	}
	return err;
}

static int print_extent(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_model_slow *slow = &report->model->slow;
	const double share = slow->all ? 100.0 * slow->slow / slow->all : 0;
	struct scope_paragraph line;
	struct scope_text a, b;
	char percent[16], kind[128];

	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	if (one->stuck) {
		fprintf(line.to, "%u of %s thread%s", one->finding->hang.threads,
			scope_report_format_count(&a, report->analysis->units->threads),
			report->analysis->units->threads == 1 ? "" : "s");
		return print_broken(report, SCOPE_LABEL_EXTENT, &line);
	}
	if (share < 0.1)
		strcpy(percent, "< 0.1");
	else
		snprintf(percent, sizeof(percent), "%.*f", share < 10, share);
	fprintf(line.to, "%s of %s %s slow (%s %%); %.0f %% of the extra time here",
		scope_report_format_large(&a, slow->slow), scope_report_format_large(&b, slow->all),
		slow->requests ? "requests" : "rounds", percent, 100 * one->finding->share);
	if (scope_report_by_request_slow(report->analysis, kind, sizeof(kind))[0])
		fprintf(line.to, "; %s", kind);
	return print_broken(report, SCOPE_LABEL_EXTENT, &line);
}

static int print_confidence(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	const struct scope_model_slow *slow = &report->model->slow;
	const uint32_t stacks = finding->samples + finding->sleeps;
	struct scope_paragraph line;
	struct scope_text a, b;

	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	fputs(scope_report_section_confidence(finding), line.to);
	if (!one->stuck)
		fprintf(line.to, ": %s slow %s%s%s, %s stack%s", scope_report_format_count(&a, finding->units),
			slow->requests ? "request" : "round", finding->units == 1 ? "" : "s",
			/* More than the slow requests: background work too. */
			slow->requests && finding->units > slow->slow ? " and rounds" : "",
			scope_report_format_count(&b, stacks), stacks == 1 ? "" : "s");
	if (!one->stuck && !finding->by_stacks)
		fputs(", by signature", line.to);
	return print_broken(report, SCOPE_LABEL_CONFIDENCE, &line);
}

/* The other findings, by name and share. */
static int print_also(const struct report *report)
{
	const size_t findings = report->analysis->ranking->findings;
	struct scope_paragraph line;

	if (findings < 2)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	for (size_t i = 1; i < findings && i <= ALSO_MAX; i++)
		fprintf(line.to, "%s%s (%.0f %%)", i == 1 ? "" : ", ",
			scope_report_section_function(&report->model->finding[i]),
			100 * report->model->finding[i].finding->share);
	if (findings > ALSO_MAX + 1)
		fprintf(line.to, ", and %zu more", findings - ALSO_MAX - 1);
	scope_report_section_label(report, SCOPE_LABEL_ALSO);
	return print_clipped(report, &line);
}

static int print_first(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_model_finding *one = report->model->finding;
	int err;

	if (!ranking->findings)
		return 0;
	err = print_where(report, one);
	if (!err)
		err = print_callers(report, one);
	if (!err)
		err = print_holder(report, one);
	/* If the answer is not this function, it is not described further. */
	if (!err && !one->stuck && scope_report_names_first(ranking))
		err = print_example(report, one);
	if (!err)
		err = print_extent(report, one);
	if (!err)
		err = print_confidence(report, one);
	return err ? err : print_also(report);
}

/* A bottleneck in addition to the answer. */
static int print_bottleneck(const struct report *report)
{
	const struct scope_bottleneck *one = scope_report_bottleneck_beside(report->analysis);
	struct scope_paragraph line;

	if (!one)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	fprintf(line.to, "%s: others wait for it %.0f %% of the time",
		one->function ? one->function->name : report->analysis->found.groups->group[one->group].name,
		100 * one->share);
	scope_report_section_label(report, SCOPE_LABEL_BOTTLENECK);
	return print_clipped(report, &line);
}

/* A thread that is out of line with its group, in addition to the answer. */
static int print_uneven(const struct report *report)
{
	const struct scope_uneven_thread *one = scope_report_uneven_beside(report->analysis);
	struct scope_uneven_text sentence;
	struct scope_paragraph line;

	if (!one)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	fputs(scope_report_uneven_short(&sentence, report->analysis, one), line.to);
	scope_report_section_label(report, SCOPE_LABEL_UNEVEN);
	return print_clipped(report, &line);
}

/*
 * Where usual requests spend their time: a cause that slows all requests equally shows only there, in a report of one
 * trace.
 */
static int print_usual(const struct report *report)
{
	const struct scope_usual *usual = &report->analysis->ranking->usual;
	struct scope_paragraph line;
	struct scope_text mean;

	if (report->analysis->ranking->verdict != SCOPE_VERDICT_NOTHING || report->analysis->ranking->findings ||
	    !usual->count)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	fprintf(line.to, "%s a %s: ", scope_report_format_ns(&mean, usual->mean_ns),
		usual->requests ? "request" : "round of work");
	for (unsigned i = 0; i < usual->count; i++) {
		const struct scope_usual_function *one = &usual->function[i];

		fprintf(line.to, "%s%.0f %% in %s", i ? ", " : "", 100 * one->share,
			scope_signatures_name(report->analysis->signatures, one->function));
		if (one->asleep_share >= 0.5)
			fprintf(line.to, one->nr == SCOPE_NR_NONE ? " (waits)" : " (sleeps in %s)",
				scope_report_section_call(one->nr));
	}
	return print_broken(report, SCOPE_LABEL_USUAL, &line);
}

/* What would name the functions in which the first finding's time is. */
static int print_unnamed(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const char *need;
	char text[256];
	struct scope_paragraph line;

	if (!ranking->findings || ranking->finding[0].unnamed <= SCOPE_RANK_MOST)
		return 0;
	need = scope_analysis_names_need(report->analysis->trace, text, sizeof(text), NULL);
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	fprintf(line.to, "%.0f %% of it is in compiled functions without names: %s", 100 * ranking->finding[0].unnamed,
		need);
	return print_broken(report, SCOPE_LABEL_MISSING, &line);
}

/* Prints what could not be read, cut at the right edge; -v prints all of it. */
static void print_notes(const struct report *report)
{
	const char *const notes[] = { scope_trace_damage(report->analysis->trace), meta(report, SCOPE_META_UNREAD) };

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (!notes[i] || !notes[i][0])
			continue;
		scope_report_section_label(report, SCOPE_LABEL_MISSING);
		scope_report_format_clipped(report->out, notes[i], scope_report_section_width(report) - LABEL);
		fputc('\n', report->out);
	}
}

static int print_body(const struct report *report)
{
	int err;

	print_head(report);
	err = print_answer(report);
	if (!err)
		err = scope_report_section_triggered(report);
	if (!err) {
		print_load(report);
		scope_report_section_changed(report);
	}
	if (!err)
		err = print_first(report);
	if (!err)
		err = print_bottleneck(report);
	if (!err)
		err = print_uneven(report);
	if (!err)
		err = print_usual(report);
	if (!err)
		err = print_unnamed(report);
	if (!err)
		print_notes(report);
	return err;
}

int scope_report_section_answer(const struct report *report)
{
	print_head(report);
	return print_answer(report);
}

static unsigned int count_lines(const char *text)
{
	unsigned int count = 0;

	for (; (text = strchr(text, '\n')); text++)
		count++;
	return count;
}

int scope_report_section_summary(const struct report *report)
{
	struct scope_paragraph body;
	struct report inner = *report;
	char *text;
	int err;

	if (scope_report_paragraph_begin(&body))
		return -ENOMEM;
	inner.out = body.to;
	err = print_body(&inner);
	if (scope_report_paragraph_end(&body, &text))
		return -ENOMEM;
	if (!err) {
		fputs(text, report->out);
		scope_report_section_next(report, count_lines(text), strcmp(text + strlen(text) - 2, "\n\n") != 0);
		if (report->style->verbose)
			fputc('\n', report->out);
	}
	free(text);
	return err;
}
