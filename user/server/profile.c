// SPDX-License-Identifier: GPL-2.0-only
/* Sorts the units of a server into paths, by the sequence of their system calls. */
#include "server/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "server/calls.h"
#include "timeline/class.h"

#define ERRNO_MAX 4095 /* no rule: the kernel's largest */

/* A step of one unit: calls that follow each other but for those in no step. */
struct run {
	uint16_t nr, error;
	uint8_t kind;
	uint32_t times;
};

struct runs {
	struct run run[SCOPE_PROFILE_STEPS];
	size_t count;
	uint64_t hash;
};

/*
 * True if the call is a step. Polls at the top of a loop, and futexes, depend on which thread comes first, so they are
 * none.
 */
static bool is_step(const struct scope_profile_unit *unit, size_t i)
{
	return unit->call[i].role != SCOPE_CALL_FUTEX && !(unit->picked && !i && unit->call[i].role == SCOPE_CALL_POLL);
}

static uint16_t error_of(const struct scope_profile_call *call)
{
	return call->ret < 0 && call->ret >= -ERRNO_MAX ? (uint16_t)-call->ret : 0;
}

static uint64_t run_of(const struct scope_profile_call *call)
{
	return call->exit_run_ns - call->enter_run_ns;
}

/* The time of stacks is known a little later than that of the call, so the account may go back. */
static uint64_t since(uint64_t run_ns, const struct scope_profile_call *call)
{
	return call->enter_run_ns > run_ns ? call->enter_run_ns - run_ns : 0;
}

