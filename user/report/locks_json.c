// SPDX-License-Identifier: GPL-2.0-only
/* Locks as JSON: which threads waited for them, who had them, in which functions, and deadlocks. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "report/json_part.h"
#include "report/locks_text.h"

static json_t *make_address(uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return json_string(text);
}

static json_t *make_times(const struct scope_sketch *sketch)
{
	return json_pack("{s:I, s:f, s:f, s:f, s:I}", "count", (json_int_t)sketch->total, "p50_ns",
			 scope_sketch_quantile(sketch, 0.5), "p95_ns", scope_sketch_quantile(sketch, 0.95), "p99_ns",
			 scope_sketch_quantile(sketch, 0.99), "longest_ns", (json_int_t)sketch->most);
}

static json_t *make_thread(const struct scope_analysis *analysis, uint32_t thread)
{
	return thread == UINT32_MAX ? json_null()
				    : scope_report_json_thread(
					      scope_timeline_threads_at(analysis->units->timeline->threads, thread));
}

static json_t *make_sites(const struct scope_analysis *analysis, const struct scope_lock_sites *sites)
{
	const struct scope_groups *groups = analysis->found.groups;
	json_t *array = json_array();

	for (size_t i = 0; i < sites->count; i++) {
		const struct scope_lock_site *site = &sites->site[i];

		if (!site->function)
			continue;
		json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:f, s:I}", "name",
						       scope_report_json_string(site->function->name), "module",
						       scope_report_json_string(site->function->module), "group",
						       scope_report_json_string(groups->group[site->group].name),
						       "share", site->share, "stacks", (json_int_t)site->stacks));
	}
	return array;
}

json_t *scope_report_locks_json(const struct scope_analysis *analysis)
{
	static const char *const kind[SCOPE_LOCK_KINDS] = {
		[SCOPE_LOCK_MUTEX] = "mutex",
		[SCOPE_LOCK_PI_MUTEX] = "pi-mutex",
		[SCOPE_LOCK_PI_CONDITION] = "pi-condition",
		[SCOPE_LOCK_RWLOCK] = "rwlock",
		[SCOPE_LOCK_CONDITION] = "condition",
		[SCOPE_LOCK_FUTEX] = "futex",
	};
	const struct scope_locks *locks = analysis->locks;
	json_t *array = json_array();

	for (size_t i = 0; i < locks->count; i++) {
		const struct scope_lock *lock = &locks->lock[i];

		json_array_append_new(array,
				      json_pack("{s:s, s:I, s:o, s:f, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o}", "kind",
						kind[lock->kind], "pid", (json_int_t)lock->tgid, "address",
						make_address(lock->address), "wait_ns", lock->wait_ns, "waits",
						make_times(&lock->wait), "holds", make_times(&lock->hold), "waiters",
						(json_int_t)lock->waiters, "holders", (json_int_t)lock->holders,
						"waits_most", make_thread(analysis, lock->most_waits), "has_most",
						make_thread(analysis, lock->most_has), "waits_in",
						make_sites(analysis, &lock->waits_in), "held_in",
						make_sites(analysis, &lock->held_in)));
	}
	return array;
}

json_t *scope_report_locks_seen_json(const struct scope_analysis *analysis)
{
	const struct scope_locks *locks = analysis->locks;

	return json_pack("{s:I, s:I, s:f, s:I, s:I}", "locks", (json_int_t)locks->futexes, "waits",
			 (json_int_t)locks->waits, "wait_ns", locks->wait_ns, "left_out", (json_int_t)locks->left_out,
			 "users_left_out", (json_int_t)locks->users_left_out);
}

json_t *scope_report_deadlocks_json(const struct scope_analysis *analysis)
{
	size_t *hang = calloc(analysis->hang_count + 1, sizeof(*hang));
	json_t *array = json_array();
	size_t count, next = 0;

	while (hang && (count = scope_report_deadlock_at(analysis, next, hang, &next))) {
		json_t *circle = json_array();

		for (size_t i = 0; i < count; i++) {
			const struct scope_hang *one = &analysis->hangs[hang[i]];

			json_array_append_new(circle,
					      json_pack("{s:o, s:o, s:o}", "thread", make_thread(analysis, one->thread),
							"waits_for", make_address(one->object), "owner",
							make_thread(analysis, one->owner)));
		}
		json_array_append_new(array, circle);
	}
	free(hang);
	return array;
}
