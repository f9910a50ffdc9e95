// SPDX-License-Identifier: GPL-2.0-only
/* Single units as JSON: a slow unit of a finding and a usual one, and the unit of a trigger. */
#include "report/json_part.h"

#include "base/syscall_name.h"
#include "report/picture.h"

#define CALLS_MAX 200 /* of a path */

/* {call, count, ns, extra} for each part, as in the text; call null: running between two calls; "queue": waiting for a CPU there; "task": waiting in no thread; "between": running in short parts between calls. */
static json_t *make_path(const struct scope_path *path)
{
	json_t *calls = json_array();

	for (size_t i = 0; i < path->calls && i < CALLS_MAX; i++) {
		const struct scope_path_call *call = &path->call[i];
		const char *name = call->nr == SCOPE_NR_NONE	    ? NULL
				   : call->nr == SCOPE_PATH_TASK    ? "task"
				   : call->nr == SCOPE_PATH_QUEUE   ? "queue"
				   : call->nr == SCOPE_PATH_BETWEEN ? "between"
								    : scope_syscall_name(call->nr);

		json_array_append_new(calls, json_pack("{s:o, s:I, s:I, s:b}", "call",
						       name			   ? json_string(name)
						       : call->nr == SCOPE_NR_NONE ? json_null()
										   : json_integer(call->nr),
						       "count", (json_int_t)call->count, "ns", (json_int_t)call->ns,
						       "extra", call->extra));
	}
	return calls;
}

static json_t *make_unit(struct scope_trace *trace, const struct scope_units *units, const struct scope_path *path)
{
	const struct scope_unit *unit = &units->unit[path->unit];
	json_t *scene;

	if (scope_report_picture_scene(trace, units, path->unit, &scene))
		return NULL;
	return json_pack("{s:I, s:I, s:I, s:I, s:o, s:I, s:o}", "wall_ns", (json_int_t)scope_unit_wall(unit), "run_ns",
			 (json_int_t)unit->run_ns, "queue_ns", (json_int_t)unit->queue_ns, "blocked_ns",
			 (json_int_t)unit->blocked_ns, "path", make_path(path), "path_calls", (json_int_t)path->calls,
			 "scene", scene);
}

json_t *scope_report_json_example(const struct scope_analysis *analysis, const struct scope_model_finding *one)
{
	const bool elsewhere = one->finding->usual_elsewhere;
	json_t *slow, *usual = NULL;

	if (!one->has_slow || one->stuck)
		return json_null();
	slow = make_unit(analysis->trace, analysis->units, &one->slow);
	if (!slow)
		return NULL;
	if (one->has_usual)
		usual = make_unit(elsewhere ? analysis->reference->trace : analysis->trace,
				  elsewhere ? analysis->reference_kept->units : analysis->units, &one->usual);
	return json_pack("{s:o, s:o, s:b}", "slow", slow, "usual", usual ? usual : json_null(), "baseline",
			 one->usual_of_baseline);
}

json_t *scope_report_json_triggered(const struct scope_model *model)
{
	const struct scope_model_triggered *triggered = &model->triggered;
	const struct scope_analysis *analysis = model->analysis;
	json_t *unit = NULL;

	if (!triggered->why)
		return json_null();
	if (triggered->has_unit) {
		unit = make_unit(analysis->trace, analysis->units, &triggered->path);
		if (!unit)
			return NULL;
	}
	return json_pack("{s:o, s:o}", "why", scope_report_json_string(triggered->why), "unit",
			 unit ? unit : json_null());
}