static bool same(const struct run *run, const struct scope_profile_call *call)
{
	return run->nr == call->nr && run->kind == call->kind && run->error == error_of(call);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

/* false: it has too many. */
static bool cut(const struct scope_profile_unit *unit, struct runs *ret_runs)
{
	struct runs *runs = ret_runs;

	runs->count = 0;
	for (size_t i = 0; i < unit->calls; i++) {
		const struct scope_profile_call *call = &unit->call[i];

		if (!is_step(unit, i))
			continue;
		if (runs->count && same(&runs->run[runs->count - 1], call)) {
			runs->run[runs->count - 1].times++;
			continue;
		}
		if (runs->count == SCOPE_PROFILE_STEPS)
			return false;
		runs->run[runs->count++] =
			(struct run){ .nr = call->nr, .error = error_of(call), .kind = call->kind, .times = 1 };
	}
	runs->hash = runs->count;
	for (size_t i = 0; i < runs->count; i++)
		runs->hash = mix(runs->hash, (uint64_t)runs->run[i].nr << 32 | (uint64_t)runs->run[i].error << 16 |
						     runs->run[i].kind);
	return true;
}

static bool is_path(const struct scope_profile_path *path, const struct scope_profile_unit *unit,
		    const struct runs *runs)
{
	if (path->stage != unit->stage || path->request != unit->request || path->hash != runs->hash ||
	    path->steps != runs->count)
		return false;
	for (size_t i = 0; i < path->steps; i++)
		if (path->step[i].nr != runs->run[i].nr || path->step[i].error != runs->run[i].error ||
		    path->step[i].kind != runs->run[i].kind)
			return false;
	return true;
}

/* *ret_path: NULL if there are too many already. 0 or -ENOMEM. */
static int find(struct scope_profile *profile, const struct scope_profile_unit *unit, const struct runs *runs,
		struct scope_profile_path **ret_path)
{
	struct scope_profile_path *path;

	*ret_path = NULL;
	for (size_t i = 0; i < profile->paths; i++)
		if (is_path(&profile->path[i], unit, runs)) {
			*ret_path = &profile->path[i];
			return 0;
		}
	if (profile->paths == SCOPE_PROFILE_PATHS)
		return 0;
	if (!profile->path)
		profile->path = calloc(SCOPE_PROFILE_PATHS, sizeof(*profile->path));
	if (!profile->path)
		return -ENOMEM;
	path = &profile->path[profile->paths];
	*path = (struct scope_profile_path){ .stage = unit->stage, .request = unit->request, .hash = runs->hash };
	path->step = calloc(runs->count + 1, sizeof(*path->step));
	if (!path->step)
		return -ENOMEM;
	for (; path->steps < runs->count; path->steps++) {
		const struct run *run = &runs->run[path->steps];

		path->step[path->steps] =
			(struct scope_profile_step){ .nr = run->nr, .error = run->error, .kind = run->kind };
	}
	profile->paths++;
	*ret_path = path;
	return 0;
}

static int add_call(struct scope_profile_step *step, const struct scope_profile_call *call, bool picked)
{
	int err = 0;

	step->calls++;
	step->picked += picked;
	step->run_ns += (double)run_of(call);
	if (call->ret >= 0 && scope_server_result_of(call->nr) == SCOPE_RESULT_BYTES)
		err = scope_values_count(&step->bytes, (uint64_t)call->ret);
	/* The idle time before a request is no part of it. */
	if (!err && call->slept_ns && !picked)
		err = scope_sketch_count(&step->slept_ns, call->slept_ns);
	return err;
}

/* Goes through the calls again, as cut() did. *ret_before_ns: the program on a CPU before the last step. */
static int add_calls(struct scope_profile_path *path, const struct scope_profile_unit *unit, const struct runs *runs,
		     uint64_t *ret_before_ns)
{
	uint64_t gap_ns = 0, before_ns = 0;
	size_t at = SIZE_MAX;
	int err = 0;

	for (size_t i = 0; !err && i < unit->calls; i++) {
		const struct scope_profile_call *call = &unit->call[i];

		gap_ns += since(i ? call[-1].exit_run_ns : unit->begin_run_ns, call);
		if (!is_step(unit, i))
			continue;
		if (at == SIZE_MAX || !same(&runs->run[at], call))
			at++;
		path->step[at].before_ns += (double)gap_ns;
		before_ns += gap_ns;
		gap_ns = 0;
		err = add_call(&path->step[at], call, unit->picked && !i);
	}
	for (size_t i = 0; !err && i < runs->count; i++)
		err = scope_values_count(&path->step[i].times, runs->run[i].times);
	*ret_before_ns = before_ns;
	return err;
}

static uint64_t cpu_of(const struct scope_profile_unit *unit)
{
	return unit->run_ns + (unit->picked ? run_of(unit->call) : 0);
}

static int add_unit(struct scope_profile_path *path, const struct scope_profile_unit *unit, const struct runs *runs)
{
	uint64_t in_calls_ns = 0, program_ns, before_ns;
	int err = add_calls(path, unit, runs, &before_ns);

	for (size_t i = unit->picked; i < unit->calls; i++)
		in_calls_ns += run_of(&unit->call[i]);
	program_ns = unit->run_ns > in_calls_ns ? unit->run_ns - in_calls_ns : 0;
	path->units++;
	path->asked += unit->asked;
	path->cpu_sum_ns += (double)cpu_of(unit);
	path->program_sum_ns += (double)program_ns;
	path->after_ns += program_ns > before_ns ? (double)(program_ns - before_ns) : 0;
	if (!err)
		err = scope_sketch_count(&path->cpu_ns, cpu_of(unit));
	return err ? err : scope_sketch_count(&path->program_ns, program_ns);
}

static int add_to_stage(struct scope_profile_stage *stage, const struct scope_profile_unit *unit)
{
	int err;

	stage->cpu_sum_ns += (double)cpu_of(unit);
	for (size_t i = unit->picked; i < unit->calls; i++)
		if (unit->call[i].role == SCOPE_CALL_FUTEX) {
			stage->locks++;
			stage->locks_slept_ns += (double)unit->call[i].slept_ns;
		}
	err = scope_sketch_count(&stage->cpu_ns, cpu_of(unit));
	if (!err)
		err = scope_sketch_count(&stage->queue_ns, unit->queue_ns);
	return err ? err : scope_sketch_count(&stage->wall_ns, unit->wall_ns);
}

int scope_server_profile_add(struct scope_profile *profile, const struct scope_profile_unit *unit)
{
	struct scope_profile_path *path = NULL;
	struct runs runs;
	int err = add_to_stage(&profile->stage[unit->stage], unit);

	if (!err && unit->calls < SCOPE_PROFILE_CALLS && cut(unit, &runs))
		err = find(profile, unit, &runs, &path);
	if (!err && path)
		err = add_unit(path, unit, &runs);
	profile->stage[unit->stage].left_out += !path;
	return err;
}

static void free_path(struct scope_profile_path *path)
{
	for (size_t i = 0; i < path->steps; i++) {
		scope_values_free(&path->step[i].times);
		scope_values_free(&path->step[i].bytes);
		scope_sketch_free(&path->step[i].slept_ns);
	}
	free(path->step);
	scope_sketch_free(&path->cpu_ns);
	scope_sketch_free(&path->program_ns);
}

void scope_server_profile_destroy(struct scope_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->paths; i++)
		free_path(&profile->path[i]);
	for (size_t i = 0; profile->stage && i < profile->stages; i++) {
		scope_sketch_free(&profile->stage[i].cpu_ns);
		scope_sketch_free(&profile->stage[i].queue_ns);
		scope_sketch_free(&profile->stage[i].wall_ns);
	}
	free(profile->path);
	free(profile->stage);
	scope_server_client_lives_free(&profile->lives);
	free(profile);
}
