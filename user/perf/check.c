// SPDX-License-Identifier: GPL-2.0-only
/* Finds out if perf events can be used, and why not. */
#include "perf/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf/attr.h"
#include "perf/events.h"
#include "proc/file.h"
#include "proc/reader.h"

int scope_perf_check_open(struct perf_event_attr *attr, int cpu)
{
	const int fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static long paranoid(void)
{
	return scope_proc_file_number("/proc/sys/kernel/perf_event_paranoid", 2);
}

int scope_perf_check_refused(int err, size_t rings, struct scope_error *error)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return scope_error_set(error, err,
				       "perf_event_open is not allowed (kernel.perf_event_paranoid = %ld): "
				       "run as root, or from Linux 5.8 on give scope CAP_PERFMON; in a "
				       "container its seccomp profile may forbid it as well",
				       paranoid());
	case -EMFILE:
	case -ENFILE:
		return scope_error_set(error, err,
				       "too few open files are allowed: %zu rings need about %zu: raise the "
				       "limit with `ulimit -n`",
				       rings, rings * (SCOPE_PERF_KINDS / 2 + 1) + SCOPE_PERF_SPARE_FILES);
	case -ENOSYS:
		return scope_error_set(error, err,
				       "this kernel has no perf events: it was built without "
				       "CONFIG_PERF_EVENTS");
	case -EINVAL:
		return scope_error_set(error, err,
				       "this kernel's perf events know no clock ids: Linux "
				       "4.3 or newer is needed");
	default:
		return scope_error_set(error, err, "perf_event_open failed: %s", strerror(-err));
	}
}

/* Process numbers in tracepoints are those of the first namespace, whose inode is fixed (proc_fs.h, 3.8). */
static int check_namespace(struct scope_error *error)
{
	char name[64] = "";

	if (readlink("/proc/self/ns/pid", name, sizeof(name) - 1) < 0 || !strcmp(name, "pid:[4026531836]"))
		return 0;
	return scope_error_set(error, -EPERM,
			       "this is a pid namespace of its own, and tracepoints name "
			       "threads by the host's numbers: run scope on the host, outside of "
			       "containers");
}

/* A user who may use perf events may not always read another user's process. */
void scope_perf_check_process(struct scope_proc_reader *reader, uint32_t tgid, char *note, size_t room)
{
	const size_t used = strlen(note);
	size_t bytes;
	char *text;
	const int err = scope_proc_reader_text(reader, SCOPE_PROC_MAPS, tgid, tgid, &text, &bytes);

	if (!err)
		free(text);
	if (err == -EACCES || err == -EPERM)
		snprintf(note + used, room - used,
			 "%smaps, descriptors and memory of process %u may not be read, so functions have no "
			 "names and threads that do not run no stacks: run as its user, or give scope "
			 "CAP_SYS_PTRACE",
			 used ? "; " : "", tgid);
}

int scope_perf_events_check(struct scope_error *error)
{
	struct scope_perf_events events = { .cpus = 0 };
	struct perf_event_attr attr = scope_perf_attr_owner(true);
	int fd, err;

	/* The check that needs only privilege comes first, because its message is clearest. */
	fd = scope_perf_check_open(&attr, 0);
	if (fd < 0 && fd != -ENODEV)
		return scope_perf_check_refused(fd, 0, error);
	if (fd >= 0)
		close(fd);
	err = check_namespace(error);
	if (err)
		return err;
	return scope_perf_attr_find(&events, error);
}
