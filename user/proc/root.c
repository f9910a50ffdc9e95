// SPDX-License-Identifier: GPL-2.0-only
/* Holds the root directory of a process, so that its files can still be read once it has ended. */
#include "proc/root.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Opens path under the number of the descriptor that is held, because readers know the number. */
static void replace(int *held, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		return;
	if (*held < 0) {
		*held = fd;
		return;
	}
	dup3(fd, *held, O_CLOEXEC);
	close(fd);
}

void scope_proc_root_hold(struct scope_proc_root *root, uint32_t tgid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", tgid);
	replace(&root->mounts, path, O_RDONLY);
	snprintf(path, sizeof(path), "/proc/%u/root", tgid);
	replace(&root->root, path, O_PATH | O_DIRECTORY);
	if (root->root >= 0)
		snprintf(root->path, sizeof(root->path), "/proc/self/fd/%d", root->root);
}

void scope_proc_root_release(struct scope_proc_root *root)
{
	if (root->root >= 0)
		close(root->root);
	if (root->mounts >= 0)
		close(root->mounts);
	*root = SCOPE_PROC_ROOT_NONE;
}
