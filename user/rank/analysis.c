// SPDX-License-Identifier: GPL-2.0-only
/* The whole way from an opened trace to a ranking. */
#include "rank/analysis.h"

#include <errno.h>
#include <stdlib.h>

#include "rank/onset.h"
#include "unit/once.h"

void scope_analysis_options_init(struct scope_analysis_options *options)
{
	*options = (struct scope_analysis_options){
		.detect = scope_detect_defaults,
		.rank = scope_rank_defaults,
		.keep_units = SCOPE_KEEP_UNITS,
		.settled_ns = UINT64_MAX,
	};
}

static int rank(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	const struct scope_rank_input input = {
		.survey = analysis->survey,
		.detection = analysis->detection,
		.kept = analysis->kept,
		.units = analysis->units,
		.reference = analysis->reference_kept,
		.since_ns = analysis->since_ns,
		.hangs = analysis->hangs,
		.hang_count = analysis->hang_count,
		.evidence = analysis->evidence,
		.second = analysis->second,
		.options = &options->rank,
	};

	return scope_rank_run(&input, &analysis->ranking);
}

static int name_functions(struct scope_trace *trace, const struct scope_symbol_options *options,
			  struct scope_symbols **ret_symbols)
{
	size_t map_count, symbol_count;
	const struct scope_trace_map *maps = scope_trace_maps(trace, &map_count);
	const struct scope_trace_symbol *symbols = scope_trace_symbols(trace, &symbol_count);

	return scope_symbols_create(maps, map_count, symbols, symbol_count, options, ret_symbols);
}

/* What units there are, from the stream where it can tell. */
static int survey(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	struct scope_stream_result found;
	int err = -ENODATA;

	if (options->stream)
		err = scope_stream_finish(options->stream, options->settled_ns, &found);
	if (!err) {
		analysis->pickups = found.pickups;
		analysis->groups = found.groups;
		analysis->survey = found.survey;
	} else {
		err = scope_once_run(analysis->trace, SCOPE_ONCE_EVENTS, &analysis->pickups,
				     &analysis->groups, &analysis->survey, NULL);
	}
	if (err)
		return err;
	scope_groups_conclude(analysis->groups, analysis->pickups);
	return scope_survey_forget(analysis->survey, analysis->groups, options->from_ns);
}

/* Which units are abnormal, by their own trace or the baseline. */
static int detect(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	int err = analysis->survey ? 0 : survey(analysis, options);

	if (!err)
		err = scope_detect_run(analysis->groups, analysis->survey, &options->detect,
				       &analysis->detection);
	if (!err && options->baseline && !analysis->reference)
		err = scope_reference_create(options->baseline, &analysis->reference);
	if (!err && options->baseline)
		err = scope_reference_apply(analysis->reference, analysis->groups, analysis->survey,
					    &options->detect, analysis->detection);
	if (!err)
		err = scope_keep_run(analysis->survey, analysis->groups, analysis->detection,
				     options->keep_units, &analysis->kept);
	if (!err && options->baseline)
		err = scope_keep_reference(analysis->reference, analysis->detection,
					   options->keep_units, &analysis->reference_kept);
	return err;
}

static int collect(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	struct scope_evidence_source source = {
		.trace = analysis->trace,
		.kept = analysis->kept,
		.signatures = options->signatures,
	};
	struct scope_evidence_source reference = {
		.trace = options->baseline,
		.kept = analysis->reference_kept,
	};
	const struct scope_evidence_source *norm = options->baseline ? &reference : NULL;
	struct scope_symbol_options elsewhere = options->symbols;
	int err = name_functions(analysis->trace, &options->symbols, &analysis->symbols);

	if (!analysis->since_ns)
		elsewhere.root = NULL; /* the baseline's processes are others */
	if (!err && options->baseline)
		err = name_functions(options->baseline, &elsewhere, &analysis->reference_symbols);
	/* One more pass over the trace, which is not for one that is still being written. */
	if (!err && options->signatures && options->signatures->episodes &&
	    options->settled_ns == UINT64_MAX)
		err = scope_evidence_sign(&source, norm, analysis->detection, &analysis->second);
	if (err)
		return err;
	analysis->signatures = options->signatures;
	if (!options->no_stacks) {
		source.symbols = analysis->symbols;
		reference.symbols = analysis->reference_symbols;
	}
	return scope_evidence_collect(&source, norm, analysis->detection, analysis->pickups,
				      analysis->second, analysis->hangs, &analysis->hang_count,
				      &analysis->evidence);
}

