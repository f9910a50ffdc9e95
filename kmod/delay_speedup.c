// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual speedups: while some code runs, or some call keeps a thread off the CPU, all other traced threads are to
 * wait. delay_account.h decides which thread owes what. This file reports to it what happens. delay_return.c makes
 * threads pay on their way to user mode.
 *
 * A thread's slot is changed by that thread's CPU alone, with interrupts off: by the timer of samples, the switches
 * from and to it, and the thread itself. The one exception is woken_*, which the waker writes before the switch to
 * the thread.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <asm/irq_regs.h>
#include "arch.h"
#include "delay_account.h"
#include "delay_rule.h"
#include "delay_speedup.h"
#include "probe.h"
#include "traced.h"
#include "tracepoint.h"

#define SLOTS 2048u /* a power of two */
#define REACH 16u
#define CALLERS_MAX 16 /* frames that are searched for the code */

struct slot {
	u32 tid;	     /* 0: free */
	u16 nr;		     /* call it is in, SCOPE_NR_NONE: none */
	bool asked, pausing; /* it is about to wait for what it owes; it waits */
	bool off;	     /* the CPU, blocked */
	bool woken, by_peer;
	struct scope_account account;
	u64 off_ns, woken_ns, waker_paid_ns;
};

struct scope_speedup {
	atomic64_t required_ns, unsettled_ns;
	struct slot slot[SLOTS];
};

static struct slot *find(struct scope_speedup *speedup, u32 tid)
{
	u32 i;

	for (i = 0; i < REACH; i++)
		if (READ_ONCE(speedup->slot[(tid + i) & (SLOTS - 1)].tid) == tid)
			return &speedup->slot[(tid + i) & (SLOTS - 1)];
	return NULL;
}

/*
 * A slot for a thread that has none. NULL: no place is free. parent: the thread inherits from it; NULL: it owes
 * nothing.
 */
static struct slot *make(struct scope_speedup *speedup, u32 tid, const struct slot *parent)
{
	struct slot *slot;
	u32 i;

	for (i = 0; i < REACH; i++) {
		slot = &speedup->slot[(tid + i) & (SLOTS - 1)];
		if (!READ_ONCE(slot->tid) && !cmpxchg(&slot->tid, 0, tid))
			break;
	}
	if (i == REACH)
		return NULL;
	if (parent)
		scope_account_fork(&parent->account, &slot->account);
	else
		scope_account_join(&slot->account, atomic64_read(&speedup->required_ns));
	slot->nr = SCOPE_NR_NONE;
	slot->asked = slot->pausing = slot->off = slot->woken = false;
	return slot;
}

static struct slot *get(struct scope_delay_rule *rule, u32 tid)
{
	struct slot *slot = find(rule->speedup, tid);

	if (!slot)
		slot = make(rule->speedup, tid, NULL);
	if (!slot)
		atomic64_inc(&rule->missed);
	return slot;
}

/* Never less than before. */
static void require(struct scope_speedup *speedup, u64 ns)
{
	s64 old = atomic64_read(&speedup->required_ns), seen;

	while (ns > (u64)old) {
		seen = atomic64_cmpxchg(&speedup->required_ns, old, ns);
		if (seen == old)
			break;
		old = seen;
	}
}

static void credit(struct scope_delay_rule *rule, struct slot *slot, u64 ns)
{
	struct scope_speedup *speedup = rule->speedup;

	require(speedup, scope_account_credit(&slot->account, atomic64_read(&speedup->required_ns), ns));
}

static bool is_in(const struct scope_delay_ranges *ranges, u64 address)
{
	u32 i;

	for (i = 0; ranges && i < ranges->count; i++)
		if (address >= ranges->range[i].begin && address < ranges->range[i].end &&
		    ranges->range[i].tgid == (u32)current->tgid)
			return true;
	return false;
}

/* True if the thread that the timer interrupted is in the code, or in a function that the code called. */
static bool runs_in(const struct scope_delay_ranges *ranges, struct pt_regs *regs, bool callers)
{
	u64 frame[2], fp, low;
	int i;

	if (is_in(ranges, instruction_pointer(regs)))
		return true;
	fp = scope_arch_frame(regs);
	low = user_stack_pointer(regs);
	for (i = 0; callers && i < CALLERS_MAX && fp >= low && !(fp & 7); i++) {
		if (scope_arch_word_bytes(regs) != 8 || scope_arch_copy_user(frame, fp, sizeof(frame)) < sizeof(frame))
			return false;
		if (is_in(ranges, scope_arch_return_address(frame[1]) - 1))
			return true;
		low = fp + sizeof(frame);
		fp = frame[0];
	}
	return false;
}

