/* SPDX-License-Identifier: GPL-2.0-only */
/* Closes descriptors that a test opened. */
#ifndef SCOPE_TESTS_CLOSE_ALL_H
#define SCOPE_TESTS_CLOSE_ALL_H

#include <stddef.h>
#include <unistd.h>

static inline void close_all(const int *fd, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close(fd[i]);
}

#endif
