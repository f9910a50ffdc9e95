// SPDX-License-Identifier: GPL-2.0-only
/* The profile of a server as JSON, with the names of Ditto's profiler (Liang et al., ASPLOS 2023) where it has one. */
#include "report/profile_json.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <scope/abi.h>

#include "report/json.h"
#include "report/json_part.h"
#include "report/object.h"
#include "report/section.h"
#include "report/server_text.h"
#include "server/skeleton.h"

static json_t *make_rows(uint64_t total, double mean, struct scope_values_row *rows, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_pack("[I, I, I]", (json_int_t)rows[i].low, (json_int_t)rows[i].high,
						       (json_int_t)rows[i].count));
	free(rows);
	return json_pack("{s:I, s:o, s:o}", "n", (json_int_t)total, "mean", scope_report_json_number(mean), "rows",
			 array);
}

/* null: there are none. *err is left as it is, or -ENOMEM. */
static json_t *make_values(const struct scope_values *values, int *err)
{
	struct scope_values_row *rows;
	size_t count;

	if (!values->total)
		return json_null();
	if (scope_values_rows(values, &rows, &count)) {
		*err = -ENOMEM;
		return json_null();
	}
	return make_rows(values->total, values->sum / (double)values->total, rows, count);
}

/* The same. sum: of the numbers in the sketch, which has them only nearly; a negative one: not known. */
static json_t *make_sketch(const struct scope_sketch *sketch, double sum, int *err)
{
	struct scope_values_row *rows;
	double about = 0;
	size_t count;

	if (!sketch->total)
		return json_null();
	if (scope_values_sketch_rows(sketch, &rows, &count)) {
		*err = -ENOMEM;
		return json_null();
	}
	for (size_t i = 0; i < count; i++)
		about += ((double)rows[i].low + (double)rows[i].high) / 2 * (double)rows[i].count;
	return make_rows(sketch->total, (sum < 0 ? about : sum) / (double)sketch->total, rows, count);
}

static json_t *make_error(uint16_t error)
{
	const char *name = error ? strerrorname_np(error) : NULL;
	char number[16];

	if (!error || name)
		return error ? json_string(name) : json_null();
	snprintf(number, sizeof(number), "%u", error);
	return json_string(number);
}

static json_t *make_step(const struct scope_profile_path *path, const struct scope_profile_step *step, int *err)
{
	return json_pack("{s:s, s:s?, s:I, s:o, s:o, s:o, s:{s:o}, s:o, s:o, s:o}", "syscall",
			 scope_report_section_call(step->nr), "on", scope_report_object_kind(step->kind), "picked",
			 (json_int_t)step->picked, "error", make_error(step->error), "freq",
			 scope_report_json_number((double)step->calls / (double)path->units), "times",
			 make_values(&step->times, err), "para_dist", "count", make_values(&step->bytes, err),
			 "slept_ns", make_sketch(&step->slept_ns, -1, err), "before_ns",
			 scope_report_json_number(step->before_ns / (double)path->units), "run_ns",
			 scope_report_json_number(step->run_ns / (double)step->calls));
}

/* The text of a kind of request, as the trace has it. */
static json_t *make_kind(const struct scope_analysis *analysis, uint8_t request)
{
	char key[32];

	if (!request)
		return json_null();
	if (request == SCOPE_REQUEST_SEVERAL)
		return json_string("several");
	snprintf(key, sizeof(key), SCOPE_META_REQUEST "%u", request);
	return scope_report_json_string(scope_trace_meta(analysis->trace, key));
}

static json_t *make_path(const struct scope_analysis *analysis, const struct scope_profile_path *path, int *err)
{
	json_t *steps = json_array();

	for (size_t i = 0; i < path->steps; i++)
		json_array_append_new(steps, make_step(path, &path->step[i], err));
	return json_pack("{s:o, s:I, s:I, s:o, s:o, s:o, s:o}", "kind", make_kind(analysis, path->request), "units",
			 (json_int_t)path->units, "requests", (json_int_t)path->asked, "cpu_ns",
			 make_sketch(&path->cpu_ns, path->cpu_sum_ns, err), "program_ns",
			 make_sketch(&path->program_ns, path->program_sum_ns, err), "after_ns",
			 scope_report_json_number(path->after_ns / (double)path->units), "steps", steps);
}

static json_t *make_paths(const struct scope_analysis *analysis, const struct scope_profile *profile, uint32_t stage,
			  int *err)
{
	json_t *array = json_array();

	for (size_t i = 0; i < profile->paths; i++)
		if (profile->path[i].stage == stage)
			json_array_append_new(array, make_path(analysis, &profile->path[i], err));
	return array;
}

static double per_second(const struct scope_analysis *analysis, uint64_t count)
{
	return analysis->server->window_ns > 0 ? (double)count / analysis->server->window_ns * 1e9 : 0;
}

/* How often the stage works: requests, or rounds of work if it takes no requests. */
static uint64_t rounds_of(const struct scope_stage *stage)
{
	return stage->requests ? stage->requests : stage->units;
}

