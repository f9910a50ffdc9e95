/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the threads of a trace, for formats that have them in every event. */
#ifndef SCOPE_EXPORT_THREADS_H
#define SCOPE_EXPORT_THREADS_H

#include "symbol/symbol.h"
#include "timeline/timeline.h"

/* Makes one pass over the trace. The caller destroys the timeline, which has the threads. */
int scope_export_threads_learn(struct scope_trace *trace, struct scope_timeline **ret_timeline);

/* The last thread with this tid; a thread without a name if there is none. */
const struct scope_thread *scope_export_threads_find(struct scope_timeline *timeline, uint32_t tid);

/* The place of a probe, in the form of --probe; "" if the trace does not have it. It lives as long as the trace. */
const char *scope_export_threads_place(const struct scope_trace *trace, uint16_t probe);

/*
 * The functions of a stack, outermost first; as many as fit. address (NULL is fine): where each function was, or to
 * which address it will return. *ret_cut (NULL is fine): the stack does not reach the start of its thread. 0 or -errno.
 */
int scope_export_threads_stack(struct scope_symbols *symbols, const struct scope_thread *thread,
			       const struct scope_event *event, const struct scope_function **function,
			       uint64_t *address, unsigned room, unsigned *ret_count, bool *ret_cut);

#endif
