// SPDX-License-Identifier: GPL-2.0-only
/* The first screen's lines about the first finding: where, its callers, a normal and a slow request, the extent, how sure. */
#include "report/section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rank/by_design.h"
#include "report/answer.h"
#include "report/by_request.h"
#include "report/numbers.h"

#define LABEL SCOPE_SCREEN_LABEL
#define EXAMPLE_CALLS 3 /* calls shown of a slow request and of a usual one */
#define CUT_MOST 0.5	/* share of cut stacks from which the path is marked as cut */
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
	return scope_report_section_clipped(report, &text);
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
	return scope_report_section_clipped(report, &line);
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

/* The name of a function, by a symbol or a signature; NULL: it has none. */
static const char *known_name(const struct report *report, const struct scope_function *function)
{
	const char *name = scope_signatures_name(report->analysis->signatures, function);

	return function->known || name != function->name ? name : NULL;
}

/* Callers without a name are "…": addresses, which -v has, would leave no room for those that have one. */
static void put_callers(const struct report *report, const struct scope_model_finding *one, size_t count, FILE *to)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	bool left_out = false;

	fputs("called by ", to);
	for (size_t i = 1; i < count; i++) {
		const char *name = known_name(report, tree->node[one->path[i]].function);

		if (name || !left_out)
			fprintf(to, "%s%s", i == 1 ? "" : " ← ", name ? name : "…");
		left_out = !name;
	}
	if (one->cut_share > CUT_MOST && !left_out)
		fputs(" ← …", to);
}

/* The callers to print; 0: none has a name. */
static size_t named_callers(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	const size_t count = one->finding->function ? scope_report_section_callers(one) : 0;

	for (size_t i = 1; i < count; i++)
		if (known_name(report, tree->node[one->path[i]].function))
			return count;
	return 0;
}

static int print_callers(const struct report *report, const struct scope_model_finding *one)
{
	const size_t count = named_callers(report, one);
	const char *phrase, *callee = named_callee(report, one, &phrase);
	struct scope_paragraph line;

	if (count < 2 && !callee)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	if (callee)
		fprintf(line.to, "%s %s%s", phrase, callee, count < 2 ? "" : ", ");
	if (count > 1)
		put_callers(report, one, count, line.to);
	scope_report_section_label(report, SCOPE_LABELS);
	return scope_report_section_clipped(report, &line);
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

/* Where the cause is outside, and no function stands out: how bad it is for requests. */
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
	struct scope_text a;
	char kind[128];

	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	if (one->stuck) {
		fprintf(line.to, "%u of %s thread%s", one->finding->hang.threads,
			scope_report_format_count(&a, report->analysis->units->threads),
			report->analysis->units->threads == 1 ? "" : "s");
		return scope_report_section_broken(report, SCOPE_LABEL_EXTENT, &line);
	}
	put_slow(&report->model->slow, line.to);
	fprintf(line.to, "; %.0f %% of the extra time here", 100 * one->finding->share);
	if (scope_report_by_request_slow(report->analysis, kind, sizeof(kind))[0])
		fprintf(line.to, "; %s", kind);
	return scope_report_section_broken(report, SCOPE_LABEL_EXTENT, &line);
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
	if (finding->by_design)
		fprintf(line.to, "; %s (--baseline settles it)", scope_rank_by_design_text(finding->by_design));
	return scope_report_section_broken(report, SCOPE_LABEL_CONFIDENCE, &line);
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
		if (others++ < ALSO_MAX)
			fprintf(line.to, "%s%s (%.0f %%)", shown++ ? ", " : "",
				scope_report_section_function(&model->finding[i]),
				100 * model->finding[i].finding->share);
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
