/* SPDX-License-Identifier: GPL-2.0-only */
/* What every thread of a target is doing at this moment, while another session goes on tracing it. */
#ifndef SCOPE_CAPTURE_STATES_H
#define SCOPE_CAPTURE_STATES_H

#include "source/source.h"

struct scope_stopped_stacks;
struct scope_states;
struct scope_writer;

/*
 * feed: the session that goes on. Where it cannot tell, starts and stops one of its own, and calls
 * meanwhile(context) between its steps, which may take a while, so that the other's rings do not fill
 * up; what it returns but 0 ends it. Stacks of threads that stand still go to the writer at once (still
 * remembers which it knows). 0 or -errno; the caller destroys the result.
 */
int scope_capture_states_take(const struct scope_source *source, void *feed,
			      const struct scope_capture_options *options, uint32_t tgid,
			      struct scope_stopped_stacks *stopped, struct scope_writer *writer,
			      int (*meanwhile)(void *context), void *context, struct scope_states **ret_states);
void scope_capture_states_destroy(struct scope_states *states); /* NULL is fine */

/* As sub-buffers with STATE records of the stop. 0, -ENOMEM, or what the writer returned. */
int scope_capture_states_write(const struct scope_states *states, struct scope_writer *writer);

#endif
