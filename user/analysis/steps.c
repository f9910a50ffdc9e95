// SPDX-License-Identifier: GPL-2.0-only
/* Runs the steps of one analysis, from units to a ranking. */
#include "analysis/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/names_need.h"
#include "analysis/pace.h"
#include "analysis/part_threads.h"
#include "analysis/regroup.h"
#include "analysis/single_pass.h"
#include "anomaly/lock_owner.h"

static bool is_slower(const struct scope_detection *detection)
{
	for (size_t i = 0; i < detection->populations; i++)
		if (detection->population[i].slower)
			return true;
	return false;
}

/* Where units take longer than the baseline's as a whole. One more pass over each trace, which is not for one that is still being written. */
static int find_pace(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	const uint64_t since_ns = analysis->since_ns ? analysis->since_ns : analysis->found.distributions->from_ns;
	const struct scope_pace_time here = { analysis->trace, since_ns, UINT64_MAX };

	if (!analysis->reference || options->settled_ns != UINT64_MAX || !is_slower(analysis->detection))
		return 0;
	return scope_analysis_pace_compare(&(struct scope_pace_time){ analysis->reference->trace, 0,
								      analysis->before ? analysis->before->until_ns
										       : UINT64_MAX },
					   &here, &analysis->pace);
}

static int rank(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	char need[256];
	bool compiles;
	const char *names_need = scope_analysis_names_need(analysis->trace, need, sizeof(need), &compiles);
	struct scope_outside *outside = &analysis->outside;
	struct scope_rank_input input = {
		.distributions = analysis->found.distributions,
		.detection = analysis->detection,
		.kept = analysis->kept,
		.units = analysis->units,
		.reference = analysis->reference_kept,
		.since_ns = analysis->since_ns,
		.hangs = analysis->hangs,
		.hang_count = analysis->hang_count,
		.freezes = &analysis->freezes,
		.evidence = analysis->evidence,
		.second = analysis->second,
		.symbols = analysis->symbols,
		.options = &options->rank,
		.own_cpu_share =
			analysis->waits->queue_ns > 0 ? analysis->waits->queue_own_ns / analysis->waits->queue_ns : 0,
		.outside = outside,
		.names_need = names_need,
		.compiles = compiles,
	};

	const struct scope_outside_source source = {
		.trace = analysis->trace,
		.waits = analysis->waits,
		.times = &analysis->work->fds,
	};
	int err = scope_rank_outside_find(&source, outside);

	if (!err)
		err = find_pace(analysis, options);
	input.pace = analysis->pace;
	if (!err)
		err = scope_rank_run(&input, &analysis->ranking);
	if (!err && analysis->ranking->decided == SCOPE_DECIDED_PEER_FIRST)
		scope_rank_outside_add_peer(outside);
	return err;
}

static int name_functions(struct scope_trace *trace, const struct scope_symbol_options *options,
			  struct scope_symbols **ret_symbols)
{
	size_t map_count, symbol_count;
	const struct scope_trace_map *maps = scope_trace_maps(trace, &map_count);
	const struct scope_trace_symbol *symbols = scope_trace_symbols(trace, &symbol_count);

	int err = scope_symbols_create(maps, map_count, symbols, symbol_count, options, ret_symbols);

	if (err)
		return err;
	err = scope_symbols_add_recorded(*ret_symbols, trace);
	if (err) {
		scope_symbols_destroy(*ret_symbols);
		*ret_symbols = NULL;
	}
	return err;
}

/* Processes that were forked in the window and ended before their mappings were read. */
static int inherit(const struct scope_analysis *analysis)
{
	struct scope_threads *threads = analysis->found.distributions->run->timeline->threads;
	const size_t count = scope_timeline_threads_count(threads);
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(threads, i);

		if (thread->ancestor)
			err = scope_symbols_inherit(analysis->symbols, thread->tgid, thread->ancestor);
	}
	return err;
}

/* Groups of a baseline have the names of its threads. A trace that is still being written is not read again. */
static int group_by_calls(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	int err;

	if (options->no_stacks || options->baseline || options->settled_ns != UINT64_MAX)
		return 0;
	err = name_functions(analysis->trace, &options->symbols, &analysis->symbols);
	if (!err)
		err = inherit(analysis);
	return err ? err
		   : scope_analysis_regroup(analysis->trace, analysis->symbols, options->listeners, &analysis->found);
}

