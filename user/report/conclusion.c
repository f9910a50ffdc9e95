// SPDX-License-Identifier: GPL-2.0-only
/* Prints the conclusion in a sentence; if nothing is found, also the functions that came near to a finding. */
#include "report/section.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/numbers.h"
#include "report/freezes.h"

static const char *red(const struct report *report)
{
	return report->style->colour ? "\033[1;31m" : "";
}

/* Prints when the problem began, also as wall-clock time if the trace has it. */
static void print_since(const struct report *report)
{
	const struct scope_analysis *analysis = report->analysis;
	const uint64_t offset_ns = analysis->since_ns - analysis->units->timeline->begin_ns;
	const time_t seconds = (time_t)(report->model->since_wall_ns / 1000000000);
	char when[64] = "", text[192];
	struct scope_text length;
	struct tm tm;

	if (!offset_ns) {
		fprintf(report->out, "  They are compared with those of the %s before.\n",
			scope_report_format_window(&length, (uint64_t)(1e9 * report->model->part.from_s)));
		return;
	}
	if (analysis->growth.last_ns > 0) {
		fputs("  Units take longer through the whole window: those of its last third are compared with the first.\n",
		      report->out);
		return;
	}
	if (report->model->since_wall_ns && gmtime_r(&seconds, &tm))
		strftime(when, sizeof(when), ", at %Y-%m-%d %H:%M:%S UTC", &tm);
	snprintf(text, sizeof(text), "It began %s into the window%s: they are compared with those before.",
		 scope_report_format_window(&length, offset_ns), when);
	fputs("  ", report->out);
	scope_report_section_wrapped(report, text, 2, 2);
	fputc('\n', report->out);
}

static void print_slow(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_finding *first = &ranking->finding[0];
	const struct scope_model_slow *slow = &report->model->slow;
	struct scope_text a, b, c, d;

	fprintf(report->out,
		"%s of %s %s (%.1f %%) took too long;\n"
		"  those of the first function took %s instead of %s.\n",
		scope_report_format_count(&a, slow->slow), scope_report_format_count(&b, slow->all),
		slow->requests ? "requests" : "rounds of work", slow->all ? 100.0 * slow->slow / slow->all : 0,
		scope_report_format_ns(&c, first->p50_ns), scope_report_format_ns(&d, first->usual_ns));
	if (report->analysis->since_ns)
		print_since(report);
}

/* Writes how many units were slow, and the longest one: even without findings clients may have waited. */
static void write_slow(const struct report *report, char *text, size_t room)
{
	const struct scope_model_slow *slow = &report->model->slow;
	const double longest_ns = report->analysis->ranking->longest_ns;
	struct scope_text a, b, c;
	int used;

	if (slow->slow)
		used = snprintf(text, room, "%s of %s", scope_report_format_count(&a, slow->slow),
				scope_report_format_count(&b, slow->all));
	else
		used = snprintf(text, room, "None of %s", scope_report_format_count(&b, slow->all));
	used += snprintf(text + used, room - used, " %s took too long", slow->requests ? "requests" : "rounds of work");
	if (longest_ns > 0)
		used += snprintf(text + used, room - used, "; the longest request took %s",
				 scope_report_format_ns(&c, longest_ns));
	snprintf(text + used, room - used, ". ");
}

static void print_reason(const struct report *report, const char *verdict)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	char text[sizeof(ranking->reason) + 128] = "";

	if (ranking->verdict == SCOPE_VERDICT_NOTHING && !ranking->findings)
		write_slow(report, text, sizeof(text) - sizeof(ranking->reason));
	strcat(text, ranking->reason);
	fprintf(report->out, "%s%s ", verdict, scope_report_section_plain(report));
	scope_report_section_wrapped(report, text, strlen(verdict) + 3, 2);
	fputc('\n', report->out);
}

