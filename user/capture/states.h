/* SPDX-License-Identifier: GPL-2.0-only */
/* Records the present state of every thread of a target while a session continues to trace it. */
#ifndef SCOPE_CAPTURE_STATES_H
#define SCOPE_CAPTURE_STATES_H

#include "source/source.h"

struct scope_stopped_stacks;
struct scope_states;
struct scope_writer;

/*
 * feed: the session that continues. If its source cannot give states, a second session is started and stopped. Between
 * its steps, which may take some time, while_waiting(context) is called, so that the rings of the first session do not
 * fill; if it returns another value than 0, the call ends and returns it. Stacks of threads that do not run are written
 * directly (`stopped` remembers which were read). 0 or -errno; the caller destroys the result.
 */
int scope_capture_states_take(const struct scope_source *source, void *feed,
			      const struct scope_capture_options *options, uint32_t tgid,
			      struct scope_stopped_stacks *stopped, struct scope_writer *writer,
			      int (*while_waiting)(void *context), void *context, struct scope_states **ret_states);
void scope_capture_states_destroy(struct scope_states *states); /* NULL is fine */

/* Writes the states as sub-buffers with STATE records like those of a stop. 0, -ENOMEM, or what the writer returned. */
int scope_capture_states_write(const struct scope_states *states, struct scope_writer *writer);

#endif