static json_t *make_call(const struct scope_analysis *analysis, const struct scope_server_call *call, int *err)
{
	const struct scope_stage *stage = &analysis->server->stage[call->stage];
	const uint64_t rounds = rounds_of(stage);

	return json_pack("{s:s, s:s?, s:I, s:o, s:o, s:I, s:{s:o, s:o, s:o}}", "syscall",
			 scope_report_section_call(call->nr), "on", scope_report_object_kind(call->kind), "calls",
			 (json_int_t)call->calls, "freq",
			 rounds ? scope_report_json_number((double)call->calls / (double)rounds) : json_null(), "per_s",
			 scope_report_json_number(per_second(analysis, call->calls)), "failed",
			 (json_int_t)call->failed, "para_dist", "count",
			 call->result == SCOPE_RESULT_BYTES ? make_values(&call->returned, err) : json_null(), "asked",
			 make_values(&call->asked, err), "offset", make_values(&call->offset, err));
}

static json_t *make_calls(const struct scope_analysis *analysis, const struct scope_server_calls *calls, uint32_t stage,
			  int *err)
{
	json_t *array = json_array();

	for (size_t i = 0; i < calls->count; i++)
		if (calls->call[i].stage == stage)
			json_array_append_new(array, make_call(analysis, &calls->call[i], err));
	return array;
}

/* The work of a stage, in Ditto's words. */
static json_t *make_functionality(const struct scope_server *server, const struct scope_server_calls *calls,
				  uint32_t stage)
{
	const struct scope_stage *of = &server->stage[stage];
	bool sends = false, receives = false, writes = false, reads = false, clones = false;
	json_t *array = json_array();

	for (size_t i = 0; i < calls->count; i++) {
		const struct scope_server_call *call = &calls->call[i];
		const int role = scope_timeline_call_role(call->nr);
		const bool network = call->kind == SCOPE_FD_ACCEPTED || call->kind == SCOPE_FD_CONNECTED ||
				     call->kind == SCOPE_FD_DATAGRAM;

		if (call->stage != stage)
			continue;
		sends |= network && role == SCOPE_CALL_WRITE;
		receives |= network && role == SCOPE_CALL_READ;
		writes |= call->kind == SCOPE_FD_FILE && role == SCOPE_CALL_WRITE;
		reads |= call->kind == SCOPE_FD_FILE && role == SCOPE_CALL_READ;
		clones |= call->nr == SYS_clone || call->nr == SYS_clone3;
	}
	if (of->accepts || of->role == SCOPE_ROLE_ACCEPT)
		json_array_append_new(array, json_string("T_NETIO_LISTEN"));
	if (sends)
		json_array_append_new(array, json_string("T_NETIO_TCP_SEND"));
	if (receives)
		json_array_append_new(array, json_string("T_NETIO_TCP_RECV"));
	if (writes)
		json_array_append_new(array, json_string("T_DISKIO_SEND"));
	if (reads)
		json_array_append_new(array, json_string("T_DISKIO_RECV"));
	if (of->idle_in == SCOPE_IDLE_POLL || of->idle_in == SCOPE_IDLE_EPOLL || of->idle_in == SCOPE_IDLE_SELECT)
		json_array_append_new(array, json_string(of->idle_in == SCOPE_IDLE_POLL	   ? "T_POLL"
							 : of->idle_in == SCOPE_IDLE_EPOLL ? "T_EPOLL"
											   : "T_SELECT"));
	if (clones)
		json_array_append_new(array, json_string("T_CLONE"));
	if (of->role == SCOPE_ROLE_MASTER)
		json_array_append_new(array, json_string("T_MASTER"));
	return array;
}

static json_t *make_stage(const struct scope_analysis *analysis, const struct scope_server_calls *calls,
			  const struct scope_profile *profile, uint32_t at, int *err)
{
	const struct scope_stage *stage = &analysis->server->stage[at];
	const struct scope_profile_stage *of = &profile->stage[at];
	const uint64_t rounds = rounds_of(stage);
	json_t *object = json_pack(
		"{s:o, s:s, s:s, s:{s:o}, s:I, s:I, s:b, s:I, s:I, s:o, s:o, s:o, s:o}", "name",
		scope_report_json_string(scope_report_server_stage(analysis, stage)), "role",
		scope_server_role_name((enum scope_server_role)stage->role), "idle_call",
		scope_server_idle_name((enum scope_server_idle)stage->idle_in), "func", "functionality",
		make_functionality(analysis->server, calls, at), "threads", (json_int_t)stage->threads, "processes",
		(json_int_t)stage->processes, "accepts", stage->accepts, "units", (json_int_t)stage->units, "requests",
		(json_int_t)stage->requests, "per_s", scope_report_json_number(per_second(analysis, rounds)), "from",
		stage->from == SCOPE_STAGE_NONE ? json_null() : json_integer((json_int_t)stage->from), "from_share",
		scope_report_json_number(stage->from_share), "wait_ns",
		stage->waits_known ? scope_report_json_number(stage->wait_ns) : json_null());
	json_t *more = json_pack(
		"{s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:I}", "busy", scope_report_json_number(stage->busy),
		"cpu_ns", make_sketch(&of->cpu_ns, of->cpu_sum_ns, err), "queue_ns",
		make_sketch(&of->queue_ns, -1, err), "latency_ns", make_sketch(&of->wall_ns, -1, err), "locks", "freq",
		rounds ? scope_report_json_number((double)of->locks / (double)rounds) : json_null(), "slept_ns",
		rounds ? scope_report_json_number(of->locks_slept_ns / (double)rounds) : json_null(),
		"syscall_characteristics", make_calls(analysis, calls, at, err), "paths",
		make_paths(analysis, profile, at, err), "left_out", (json_int_t)of->left_out);

	if (!object || !more || json_object_update(object, more))
		*err = -ENOMEM;
	json_decref(more);
	return object;
}

