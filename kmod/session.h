/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One tracing session: the structure that its probes read, and how it is configured, started and stopped.
 *
 * NEW ──configure──► READY ──start──► ON ──stop──► STOPPED ──last reference──► freed
 *
 * The open file holds a reference, and each netlink request another one while it is served. Locks, in the order they
 * may nest: dynamic_lock > mmap_lock > session->lock > memory_lock (region.c) > cpu hotplug lock. Probes take none.
 */
#ifndef SCOPE_KMOD_SESSION_H
#define SCOPE_KMOD_SESSION_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <scope/control.h>
#include "clock.h"
#include "filter.h"
#include "record.h"
#include "rename.h"
#include "ring.h"

#define SCOPE_HEADER_BYTES PAGE_SIZE
#define SCOPE_OPEN_CALLS 4096u /* a power of two */

/*
 * Bits of pending. Any bit but the first one alone sends a call to the slow path. Without NOTED only the number and
 * enter_counts of a pending call are set, and it is a native one. The rest is found when the call is written: until
 * then the arguments are in the thread's registers.
 */
#define SCOPE_CALL_PENDING 1u
#define SCOPE_CALL_MEASURED 2u /* probes measure themselves, see measure.h */
#define SCOPE_CALL_NOTED 4u    /* of the pending call: it is complete but for enter_counts */
#define SCOPE_CALL_SLOT (SCOPE_CALL_PENDING | SCOPE_CALL_NOTED)
#define SCOPE_CALL_UNTIMED 8u /* the counter cannot be used: enters read the clock */

/* The state of a CPU's measuring. */
struct scope_measure_mark {
	u64 all; /* events */
	u64 ns, events, stack_ns, other_ns;
};

struct scope_measure {
	u64 ns;				/* time of the calls that measured themselves, without their stacks */
	u64 events;			/* events that these calls made or lost */
	u64 stack_ns;			/* time of all stacks */
	u64 other_ns;			/* time of traps and delays, see trap_cost.h */
	u64 events_seen, stack_seen_ns; /* at the end of the last of these calls */
	struct scope_measure_mark mark; /* when the overload guard last looked */
	u32 left;
};

/* What a task has counted so far, see counters.h. */
struct scope_counts {
	unsigned long minor_faults, major_faults;
	u64 read_bytes, written_bytes;
	u64 swapin_ns, thrashing_ns;
};

/*
 * A probe that finds traced clear must have touched no other cache line. traced is set while the
 * current task of this CPU belongs to the filter; SCOPE_CALL_PENDING in pending, while the fields
 * after it describe the call that this task is in and that no record has yet.
 */
struct scope_cpu {
	u8 traced;
	u8 pending; /* SCOPE_CALL_* */
	/* enum scope_interrupt, with SCOPE_EVENTS_CAUSE: of the last soft one; of the hard one under way */
	u8 softirq, hardirq;
	struct scope_call call;
	u64 enter_counts; /* get_cycles() */
	u64 plain_counts; /* session->plain_ns, or a little less, by the counter; 0: not known */
	struct scope_clock clock;
	struct scope_ring ring;
	u64 enter_ns;
	u64 arg[SCOPE_ARG_MAX];

	/* stacks after syscalls: how many in the second that began at window_ns */
	u64 window_ns;
	u32 window_stacks;
	u64 kernel_ip;		    /* of the sample that is being taken, for SCOPE_STACK_KERNEL_IP */
	struct scope_counts counts; /* with SCOPE_EVENTS_COUNTERS, of the traced thread as it came here */
	/*
	 * with SCOPE_EVENTS_INTERRUPT: when the interrupt of each kind began, 0: there is none; and what interrupts
	 * took of it
	 */
	u64 hardirq_ns, softirq_ns, softirq_taken_ns;
	struct scope_measure measure;
	struct hrtimer sample;
	struct irq_work wake;
	struct page **pages; /* of ring.subbufs */
	struct scope_session *session;
} ____cacheline_aligned;

/* Added to a number of arguments. */
#define SCOPE_CALL_SKIP 0x08
#define SCOPE_CALL_STACK 0x10
#define SCOPE_CALL_RECEIVES 0x20
#define SCOPE_CALL_CONNECTS 0x40
#define SCOPE_CALL_MORE (SCOPE_CALL_RECEIVES | SCOPE_CALL_CONNECTS) /* a record besides its own, and stacks */

struct scope_config {
	u32 protocol; /* SCOPE_PROTOCOL_MIN to SCOPE_PROTOCOL: the one its reader knows */
	u32 events;   /* SCOPE_EVENTS_* */
	u32 subbuf_bytes;
	u32 subbuf_count;
	u32 stack_bytes;
	u32 stack_min_ns;
	u32 stacks_per_second;
	u32 sample_period_ns;
	u8 stack_mode; /* enum scope_stack_mode */
	bool follow;
	bool flight;	 /* overwrite the oldest */
	bool kernel_ips; /* samples record where in the kernel they hit, relative to kernel_base */
	u64 kernel_base;
	u32 overhead_max; /* thousandths of a CPU, 0: any share */
	/*
	 * Arguments to record, by native number. SCOPE_CALL_SKIP: leave the call out. SCOPE_CALL_STACK: it may get a
	 * stack, by stack_mode and stack_syscalls. SCOPE_CALL_RECEIVES: it may get a RECEIVED, and SCOPE_CALL_CONNECTS:
	 * a PEER, by events. Only change.c sets these three.
	 */
	u8 arg_counts[SCOPE_SYSCALL_MAX];
	u8 other_calls; /* the same for other ABIs and numbers: 0 or SCOPE_CALL_SKIP */
	u8 stack_syscalls[SCOPE_SYSCALL_MAX / 8];
};

