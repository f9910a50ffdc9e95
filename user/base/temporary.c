// SPDX-License-Identifier: GPL-2.0-only
/* An unnamed file for what is needed as long as the program runs. */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int scope_temporary_open(struct scope_error *error, int *ret_fd)
{
	const char *directory = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (!directory || !directory[0])
		directory = "/var/tmp";
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0) {
		/* Not every file system knows O_TMPFILE. */
		snprintf(path, sizeof(path), "%s/scope-XXXXXX", directory);
		fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		return scope_error_set(error, -errno,
				       "no temporary file can be made in %s (%s): set TMPDIR to a "
				       "directory with room", directory, strerror(errno));
	*ret_fd = fd;
	return 0;
}
