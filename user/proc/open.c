// SPDX-License-Identifier: GPL-2.0-only
/* Looks a name up within a root directory, then opens the object there if it is a regular file. */
#include "proc/open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc/open_steps.h"

#define RACES_MAX 16 /* attempts: the kernel returns EAGAIN if a folder was moved */

bool scope_proc_is_memory(const char *path)
{
	static const char *const memory[] = { "/memfd:", "/dev/", "/SYSV", "/anon_hugepage" };

	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		if (!strncmp(path, memory[i], strlen(memory[i])))
			return true;
	return path[0] != '/';
}

/* By openat2(), since Linux 5.6. */
static int look_up(int root, const char *path, bool itself)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (itself ? O_NOFOLLOW : 0),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = -1;

	for (int i = 0; i < RACES_MAX && fd < 0; i++) {
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd < 0 && errno != EAGAIN)
			break;
	}
	return fd < 0 ? -errno : fd;
}

/* ---- what was found ---- */

/* Opens the object, and owns found from here on. */
static int open_found(int found)
{
	struct stat status;
	char path[32];
	int fd;

	if (found < 0)
		return found;
	if (fstat(found, &status)) {
		fd = -errno;
	} else if (!S_ISREG(status.st_mode)) {
		fd = -ENOEXEC;
	} else {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			fd = -errno;
	}
	close(found);
	return fd;
}

int scope_proc_open_at(int root, const char *path, bool itself)
{
	int found = look_up(root, path, itself);

	/* The kernel, or a sandbox around this process, does not know the call. */
	if (found == -ENOSYS || found == -EPERM)
		found = scope_proc_look_up_by_steps(root, path, itself);
	return open_found(found);
}

int scope_proc_open_below(const char *root, const char *path)
{
	const int at = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (at < 0)
		return -errno;
	fd = scope_proc_open_at(at, path, false);
	close(at);
	return fd;
}

/* A link below /proc leads to the object itself, which is intended here. */
static int open_made_up(const char *path)
{
	const int found = open(path, O_PATH | O_CLOEXEC);

	return found < 0 ? -errno : open_found(found);
}

int scope_proc_open_mapped(uint32_t tgid, uint64_t start, uint64_t end)
{
	char path[80];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, tgid, start, end);
	return open_made_up(path);
}

int scope_proc_open_program(uint32_t tgid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/exe", tgid);
	return open_made_up(path);
}
