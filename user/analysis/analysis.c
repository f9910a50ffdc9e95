// SPDX-License-Identifier: GPL-2.0-only
/* Runs the whole analysis, and repeats it with another baseline or other libraries if that finds more. */
#include "analysis/analysis.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/change_point.h"
#include "analysis/growth.h"
#include "analysis/steps.h"
#include "rank/verdict.h"
#include "rank/verdict_outside.h"

#define SNAPSHOTS_MIN 3 /* slow units for which snapshots name a function, if samples show that they run longer … */
#define SNAPSHOTS_Z 1	/* … beyond chance by that many standard deviations … */
#define NAMED_SHARE 0.5 /* … with that part of the excess */
#define STEPS 100	/* no rule: parts of the window in which metrics over time are counted */
#define STEP_MIN_NS 10000000ull /* no rule */

void scope_analysis_options_init(struct scope_analysis_options *options)
{
	*options = (struct scope_analysis_options){
		.detect = scope_anomaly_detect_defaults,
		.rank = scope_rank_defaults,
		.keep_units = SCOPE_KEEP_UNITS,
		.settled_ns = UINT64_MAX,
	};
}

static int run(struct scope_trace *trace, const struct scope_analysis_options *options,
	       struct scope_analysis **ret_analysis)
{
	struct scope_analysis *analysis = calloc(1, sizeof(*analysis));
	int err;

	if (!analysis)
		return -ENOMEM;
	analysis->trace = trace;
	err = scope_analysis_steps_run(analysis, options);
	if (err) {
		scope_analysis_destroy(analysis);
		return err;
	}
	*ret_analysis = analysis;
	return 0;
}

/* Data shared by both analyses of a trace that is split in two belongs to one of them. */
static void pass_distributions(struct scope_analysis *from, struct scope_analysis *to)
{
	to->found = from->found;
	from->found = (struct scope_found_units){ 0 };
}

/* Makes the units that ended before before_ns the baseline of those after since_ns. */
static int split(struct scope_analysis *analysis, uint64_t before_ns, uint64_t since_ns)
{
	const struct scope_found_units *found = &analysis->found;
	const struct scope_distributions *of = found->distributions;
	const uint64_t begin_ns = of->from_ns ? of->whole_begin_ns : of->run->timeline->begin_ns;
	const double seconds = (before_ns - begin_ns) / 1e9;
	int err = scope_unit_distributions_before(found->distributions, found->groups, before_ns, &analysis->before);

	analysis->since_ns = since_ns;
	return err ? err
		   : scope_anomaly_reference_create(analysis->trace, found->groups, analysis->before, seconds,
						    &analysis->reference);
}

static bool is_slow(const struct scope_analysis *whole)
{
	return whole->ranking->findings && whole->ranking->verdict == SCOPE_VERDICT_SLOWDOWN;
}

/*
 * Returns the findings since a time, compared with the time until before_ns, NULL if there are none. growth: why they are
 * compared, if that is growth. Units stay as they were cut: only stacks and calls of examples are read from the trace, so a report made while the trace is being written can use it, too.
 */
static int run_from(struct scope_analysis *whole, const struct scope_analysis_options *options, uint64_t before_ns,
		    uint64_t since_ns, const struct scope_growth *growth, struct scope_analysis **ret_analysis)
{
	struct scope_analysis *analysis = calloc(1, sizeof(*analysis));
	int err;

	if (!analysis)
		return -ENOMEM;
	analysis->trace = whole->trace;
	analysis->growth = *growth;
	pass_distributions(whole, analysis);
	err = split(analysis, before_ns, since_ns);
	if (!err)
		err = scope_analysis_steps_run(analysis, options);
	if (!err && analysis->ranking->findings &&
	    (analysis->ranking->verdict == SCOPE_VERDICT_SLOWDOWN || !whole->ranking->findings)) {
		*ret_analysis = analysis;
		return 0;
	}
	pass_distributions(analysis, whole);
	if (growth->last_ns > 0) {
		whole->growth = *growth;
		whole->pace = analysis->pace;
	}
	scope_analysis_destroy(analysis);
	return err;
}

