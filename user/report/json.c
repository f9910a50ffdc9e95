// SPDX-License-Identifier: GPL-2.0-only
/* The report as JSON. */
#include "report/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <scope/abi.h>

#include "base/plain.h"
#include "base/syscall_name.h"
#include "evidence/inside.h"
#include "evidence/place.h"
#include "report/delay.h"
#include "report/example_json.h"
#include "report/model.h"
#include "report/picture.h"
#include "report/rounds.h"
#include "report/section.h"
#include "report/times.h"

#define SOURCE_ROWS 8
#define INSIDE_MAX 16 /* those below hold little */

/* Plain, as names of traces are already: JSON takes UTF-8 alone. */
static json_t *make_string(const char *text)
{
	char *plain = text ? scope_plain_copy(text, SCOPE_PLAIN_SENTENCE) : NULL;
	json_t *string = text ? json_string(plain) : json_null();

	free(plain);
	return string;
}

/* JSON knows no infinity. */
static json_t *make_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *make_call(uint32_t nr)
{
	const char *name = nr == SCOPE_NR_NONE ? NULL : scope_syscall_name(nr);

	return nr == SCOPE_NR_NONE || name ? make_string(name) : json_integer(nr);
}

static const char *kind_name(enum scope_finding_kind kind)
{
	static const char *const name[] = {
		[SCOPE_FINDING_HANG] = "hang",	 [SCOPE_FINDING_SPIN] = "spin",
		[SCOPE_FINDING_TIME] = "time",	 [SCOPE_FINDING_CALLS] = "calls",
		[SCOPE_FINDING_WAIT] = "wait",	 [SCOPE_FINDING_LOCK] = "holds-lock",
		[SCOPE_FINDING_LATE] = "makes-wait",
	};

	return name[kind];
}

static const char *verdict_name(enum scope_verdict verdict)
{
	static const char *const name[] = {
		[SCOPE_VERDICT_NOTHING] = "nothing",   [SCOPE_VERDICT_HANG] = "hang",
		[SCOPE_VERDICT_SPIN] = "spin",	       [SCOPE_VERDICT_SLOWDOWN] = "slowdown",
		[SCOPE_VERDICT_FREEZES] = "freezes",
		[SCOPE_VERDICT_OUTSIDE] = "outside",   [SCOPE_VERDICT_UNKNOWN] = "unknown",
	};

	return name[verdict];
}

static json_t *make_function(const struct scope_function *function)
{
	if (!function)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:b}", "name", make_string(function->name), "symbol",
			 make_string(function->symbol), "module", make_string(function->module), "path",
			 make_string(function->path), "address", (json_int_t)function->start, "known",
			 function->known);
}

/* From the function that is named to the start of its thread, as far as the stacks reach. */
static json_t *make_callers(const struct scope_finding *finding)
{
	const struct scope_tree *tree = &finding->evidence->tree;
	json_t *array = json_array();

	for (uint32_t node = finding->node; node; node = tree->node[node].parent)
		json_array_append_new(array, make_string(tree->node[node].function->name));
	return array;
}

static json_t *make_thread(const struct scope_analysis *analysis, uint32_t index)
{
	const struct scope_thread *thread =
		scope_threads_at(analysis->units->timeline->threads, index);

	return json_pack("{s:I, s:I, s:o}", "tid", (json_int_t)thread->tid, "pid",
			 (json_int_t)thread->tgid, "name", make_string(thread->comm));
}

/* As the text's `source`, but all of the lines found. NULL: no memory. */
static json_t *make_source(const struct scope_analysis *analysis, const struct scope_finding *finding)
{
	const bool hung = finding->kind == SCOPE_FINDING_HANG;
	struct scope_places_row row[SOURCE_ROWS];
	json_t *array = json_array();
	size_t count = 0;
	double cut;

	if (finding->function && finding->by_stacks &&
	    scope_places_find(analysis->evidence, &analysis->ranking->by_stacks, analysis->symbols, finding->function,
			      hung ? finding->thread : UINT32_MAX, row, SOURCE_ROWS, &count, &cut)) {
		json_decref(array);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		json_t *lines = json_array();

		for (unsigned int j = 0; j < row[i].lines; j++)
			json_array_append_new(lines, json_pack("{s:o, s:i, s:o}", "file",
							       make_string(row[i].line[j].file), "line",
							       row[i].line[j].line, "inlined",
							       make_string(row[i].line[j].function)));
		json_array_append_new(array, json_pack("{s:o, s:o}", "share", make_number(row[i].share),
						       "lines", lines));
	}
	return array;
}

