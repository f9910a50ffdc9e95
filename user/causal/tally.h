/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the visits of a progress point in sub-buffers as they come, and how many are in flight.
 *
 * Nothing says how many were in flight before the first sub-buffer; they are unknown until they end.
 * An end without a begin is one of them.
 */
#ifndef SCOPE_CAUSAL_TALLY_H
#define SCOPE_CAUSAL_TALLY_H

#include <stdint.h>

#include "base/sketch.h"
#include "causal/point.h"

struct scope_proc_fds;
struct scope_subbuf;
struct scope_tally;

/* Numbers of the PROBE records that stand for functions. */
#define SCOPE_TALLY_PROBE_BEGIN 1
#define SCOPE_TALLY_PROBE_END 2

/* point is borrowed. 0 or -ENOMEM. */
int scope_causal_tally_create(const struct scope_point *point, struct scope_tally **ret_tally);
void scope_causal_tally_destroy(struct scope_tally *tally); /* NULL is fine */

/* Which descriptors of a process are what, as tracing began. For requests. 0 or -ENOMEM. */
int scope_causal_tally_know(struct scope_tally *tally, uint32_t tgid, const struct scope_proc_fds *fds);

/* 0 or -ENOMEM. */
int scope_causal_tally_take(struct scope_tally *tally, const struct scope_subbuf *subbuf);

/* All sub-buffers of what happened before some moment have been taken: puts it into order, counts. */
void scope_causal_tally_settle(struct scope_tally *tally);

/* What is in flight began when not all of the point was seen yet: it is unknown from now on. */
void scope_causal_tally_forget(struct scope_tally *tally);

/*
 * A window: begin() behind a settle(), with the time at that; settle() any number of times; end() with
 * the time at which it is over; then flush, take and settle() once more; then count() tells.
 * ret_in_flight: mean over the window; 0 without a pair.
 */
void scope_causal_tally_begin(struct scope_tally *tally, uint64_t begin_ns);
void scope_causal_tally_end(struct scope_tally *tally, uint64_t end_ns);
void scope_causal_tally_count(struct scope_tally *tally, uint64_t *ret_visits, double *ret_in_flight);

/* Of all delays so far: by how many ns each was longer than asked. Borrowed. */
const struct scope_sketch *scope_causal_tally_late(const struct scope_tally *tally);

#endif