static void sample(struct scope_delay_rule *rule)
{
	const struct scope_delay_values *values = rcu_dereference(rule->values);
	struct pt_regs *regs = get_irq_regs();
	/* A thread in the kernel may still block. Then the rule could not be removed until the thread is back. */
	const bool in_user = regs && user_mode(regs);
	struct slot *slot;
	u8 flags = 0;

	if (!scope_delay_is_traced(rule) || !current->mm || current->flags & (PF_EXITING | PF_KTHREAD))
		return;
	slot = get(rule, current->pid);
	if (!slot || slot->pausing)
		return;
	if (runs_in(values->ranges, in_user ? regs : task_pt_regs(current), rule->flags & SCOPE_DELAY_CALLERS))
		credit(rule, slot, scope_delay_due(rule, &flags));
	else if (in_user && !slot->asked &&
		 scope_account_due(&slot->account, atomic64_read(&rule->speedup->required_ns), 0))
		slot->asked = scope_delay_ask_for_return(rule);
}

/* From the timer interrupt of a session that takes samples. */
void scope_delay_sample(struct scope_session *session)
{
	struct scope_delay_rule *rule;

	rcu_read_lock();
	rule = rcu_dereference(session->delays.speedup);
	if (rule)
		sample(rule);
	rcu_read_unlock();
}

/* The running thread's call returns. Makes it wait before user mode, if the debt is worth a sleep. */
void scope_delay_speedup_returns(struct scope_delay_rule *rule)
{
	struct slot *slot;
	unsigned long irq;

	raw_local_irq_save(irq);
	slot = find(rule->speedup, current->pid);
	if (slot) {
		slot->nr = SCOPE_NR_NONE;
		if (!slot->asked && scope_account_due(&slot->account, atomic64_read(&rule->speedup->required_ns), 0))
			slot->asked = scope_delay_ask_for_return(rule);
	}
	raw_local_irq_restore(irq);
}

/* The thread waits now. Returns for how long. scope_delay_speedup_paid() follows in any case. */
u64 scope_delay_speedup_owed(struct scope_delay_rule *rule)
{
	struct slot *slot;
	unsigned long irq;
	u64 owed_ns = 0;

	raw_local_irq_save(irq);
	slot = find(rule->speedup, current->pid);
	if (slot) {
		slot->asked = false;
		slot->pausing = true;
		owed_ns = scope_account_owed(&slot->account, atomic64_read(&rule->speedup->required_ns));
	}
	raw_local_irq_restore(irq);
	return owed_ns;
}

void scope_delay_speedup_paid(struct scope_delay_rule *rule, u64 served_ns)
{
	struct scope_speedup *speedup = rule->speedup;
	struct slot *slot;
	unsigned long irq;

	raw_local_irq_save(irq);
	slot = find(speedup, current->pid);
	if (slot) {
		scope_account_pay(&slot->account, atomic64_read(&speedup->required_ns), served_ns);
		slot->pausing = false;
	}
	raw_local_irq_restore(irq);
}

static void leave_cpu(struct scope_delay_rule *rule, struct slot *slot)
{
	scope_account_block(&slot->account, atomic64_read(&rule->speedup->required_ns));
	slot->off_ns = ktime_get_mono_fast_ns();
	slot->woken = slot->by_peer = false;
	/* Pairs with the acquire in probe_waking(): a waker sees all of this, or none of it. */
	smp_store_release(&slot->off, true);
}

/*
 * Blocked samples: the time that the thread slept in the call that is to look faster. Interrupts are off and the
 * CPU's run queue is held, so its cost does not grow with the length of the sleep.
 */
static void credit_blocked(struct scope_delay_rule *rule, struct slot *slot)
{
	u64 period_ns = READ_ONCE(rule->session->config.sample_period_ns);
	u64 now = ktime_get_mono_fast_ns();
	struct scope_account_samples samples;
	u8 flags = 0;

	if (!period_ns || slot->pausing || slot->nr == SCOPE_NR_NONE || slot->nr != rule->nr)
		return;
	samples = scope_account_off_cpu(period_ns, slot->account.to_sample_ns, now - slot->off_ns,
					(slot->woken ? slot->woken_ns : now) - slot->off_ns);
	slot->account.to_sample_ns = samples.to_sample_ns;
	/* One credit of the sum has the same effect as the single credits. */
	if (samples.blocked)
		credit(rule, slot, scope_delay_due_of(rule, samples.blocked, &flags));
}

static void come_back(struct scope_delay_rule *rule, struct slot *slot)
{
	slot->off = false;
	if (slot->woken && slot->by_peer)
		scope_account_woken(&slot->account, slot->waker_paid_ns);
	credit_blocked(rule, slot);
}

/*
 * Interrupts off, as in the two functions below. Runs after the session's own probe, so `traced` is already that of
 * next.
 */
static __always_inline void probe_switch(struct scope_delay_rule *rule, bool preempt, struct task_struct *prev,
					 struct task_struct *next, unsigned int prev_state)
{
	struct slot *slot;

