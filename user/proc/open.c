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

#include "proc/open_internal.h"

#define LINKS_MAX 40 /* links, as many as the kernel follows */
#define DEPTH_MAX 64 /* nested folders, which are all held open */
#define RACES_MAX 16 /* attempts: the kernel returns EAGAIN if a folder was moved */

bool scope_proc_is_memory(const char *path)
{
	static const char *const memory[] = { "/memfd:", "/dev/", "/SYSV", "/anon_hugepage" };

	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		if (!strncmp(path, memory[i], strlen(memory[i])))
			return true;
	return path[0] != '/';
}

/* ---- by openat2(), since Linux 5.6 ---- */

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

/* ---- step by step ---- */

struct walk {
	int fd[DEPTH_MAX + 1]; /* folders from the root down to the current one */
	int depth;
	int links;
	bool itself;		 /* a link in the last part is not followed */
	char rest[2 * PATH_MAX]; /* the rest of the path */
};

static void go_up(struct walk *walk)
{
	if (walk->depth)
		close(walk->fd[walk->depth--]);
}

/* Puts the link's text before the rest of the path. 0 or -errno. */
static int follow(struct walk *walk, int link)
{
	char text[PATH_MAX], rest[sizeof(walk->rest)];
	const ssize_t bytes = readlinkat(link, "", text, sizeof(text) - 1);

	if (bytes < 0)
		return -errno;
	text[bytes] = '\0';
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	strcpy(rest, walk->rest);
	if ((size_t)snprintf(walk->rest, sizeof(walk->rest), "%s/%s", text, rest) >= sizeof(walk->rest))
		return -ENAMETOOLONG;
	while (*text == '/' && walk->depth)
		go_up(walk);
	return 0;
}

static int step(struct walk *walk, const char *name)
{
	struct stat status;
	int fd, err = 0;

	if (!*name || !strcmp(name, "."))
		return 0;
	if (!strcmp(name, "..")) {
		go_up(walk);
		return 0;
	}
	fd = openat(walk->fd[walk->depth], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status))
		err = -errno;
	else if (S_ISLNK(status.st_mode) && !(walk->itself && !*walk->rest))
		err = follow(walk, fd);
	else if (walk->depth == DEPTH_MAX)
		err = -ENAMETOOLONG;
	else
		walk->fd[++walk->depth] = fd;
	if (err || walk->fd[walk->depth] != fd)
		close(fd);
	return err;
}

int scope_proc_look_up_by_steps(int root, const char *path, bool itself)
{
	struct walk walk = { .itself = itself };
	int err = 0, found;

	walk.fd[0] = root;
	if ((size_t)snprintf(walk.rest, sizeof(walk.rest), "%s", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	while (!err && *walk.rest) {
		char name[NAME_MAX + 1];
		const size_t length = strcspn(walk.rest, "/");
		const char *next;

		if (length > NAME_MAX) {
			err = -ENAMETOOLONG;
			break;
		}
		memcpy(name, walk.rest, length);
		name[length] = '\0';
		next = walk.rest + length + (walk.rest[length] == '/');
		memmove(walk.rest, next, strlen(next) + 1);
		err = step(&walk, name);
	}
	found = err || !walk.depth ? -1 : walk.fd[walk.depth--];
	while (walk.depth)
		go_up(&walk);
	return err ? err : found >= 0 ? found : -ENOEXEC;
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
