// SPDX-License-Identifier: GPL-2.0-only
/* The figures on which the answer is based, as JSON. */
#include <jansson.h>
#include <math.h>

#include "report/basis.h"
#include "report/json_part.h"

/* The rules by which units are abnormal, and functions are findings. */
static json_t *make_rule(const struct scope_basis *basis)
{
	const struct scope_rank_options *rank = &basis->rank;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "z",
		scope_report_json_number(basis->z), "median_times", scope_report_json_number(basis->detect.times_min),
		"size_times", scope_report_json_number(basis->detect.size_times_min), "whole_times",
		scope_report_json_number(basis->detect.whole_times), "growth_share",
		scope_report_json_number(rank->growth_share), "excess_share",
		scope_report_json_number(rank->excess_share), "units_min", (json_int_t)rank->units_min, "odds_min",
		scope_report_json_number(rank->odds_min), "times_min", scope_report_json_number(rank->times_min),
		"odds_alone", scope_report_json_number(rank->odds_alone), "linkage",
		scope_cluster_linkage_name(basis->detect.cluster.linkage), "points_max",
		(json_int_t)basis->detect.cluster.max_points, "units_at_first_min",
		scope_report_json_number(rank->units_at_first_min), "chance_z",
		scope_report_json_number(rank->chance_z), "spread", scope_report_json_number(rank->spread), "floor_ns",
		scope_report_json_number(rank->floor_ns), "floor_share", scope_report_json_number(rank->floor_share),
		"served_ns", scope_report_json_number(rank->served_ns), "served_share",
		scope_report_json_number(rank->served_share));
}

static json_t *make_signatures(const struct scope_basis_signatures *signatures)
{
	if (!signatures->known)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:o}", "signatures", (json_int_t)signatures->episodes, "functions",
			 (json_int_t)signatures->functions, "recognized", (json_int_t)signatures->recognized, "shared",
			 (json_int_t)signatures->shared, "fit_share", scope_report_json_number(signatures->fit_share));
}

/* The change of the load since the baseline; null if a window has no length. */
static json_t *make_load(const struct scope_basis_baseline *baseline)
{
	if (isnan(baseline->per_s))
		return json_null();
	return json_pack("{s:b, s:f, s:f, s:o}", "requests", baseline->requests, "before_per_s", baseline->load_per_s,
			 "here_per_s", baseline->load_here_per_s, "times",
			 scope_report_json_number(
				 baseline->load_per_s > 0 ? baseline->load_here_per_s / baseline->load_per_s : NAN));
}

static json_t *make_baseline(const struct scope_basis_baseline *baseline)
{
	if (!baseline->known)
		return json_null();
	return json_pack("{s:b, s:I, s:I, s:o, s:o, s:o, s:o}", "before", baseline->before, "populations",
			 (json_int_t)baseline->populations, "units", (json_int_t)baseline->units, "seconds",
			 scope_report_json_number(baseline->seconds), "units_per_s",
			 scope_report_json_number(baseline->per_s), "units_per_s_here",
			 scope_report_json_number(baseline->here_per_s), "load", make_load(baseline));
}

static json_t *make_stacks(const struct scope_basis *basis)
{
	return json_pack("{s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "stacks",
			 (json_int_t)basis->stacks, "stacks_nameless", (json_int_t)basis->nameless, "folders_included",
			 basis->folders, "stacks_cut", (json_int_t)basis->cut, "stacks_broken",
			 (json_int_t)basis->broken, "stacks_tracer", (json_int_t)basis->tracer, "stacks_skipped",
			 (json_int_t)basis->skipped, "stacks_absent", (json_int_t)basis->absent, "stacks_lost",
			 (json_int_t)basis->lost, "stacks_given_up", (json_int_t)basis->given_up, "stack_min_ns",
			 (json_int_t)basis->stack_min_ns, "stack_highest_ns", (json_int_t)basis->stack_highest_ns);
}

json_t *scope_report_json_basis(const struct scope_model *model)
{
	const struct scope_analysis *analysis = model->analysis;
	const struct scope_ranking *ranking = analysis->ranking;
	const struct scope_basis *basis = &model->basis;
	json_t *object;

	object = json_pack("{s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "requests",
			   (json_int_t)basis->requests, "slow_requests", (json_int_t)ranking->slow_requests,
			   "longest_ns",
			   ranking->longest_ns > 0 ? scope_report_json_number(ranking->longest_ns) : json_null(),
			   "unanswered", (json_int_t)analysis->found.distributions->run->unanswered.requests, "units",
			   (json_int_t)basis->units, "slow_units", (json_int_t)ranking->slow_units, "discarded_units",
			   (json_int_t)basis->discarded, "populations", (json_int_t)basis->populations,
			   "program_functions", (json_int_t)scope_symbols_program_functions(analysis->symbols, 0),
			   "excess_ns", scope_report_json_number(ranking->excess_ns), "explained_ns",
			   scope_report_json_number(ranking->explained_ns), "queue_share",
			   scope_report_json_number(ranking->queue_share), "long_queue_share",
			   scope_report_json_number(ranking->long_queue_share));
	if (!object)
		return NULL;
	json_object_update_new(object, make_stacks(basis));
	json_object_set_new(object, "false_wakeups", json_integer((json_int_t)basis->false_wakeups));
	json_object_set_new(object, "unrecorded", json_integer((json_int_t)basis->unrecorded));
	json_object_set_new(object, "sampled", json_boolean(basis->sampled));
	json_object_set_new(object, "rule", make_rule(basis));
	json_object_set_new(object, "signatures", make_signatures(&basis->signatures));
	json_object_set_new(object, "baseline", make_baseline(&basis->baseline));
	return object;
}
