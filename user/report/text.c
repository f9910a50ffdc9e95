// SPDX-License-Identifier: GPL-2.0-only
/* The report as text for a terminal. */
#include "report/section.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/format.h"

const char *scope_section_bold(const struct report *report)
{
	return report->style->colour ? "\033[1m" : "";
}

static const char *red(const struct report *report)
{
	return report->style->colour ? "\033[1;31m" : "";
}

const char *scope_section_plain(const struct report *report)
{
	return report->style->colour ? "\033[0m" : "";
}

static const char *meta(const struct report *report, const char *key)
{
	const char *value = scope_trace_meta(report->analysis->trace, key);

	return value ? value : "?";
}

static uint32_t distinct_groups(const struct scope_groups *groups)
{
	uint32_t count = 0;

	for (size_t i = 0; i < groups->count; i++) {
		bool again = false;

		for (size_t j = 0; j < i; j++)
			again |= !strcmp(groups->group[i].name, groups->group[j].name);
		count += !again;
	}
	return count;
}

static int print_head(const struct report *report)
{
	const struct scope_units *units = report->analysis->units;
	const struct scope_timeline *timeline = units->timeline;
	uint64_t late = scope_trace_meta_number(report->analysis->trace, SCOPE_META_LATE, 0);
	struct scope_text events, losses;
	uint32_t groups = distinct_groups(units->groups);

	fprintf(report->out,
		"scope %s · %s[%s], %zu thread%s in %u group%s · %.1f s\n"
		"Linux %s, source %s · %s events, %s lost\n\n",
		SCOPE_VERSION, meta(report, SCOPE_META_COMMAND), meta(report, SCOPE_META_PID),
		units->threads, units->threads == 1 ? "" : "s", groups, groups == 1 ? "" : "s",
		(timeline->end_ns - timeline->begin_ns) / 1e9, meta(report, SCOPE_META_KERNEL),
		meta(report, SCOPE_META_SOURCE), scope_format_large(&events, timeline->events),
		scope_format_count(&losses, scope_timeline_lost(timeline)));
	if (!strcmp(meta(report, SCOPE_META_END_REASON), "target-gone"))
		fprintf(report->out,
			"  The process ended %.1f s into the capture: this covers the time until then.\n\n",
			(timeline->end_ns - timeline->begin_ns) / 1e9);
	if (late)
		fprintf(report->out,
			"  %s new thread%s followed from a moment after the start on: thread numbers began "
			"again from the lowest.\n\n", scope_format_count(&losses, late),
			late == 1 ? " was" : "s were");
	if (!strcmp(meta(report, SCOPE_META_END_REASON), "guard"))
		fprintf(report->out,
			"  The capture was stopped by the overload guard after %.1f s: %s.\n\n",
			(timeline->end_ns - timeline->begin_ns) / 1e9, meta(report, SCOPE_META_GUARD));
	return 0;
}

/* Sources other than the module say what they cannot give. */
static int print_lacks(const struct report *report)
{
	const char *lacks = scope_trace_meta(report->analysis->trace, SCOPE_META_LACKS);
	char text[512];

	if (!lacks)
		return 0;
	snprintf(text, sizeof(text), "Source %s cannot give %s.", meta(report, SCOPE_META_SOURCE), lacks);
	fputs("  ", report->out);
	scope_format_wrapped(report->out, text, 2, 2);
	fputs("\n\n", report->out);
	return 0;
}

/* When it began, by a clock on the wall too where the trace knows one. */
static void print_since(const struct report *report)
{
	const struct scope_analysis *analysis = report->analysis;
	const uint64_t offset_ns = analysis->since_ns - analysis->units->timeline->begin_ns;
	const uint64_t begin_ns = scope_trace_meta_number(analysis->trace, SCOPE_META_BEGIN, 0);
	const uint64_t wall_ns = scope_trace_meta_number(analysis->trace, SCOPE_META_WALL_CLOCK, 0);
	const time_t seconds = (time_t)((wall_ns + (analysis->since_ns - begin_ns)) / 1000000000);
	char when[64] = "", text[192];
	struct tm tm;

	if (wall_ns && gmtime_r(&seconds, &tm))
		strftime(when, sizeof(when), ", at %Y-%m-%d %H:%M:%S UTC", &tm);
	snprintf(text, sizeof(text),
		 "It began %.1f s into the window%s: units are held against those of before.",
		 offset_ns / 1e9, when);
	fputs("  ", report->out);
	scope_format_wrapped(report->out, text, 2, 2);
	fputc('\n', report->out);
}