static json_t *make_network(const struct scope_skeleton *skeleton)
{
	const struct scope_stage *network = skeleton->network, *accept = skeleton->accept;
	const char *model = scope_server_skeleton_model(skeleton);

	if (!network)
		return json_null();
	if (!accept && network->accepts)
		accept = network;
	return json_pack("{s:s, s:s, s:s, s:b, s:b, s:b, s:b, s:b, s:b, s:I, s:I}", "skeleton",
			 scope_server_skeleton_name(skeleton->form), "model", model, "protocol",
			 skeleton->datagrams ? "datagram" : "stream", "accept_dispatch", skeleton->accept_dispatch,
			 "network_dispatch", skeleton->network_dispatch, "work_dispatch", skeleton->work_dispatch,
			 "network_epoll", !strcmp(model, "epoll"), "nonblocking", !strcmp(model, "nonblocking"),
			 "blocking", !strcmp(model, "blocking"), "accept_thread_pool_size",
			 (json_int_t)(accept ? accept->threads : 0), "network_thread_pool_size",
			 (json_int_t)network->threads);
}

static json_t *make_connections(const struct scope_profile *profile, uint64_t requests, int *err)
{
	double mean = 0;
	uint32_t most = 0;

	if (scope_server_client_lives_open(&profile->lives, &mean, &most))
		*err = -ENOMEM;
	return json_pack("{s:I, s:I, s:o, s:I, s:o}", "seen", (json_int_t)profile->lives.count, "accepted",
			 (json_int_t)profile->accepts, "conns", scope_report_json_number(mean), "most",
			 (json_int_t)most, "requests",
			 profile->lives.count
				 ? scope_report_json_number((double)requests / (double)profile->lives.count)
				 : json_null());
}

static bool has_backend(const struct scope_profile *profile)
{
	for (size_t i = 0; i < profile->paths; i++)
		for (size_t j = 0; j < profile->path[i].steps; j++)
			if (profile->path[i].step[j].kind == SCOPE_FD_CONNECTED)
				return true;
	return false;
}

static bool has_uring(const struct scope_server_calls *calls)
{
	for (size_t i = 0; i < calls->count; i++)
		if (scope_timeline_call_is_uring(calls->call[i].nr))
			return true;
	return false;
}

static bool has_locks(const struct scope_profile *profile)
{
	for (size_t i = 0; i < profile->stages; i++)
		if (profile->stage[i].locks)
			return true;
	return false;
}

/* What the server has, and a program that is built from the profile alone does not do in the same way. */
static json_t *make_lacks(const struct scope_server_calls *calls, const struct scope_profile *profile)
{
	json_t *array = json_array();

	if (has_backend(profile))
		json_array_append_new(array, json_string("backends"));
	if (has_locks(profile))
		json_array_append_new(array, json_string("locks"));
	if (has_uring(calls))
		json_array_append_new(array, json_string("io_uring"));
	return array;
}

int scope_report_profile_json(const struct scope_analysis *analysis, const struct scope_server_calls *calls,
			      const struct scope_profile *profile, FILE *out)
{
	const struct scope_server *server = analysis->server;
	const struct scope_skeleton skeleton =
		scope_server_skeleton_of(server, profile, analysis->found.distributions->run->timeline->threads);
	json_t *threads = json_array(), *all;
	uint64_t requests = 0;
	int err = 0;

	for (uint32_t i = 0; i < server->stages; i++) {
		requests += server->stage[i].requests;
		json_array_append_new(threads, make_stage(analysis, calls, profile, i, &err));
	}
	all = json_pack("{s:i, s:s, s:s, s:o, s:I, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "schema",
			SCOPE_PROFILE_SCHEMA, "scope", SCOPE_VERSION, "command", "model --profile", "window_ns",
			scope_report_json_number(server->window_ns), "requests", (json_int_t)requests, "reqs_per_sec",
			scope_report_json_number(per_second(analysis, requests)), "processes",
			(json_int_t)server->processes, "threads", (json_int_t)server->threads, "listeners",
			(json_int_t)server->listeners, "connections", make_connections(profile, requests, &err),
			"network_model_characteristics", make_network(&skeleton), "lacks", make_lacks(calls, profile),
			"thread_characteristics", threads);
	if (err) {
		json_decref(all);
		return err;
	}
	return scope_report_json_write(all, JSON_INDENT(1), out);
}
