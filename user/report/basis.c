// SPDX-License-Identifier: GPL-2.0-only
/* What the answer rests on, and the rule that was applied. */
#include "report/section.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"

#define CUT_MUCH 0.2 /* of the stacks: worth a remedy */

/* Against which units, where a baseline was given; rates tell of work that comes more often. */
static void tell_baseline(const struct report *report, FILE *to)
{
	const struct scope_analysis *analysis = report->analysis;
	const struct scope_reference *reference = analysis->reference;
	const struct scope_timeline *timeline = analysis->units->timeline;
	double seconds = (timeline->end_ns - timeline->begin_ns) / 1e9;
	struct scope_text units;
	size_t held = 0;

	if (!reference)
		return;
	for (size_t i = 0; i < analysis->detection->populations; i++)
		held += analysis->detection->population[i].reference > 0;
	fprintf(to, " Held against the %s: %zu of %zu populations; it has %s units in %.1f s",
		analysis->since_ns ? "time before" : "baseline", held, analysis->detection->populations,
		scope_format_count(&units, reference->survey->units), reference->seconds);
	if (seconds > 0 && reference->seconds > 0)
		fprintf(to, ", %.0f a second, here %.0f",
			reference->survey->units / reference->seconds,
			analysis->found.survey->units / seconds);
	fputc('.', to);
	if (!held)
		fputs(" Nothing in it resembles this trace: is it of the same program?", to);
}

static void tell_stacks_not_there(const struct scope_trace *trace, FILE *to)
{
	static const struct {
		const char *key, *why;
	} rows[] = {
		{ SCOPE_META_STACKS_SKIPPED, "not taken (limit per second)" },
		{ SCOPE_META_STACKS_ABSENT, "of calls whose sleep was thinned out or lost" },
		{ SCOPE_META_STACKS_LOST, "lost for want of room in perf's ring of stacks" },
	};
	struct scope_text count;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t stacks = scope_trace_meta_number(trace, rows[i].key, 0);

		if (stacks)
			fprintf(to, ", %s %s", scope_format_count(&count, stacks), rows[i].why);
	}
}

/* Busy calls may have had to take longer for a stack than at other times. */
static void tell_choice(const struct scope_trace *trace, FILE *to)
{
	uint64_t least = scope_trace_meta_number(trace, SCOPE_META_STACK_MIN_NS, 0);
	uint64_t highest = scope_trace_meta_number(trace, SCOPE_META_STACK_HIGHEST_NS, 0);
	struct scope_text a, b;

	if (highest > least)
		fprintf(to, ", at times only of calls above %s, not %s",
			scope_format_ns(&a, highest), scope_format_ns(&b, least));
}

/* How good they are: cut ones are longer than what was copied, broken ones lack unwind tables. */
static void tell_stacks(const struct scope_evidence *evidence, FILE *to)
{
	if (!evidence->stacks)
		return;
	fprintf(to, " (%.1f %% without a program function, %.1f %% cut short",
		100.0 * evidence->nameless / evidence->stacks,
		100.0 * evidence->cut / evidence->stacks);
	if (evidence->broken)
		fprintf(to, ", %.1f %% broken", 100.0 * evidence->broken / evidence->stacks);
	if (evidence->tracer)
		fprintf(to, ", %.1f %% hit the tracer itself and were left out",
			100.0 * evidence->tracer / evidence->stacks);
	if (evidence->cut > CUT_MUCH * evidence->stacks)
		fprintf(to, ": --stack-bytes %d copies longer ones", SCOPE_STACK_BYTES_MAX);
	fputc(')', to);
}

