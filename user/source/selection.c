// SPDX-License-Identifier: GPL-2.0-only
/* Reads options that select threads, names, control groups and calls. */
#include "source/selection.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <linux/magic.h>

#include <scope/event.h>

#include "base/syscall_name.h"
#include "proc/file.h"
#include "proc/named.h"

/* process: its state when a name or a group was found to select it; NULL: the user gave its number. */
static int add(struct scope_selection *selection, const struct scope_control_target *target, uint32_t pid,
	       const struct scope_target *process, struct scope_error *error)
{
	if (selection->count == SCOPE_TARGET_MAX)
		return scope_error_set(error, -EINVAL, "at most %d things to trace can be named", SCOPE_TARGET_MAX);
	selection->plain = !selection->count && target->kind == SCOPE_ATTR_TARGET;
	selection->lasting |= target->kind != SCOPE_ATTR_TARGET && target->kind != SCOPE_ATTR_THREAD;
	selection->target[selection->count++] = *target;
	if (!selection->pid) {
		selection->pid = pid;
		if (process)
			selection->process = *process;
	}
	return 0;
}

static int number_of(const char *text, const char *what, uint32_t *ret_number, struct scope_error *error)
{
	char *end;
	const unsigned long number = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;

	if (!number || *end || number > SCOPE_TID_MASK)
		return scope_error_set(error, -EINVAL, "%s, not '%s'", what, text);
	*ret_number = (uint32_t)number;
	return 0;
}

int scope_source_selection_process(struct scope_selection *selection, const char *text, struct scope_error *error)
{
	struct scope_control_target target = { .kind = SCOPE_ATTR_TARGET };
	const bool named = *text != '-' && text[strspn(text, "0123456789")];
	int err = named ? scope_proc_target_named(text, error, &target.id)
			: number_of(text, "-p wants the number or the name of a process", &target.id, error);
	struct scope_target process;

	if (err && !named && strtoul(text, NULL, 10) > SCOPE_TID_MASK)
		return scope_error_set(error, -ESRCH, "there is no process %s: `ps -ef` or `pgrep -a NAME` lists them",
				       text);
	/* The first target is checked when the capture begins. */
	if (!err && selection->count)
		err = scope_proc_target_find(target.id, error, &process);
	return err ? err : add(selection, &target, target.id, NULL, error);
}

int scope_source_selection_thread(struct scope_selection *selection, const char *text, struct scope_error *error)
{
	struct scope_control_target target = { .kind = SCOPE_ATTR_THREAD };
	struct scope_target process;
	int err = number_of(text, "-t wants the number of a thread, as `ps -eL` shows it", &target.id, error);

	if (!err)
		err = scope_proc_target_find(target.id, error, &process);
	return err ? err : add(selection, &target, process.tgid, NULL, error);
}

struct search {
	const struct scope_control_target *wanted;
	char directory[64];
	struct scope_target found; /* tgid 0: none */
	uint32_t kernel;	   /* a kernel thread with that name; 0: none */
};

static int match_thread(uint32_t tid, void *context)
{
	struct search *search = context;
	const struct scope_control_target *wanted = search->wanted;
	const size_t bytes = strlen(wanted->comm);
	char *text;
	int found;

	if (scope_proc_file_read(&text, "%s/%u/comm", search->directory, tid))
		return 0;
	text[strcspn(text, "\n")] = '\0';
	found = wanted->kind == SCOPE_ATTR_COMM ? !strcmp(text, wanted->comm) : !strncmp(text, wanted->comm, bytes);
	free(text);
	return found;
}

static int match_process(uint32_t pid, void *context)
{
	struct search *search = context;
	int err;

	snprintf(search->directory, sizeof(search->directory), "/proc/%u/task", pid);
	if (scope_proc_file_numbers(search->directory, match_thread, search) != 1)
		return 0;
	err = scope_proc_target_find(pid, NULL, &search->found);
	if (err == -EINVAL)
		search->kernel = pid;
	return !err;
}

int scope_source_selection_comm(struct scope_selection *selection, const char *text, struct scope_error *error)
{
	struct scope_control_target target = { .kind = SCOPE_ATTR_COMM };
	struct search search = { .wanted = &target };
	size_t bytes = strlen(text);

	if (bytes && text[bytes - 1] == '*') {
		target.kind = SCOPE_ATTR_COMM_PREFIX;
		bytes--;
	}
	if (!bytes || bytes >= SCOPE_COMM_BYTES)
		return scope_error_set(error, -EINVAL,
				       "--comm wants 1 to %d letters, or their beginning and *, as `ps "
				       "-eLo comm` shows them, not '%s'",
				       SCOPE_COMM_BYTES - 1, text);
	memcpy(target.comm, text, bytes);
	scope_proc_file_numbers("/proc", match_process, &search);
	if (!search.found.tgid && search.kernel)
		return scope_error_set(error, -EINVAL, "%s is a kernel thread (%u), which has no program to look at",
				       text, search.kernel);
	if (!search.found.tgid)
		return scope_error_set(error, -ESRCH, "no thread is named %s now: `ps -eLo pid,tid,comm` lists names",
				       text);
	return add(selection, &target, search.found.tgid, &search.found, error);
}

