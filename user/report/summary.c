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

/*
 * The second line: what runs, and what the report is of. host: NULL, or the first line had no room for it. A command line that is
 * too long is printed without the program's directories, because what it was started with says more.
 */
static void print_what(const struct report *report, const char *host)
{
	const char *command = meta(report, SCOPE_META_COMMAND), *source = meta(report, SCOPE_META_SOURCE);
	const char *line = meta(report, SCOPE_META_COMMAND_LINE), *slash;
	const uint64_t lost = scope_timeline_lost(report->analysis->units->timeline);
	char left[512], right[96], container[80];
	struct scope_text count;
	int before = snprintf(left, sizeof(left), "%s%s%s%s", host ? "on " : "", host ? host : "", host ? " · " : "",
			      format_container(report, container, sizeof(container)));
	unsigned int room;

	snprintf(right, sizeof(right), "source %s · %s lost", source ? source : "?",
		 lost ? scope_report_format_count(&count, lost) : "nothing");
	room = scope_report_section_width(report) - 2 - scope_report_format_columns(right);
	if (!line)
		line = command ? command : "";
	slash = memrchr(line, '/', strcspn(line, " "));
	if (slash > line && scope_report_format_columns(left) + scope_report_format_columns(line) > room)
		snprintf(left + before, sizeof(left) - (size_t)before, "…%s", slash);
	else
		snprintf(left + before, sizeof(left) - (size_t)before, "%s", line);
	print_ends(report, left, right);
	fputc('\n', report->out);
}

/* Of seconds: enough that no time is 0.0. */
static int decimals(double seconds)
{
	return seconds < 0.0005 ? 0 : seconds < 0.05 ? 3 : 1;
}