/* Functions of the kernel that it ran in, all that samples tell of. */
static json_t *make_inside(const struct scope_finding *finding)
{
	struct scope_inside row[INSIDE_MAX];
	json_t *array = json_array();
	size_t count = 0;

	if (finding->function && finding->evidence &&
	    scope_inside_find(finding->evidence, finding->attribution, finding->function, row, INSIDE_MAX,
			      &count))
		return NULL;
	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_pack("{s:o, s:o, s:o}", "name",
						       make_string(row[i].function->name), "module",
						       make_string(row[i].function->module), "share",
						       make_number(row[i].share)));
	return array;
}

/* What was lost while it showed. */
static json_t *make_losses(const struct scope_finding *finding)
{
	return json_pack("{s:I, s:I, s:o, s:o}", "first_ns", (json_int_t)finding->first_ns, "last_ns",
			 (json_int_t)finding->last_ns, "lost",
			 finding->lost_unknown ? json_null() : json_integer((json_int_t)finding->lost),
			 "lost_share", finding->lost_unknown ? json_null() : json_real(finding->lost_share));
}

static json_t *make_rounds(const struct scope_spin *spin)
{
	if (!spin)
		return json_null();
	return json_pack("{s:o, s:o, s:I, s:o, s:o}", "poll", make_call(spin->poll_nr), "call", make_call(spin->nr),
			 "returns", (json_int_t)spin->ret, "rounds_per_s", make_number(scope_rounds_per_s(spin)),
			 "cpu_share", make_number(scope_rounds_cpu_share(spin)));
}

/* What a thread that hangs or spins does, or what slow units have cost. */
static json_t *make_extent(const struct scope_analysis *analysis, const struct scope_finding *finding)
{
	if (finding->kind == SCOPE_FINDING_HANG || finding->kind == SCOPE_FINDING_SPIN)
		return json_pack("{s:I, s:o, s:I, s:b, s:b, s:o}", "threads", (json_int_t)finding->threads,
				 "thread", make_thread(analysis, finding->thread), "age_ns",
				 (json_int_t)finding->age_ns, "lock", finding->lock, "unsure",
				 finding->unsure, "rounds", make_rounds(finding->rounds));
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "units",
			 (json_int_t)finding->units, "usual_ns", make_number(finding->usual_ns), "p50_ns",
			 make_number(finding->p50_ns), "p95_ns", make_number(finding->p95_ns), "p99_ns",
			 make_number(finding->p99_ns), "excess_ns", make_number(finding->excess_ns),
			 "odds", make_number(finding->odds), "kernel_share",
			 make_number(finding->kernel_share), "outside", finding->outside);
}

static json_t *make_waiters(const struct scope_analysis *analysis, const struct scope_finding *finding)
{
	return json_pack("{s:o, s:I, s:o}", "group",
			 make_string(analysis->found.groups->group[finding->victim_group].name), "threads",
			 (json_int_t)finding->victim_threads, "thread",
			 make_thread(analysis, finding->holder));
}

/* What holding the process up there did. */
static json_t *make_effect(const struct scope_report_causal *causal, size_t index)
{
	const struct scope_effect *effect = scope_report_effect(causal, index);
	const char *why = causal->finding[index].why;

	if (!effect)
		return json_pack("{s:n, s:o}", "effect", "why", make_string(why[0] ? why : causal->why));
	return scope_delay_json_site(causal->result->site[causal->finding[index].number], effect);
}

