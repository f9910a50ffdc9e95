// SPDX-License-Identifier: GPL-2.0-only
/* The report as text for a terminal. */
#include "report/section.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/numbers.h"
#include "report/server_text.h"

#define PROSE_WIDTH 100 /* of the first screen */
#define DETAIL_WIDTH 96 /* columns of the basis, if the terminal has as many */

unsigned scope_report_style_columns(const struct scope_report_style *style)
{
	const unsigned columns = style->columns ? style->columns : SCOPE_REPORT_COLUMNS;

	return columns < SCOPE_REPORT_COLUMNS_MIN   ? SCOPE_REPORT_COLUMNS_MIN
	       : columns > SCOPE_REPORT_COLUMNS_MAX ? SCOPE_REPORT_COLUMNS_MAX
						    : columns;
}

unsigned scope_report_section_width(const struct report *report)
{
	return scope_report_style_columns(report->style);
}

/* The last column for prose: longer lines are hard to read. */
static unsigned last_of(const struct report *report, unsigned most)
{
	const unsigned width = scope_report_section_width(report);

	return width < most ? width : most;
}

void scope_report_section_prose(const struct report *report, const char *text)
{
	scope_report_format_wrapped_to(report->out, text, 2, 2, last_of(report, PROSE_WIDTH));
}

void scope_report_section_wrapped(const struct report *report, const char *text, unsigned column, unsigned indent)
{
	scope_report_format_wrapped_to(report->out, text, column, indent,
				       report->style->columns ? last_of(report, DETAIL_WIDTH) : DETAIL_WIDTH);
}

void scope_report_section_paragraph(const struct report *report, const char *head, const char *text)
{
	const unsigned column = scope_report_format_columns(head);

	fputs(head, report->out);
	scope_report_section_wrapped(report, text, column, column);
	fputc('\n', report->out);
}

void scope_report_section_detail_label(const struct report *report, enum scope_report_label label)
{
	fprintf(report->out, "     %-*s", SCOPE_DETAIL_LABEL - 5, scope_report_label_text[label]);
}

void scope_report_section_detail_text(const struct report *report, enum scope_report_label label, const char *text)
{
	scope_report_section_detail_label(report, label);
	scope_report_section_wrapped(report, text, SCOPE_DETAIL_LABEL, SCOPE_DETAIL_LABEL);
	fputc('\n', report->out);
}

int scope_report_section_detail_line(const struct report *report, struct scope_paragraph *paragraph,
				     enum scope_report_label label)
{
	char *text;
	const int err = scope_report_paragraph_end(paragraph, &text);

	if (err)
		return err;
	scope_report_section_detail_text(report, label, text);
	free(text);
	return 0;
}

int scope_report_section_line(const struct report *report, struct scope_paragraph *paragraph, const char *head)
{
	char *text;
	const int err = scope_report_paragraph_end(paragraph, &text);

	if (err)
		return err;
	scope_report_section_paragraph(report, head, text);
	free(text);
	return 0;
}

const char *scope_report_section_bold(const struct report *report)
{
	return report->style->colour ? "\033[1m" : "";
}

const char *scope_report_section_plain(const struct report *report)
{
	return report->style->colour ? "\033[0m" : "";
}

static const char *meta(const struct report *report, const char *key)
{
	const char *value = scope_trace_meta(report->analysis->trace, key);

	return value ? value : "?";
}

static int print_head(const struct report *report)
{
	const struct scope_units *units = report->analysis->units;
	const struct scope_timeline *timeline = units->timeline;
	const uint64_t late = report->model->late;
	struct scope_text events, losses, window;
	const uint32_t groups = report->model->group_names;
	const bool whole = scope_trace_window_to(report->analysis->trace) == UINT64_MAX;
	char *sentence;
	int err;

	fprintf(report->out,
		"scope %s · %s[%s], %zu thread%s in %u group%s · %s\n"
		"Linux %s, source %s · %s events, %s lost\n\n",
		SCOPE_VERSION, meta(report, SCOPE_META_COMMAND), meta(report, SCOPE_META_PID), units->threads,
		units->threads == 1 ? "" : "s", groups, groups == 1 ? "" : "s",
		scope_report_format_window(&window, timeline->end_ns - timeline->begin_ns),
		meta(report, SCOPE_META_KERNEL), meta(report, SCOPE_META_SOURCE),
		scope_report_format_large(&events, timeline->events),
		scope_report_format_count(&losses, scope_timeline_lost(timeline)));
	err = scope_report_server_sentence(report->analysis, &sentence);
	if (err)
		return err;
	scope_report_format_paragraph(report->out, "  ", sentence);
	scope_report_server_print_explained(report->analysis, true, scope_report_style_columns(report->style),
					    report->out);
	fputc('\n', report->out);
	free(sentence);
	if (whole && !strcmp(meta(report, SCOPE_META_END_REASON), "target-gone"))
		fprintf(report->out, "  The process ended %s into the capture: this covers the time until then.\n\n",
			scope_report_format_window(&losses, (uint64_t)(1e9 * report->model->part.whole_s)));
	if (late)
		fprintf(report->out,
			"  %s new thread%s followed from a moment after the start on: thread numbers began "
			"again from the lowest.\n\n",
			scope_report_format_count(&losses, late), late == 1 ? " was" : "s were");
	if (whole && !strcmp(meta(report, SCOPE_META_END_REASON), "guard"))
		fprintf(report->out, "  The capture was stopped by the overload guard after %s: %s.\n\n",
			scope_report_format_window(&losses, (uint64_t)(1e9 * report->model->part.whole_s)),
			meta(report, SCOPE_META_GUARD));
	return 0;
}

