// SPDX-License-Identifier: GPL-2.0-only
/* A finding of the report as JSON. */
#include "report/json_part.h"

#include <string.h>

#include "base/syscall_name.h"
#include "report/delay_report.h"
#include "report/rounds.h"

static json_t *make_call(uint32_t nr)
{
	const char *name = nr == SCOPE_NR_NONE ? NULL : scope_syscall_name(nr);

	return nr == SCOPE_NR_NONE || name ? scope_report_json_string(name) : json_integer(nr);
}

static const struct scope_thread *thread_at(const struct scope_model *model, uint32_t index)
{
	return scope_timeline_threads_at(model->analysis->units->timeline->threads, index);
}

static json_t *make_name(const struct scope_model *model, const struct scope_function *function)
{
	return scope_report_json_string(scope_signatures_name(model->analysis->signatures, function));
}

/* From the function that is named to the start of its thread, as far as the stacks reach. */
static json_t *make_callers(const struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	json_t *array = json_array();

	for (size_t i = 0; i < one->path_count; i++)
		json_array_append_new(array, scope_report_json_string(tree->node[one->path[i]].function->name));
	return array;
}

/* The callers that call themselves again, and through which functions. */
static json_t *make_recursion(const struct scope_model *model, const struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	json_t *array = json_array();

	for (size_t i = 0; i < one->path_count; i++) {
		const struct scope_circle *circle = &tree->node[one->path[i]].circle;
		json_t *by = circle->function ? json_array() : NULL;

		if (!circle->function)
			continue;
		for (unsigned int j = 0; j < circle->count && j < SCOPE_CIRCLE_MAX; j++)
			json_array_append_new(by, make_name(model, circle->by[j]));
		json_array_append_new(array, json_pack("{s:o, s:o, s:b}", "function",
						       make_name(model, tree->node[one->path[i]].function), "by", by,
						       "more", circle->count > SCOPE_CIRCLE_MAX));
	}
	return array;
}

static json_t *make_callees(const struct scope_model *model, const struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	json_t *array = one->most_count ? json_array() : NULL;

	for (size_t i = 0; i < one->most_count; i++)
		json_array_append_new(array, make_name(model, tree->node[one->most[i]].function));
	return array ? json_pack("{s:o, s:o}", "path", array, "share", scope_report_json_number(one->most_share))
		     : json_null();
}

/* The same as `source` in the text, with more lines. */
static json_t *make_source(const struct scope_model_finding *one)
{
	json_t *array = json_array();

	for (size_t i = 0; i < one->places; i++) {
		const struct scope_places_row *row = &one->place[i];
		json_t *lines = json_array();

		for (unsigned int j = 0; j < row->lines; j++)
			json_array_append_new(lines, json_pack("{s:o, s:i, s:o}", "file",
							       scope_report_json_string(row->line[j].file), "line",
							       row->line[j].line, "inlined",
							       scope_report_json_string(row->line[j].function)));
		json_array_append_new(array, json_pack("{s:o, s:o}", "share", scope_report_json_number(row->share),
						       "lines", lines));
	}
	return array;
}

/* Lines of the function and of what was inlined, those around with a share of 0. */
static json_t *make_lines(const struct scope_model_finding *one)
{
	json_t *array = json_array();

	for (size_t i = 0; i < one->lines; i++) {
		const struct scope_model_line *line = &one->line[i];

		json_array_append_new(array, json_pack("{s:o, s:i, s:o, s:o, s:o}", "file",
						       scope_report_json_string(line->file), "line", line->number,
						       "share", scope_report_json_number(line->share), "inlined",
						       scope_report_json_string(line->inlined), "text",
						       scope_report_json_string(line->text)));
	}
	return array;
}

static json_t *make_loop(const struct scope_model_finding *one)
{
	const struct scope_source_loop *loop = &one->loop.lines;

	if (!loop->file)
		return json_null();
	return json_pack("{s:s, s:s, s:i, s:i, s:o}", "file", loop->file, "inlined", loop->inlined, "first",
			 loop->first, "last", loop->last, "share", scope_report_json_number(one->loop.share));
}

static json_t *make_hints(const struct scope_model_finding *one)
{
	json_t *array = json_array();

	for (size_t i = 0; i < one->hints; i++) {
		const struct scope_model_hint *hint = &one->hint[i];

		json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:o}", "rule", hint->rule, "text",
						       scope_report_json_string(hint->text), "file",
						       scope_report_json_string(hint->file), "line",
						       hint->file ? json_integer(hint->line) : json_null()));
	}
	return array;
}

