// SPDX-License-Identifier: GPL-2.0-only
/* Maps the pages at which perf's copy of a stack ended. */
#include "perf/hole.h"

#include "base/machine.h"
#include "proc/reader.h"

#define HOLE_PAGES 8 /* pages of one request */

void scope_perf_hole_fill(struct scope_proc_reader *reader, struct scope_perf_thread *thread,
			  const struct scope_perf_record *record)
{
	uint64_t stop;

	if (record->regs <= SCOPE_MACHINE_REG_SP || record->stack_bytes >= record->stack_asked)
		return;
	stop = record->reg[SCOPE_MACHINE_REG_SP] + record->stack_bytes;
	if (stop == thread->stack_stop)
		return;
	thread->stack_stop = stop;
	scope_proc_reader_touch(reader, thread->tgid, record->tid, stop, HOLE_PAGES);
}
