// SPDX-License-Identifier: GPL-2.0-only
/* The part of a trace that is requested. */
#include "trace/trace_internal.h"

void scope_trace_set_window(struct scope_trace *trace, uint64_t from_ns, uint64_t to_ns)
{
	trace->from_ns = from_ns;
	trace->to_ns = trace->limit_ns = to_ns;
}

uint64_t scope_trace_window_from(const struct scope_trace *trace)
{
	return trace->from_ns;
}

uint64_t scope_trace_window_to(const struct scope_trace *trace)
{
	return trace->to_ns;
}

int scope_trace_span(struct scope_trace *trace, uint64_t *ret_begin_ns, uint64_t *ret_end_ns)
{
	uint64_t begin_ns = scope_trace_meta_number(trace, SCOPE_META_BEGIN, 0);
	struct scope_event event;
	int err = 0;

	if (!begin_ns) {
		err = scope_trace_next(trace, &event);
		if (err > 0)
			begin_ns = event.time_ns;
		if (err >= 0)
			err = scope_trace_rewind(trace);
	}
	if (err)
		return err;
	*ret_begin_ns = begin_ns;
	*ret_end_ns = scope_trace_meta_number(trace, SCOPE_META_END, 0);
	return 0;
}