/* Gets the units, from the stream if it has them. */
static int distributions(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	const uint64_t from_ns = options->from_ns ? options->from_ns : scope_trace_window_from(analysis->trace);
	bool *only = NULL;
	int err = -ENODATA;

	if (options->stream)
		err = scope_analysis_stream_finish(options->stream, options->settled_ns, &analysis->found);
	if (err) {
		scope_trace_keep_stacks(analysis->trace);
		err = scope_analysis_single_pass_run(analysis->trace, SCOPE_SINGLE_PASS_EVENTS, options->listeners,
						     &analysis->found, NULL);
	}
	if (!err)
		err = group_by_calls(analysis, options);
	if (err)
		return err;
	err = scope_unit_groups_conclude(analysis->found.groups, analysis->found.pickups,
					 analysis->found.distributions->run->timeline->threads);
	if (!err && options->thread)
		err = scope_analysis_part_threads(analysis->found.distributions->run->timeline, options->thread, &only);
	return err ? err
		   : scope_unit_distributions_part(analysis->found.distributions, analysis->found.groups, from_ns,
						   only);
}

static int compare_by_size(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	const struct scope_reference *reference = analysis->reference;
	int err = scope_anomaly_detection_by_size(analysis->detection, analysis->found.distributions,
						  analysis->found.groups, analysis->detection->of_vector, false,
						  &options->detect);

	if (!err && reference)
		err = scope_anomaly_detection_by_size(analysis->detection, reference->distributions, reference->groups,
						      reference->of_vector, true, &options->detect);
	return err;
}

/* Finds abnormal units, by their own trace or the baseline. */
static int detect(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	const struct scope_baseline *baseline = options->baseline;
	int err = analysis->found.distributions ? 0 : distributions(analysis, options);

	if (!err)
		err = scope_anomaly_detect_run(analysis->found.groups, analysis->found.distributions, &options->detect,
					       &analysis->detection);
	if (!err && baseline && !analysis->reference)
		err = scope_anomaly_reference_create(baseline->trace, baseline->metered.found.groups,
						     baseline->metered.found.distributions, baseline->seconds,
						     &analysis->reference);
	if (!err && analysis->reference)
		analysis->reference->as_a_whole = baseline || analysis->growth.last_ns > 0;
	if (!err && analysis->reference)
		err = scope_anomaly_reference_apply(analysis->reference, analysis->found.groups,
						    analysis->found.distributions, &options->detect,
						    analysis->detection);
	if (!err)
		err = compare_by_size(analysis, options);
	if (!err)
		err = scope_anomaly_freeze_find(analysis->found.distributions, analysis->found.groups,
						&analysis->freezes);
	if (!err)
		scope_anomaly_freeze_mark(analysis->found.distributions, analysis->found.groups, &analysis->freezes,
					  analysis->detection);
	if (!err)
		err = scope_evidence_keep_run(analysis->found.distributions, analysis->found.groups,
					      analysis->detection, options->keep_units, &analysis->kept);
	if (!err && analysis->reference)
		err = scope_evidence_keep_reference(analysis->reference, analysis->detection, options->keep_units,
						    &analysis->reference_kept);
	return err;
}

static int collect(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	struct scope_evidence_source source = {
		.trace = analysis->trace,
		.kept = analysis->kept,
		.signatures = options->signatures,
	};
	struct scope_evidence_source reference = { .kept = analysis->reference_kept };
	const struct scope_evidence_source *baseline = analysis->reference ? &reference : NULL;
	struct scope_symbol_options elsewhere = options->symbols;
	int err = 0;

	if (!analysis->symbols) {
		err = name_functions(analysis->trace, &options->symbols, &analysis->symbols);
		if (!err)
			err = inherit(analysis);
	}
	if (!analysis->since_ns)
		elsewhere.root = NULL; /* the baseline has other processes */
	if (baseline)
		reference.trace = analysis->reference->trace;
	if (!err && baseline)
		err = name_functions(reference.trace, &elsewhere, &analysis->reference_symbols);
	/* One more pass over the trace; not made while it is still being written. */
	if (!err && options->signatures && options->signatures->episodes && options->settled_ns == UINT64_MAX)
		err = scope_evidence_sign(&source, baseline, analysis->detection, &analysis->second);
	if (err)
		return err;
	analysis->signatures = options->signatures;
	if (!options->no_stacks) {
		source.symbols = analysis->symbols;
		reference.symbols = analysis->reference_symbols;
	}
	return scope_evidence_collect(&source, baseline, analysis->detection, analysis->found.pickups, analysis->second,
				      analysis->hangs, &analysis->hang_count, &analysis->evidence);
}

