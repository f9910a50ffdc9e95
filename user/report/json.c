// SPDX-License-Identifier: GPL-2.0-only
/* The report as JSON. */
#include "proc/container.h"
#include "report/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scope/abi.h>

#include "base/plain.h"
#include "base/syscall_name.h"
#include "rank/judge.h"
#include "rank/verdict.h"
#include "report/answer.h"
#include "report/by_request.h"
#include "report/json_part.h"
#include "report/locks_text.h"
#include "report/metrics_text.h"
#include "report/picture.h"
#include "report/server_text.h"
#include "report/uneven.h"
#include "report/variance_text.h"
#include "report/waits_text.h"

/* A string in plain form (names in traces have it already), because JSON allows only UTF-8. */
json_t *scope_report_json_string(const char *text)
{
	char *plain = text ? scope_plain_copy(text, SCOPE_PLAIN_SENTENCE) : NULL;
	json_t *string = text ? json_string(plain) : json_null();

	free(plain);
	return string;
}

/* JSON has no infinity. */
json_t *scope_report_json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *scope_report_json_function(const struct scope_function *function)
{
	if (!function)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:b, s:b}", "name", scope_report_json_string(function->name),
			 "symbol", scope_report_json_string(function->symbol), "module",
			 scope_report_json_string(function->module), "path", scope_report_json_string(function->path),
			 "address", (json_int_t)function->start, "known", function->known, "from_messages",
			 function->message);
}

json_t *scope_report_json_thread(const struct scope_thread *thread)
{
	return json_pack("{s:I, s:I, s:o}", "tid", (json_int_t)thread->tid, "pid", (json_int_t)thread->tgid, "name",
			 scope_report_json_string(thread->comm));
}

static json_t *make_findings(const struct scope_model *model)
{
	json_t *array = json_array();

	for (size_t i = 0; i < model->analysis->ranking->findings; i++)
		json_array_append_new(array, scope_report_json_finding(model, i));
	return array;
}

static json_t *make_freezes(const struct scope_analysis *analysis)
{
	json_t *array = json_array();

	for (size_t i = 0; i < analysis->freezes.count; i++) {
		const struct scope_freeze *freeze = &analysis->freezes.freeze[i];

		json_array_append_new(array, json_pack("{s:o, s:I, s:I, s:o}", "thread",
						       scope_report_json_thread(scope_timeline_threads_at(
							       analysis->units->timeline->threads, freeze->thread)),
						       "begin_ns", (json_int_t)freeze->begin_ns, "end_ns",
						       (json_int_t)freeze->end_ns, "kept_waiting",
						       scope_report_json_number(freeze->kept)));
	}
	return array;
}

/* What came near to a finding, if there is none. */
static json_t *make_near(const struct scope_model *model)
{
	json_t *array = json_array();

	for (size_t i = 0; i < model->nears; i++) {
		const struct scope_model_near *near = &model->near[i];
		const struct scope_finding *finding = &near->near->finding;

		json_array_append_new(array, json_pack("{s:o, s:o, s:I, s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "function",
						       scope_report_json_function(finding->function), "share",
						       scope_report_json_number(finding->share), "units",
						       (json_int_t)finding->units, "odds",
						       scope_report_json_number(finding->odds), "times",
						       scope_report_json_number(finding->times), "fails",
						       scope_rank_rule_name(near->near->fails), "units_at_first",
						       scope_report_json_number(finding->units_at_first), "odds_needed",
						       scope_report_json_number(near->odds_needed), "chance_z",
						       scope_report_json_number(finding->chance_z), "costs_ns",
						       scope_report_json_number(near->costs_ns)));
	}
	return array;
}

static json_t *make_blocked(const double *blocked_ns)
{
	json_t *blocked = json_object();

	for (int class = 0; class < SCOPE_WAIT_CLASSES; class += 1)
		json_object_set_new(blocked, scope_timeline_wait_class_name((enum scope_wait_class) class),
				    scope_report_json_number(blocked_ns[class]));
	return blocked;
}

/* The times of requests; null if there are none. */
static json_t *make_work(const struct scope_work_time *work)
{
	if (!work->units)
		return json_null();
	return json_pack("{s:I, s:f, s:f, s:f, s:o}", "units", (json_int_t)work->units, "wall_ns", work->wall_ns,
			 "run_ns", work->run_ns, "queue_ns", work->queue_ns, "blocked_ns",
			 make_blocked(work->blocked_ns));
}

