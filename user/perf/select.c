// SPDX-License-Identifier: GPL-2.0-only
/* Finds the threads that a perf session traces: in /proc, by name, in control groups. */
#include "perf/select.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/file.h"
#include "proc/target.h"
#include "source/selection.h"

#define GROUP_DEPTH_MAX 64

struct walk {
	const struct scope_capture_options *options;
	uint32_t tgid;
	uint8_t by;
	scope_perf_select_each each;
	void *context;
};

/* True if only a process is given. */
static bool is_plain(const struct scope_capture_options *options)
{
	return !options->selection || !options->selection->count || options->selection->plain;
}

bool scope_perf_select_whole(const struct scope_capture_options *options)
{
	for (uint32_t i = 0; !is_plain(options) && i < options->selection->count; i++)
		if (options->selection->target[i].kind != SCOPE_ATTR_TARGET)
			return false;
	return true;
}

bool scope_perf_select_groups(const struct scope_capture_options *options)
{
	return options->selection && options->selection->groups;
}

static bool matches(const struct scope_control_target *target, const char *comm)
{
	if (target->kind == SCOPE_ATTR_COMM)
		return !strncmp(target->comm, comm, SCOPE_COMM_BYTES);
	return target->kind == SCOPE_ATTR_COMM_PREFIX &&
	       !strncmp(target->comm, comm, strnlen(target->comm, SCOPE_COMM_BYTES));
}

bool scope_perf_select_named(const struct scope_capture_options *options, const char *comm)
{
	for (uint32_t i = 0; !is_plain(options) && i < options->selection->count; i++)
		if (matches(&options->selection->target[i], comm))
			return true;
	return false;
}

uint8_t scope_perf_select_inherit(const struct scope_capture_options *options, uint8_t by, bool same_process)
{
	uint8_t inherited = by & (SCOPE_PERF_BY_NAME | SCOPE_PERF_BY_GROUP);

	if (by & SCOPE_PERF_BY_PROCESS && (same_process || options->follow))
		inherited |= SCOPE_PERF_BY_PROCESS;
	return inherited;
}

static int visit(uint32_t tid, void *context)
{
	const struct walk *walk = context;

	return walk->each(walk->tgid, tid, walk->by, walk->context);
}

/* Visits all threads of a process; a process that has ended has none. */
static int visit_process(struct walk *walk, uint32_t tgid, int (*each)(uint32_t tid, void *context))
{
	char path[64];
	int err;

	walk->tgid = tgid;
	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	err = scope_proc_file_numbers(path, each, walk);
	return err == -ENOENT || err == -ESRCH ? 0 : err;
}

/* Visits a process, and its descendants if they are followed. */
static int visit_family(struct walk *walk, uint32_t tgid)
{
	uint32_t *tgids = NULL;
	size_t count = 1, i;
	int err = 0;

	walk->by = SCOPE_PERF_BY_PROCESS;
	if (walk->options->follow)
		err = scope_proc_target_tree(tgid, &tgids, &count);
	for (i = 0; i < count && !err; i++)
		err = visit_process(walk, tgids ? tgids[i] : tgid, visit);
	free(tgids);
	return err;
}

/* Kernel threads, which have no memory, are never targets. */
uint32_t scope_perf_select_process(uint32_t tid)
{
	uint32_t tgid = 0;
	const char *field;
	char *text;

	if (scope_proc_file_read(&text, "/proc/%u/status", tid))
		return 0;
	field = scope_proc_file_field(text, "Tgid:");
	if (field && scope_proc_file_field(text, "VmSize:"))
		tgid = (uint32_t)strtoul(field, NULL, 10);
	free(text);
	return tgid;
}

static int visit_tid(uint32_t tid, uint8_t by, void *context)
{
	const struct walk *walk = context;
	const uint32_t tgid = scope_perf_select_process(tid);

	return tgid ? walk->each(tgid, tid, by, walk->context) : 0;
}

static int visit_if_named(uint32_t tid, void *context)
{
	const struct walk *walk = context;
	char *comm;
	bool named;

	if (scope_proc_file_read(&comm, "/proc/%u/task/%u/comm", walk->tgid, tid))
		return 0;
	comm[strcspn(comm, "\n")] = '\0';
	named = scope_perf_select_named(walk->options, comm);
	free(comm);
	return named ? visit(tid, context) : 0;
}

static int visit_names(uint32_t tgid, void *context)
{
	return scope_perf_select_process(tgid) ? visit_process(context, tgid, visit_if_named) : 0;
}

/* Version 2 has cgroup.threads, version 1 tasks; one number a line. */
static int visit_members(const char *path, scope_perf_select_member each, void *context)
{
	char *text, *line, *rest;
	int err = scope_proc_file_read(&text, "%s/cgroup.threads", path);

	if (err)
		err = scope_proc_file_read(&text, "%s/tasks", path);
	/* A removed group has no list of threads, nor has a group of version 2 that lists only processes. */
	if (err)
		return err == -ENOMEM ? err : 0;
	for (line = strtok_r(text, "\n", &rest); line && !err; line = strtok_r(NULL, "\n", &rest))
		err = each((uint32_t)strtoul(line, NULL, 10), SCOPE_PERF_BY_GROUP, context);
	free(text);
	return err;
}

/* Visits a group and the groups below it. */
static int visit_group(const char *path, unsigned int depth, scope_perf_select_member each, void *context)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	char *below;
	int err = visit_members(path, each, context);

	while (directory && !err && (entry = readdir(directory))) {
		if (entry->d_type != DT_DIR || *entry->d_name == '.' || depth == GROUP_DEPTH_MAX)
			continue;
		if (asprintf(&below, "%s/%s", path, entry->d_name) < 0) {
			err = -ENOMEM;
			break;
		}
		err = visit_group(below, depth + 1, each, context);
		free(below);
	}
	if (directory)
		closedir(directory);
	return err;
}

int scope_perf_select_walk_groups(const struct scope_capture_options *options, scope_perf_select_member each,
				  void *context)
{
	char path[PATH_MAX];
	int err = 0;

	for (uint32_t i = 0; !err && i < options->selection->groups; i++) {
		scope_source_selection_group_path(options->selection->group[i], path);
		err = visit_group(path, 0, each, context);
	}
	return err;
}

int scope_perf_select_walk(const struct scope_capture_options *options, uint32_t tgid, scope_perf_select_each each,
			   void *context)
{
	struct walk walk = { .options = options, .each = each, .context = context };
	bool names = false;
	int err = 0;

	if (is_plain(options))
		return visit_family(&walk, tgid);
	for (uint32_t i = 0; !err && i < options->selection->count; i++) {
		const struct scope_control_target *target = &options->selection->target[i];

		if (target->kind == SCOPE_ATTR_TARGET)
			err = visit_family(&walk, scope_perf_select_process(target->id));
		else if (target->kind == SCOPE_ATTR_THREAD)
			err = visit_tid(target->id, SCOPE_PERF_BY_THREAD, &walk);
		else
			names |= target->kind != SCOPE_ATTR_CGROUP;
	}
	walk.by = SCOPE_PERF_BY_NAME;
	if (!err && names)
		err = scope_proc_file_numbers("/proc", visit_names, &walk);
	return err ? err : scope_perf_select_walk_groups(options, visit_tid, &walk);
}