/* True if the finding began with the change: its first slow unit is after the middle of the time before. */
static bool began_then(const struct scope_analysis *whole, uint64_t since_ns)
{
	const uint64_t begin_ns = whole->units->timeline->begin_ns;

	return !is_slow(whole) || whole->ranking->finding[0].first_ns >= begin_ns + (since_ns - begin_ns) / 2;
}

/* If units take longer and longer, or from some time on, returns the findings compared with the time before, else NULL. */
static int run_since(struct scope_analysis *whole, const struct scope_analysis_options *options,
		     struct scope_analysis **ret_analysis)
{
	const bool part = scope_trace_window_from(whole->trace);
	const struct scope_growth none = { 0 };
	struct scope_growth growth = none;
	uint64_t since_ns;
	int err = part || is_slow(whole) ? 0
					 : scope_analysis_growth_find(whole->found.distributions, whole->found.groups,
								      whole->detection, &growth);

	*ret_analysis = NULL;
	if (!err && growth.last_ns > 0)
		err = run_from(whole, options, growth.before_ns, growth.since_ns, &growth, ret_analysis);
	if (err || *ret_analysis)
		return err;
	err = scope_analysis_change_point_find(whole->kept, whole->detection, options->rank.times_min,
					       options->rank.chance_z, &since_ns);
	if (!err && !since_ns && part)
		since_ns = whole->found.distributions->from_ns;
	return err || !since_ns || !began_then(whole, since_ns)
		       ? err
		       : run_from(whole, options, since_ns, since_ns, &none, ret_analysis);
}

/* Only if its own units are the baseline. */
static bool may_be_since(const struct scope_analysis *whole, const struct scope_analysis_options *options)
{
	const struct scope_ranking *ranking = whole->ranking;

	return (!ranking->findings || ranking->verdict == SCOPE_VERDICT_NOTHING || is_slow(whole)) &&
	       !ranking->left_out && ranking->verdict != SCOPE_VERDICT_UNKNOWN && !options->baseline;
}

/*
 * Snapshots of an interpreter are too seldom for requests that are slow by a millisecond. Samples of its functions in C, such as those that match a
 * pattern, are not.
 */
static bool is_interpreter_left(const struct scope_analysis *whole)
{
	return whole->symbols && scope_symbols_interpreted(whole->symbols) &&
	       whole->ranking->verdict == SCOPE_VERDICT_NOTHING &&
	       scope_rank_unexplained(whole->ranking) > SCOPE_RANK_UNEXPLAINED;
}

/* Analyses the same units once more, by other options. Returns the result, which has them: keep_one() chooses. */
static int run_again(struct scope_analysis *whole, const struct scope_analysis_options *options,
		     struct scope_analysis **ret_analysis)
{
	struct scope_analysis *analysis = calloc(1, sizeof(*analysis));
	int err;

	if (!analysis)
		return -ENOMEM;
	analysis->trace = whole->trace;
	pass_distributions(whole, analysis);
	err = scope_analysis_steps_run(analysis, options);
	if (err) {
		pass_distributions(analysis, whole);
		scope_analysis_destroy(analysis);
		return err;
	}
	*ret_analysis = analysis;
	return 0;
}

/* Destroys the other one of the two. */
static void keep_one(struct scope_analysis **whole, struct scope_analysis *again, bool better)
{
	struct scope_analysis *other = better ? *whole : again;

	if (better)
		*whole = again;
	else
		pass_distributions(again, *whole);
	scope_analysis_destroy(other);
}

/*
 * The interpreter's own function is known to run longer in slow requests, so a few snapshots of them are enough to name the function of the language
 * that has most of that time. Replaces *whole, and changes *options back, if they do.
 */
static int name_in_language(struct scope_analysis **whole, struct scope_analysis_options *options)
{
	struct scope_analysis_options fewer = *options;
	struct scope_analysis *again;
	const struct scope_finding *first;
	bool better;
	int err;

	fewer.symbols.folders = fewer.symbols.interpreter = false;
	fewer.rank.units_min = SNAPSHOTS_MIN;
	fewer.rank.chance_z = SNAPSHOTS_Z;
	err = run_again(*whole, &fewer, &again);
	if (err)
		return err;
	first = again->ranking->findings ? again->ranking->finding : NULL;
	better = first && first->kind == SCOPE_FINDING_TIME && first->share >= NAMED_SHARE;
	if (better)
		options->symbols.folders = options->symbols.interpreter = false;
	keep_one(whole, again, better);
	return 0;
}