static json_t *make_group(const struct scope_times *times)
{
	return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "name",
			 scope_report_json_string(times->name), "threads", (json_int_t)times->threads, "wall_ns",
			 scope_report_json_number(times->wall_ns), "run_ns", scope_report_json_number(times->run_ns),
			 "queue_ns", scope_report_json_number(times->queue_ns), "unexplained_ns",
			 scope_report_json_number(times->unexplained_ns), "blocked_ns", make_blocked(times->blocked_ns),
			 "in_requests", make_work(&times->work), "slow_requests", make_work(&times->slow), "unreliable",
			 times->unexplained_ns > SCOPE_UNEXPLAINED_MAX * times->wall_ns);
}

static json_t *make_groups(const struct scope_model *model)
{
	json_t *array = json_array();

	for (size_t i = 0; i < model->times_count; i++)
		json_array_append_new(array, make_group(&model->times[i]));
	return array;
}

static json_t *make_meta(const struct scope_analysis *analysis, const char *key)
{
	return scope_report_json_string(scope_trace_meta(analysis->trace, key));
}

static json_t *make_container(const struct scope_analysis *analysis)
{
	const char *group = scope_trace_meta(analysis->trace, SCOPE_META_GROUP);
	struct scope_container container;

	if (!group || !scope_proc_container_find(group, &container))
		return json_null();
	return json_pack("{s:s, s:s, s:s}", "runtime", container.runtime, "name", container.name, "pod", container.pod);
}

static json_t *make_part(const struct scope_model_part *part)
{
	if (!part->timed && !part->thread && !part->left_out)
		return json_null();
	return json_pack("{s:I, s:I, s:o, s:I}", "whole_begin_ns", (json_int_t)part->whole_begin_ns, "whole_end_ns",
			 (json_int_t)part->whole_end_ns, "thread", scope_report_json_string(part->thread),
			 "findings_left_out", (json_int_t)part->left_out);
}

/* The target of the trace, how it was traced, and what is missing. */
static json_t *make_trace(const struct scope_model *model)
{
	const struct scope_analysis *analysis = model->analysis;
	const struct scope_timeline *timeline = analysis->units->timeline;
	const char *damage = scope_trace_damage(analysis->trace);
	json_t *object = json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I}", "command",
				   make_meta(analysis, SCOPE_META_COMMAND), "pid",
				   (json_int_t)scope_trace_meta_number(analysis->trace, SCOPE_META_PID, 0), "kernel",
				   make_meta(analysis, SCOPE_META_KERNEL), "source",
				   make_meta(analysis, SCOPE_META_SOURCE), "source_lacks",
				   make_meta(analysis, SCOPE_META_LACKS), "end",
				   make_meta(analysis, SCOPE_META_END_REASON), "damage",
				   damage[0] ? scope_report_json_string(damage) : json_null(), "begin_ns",
				   (json_int_t)timeline->begin_ns, "end_ns", (json_int_t)timeline->end_ns, "threads",
				   (json_int_t)analysis->units->threads, "events", (json_int_t)timeline->events, "lost",
				   (json_int_t)scope_timeline_lost(timeline));

	if (object)
		json_object_update_new(
			object,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "host",
				  make_meta(analysis, SCOPE_META_HOST), "control_group",
				  make_meta(analysis, SCOPE_META_GROUP), "container", make_container(analysis),
				  "command_line", make_meta(analysis, SCOPE_META_COMMAND_LINE), "guard",
				  make_meta(analysis, SCOPE_META_GUARD), "wall_ns",
				  model->begin_wall_ns ? json_integer((json_int_t)model->begin_wall_ns) : json_null(),
				  "thread_groups", (json_int_t)model->group_names, "late_threads",
				  (json_int_t)model->late, "part", make_part(&model->part)));
	return object;
}

static json_t *make_problems(const struct scope_analysis *analysis)
{
	json_t *array = json_array();
	const char *const *problem;
	const char *unread = scope_trace_meta(analysis->trace, SCOPE_META_UNREAD);
	size_t problems;

	if (unread)
		json_array_append_new(array, scope_report_json_string(unread));
	for (size_t i = 0; analysis->signatures && i < analysis->signatures->problems; i++)
		json_array_append_new(array, scope_report_json_string(analysis->signatures->problem[i]));
	problem = scope_symbols_problems(analysis->symbols, &problems);
	for (size_t i = 0; i < problems; i++)
		json_array_append_new(array, scope_report_json_string(problem[i]));
	return array;
}

