// SPDX-License-Identifier: GPL-2.0-only
/* Looks a name up within a root directory component by component, for kernels without openat2(). */
#include "proc/open_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40 /* links, as many as the kernel follows */
#define DEPTH_MAX 64 /* nested folders, which are all held open */

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