static void tell_signatures(const struct scope_analysis *analysis, FILE *to)
{
	const struct scope_signatures *signatures = analysis->signatures;
	struct scope_text count;
	size_t told = 0;

	if (!analysis->second)
		return;
	for (size_t i = 0; i < signatures->functions; i++)
		told += signatures->function[i].episodes > 0;
	fprintf(to, " %s signatures tell %zu of %zu learned functions",
		scope_format_count(&count, signatures->episodes), told, signatures->functions);
	if (signatures->shared)
		fprintf(to, " (%zu left aside: too many functions share them)", signatures->shared);
	if (analysis->second->stacks)
		fprintf(to, ", they fit %.1f %% of the times that count",
			100 - 100.0 * analysis->second->nameless / analysis->second->stacks);
	fputc('.', to);
}

/* What the answer rests on, and the rule that was applied. */
static void tell_basis(const struct report *report, FILE *to)
{
	const struct scope_analysis *analysis = report->analysis;
	const struct scope_rank_options *rule = &scope_rank_defaults;
	const struct scope_evidence *evidence = analysis->evidence;
	double z = analysis->detection->populations ? analysis->detection->population[0].z : 0;
	struct scope_text a, b, c;

	fprintf(to,
		"basis: %s requests, %s units, populations: %zu; abnormal above z %.1f and %.0f times the "
		"median; a finding needs %.0f %% of busy time, %u units, both halves of the window, odds "
		"×%.0f and share ×%.1f (or odds ×%.0f) against usual units. %s stacks",
		scope_format_count(&a, analysis->ranking->requests),
		scope_format_count(&b, analysis->ranking->units), analysis->detection->populations,
		z, scope_detect_defaults.times_min, 100 * rule->excess_share, rule->units_min,
		rule->odds_min, rule->times_min, rule->odds_alone, scope_format_count(&c, evidence->stacks));
	tell_stacks(evidence, to);
	tell_stacks_not_there(analysis->trace, to);
	tell_choice(analysis->trace, to);
	fputc('.', to);
	tell_signatures(analysis, to);
	tell_baseline(report, to);
	if (analysis->units->timeline->false_wakeups)
		fprintf(to, " %s false wakeups were taken for part of the sleep.",
			scope_format_count(&a, analysis->units->timeline->false_wakeups));
	if (analysis->units->timeline->untold)
		fprintf(to, " %s times a thread ran without the kernel having told that it came to a CPU: its sleep "
			"was taken to end there.", scope_format_count(&a, analysis->units->timeline->untold));
	if (analysis->units->discarded)
		fprintf(to, " %s units were discarded because events around them were lost.",
			scope_format_count(&a, analysis->units->discarded));
	if (analysis->detection->linkage != scope_detect_defaults.cluster.linkage)
		fprintf(to, " Units were put together by %s clustering.",
			scope_linkage_name(analysis->detection->linkage));
	if (analysis->detection->sampled)
		fprintf(to, " So many different units that %s, taken at random, were clustered, and the others "
			"put to those they resemble.",
			scope_format_count(&a, scope_detect_defaults.cluster.max_points));
}

int scope_section_basis(const struct report *report)
{
	const struct scope_analysis *analysis = report->analysis;
	const char *damage = scope_trace_damage(analysis->trace);
	const char *unread = scope_trace_meta(analysis->trace, SCOPE_META_UNREAD);
	size_t problems;
	const char *const *problem;
	struct scope_paragraph text;

	if (scope_paragraph_begin(&text))
		return -ENOMEM;
	tell_basis(report, text.to);
	if (scope_paragraph_print(&text, report->out, "  "))
		return -ENOMEM;
	if (damage[0])
		fprintf(report->out, "  %s\n", damage);
	if (unread)
		scope_format_paragraph(report->out, "  ", unread);
	for (size_t i = 0; analysis->signatures && i < analysis->signatures->problems; i++)
		scope_format_paragraph(report->out, "  ", analysis->signatures->problem[i]);
	problem = scope_symbols_problems(analysis->symbols, &problems);
	for (size_t i = 0; i < problems && i < 5; i++)
		fprintf(report->out, "  %s\n", problem[i]);
	return 0;
}
