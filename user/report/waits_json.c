// SPDX-License-Identifier: GPL-2.0-only
/* The threads that wait for each other, as JSON. */
#include <jansson.h>

#include <scope/abi.h>

#include "base/syscall_name.h"
#include "report/json.h"
#include "report/json_part.h"
#include "report/locks_text.h"
#include "report/waits_text.h"

static json_t *group_name(const struct scope_analysis *analysis, uint32_t group)
{
	const struct scope_groups *groups = analysis->found.groups;

	return scope_report_json_string(group < groups->count ? groups->group[group].name : "");
}

static const char *end_name(uint8_t end)
{
	static const char *const name[SCOPE_ENDS] = {
		[SCOPE_END_RUNS] = "runs",	 [SCOPE_END_QUEUE] = "no-cpu",		[SCOPE_END_OWN] = "no-cpu-own",
		[SCOPE_END_OUTSIDE] = "outside", [SCOPE_END_PROCESS] = "other-process", [SCOPE_END_CIRCLE] = "circle",
		[SCOPE_END_UNSEEN] = "unseen",
	};

	return name[end];
}

/* Functions that ran, or slept for a disk, while others waited for that group, by stacks. */
static json_t *make_functions(const struct scope_waits *waits, const struct scope_waits_node *node)
{
	const uint8_t kind = node->end == SCOPE_END_OUTSIDE ? SCOPE_BOTTLENECK_DISK : SCOPE_BOTTLENECK_RUNS;
	json_t *array = json_array();

	for (size_t i = 0; i < waits->functions; i++) {
		const struct scope_waits_function *function = &waits->function[i];

		if (function->group != node->group || function->kind != kind || !function->function)
			continue;
		json_array_append_new(array, json_pack("{s:o, s:o, s:f, s:I}", "name",
						       scope_report_json_string(function->function->name), "module",
						       scope_report_json_string(function->function->module), "share",
						       function->share, "stacks", (json_int_t)function->stacks));
	}
	return array;
}

static void add_peer(json_t *object, const struct scope_trace_peer *peer)
{
	json_object_set_new(object, "peer", scope_report_json_string(peer->address));
	if (peer->pid)
		json_object_set_new(object, "process",
				    json_pack("{s:o, s:I}", "name", scope_report_json_string(peer->name), "pid",
					      (json_int_t)peer->pid));
}

static json_t *make_node(const struct scope_analysis *analysis, uint32_t at)
{
	const struct scope_waits *waits = analysis->waits;
	const struct scope_waits_node *node = &waits->tree.node[at];
	json_t *object = json_pack("{s:o, s:f, s:I}", "group", group_name(analysis, node->group), "ns", node->ns,
				   "count", (json_int_t)node->count);
	struct scope_trace_peer peer;
	json_t *below;

	if (node->parent && (!node->ends || node->end == SCOPE_END_OUTSIDE || node->end == SCOPE_END_PROCESS))
		json_object_set_new(object, "class", json_string(scope_timeline_wait_class_name(node->class)));
	if (node->ends) {
		json_object_set_new(object, "end", json_string(end_name(node->end)));
		if (scope_report_peer(analysis, node, &peer))
			add_peer(object, &peer);
		if (scope_report_file(analysis, node))
			json_object_set_new(object, "file",
					    scope_report_json_string(scope_report_file(analysis, node)));
		if (scope_report_device(analysis, node))
			json_object_set_new(object, "device",
					    scope_report_json_string(scope_report_device(analysis, node)));
		if (node->end == SCOPE_END_RUNS || (node->end == SCOPE_END_OUTSIDE && node->class == SCOPE_WAIT_DISK))
			json_object_set_new(object, "functions", make_functions(waits, node));
		return object;
	}
	if (node->parent)
		json_object_set_new(object, "call",
				    node->nr == SCOPE_NR_NONE	   ? json_null()
				    : scope_syscall_name(node->nr) ? json_string(scope_syscall_name(node->nr))
								   : json_integer(node->nr));
	below = json_array();
	for (uint32_t child = node->child; child; child = waits->tree.node[child].sibling)
		json_array_append_new(below, make_node(analysis, child));
	json_object_set_new(object, "for", below);
	return object;
}