/* The number of a version 1 hierarchy, by a controller among its mount's options; 0: not found. */
static uint32_t hierarchy_of(const char *options)
{
	char *groups, *line, *rest, name[64];
	uint32_t hierarchy = 0, number;
	const char *at;

	if (scope_proc_file_read(&groups, "/proc/cgroups"))
		return 0;
	for (line = strtok_r(groups, "\n", &rest); line && !hierarchy; line = strtok_r(NULL, "\n", &rest)) {
		if (*line == '#' || sscanf(line, "%63s %u", name, &number) != 2)
			continue;
		at = strstr(options, name);
		if (at && (at == options || at[-1] == ',') && (at[strlen(name)] == ',' || !at[strlen(name)]))
			hierarchy = number;
	}
	free(groups);
	return hierarchy;
}

/* Finds the hierarchy that is mounted as this device. */
static int find_hierarchy(const char *path, dev_t device, uint32_t *ret_hierarchy, struct scope_error *error)
{
	unsigned int major_number, minor_number;
	char *mounts, *line, *rest, *options;
	uint32_t hierarchy = 0;

	if (scope_proc_file_read(&mounts, "/proc/self/mountinfo"))
		return scope_error_set(error, -ENOENT, "cannot read /proc/self/mountinfo");
	for (line = strtok_r(mounts, "\n", &rest); line && !hierarchy; line = strtok_r(NULL, "\n", &rest)) {
		options = strrchr(line, ' ');
		if (sscanf(line, "%*d %*d %u:%u", &major_number, &minor_number) == 2 && options &&
		    makedev(major_number, minor_number) == device)
			hierarchy = hierarchy_of(options + 1);
	}
	free(mounts);
	if (!hierarchy)
		return scope_error_set(error, -EOPNOTSUPP,
				       "%s belongs to a hierarchy without a controller: use a group of "
				       "another one, or name its processes with -p",
				       path);
	*ret_hierarchy = hierarchy;
	return 0;
}

void scope_source_selection_group_path(const char *text, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s%s", *text == '/' ? "" : "/sys/fs/cgroup/", text);
}

int scope_source_selection_cgroup(struct scope_selection *selection, const char *text, struct scope_error *error)
{
	struct scope_control_target target = { .kind = SCOPE_ATTR_CGROUP };
	struct stat status;
	struct statfs system;
	char path[PATH_MAX], *members;
	struct scope_target process;
	bool there = false;
	uint32_t pid = 0;
	int err;

	scope_source_selection_group_path(text, path);
	if (stat(path, &status) || statfs(path, &system))
		return scope_error_set(error, -errno,
				       "there is no control group %s: `systemd-cgls` shows them, and "
				       "/proc/PID/cgroup that of a process",
				       path);
	if (system.f_type != CGROUP2_SUPER_MAGIC && system.f_type != CGROUP_SUPER_MAGIC)
		return scope_error_set(error, -EINVAL, "%s is no control group: name a directory below /sys/fs/cgroup",
				       path);
	target.cgroup = status.st_ino;
	if (system.f_type == CGROUP_SUPER_MAGIC) {
		err = find_hierarchy(path, status.st_dev, &target.id, error);
		if (err)
			return err;
	}
	if (!scope_proc_file_read(&members, "%s/cgroup.procs", path)) {
		pid = (uint32_t)strtoul(members, NULL, 10);
		there = pid && !scope_proc_target_find(pid, NULL, &process);
		free(members);
	}
	if (!pid && !selection->pid)
		return scope_error_set(error, -ESRCH,
				       "nothing runs in the control group %s itself: name a group with "
				       "processes in its cgroup.procs, or one of them with -p first",
				       path);
	err = add(selection, &target, pid, there ? &process : NULL, error);
	if (!err && selection->groups == SCOPE_CGROUP_RULES)
		return scope_error_set(error, -EINVAL, "at most %d control groups can be named", SCOPE_CGROUP_RULES);
	if (!err)
		selection->group[selection->groups++] = text;
	return err;
}

int scope_source_selection_syscalls(struct scope_selection *selection, const char *text, struct scope_error *error)
{
	char word[64], *end;
	size_t bytes;
	uint16_t number;

	for (;; text += bytes + 1) {
		bytes = strcspn(text, ",");
		if (!bytes || bytes >= sizeof(word))
			return scope_error_set(error, -EINVAL,
					       "--syscalls wants names or numbers with commas between "
					       "them, as read,write,202");
		memcpy(word, text, bytes);
		word[bytes] = '\0';
		if (*word >= '0' && *word <= '9')
			number = strtoul(word, &end, 10) < SCOPE_SYSCALL_MAX && !*end
					 ? (uint16_t)strtoul(word, NULL, 10)
					 : UINT16_MAX;
		else if (scope_syscall_number(word, &number))
			number = UINT16_MAX;
		if (number >= SCOPE_SYSCALL_MAX)
			return scope_error_set(error, -EINVAL,
					       "--syscalls: there is no system call %s: `man 2 syscalls` "
					       "lists the names, numbers go to %d",
					       word, SCOPE_SYSCALL_MAX - 1);
		selection->calls[number / 8] |= (uint8_t)(1 << number % 8);
		selection->some_calls = true;
		if (!text[bytes])
			return 0;
	}
}
