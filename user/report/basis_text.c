// SPDX-License-Identifier: GPL-2.0-only
/* Prints the data on which the answer is based, and the rule that was applied. */
#include "report/section.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/numbers.h"

#define CUT_MUCH 0.2 /* share of the stacks from which a remedy is printed */

/* The units of the baseline, if there is one. The rates show if more work comes than before. */
static void write_baseline(const struct scope_basis *basis, FILE *to)
{
	const struct scope_basis_baseline *baseline = &basis->baseline;
	struct scope_text units;

	if (!baseline->known)
		return;
	fprintf(to, " Compared with the %s, which has %zu of these kinds, and %s requests and rounds in %.1f s",
		baseline->before ? "time before" : "baseline", baseline->populations,
		scope_report_format_count(&units, baseline->units), baseline->seconds);
	if (!isnan(baseline->per_s))
		fprintf(to, ", %.0f a second, here %.0f", baseline->per_s, baseline->here_per_s);
	fputc('.', to);
	if (!baseline->before)
		fprintf(to,
			" If requests take %.2f times as long as there as a whole, they are slow, and %.0f %% of the difference "
			"is a finding.",
			basis->detect.whole_times, 100 * basis->rank.growth_share);
	if (!baseline->populations)
		fputs(" Nothing in it resembles this trace: is it of the same program?", to);
}

static void write_stacks_not_there(const struct scope_basis *basis, FILE *to)
{
	const struct {
		uint64_t stacks;
		const char *why;
	} rows[] = {
		{ basis->skipped, "not taken (limit per second)" },
		{ basis->absent, "of calls whose sleep was thinned out or lost" },
		{ basis->given_up, "not unwound in time" },
		{ basis->lost, "lost since there was no room in perf's ring of stacks" },
	};
	struct scope_text count;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].stacks)
			fprintf(to, ", %s %s", scope_report_format_count(&count, rows[i].stacks), rows[i].why);
}

/* In busy times only longer calls may have got a stack. */
static void write_choice(const struct scope_basis *basis, FILE *to)
{
	struct scope_text a, b;

	if (basis->stack_highest_ns > basis->stack_min_ns)
		fprintf(to, ", at times only of calls above %s, not %s",
			scope_report_format_ns(&a, basis->stack_highest_ns),
			scope_report_format_ns(&b, basis->stack_min_ns));
}

/* The quality of stacks: cut ones are longer than the copy, broken ones lack unwind tables. */
static void write_stacks(const struct scope_basis *basis, FILE *to)
{
	if (!basis->stacks)
		return;
	fprintf(to, " (%.1f %% without a program function%s, %.1f %% cut short",
		100.0 * basis->nameless / basis->stacks,
		basis->folders ? " even if libraries in the system's folders count as the program's, as they do here"
			       : "",
		100.0 * basis->cut / basis->stacks);
	if (basis->broken)
		fprintf(to, ", %.1f %% broken", 100.0 * basis->broken / basis->stacks);
	if (basis->tracer)
		fprintf(to, ", %.1f %% hit the tracer itself and were left out", 100.0 * basis->tracer / basis->stacks);
	if (basis->cut > CUT_MUCH * basis->stacks && !basis->copies_grow)
		fprintf(to, ": --stack-bytes %d copies longer ones", SCOPE_STACK_BYTES_MAX);
	fputc(')', to);
}

/* If the module refused tables nothing is missing, but the target was slowed down more. */
static void write_refused(const struct scope_basis *basis, FILE *to)
{
	struct scope_text tables, times;

	if (basis->tables_refused || basis->maps_refused)
		fprintf(to,
			" The module had no room for %s, and %s for the mappings of a process: their stacks were copied, "
			"which costs the target more.",
			scope_report_format_some(&tables, basis->tables_refused, "unwind table"),
			scope_report_format_some(&times, basis->maps_refused, "time"));
}

