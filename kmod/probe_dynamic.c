// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes set at run time: kprobes, kretprobes, uprobes and uretprobes of a session.
 *
 * A hit of a traced thread becomes a PROBE record, with a stack after it if requested. A
 * kprobe's handler may run in any context, also inside another probe of this module:
 * then it finds the ring's writing flag set, and the hit is counted as LOST_NESTED.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/namei.h>
#include <linux/sched/signal.h>
#include "arch.h"
#include "kprobe.h"
#include "measure.h"
#include "probe_dynamic.h"
#include "record.h"
#include "traced.h"
#include "stack.h"
#include "trap_cost.h"

#define MAXACTIVE 512 /* threads at once inside a function whose return is probed */

static void put_probe(struct scope_ring *ring, const struct scope_dynamic *probe, struct pt_regs *regs, u8 flags,
		      u64 now)
{
	u32 args = probe->args;
	struct scope_record_probe *r;
	u64 *arg;

	/* 32-bit programs pass arguments elsewhere. */
	if (flags & SCOPE_PROBE_USER && scope_arch_word_bytes(regs) != 8 && !(flags & SCOPE_PROBE_RETURN))
		args = 0;
	r = scope_ring_reserve(ring, SCOPE_RECORD_PROBE, sizeof(*r) + args * 8, now);
	if (!r)
		return;
	arg = (u64 *)(r + 1);
	r->id = probe->id;
	r->flags = flags;
	r->args = args;
	if (!(flags & SCOPE_PROBE_RETURN))
		scope_arch_function_args(arg, regs, args);
	else if (args)
		arg[0] = regs_return_value(regs);
	scope_ring_commit(ring, sizeof(*r) + args * 8);
}

/* Adds the time that the kernel took to call the handler (trap_ns), for traced threads and others. */
static void hit(struct scope_dynamic *probe, struct pt_regs *regs, u8 flags, u32 trap_ns)
{
	struct scope_session *session = probe->session;
	struct scope_cpu *cpu;
	unsigned long irq;
	u64 now;

	scope_trap_charge(session, trap_ns);
	raw_local_irq_save(irq);
	cpu = this_cpu_ptr(session->cpu);
	if (!cpu->traced || !READ_ONCE(session->running))
		goto out;
	this_cpu_inc(*probe->hits);
	now = scope_clock_ns(&cpu->clock);
	put_probe(&cpu->ring, probe, regs, flags, now);
	if (probe->flags & SCOPE_PROBE_WITH_STACK && !(flags & SCOPE_PROBE_INTERRUPT))
		scope_stack_at_probe(session, cpu, flags & SCOPE_PROBE_USER ? regs : NULL, now);
	/* An interrupt may be in the middle of a call that measures itself. */
	if (!(flags & SCOPE_PROBE_INTERRUPT))
		scope_measure_end(cpu, now);
out:
	raw_local_irq_restore(irq);
}

static inline bool is_traced(const struct scope_dynamic *probe)
{
	return this_cpu_read(probe->session->cpu->traced);
}

static int kprobe_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	/*
	 * A kprobe that ftrace calls is no trap. The kernel may have replaced a breakpoint by a jump, but does not
	 * report it: then a non-maskable interrupt is taken for the thread.
	 */
	hit(container_of(kprobe, struct scope_dynamic, kprobe), regs,
	    scope_trap_in_interrupt(!kprobe_ftrace(kprobe)) ? SCOPE_PROBE_INTERRUPT : 0, scope_trap_kernel_ns(kprobe));
	return 0;
}
NOKPROBE_SYMBOL(kprobe_hit);

/* Not 0: the return is not probed, and uses none of the MAXACTIVE places. */
static int kretprobe_enter(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = get_kretprobe(instance);
	struct scope_dynamic *probe = container_of(kretprobe, struct scope_dynamic, kretprobe);

	scope_trap_charge(probe->session, scope_trap_kernel_ns(&kretprobe->kp));
	return !is_traced(probe);
}
NOKPROBE_SYMBOL(kretprobe_enter);

static int kretprobe_hit(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = get_kretprobe(instance);

	/* The probe was removed in the meantime. */
	if (kretprobe)
		hit(container_of(kretprobe, struct scope_dynamic, kretprobe), regs,
		    SCOPE_PROBE_RETURN | (scope_trap_in_interrupt(false) ? SCOPE_PROBE_INTERRUPT : 0),
		    scope_trap_cost.entry_ns);
	return 0;
}
NOKPROBE_SYMBOL(kretprobe_hit);

static int attach_kernel(struct scope_dynamic *probe)
{
	struct kprobe *kprobe = &probe->kprobe;

	if (probe->kind == SCOPE_PROBE_KRETPROBE) {
		probe->kretprobe.entry_handler = kretprobe_enter;
		probe->kretprobe.handler = kretprobe_hit;
		probe->kretprobe.maxactive = MAXACTIVE;
		kprobe = &probe->kretprobe.kp;
	} else {
		kprobe->pre_handler = kprobe_hit;
		scope_trap_keep(kprobe);
	}
	kprobe->symbol_name = probe->name;
	kprobe->offset = probe->offset;
	return probe->kind == SCOPE_PROBE_KRETPROBE ? scope_compat_register_kretprobe(&probe->kretprobe)
						    : scope_compat_register_kprobe(kprobe);
}

