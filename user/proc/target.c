// SPDX-License-Identifier: GPL-2.0-only
/* Checks in /proc if a pid can be traced. */
#include "proc/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "proc/file.h"

#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD in the flags of /proc/PID/stat, since 2.6.38 */

struct status {
	char comm[SCOPE_COMM_BYTES];
	char state;
	uint32_t tgid;
	uint32_t parent;
};

static uint32_t field_number(const char *text, const char *key)
{
	const char *value = scope_proc_file_field(text, key);

	return value ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

static int read_status(uint32_t pid, struct status *ret_status)
{
	struct status status = { 0 };
	const char *value;
	char *text;
	int err;

	err = scope_proc_file_read(&text, "/proc/%u/status", pid);
	if (err)
		return err;
	value = scope_proc_file_field(text, "Name:");
	if (value)
		snprintf(status.comm, sizeof(status.comm), "%.*s", (int)strcspn(value, "\n"), value);
	value = scope_proc_file_field(text, "State:");
	status.state = value ? *value : '?';
	status.tgid = field_number(text, "Tgid:");
	status.parent = field_number(text, "PPid:");
	free(text);
	*ret_status = status;
	return 0;
}

/* Reads parent and flags from /proc/PID/stat, for which the kernel needs half the time of `status`. */
static int read_stat(uint32_t pid, uint32_t *ret_parent, unsigned long *ret_flags)
{
	const char *rest;
	char *text;
	bool read;
	int err = scope_proc_file_read(&text, "/proc/%u/stat", pid);

	if (err)
		return err;
	/* The name may contain brackets and blanks, so the last bracket ends it. */
	rest = strrchr(text, ')');
	read = rest && sscanf(rest + 1, " %*c %" SCNu32 " %*d %*d %*d %*d %lu", ret_parent, ret_flags) == 2;
	free(text);
	return read ? 0 : -EBADMSG;
}

static bool is_kernel_thread(uint32_t pid)
{
	unsigned long flags;
	uint32_t parent;

	return !read_stat(pid, &parent, &flags) && flags & KERNEL_THREAD;
}

struct inner {
	uint32_t wanted;
	uint32_t pid; /* number in this process's namespace of the first process found; 0: none */
	uint32_t more;
	char comm[SCOPE_COMM_BYTES];
};

/* Reads "NSpid: 12345 7": the process's number here, then in each pid namespace below, the innermost last. */
static int match_inner(uint32_t pid, void *context)
{
	struct inner *inner = context;
	const char *value;
	char *text, *end;

	if (scope_proc_file_read(&text, "/proc/%u/status", pid))
		return 0;
	value = scope_proc_file_field(text, "NSpid:");
	if (value) {
		strtoul(value, &end, 10);
		while (*end == '\t' || *end == ' ') {
			if (strtoul(end, &end, 10) != inner->wanted)
				continue;
			if (inner->pid)
				inner->more++;
			else
				inner->pid = pid;
			break;
		}
		value = scope_proc_file_field(text, "Name:");
		if (inner->pid == pid && value)
			snprintf(inner->comm, sizeof(inner->comm), "%.*s", (int)strcspn(value, "\n"), value);
	}
	free(text);
	return 0;
}

/* Fills hint: if pid is a number inside a container, with the number to use instead, else with "". */
static void find_inner(uint32_t pid, char *hint, size_t size)
{
	struct inner inner = { .wanted = pid };

	hint[0] = '\0';
	scope_proc_file_numbers("/proc", match_inner, &inner);
	if (!inner.pid)
		return;
	if (inner.more)
		snprintf(hint, size,
			 ", but is pid %u inside the container of %u (%s) and of %u more: use -p %u, or "
			 "the number that `grep NSpid /proc/*/status` shows for the one you mean",
			 pid, inner.pid, inner.comm, inner.more, inner.pid);
	else
		snprintf(hint, size, ", but is pid %u inside the container of %u (%s): use -p %u", pid, inner.pid,
			 inner.comm, inner.pid);
}

static int not_here(uint32_t pid, struct scope_error *error)
{
	char hint[320];

	find_inner(pid, hint, sizeof(hint));
	if (hint[0])
		return scope_error_set(error, -ESRCH, "pid %u is not a process here%s", pid, hint);
	return scope_error_set(error, -ESRCH, "there is no process %u: `ps -ef` or `pgrep -a NAME` lists them", pid);
}

static int live_thread(uint32_t tid, void *context)
{
	struct status status;

	(void)context;
	if (read_status(tid, &status))
		return 0;
	return status.state != 'Z' && status.state != 'X';
}

/* A process whose first thread has ended has not ended as long as another thread lives. */
static bool has_ended(uint32_t tgid, const struct status *status)
{
	char path[64];

	if (status->state != 'Z' && status->state != 'X')
		return false;
	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	return scope_proc_file_numbers(path, live_thread, NULL) <= 0;
}

int scope_proc_target_find(uint32_t pid, struct scope_error *error, struct scope_target *ret_target)
{
	struct scope_target target = { 0 };
	struct status status, parent;
	char hint[320];

	if (!pid || pid >= 1u << 22)
		return scope_error_set(error, -EINVAL, "%u is no process number: 1 to %u are", pid, (1u << 22) - 1);
	if (read_status(pid, &status))
		return not_here(pid, error);
	if (is_kernel_thread(pid)) {
		find_inner(pid, hint, sizeof(hint));
		return scope_error_set(error, -EINVAL,
				       "pid %u is the kernel thread %s, which has no program to look at%s", pid,
				       status.comm, hint);
	}
	target.tgid = pid;
	if (status.tgid && status.tgid != pid) {
		target.tgid = status.tgid;
		if (read_status(target.tgid, &status))
			return not_here(target.tgid, error);
		snprintf(target.note, sizeof(target.note),
			 "%u is a thread of process %u (%s): tracing all of the process", pid, target.tgid,
			 status.comm);
	}
	if (has_ended(target.tgid, &status)) {
		if (read_status(status.parent, &parent))
			snprintf(parent.comm, sizeof(parent.comm), "?");
		return scope_error_set(error, -ESRCH,
				       "process %u (%s) has ended and is a zombie until its parent %u "
				       "(%s) collects it: there is nothing left to trace",
				       target.tgid, status.comm, status.parent, parent.comm);
	}
	memcpy(target.comm, status.comm, sizeof(target.comm));
	*ret_target = target;
	return 0;
}

struct family {
	struct member {
		uint32_t pid, parent;
		bool in;
	} * member;
	size_t count, room;
};

static int add_member(uint32_t pid, void *context)
{
	struct family *family = context;
	unsigned long flags;
	uint32_t parent;

	if (read_stat(pid, &parent, &flags))
		return 0;
	if (scope_grow(&family->member, &family->room, family->count + 1, sizeof(*family->member)))
		return -ENOMEM;
	family->member[family->count++] = (struct member){ .pid = pid, .parent = parent };
	return 0;
}

static const struct member *find_member(const struct family *family, uint32_t pid)
{
	size_t low = 0, high = family->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (family->member[middle].pid == pid)
			return &family->member[middle];
		if (family->member[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/*
 * Adds processes whose parent is in the set, until no more are found: a parent may have a higher pid, because pids
 * wrap.
 */
static size_t close_family(struct family *family, uint32_t tgid)
{
	const struct member *parent;
	size_t i, count = 0;
	bool grew = true;

	while (grew) {
		grew = false;
		for (i = 0; i < family->count; i++) {
			if (family->member[i].in || family->member[i].pid == tgid)
				continue;
			parent = find_member(family, family->member[i].parent);
			if (family->member[i].parent != tgid && !(parent && parent->in))
				continue;
			family->member[i].in = true;
			grew = true;
			count++;
		}
	}
	return count;
}

int scope_proc_target_tree(uint32_t tgid, uint32_t **ret_tgids, size_t *ret_count)
{
	struct family family = { 0 };
	size_t i, count;
	uint32_t *tgids;
	int err;

	err = scope_proc_file_numbers("/proc", add_member, &family);
	if (err) {
		free(family.member);
		return err;
	}
	count = close_family(&family, tgid);
	tgids = malloc((count + 1) * sizeof(*tgids));
	if (!tgids) {
		free(family.member);
		return -ENOMEM;
	}
	tgids[0] = tgid;
	for (i = 0, count = 1; i < family.count; i++)
		if (family.member[i].in)
			tgids[count++] = family.member[i].pid;
	free(family.member);
	*ret_tgids = tgids;
	*ret_count = count;
	return 0;
}
