// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of a session's rings: a page for each possible CPU, sub-buffers for each CPU that was online.
 *
 * A virtual machine may report hundreds of possible CPUs and have two. So sub-buffers are allocated on the node of a
 * CPU when it first comes, and stay until the session ends: what a CPU wrote before it went can still be read. All
 * regions can be mapped from the start, since pages are looked up as the reader touches them. They are charged to the
 * memory control group of the process that configures the session; those of a CPU that comes later, to that of the
 * task which brings it.
 */
#include <linux/cpu.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include "hotplug.h"
#include "reader.h"
#include "region.h"

static int hotplug_state;

/* The bytes that the rings of all sessions take, each with a ring for every CPU that was online when it was made. */
static DEFINE_MUTEX(memory_lock);
static u64 memory_taken;

/* Pages of alloc_pages_on(), or NULL. They are mapped nowhere in the kernel any more. */
static void free_pages_of(struct page **pages, u32 count)
{
	if (!pages)
		return;
	while (count--)
		__free_page(pages[count]);
	kvfree(pages);
}

/*
 * Zeroed pages of that node. If there are too few the caller is refused. Unlike vzalloc_node() this kills no process to
 * get memory, and the kernel's log gets no warning.
 */
static struct page **alloc_pages_on(int node, u32 count)
{
	const gfp_t flags = SCOPE_GFP_MAPPED | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;
	struct page **pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL | __GFP_NOWARN);
	u32 i;

	if (!pages)
		return NULL;
	for (i = 0; i < count; i++) {
		pages[i] = alloc_pages_node(node, flags, 0);
		if (!pages[i]) {
			free_pages_of(pages, i);
			return NULL;
		}
		cond_resched();
	}
	return pages;
}

static u32 ring_page_count(const struct scope_session *session)
{
	return (session->region_bytes - SCOPE_HEADER_BYTES) >> PAGE_SHIFT;
}

/*
 * Called before the CPU runs anything. If memory is short the CPU comes in any case, and its events are counted as
 * lost.
 */
static int region_prepare(unsigned int id, struct hlist_node *node)
{
	struct scope_session *session = hlist_entry_safe(node, struct scope_session, regions);
	struct scope_cpu *cpu = per_cpu_ptr(session->cpu, id);
	struct page **pages;
	u8 *subbufs;

	if (cpu->ring.subbufs)
		return 0;
	pages = alloc_pages_on(cpu_to_node(id), ring_page_count(session));
	subbufs = pages ? vmap(pages, ring_page_count(session), VM_MAP, PAGE_KERNEL) : NULL;
	if (!subbufs) {
		free_pages_of(pages, ring_page_count(session));
		return 0;
	}
	cpu->pages = pages;
	/* Pairs with the acquire in region_page(). */
	smp_store_release(&cpu->ring.subbufs, subbufs);
	atomic_inc(&session->region_count);
	return 0;
}

int scope_region_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN, "scope:region", region_prepare, NULL);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

void scope_region_exit(void)
{
	cpuhp_remove_multi_state(hotplug_state);
}

static int alloc_pages_of_all(struct scope_session *session)
{
	const struct scope_config *config = &session->config;
	struct scope_ring_page *page;
	int id;

	for_each_possible_cpu(id) {
		page = (struct scope_ring_page *)get_zeroed_page(SCOPE_GFP_MAPPED);
		if (!page)
			return -ENOMEM;
		page->cpu = id;
		page->subbuf_bytes = config->subbuf_bytes;
		page->subbuf_count = config->subbuf_count;
		page->header_bytes = SCOPE_HEADER_BYTES;
		scope_ring_init(&per_cpu_ptr(session->cpu, id)->ring, page, NULL, config->flight, scope_reader_notify);
	}
	return 0;
}

static bool all_online_have(struct scope_session *session)
{
	bool all = true;
	int id;

	cpus_read_lock();
	for_each_online_cpu(id)
		all &= !!per_cpu_ptr(session->cpu, id)->ring.subbufs;
	cpus_read_unlock();
	return all;
}

/*
 * All rings together take at most half of the memory that would be available without them, so that tracing does not
 * make memory short on a host.
 */