static void print_slow(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_finding *first = &ranking->finding[0];
	bool requests = ranking->slow_requests > 0;
	uint64_t slow = requests ? ranking->slow_requests : ranking->slow_units;
	uint64_t all = requests ? ranking->requests : ranking->units;
	struct scope_text a, b, c, d;

	fprintf(report->out,
		"%s of %s %s (%.1f %%) took too long;\n"
		"  those of the first function took %s instead of %s.\n",
		scope_format_count(&a, slow), scope_format_count(&b, all),
		requests ? "requests" : "units of work", all ? 100.0 * slow / all : 0,
		scope_format_ns(&c, first->p50_ns), scope_format_ns(&d, first->usual_ns));
	if (report->analysis->since_ns)
		print_since(report);
}

static uint32_t hung_threads(const struct scope_ranking *ranking, enum scope_finding_kind kind)
{
	uint32_t threads = 0;

	for (size_t i = 0; i < ranking->findings; i++)
		if (ranking->finding[i].kind == kind)
			threads += ranking->finding[i].threads;
	return threads;
}

static void print_reason(const struct report *report, const char *verdict)
{
	fprintf(report->out, "%s%s ", verdict, scope_section_plain(report));
	scope_format_wrapped(report->out, report->analysis->ranking->reason, strlen(verdict) + 3, 2);
	fputc('\n', report->out);
}

/* Slow inside the kernel at no more work: said, but not held against the function. */
static int print_kernel(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_finding *kernel = &ranking->kernel;
	const struct scope_function *below;
	char text[512], *inside;
	struct scope_text slow, usual;
	int err;

	if (!kernel->function)
		return 0;
	err = scope_section_inside(report, kernel, &inside);
	if (err)
		return err;
	below = report->analysis->evidence->tree.node[kernel->node].below;
	snprintf(text, sizeof(text),
		 "%.0f %% of the excess was spent inside the kernel, in calls of %s%s%s that were made "
		 "as often as usual and with about as many bytes (%u units, %s instead of %s): a matter "
		 "of the kernel, the network or the machine below it.",
		 100 * kernel->share, kernel->function->name, below ? " to " : "",
		 below ? below->name : "", kernel->units, scope_format_ns(&slow, kernel->p50_ns),
		 scope_format_ns(&usual, kernel->usual_ns));
	fputs("  ", report->out);
	scope_format_wrapped(report->out, text, 2, 2);
	fputc('\n', report->out);
	if (inside) {
		fputs("  In the kernel: ", report->out);
		scope_format_wrapped(report->out, inside, 17, 2);
		fputc('\n', report->out);
		free(inside);
	}
	return 0;
}

/* Long rounds of what serves nobody: said, for they may be what somebody looks for. */
static void print_background(const struct report *report)
{
	const struct scope_detection *detection = report->analysis->detection;
	const struct scope_group *most = NULL;
	uint64_t units = 0, beyond = 0, most_beyond = 0;
	char text[512];

	for (size_t i = 0; i < detection->populations; i++) {
		const struct scope_population *population = &detection->population[i];

		if (!population->background)
			continue;
		units += population->units;
		beyond += population->beyond;
		if (population->beyond > most_beyond) {
			most = &report->analysis->groups->group[population->group];
			most_beyond = population->beyond;
		}
	}
	if (beyond < scope_rank_defaults.units_min)
		return;
	snprintf(text, sizeof(text),
		 "Background work is not judged by itself, only where requests wait for it: %" PRIu64
		 " of its %" PRIu64 " rounds took long, most of them in threads %s, which serve no client.",
		 beyond, units, most->name);
	fputs("  ", report->out);
	scope_format_wrapped(report->out, text, 2, 2);
	fputc('\n', report->out);
}