/*
 * Some programs are little more than a main(), and are in libraries that lie in a folder of the system's. If most stacks name no
 * function, these libraries are the program. Replaces *whole and changes *options if that names functions in more of the stacks. If most
 * stacks only name a function that calls these libraries, or the program is interpreted, it does so if that finds something.
 */
static int include_folders(struct scope_analysis **whole, struct scope_analysis_options *options)
{
	const double before = scope_rank_nameless_share((*whole)->evidence);
	const bool nameless = before > SCOPE_RANK_NAMELESS, interpreter = is_interpreter_left(*whole);
	struct scope_analysis *again;
	bool better;
	int err;

	if (options->symbols.library || options->libraries_stay || (*whole)->ranking->findings ||
	    !(nameless || interpreter || scope_rank_foldered_share((*whole)->evidence) > SCOPE_RANK_NAMELESS))
		return 0;
	options->symbols.folders = true;
	options->symbols.interpreter = interpreter;
	err = run_again(*whole, options, &again);
	if (err)
		return err;
	/* The places where an interpreter's threads sleep are known. */
	if (interpreter)
		better = again->ranking->findings && again->ranking->finding[0].kind == SCOPE_FINDING_TIME;
	else
		better = again->ranking->findings || (nameless && scope_rank_nameless_share(again->evidence) < before);
	keep_one(whole, again, better);
	if (!better)
		options->symbols.folders = options->symbols.interpreter = false;
	return better && interpreter ? name_in_language(whole, options) : 0;
}

/* One more pass over the trace, which is not for one that is still being written. */
static int find_over_time(struct scope_analysis *analysis, const struct scope_analysis_options *options)
{
	const struct scope_timeline *timeline = analysis->units->timeline;
	const uint64_t length_ns = timeline->end_ns - timeline->begin_ns;
	struct scope_metrics_options metrics = { .step_ns = STEP_MIN_NS };

	if (!options->over_time || options->settled_ns != UINT64_MAX)
		return 0;
	if (length_ns / STEPS > metrics.step_ns)
		metrics.step_ns = length_ns / STEPS + 1;
	return scope_analysis_meter(analysis->trace, &metrics, &analysis->metered);
}

int scope_analysis_run(struct scope_trace *trace, const struct scope_analysis_options *options,
		       struct scope_analysis **ret_analysis)
{
	struct scope_analysis_options used = *options;
	struct scope_analysis *whole, *since = NULL;
	int err = run(trace, &used, &whole);

	if (err)
		return err;
	err = include_folders(&whole, &used);
	if (!err && may_be_since(whole, &used))
		err = run_since(whole, &used, &since);
	if (err || since)
		scope_analysis_destroy(whole);
	if (err)
		return err;
	whole = since ? since : whole;
	err = find_over_time(whole, &used);
	if (err)
		scope_analysis_destroy(whole);
	else
		*ret_analysis = whole;
	return err;
}

void scope_analysis_destroy(struct scope_analysis *analysis)
{
	if (!analysis)
		return;
	if (analysis->changes)
		scope_metrics_changes_free(analysis->changes);
	free(analysis->changes);
	scope_rank_destroy(analysis->ranking);
	scope_waits_destroy(analysis->waits);
	scope_waits_locks_destroy(analysis->locks);
	scope_waits_work_times_destroy(analysis->work);
	scope_server_balance_destroy(analysis->balance);
	scope_server_destroy(analysis->server);
	scope_waits_paths_destroy(analysis->paths);
	scope_variance_destroy(analysis->variance);
	scope_analysis_metered_free(&analysis->metered);
	scope_evidence_destroy(analysis->evidence);
	scope_evidence_destroy(analysis->second);
	scope_symbols_destroy(analysis->symbols);
	scope_symbols_destroy(analysis->reference_symbols);
	scope_evidence_kept_destroy(analysis->reference_kept);
	scope_anomaly_reference_destroy(analysis->reference);
	scope_unit_distributions_destroy(analysis->before);
	free(analysis->hangs);
	free(analysis->freezes.freeze);
	scope_evidence_kept_destroy(analysis->kept);
	scope_anomaly_detection_destroy(analysis->detection);
	scope_analysis_found_units_destroy(&analysis->found);
	free(analysis);
}
