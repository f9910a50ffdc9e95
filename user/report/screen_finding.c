// SPDX-License-Identifier: GPL-2.0-only
/* The first screen's lines about the first finding: a normal and a slow request, the extent, how sure. */
#include "report/section.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rank/by_design.h"
#include "rank/confidence.h"
#include "report/answer.h"
#include "report/by_request.h"
#include "report/numbers.h"

#define LABEL SCOPE_SCREEN_LABEL
#define EXAMPLE_CALLS 3 /* calls shown of a slow request and of a usual one */
#define ALSO_MAX 4	/* further findings, in one line */

void scope_report_section_label(const struct report *report, enum scope_report_label label)
{
	fprintf(report->out, "  %-*s", LABEL - 2, label == SCOPE_LABELS ? "" : scope_report_label_text[label]);
}

int scope_report_section_broken(const struct report *report, enum scope_report_label label,
				struct scope_paragraph *line)
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

int scope_report_section_clipped(const struct report *report, struct scope_paragraph *line)
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

/* As many calls as there is room for, so that none is cut; rather without the number of the others than without one of these. */
static int print_calls(const struct report *report, enum scope_report_label label,
		       const struct scope_model_finding *one, const struct scope_path *path, unsigned width)
{
	struct scope_path_show show = { .calls = EXAMPLE_CALLS,
					.nr = scope_report_section_named_call(one),
					.count_rest = true };
	char *text;
	int err;

	while (!(err = scope_report_section_path(path, &show, &text))) {
		if (scope_report_format_columns(text) <= width || (show.calls == 1 && !show.count_rest))
			break;
		free(text);
		show.calls -= !show.count_rest;
		show.count_rest = !show.count_rest;
	}
	if (err)
		return err;
	scope_report_section_label(report, label);
	scope_report_format_clipped(report->out, text, width);
	free(text);
	return 0;
}

static int print_example(const struct report *report, const struct scope_model_finding *one)
{
	const unsigned width = scope_report_section_width(report) - LABEL;
	const enum scope_report_label normal = one->usual_of_baseline ? SCOPE_LABEL_SCREEN_BASELINE
								      : SCOPE_LABEL_SCREEN_NORMAL;
	struct scope_text worst;
	char end[40];
	int err = 0;

	if (one->has_usual) {
		err = print_calls(report, normal, one, &one->usual, width);
		fputc('\n', report->out);
	}
	if (!err && one->has_slow) {
		snprintf(end, sizeof(end), "   (p99 %s)", scope_report_format_ns(&worst, one->finding->p99_ns));
		err = print_calls(report, SCOPE_LABEL_SCREEN_SLOW, one, &one->slow,
				  width - scope_report_format_columns(end));
		fprintf(report->out, "%s\n", end);
	}
	return err;
}

static void put_slow(const struct scope_model_slow *slow, FILE *to)
{
	const double share = slow->all ? 100.0 * slow->slow / slow->all : 0;
	struct scope_text a, b;
	char percent[16];

	if (share < 0.1)
		strcpy(percent, "< 0.1");
	else
		snprintf(percent, sizeof(percent), "%.*f", share < 10, share);
	fprintf(to, "%s of %s %s slow (%s %%)", scope_report_format_large(&a, slow->slow),
		scope_report_format_large(&b, slow->all), slow->requests ? "requests" : "rounds", percent);
}

/* If the cause is outside, and no function is the main one: prints how much requests are affected. */
static int print_extent_of_all(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	struct scope_paragraph line;
	struct scope_text longest, usual;

	if (!report->model->slow.slow)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	put_slow(&report->model->slow, line.to);
	if (ranking->longest_ns > 0)
		fprintf(line.to, "; the longest took %s", scope_report_format_ns(&longest, ranking->longest_ns));
	if (ranking->longest_ns > 0 && ranking->usual.mean_ns > 0)
		fprintf(line.to, " instead of %s", scope_report_format_ns(&usual, ranking->usual.mean_ns));
	return scope_report_section_broken(report, SCOPE_LABEL_EXTENT, &line);
}

