/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for a table of many MB that is read in random order.
 *
 * With pages of 4 KB each value read would also cost a walk through the page tables, which takes
 * longer than the read itself. Kernels that leave the choice to programs give large pages to those
 * that request them.
 */
#ifndef SCOPE_BASE_HUGE_H
#define SCOPE_BASE_HUGE_H

#include <stdlib.h>
#include <sys/mman.h>

#define SCOPE_HUGE_PAGE ((size_t)2 << 20)

/* Returns @bytes of memory, not initialised; release it with free(). NULL: no memory. */
static inline void *scope_huge_alloc(size_t bytes)
{
	const size_t whole = (bytes + SCOPE_HUGE_PAGE - 1) / SCOPE_HUGE_PAGE * SCOPE_HUGE_PAGE;
	void *memory;

	if (bytes < 2 * SCOPE_HUGE_PAGE)
		return malloc(bytes ? bytes : 1);
	memory = aligned_alloc(SCOPE_HUGE_PAGE, whole);
	/* If the kernel refuses, reads are only slower. */
	if (memory)
		madvise(memory, whole, MADV_HUGEPAGE);
	return memory;
}

#endif
