// SPDX-License-Identifier: GPL-2.0-only
/* Brings in the pages at which perf's copy of a stack ended. */
#include "perf/hole.h"

#include <sys/uio.h>
#include <unistd.h>

#include "capture/stack.h"

#define HOLE_PAGES 8 /* that one call brings in */

void scope_perf_hole_fill(struct scope_perf_thread *thread, const struct scope_perf_record *record)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct iovec remote[HOLE_PAGES], local;
	uint8_t byte[HOLE_PAGES];
	uint64_t stop;

	if (record->regs <= SCOPE_STACK_POINTER || record->stack_bytes >= record->stack_asked)
		return;
	stop = record->reg[SCOPE_STACK_POINTER] + record->stack_bytes;
	if (stop == thread->stack_stop)
		return;
	thread->stack_stop = stop;
	for (size_t i = 0; i < HOLE_PAGES; i++)
		remote[i] = (struct iovec){ (void *)(uintptr_t)(stop + i * page), 1 };
	local = (struct iovec){ byte, sizeof(byte) };
	/* What comes back does not matter: that the pages are there does, up to the first that cannot be. */
	(void)!process_vm_readv((pid_t)record->tid, &local, 1, remote, HOLE_PAGES, 0);
}
