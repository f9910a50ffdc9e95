/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compresses files of a flight recorder in child processes. Files are first written in the recorder's form, mostly
 * uncompressed, because the process that empties the rings must not stop for the second that compression takes.
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
 * Replaces the trace by a trace with the same content, compressed at that level of zstd. Changes nothing if SHRINKS_MAX
 * files are being compressed, if the file was removed, or if compression fails.
 */
void scope_recorder_shrink(struct scope_recorder_shrinks *shrinks, const char *path, int level);

/* Waits for all of them. */
void scope_recorder_shrink_end(struct scope_recorder_shrinks *shrinks);

#endif
