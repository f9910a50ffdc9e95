// SPDX-License-Identifier: GPL-2.0-only
/* Makes the facts of a report once, for text and JSON. */
#include "report/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/triggered.h"

static uint64_t wall_of(const struct scope_analysis *analysis, uint64_t time_ns)
{
	const uint64_t wall_ns = scope_trace_meta_number(analysis->trace, SCOPE_META_WALL_CLOCK, 0);
	const uint64_t begin_ns = scope_trace_meta_number(analysis->trace, SCOPE_META_BEGIN, 0);

	return wall_ns ? wall_ns + (time_ns - begin_ns) : 0;
}

static uint32_t count_names(const struct scope_groups *groups)
{
	uint32_t count = 0;

	for (size_t i = 0; i < groups->count; i++) {
		bool again = groups->group[i].request;

		for (size_t j = 0; j < i; j++)
			again |= !groups->group[j].request && !strcmp(groups->group[i].name, groups->group[j].name);
		count += !again;
	}
	return count;
}

/* A slowdown is outside if its first finding is, and findings inside have less than half of the excess. */
static bool is_outside(const struct scope_ranking *ranking)
{
	if (ranking->verdict == SCOPE_VERDICT_SLOWDOWN)
		return scope_rank_finding_outside(&ranking->finding[0]) && ranking->inside_share < SCOPE_RANK_MOST;
	return ranking->verdict == SCOPE_VERDICT_OUTSIDE;
}

static uint32_t count_stuck(const struct scope_ranking *ranking)
{
	const bool hang = ranking->verdict == SCOPE_VERDICT_HANG;
	const enum scope_finding_kind kind = hang ? SCOPE_FINDING_HANG : SCOPE_FINDING_SPIN;
	uint32_t threads = 0;

	if (!hang && ranking->verdict != SCOPE_VERDICT_SPIN)
		return 0;
	for (size_t i = 0; i < ranking->findings; i++)
		if (ranking->finding[i].kind == kind && !ranking->finding[i].hang.unsure)
			threads += ranking->finding[i].hang.threads;
	return threads;
}

/* The word for the stuck threads or tasks. */
static const char *name_stuck(const struct scope_ranking *ranking)
{
	const char *who = NULL;
	bool threads = false;

	for (size_t i = 0; i < ranking->findings; i++) {
		const struct scope_finding *finding = &ranking->finding[i];

		if (finding->kind != SCOPE_FINDING_HANG || finding->hang.unsure)
			continue;
		if (finding->hang.tasks)
			who = scope_rank_finding_who(finding);
		else
			threads = true;
	}
	if (!who)
		return "thread";
	return !threads ? who : !strcmp(who, "task") ? "threads and task" : "threads and goroutine";
}

static struct scope_model_slow make_slow(const struct scope_ranking *ranking)
{
	/* If nothing is found, says also that no request was slow. */
	const bool nothing = ranking->verdict == SCOPE_VERDICT_NOTHING && !ranking->findings;
	const struct scope_finding *first = ranking->findings ? &ranking->finding[0] : NULL;
	/*
	 * True if few requests are slow and many slow units take no request: a coroutine continues in a later turn of
	 * the loop.
	 */
	const bool in_rounds = first && first->serves && !first->asks && first->units > ranking->slow_requests;

	if (nothing ? ranking->requests : ranking->slow_requests && !in_rounds)
		return (struct scope_model_slow){ true, ranking->slow_requests, ranking->requests };
	return (struct scope_model_slow){ false, ranking->slow_units, ranking->units };
}

static struct scope_model_background make_background(const struct scope_analysis *analysis)
{
	const struct scope_detection *detection = analysis->detection;
	struct scope_model_background made = { .group = NULL };
	uint64_t most = 0;

	for (size_t i = 0; i < detection->populations; i++) {
		const struct scope_population *population = &detection->population[i];

		if (!population->background)
			continue;
		made.units += population->units;
		made.slow += population->beyond;
		if (population->beyond > most) {
			made.group = analysis->found.groups->group[population->group].name;
			most = population->beyond;
		}
	}
	if (made.slow < analysis->rank.units_min)
		made.group = NULL;
	return made;
}

static void make_nears(struct scope_model *model)
{
	const struct scope_ranking *ranking = model->analysis->ranking;
	const double odds = model->analysis->rank.odds_min;

	model->nears = ranking->findings ? 0 : ranking->nears;
	for (size_t i = 0; i < model->nears; i++) {
		const struct scope_finding *finding = &ranking->near[i].finding;

		model->near[i] = (struct scope_model_near){
			.near = &ranking->near[i],
			.odds_needed =
				odds * (scope_rank_finding_outside(finding) ? 1 : 1 / (1 - scope_rank_doubt(finding))),
			.costs_ns = finding->p50_ns - finding->usual_ns,
		};
	}
}