static json_t *make_finding(const struct scope_analysis *analysis, const struct scope_report_causal *causal,
			    size_t index)
{
	static const char *const confidence[] = {"low", "medium", "high"};
	const struct scope_finding *finding = &analysis->ranking->finding[index];
	json_t *object = json_pack("{s:I, s:o, s:s, s:o, s:o, s:s, s:b, s:b, s:I, s:I, s:o, s:o}", "rank",
				   (json_int_t)index + 1, "function", make_function(finding->function),
				   "kind", kind_name(finding->kind), "syscall", make_call(finding->nr),
				   "share", make_number(finding->share), "confidence",
				   confidence[finding->confidence], "by_stacks", finding->by_stacks,
				   "by_signature", finding->signature != NULL, "samples",
				   (json_int_t)finding->samples, "sleeps", (json_int_t)finding->sleeps,
				   "call_path", make_callers(finding), "source",
				   make_source(analysis, finding));

	if (!object)
		return NULL;
	json_object_update_new(object, make_extent(analysis, finding));
	json_object_update_new(object, make_losses(finding));
	json_object_set_new(object, "in_kernel", make_inside(finding));
	json_object_set_new(object, "example", scope_example_json(analysis, finding));
	if (finding->kind == SCOPE_FINDING_LOCK || finding->kind == SCOPE_FINDING_LATE)
		json_object_set_new(object, "waiters", make_waiters(analysis, finding));
	if (causal)
		json_object_set_new(object, "held_up", make_effect(causal, index));
	return object;
}

static json_t *make_findings(const struct scope_analysis *analysis, const struct scope_report_causal *causal)
{
	json_t *array = json_array();

	for (size_t i = 0; i < analysis->ranking->findings; i++)
		json_array_append_new(array, make_finding(analysis, causal, i));
	return array;
}

static json_t *make_freezes(const struct scope_analysis *analysis)
{
	json_t *array = json_array();

	for (size_t i = 0; i < analysis->freezes.count; i++) {
		const struct scope_freeze *freeze = &analysis->freezes.freeze[i];

		json_array_append_new(array, json_pack("{s:o, s:I, s:I, s:o}", "thread",
						       make_thread(analysis, freeze->thread), "begin_ns",
						       (json_int_t)freeze->begin_ns, "end_ns",
						       (json_int_t)freeze->end_ns, "kept_waiting",
						       make_number(freeze->kept)));
	}
	return array;
}

/* What came near to being a finding, where there is none. */
static json_t *make_near(const struct scope_analysis *analysis)
{
	static const char *const rule[] = {
		[SCOPE_RULE_UNITS] = "units",	[SCOPE_RULE_ODDS] = "odds",
		[SCOPE_RULE_TIMES] = "times",	[SCOPE_RULE_CHANCE] = "chance",
		[SCOPE_RULE_HALVES] = "halves",	[SCOPE_RULE_FLOOR] = "floor",
		[SCOPE_RULE_PARTS] = "parts",
	};
	const struct scope_ranking *ranking = analysis->ranking;
	json_t *array = json_array();

	for (size_t i = 0; !ranking->findings && i < ranking->nears; i++) {
		const struct scope_finding *finding = &ranking->near[i].finding;

		json_array_append_new(array, json_pack("{s:o, s:o, s:I, s:o, s:o, s:s}", "function",
						       make_function(finding->function), "share",
						       make_number(finding->share), "units",
						       (json_int_t)finding->units, "odds",
						       make_number(finding->odds), "times",
						       make_number(finding->times), "fails",
						       rule[ranking->near[i].fails]));
	}
	return array;
}

static json_t *make_group(const struct scope_times *times)
{
	json_t *blocked = json_object();

	for (int class = 0; class < SCOPE_WAIT_CLASSES; class++)
		json_object_set_new(blocked, scope_wait_class_name((enum scope_wait_class)class),
				    make_number(times->blocked_ns[class]));
	return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "name", make_string(times->name),
			 "threads", (json_int_t)times->threads, "wall_ns", make_number(times->wall_ns),
			 "run_ns", make_number(times->run_ns), "queue_ns", make_number(times->queue_ns),
			 "unexplained_ns", make_number(times->unexplained_ns), "blocked_ns", blocked);
}

/* NULL: no memory. */
static json_t *make_groups(const struct scope_analysis *analysis)
{
	struct scope_times *times;
	json_t *array;
	size_t count;

	if (scope_times_collect(analysis, &times, &count))
		return NULL;
	array = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, make_group(&times[i]));
	free(times);
	return array;
}

static json_t *make_meta(const struct scope_analysis *analysis, const char *key)
{
	return make_string(scope_trace_meta(analysis->trace, key));
}