/* Only where the baseline's listeners heard the pass. */
static int find_changes(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	if (!options->baseline || options->listeners != &options->baseline->listeners)
		return 0;
	analysis->changes = calloc(1, sizeof(*analysis->changes));
	return analysis->changes ? scope_analysis_baseline_changes(options->baseline, &analysis->found,
								   options->from_ns, analysis->changes)
				 : -ENOMEM;
}

static int find_waits(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	int err = scope_waits_create(analysis->found.distributions, analysis->found.groups, &analysis->waits);

	if (!err && !options->no_stacks)
		err = scope_waits_name(analysis->waits, analysis->trace, analysis->found.distributions->log,
				       analysis->symbols);
	return err ? err : scope_waits_judge(analysis->waits);
}

static int find_locks(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	int err = scope_waits_locks_create(analysis->found.distributions, analysis->found.groups, &analysis->locks);

	return err || options->no_stacks
		       ? err
		       : scope_waits_locks_name(analysis->locks, analysis->found.distributions, analysis->found.groups,
						analysis->trace, analysis->symbols);
}

static int find_paths(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	int err = scope_waits_paths_create(analysis->found.distributions, analysis->found.groups, options->slowest,
					   &analysis->paths);

	return err || options->no_stacks
		       ? err
		       : scope_waits_paths_name(analysis->paths, analysis->trace, analysis->found.distributions->log,
						analysis->symbols);
}

/* One more pass over the trace, which is not for one that is still being written. */
static int find_variance(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	const struct scope_slow_path *slow = NULL;
	struct scope_variance_request request = { 0 };

	if (!options->variance || options->settled_ns != UINT64_MAX)
		return 0;
	if (options->why && analysis->paths && options->why <= analysis->paths->count)
		slow = &analysis->paths->path[options->why - 1];
	if (slow) {
		request.thread = slow->thread;
		request.begin_ns = slow->begin_ns;
	}
	return scope_variance_create(analysis->trace, analysis->found.distributions, analysis->found.groups,
				     analysis->found.pickups, options->no_stacks ? NULL : analysis->symbols,
				     slow ? &request : NULL, &analysis->variance);
}

int scope_analysis_steps_run(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	int err = detect(analysis, options);

	analysis->detect = options->detect;
	analysis->rank = options->rank;
	analysis->thread = options->thread;
	analysis->why = options->why;
	analysis->folders = options->symbols.folders;
	if (err)
		return err;
	analysis->units = analysis->kept->units;
	err = scope_anomaly_hang_find(analysis->units, analysis->found.distributions, analysis->found.pickups,
				      &analysis->hangs, &analysis->hang_count);
	if (!err)
		err = scope_anomaly_owner_circles(analysis->trace, analysis->units->timeline, analysis->units->threads,
						  &analysis->hangs, &analysis->hang_count);
	if (!err)
		analysis->hang_count =
			scope_analysis_part_hangs(analysis->found.distributions, analysis->hangs, analysis->hang_count);
	if (!err)
		analysis->hang_count = scope_anomaly_owner_leave_turns(analysis->trace, analysis->units,
								       analysis->found.pickups, analysis->hangs,
								       analysis->hang_count);
	if (!err)
		err = collect(analysis, options);
	if (!err)
		err = find_waits(analysis, options);
	if (!err)
		err = find_locks(analysis, options);
	if (!err)
		err = scope_waits_work_times_create(analysis->found.distributions, analysis->found.groups,
						    analysis->detection, &analysis->work);
	if (!err)
		err = find_changes(analysis, options);
	if (!err)
		err = scope_server_balance_create(analysis->found.distributions, analysis->found.groups,
						  &analysis->balance);
	if (!err)
		err = scope_server_create(analysis->found.distributions, analysis->found.groups,
					  analysis->found.pickups, analysis->trace, &analysis->server);
	if (!err && options->slowest)
		err = find_paths(analysis, options);
	if (!err)
		err = find_variance(analysis, options);
	if (err)
		return err;
	scope_anomaly_owner_fill(analysis->trace, analysis->units->timeline->threads, analysis->hangs,
				 analysis->hang_count);
	return rank(analysis, options);
}
