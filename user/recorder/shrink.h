/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compresses files of a flight recorder in child processes. They are written as the recorder holds them, mostly uncompressed,
 * because the process that empties the rings must not stop for the second that compression takes.
 */
#ifndef SCOPE_RECORDER_SHRINK_H
#define SCOPE_RECORDER_SHRINK_H

#include <sys/types.h>

#define SCOPE_RECORDER_SHRINKS_MAX 4

/* All zero: none. */
struct scope_recorder_shrinks {
	pid_t child[SCOPE_RECORDER_SHRINKS_MAX];
};

/*
 * Replaces the trace by one of the same content, compressed at that level of zstd. It stays as it is if SHRINKS_MAX are
 * being compressed, if it was removed, or if that fails.
 */
void scope_recorder_shrink(struct scope_recorder_shrinks *shrinks, const char *path, int level);

/* Waits for all of them. */
void scope_recorder_shrink_end(struct scope_recorder_shrinks *shrinks);

#endif
