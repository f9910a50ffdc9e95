// SPDX-License-Identifier: GPL-2.0-only
/* Collects the figures on which the answer is based. */
#include "report/basis.h"

#include <math.h>
#include <string.h>

static struct scope_basis_signatures make_signatures(const struct scope_analysis *analysis)
{
	const struct scope_signatures *signatures = analysis->signatures;
	const struct scope_evidence *second = analysis->second;
	struct scope_basis_signatures made = { .known = second != NULL, .fit_share = NAN };

	if (!second)
		return made;
	made.episodes = signatures->episodes;
	made.functions = signatures->functions;
	made.shared = signatures->shared;
	for (size_t i = 0; i < signatures->functions; i++)
		made.recognized += signatures->function[i].episodes > 0;
	if (second->stacks)
		made.fit_share = 1 - (double)second->nameless / second->stacks;
	return made;
}

/* The rates show if more work comes than before. */
static struct scope_basis_baseline make_baseline(const struct scope_analysis *analysis)
{
	const struct scope_reference *reference = analysis->reference;
	const struct scope_timeline *timeline = analysis->units->timeline;
	const double seconds = (timeline->end_ns - timeline->begin_ns) / 1e9;
	struct scope_basis_baseline made = { .known = reference != NULL, .per_s = NAN, .here_per_s = NAN };

	if (!reference)
		return made;
	made.before = analysis->since_ns != 0;
	made.units = reference->distributions->units;
	made.seconds = reference->seconds;
	for (size_t i = 0; i < analysis->detection->populations; i++)
		made.populations += analysis->detection->population[i].reference > 0;
	if (seconds > 0 && reference->seconds > 0) {
		made.per_s = made.units / reference->seconds;
		made.here_per_s = analysis->found.distributions->units / seconds;
		made.requests = reference->distributions->asked && analysis->found.distributions->asked;
		made.load_per_s = made.requests ? reference->distributions->requests / reference->seconds : made.per_s;
		made.load_here_per_s = made.requests ? analysis->found.distributions->requests / seconds
						     : made.here_per_s;
	}
	return made;
}

void scope_report_basis_make(const struct scope_analysis *analysis, struct scope_basis *ret_basis)
{
	const struct scope_evidence *evidence = analysis->evidence;
	const struct scope_detection *detection = analysis->detection;
	const struct scope_trace *trace = analysis->trace;
	const char *source = scope_trace_meta(trace, SCOPE_META_SOURCE);

	*ret_basis = (struct scope_basis){
		.detect = analysis->detect,
		.rank = analysis->rank,
		.z = detection->populations ? detection->population[0].z : 0,
		.requests = analysis->ranking->requests,
		.units = analysis->ranking->units,
		.populations = detection->populations,
		.stacks = evidence->stacks,
		.nameless = evidence->nameless,
		.folders = analysis->folders,
		.cut = evidence->cut,
		.copies_grow = source && !strcmp(source, "perf"),
		.broken = evidence->broken,
		.tracer = evidence->tracer,
		.skipped = scope_trace_meta_number(trace, SCOPE_META_STACKS_SKIPPED, 0),
		.absent = scope_trace_meta_number(trace, SCOPE_META_STACKS_ABSENT, 0),
		.lost = scope_trace_meta_number(trace, SCOPE_META_STACKS_LOST, 0),
		.given_up = scope_trace_meta_number(trace, SCOPE_META_STACKS_GIVEN_UP, 0),
		.tables_refused = scope_trace_meta_number(trace, SCOPE_META_TABLES_REFUSED, 0),
		.maps_refused = scope_trace_meta_number(trace, SCOPE_META_MAPS_REFUSED, 0),
		.stack_min_ns = scope_trace_meta_number(trace, SCOPE_META_STACK_MIN_NS, 0),
		.stack_highest_ns = scope_trace_meta_number(trace, SCOPE_META_STACK_HIGHEST_NS, 0),
		.signatures = make_signatures(analysis),
		.baseline = make_baseline(analysis),
		.false_wakeups = analysis->units->timeline->false_wakeups,
		.unrecorded = analysis->units->timeline->unrecorded,
		.discarded = analysis->units->discarded,
		.sampled = detection->sampled,
	};
}
