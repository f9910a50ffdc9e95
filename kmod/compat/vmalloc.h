/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that a probe may access without a page fault (5.8 on x86-64).
 *
 * Before, a process got a newly used top-level entry of the vmalloc area by a fault at its first access;
 * per-CPU memory is there as well. A fault inside a probe may be traced itself. Writing to
 * the memory in advance does not help, because that changes only the page table of the writer. Each process has its own
 * top level. An entry there is never removed, and page tables made later have it from the start. So all entries are
 * copied to all processes when memory is allocated under one for the first time, before a probe can use it. The
 * function that copies is not exported, but register_die_notifier() begins with it, for the same reason.
 */
#ifndef SCOPE_COMPAT_VMALLOC_H
#define SCOPE_COMPAT_VMALLOC_H

#if defined(CONFIG_X86_64) && defined(SCOPE_HAVE_VMALLOC_SYNC)
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/kdebug.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

/* 4.12 */
#ifndef SCOPE_HAVE_KVZALLOC
static inline void *kvzalloc(size_t bytes, gfp_t flags)
{
	void *memory = kzalloc(bytes, flags | __GFP_NOWARN | __GFP_NORETRY);

	return memory ? memory : vzalloc(bytes);
}
#endif

/* Top-level entries that every process has. */
static DECLARE_BITMAP(scope_compat_everywhere, PTRS_PER_PGD);

static inline int scope_compat_no_death(struct notifier_block *notifier, unsigned long event, void *data)
{
	return NOTIFY_DONE;
}

/* May sleep. */
static inline void scope_compat_sync(const void *memory, size_t bytes)
{
	/* Its removal waits until no CPU walks the list any more. */
	struct notifier_block notifier = { .notifier_call = scope_compat_no_death };
	unsigned long first = pgd_index((unsigned long)memory);
	unsigned long end = pgd_index((unsigned long)memory + bytes - 1) + 1;

	if (!memory || find_next_zero_bit(scope_compat_everywhere, end, first) >= end)
		return;
	if (register_die_notifier(&notifier))
		return;
	unregister_die_notifier(&notifier);
	for (; first < end; first++)
		set_bit(first, scope_compat_everywhere);
}

static inline void *scope_compat_kvzalloc(size_t bytes, gfp_t flags)
{
	void *memory = kvzalloc(bytes, flags);

	scope_compat_sync(memory, bytes);
	return memory;
}

static inline void *scope_compat_vmap(struct page **pages, unsigned int count, unsigned long flags, pgprot_t protection)
{
	void *memory = vmap(pages, count, flags, protection);

	scope_compat_sync(memory, (size_t)count << PAGE_SHIFT);
	return memory;
}

static inline void __percpu *scope_compat_alloc_percpu(size_t bytes, size_t align)
{
	void __percpu *memory = __alloc_percpu(bytes, align);
	int cpu;

	if (memory)
		for_each_possible_cpu(cpu)
			scope_compat_sync(per_cpu_ptr(memory, cpu), bytes);
	return memory;
}

#define kvzalloc scope_compat_kvzalloc
#define vmap scope_compat_vmap
#define __alloc_percpu scope_compat_alloc_percpu
#endif
#endif