/* Some of the traced threads, in order of their numbers. */
struct scope_threads {
	u32 count;
	u32 tid[];
};

static inline bool scope_threads_have(const struct scope_threads *threads, u32 tid)
{
	u32 low = 0, high, middle;

	for (high = threads->count; low < high;) {
		middle = (low + high) / 2;
		if (threads->tid[middle] == tid)
			return true;
		if (threads->tid[middle] < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

struct scope_cgroup_rule {
	bool used;
	u32 hierarchy;
	u64 id; /* inode number */
};

/* The record of a native call that did not block. */
struct scope_call_plan {
	u32 call;  /* scope_call_word() in it */
	u32 bytes; /* U32_MAX, which no sub-buffer has room for: several arguments, or no record */
};

#define SCOPE_DELAY_RETURNS 1024 /* threads of a session that are on their way to a delay at the same time */

/* The delay rules of a session. */
struct scope_delays {
	struct list_head rules; /* struct scope_delay_rule */
	u32 count;
	wait_queue_head_t sleepers;
	/* the cap of a second: which second it is, and what was served in it */
	u64 second_max_ns;
	atomic64_t second, second_ns;
	struct scope_delay_rule __rcu *speedup; /* the rule for SCOPE_DELAY_SPEEDUP, while it is set */
	struct scope_delay_return *returns;	/* SCOPE_DELAY_RETURNS of them; NULL: no rule needs them */
	DECLARE_BITMAP(returning, SCOPE_DELAY_RETURNS);
};

/* The properties by which a session selects a thread, other than its process. Each needs tracepoints, see probe.c. */
#define SCOPE_SELECT_THREADS 0x01u /* threads may have entries of their own */
#define SCOPE_SELECT_COMM 0x02u
#define SCOPE_SELECT_CGROUP 0x04u

struct scope_session {
	/* read by probes; after they are attached only the stacks of config and the calls to skip change */
	struct scope_cpu __percpu *cpu;
	u8 selects; /* SCOPE_SELECT_*: bits are only ever added */
	bool scanning;
	int running;
	u64 plain_ns; /* a call shorter than this needs only its record */
	struct scope_config config;
	struct scope_call_plan plan[SCOPE_SYSCALL_MAX]; /* as arg_counts */
	/* tid and enter time of calls that have an ENTER record, see scope_stack_note_enter() */
	u64 open_call[SCOPE_OPEN_CALLS];
	struct scope_filter filter;
	struct scope_threads *stack_threads; /* NULL: all that are traced */
	struct scope_tables *tables;	     /* given by user space, for walking stacks; NULL: none were given */
	atomic64_t table_bytes;		     /* of these and of the mappings */
	struct scope_block *block;	     /* requests that have not ended; NULL without SCOPE_EVENTS_BLOCK */
	struct scope_bios *bios;	     /* bios that have not ended and that requests do not show; NULL as block */
	atomic64_t block_unmatched;	     /* requests and bios that found no place in them */
	struct scope_comm_rule comm_rule[SCOPE_COMM_RULES];
	struct scope_rename rename[SCOPE_RENAMES]; /* with SCOPE_SELECT_COMM */
	struct scope_cgroup_rule cgroup_rule[SCOPE_CGROUP_RULES];

	/* control */
	struct irq_work settle_irq;
	struct work_struct settle;
	struct kref ref;
	u32 id;
	struct mutex dynamic_lock; /* dynamic, and the rules of delays */
	struct list_head dynamic;  /* struct scope_dynamic: probes set at run time */
	u32 dynamics;
	struct scope_delays delays;
	struct mutex lock; /* everything below, and running */
	bool closed;	   /* the file is gone */
	u8 run_state;	   /* enum scope_run_state; poll reads it without the lock */
	size_t region_bytes;
	u64 ring_bytes;		   /* of all its rings, as counted for the limit of all sessions */
	atomic_t region_count;	   /* CPUs with sub-buffers */
	struct hlist_node regions; /* in the list of the sessions that grow when a CPU comes */
	bool growing;		   /* regions is in the list */
	struct mutex consume_lock; /* tail of every ring */
	u64 attached;		   /* bit per row of the table in probe.c */
	struct hlist_node hotplug;
	bool sampling; /* hotplug is in the list */
	wait_queue_head_t readers;
	u8 stop_reason;		    /* enum scope_stop_reason */
	u32 guard_cpu, guard_share; /* what the overload guard found */
	u64 start_ns, stop_ns;	    /* of running; 0: not yet */
	u64 flush_ns;		    /* when the last flush that was asked for began; 0: none */
	struct pid *owner;	    /* the process that opened the device */
	struct {
		struct delayed_work work;
		u64 checked_ns;		   /* when the guard last did */
		u64 half_full_ns, lost_ns; /* when that was last sent, 0: never */
		u64 lost;		   /* events, as of the last notice */
		bool gone;		   /* the filter was empty */
	} monitor;
};

static inline bool scope_session_configured(struct scope_session *session)
{
	/* Pairs with the release in scope_session_configure(): the rings are there. */
	return smp_load_acquire(&session->run_state) >= SCOPE_RUN_READY;
}

#endif