/* All functions of the kernel in which samples found it. */
static json_t *make_inside(const struct scope_model_finding *one)
{
	json_t *array = json_array();

	for (size_t i = 0; i < one->insides; i++)
		json_array_append_new(array,
				      json_pack("{s:o, s:o, s:o}", "name",
						scope_report_json_string(one->inside[i].function->name), "module",
						scope_report_json_string(one->inside[i].function->module), "share",
						scope_report_json_number(one->inside[i].share)));
	return array;
}

static json_t *make_inside_why(const struct scope_model_finding *one)
{
	return scope_report_json_string(one->kernel_matters && !one->insides ? one->inside_why : NULL);
}

/* Losses during the finding. */
static json_t *make_losses(const struct scope_finding *finding)
{
	return json_pack("{s:I, s:I, s:o, s:o, s:o}", "first_ns", (json_int_t)finding->first_ns, "last_ns",
			 (json_int_t)finding->last_ns, "lost",
			 finding->lost_unknown ? json_null() : json_integer((json_int_t)finding->lost), "lost_share",
			 finding->lost_unknown ? json_null() : json_real(finding->lost_share), "events",
			 scope_report_json_number(finding->events));
}

static json_t *make_rounds(const struct scope_model_finding *one)
{
	const struct scope_spin *spin = one->finding->hang.rounds;

	if (!spin)
		return json_null();
	return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o}", "poll", make_call(spin->poll_nr), "call",
			 make_call(spin->nr), "returns", (json_int_t)spin->ret, "rounds_per_s",
			 scope_report_json_number(scope_report_rounds_per_s(spin)), "cpu_share",
			 scope_report_json_number(scope_report_rounds_cpu_share(spin)), "words",
			 scope_report_json_string(one->rounds));
}

static json_t *make_owner(const struct scope_model_finding *one)
{
	const struct scope_model_owner *owner = &one->owner;
	const struct scope_source_line *line = scope_evidence_place_line(&owner->place);

	if (!owner->thread)
		return json_null();
	return json_pack("{s:o, s:b, s:o, s:o}", "thread", scope_report_json_thread(owner->thread), "itself",
			 owner->itself, "at", scope_report_json_function(owner->at), "line",
			 line ? json_pack("{s:s, s:i}", "file", line->file, "number", line->line) : json_null());
}

/* Functions of the kernel, the innermost first. */
static json_t *make_kernel_stack(const struct scope_model_finding *one)
{
	json_t *array = one->kernel_stack ? json_array() : json_null();

	for (const char *at = one->kernel_stack; at && *at;) {
		const size_t length = strcspn(at, " ");

		if (length)
			json_array_append_new(array, json_stringn(at, length));
		at += length + (at[length] == ' ');
	}
	return array;
}

/* What a thread that hangs or spins does. */
static json_t *make_stuck(const struct scope_model *model, const struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;

	return json_pack("{s:I, s:s, s:o, s:I, s:b, s:b, s:I, s:I, s:I, s:o, s:b, s:o, s:o, s:o, s:o}", "threads",
			 (json_int_t)finding->hang.threads, "who", one->who, "thread",
			 scope_report_json_thread(thread_at(model, finding->hang.thread)), "age_ns",
			 (json_int_t)finding->hang.age_ns, "lock", finding->hang.lock, "unsure", finding->hang.unsure,
			 "backlog", (json_int_t)finding->hang.backlog, "unread", (json_int_t)finding->hang.unread,
			 "retries", (json_int_t)finding->hang.retries, "rounds", make_rounds(one), "deadlock",
			 finding->hang.circle || one->owner.itself, "sleeps_in",
			 scope_report_json_string(one->sleeps_in[0] ? one->sleeps_in : NULL), "owner", make_owner(one),
			 "kernel_stack", make_kernel_stack(one), "kernel_stack_why",
			 scope_report_json_string(one->kernel_stack_why));
}

/* 0 means that nothing was compared. */
static json_t *share_or_null(double share)
{
	return share > 0 ? scope_report_json_number(share) : json_null();
}