/* Delay experiments; null if they were not requested. */
static json_t *make_causal(const struct scope_model *model)
{
	const struct scope_model_causal *causal = &model->causal;
	const struct scope_causal_result *result = causal->result;

	if (!causal->known)
		return json_null();
	if (!result)
		return json_pack("{s:i, s:o}", "experiments", 0, "why", scope_report_json_string(causal->why));
	return json_pack("{s:I, s:n, s:I, s:I, s:o, s:I, s:o}", "experiments", (json_int_t)result->count, "why",
			 "elapsed_ns", (json_int_t)causal->elapsed_ns, "seed", (json_int_t)result->seed, "progress",
			 scope_report_json_string(result->progress), "planned", (json_int_t)result->planned, "ended",
			 scope_report_json_string(result->ended[0] ? result->ended : NULL));
}

/* Units that serve no client, if many of them took long. */
static json_t *make_background(const struct scope_model *model)
{
	const struct scope_model_background *background = &model->background;

	if (!background->group)
		return json_null();
	return json_pack("{s:I, s:I, s:o}", "units", (json_int_t)background->units, "slow_units",
			 (json_int_t)background->slow, "group", scope_report_json_string(background->group));
}

static json_t *make_next(const struct scope_model *model, const struct scope_report_style *style)
{
	json_t *array = json_array();
	struct scope_report_next next;

	scope_report_next(model, style, false, &next);
	for (unsigned int i = 0; i < next.count; i++)
		json_array_append_new(array, json_pack("{s:o, s:s}", "command",
						       scope_report_json_string(next.command[i]), "why", next.why[i]));
	return array;
}

/* The answer, and what to do next. */
static json_t *make_answer(const struct scope_model *model, const struct scope_report_style *style)
{
	const struct scope_ranking *ranking = model->analysis->ranking;
	char *answer;
	json_t *object;

	if (scope_report_answer(model, &answer))
		return NULL;
	object = json_pack("{s:s, s:o, s:b, s:b, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "headline",
			   scope_report_headline(model), "answer", scope_report_json_string(answer), "names_first",
			   scope_report_names_first(ranking), "outside", model->outside, "stuck_threads",
			   (json_int_t)model->stuck_threads, "since_wall_ns",
			   model->since_wall_ns ? json_integer((json_int_t)model->since_wall_ns) : json_null(),
			   "kept_waiting", scope_report_json_number(model->analysis->freezes.kept), "kernel",
			   scope_report_json_kernel(model), "background", make_background(model), "causal",
			   make_causal(model), "next", make_next(model, style));
	free(answer);
	return object;
}

static json_t *make_pictures(const struct scope_analysis *analysis)
{
	return json_pack("{s:o, s:o, s:o}", "flame", scope_report_picture_flame(analysis), "strips",
			 scope_report_picture_strips(analysis), "over_time", scope_report_picture_over_time(analysis));
}

/* The structure of the server, in a sentence. */
static json_t *make_server(const struct scope_analysis *analysis)
{
	char *sentence;
	json_t *string;

	if (scope_report_server_sentence(analysis, &sentence))
		return NULL;
	string = scope_report_json_string(sentence);
	free(sentence);
	return string;
}

/* Where usual requests spend their time. */
static json_t *make_usual(const struct scope_analysis *analysis)
{
	const struct scope_usual *usual = &analysis->ranking->usual;
	json_t *functions = json_array();

	for (unsigned i = 0; i < usual->count; i++) {
		const struct scope_usual_function *one = &usual->function[i];

		json_array_append_new(
			functions,
			json_pack("{s:o, s:o, s:o, s:o}", "function", scope_report_json_function(one->function),
				  "share", scope_report_json_number(one->share), "asleep_share",
				  scope_report_json_number(one->asleep_share), "sleeps_in",
				  one->asleep_share > 0 ? scope_report_json_string(scope_syscall_name(one->nr))
							: json_null()));
	}
	return json_pack("{s:b, s:I, s:o, s:I, s:o}", "requests", usual->requests, "units", (json_int_t)usual->units,
			 "mean_ns", scope_report_json_number(usual->mean_ns), "stacks", (json_int_t)usual->stacks,
			 "functions", functions);
}

