/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions and types that older or newer kernels do not have, under the name that the newest kernel uses.
 *
 * Included before every source file, and after features.h, which features.sh makes. Each shim names the kernel that
 * made it needless.
 */
#ifndef SCOPE_COMPAT_H
#define SCOPE_COMPAT_H

#include <linux/capability.h>
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timex.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "order.h"
#include "thread.h"
#include "fast_clock.h"

/*
 * 4.3; before, reading the cycle counter is a call if hypervisors may replace such functions, but none replaces this
 * one
 */
#if defined(CONFIG_X86_64) && !defined(SCOPE_HAVE_RDTSC)
#define get_cycles() __native_read_tsc()
#endif

/* GCC 12. For a variable that is written before it is read, but that a kernel's options would set to zero first. */
#ifdef __has_attribute
#if __has_attribute(uninitialized)
#define SCOPE_UNSET __attribute__((uninitialized))
#endif
#endif
#ifndef SCOPE_UNSET
#define SCOPE_UNSET
#endif

/* 3.14 */
#ifndef U32_MAX
#define U16_MAX ((u16)~0u)
#define U32_MAX ((u32)~0u)
#define S64_MAX ((s64)(~0ull >> 1))
#define U64_MAX ((u64)~0ull)
#endif

/* 3.11 where a word has 64 bits */
#ifndef SCOPE_HAVE_DIV64_U64_REM
static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *ret_rest)
{
	*ret_rest = dividend % divisor;
	return dividend / divisor;
}
#endif

/* 3.15 */
#ifndef SCOPE_HAVE_KVFREE
static inline void kvfree(const void *memory)
{
	if (is_vmalloc_addr(memory))
		vfree(memory);
	else
		kfree(memory);
}
#endif

#include "vmalloc.h"

/* 4.13; before, calls with flags for this gave up sooner, in order not to kill a process */
#ifndef __GFP_RETRY_MAYFAIL
#define __GFP_RETRY_MAYFAIL __GFP_NORETRY
#endif

/*
 * 5.11. Pages that are charged to the caller's memory control group, and mapped by user space. Before, the mark of a
 * charged page was in the same place as the count of its mappings.
 */
#ifdef SCOPE_HAVE_MEMCG_DATA_KMEM
#define SCOPE_GFP_MAPPED GFP_KERNEL_ACCOUNT
#else
#define SCOPE_GFP_MAPPED GFP_KERNEL
#endif

/* 4.13 */
#ifndef SCOPE_HAVE_CPUS_READ_LOCK
#define cpus_read_lock() get_online_cpus()
#define cpus_read_unlock() put_online_cpus()
#endif

/* 4.12 */
#ifndef SCOPE_HAVE_KVMALLOC_ARRAY
static inline void *kvmalloc_array(size_t count, size_t bytes, gfp_t flags)
{
	return bytes && count > SIZE_MAX / bytes ? NULL : kvzalloc(count * bytes, flags);
}
#endif

/* 4.16; before, poll has the POLL flags of user space */
#ifndef SCOPE_HAVE_POLL_T
#include <uapi/linux/eventpoll.h>
#include <linux/poll.h>
typedef unsigned int __poll_t;
/* EL7 does not have the first; 4.3 to 4.15 have both */
#ifndef EPOLLIN
#define EPOLLIN POLLIN
#define EPOLLRDNORM POLLRDNORM
#define EPOLLHUP POLLHUP
#endif
#endif

/* 4.17; an int before */
#ifndef SCOPE_HAVE_VM_FAULT_T
typedef int vm_fault_t;
#endif

/* 4.11 removed the area, because the fault has it */
#ifdef SCOPE_HAVE_FAULT_ALONE
#define SCOPE_COMPAT_FAULT_PROTO(vma, fault) struct vm_fault *fault
#define SCOPE_COMPAT_FAULT_VMA(vma, fault) ((fault)->vma)
#else
#define SCOPE_COMPAT_FAULT_PROTO(vma, fault) struct vm_area_struct *vma, struct vm_fault *fault
#define SCOPE_COMPAT_FAULT_VMA(vma, fault) (vma)
#endif

/* 3.16; before, kprobes refuse functions of one section of the kernel, and modules do not have that section */
#ifndef NOKPROBE_SYMBOL
#define NOKPROBE_SYMBOL(function)
#endif

/* 4.6; before, the estimate is the free memory and the memory that holds blocks of devices */
#ifndef SCOPE_HAVE_SI_MEM_AVAILABLE
static inline long si_mem_available(void)
{
	struct sysinfo info;

	si_meminfo(&info);
	return info.freeram + info.bufferram;
}
#endif

/* 5.0; a variable before */
#ifndef SCOPE_HAVE_TOTALRAM_PAGES_CALL
#define totalram_pages() (totalram_pages)
#endif

/* 5.4: on -rt a timer runs in a thread unless it is a hard one. Older kernels had no hard timers. */
#ifndef SCOPE_HAVE_HRTIMER_PINNED_HARD
#define HRTIMER_MODE_REL_PINNED_HARD HRTIMER_MODE_REL_PINNED
#endif

/* 5.8 */
#ifndef SCOPE_HAVE_COPY_FROM_KERNEL_NOFAULT
#define copy_from_kernel_nofault(to, from, bytes) probe_kernel_read(to, from, bytes)
#endif

/* 5.8 */
#ifndef CAP_PERFMON
#define CAP_PERFMON CAP_SYS_ADMIN
#endif

/* 3.13 */
#ifndef BIT_ULL
#define BIT_ULL(bit) (1ull << (bit))
#endif

/* 4.2 with later corrections; before, a file of an overlay has the inode of the file below */
#ifndef SCOPE_HAVE_D_REAL_INODE
#define d_real_inode(dentry) ((dentry)->d_inode)
#endif

/* 5.11; 6.19 removed the old name */
#ifndef in_hardirq
#define in_hardirq() in_irq()
#endif

/* 6.13; 7.0 removed hrtimer_init */
#ifndef SCOPE_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* 6.3 */
#ifndef SCOPE_HAVE_VM_FLAGS_CLEAR
static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}

static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}
#endif

/* 5.14 took the bits as arguments; before, they were read from the task */
#ifndef SCOPE_HAVE_TASK_STATE_INDEX
static inline unsigned int __task_state_index(unsigned int task_state, unsigned int exit_state)
{
	unsigned int state = (task_state | exit_state) & TASK_REPORT;

	/* 4.14 reports it as a separate state; before, it is an uninterruptible sleep. */
#ifdef TASK_REPORT_IDLE
	if (task_state == TASK_IDLE)
		state = TASK_REPORT_IDLE;
#endif
	return fls(state);
}
#endif

/* 5.14 renamed task->state */
static inline unsigned int scope_compat_task_state(struct task_struct *task)
{
#ifdef SCOPE_HAVE_TASK_STATE
	return READ_ONCE(task->__state);
#else
	return READ_ONCE(task->state);
#endif
}

/* 5.11; without CONFIG_KRETPROBES there are no kretprobes and no instances */
#ifndef SCOPE_HAVE_GET_KRETPROBE
static inline struct kretprobe *get_kretprobe(struct kretprobe_instance *instance)
{
#ifdef CONFIG_KRETPROBES
	return instance->rp;
#else
	return NULL;
#endif
}
#endif

/* Without SMP the field exists since 6.17. Before, the task that runs is the current one. */
static inline bool scope_compat_on_cpu(struct task_struct *task)
{
#ifdef SCOPE_HAVE_TASK_ON_CPU
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

#endif