/* The cost of slow units. */
static json_t *make_cost(const struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	const bool calls = finding->kind == SCOPE_FINDING_CALLS;

	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:b, s:o, s:b, s:o}", "units",
			 (json_int_t)finding->units, "usual_ns", scope_report_json_number(finding->usual_ns), "p50_ns",
			 scope_report_json_number(finding->p50_ns), "p95_ns", scope_report_json_number(finding->p95_ns),
			 "p99_ns", scope_report_json_number(finding->p99_ns), "excess_ns",
			 scope_report_json_number(finding->excess_ns), "odds", scope_report_json_number(finding->odds),
			 "of_slow", share_or_null(finding->of_slow), "of_normal", share_or_null(finding->of_usual),
			 "kernel_share", scope_report_json_number(finding->kernel_share), "outside",
			 scope_rank_finding_outside(finding), "waits_for", scope_report_json_string(one->waits_for),
			 "asks", scope_rank_finding_asks(finding), "calls_times",
			 calls ? scope_report_json_number(finding->calls_times) : json_null(), "pauses",
			 scope_rank_finding_pauses(finding), "by_design",
			 scope_report_json_string(scope_rank_by_design_name[finding->by_design]));
}

static json_t *make_waiters(const struct scope_model *model, const struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;

	return json_pack(
		"{s:o, s:I, s:o, s:o}", "group",
		scope_report_json_string(model->analysis->found.groups->group[finding->holder.victim_group].name),
		"threads", (json_int_t)finding->holder.victim_threads, "thread",
		scope_report_json_thread(thread_at(model, finding->holder.thread)), "sleeps_in",
		scope_report_json_string(one->sleeps_in));
}

/* The effect of delays there. */
static json_t *make_effect(const struct scope_report_causal *causal, size_t index)
{
	const struct scope_effect *effect = scope_report_effect(causal, index);
	const char *why = causal->finding[index].why;

	if (!effect)
		return json_pack("{s:n, s:o}", "effect", "why", scope_report_json_string(why[0] ? why : causal->why));
	return scope_report_delay_json_site(causal->result->site[causal->finding[index].number], effect);
}

/* The place of the finding, and its callers. */
static json_t *make_where(const struct scope_model *model, const struct scope_model_finding *one)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "shown",
			 scope_report_json_string(one->name), "recursion", make_recursion(model, one), "below",
			 scope_report_json_function(one->below), "known_caller",
			 scope_report_json_string(one->known_caller), "most_in", make_callees(model, one), "cut_share",
			 scope_report_json_number(one->cut_share), "in_kernel", make_inside(one), "in_kernel_why",
			 make_inside_why(one), "unnamed_share", scope_report_json_number(one->finding->unnamed),
			 "example", scope_report_json_example(model->analysis, one));
}

json_t *scope_report_json_finding(const struct scope_model *model, size_t index)
{
	const struct scope_model_finding *one = &model->finding[index];
	const struct scope_finding *finding = one->finding;
	json_t *object = json_pack("{s:I, s:o, s:s, s:o, s:o, s:s, s:b, s:b, s:I, s:I, s:I, s:o, s:o}", "rank",
				   (json_int_t)index + 1, "function", scope_report_json_function(finding->function),
				   "kind", scope_rank_kind_name[finding->kind], "syscall", make_call(finding->nr),
				   "share", scope_report_json_number(finding->share), "confidence",
				   scope_rank_confidence_name[finding->confidence], "by_stacks", finding->by_stacks,
				   "by_signature", finding->signature != NULL, "samples", (json_int_t)finding->samples,
				   "sleeps", (json_int_t)finding->sleeps, "waits_in_no_thread",
				   (json_int_t)finding->held, "call_path", make_callers(one), "source",
				   make_source(one));

	if (!object)
		return NULL;
	json_object_update_new(object, one->stuck ? make_stuck(model, one) : make_cost(one));
	json_object_update_new(object, make_losses(finding));
	json_object_update_new(object, make_where(model, one));
	json_object_update_new(object, json_pack("{s:o, s:o, s:o, s:o}", "source_lines", make_lines(one), "source_loop",
						 make_loop(one), "source_lines_why",
						 scope_report_json_string(one->lines_why), "hints", make_hints(one)));
	if (finding->kind == SCOPE_FINDING_LOCK || finding->kind == SCOPE_FINDING_LATE)
		json_object_set_new(object, "waiters", make_waiters(model, one));
	if (model->causal_sites)
		json_object_set_new(object, "held_up", make_effect(model->causal_sites, index));
	return object;
}

json_t *scope_report_json_kernel(const struct scope_model *model)
{
	const struct scope_model_finding *one = model->kernel;

	if (!one)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "function",
			 scope_report_json_function(one->finding->function), "below",
			 scope_report_json_function(one->below), "share", scope_report_json_number(one->finding->share),
			 "units", (json_int_t)one->finding->units, "p50_ns",
			 scope_report_json_number(one->finding->p50_ns), "usual_ns",
			 scope_report_json_number(one->finding->usual_ns), "in_kernel", make_inside(one),
			 "in_kernel_why", make_inside_why(one));
}