/* The time of requests at the begin and at the end of the window; null: they do not take longer and longer. */
static json_t *make_growth(const struct scope_analysis *analysis)
{
	if (analysis->growth.last_ns <= 0)
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "first_ns", scope_report_json_number(analysis->growth.first_ns), "last_ns",
			 scope_report_json_number(analysis->growth.last_ns), "calls_times",
			 analysis->pace > 0 ? scope_report_json_number(analysis->pace) : json_null());
}

static json_t *make_report(const struct scope_model *model, const struct scope_report_style *style)
{
	const struct scope_analysis *analysis = model->analysis;
	const struct scope_ranking *ranking = analysis->ranking;
	const uint64_t since_ns = model->since_ns;
	json_t *all, *answer;

	all = json_pack("{s:i, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
			SCOPE_REPORT_SCHEMA, "scope", SCOPE_VERSION, "trace", make_trace(model), "verdict",
			scope_rank_verdict_name[ranking->verdict], "decided_by",
			scope_report_json_string(scope_rank_verdict_rule_name(ranking->decided)), "reason",
			ranking->reason[0] ? scope_report_json_string(ranking->reason) : json_null(), "beside",
			ranking->beside[0] ? scope_report_json_string(ranking->beside) : json_null(), "since_ns",
			since_ns ? json_integer((json_int_t)since_ns) : json_null(), "growth", make_growth(analysis),
			"findings", make_findings(model), "freezes", make_freezes(analysis), "near", make_near(model),
			"groups", make_groups(model), "basis", scope_report_json_basis(model), "problems",
			make_problems(analysis));
	if (!all)
		return NULL;
	answer = make_answer(model, style);
	if (!answer || json_array_size(json_object_get(all, "findings")) != ranking->findings) {
		json_decref(answer);
		json_decref(all);
		return NULL;
	}
	json_object_update_new(all, answer);
	json_object_set_new(all, "triggered", scope_report_json_triggered(model));
	json_object_set_new(all, "waits", scope_report_waits_tree(analysis));
	json_object_set_new(all, "bottlenecks", scope_report_waits_bottlenecks(analysis));
	json_object_set_new(all, "locks", scope_report_locks_json(analysis));
	json_object_set_new(all, "locks_seen", scope_report_locks_seen_json(analysis));
	json_object_set_new(all, "deadlocks", scope_report_deadlocks_json(analysis));
	json_object_set_new(all, "usual", make_usual(analysis));
	json_object_set_new(all, "server", make_server(analysis));
	json_object_set_new(all, "explained", scope_report_server_explained(analysis));
	json_object_set_new(all, "requests", scope_report_by_request_json(analysis));
	json_object_set_new(all, "uneven", scope_report_uneven_json(analysis));
	json_object_set_new(all, "variance", scope_report_variance_json(analysis));
	json_object_set_new(all, "causes", scope_report_waits_causes(analysis));
	json_object_set_new(all, "pictures", make_pictures(analysis));
	json_object_set_new(all, "changes",
			    analysis->changes ? scope_report_metrics_changes_json(analysis->changes) : json_null());
	return all;
}

json_t *scope_report_json_make(const struct scope_analysis *analysis, const struct scope_report_style *style)
{
	struct scope_model *model;
	json_t *all;

	if (scope_report_model_create(analysis, style->causal, SIZE_MAX, &model))
		return NULL;
	all = make_report(model, style);
	scope_report_model_destroy(model);
	return all;
}

int scope_report_json_write(json_t *all, size_t flags, FILE *out)
{
	int err = 0;

	if (!all)
		return -ENOMEM;
	if (json_dumpf(all, out, flags | JSON_REAL_PRECISION(9)) || fputc('\n', out) == EOF)
		err = -EIO;
	json_decref(all);
	return err;
}

int scope_report_json(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out)
{
	return scope_report_json_write(scope_report_json_make(analysis, style), JSON_INDENT(1), out);
}

int scope_report_json_line(const struct scope_analysis *analysis, const struct scope_report_style *style, json_t *live,
			   FILE *out)
{
	json_t *all = scope_report_json_make(analysis, style);

	if (!all) {
		json_decref(live);
		return -ENOMEM;
	}
	json_object_set_new(all, "live", live ? live : json_null());
	return scope_report_json_write(all, JSON_COMPACT, out);
}