	if (READ_ONCE(rule->gone) || !READ_ONCE(rule->session->running))
		return;
	/* A thread that ends has given its slot back. */
	if (!preempt && prev_state && !(prev->flags & PF_EXITING) && scope_traced_has(rule->session, prev)) {
		slot = get(rule, prev->pid);
		if (slot)
			leave_cpu(rule, slot);
	}
	if (scope_traced_has(rule->session, next)) {
		slot = find(rule->speedup, next->pid);
		if (slot && slot->off)
			come_back(rule, slot);
	}
}

static __always_inline void probe_waking(struct scope_delay_rule *rule, struct task_struct *task)
{
	struct slot *slot, *waker;
	u64 required_ns;

	if (READ_ONCE(rule->gone) || !scope_traced_has(rule->session, task))
		return;
	slot = find(rule->speedup, task->pid);
	if (!slot || !smp_load_acquire(&slot->off))
		return;
	slot->woken_ns = ktime_get_mono_fast_ns();
	waker = in_interrupt() || !scope_delay_is_traced(rule) || !SCOPE_COMPAT_WAKER_KNOWN
			? NULL
			: find(rule->speedup, current->pid);
	slot->by_peer = waker;
	if (waker) {
		required_ns = atomic64_read(&rule->speedup->required_ns);
		slot->waker_paid_ns = scope_account_shown(&waker->account, required_ns);
		atomic64_add(required_ns - slot->waker_paid_ns, &rule->speedup->unsettled_ns);
	}
	slot->woken = true;
}

static __always_inline void probe_exit(struct scope_delay_rule *rule, struct task_struct *task, bool last)
{
	struct slot *slot = find(rule->speedup, task->pid);

	if (slot)
		WRITE_ONCE(slot->tid, 0);
}

#define SCOPE_WITHOUT_RENAME
#include "sched_probes.h"

/* In the parent, before the child runs. */
static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct scope_delay_rule *rule = data;
	struct slot *slot;

	if (!scope_delay_is_traced(rule))
		return;
	slot = get(rule, parent->pid);
	if (slot && !find(rule->speedup, child->pid) && !make(rule->speedup, child->pid, slot))
		atomic64_inc(&rule->missed);
}

static void probe_enter(void *data, struct pt_regs *regs, long id)
{
	struct scope_delay_rule *rule = data;
	struct slot *slot;
	unsigned long irq;

	if (id != rule->nr || !scope_delay_is_traced(rule))
		return;
	raw_local_irq_save(irq);
	slot = scope_arch_abi(&id) == SCOPE_ABI_NATIVE ? get(rule, current->pid) : NULL;
	if (slot)
		slot->nr = id;
	raw_local_irq_restore(irq);
}

static const struct {
	const char *name;
	void *probe;
} rows[] = {
	{ "sched_process_exit", probe_sched_exit },
	{ "sched_process_fork", probe_fork },
	{ "sched_switch", probe_sched_switch },
	{ SCOPE_COMPAT_WAKING_NAME, probe_sched_waking },
	{ "sys_enter", probe_enter },
};

static void detach_first(struct scope_delay_rule *rule, size_t count)
{
	while (count--)
		tracepoint_probe_unregister(scope_probe_tracepoint(rows[count].name), rows[count].probe, rule);
	tracepoint_synchronize_unregister();
}

int scope_delay_speedup_attach(struct scope_delay_rule *rule)
{
	size_t i;
	int err = 0;

	/* Samples find it by this. */
	if (rcu_access_pointer(rule->session->delays.speedup))
		return -EBUSY;
	if (!rule->speedup)
		rule->speedup = kvzalloc(sizeof(*rule->speedup), GFP_KERNEL);
	if (!rule->speedup)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		err = tracepoint_probe_register(scope_probe_tracepoint(rows[i].name), rows[i].probe, rule);
		if (err) {
			detach_first(rule, i);
			return err;
		}
	}
	rcu_assign_pointer(rule->session->delays.speedup, rule);
	return 0;
}

void scope_delay_speedup_detach(struct scope_delay_rule *rule)
{
	RCU_INIT_POINTER(rule->session->delays.speedup, NULL);
	detach_first(rule, ARRAY_SIZE(rows));
	synchronize_rcu();
}

void scope_delay_speedup_totals(const struct scope_delay_rule *rule, u64 *ret_required_ns, u64 *ret_unsettled_ns)
{
	*ret_required_ns = rule->speedup ? atomic64_read(&rule->speedup->required_ns) : 0;
	*ret_unsettled_ns = rule->speedup ? atomic64_read(&rule->speedup->unsettled_ns) : 0;
}

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sched_switch(probe_sched_switch);
	check_trace_callback_type_waking(probe_sched_waking);
	check_trace_callback_type_sched_process_exit(probe_sched_exit);
	check_trace_callback_type_sched_process_fork(probe_fork);
	check_trace_callback_type_sys_enter(probe_enter);
}