/* Prints what the source, if it is not the module, cannot record. */
static int print_lacks(const struct report *report)
{
	const char *lacks = scope_trace_meta(report->analysis->trace, SCOPE_META_LACKS);
	char text[512];

	if (!lacks)
		return 0;
	snprintf(text, sizeof(text), "Source %s cannot give %s.", meta(report, SCOPE_META_SOURCE), lacks);
	scope_report_section_paragraph(report, "  ", text);
	fputc('\n', report->out);
	return 0;
}

const char *scope_report_section_stuck(const struct scope_model_finding *one)
{
	return scope_rank_finding_tasks(one->finding) ? "tasks" : "threads";
}

void scope_report_section_kind(const struct scope_model_finding *one, char *text, size_t room)
{
	const struct scope_finding *finding = one->finding;

	switch (finding->kind) {
	case SCOPE_FINDING_HANG:
		snprintf(text, room, finding->hang.lock ? "hung, lock" : "hung");
		break;
	case SCOPE_FINDING_SPIN:
		snprintf(text, room, "spins");
		break;
	case SCOPE_FINDING_TIME:
		snprintf(text, room, "runs longer");
		break;
	case SCOPE_FINDING_CALLS:
		snprintf(text, room, "calls more");
		break;
	case SCOPE_FINDING_WAIT:
		snprintf(text, room,
			 finding->wait.asks	 ? "asks a %s"
			 : finding->wait.outside ? "slow %s"
						 : "sleeps more",
			 one->waits_for);
		break;
	case SCOPE_FINDING_LOCK:
		snprintf(text, room, "holds lock");
		break;
	case SCOPE_FINDING_LATE:
		snprintf(text, room, "makes wait");
		break;
	}
}

const char *scope_report_section_confidence(const struct scope_finding *finding)
{
	return scope_rank_confidence_name[finding->confidence];
}

const char *scope_report_section_function(const struct scope_model_finding *one)
{
	return one->name ? one->name : "(no usable stack)";
}

/* The details have a long name in full; without details it is printed in full here. */
static void print_name(const struct report *report, const struct scope_model_finding *one, bool detailed)
{
	const unsigned width = scope_report_ranking_width(SCOPE_RANKING_FUNCTION);
	const char *name = scope_report_section_function(one);

	fputs(scope_report_section_bold(report), report->out);
	if (detailed)
		scope_report_format_name(report->out, name, width);
	else
		scope_report_format_padded(report->out, name, width);
	fprintf(report->out, "%s ", scope_report_section_plain(report));
}

/* "120 ms → 3.4 s", or for how long it hangs or spins. */
static const char *format_times(struct scope_text *text, const struct scope_model_finding *one)
{
	struct scope_text usual, slow;

	if (one->stuck)
		snprintf(text->text, sizeof(text->text), "for %s",
			 scope_report_format_ns(&slow, one->finding->hang.age_ns));
	else
		snprintf(text->text, sizeof(text->text), "%s → %s",
			 scope_report_format_ns(&usual, one->finding->usual_ns),
			 scope_report_format_ns(&slow, one->finding->p50_ns));
	return text->text;
}

/* A library's name without its version if that is too long for the column; the details have all of it. */
static void print_module(const char *module, FILE *out)
{
	const char *version = strstr(module, ".so");
	char text[64];

	snprintf(text, sizeof(text), "%s", module);
	if (version && scope_report_format_columns(module) > scope_report_ranking_width(SCOPE_RANKING_MODULE) &&
	    (size_t)(version - module) < sizeof(text))
		text[version - module] = '\0';
	scope_report_format_name(out, text, scope_report_ranking_width(SCOPE_RANKING_MODULE));
	fputc(' ', out);
}

