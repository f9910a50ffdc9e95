/* SPDX-License-Identifier: GPL-2.0-only */
/* Removes the target's memory from a trace. */
#ifndef SCOPE_SYMBOL_SCRUB_TRACE_H
#define SCOPE_SYMBOL_SCRUB_TRACE_H

#include "symbol/symbol.h"
#include "trace/trace.h"
#include "trace/writer.h"

struct scope_scrub_counts {
	uint64_t stacks, stopped_stack, locks;
};

/*
 * Writes the content of the trace, with stacks unwound by `symbols`, which belong to the same
 * trace. The caller finishes the writer. 0, -ENOMEM, or what the writer returned.
 */
int scope_symbol_scrub(struct scope_trace *trace, struct scope_symbols *symbols, struct scope_writer *writer,
		       struct scope_scrub_counts *ret_counts);

#endif
