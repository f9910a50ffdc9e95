// SPDX-License-Identifier: GPL-2.0-only
/* Finds where the control group of a process is mounted. */
#include "proc/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/file.h"

/* True if a word is in a list of words separated by commas. */
static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
		if (!strncmp(at, word, length) && (!at[length] || at[length] == ','))
			return true;
	return false;
}

/* Where a hierarchy is mounted. See proc_pid_mountinfo(5). A mount point with a blank in it is not found. */
static bool find_mount(const char *root, const char *controller, char *ret_mount, size_t room)
{
	char *text, *save, at[SCOPE_PROC_CGROUP_BYTES], type[16], options[512];
	bool found = false;

	if (scope_proc_file_read(&text, "%s/proc/self/mountinfo", root))
		return false;
	for (char *line = strtok_r(text, "\n", &save); line && !found; line = strtok_r(NULL, "\n", &save)) {
		const char *rest = strstr(line, " - ");

		if (!rest || sscanf(line, "%*s %*s %*s %*s %4095s", at) != 1 ||
		    sscanf(rest, " - %15s %*s %511s", type, options) != 2)
			continue;
		found = *controller ? !strcmp(type, "cgroup") && has_word(options, controller)
				    : !strcmp(type, "cgroup2");
	}
	free(text);
	return found && snprintf(ret_mount, room, "%s%s", root, at) < (int)room;
}

/* Cuts slashes off the end. Returns false if nothing is left below the mount point. */
static bool trim(struct scope_proc_cgroup *group)
{
	size_t length = strlen(group->path);

	while (length > group->top && group->path[length - 1] == '/')
		group->path[--length] = '\0';
	return length > group->top;
}

bool scope_proc_cgroup_find(const char *root, uint32_t tgid, const char *controller,
			    struct scope_proc_cgroup *ret_group)
{
	char *text, *save, mount[SCOPE_PROC_CGROUP_BYTES];
	bool found = false;

	if (scope_proc_file_read(&text, "%s/proc/%u/cgroup", root, tgid))
		return false;
	/* Lines are "4:cpu,cpuacct:/path" or "0::/path". */
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;

		if (!group)
			continue;
		*list++ = *group++ = '\0';
		/* A group above the root of this process's namespace is not below the mount point. */
		if (*group != '/' || !strncmp(group, "/..", 3) ||
		    (*controller ? !has_word(list, controller) : *list != '\0'))
			continue;
		found = find_mount(root, controller, mount, sizeof(mount)) &&
			snprintf(ret_group->path, sizeof(ret_group->path), "%s%s", mount, group) <
				(int)sizeof(ret_group->path);
		ret_group->top = strlen(mount);
		break;
	}
	free(text);
	return found && trim(ret_group);
}

bool scope_proc_cgroup_up(struct scope_proc_cgroup *group)
{
	char *slash = strrchr(group->path + group->top, '/');

	if (!slash)
		return false;
	*slash = '\0';
	return trim(group);
}