static void print_row(const struct report *report, size_t index)
{
	const struct scope_model_finding *one = &report->model->finding[index];
	const struct scope_finding *finding = one->finding;
	const struct scope_function *function = finding->function;
	FILE *out = report->out;
	char number[24], kind[32], share[16];
	struct scope_text text;

	scope_report_section_kind(one, kind, sizeof(kind));
	snprintf(number, sizeof(number), "%zu", index + 1);
	snprintf(share, sizeof(share), "%.0f %%", 100 * finding->share);
	fputs("  ", out);
	scope_report_ranking_cell(SCOPE_RANKING_NUMBER, number, out);
	print_name(report, one, index < report->style->details);
	print_module(function ? function->module : "-", out);
	scope_report_ranking_cell(SCOPE_RANKING_EXTRA, share, out);
	scope_report_ranking_cell(SCOPE_RANKING_KIND, kind, out);
	scope_report_ranking_cell(SCOPE_RANKING_COUNT,
				  scope_report_format_count(&text, one->stuck ? finding->hang.threads : finding->units),
				  out);
	scope_report_ranking_cell(SCOPE_RANKING_TIMES, format_times(&text, one), out);
	scope_report_ranking_cell(SCOPE_RANKING_SURE, scope_report_section_confidence(finding), out);
	scope_report_section_effect(report, index);
}

/* Which findings are named by stacks, by signatures or by both, if there are signatures. */
static void print_named_by(const struct report *report)
{
	static const struct {
		const char *text;
		bool stacks, signature;
	} rows[] = {
		{ "stacks and signature", true, true },
		{ "stacks", true, false },
		{ "signature", false, true },
		{ "neither", false, false },
	};
	const struct scope_ranking *ranking = report->analysis->ranking;
	bool printed = false;

	if (!report->analysis->second)
		return;
	fputs("     named by ", report->out);
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		bool any = false;

		for (size_t i = 0; i < ranking->findings; i++) {
			const struct scope_finding *finding = &ranking->finding[i];

			if (finding->by_stacks != rows[row].stacks ||
			    (finding->signature != NULL) != rows[row].signature)
				continue;
			if (any)
				fprintf(report->out, ", %zu", i + 1);
			else
				fprintf(report->out, "%s%s: %zu", printed ? " · " : "", rows[row].text, i + 1);
			any = printed = true;
		}
	}
	fputc('\n', report->out);
}

static int print_ranking(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	size_t functions = scope_symbols_program_functions(report->analysis->symbols, 0);
	const bool stuck = ranking->findings && report->model->finding[0].stuck;
	const bool explained = ranking->explained_ns > 0 && ranking->excess_ns > 0;
	uint32_t named = 0;
	struct scope_text total;

	if (!ranking->findings)
		return 0;
	scope_report_ranking_heads(stuck ? scope_report_section_stuck(&report->model->finding[0]) : NULL, report->out);
	for (size_t i = 0; i < ranking->findings; i++) {
		print_row(report, i);
		named += ranking->finding[i].function != NULL;
	}
	print_named_by(report);
	if (explained)
		fprintf(report->out, "     %s for %.0f %% of the extra time",
			ranking->findings == 1 ? "it accounts" : "they account",
			100 * ranking->explained_ns / ranking->excess_ns);
	if (functions)
		fprintf(report->out, "%s%u of %s program functions (%.2f %%)", explained ? " · " : "     ", named,
			scope_report_format_count(&total, functions), 100.0 * named / functions);
	fputs(explained || functions ? "\n\n" : "\n", report->out);
	return 0;
}

static int print_sections(const struct report *report)
{
	static int (*const section[])(const struct report *) = {
		scope_report_section_summary,
		scope_report_section_changes,
		print_head,
		print_lacks,
		scope_report_section_verdict,
		print_ranking,
		scope_report_section_causal,
		scope_report_section_details,
		scope_report_section_times,
		scope_report_section_by_request,
		scope_report_section_waits,
		scope_report_section_uneven,
		scope_report_section_variance,
		scope_report_section_basis,
	};
	int err = 0;

	if (report->style->quiet)
		return scope_report_section_answer(report);
	if (!report->style->verbose) {
		err = scope_report_section_summary(report);
		return err ? err : scope_report_section_causal(report);
	}
	for (size_t i = 0; i < sizeof(section) / sizeof(*section) && !err; i++)
		err = section[i](report);
	return err;
}

int scope_report_text(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out)
{
	const size_t detailed = style->verbose && style->details ? style->details : 1;
	struct report report = { .analysis = analysis, .style = style, .out = out };
	struct scope_model *model;
	int err = scope_report_model_create(analysis, style->causal, detailed, &model);

	if (err)
		return err;
	report.model = model;
	err = print_sections(&report);
	scope_report_model_destroy(model);
	return err;
}