static int take_memory(struct scope_session *session, u64 bytes)
{
	u64 most = (((u64)si_mem_available() << PAGE_SHIFT) + memory_taken) / 2;

	lockdep_assert_held(&memory_lock);
	if (memory_taken + bytes > most)
		return -E2BIG;
	memory_taken += bytes;
	session->ring_bytes = bytes;
	return 0;
}

static int alloc_all(struct scope_session *session)
{
	int err = alloc_pages_of_all(session);

	if (!err)
		err = cpuhp_state_add_instance(hotplug_state, &session->regions);
	session->growing = !err;
	return err ? err : all_online_have(session) ? 0 : -ENOMEM;
}

/* Under session->lock. On failure nothing stays allocated. -E2BIG: all sessions together would take too much. */
int scope_region_alloc(struct scope_session *session)
{
	const size_t ring_bytes = (size_t)session->config.subbuf_bytes * session->config.subbuf_count;
	int err;

	session->region_bytes = SCOPE_HEADER_BYTES + ring_bytes;
	/*
	 * One session at a time, because the free memory is known only when the session before it has taken its part.
	 */
	mutex_lock(&memory_lock);
	err = take_memory(session, (u64)ring_bytes * num_online_cpus());
	if (!err)
		err = alloc_all(session);
	mutex_unlock(&memory_lock);
	if (err)
		scope_region_free(session);
	return err;
}

/* No probe runs on the session. */
void scope_region_free(struct scope_session *session)
{
	int id;

	if (session->growing)
		cpuhp_state_remove_instance(hotplug_state, &session->regions);
	session->growing = false;
	for_each_possible_cpu(id) {
		struct scope_cpu *cpu = per_cpu_ptr(session->cpu, id);
		struct scope_ring *ring = &cpu->ring;

		vunmap(ring->subbufs);
		free_pages_of(cpu->pages, ring_page_count(session));
		free_page((unsigned long)ring->page);
		cpu->pages = NULL;
		ring->subbufs = NULL;
		ring->page = NULL;
	}
	atomic_set(&session->region_count, 0);
	mutex_lock(&memory_lock);
	memory_taken -= session->ring_bytes;
	session->ring_bytes = 0;
	mutex_unlock(&memory_lock);
}

/* What the rings take now. */
u64 scope_region_bytes(const struct scope_session *session)
{
	return (u64)num_possible_cpus() * SCOPE_HEADER_BYTES +
	       (u64)atomic_read(&session->region_count) * (session->region_bytes - SCOPE_HEADER_BYTES);
}

/* The page at this offset of all regions, or NULL. */
static struct page *region_page(struct scope_session *session, u64 offset)
{
	u64 rest, id = div64_u64_rem(offset, session->region_bytes, &rest);
	struct scope_cpu *cpu;

	if (id >= nr_cpu_ids || !cpu_possible(id))
		return NULL;
	cpu = per_cpu_ptr(session->cpu, id);
	if (rest < SCOPE_HEADER_BYTES)
		return virt_to_page(cpu->ring.page);
	/* Pairs with the release in region_prepare(): its pages are there, and zeroed. */
	if (!smp_load_acquire(&cpu->ring.subbufs))
		return NULL;
	return cpu->pages[(rest - SCOPE_HEADER_BYTES) >> PAGE_SHIFT];
}

static vm_fault_t region_fault(SCOPE_COMPAT_FAULT_PROTO(vma, fault))
{
	struct page *page =
		region_page(SCOPE_COMPAT_FAULT_VMA(vma, fault)->vm_private_data, (u64)fault->pgoff << PAGE_SHIFT);

	if (!page)
		return VM_FAULT_SIGBUS;
	get_page(page);
	fault->page = page;
	return 0;
}

static const struct vm_operations_struct operations = {
	.fault = region_fault,
};

/* One whole region, read-only for ever. The mapping keeps the file, and the file the session. */
int scope_region_map(struct scope_session *session, struct vm_area_struct *vma)
{
	u64 rest, id = div64_u64_rem((u64)vma->vm_pgoff << PAGE_SHIFT, session->region_bytes, &rest);

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	if (vma->vm_end - vma->vm_start != session->region_bytes || rest || id >= nr_cpu_ids || !cpu_possible(id))
		return -EINVAL;
	vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_private_data = session;
	vma->vm_ops = &operations;
	return 0;
}
