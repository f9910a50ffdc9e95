/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first half of the analysis, done while the trace is being written.
 *
 * Two readers follow the file. The first learns how threads pick up work. The second follows
 * SCOPE_STREAM_LAG_NS after it, cuts units by what was learned until then, and counts them. At the
 * end it is checked that all decisions are those of the whole trace; then the result is bit for bit
 * that of a run through the finished file. If they are not, the second reader starts again from the
 * beginning. The same check is made during the capture, each time at twice the length of the one
 * before.
 */
#ifndef SCOPE_ANALYSIS_STREAM_H
#define SCOPE_ANALYSIS_STREAM_H

#include "analysis/single_pass.h"

#define SCOPE_STREAM_LAG_NS 2000000000ull /* no rule */

struct scope_stream;

/* Follows the file of fd, which is duplicated. name is in messages. 0 or -errno. */
int scope_analysis_stream_create(int fd, const char *name, struct scope_stream **ret_stream);
/* Call it before advance: another lag than SCOPE_STREAM_LAG_NS, for one that is often finished in a copy, which has to catch up. */
void scope_analysis_stream_set_lag(struct scope_stream *stream, uint64_t lag_ns);
/* Call it before advance: results for the last span_ns may be requested (scope_unit_distributions_part()). */
void scope_analysis_stream_set_window(struct scope_stream *stream, uint64_t window_ns);
/* Call it before advance: sets the listeners to the second reader. They must outlive the stream. */
void scope_analysis_stream_listen(struct scope_stream *stream, const struct scope_listeners *listeners);
void scope_analysis_stream_destroy(struct scope_stream *stream); /* NULL is fine */

/*
 * All events before settled_ns are in the file. Each reader goes on with at most this many of them.
 * 0, also if the file has too little to begin; -errno: the stream cannot be used any more.
 */
int scope_analysis_stream_advance(struct scope_stream *stream, uint64_t settled_ns, uint64_t events);

/*
 * What was found so far, with groups concluded as if the trace ended there; it stays the stream's. NULL: nothing was
 * read yet. If the second reader started again (scope_analysis_stream_restarts()) so did its log. 0 or -ENOMEM.
 */
int scope_analysis_stream_so_far(struct scope_stream *stream, const struct scope_found_units **ret_found);

/*
 * Reads to the end of the complete file, or with settled_ns below UINT64_MAX of all events before
 * that time. Call it once. 0 with the result, which the caller destroys before the stream;
 * -ENODATA: nothing was written yet; -errno.
 */
int scope_analysis_stream_finish(struct scope_stream *stream, uint64_t settled_ns, struct scope_found_units *ret_found);

/* How often the second reader started again. */
unsigned scope_analysis_stream_restarts(const struct scope_stream *stream);

#endif
