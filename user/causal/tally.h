/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the visits of a progress point in sub-buffers while they come, and how many are in flight.
 *
 * Work that began before the first sub-buffer is not counted as in flight; an end without a begin belongs to such work.
 */
#ifndef SCOPE_CAUSAL_TALLY_H
#define SCOPE_CAUSAL_TALLY_H

#include <stdint.h>

#include "base/sketch.h"
#include "causal/point.h"

struct scope_proc_fds;
struct scope_subbuf;
struct scope_tally;

/* Numbers of the PROBE records of functions. */
#define SCOPE_TALLY_PROBE_BEGIN 1
#define SCOPE_TALLY_PROBE_END 2

/* point is borrowed. 0 or -ENOMEM. */
int scope_causal_tally_create(const struct scope_point *point, struct scope_tally **ret_tally);
void scope_causal_tally_destroy(struct scope_tally *tally); /* NULL is fine */

/* Notes the kinds of a process's descriptors when tracing began, for requests. 0 or -ENOMEM. */
int scope_causal_tally_know(struct scope_tally *tally, uint32_t tgid, const struct scope_proc_fds *fds);

/* 0 or -ENOMEM. */
int scope_causal_tally_take(struct scope_tally *tally, const struct scope_subbuf *subbuf);

/* Call it when all sub-buffers up to some time were taken: sorts their events and counts. */
void scope_causal_tally_settle(struct scope_tally *tally);

/* Forgets work in flight, because it began before all parts of the point were recorded. */
void scope_causal_tally_forget(struct scope_tally *tally);

/*
 * A window: call begin() after a settle(), with the time of that; settle() any number of times; end() with the time of
 * the end; then flush, take and settle() once more; then count() returns the result. ret_in_flight: mean over the
 * window; 0 without a pair.
 */
void scope_causal_tally_begin(struct scope_tally *tally, uint64_t begin_ns);
void scope_causal_tally_end(struct scope_tally *tally, uint64_t end_ns);
void scope_causal_tally_count(struct scope_tally *tally, uint64_t *ret_visits, double *ret_in_flight);

/* By how many ns each delay so far was longer than configured. Borrowed. */
const struct scope_sketch *scope_causal_tally_late(const struct scope_tally *tally);

#endif
