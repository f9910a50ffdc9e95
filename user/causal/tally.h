/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the visits of a progress point in sub-buffers as they come, and how many are in flight.
 *
 * The number in flight before the first sub-buffer is not known; these are unknown until they end.
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

/* Numbers of the PROBE records of functions. */
#define SCOPE_TALLY_PROBE_BEGIN 1
#define SCOPE_TALLY_PROBE_END 2

/* point is borrowed. 0 or -ENOMEM. */
int scope_causal_tally_create(const struct scope_point *point, struct scope_tally **ret_tally);
void scope_causal_tally_destroy(struct scope_tally *tally); /* NULL is fine */

/* The kinds of a process's descriptors as tracing began, for requests. 0 or -ENOMEM. */
int scope_causal_tally_know(struct scope_tally *tally, uint32_t tgid, const struct scope_proc_fds *fds);

/* 0 or -ENOMEM. */
int scope_causal_tally_take(struct scope_tally *tally, const struct scope_subbuf *subbuf);

/* Call it when all sub-buffers up to some time have been taken: sorts their events and counts. */
void scope_causal_tally_settle(struct scope_tally *tally);

/* Work in flight began before all parts of the point were recorded: it is unknown from now on. */
void scope_causal_tally_forget(struct scope_tally *tally);

/*
 * A window: begin() after a settle(), with the time of that; settle() any number of times; end()
 * with the time of its end; then flush, take and settle() once more; then count() returns the
 * result. ret_in_flight: mean over the window; 0 without a pair.
 */
void scope_causal_tally_begin(struct scope_tally *tally, uint64_t begin_ns);
void scope_causal_tally_end(struct scope_tally *tally, uint64_t end_ns);
void scope_causal_tally_count(struct scope_tally *tally, uint64_t *ret_visits, double *ret_in_flight);

/* For all delays so far: by how many ns each was longer than configured. Borrowed. */
const struct scope_sketch *scope_causal_tally_late(const struct scope_tally *tally);

#endif