/* A finding that it fell short of one rule of, by what. */
static void tell_rule(const struct scope_finding *finding, enum scope_rank_rule rule, FILE *to)
{
	const struct scope_rank_options *need = &scope_rank_defaults;

	switch (rule) {
	case SCOPE_RULE_UNITS:
		if (finding->units < need->units_min)
			fprintf(to, "it was seen in %u units, and %u are needed", finding->units,
				need->units_min);
		else
			fprintf(to,
				"it was seen in %u units, which samples as rare as usual would have made "
				"%.1f, and %.0f are needed",
				finding->units, finding->units_at_first, need->units_at_first_min);
		break;
	case SCOPE_RULE_ODDS:
		fprintf(to, "its odds against usual units are ×%.1f, and ×%.0f are needed", finding->odds,
			need->odds_min * (finding->outside ? 1 : 1 / (1 - scope_rank_doubt(finding))));
		break;
	case SCOPE_RULE_TIMES:
		fprintf(to, "its share of slow units is ×%.1f that of usual ones, and ×%.1f is needed",
			finding->times, need->times_min);
		break;
	case SCOPE_RULE_CHANCE:
		fprintf(to, "so few stacks name it that chance may have put it there (z %.1f, and %.1f is "
			"needed)", finding->chance_z, need->chance_z);
		break;
	case SCOPE_RULE_HALVES:
		fputs("nearly all of it fell into one half of the window", to);
		break;
	case SCOPE_RULE_PARTS:
		fputs("too few stacks tell whether what it calls is one cause", to);
		break;
	case SCOPE_RULE_NONE:
	case SCOPE_RULE_EXCESS:
		break;
	}
}

/* What came near to being found, and why it was not. */
static int print_near(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	char *text = NULL;
	size_t size;
	FILE *to;

	if (ranking->findings || !ranking->nears)
		return 0;
	to = open_memstream(&text, &size);
	if (!to)
		return -ENOMEM;
	fputs("Nearest to a finding came", to);
	for (size_t i = 0; i < ranking->nears; i++) {
		const struct scope_finding *finding = &ranking->near[i].finding;

		fprintf(to, "%s %s (%s), with %.0f %% of the excess: ", i ? ";" : "",
			finding->function->name, finding->function->module, 100 * finding->share);
		tell_rule(finding, ranking->near[i].fails, to);
	}
	fputc('.', to);
	if (fclose(to)) {
		free(text);
		return -ENOMEM;
	}
	fputs("  ", report->out);
	scope_format_wrapped(report->out, text, 2, 2);
	fputc('\n', report->out);
	free(text);
	return 0;
}

