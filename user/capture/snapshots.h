/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Snapshots of interpreted programs while a capture runs: the functions of Python, PHP, Ruby and Perl that their
 * threads are in, up to 500 times a second, without a change of their command line (interpreter/interpreter.h).
 *
 *   maps ──► scope_capture_snapshots_map() ──► child: reads memory of the target, every 2 ms or less often
 *                                        ║
 *   file ◄── names, records to take() ◄── scope_capture_snapshots_pump()
 *
 * A child process reads, because a read of a target's memory may block without end. It is forked before the session
 * opens, and holds nothing of the session. If it does not answer for SCOPE_SNAPSHOTS_WAIT_MS it is given up, and the
 * capture continues without snapshots. It is not trusted: its messages are checked.
 */
#ifndef SCOPE_CAPTURE_SNAPSHOTS_H
#define SCOPE_CAPTURE_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/writer.h"

struct scope_snapshots;

#define SCOPE_SNAPSHOTS_WAIT_MS 2000u

/*
 * Forks the child. Call it before opening anything that must not outlive this process. take: gets sub-buffers with the
 * snapshots, and returns 0 or -errno; names are written to the writer. 0, or -errno with error filled.
 */
int scope_capture_snapshots_create(struct scope_writer *writer,
				   int (*take)(const struct scope_subbuf *subbuf, void *context), void *context,
				   struct scope_error *error, struct scope_snapshots **ret_snapshots);
void scope_capture_snapshots_destroy(struct scope_snapshots *snapshots); /* NULL is fine */

/* Takes a row of maps: if its process has an interpreter, the process is read from now on. */
void scope_capture_snapshots_map(struct scope_snapshots *snapshots, const struct scope_trace_map *map);

/* Gives the snapshots so far to take(). end: waits for the last ones. 0 or -errno. */
int scope_capture_snapshots_pump(struct scope_snapshots *snapshots, bool end);

/* All snapshots from before this time were given to take(). UINT64_MAX: there will be no more. */
uint64_t scope_capture_snapshots_settled_ns(const struct scope_snapshots *snapshots);

/* Sentences that say what could not be read; "" if there are none. */
void scope_capture_snapshots_problem(const struct scope_snapshots *snapshots, char *text, size_t size);

/* Writes counts as metadata; nothing without an interpreter. 0 or -errno. */
int scope_capture_snapshots_write_meta(const struct scope_snapshots *snapshots, struct scope_writer *writer);

#endif
