// SPDX-License-Identifier: GPL-2.0-only
/* Finds tracefs, and reads the description of a tracepoint. */
#include "perf/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FORMAT_BYTES_MAX 65536

static int open_events(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	/* Access is decided by the capabilities at the time of reading, not by those of the user who called. */
	if (faccessat(fd, "events/sched", R_OK | X_OK, AT_EACCESS))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* A separate instance of the file system, mounted nowhere. */
static int open_detached(void)
{
#if defined(SYS_fsopen) && defined(SYS_fsmount) && defined(SYS_fsconfig)
	const int create = 6, cloexec = 1; /* FSCONFIG_CMD_CREATE, FSOPEN_CLOEXEC */
	int context = (int)syscall(SYS_fsopen, "tracefs", cloexec), fd = -1, err;

	if (context < 0)
		return -errno;
	if (!syscall(SYS_fsconfig, context, create, NULL, NULL, 0))
		fd = (int)syscall(SYS_fsmount, context, cloexec, 0);
	err = fd < 0 ? -errno : fd;
	close(context);
	return err;
#else
	return -ENOSYS;
#endif
}

int scope_perf_tracefs_open(struct scope_error *error, int *ret_fd)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int fd = -ENOENT, first = -ENOENT;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]) && fd < 0; i++) {
		fd = open_events(places[i]);
		if (fd < 0 && fd != -ENOENT)
			first = fd;
	}
	if (fd < 0 && first == -ENOENT)
		fd = open_detached();
	if (fd >= 0) {
		*ret_fd = fd;
		return 0;
	}
	if (first != -ENOENT)
		return scope_error_set(error, first,
				       "tracefs in /sys/kernel/tracing cannot be read (%s): run as root, "
				       "or `mount -o remount,gid=GROUP,mode=0750 /sys/kernel/tracing`",
				       strerror(-first));
	return scope_error_set(error, fd,
			       "tracefs is not mounted (%s): `mount -t tracefs nodev "
			       "/sys/kernel/tracing`, or on Linux 4.0 and older `mount -t debugfs nodev "
			       "/sys/kernel/debug`; there is none in a kernel without CONFIG_TRACING",
			       strerror(-fd));
}

static int read_at(int directory, const char *path, char **ret_text)
{
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC), err = 0;
	size_t used = 0;
	ssize_t got = 0;
	char *text;

	if (fd < 0)
		return -errno;
	text = malloc(FORMAT_BYTES_MAX + 1);
	if (!text)
		err = -ENOMEM;
	while (!err && used < FORMAT_BYTES_MAX) {
		got = read(fd, text + used, FORMAT_BYTES_MAX - used);
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	if (!err && got < 0)
		err = -errno;
	close(fd);
	if (err) {
		free(text);
		return err;
	}
	text[used] = '\0';
	*ret_text = text;
	return 0;
}

int scope_perf_tracepoint_read(int tracefs, const char *name, struct scope_error *error, uint32_t *ret_number,
			       char **ret_format)
{
	char path[128], *text;
	int err;

	snprintf(path, sizeof(path), "events/%s/id", name);
	err = read_at(tracefs, path, &text);
	if (!err) {
		*ret_number = (uint32_t)strtoul(text, NULL, 10);
		free(text);
		snprintf(path, sizeof(path), "events/%s/format", name);
		err = read_at(tracefs, path, ret_format);
	}
	if (err == -ENOENT)
		return scope_error_set(error, err,
				       "this kernel has no tracepoint %s: it needs CONFIG_FTRACE_SYSCALLS "
				       "and CONFIG_EVENT_TRACING, and Linux 4.3 or newer",
				       name);
	if (err)
		return scope_error_set(error, err, "tracefs: %s cannot be read: %s", path, strerror(-err));
	return 0;
}