/* What was traced, how, and what is missing of it. */
static json_t *make_trace(const struct scope_analysis *analysis)
{
	const struct scope_timeline *timeline = analysis->units->timeline;
	const char *damage = scope_trace_damage(analysis->trace);
	const uint64_t wall_ns = scope_trace_meta_number(analysis->trace, SCOPE_META_WALL_CLOCK, 0);

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I}", "command",
		make_meta(analysis, SCOPE_META_COMMAND), "command_line",
		make_meta(analysis, SCOPE_META_COMMAND_LINE), "host", make_meta(analysis, SCOPE_META_HOST),
		"wall_ns", wall_ns ? json_integer((json_int_t)wall_ns) : json_null(), "pid",
		(json_int_t)scope_trace_meta_number(analysis->trace, SCOPE_META_PID, 0), "kernel",
		make_meta(analysis, SCOPE_META_KERNEL), "source", make_meta(analysis, SCOPE_META_SOURCE),
		"source_lacks", make_meta(analysis, SCOPE_META_LACKS), "end",
		make_meta(analysis, SCOPE_META_END_REASON), "damage",
		damage[0] ? make_string(damage) : json_null(), "begin_ns", (json_int_t)timeline->begin_ns,
		"end_ns", (json_int_t)timeline->end_ns, "threads", (json_int_t)analysis->units->threads,
		"events", (json_int_t)timeline->events, "lost",
		(json_int_t)scope_timeline_lost(timeline));
}

/* By which rule units are abnormal and functions are findings. */
static json_t *make_rule(const struct scope_basis *basis)
{
	const struct scope_rank_options *rank = &basis->rank;

	return json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:s, s:I}", "z", make_number(basis->z),
			 "median_times", make_number(basis->detect.times_min), "excess_share",
			 make_number(rank->excess_share), "units_min", (json_int_t)rank->units_min,
			 "odds_min", make_number(rank->odds_min), "times_min", make_number(rank->times_min),
			 "odds_alone", make_number(rank->odds_alone), "linkage",
			 scope_linkage_name(basis->detect.cluster.linkage), "points_max",
			 (json_int_t)basis->detect.cluster.max_points);
}

static json_t *make_signatures(const struct scope_basis_signatures *signatures)
{
	if (!signatures->known)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:o}", "signatures", (json_int_t)signatures->episodes,
			 "functions", (json_int_t)signatures->functions, "told",
			 (json_int_t)signatures->told, "shared", (json_int_t)signatures->shared, "fit_share",
			 make_number(signatures->fit_share));
}

static json_t *make_baseline(const struct scope_basis_baseline *baseline)
{
	if (!baseline->known)
		return json_null();
	return json_pack("{s:b, s:I, s:I, s:o, s:o, s:o}", "before", baseline->before, "populations",
			 (json_int_t)baseline->populations, "units", (json_int_t)baseline->units, "seconds",
			 make_number(baseline->seconds), "units_per_s", make_number(baseline->per_s),
			 "units_per_s_here", make_number(baseline->here_per_s));
}

static json_t *make_stacks(const struct scope_basis *basis)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "stacks",
			 (json_int_t)basis->stacks, "stacks_nameless", (json_int_t)basis->nameless, "stacks_cut",
			 (json_int_t)basis->cut, "stacks_broken", (json_int_t)basis->broken, "stacks_tracer",
			 (json_int_t)basis->tracer, "stacks_skipped", (json_int_t)basis->skipped,
			 "stacks_absent", (json_int_t)basis->absent, "stacks_lost", (json_int_t)basis->lost,
			 "stacks_given_up", (json_int_t)basis->given_up,
			 "stack_min_ns", (json_int_t)basis->stack_min_ns, "stack_highest_ns",
			 (json_int_t)basis->stack_highest_ns);
}