static void print_head(const struct report *report)
{
	const struct scope_timeline *timeline = report->analysis->units->timeline;
	const char *host = meta(report, SCOPE_META_HOST), *command = meta(report, SCOPE_META_COMMAND);
	const char *pid = meta(report, SCOPE_META_PID);
	const char *headline = scope_report_headline(report->model);
	const struct scope_model_part *part = &report->model->part;
	const time_t begin = (time_t)(report->model->begin_wall_ns / 1000000000);
	char left[512], right[96], when[40] = "", window[56];
	struct tm tm;
	struct scope_text count;
	bool below;
	int target;

	target = snprintf(left, sizeof(left), "%s%s %s (pid %s)%s%s", headline,
			  strstr(headline, "outside") || strstr(headline, "SAID") ? " of" : " in",
			  command ? command : "?", pid ? pid : "?", part->thread ? ", thread " : "",
			  part->thread ? part->thread : "");
	if (part->timed)
		snprintf(window, sizeof(window), "%.*f to %.*f of %.*f s", decimals(part->from_s), part->from_s,
			 decimals(part->to_s), part->to_s, decimals(part->whole_s), part->whole_s);
	else
		snprintf(window, sizeof(window), "%s",
			 scope_report_format_window(&count, timeline->end_ns - timeline->begin_ns));
	if (report->model->begin_wall_ns && gmtime_r(&begin, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC, ", &tm);
	/* If the line is too short the date is left out, not the process. */
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
	print_what(report, below ? host : NULL);
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

/* ---- what there is besides the first finding ---- */

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
	return scope_report_section_clipped(report, &line);
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
	return scope_report_section_clipped(report, &line);
}

/* Writes the name without first parts (packages, classes, namespaces) for which a line has no room. */
static void put_fitting(const char *name, unsigned room, FILE *to)
{
	const char *at = name;

	while (scope_report_format_columns(at) + (at > name) > room) {
		const size_t part = strcspn(at, ".:/([<");

		if (!at[part] || strchr("([<", at[part]))
			break;
		at += part + 1;
	}
	fprintf(to, "%s%s", at > name ? "…" : "", at);
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

		fprintf(line.to, "%s%.0f %% in ", i ? ", " : "", 100 * one->share);
		put_fitting(scope_report_section_short_name(
				    scope_signatures_name(report->analysis->signatures, one->function)),
			    scope_report_section_width(report) - SCOPE_SCREEN_LABEL - 1, line.to);
		if (one->asleep_share >= 0.5)
			fprintf(line.to, one->nr == SCOPE_NR_NONE ? " (waits)" : " (sleeps in %s)",
				scope_report_section_call(one->nr));
	}
	return scope_report_section_broken(report, SCOPE_LABEL_USUAL, &line);
}

/*
 * The reason why the function that came nearest to a finding is none, for rules that a longer trace may decide; -v has
 * the figures.
 */
static const char *const near_why[SCOPE_RULE_PARTS + 1] = {
	[SCOPE_RULE_UNITS] = "was seen in few of them",
	[SCOPE_RULE_CHANCE] = "in few stacks",
	[SCOPE_RULE_SPREAD] = "nearly all in a short part of the trace",
	[SCOPE_RULE_PARTS] = "in few stacks",
};

#define NEAR_EXTRA_MIN                                                                                                 \
	0.25 /* of the time of all requests; no rule: in captures of healthy servers it was 0.14 at most */

/* The part of the time of requests that is extra time of slow ones, if no function was found for it; 0: it does not matter. */
static double extra_time(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const double extra = ranking->busy_ns > 0 ? ranking->excess_ns / ranking->busy_ns : 0;

	if (ranking->verdict != SCOPE_VERDICT_NOTHING || ranking->findings || report->analysis->reference ||
	    report->model->slow.slow < report->analysis->rank.units_min || extra < NEAR_EXTRA_MIN)
		return 0;
	return extra;
}

/* Nothing is found, but slow requests have much of the time, so the reader may be interested in them. */
static int print_nearest(const struct report *report)
{
	const struct scope_model *model = report->model;
	const struct scope_model_slow *slow = &model->slow;
	const struct scope_near *near = model->nears ? model->near[0].near : NULL;
	const char *what = slow->requests ? "requests" : "rounds of work";
	const double extra = extra_time(report);
	struct scope_paragraph line;
	struct scope_text count, all;

	if (!extra || (near && near->finding.share >= SCOPE_RANK_MOST && !near_why[near->fails]))
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	if (near && near->finding.share >= SCOPE_RANK_MOST)
		fprintf(line.to, "%s has %.0f %% of the extra time of %s slow %s, but %s: trace for longer",
			scope_report_section_short_name(
				scope_signatures_name(report->analysis->signatures, near->finding.function)),
			100 * near->finding.share, scope_report_format_count(&count, slow->slow), what,
			near_why[near->fails]);
	else
		fprintf(line.to, "no function: %s of %s %s took far longer; %.0f %% of the time of all is extra, %s",
			scope_report_format_count(&count, slow->slow), scope_report_format_count(&all, slow->all), what,
			100 * extra,
			model->kernel ? "most of it inside the kernel"
				      : "and stacks do not show why: trace for longer");
	return scope_report_section_broken(report, SCOPE_LABEL_NEAREST, &line);
}

/* Prints what is needed to name the functions in which the first finding's time is. */
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
	if (!report->brief) {
		fprintf(line.to, "%.0f %% of it is in compiled functions without names: %s",
			100 * ranking->finding[0].unnamed, need);
		return scope_report_section_broken(report, SCOPE_LABEL_MISSING, &line);
	}
	fputs(need, line.to);
	scope_report_section_label(report, SCOPE_LABEL_MISSING);
	return scope_report_section_clipped(report, &line);
}

/*
 * Prints what could not be read, cut at the right edge; -v prints all of it. Missing names are not reported if the
 * first function has a name.
 */
static void print_notes(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_function *first = ranking->findings ? ranking->finding[0].function : NULL;
	const char *const notes[] = { scope_trace_damage(report->analysis->trace),
				      first && first->known ? NULL : meta(report, SCOPE_META_UNREAD) };

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
		err = scope_report_section_first(report);
	if (!err)
		err = print_bottleneck(report);
	if (!err)
		err = print_uneven(report);
	if (!err)
		err = print_usual(report);
	if (!err)
		err = print_nearest(report);
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

static int make_body(const struct report *report, bool brief, char **ret_text)
{
	struct scope_paragraph body;
	struct report inner = *report;
	int err, ended;

	if (scope_report_paragraph_begin(&body))
		return -ENOMEM;
	inner.out = body.to;
	inner.brief = brief;
	err = print_body(&inner);
	ended = scope_report_paragraph_end(&body, ret_text);
	if (err && !ended)
		free(*ret_text);
	return err ? err : ended;
}

int scope_report_section_summary(const struct report *report)
{
	char *text;
	int err = make_body(report, false, &text);

	/* One line at least is for what to do next. */
	if (!err && count_lines(text) >= SCOPE_SCREEN_LINES) {
		free(text);
		err = make_body(report, true, &text);
	}
	if (err)
		return err;
	fputs(text, report->out);
	scope_report_section_next(report, count_lines(text), strcmp(text + strlen(text) - 2, "\n\n") != 0);
	if (report->style->verbose)
		fputc('\n', report->out);
	free(text);
	return 0;
}