static struct scope_model_causal make_causal(const struct scope_report_causal *causal)
{
	struct scope_model_causal made = { .known = causal != NULL };

	if (!causal)
		return made;
	made.result = causal->result;
	made.why = causal->why;
	for (size_t i = 0; made.result && i < made.result->count; i++)
		made.elapsed_ns += made.result->experiment[i].elapsed_ns;
	return made;
}

static struct scope_model_part make_part(const struct scope_analysis *analysis)
{
	const struct scope_timeline *timeline = analysis->units->timeline;
	const struct scope_distributions *distributions = analysis->found.distributions;
	const uint64_t begin_ns = distributions->from_ns ? distributions->whole_begin_ns : timeline->begin_ns;
	uint64_t end_ns = scope_trace_meta_number(analysis->trace, SCOPE_META_END, 0);

	if (end_ns < timeline->end_ns)
		end_ns = timeline->end_ns;
	return (struct scope_model_part){
		.timed = scope_trace_window_from(analysis->trace) ||
			 scope_trace_window_to(analysis->trace) != UINT64_MAX,
		.from_s = (double)(timeline->begin_ns - begin_ns) / 1e9,
		.to_s = (double)(timeline->end_ns - begin_ns) / 1e9,
		.whole_s = (double)(end_ns - begin_ns) / 1e9,
		.whole_begin_ns = begin_ns,
		.whole_end_ns = end_ns,
		.thread = analysis->thread,
		.left_out = analysis->ranking->left_out,
	};
}

/* The findings, and what was slow inside the kernel. */
static int make_findings(struct scope_model *model, size_t detailed)
{
	const struct scope_analysis *analysis = model->analysis;
	const struct scope_ranking *ranking = analysis->ranking;
	int err = 0;

	model->finding = calloc(ranking->findings + 1, sizeof(*model->finding));
	model->kernel = ranking->kernel.function ? calloc(1, sizeof(*model->kernel)) : NULL;
	if (!model->finding || (ranking->kernel.function && !model->kernel))
		return -ENOMEM;
	for (size_t i = 0; !err && i < ranking->findings; i++)
		err = scope_report_model_finding_init(analysis, &ranking->finding[i], i < detailed, &model->finding[i]);
	if (!err && model->kernel)
		err = scope_report_model_finding_init(analysis, &ranking->kernel, true, model->kernel);
	return err;
}

int scope_report_model_create(const struct scope_analysis *analysis, const struct scope_report_causal *causal,
			      size_t detailed, struct scope_model **ret_model)
{
	struct scope_model *model = calloc(1, sizeof(*model));
	int err;

	if (!model)
		return -ENOMEM;
	model->analysis = analysis;
	model->causal_sites = causal;
	model->group_names = count_names(analysis->units->groups);
	model->late = scope_trace_meta_number(analysis->trace, SCOPE_META_LATE, 0);
	model->begin_wall_ns = wall_of(analysis, analysis->units->timeline->begin_ns);
	model->since_ns = analysis->growth.last_ns > 0 ? 0 : analysis->since_ns;
	model->since_wall_ns = model->since_ns ? wall_of(analysis, model->since_ns) : 0;
	model->part = make_part(analysis);
	model->outside = is_outside(analysis->ranking);
	model->stuck_threads = count_stuck(analysis->ranking);
	model->stuck_who = name_stuck(analysis->ranking);
	model->slow = make_slow(analysis->ranking);
	model->background = make_background(analysis);
	make_nears(model);
	model->causal = make_causal(causal);
	scope_report_basis_make(analysis, &model->basis);
	err = make_findings(model, detailed);
	if (!err)
		err = scope_report_times_collect(analysis, &model->times, &model->times_count);
	if (!err)
		err = scope_report_triggered_find(analysis, &model->triggered);
	if (err)
		scope_report_model_destroy(model);
	else
		*ret_model = model;
	return err;
}

void scope_report_model_destroy(struct scope_model *model)
{
	if (!model)
		return;
	for (size_t i = 0; model->finding && i < model->analysis->ranking->findings; i++)
		scope_report_model_finding_free(&model->finding[i]);
	if (model->kernel)
		scope_report_model_finding_free(model->kernel);
	free(model->finding);
	free(model->kernel);
	free(model->times);
	free(model->triggered.path.call);
	free(model);
}