static int print_verdict(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_finding *first = ranking->finding;
	struct scope_text age;
	uint32_t threads;
	int err;

	fprintf(report->out, "  %s",
		ranking->verdict == SCOPE_VERDICT_NOTHING ? scope_section_bold(report) : red(report));
	switch (ranking->verdict) {
	case SCOPE_VERDICT_HANG:
		threads = hung_threads(ranking, SCOPE_FINDING_HANG);
		fprintf(report->out, "HANG%s inside the program. %u thread%s %s still; the first for %s.\n",
			scope_section_plain(report), threads, threads == 1 ? "" : "s",
			threads == 1 ? "stands" : "stand", scope_format_ns(&age, first->age_ns));
		break;
	case SCOPE_VERDICT_SPIN:
		threads = hung_threads(ranking, SCOPE_FINDING_SPIN);
		fprintf(report->out, "SPIN%s inside the program. %u thread%s without end, the first for %s.\n",
			scope_section_plain(report), threads, threads == 1 ? " runs" : "s run",
			scope_format_ns(&age, first->age_ns));
		break;
	case SCOPE_VERDICT_SLOWDOWN:
		fprintf(report->out, "SLOWDOWN%s %s the program. ", scope_section_plain(report),
			first->outside ? "outside" : "inside");
		print_slow(report);
		break;
	case SCOPE_VERDICT_OUTSIDE:
		print_reason(report, "OUTSIDE THE PROGRAM.");
		break;
	case SCOPE_VERDICT_NOTHING:
		print_reason(report, "NOTHING ABNORMAL.");
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

static void kind_text(const struct scope_finding *finding, char *text, size_t room)
{
	double times = finding->usual_ns > 0 ? finding->p50_ns / finding->usual_ns : 0;

	switch (finding->kind) {
	case SCOPE_FINDING_HANG:
		snprintf(text, room, finding->lock ? "hung, lock" : "hung");
		break;
	case SCOPE_FINDING_SPIN:
		snprintf(text, room, "spins");
		break;
	case SCOPE_FINDING_TIME:
		snprintf(text, room, times < 9.95 ? "time ×%.1f" : "time ×%.0f", times);
		break;
	case SCOPE_FINDING_CALLS:
		snprintf(text, room, "calls ×%.0f", finding->calls_times);
		break;
	case SCOPE_FINDING_WAIT:
		snprintf(text, room, finding->outside ? "slow %s" : "waits",
			 scope_section_outside(finding));
		break;
	case SCOPE_FINDING_LOCK:
		snprintf(text, room, "holds lock");
		break;
	case SCOPE_FINDING_LATE:
		snprintf(text, room, "makes wait");
		break;
	}
}

const char *scope_section_outside(const struct scope_finding *finding)
{
	return finding->class == SCOPE_WAIT_DISK      ? "disk"
	       : finding->class == SCOPE_WAIT_NETWORK ? "peer"
						      : "pipe";
}

bool scope_section_stuck(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_HANG || finding->kind == SCOPE_FINDING_SPIN;
}

static const char *confidence_name(enum scope_confidence confidence)
{
	static const char *const name[] = {"low", "medium", "high"};

	return name[confidence];
}

/* A long name stands whole in the details; where there are none it takes the room it needs. */
static void print_name(const struct report *report, const struct scope_function *function, bool detailed)
{
	const char *name = function ? scope_signatures_name(report->analysis->signatures, function)
				    : "(no usable stack)";

	fputs(scope_section_bold(report), report->out);
	if (detailed)
		scope_format_name(report->out, name, 30);
	else
		scope_format_padded(report->out, name, 30);
	fprintf(report->out, "%s ", scope_section_plain(report));
}

static void print_row(const struct report *report, size_t index)
{
	const struct scope_finding *finding = &report->analysis->ranking->finding[index];
	const struct scope_function *function = finding->function;
	char kind[32], times[64];
	struct scope_text count, usual, slow;

	kind_text(finding, kind, sizeof(kind));
	if (scope_section_stuck(finding))
		snprintf(times, sizeof(times), "for %s", scope_format_ns(&slow, finding->age_ns));
	else
		snprintf(times, sizeof(times), "%s → %s", scope_format_ns(&usual, finding->usual_ns),
			 scope_format_ns(&slow, finding->p99_ns));
	fprintf(report->out, "  %-2zu ", index + 1);
	print_name(report, function, index < report->style->details);
	scope_format_padded(report->out, function ? function->module : "-", 12);
	fprintf(report->out, " %3.0f %%  ", 100 * finding->share);
	scope_format_padded(report->out, kind, 11);
	fprintf(report->out, " %7s  ",
		scope_format_count(&count, scope_section_stuck(finding) ? finding->threads : finding->units));
	scope_format_padded(report->out, times, 18);
	fprintf(report->out, " %s\n", confidence_name(finding->confidence));
	scope_section_effect(report, index);
}

/* Which findings stacks name, which signatures, which both; where there are signatures. */
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
	bool told = false;

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
				fprintf(report->out, "%s%s: %zu", told ? " · " : "", rows[row].text,
					i + 1);
			any = told = true;
		}
	}
	fputc('\n', report->out);
}

static int print_ranking(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	size_t functions = scope_symbols_program_functions(report->analysis->symbols, 0);
	uint32_t named = 0;
	struct scope_text total;

	if (!ranking->findings)
		return 0;
	fprintf(report->out,
		"  #  function                       module       excess kind        %7s  %-18s sure\n",
		scope_section_stuck(ranking->finding) ? "threads" : "units",
		scope_section_stuck(ranking->finding) ? "how long" : "usual → p99");
	for (size_t i = 0; i < ranking->findings; i++) {
		print_row(report, i);
		named += ranking->finding[i].function != NULL;
	}
	print_named_by(report);
	fputs("     ", report->out);
	if (ranking->explained_ns > 0 && ranking->excess_ns > 0)
		fprintf(report->out, "explained %.0f %% of the excess · ",
			100 * ranking->explained_ns / ranking->excess_ns);
	if (functions)
		fprintf(report->out, "%u of %s program functions (%.2f %%) · ", named,
			scope_format_count(&total, functions), 100.0 * named / functions);
	fprintf(report->out, "confidence %s (n %u)\n\n",
		confidence_name(ranking->finding[0].confidence), ranking->finding[0].units);
	return 0;
}

int scope_report_text(const struct scope_analysis *analysis, const struct scope_report_style *style,
		      FILE *out)
{
	static int (*const section[])(const struct report *) = {
		print_head, print_lacks, print_verdict, print_ranking, scope_section_causal, scope_section_details,
		scope_section_times, scope_section_basis,
	};
	const struct report report = {analysis, style, out};

	for (size_t i = 0; i < sizeof(section) / sizeof(*section); i++) {
		int err = section[i](&report);

		if (err)
			return err;
	}
	return 0;
}