static int print_extent(const struct report *report, const struct scope_model_finding *one)
{
	struct scope_paragraph line;
	struct scope_text a, b;
	char kind[128];

	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	if (scope_rank_finding_tasks(one->finding)) {
		fprintf(line.to, "%u %s%s", one->finding->hang.threads, one->who,
			one->finding->hang.threads == 1 ? "" : "s");
		return scope_report_section_broken(report, SCOPE_LABEL_EXTENT, &line);
	}
	if (one->stuck) {
		fprintf(line.to, "%u of %s thread%s", one->finding->hang.threads,
			scope_report_format_count(&a, report->analysis->units->threads),
			report->analysis->units->threads == 1 ? "" : "s");
		return scope_report_section_broken(report, SCOPE_LABEL_EXTENT, &line);
	}
	put_slow(&report->model->slow, line.to);
	fprintf(line.to, "; %.0f %% of the extra time here", 100 * one->finding->share);
	/* The answer is another finding, and has no times of requests. */
	if (report->analysis->ranking->verdict == SCOPE_VERDICT_OUTSIDE &&
	    report->analysis->ranking->decided != SCOPE_DECIDED_PEER_FIRST)
		fprintf(line.to, "; they take %s instead of %s", scope_report_format_ns(&a, one->finding->p50_ns),
			scope_report_format_ns(&b, one->finding->usual_ns));
	if (scope_report_by_request_slow(report->analysis, kind, sizeof(kind))[0])
		fprintf(line.to, "; %s", kind);
	return scope_report_section_broken(report, SCOPE_LABEL_EXTENT, &line);
}

/* The reason why a thread makes no progress, or that this is not certain. */
static const char *why_stuck(const struct scope_finding *finding)
{
	const struct scope_spin *rounds = scope_rank_finding_rounds(finding);

	if (finding->hang.unsure)
		return "it may be idle";
	if (!finding->by_stacks)
		return "no stack shows where it is";
	if (scope_rank_finding_tasks(finding))
		return "stacks have not changed in that time";
	if ((finding->lost || finding->lost_unknown) && !finding->hang.never_ran)
		return "events were lost in that time";
	if (rounds && rounds->nr == SCOPE_NR_NONE)
		return "it may poll so by design";
	return finding->kind == SCOPE_FINDING_SPIN ? "stacks show where it runs" : "its stack shows where it sleeps";
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
	if (one->stuck)
		fprintf(line.to, ": %s", why_stuck(finding));
	else
		fprintf(line.to, ": %s slow %s%s%s, %s stack%s", scope_report_format_count(&a, finding->units),
			slow->requests ? "request" : "round", finding->units == 1 ? "" : "s",
			/* More than the slow requests: background work too. */
			slow->requests && finding->units > slow->slow ? " and rounds" : "",
			scope_report_format_count(&b, stacks), stacks == 1 ? "" : "s");
	if (!one->stuck && !finding->by_stacks)
		fputs(", by signature", line.to);
	if (scope_rank_common_to_all(finding))
		fputs("; no stack shows what asked for the wait", line.to);
	if (finding->by_design)
		fprintf(line.to, "; %s (--baseline settles it)", scope_rank_by_design_text(finding->by_design));
	return scope_report_section_broken(report, SCOPE_LABEL_CONFIDENCE, &line);
}

/* Another finding: its share of the extra time, or the threads that hang there. */
static void put_other(const struct report *report, const struct scope_model_finding *one, FILE *to)
{
	const uint32_t threads = one->finding->hang.threads;

	fputs(scope_report_section_short_name(scope_report_section_function(one)), to);
	if (one->stuck)
		fprintf(to, " (%" PRIu32 " %s%s)", threads, one->who, threads == 1 ? "" : "s");
	else
		fprintf(to, " (%.0f %%%s)", 100 * one->finding->share,
			report->model->finding[0].stuck ? " of the extra time" : "");
}

/* The other findings, by name and share; no function twice. */
static int print_also(const struct report *report)
{
	const struct scope_model *model = report->model;
	const size_t findings = report->analysis->ranking->findings;
	struct scope_paragraph line;
	size_t shown = 0, others = 0;

	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	for (size_t i = 1; i < findings; i++) {
		if (model->finding[i].finding->function == model->finding[0].finding->function)
			continue;
		if (others++ >= ALSO_MAX)
			continue;
		fputs(shown++ ? ", " : "", line.to);
		put_other(report, &model->finding[i], line.to);
	}
	if (others > shown)
		fprintf(line.to, ", and %zu more", others - shown);
	if (!others) {
		fclose(line.to);
		free(line.text);
		return 0;
	}
	scope_report_section_label(report, SCOPE_LABEL_ALSO);
	return scope_report_section_clipped(report, &line);
}

int scope_report_section_first(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_model_finding *one = report->model->finding;
	int err;

	if (!ranking->findings)
		return ranking->verdict == SCOPE_VERDICT_OUTSIDE ? print_extent_of_all(report) : 0;
	err = scope_report_section_where(report, one);
	/* If the answer is not this function, it is not described further. */
	if (!err && !one->stuck && scope_report_names_first(ranking))
		err = print_example(report, one);
	if (!err)
		err = print_extent(report, one);
	if (!err)
		err = print_confidence(report, one);
	return err || report->brief ? err : print_also(report);
}