/* In addition to the tree: the group's time with work to do, by state. */
static void add_group(json_t *object, const struct scope_waits_group *group)
{
	json_t *sleeps = json_object();

	for (int class = 0; class < SCOPE_WAIT_CLASSES; class += 1)
		json_object_set_new(sleeps, scope_timeline_wait_class_name((enum scope_wait_class) class),
				    json_real(group->wait_ns[class]));
	json_object_set_new(object, "work_ns", json_real(group->unit_ns));
	json_object_set_new(object, "run_ns", json_real(group->run_ns));
	json_object_set_new(object, "queue_ns", json_real(group->queue_ns));
	json_object_set_new(object, "blocked_ns", sleeps);
}

json_t *scope_report_waits_tree(const struct scope_analysis *analysis)
{
	const struct scope_waits *waits = analysis->waits;
	json_t *array = json_array();

	for (uint32_t at = waits->tree.node[0].child; at; at = waits->tree.node[at].sibling) {
		json_t *object = make_node(analysis, at);

		if (!waits->tree.node[at].ends)
			add_group(object, &waits->group[waits->tree.node[at].group]);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *make_bottleneck(const struct scope_analysis *analysis, const struct scope_bottleneck *one)
{
	static const char *const kinds[SCOPE_BOTTLENECK_KINDS] = { "runs", "disk", "holds" };
	json_t *object = json_pack("{s:s, s:o, s:o, s:s, s:f, s:f, s:f, s:I, s:o}", "kind", "bottleneck", "group",
				   group_name(analysis, one->group), "function",
				   scope_report_json_string(one->function ? one->function->name : NULL), "in",
				   kinds[one->kind], "share", one->share, "gain", one->gain, "kept_ns", one->kept_ns,
				   "stacks", (json_int_t)one->stacks, "waits_most",
				   group_name(analysis, one->waits_most));

	if (one->kind == SCOPE_BOTTLENECK_HOLDS)
		json_object_set_new(object, "class", json_string(scope_timeline_wait_class_name(one->class)));
	if (one->nr != SCOPE_NR_NONE && scope_syscall_name(one->nr))
		json_object_set_new(object, "call", json_string(scope_syscall_name(one->nr)));
	return object;
}

json_t *scope_report_waits_bottlenecks(const struct scope_analysis *analysis)
{
	const struct scope_waits *waits = analysis->waits;
	json_t *array = json_array();

	for (size_t i = 0; i < waits->bottlenecks; i++)
		json_array_append_new(array, make_bottleneck(analysis, &waits->bottleneck[i]));
	return array;
}

static json_t *make_cause(const struct scope_outside_cause *cause)
{
	static const char *const kinds[SCOPE_OUTSIDE_KINDS] = {
		[SCOPE_OUTSIDE_THROTTLED] = "throttled", [SCOPE_OUTSIDE_TAKEN] = "taken",
		[SCOPE_OUTSIDE_STOLEN] = "stolen",	 [SCOPE_OUTSIDE_INTERRUPTS] = "interrupts",
		[SCOPE_OUTSIDE_DEVICE] = "device",	 [SCOPE_OUTSIDE_MEMORY] = "memory",
		[SCOPE_OUTSIDE_PEER] = "peer",
	};
	char says[SCOPE_OUTSIDE_SAID], remedy[160];
	json_t *object;

	scope_rank_outside_say(cause, says, sizeof(says));
	scope_rank_outside_remedy(cause, remedy, sizeof(remedy));
	object = json_pack("{s:s, s:f, s:f, s:o, s:o, s:o, s:s}", "kind", kinds[cause->kind], "share", cause->share,
			   "ns", cause->ns, "process", scope_report_json_string(cause->name), "cgroup",
			   scope_report_json_string(cause->group), "says", scope_report_json_string(says), "remedy",
			   remedy);
	if (cause->kind == SCOPE_OUTSIDE_TAKEN)
		json_object_set_new(object, "pid", json_integer(cause->tgid));
	if (cause->kind == SCOPE_OUTSIDE_THROTTLED) {
		json_object_set_new(object, "periods", json_integer((json_int_t)cause->periods));
		json_object_set_new(object, "throttled", json_integer((json_int_t)cause->throttled));
		json_object_set_new(object, "quota_us", json_integer((json_int_t)cause->quota_us));
		json_object_set_new(object, "period_us", json_integer((json_int_t)cause->period_us));
	}
	if (cause->kind == SCOPE_OUTSIDE_DEVICE) {
		const struct scope_device *device = &cause->device;

		json_object_set_new(object, "device",
				    json_sprintf("%u:%u", device->dev >> SCOPE_BLOCK_MINOR_BITS,
						 device->dev & ((1u << SCOPE_BLOCK_MINOR_BITS) - 1)));
		json_object_set_new(object, "requests", json_integer((json_int_t)device->requests));
		json_object_set_new(object, "queue_ns", json_real(device->queue_ns));
		json_object_set_new(object, "device_ns", json_real(device->device_ns));
		if (cause->device_name)
			json_object_set_new(object, "device_name", scope_report_json_string(cause->device_name));
		if (cause->at.file)
			json_object_set_new(object, "file", scope_report_json_string(cause->at.file));
	}
	if (cause->kind == SCOPE_OUTSIDE_PEER) {
		const struct scope_fd_time *time = &cause->at.time;
		const struct scope_trace_peer *peer = &cause->at.peer;

		json_object_set_new(object, "requests", json_integer((json_int_t)time->slow));
		json_object_set_new(object, "others", json_integer((json_int_t)time->others));
		json_object_set_new(object, "others_ns", json_real(time->others_ns));
		if (peer->address[0])
			json_object_set_new(object, "address", scope_report_json_string(peer->address));
		if (peer->pid) {
			json_object_set_new(object, "process", scope_report_json_string(peer->name));
			json_object_set_new(object, "pid", json_integer(peer->pid));
		}
	}
	return object;
}

json_t *scope_report_waits_causes(const struct scope_analysis *analysis)
{
	json_t *array = json_array();

	for (size_t i = 0; i < analysis->outside.count; i++)
		json_array_append_new(array, make_cause(&analysis->outside.cause[i]));
	return array;
}

static json_t *make_part(const struct scope_analysis *analysis, const struct scope_path_part *part)
{
	struct scope_threads *threads = analysis->units->timeline->threads;
	struct scope_trace_peer peer;
	json_t *object =
		json_pack("{s:I, s:I, s:o, s:s, s:o}", "begin_ns", (json_int_t)part->part.begin_ns, "end_ns",
			  (json_int_t)part->part.end_ns, "thread",
			  scope_report_json_thread(scope_timeline_threads_at(threads, part->part.thread)), "end",
			  end_name(part->part.end), "function",
			  scope_report_json_string(part->stacks && part->function ? part->function->name : NULL));

	if (part->part.end == SCOPE_END_OUTSIDE || part->part.end == SCOPE_END_PROCESS)
		json_object_set_new(
			object, "class",
			json_string(scope_timeline_wait_class_name((enum scope_wait_class)part->part.class)));
	if (scope_report_part_peer(analysis, &part->part, &peer))
		add_peer(object, &peer);
	return object;
}

static json_t *make_paths(const struct scope_analysis *analysis)
{
	const struct scope_paths *paths = analysis->paths;
	json_t *array = json_array();

	for (size_t i = 0; paths && i < paths->count; i++) {
		const struct scope_slow_path *path = &paths->path[i];
		json_t *parts = json_array();

		for (size_t j = 0; j < path->parts; j++)
			json_array_append_new(parts, make_part(analysis, &path->part[j]));
		json_array_append_new(array,
				      json_pack("{s:I, s:I, s:o, s:I, s:o}", "begin_ns", (json_int_t)path->begin_ns,
						"end_ns", (json_int_t)path->end_ns, "thread",
						scope_report_json_thread(scope_timeline_threads_at(
							analysis->units->timeline->threads, path->thread)),
						"left_out_ns", (json_int_t)path->left_out_ns, "parts", parts));
	}
	return array;
}

int scope_report_waits_json(const struct scope_analysis *analysis, FILE *out)
{
	json_t *all = json_pack("{s:i, s:s, s:s, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
				SCOPE_REPORT_SCHEMA, "scope", SCOPE_VERSION, "command", "waits", "window_ns",
				analysis->waits->window_ns, "waits", scope_report_waits_tree(analysis), "bottlenecks",
				scope_report_waits_bottlenecks(analysis), "causes", scope_report_waits_causes(analysis),
				"locks", scope_report_locks_json(analysis), "locks_seen",
				scope_report_locks_seen_json(analysis), "deadlocks",
				scope_report_deadlocks_json(analysis), "paths", make_paths(analysis));

	return scope_report_json_write(all, JSON_INDENT(1), out);
}
