/* SPDX-License-Identifier: GPL-2.0-only */
/* Lets perf copy stacks across pages that were never written to. */
#ifndef SCOPE_PERF_HOLE_H
#define SCOPE_PERF_HOLE_H

#include "perf/parse.h"
#include "perf/tasks.h"

struct scope_proc_reader;

/*
 * Perf ends a copy at the first page that is not in memory. Large buffers on a stack leave such pages below the frames
 * of their callers, so every stack through such a buffer would lack the callers. After a copy that ended early this
 * function reads the pages from outside, which maps the kernel's page of zeros there. This takes no memory, the program
 * sees the same zeros as without it, and the next copy does not end there. If nothing can be read the stack really ends
 * there; the place is kept in the thread and not read again. There is one request to the reader for each hole and
 * thread, and no wait for its answer, because the target itself may have to supply the page. A record without a copied
 * stack changes nothing.
 */
void scope_perf_hole_fill(struct scope_proc_reader *reader, struct scope_perf_thread *thread,
			  const struct scope_perf_record *record);

#endif