/* A function that is slow only inside the kernel, with no more work: printed, but not as a finding. */
static int print_kernel(const struct report *report)
{
	const struct scope_model_finding *one = report->model->kernel;
	const struct scope_finding *kernel = one ? one->finding : NULL;
	char text[512], *inside;
	struct scope_text slow, usual;
	int err;

	if (!one)
		return 0;
	err = scope_report_section_inside(one, &inside);
	if (err)
		return err;
	snprintf(text, sizeof(text),
		 "%.0f %% of the extra time was spent inside the kernel, in calls of %s%s%s that were made "
		 "as often as usual and with about as many bytes (%u slow ones, %s instead of %s): a matter "
		 "of the kernel, the network or the machine below it.",
		 100 * kernel->share, kernel->function->name, one->below ? " to " : "",
		 one->below ? one->below->name : "", kernel->units, scope_report_format_ns(&slow, kernel->p50_ns),
		 scope_report_format_ns(&usual, kernel->usual_ns));
	fputs("  ", report->out);
	scope_report_section_wrapped(report, text, 2, 2);
	fputc('\n', report->out);
	if (inside) {
		fputs("  In the kernel: ", report->out);
		scope_report_section_wrapped(report, inside, 17, 2);
		fputc('\n', report->out);
		free(inside);
	}
	return 0;
}

/* Long units of threads without clients are printed, because the user may be looking for them. */
static void print_background(const struct report *report)
{
	const struct scope_model_background *background = &report->model->background;
	char text[512];

	if (!background->group)
		return;
	snprintf(text, sizeof(text),
		 "Background work is not judged by itself, only where requests wait for it: %" PRIu64 " of its %" PRIu64
		 " rounds took long, most of them in threads %s, which serve no client.",
		 background->slow, background->units, background->group);
	fputs("  ", report->out);
	scope_report_section_wrapped(report, text, 2, 2);
	fputc('\n', report->out);
}

/* The rule that a function does not meet, and by how much. */
static void write_rule(const struct scope_model_near *near, const struct scope_rank_options *need, FILE *to)
{
	const struct scope_finding *finding = &near->near->finding;
	struct scope_text costs;

	switch (near->near->fails) {
	case SCOPE_RULE_UNITS:
		if (finding->units < need->units_min)
			fprintf(to, "it was seen in %u slow ones, and %u are needed", finding->units, need->units_min);
		else
			fprintf(to,
				"it was seen in %u slow ones, which samples as rare as usual would have made "
				"%.1f, and %.0f are needed",
				finding->units, finding->units_at_first, need->units_at_first_min);
		break;
	case SCOPE_RULE_ODDS:
		fprintf(to, "its odds are %.1f times those in normal ones, and %.0f times are needed", finding->odds,
			near->odds_needed);
		break;
	case SCOPE_RULE_TIMES:
		fprintf(to, "its %s is %.1f times that in normal ones, and %.1f times is needed",
			finding->grown > 1 ? "time in slow ones" : "share of slow ones", finding->times,
			need->times_min);
		break;
	case SCOPE_RULE_CHANCE:
		fprintf(to,
			"so few stacks name it that chance may have put it there (z %.1f, and %.1f is "
			"needed)",
			finding->chance_z, need->chance_z);
		break;
	case SCOPE_RULE_SPREAD:
		fputs("nearly all of it fell into a short part of the window", to);
		break;
	case SCOPE_RULE_FLOOR:
		if (finding->asks)
			fprintf(to, "a request takes %s longer by it, and %.1f ms or %.1f %% of the window are needed",
				scope_report_format_ns(&costs, near->costs_ns), need->served_ns / 1e6,
				100 * need->served_share);
		else
			fprintf(to,
				"it costs %s a round in work that takes no request, and %.0f ms or %.0f %% of the "
				"window are needed",
				scope_report_format_ns(&costs, near->costs_ns), need->floor_ns / 1e6,
				100 * need->floor_share);
		break;
	case SCOPE_RULE_PARTS:
		fputs("too few stacks show whether what it calls is one cause", to);
		break;
	case SCOPE_RULE_NONE:
	case SCOPE_RULE_EXCESS:
		break;
	}
}

