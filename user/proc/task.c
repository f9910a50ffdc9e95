// SPDX-License-Identifier: GPL-2.0-only
/* Finds a thread's process, the names of both, and the control group. */
#include "proc/task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/file.h"

/* How well a hierarchy of control groups identifies a process. */
static int weight_of(const char *controllers)
{
	if (!*controllers)
		return 3;
	if (strstr(controllers, "cpu") && !strstr(controllers, "cpuset"))
		return 2;
	return 1;
}

/*
 * Finds the path to show in the text of /proc/PID/cgroup: that of version 2, else that of the controller cpu, else any.
 */
static void find_group(char *text, char *ret_group)
{
	char *save;
	int best = 0;

	*ret_group = '\0';
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*controllers++ = *path++ = '\0';
		if (!strcmp(path, "/") || weight_of(controllers) <= best)
			continue;
		best = weight_of(controllers);
		snprintf(ret_group, SCOPE_TASK_GROUP_BYTES, "%s", path);
	}
}

int scope_proc_task_read(uint32_t tid, struct scope_proc_task *ret_task)
{
	struct scope_proc_task task = { 0 };
	const char *tgid;
	char *text;
	int err = scope_proc_file_read(&text, "/proc/%u/status", tid);

	if (err)
		return err;
	tgid = scope_proc_file_field(text, "Tgid:");
	if (tgid)
		task.tgid = (uint32_t)strtoul(tgid, NULL, 10);
	free(text);
	if (!task.tgid)
		return -ESRCH;
	err = scope_proc_file_read(&text, "/proc/%u/comm", task.tgid);
	if (err)
		return err;
	snprintf(task.comm, sizeof(task.comm), "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	if (!scope_proc_file_read(&text, "/proc/%u/cgroup", tid)) {
		find_group(text, task.group);
		free(text);
	}
	*ret_task = task;
	return 0;
}

int scope_proc_task_run_ns(uint32_t tgid, uint32_t tid, uint64_t *ret_run_ns)
{
	char *text;
	int err = scope_proc_file_read(&text, "/proc/%u/task/%u/schedstat", tgid, tid);

	if (err)
		return err;
	*ret_run_ns = strtoull(text, NULL, 10);
	free(text);
	return 0;
}
