/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the threads of a trace, for formats that have them in every event. */
#ifndef SCOPE_EXPORT_THREADS_H
#define SCOPE_EXPORT_THREADS_H

#include "symbol/symbol.h"
#include "timeline/timeline.h"

/* One run through the trace. The caller destroys the timeline, which holds the threads. */
int scope_export_threads_learn(struct scope_trace *trace, struct scope_timeline **ret_timeline);

/* The thread that had this tid last; a thread without a name if there is none. */
const struct scope_thread *scope_export_threads_find(struct scope_timeline *timeline, uint32_t tid);

/* Where a probe is, as --probe takes it; "" if the trace does not say. It lives as long as the trace. */
const char *scope_export_threads_place(const struct scope_trace *trace, uint16_t probe);

/*
 * The names of functions of a stack, outermost first; as many as fit. address (NULL is fine): where
 * each was, or will return to. *ret_cut (NULL is fine): it does not reach the start of its thread. 0 or
 * -errno.
 */
int scope_export_threads_stack(struct scope_symbols *symbols, const struct scope_thread *thread,
			       const struct scope_event *event, const struct scope_function **function,
			       uint64_t *address, unsigned room, unsigned *ret_count, bool *ret_cut);

#endif