/* What the answer rests on. */
static json_t *make_basis(const struct scope_analysis *analysis)
{
	const struct scope_ranking *ranking = analysis->ranking;
	struct scope_basis basis;
	json_t *object;

	scope_basis_make(analysis, &basis);
	object = json_pack(
		"{s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "requests",
		(json_int_t)basis.requests, "slow_requests", (json_int_t)ranking->slow_requests,
		"longest_ns", ranking->longest_ns > 0 ? make_number(ranking->longest_ns) : json_null(),
		"units", (json_int_t)basis.units, "slow_units", (json_int_t)ranking->slow_units,
		"discarded_units", (json_int_t)basis.discarded, "populations",
		(json_int_t)basis.populations, "program_functions",
		(json_int_t)scope_symbols_program_functions(analysis->symbols, 0), "excess_ns",
		make_number(ranking->excess_ns), "explained_ns", make_number(ranking->explained_ns),
		"queue_share", make_number(ranking->queue_share), "long_queue_share",
		make_number(ranking->long_queue_share));
	if (!object)
		return NULL;
	json_object_update_new(object, make_stacks(&basis));
	json_object_set_new(object, "false_wakeups", json_integer((json_int_t)basis.false_wakeups));
	json_object_set_new(object, "untold", json_integer((json_int_t)basis.untold));
	json_object_set_new(object, "sampled", json_boolean(basis.sampled));
	json_object_set_new(object, "rule", make_rule(&basis));
	json_object_set_new(object, "signatures", make_signatures(&basis.signatures));
	json_object_set_new(object, "baseline", make_baseline(&basis.baseline));
	return object;
}

static json_t *make_problems(const struct scope_analysis *analysis)
{
	json_t *array = json_array();
	const char *const *problem;
	const char *unread = scope_trace_meta(analysis->trace, SCOPE_META_UNREAD);
	size_t problems;

	if (unread)
		json_array_append_new(array, make_string(unread));
	for (size_t i = 0; analysis->signatures && i < analysis->signatures->problems; i++)
		json_array_append_new(array, make_string(analysis->signatures->problem[i]));
	problem = scope_symbols_problems(analysis->symbols, &problems);
	for (size_t i = 0; i < problems; i++)
		json_array_append_new(array, make_string(problem[i]));
	return array;
}

/* What the first screen says. */
static json_t *make_answer(const struct scope_analysis *analysis)
{
	const struct scope_report_style style = { 0 };
	const struct report report = { analysis, &style, NULL };
	json_t *answer;
	char *text;

	if (scope_section_answer(&report, &text))
		return NULL;
	answer = make_string(text);
	free(text);
	return answer;
}

static json_t *make_pictures(const struct scope_analysis *analysis)
{
	return json_pack("{s:o, s:o}", "flame", scope_picture_flame(analysis), "strips",
			 scope_picture_strips(analysis));
}

json_t *scope_report_json_make(const struct scope_analysis *analysis, const struct scope_report_causal *causal)
{
	const struct scope_ranking *ranking = analysis->ranking;
	json_t *all;

	all = json_pack("{s:i, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
			SCOPE_REPORT_SCHEMA, "scope", SCOPE_VERSION, "trace",
			make_trace(analysis), "verdict", verdict_name(ranking->verdict), "reason",
			ranking->reason[0] ? make_string(ranking->reason) : json_null(), "beside",
			ranking->beside[0] ? make_string(ranking->beside) : json_null(), "since_ns",
			analysis->since_ns ? json_integer((json_int_t)analysis->since_ns) : json_null(), "findings",
			make_findings(analysis, causal), "freezes", make_freezes(analysis), "near", make_near(analysis), "groups",
			make_groups(analysis), "basis", make_basis(analysis), "problems", make_problems(analysis));
	if (all && json_array_size(json_object_get(all, "findings")) == ranking->findings) {
		json_object_set_new(all, "answer", make_answer(analysis));
		json_object_set_new(all, "pictures", make_pictures(analysis));
		return all;
	}
	json_decref(all);
	return NULL;
}

int scope_report_json(const struct scope_analysis *analysis, const struct scope_report_causal *causal,
		      FILE *out)
{
	json_t *all = scope_report_json_make(analysis, causal);
	int err = 0;

	if (!all)
		return -ENOMEM;
	if (json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) || fputc('\n', out) == EOF)
		err = -EIO;
	json_decref(all);
	return err;
}

int scope_report_json_line(const struct scope_analysis *analysis, json_t *live, FILE *out)
{
	json_t *all = scope_report_json_make(analysis, NULL);
	int err = 0;

	if (!all) {
		json_decref(live);
		return -ENOMEM;
	}
	json_object_set_new(all, "live", live ? live : json_null());
	if (json_dumpf(all, out, JSON_COMPACT | JSON_REAL_PRECISION(9)) || fputc('\n', out) == EOF)
		err = -EIO;
	json_decref(all);
	return err;
}
