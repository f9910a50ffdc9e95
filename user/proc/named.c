// SPDX-License-Identifier: GPL-2.0-only
/* Finds the process that the user named, or those of a control group. */
#include "proc/named.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <scope/abi.h>

#include "proc/file.h"

#define NAMED_MAX 256 /* a longer list of choices does not help */
#define LISTED_MAX 8  /* processes that the message lists */

struct named {
	const char *name;
	uint32_t tgid[NAMED_MAX], parent[NAMED_MAX];
	size_t count;
};

static uint32_t parent_of(uint32_t tgid)
{
	const char *value;
	uint32_t parent;
	char *text;

	if (scope_proc_file_read(&text, "/proc/%u/status", tgid))
		return 0;
	value = scope_proc_file_field(text, "PPid:");
	parent = value ? (uint32_t)strtoul(value, NULL, 10) : 0;
	free(text);
	return parent;
}

static int look(uint32_t number, void *context)
{
	struct named *named = context;
	char *comm;
	bool same;

	if (number == (unsigned)getpid() || named->count == NAMED_MAX ||
	    scope_proc_file_read(&comm, "/proc/%u/comm", number))
		return 0;
	comm[strcspn(comm, "\n")] = '\0';
	/* The kernel keeps only SCOPE_COMM_BYTES - 1 characters of a longer name. */
	same = !strncmp(comm, named->name, SCOPE_COMM_BYTES - 1) &&
	       (strlen(named->name) < SCOPE_COMM_BYTES || strlen(comm) == SCOPE_COMM_BYTES - 1);
	free(comm);
	if (same) {
		named->parent[named->count] = parent_of(number);
		named->tgid[named->count++] = number;
	}
	return 0;
}

static bool is_named(const struct named *named, uint32_t tgid)
{
	for (size_t i = 0; i < named->count; i++)
		if (named->tgid[i] == tgid)
			return true;
	return false;
}

/* Moves processes whose parent has another name to the front; returns their number. */
static size_t keep_roots(struct named *named)
{
	bool root[NAMED_MAX];
	size_t kept = 0;

	for (size_t i = 0; i < named->count; i++)
		root[i] = !is_named(named, named->parent[i]);
	for (size_t i = 0; i < named->count; i++)
		if (root[i])
			named->tgid[kept++] = named->tgid[i];
	return kept;
}

/* writes "4242 (redis-server *:6379)" for each process */
static int refuse(const struct named *named, struct scope_error *error)
{
	char list[400] = "";
	size_t used = 0;

	for (size_t i = 0; i < named->count && i < LISTED_MAX && used < sizeof(list); i++) {
		char *line = NULL;

		if (scope_proc_file_read(&line, "/proc/%u/cmdline", named->tgid[i]))
			line = NULL;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%u (%.30s)", i ? ", " : "",
					 named->tgid[i], line ? line : "?");
		free(line);
	}
	return scope_error_set(error, -ENOTUNIQ,
			       "%zu processes are named '%.32s': %s%s; name one by its number, or each with a "
			       "-p of its own",
			       named->count, named->name, list, named->count > LISTED_MAX ? " and more" : "");
}

int scope_proc_target_named(const char *name, struct scope_error *error, uint32_t *ret_tgid)
{
	struct named *named = calloc(1, sizeof(*named));
	int err = named ? 0 : -ENOMEM;

	if (!named)
		return scope_error_set(error, err, "no memory for the list of processes");
	named->name = name;
	scope_proc_file_numbers("/proc", look, named);
	named->count = keep_roots(named);
	if (!named->count)
		err = scope_error_set(error, -ESRCH, "no process is named '%.32s': `ps -eo pid,comm` lists them", name);
	else if (named->count > 1)
		err = refuse(named, error);
	else
		*ret_tgid = named->tgid[0];
	free(named);
	return err;
}

/* True if the path with that length is the group with that name, or below it. */
static bool path_is_in(const char *path, size_t bytes, const char *name)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i + length <= bytes; i++) {
		const bool begins = *name == '/' ? !i : i && path[i - 1] == '/';

		if (begins && !strncmp(path + i, name, length) &&
		    (i + length == bytes || path[i + length] == '/' || name[length - 1] == '/'))
			return true;
	}
	return false;
}

/* Lines of /proc/PID/cgroup: "0::/system.slice/nginx.service". */
static int look_group(uint32_t number, void *context)
{
	struct named *named = context;
	const char *line, *path;
	bool inside = false;
	char *text;

	if (number == (unsigned)getpid() || named->count == NAMED_MAX ||
	    scope_proc_file_read(&text, "/proc/%u/cgroup", number))
		return 0;
	for (line = text; *line && !inside; line += strcspn(line, "\n"), line += *line == '\n') {
		const size_t bytes = strcspn(line, "\n");

		path = memchr(line, '/', bytes);
		inside = path && path_is_in(path, bytes - (size_t)(path - line), named->name);
	}
	free(text);
	if (inside) {
		named->parent[named->count] = parent_of(number);
		named->tgid[named->count++] = number;
	}
	return 0;
}

int scope_proc_target_group(const char *name, uint32_t *tgid, size_t room, struct scope_error *error, size_t *ret_count)
{
	struct named *named = calloc(1, sizeof(*named));

	*ret_count = 0;
	if (!named)
		return scope_error_set(error, -ENOMEM, "no memory for the list of processes");
	named->name = name;
	scope_proc_file_numbers("/proc", look_group, named);
	named->count = keep_roots(named);
	if (named->count) {
		*ret_count = named->count < room ? named->count : room;
		memcpy(tgid, named->tgid, *ret_count * sizeof(*tgid));
	}
	free(named);
	return *ret_count ? 0
			  : scope_error_set(error, -ESRCH,
					    "no process is in the control group %.200s: /proc/PID/cgroup has that of a "
					    "process",
					    name);
}
