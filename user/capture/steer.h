/* SPDX-License-Identifier: GPL-2.0-only */
/* Applies the choice of focus.h to a running source: which calls get stacks, and how often to sample. */
#ifndef SCOPE_CAPTURE_STEER_H
#define SCOPE_CAPTURE_STEER_H

#include "source/source.h"

struct scope_steer;

/*
 * For a session that is open and not started. *ret_steer is NULL if stacks are not chosen, either by the options, or
 * because the source cannot change them. 0, -ENOMEM.
 */
int scope_capture_steer_create(const struct scope_source *source, void *feed,
			       const struct scope_capture_options *options, struct scope_error *error,
			       struct scope_steer **ret_steer);
void scope_capture_steer_destroy(struct scope_steer *steer); /* NULL is fine, as below */

/* Call it when the session has started: begins to learn from its records. */
void scope_capture_steer_begin(struct scope_steer *steer, uint64_t now_ns);

void scope_capture_steer_take(struct scope_steer *steer, const struct scope_subbuf *subbuf);

/* Call it some times a second. If a source refuses a change, everything stays. */
void scope_capture_steer_update(struct scope_steer *steer, uint64_t now_ns);

/* The highest minimum duration of calls with a stack so far, ns; 0: it was not chosen. */
uint32_t scope_capture_steer_highest_ns(const struct scope_steer *steer);

/* The present period of samples, or that of the first samples; 0: it does not change. */
uint32_t scope_capture_steer_period_ns(const struct scope_steer *steer);

#endif
