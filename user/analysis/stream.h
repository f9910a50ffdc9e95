/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first half of the analysis, done while the trace is being written.
 *
 * Two readers follow the file. The first learns how threads pick up work. The second comes
 * SCOPE_STREAM_LAG_NS behind it, cuts units by what was learned by then, and surveys them. At the
 * end it is checked that all was decided as the whole trace would have it: then what was found is
 * what a run through the finished file finds, bit for bit. Where it was not, the second starts again
 * from the beginning; also whenever a check in between finds so, each at twice the length of the
 * one before.
 */
#ifndef SCOPE_ANALYSIS_STREAM_H
#define SCOPE_ANALYSIS_STREAM_H

#include "analysis/single_pass.h"

#define SCOPE_STREAM_LAG_NS 2000000000ull /* no rule */

struct scope_stream;

/* Of the file behind fd, which is duplicated. name is in messages. 0 or -errno. */
int scope_analysis_stream_create(int fd, const char *name, struct scope_stream **ret_stream);
/* Before it advances: what it finds may be asked for the last so many ns of (scope_unit_distributions_part()). */
void scope_analysis_stream_set_window(struct scope_stream *stream, uint64_t window_ns);
/* Before it advances: who hears of what the second reader reads. They must outlive the stream. */
void scope_analysis_stream_listen(struct scope_stream *stream, const struct scope_listeners *listeners);
void scope_analysis_stream_destroy(struct scope_stream *stream); /* NULL is fine */

/*
 * All events before settled_ns are in the file. Goes on with at most so many of them (each reader).
 * 0, also while there is nothing to begin with; -errno: of no use any more.
 */
int scope_analysis_stream_advance(struct scope_stream *stream, uint64_t settled_ns, uint64_t events);

/*
 * Goes to the end: of the complete file, or with settled_ns below UINT64_MAX of all that happened
 * before. Once. 0 with what was found, which the caller destroys before the stream; -ENODATA: nothing
 * was written yet; -errno.
 */
int scope_analysis_stream_finish(struct scope_stream *stream, uint64_t settled_ns, struct scope_found_units *ret_found);

/* How often the second reader started again: for tests. */
unsigned scope_analysis_stream_restarts(const struct scope_stream *stream);

#endif