#define BATCH 32u

static void detach_kernel(struct scope_dynamic **probes, u32 count)
{
	struct kretprobe *kretprobes[BATCH];
	struct kprobe *kprobes[BATCH];
	u32 i, k = 0, kr = 0;

	for (i = 0; i < count; i++) {
		if (probes[i]->attached && probes[i]->kind == SCOPE_PROBE_KPROBE)
			kprobes[k++] = &probes[i]->kprobe;
		else if (probes[i]->attached && probes[i]->kind == SCOPE_PROBE_KRETPROBE)
			kretprobes[kr++] = &probes[i]->kretprobe;
	}
	unregister_kprobes(kprobes, k);
	unregister_kretprobes(kretprobes, kr);
}

u64 scope_probe_dynamic_missed(const struct scope_dynamic *probe)
{
	if (probe->kind == SCOPE_PROBE_KPROBE)
		return probe->kprobe.nmissed;
	if (probe->kind == SCOPE_PROBE_KRETPROBE)
		return probe->kretprobe.kp.nmissed + probe->kretprobe.nmissed;
	return 0;
}

static struct scope_dynamic *probe_of(struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct scope_dynamic, uprobe.consumer);
}

static int uprobe_hit(SCOPE_UPROBE_PROTO(consumer, regs))
{
	hit(probe_of(consumer), regs, SCOPE_PROBE_USER, scope_trap_user_ns());
	return 0;
}

static int uretprobe_hit(SCOPE_URETPROBE_PROTO(consumer, regs))
{
	/* A return also costs the breakpoint that the function returns to. */
	hit(probe_of(consumer), regs, SCOPE_PROBE_USER | SCOPE_PROBE_RETURN,
	    scope_trap_user_ns() + scope_trap_cost.breakpoint_ns);
	return 0;
}

bool scope_probe_dynamic_wants(struct scope_session *session, struct mm_struct *mm)
{
	struct task_struct *process, *thread;
	bool wanted = false;

	if (current->mm == mm)
		return scope_traced_has(session, current);
	rcu_read_lock();
	for_each_process(process) {
		/* The first thread may have ended, and have no memory any more. */
		for_each_thread(process, thread)
			if (READ_ONCE(thread->mm) == mm)
				wanted |= scope_traced_has(session, thread);
	}
	rcu_read_unlock();
	return wanted;
}

static bool uprobe_wanted(SCOPE_UPROBE_FILTER_PROTO(consumer, mm))
{
	return scope_probe_dynamic_wants(probe_of(consumer)->session, mm);
}

int scope_probe_dynamic_file(const char *name, u64 offset, struct path *ret_path, struct inode **ret_inode)
{
	struct inode *inode;
	struct path path;
	int err = kern_path(name, LOOKUP_FOLLOW, &path);

	if (err)
		return err;
	/* On an overlay this is the file below, which processes really map. */
	inode = d_real_inode(path.dentry);
	if (!S_ISREG(inode->i_mode))
		err = -EISDIR;
	else if (offset >= i_size_read(inode))
		err = -ERANGE;
	if (err) {
		path_put(&path);
		return err;
	}
	*ret_path = path;
	*ret_inode = inode;
	return 0;
}

static int attach_user(struct scope_dynamic *probe)
{
	struct uprobe_consumer *consumer = &probe->uprobe.consumer;
	struct inode *inode;
	int err = scope_probe_dynamic_file(probe->name, probe->offset, &probe->path, &inode);

	if (err)
		return err;
	consumer->filter = uprobe_wanted;
	if (probe->kind == SCOPE_PROBE_URETPROBE)
		consumer->ret_handler = uretprobe_hit;
	else
		consumer->handler = uprobe_hit;
	err = scope_compat_uprobe_register(&probe->uprobe, inode, probe->offset);
	if (err)
		path_put(&probe->path);
	return err;
}

static bool is_user(const struct scope_dynamic *probe)
{
	return probe->kind == SCOPE_PROBE_UPROBE || probe->kind == SCOPE_PROBE_URETPROBE;
}

static void detach_user(struct scope_dynamic **probes, u32 count)
{
	bool any = false;
	u32 i;

	for (i = 0; i < count; i++) {
		if (!probes[i]->attached || !is_user(probes[i]))
			continue;
		scope_compat_uprobe_unregister(&probes[i]->uprobe);
		any = true;
	}
	if (!any)
		return;
	scope_compat_uprobe_sync();
	for (i = 0; i < count; i++)
		if (probes[i]->attached && is_user(probes[i]))
			path_put(&probes[i]->path);
}

int scope_probe_dynamic_attach(struct scope_dynamic *probe)
{
	int err;

	scope_trap_measure();
	err = probe->kind == SCOPE_PROBE_KPROBE || probe->kind == SCOPE_PROBE_KRETPROBE ? attach_kernel(probe)
											: attach_user(probe);
	probe->attached = !err;
	return err;
}

/* At most 32 together. When it returns no handler of them runs, and none will. */
void scope_probe_dynamic_detach(struct scope_dynamic **probes, u32 count)
{
	u32 i;

	detach_kernel(probes, count);
	detach_user(probes, count);
	for (i = 0; i < count; i++)
		probes[i]->attached = false;
}