/* The functions that came near to a finding, and why they are not. */
static int print_near(const struct report *report)
{
	const struct scope_model *model = report->model;
	struct scope_paragraph text;

	if (!model->nears)
		return 0;
	if (scope_report_paragraph_begin(&text))
		return -ENOMEM;
	fputs("Nearest to a finding came", text.to);
	for (size_t i = 0; i < model->nears; i++) {
		const struct scope_finding *finding = &model->near[i].near->finding;

		fprintf(text.to, "%s %s (%s), with %.0f %% of the extra time: ", i ? ";" : "", finding->function->name,
			finding->function->module, 100 * finding->share);
		write_rule(&model->near[i], &report->analysis->rank, text.to);
	}
	fputc('.', text.to);
	return scope_report_section_line(report, &text, "  ");
}

static void print_freezes(const struct report *report)
{
	struct scope_freezes_text text;

	scope_report_freezes_name(&text, report->analysis);
	fprintf(report->out, "FREEZES%s inside the program. ", scope_report_section_plain(report));
	scope_report_section_wrapped(report, text.text, 30, 2);
	fputc('\n', report->out);
	if (!report->analysis->ranking->findings)
		scope_report_section_paragraph(report, "  ", report->analysis->ranking->reason);
}

int scope_report_section_verdict(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_finding *first = ranking->finding;
	struct scope_text age;
	const uint32_t threads = report->model->stuck_threads;
	const char *who = report->model->stuck_who;
	int err;

	fprintf(report->out, "  %s",
		ranking->verdict == SCOPE_VERDICT_NOTHING ? scope_report_section_bold(report) : red(report));
	switch (ranking->verdict) {
	case SCOPE_VERDICT_HANG:
		fprintf(report->out, "HANG%s inside the program. %u %s%s %s no progress; the first for %s.\n",
			scope_report_section_plain(report), threads, who, threads == 1 ? "" : "s",
			threads == 1 ? "makes" : "make", scope_report_format_ns(&age, first->hang.age_ns));
		break;
	case SCOPE_VERDICT_SPIN:
		fprintf(report->out, "SPIN%s inside the program. %u thread%s %s, the first for %s.\n",
			scope_report_section_plain(report), threads, threads == 1 ? " runs" : "s run",
			first->hang.rounds ? "round without progress" : "without end",
			scope_report_format_ns(&age, first->hang.age_ns));
		break;
	case SCOPE_VERDICT_SLOWDOWN:
		fprintf(report->out, "SLOWDOWN%s %s the program. ", scope_report_section_plain(report),
			report->model->outside ? "outside" : "inside");
		print_slow(report);
		if (ranking->beside[0]) {
			fputs("  ", report->out);
			scope_report_section_wrapped(report, ranking->beside, 2, 2);
			fputc('\n', report->out);
		}
		break;
	case SCOPE_VERDICT_FREEZES:
		print_freezes(report);
		break;
	case SCOPE_VERDICT_OUTSIDE:
		print_reason(report, "OUTSIDE THE PROGRAM.");
		break;
	case SCOPE_VERDICT_NOTHING:
		print_reason(report, ranking->decided == SCOPE_DECIDED_BY_NONE ? "NOTHING OF THIS KIND."
				     : ranking->findings		       ? "NOTHING ABNORMAL inside the program."
									       : "NOTHING ABNORMAL.");
		break;
	case SCOPE_VERDICT_UNKNOWN:
		print_reason(report, "NOTHING CAN BE SAID.");
		break;
	}
	err = print_kernel(report);
	print_background(report);
	if (!err)
		err = print_near(report);
	fputc('\n', report->out);
	return err;
}