static void write_signatures(const struct scope_basis_signatures *signatures, FILE *to)
{
	struct scope_text count;

	if (!signatures->known)
		return;
	fprintf(to, " %s signatures recognize %zu of %zu learned functions",
		scope_report_format_count(&count, signatures->episodes), signatures->recognized, signatures->functions);
	if (signatures->shared)
		fprintf(to, " (%zu left aside: too many functions share them)", signatures->shared);
	if (!isnan(signatures->fit_share))
		fprintf(to, ", they fit %.1f %% of the times that count", 100 * signatures->fit_share);
	fputc('.', to);
}

/* The rule that was applied. */
static void write_rule(const struct scope_basis *basis, FILE *to)
{
	const struct scope_rank_options *rule = &basis->rank;
	struct scope_text requests, units, kinds;

	fprintf(to,
		"basis: %s, %s of background work, %s of like ones; slow: above z %.1f and "
		"%.0f times the median of the kind; a finding needs %.0f %% of busy time, %u slow ones, 2 s or "
		"%.0f %% of the window, odds ×%.0f and a share ×%.1f (or odds ×%.0f) those of normal ones.",
		scope_report_format_some(&requests, basis->requests, "request"),
		scope_report_format_some(&units, basis->units > basis->requests ? basis->units - basis->requests : 0,
					 "round"),
		scope_report_format_some(&kinds, basis->populations, "kind"), basis->z, basis->detect.times_min,
		100 * rule->excess_share, rule->units_min, 100 * rule->spread, rule->odds_min, rule->times_min,
		rule->odds_alone);
}

static void write_basis(const struct scope_basis *basis, FILE *to)
{
	const struct scope_cluster_options *cluster = &basis->detect.cluster;
	struct scope_text a;

	write_rule(basis, to);
	fprintf(to, " %s", scope_report_format_some(&a, basis->stacks, "stack"));
	write_stacks(basis, to);
	write_stacks_not_there(basis, to);
	write_choice(basis, to);
	fputc('.', to);
	write_refused(basis, to);
	write_signatures(&basis->signatures, to);
	write_baseline(basis, to);
	if (basis->false_wakeups)
		fprintf(to, " %s false wakeups were taken for part of the sleep.",
			scope_report_format_count(&a, basis->false_wakeups));
	if (basis->unrecorded)
		fprintf(to,
			" %s times a thread ran without the kernel having reported that it came to a CPU: its sleep "
			"was taken to end there.",
			scope_report_format_count(&a, basis->unrecorded));
	if (basis->discarded)
		fprintf(to, " %s %s left out because events around them were lost.",
			scope_report_format_count(&a, basis->discarded),
			basis->discarded == 1 ? "request or round was" : "requests and rounds were");
	if (cluster->linkage != scope_anomaly_detect_defaults.cluster.linkage)
		fprintf(to, " Like ones were put together by %s clustering.",
			scope_cluster_linkage_name(cluster->linkage));
	if (basis->sampled)
		fprintf(to,
			" There were too many different ones to cluster all: %s, taken at random, were clustered, and "
			"the others put to those they resemble.",
			scope_report_format_count(&a, cluster->max_points));
}

int scope_report_section_basis(const struct report *report)
{
	const struct scope_analysis *analysis = report->analysis;
	const char *damage = scope_trace_damage(analysis->trace);
	const char *unread = scope_trace_meta(analysis->trace, SCOPE_META_UNREAD);
	size_t problems;
	const char *const *problem;
	struct scope_paragraph text;

	if (scope_report_paragraph_begin(&text))
		return -ENOMEM;
	write_basis(&report->model->basis, text.to);
	if (scope_report_section_line(report, &text, "  "))
		return -ENOMEM;
	if (damage[0])
		fprintf(report->out, "  %s\n", damage);
	if (unread)
		scope_report_section_paragraph(report, "  ", unread);
	for (size_t i = 0; analysis->signatures && i < analysis->signatures->problems; i++)
		scope_report_section_paragraph(report, "  ", analysis->signatures->problem[i]);
	problem = scope_symbols_problems(analysis->symbols, &problems);
	for (size_t i = 0; i < problems && i < 5; i++)
		fprintf(report->out, "  %s\n", problem[i]);
	return 0;
}
