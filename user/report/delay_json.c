// SPDX-License-Identifier: GPL-2.0-only
/* The result of delay experiments as JSON. */
#include <errno.h>

#include <jansson.h>

#include <scope/abi.h>

#include "report/delay_report.h"
#include "report/json.h"

static json_t *make_interval(const struct scope_interval *interval)
{
	return json_pack("[f, f]", interval->low, interval->high);
}

static json_t *make_fit(bool known, const struct scope_fit *fit)
{
	if (!known)
		return json_null();
	return json_pack("{s:f, s:o, s:f, s:f, s:I}", "slope", fit->slope, "slope_95", make_interval(&fit->slope_95),
			 "intercept", fit->intercept, "r2", fit->r2, "n", (json_int_t)fit->n);
}

static json_t *make_level(const struct scope_effect_level *level)
{
	json_t *object = json_pack("{s:f, s:I, s:f, s:f}", "value", level->value, "n", (json_int_t)level->n,
				   "period_ns", level->period_ns, "served_ns", level->served_ns);

	if (object && level->known)
		json_object_update_new(object, json_pack("{s:f, s:o}", "program", level->change.value, "program_95",
							 make_interval(&level->change.value_95)));
	return object;
}

static json_t *make_levels(const struct scope_effect *effect)
{
	json_t *array = json_array();

	for (size_t i = 0; i < effect->levels; i++)
		json_array_append_new(array, make_level(&effect->level[i]));
	return array;
}

static json_t *make_notes(const struct scope_effect *effect)
{
	json_t *array = json_array();
	struct scope_notes notes;

	scope_causal_effect_notes(effect, &notes);
	for (unsigned i = 0; i < notes.count; i++)
		json_array_append_new(array, json_string(notes.text[i]));
	return array;
}

json_t *scope_report_delay_json_site(const char *name, const struct scope_effect *effect)
{
	char meaning[256];
	json_t *object;

	scope_causal_effect_meaning(effect, meaning, sizeof(meaning));
	object = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:I, s:I, s:I}", "site", name, "effect",
			   scope_causal_effect_word(effect->verdict), "meaning", meaning, "period",
			   make_fit(effect->known, &effect->fit), "levels", make_levels(effect), "notes",
			   make_notes(effect), "n", (json_int_t)effect->n, "dropped_few",
			   (json_int_t)effect->dropped_few, "dropped_far", (json_int_t)effect->dropped_far);
	if (object)
		json_object_update_new(
			object,
			json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "visits", (json_int_t)effect->visits, "served",
				  (json_int_t)effect->served, "asked_ns", (json_int_t)effect->asked_ns, "served_ns",
				  (json_int_t)effect->served_ns, "missed", (json_int_t)effect->missed, "capped",
				  (json_int_t)effect->capped, "lost", (json_int_t)effect->lost));
	if (object && effect->latency_ns > 0)
		json_object_update_new(object, json_pack("{s:f, s:o}", "latency_ns", effect->latency_ns, "latency",
							 make_fit(effect->latency_known, &effect->latency)));
	if (object && effect->drift_known)
		json_object_update_new(object, json_pack("{s:f, s:o}", "drift", effect->drift, "drift_95",
							 make_interval(&effect->drift_95)));
	if (object && effect->enough_s > 0)
		json_object_set_new(object, "enough_s", json_real(effect->enough_s));
	return object;
}

static json_t *make_experiment(const struct scope_causal_result *result, const struct scope_experiment *one)
{
	return json_pack("{s:s, s:f, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "site",
			 result->site[one->site], "value", one->value, "elapsed_ns", (json_int_t)one->elapsed_ns,
			 "inserted_ns", (json_int_t)one->inserted_ns, "progress", (json_int_t)one->progress,
			 "in_flight", one->in_flight, "visits", (json_int_t)one->visits, "served",
			 (json_int_t)one->served, "asked_ns", (json_int_t)one->asked_ns, "served_ns",
			 (json_int_t)one->served_ns, "missed", (json_int_t)one->missed, "capped",
			 (json_int_t)one->capped, "unsettled_ns", (json_int_t)one->unsettled_ns, "lost",
			 (json_int_t)one->lost);
}

int scope_report_delay_json(const struct scope_causal_result *result, FILE *out)
{
	json_t *sites = json_array(), *experiments = json_array(), *all;
	int err = 0;

	for (uint32_t i = 0; i < result->sites; i++)
		json_array_append_new(sites, scope_report_delay_json_site(result->site[result->rank[i]],
									  &result->effect[result->rank[i]]));
	for (size_t i = 0; i < result->count; i++)
		json_array_append_new(experiments, make_experiment(result, &result->experiment[i]));
	all = json_pack("{s:s, s:s, s:s, s:I, s:s, s:I, s:s, s:I, s:s, s:I, s:f, s:f, s:o, s:o}", "scope",
			SCOPE_VERSION, "kind", result->kind == SCOPE_CAUSAL_SPEEDUP ? "speedup" : "sensitivity",
			"program", result->program, "pid", (json_int_t)result->pid, "kernel", result->kernel, "seed",
			(json_int_t)result->seed, "progress", result->progress, "planned", (json_int_t)result->planned,
			"ended", result->ended, "delays", (json_int_t)result->delays, "late_p50_ns",
			result->late_p50_ns, "late_p99_ns", result->late_p99_ns, "sites", sites, "experiments",
			experiments);
	if (!all)
		return -ENOMEM;
	if (json_array_size(json_object_get(all, "sites")) != result->sites ||
	    json_array_size(json_object_get(all, "experiments")) != result->count)
		err = -ENOMEM;
	if (!err)
		return scope_report_json_write(all, JSON_INDENT(1), out);
	json_decref(all);
	return err;
}
