// SPDX-License-Identifier: GPL-2.0-only
/* An unnamed file for data that is needed only while the program runs. */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A descriptor, or -errno. */
static int open_in(const char *directory)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char path[4096];

	if (fd >= 0)
		return fd;
	/* Some file systems do not know O_TMPFILE. */
	snprintf(path, sizeof(path), "%s/scope-XXXXXX", directory);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

int scope_temporary_open(struct scope_error *error, int *ret_fd)
{
	const char *chosen = getenv("TMPDIR"), *directory = "/var/tmp";
	int fd;

	if (chosen && chosen[0])
		directory = chosen;
	fd = open_in(directory);
	/* A small root may have only /tmp, which may be in memory; so it is the second choice. */
	if (fd == -ENOENT && directory != chosen) {
		directory = "/tmp";
		fd = open_in(directory);
	}
	if (fd < 0)
		return scope_error_set(error, fd,
				       "no temporary file can be made in %s (%s): set TMPDIR to a "
				       "directory with room",
				       directory, strerror(-fd));
	*ret_fd = fd;
	return 0;
}