static int analyse(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	int err = detect(analysis, options);

	if (err)
		return err;
	analysis->units = analysis->kept->units;
	err = scope_hang_find(analysis->units, analysis->survey, analysis->pickups,
			      &analysis->hangs, &analysis->hang_count);
	if (!err)
		err = collect(analysis, options);
	return err ? err : rank(analysis, options);
}

static int run(struct scope_trace *trace, const struct scope_analysis_options *options,
	       struct scope_analysis **ret_analysis)
{
	struct scope_analysis *analysis = calloc(1, sizeof(*analysis));
	int err;

	if (!analysis) {
		scope_reference_destroy(options->reference);
		return -ENOMEM;
	}
	analysis->trace = trace;
	analysis->reference = options->reference;
	err = analyse(analysis, options);
	if (err) {
		scope_analysis_destroy(analysis);
		return err;
	}
	*ret_analysis = analysis;
	return 0;
}

/* What both analyses of a trace that is parted in two have in common belongs to one of them. */
static void pass_survey(struct scope_analysis *from, struct scope_analysis *to)
{
	to->pickups = from->pickups;
	to->groups = from->groups;
	to->survey = from->survey;
	from->pickups = NULL;
	from->groups = NULL;
	from->survey = NULL;
}

/*
 * Does something begin in the middle? Then what is found against the time before, else NULL. Units stay as
 * they were cut: nothing is read of the trace but stacks and calls of examples, and a report that is made
 * while the trace is being written can ask this too.
 */
static int run_since(struct scope_analysis *whole, const struct scope_analysis_options *options,
		     struct scope_analysis **ret_analysis)
{
	struct scope_analysis_options since = *options;
	struct scope_analysis *analysis;
	uint64_t since_ns;
	int err = scope_onset_find(whole->kept, whole->detection, options->rank.times_min,
				   options->rank.chance_z, &since_ns);

	*ret_analysis = NULL;
	if (err || !since_ns)
		return err;
	analysis = calloc(1, sizeof(*analysis));
	if (!analysis)
		return -ENOMEM;
	since.baseline = analysis->trace = whole->trace;
	analysis->since_ns = since_ns;
	err = scope_reference_before(whole->trace, whole->pickups, whole->groups, whole->survey, since_ns,
				     &analysis->reference);
	pass_survey(whole, analysis);
	if (!err)
		err = analyse(analysis, &since);
	if (!err && analysis->ranking->findings) {
		*ret_analysis = analysis;
		return 0;
	}
	pass_survey(analysis, whole);
	scope_analysis_destroy(analysis);
	return err;
}

/* Only where its own units are the norm. */
static bool may_be_since(const struct scope_analysis *whole, const struct scope_analysis_options *options)
{
	return !whole->ranking->findings && whole->ranking->verdict != SCOPE_VERDICT_UNKNOWN &&
	       !options->baseline;
}

int scope_analysis_run(struct scope_trace *trace, const struct scope_analysis_options *options,
		       struct scope_analysis **ret_analysis)
{
	struct scope_analysis *whole, *since = NULL;
	int err = run(trace, options, &whole);

	if (err)
		return err;
	if (may_be_since(whole, options))
		err = run_since(whole, options, &since);
	if (err || since)
		scope_analysis_destroy(whole);
	if (!err)
		*ret_analysis = since ? since : whole;
	return err;
}

void scope_analysis_destroy(struct scope_analysis *analysis)
{
	if (!analysis)
		return;
	scope_ranking_destroy(analysis->ranking);
	scope_evidence_destroy(analysis->evidence);
	scope_evidence_destroy(analysis->second);
	scope_symbols_destroy(analysis->symbols);
	scope_symbols_destroy(analysis->reference_symbols);
	scope_kept_destroy(analysis->reference_kept);
	scope_reference_destroy(analysis->reference);
	free(analysis->hangs);
	scope_kept_destroy(analysis->kept);
	scope_detection_destroy(analysis->detection);
	scope_survey_destroy(analysis->survey);
	scope_groups_destroy(analysis->groups);
	scope_pickups_destroy(analysis->pickups);
	free(analysis);
}
