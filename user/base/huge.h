/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Room for a table of many MB that is read all over.
 *
 * With pages of 4 KB each value read would cost a walk through the page tables on top, which takes longer
 * than reading it. Kernels that leave the choice to programs give large pages to those that ask.
 */
#ifndef SCOPE_BASE_HUGE_H
#define SCOPE_BASE_HUGE_H

#include <stdlib.h>
#include <sys/mman.h>

#define SCOPE_HUGE_PAGE ((size_t)2 << 20)

/* @bytes, not set to anything, for free(). NULL: there is no memory. */
static inline void *scope_huge_alloc(size_t bytes)
{
	const size_t whole = (bytes + SCOPE_HUGE_PAGE - 1) / SCOPE_HUGE_PAGE * SCOPE_HUGE_PAGE;
	void *memory;

	if (bytes < 2 * SCOPE_HUGE_PAGE)
		return malloc(bytes ? bytes : 1);
	memory = aligned_alloc(SCOPE_HUGE_PAGE, whole);
	/* Where it is refused, it is only slower. */
	if (memory)
		madvise(memory, whole, MADV_HUGEPAGE);
	return memory;
}

#endif
