// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures on this machine what a kprobe costs without its handler, by two empty kprobes of its own: one
 * that ftrace calls, and one that is a breakpoint. A trap takes from about 100 ns to several us in a virtual machine,
 * so a constant would be wrong.
 */
#include <linux/kconfig.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include "kprobe.h"
#include "trap_cost.h"

#define ROUNDS 64
#define GUESS_NS 1000 /* where it cannot be measured */

struct scope_trap_cost scope_trap_cost = { GUESS_NS, GUESS_NS, 0 };

/* The compiler puts a call for ftrace into the first function, and not into the second. */
static noinline void with_entry(void)
{
	asm volatile("nop");
}

static noinline notrace void without_entry(void)
{
	asm volatile("nop");
}

static int hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	return 0;
}
NOKPROBE_SYMBOL(hit);

/* The breakpoint is hit in a thread, so all interrupts that are counted belong to the trap. */
static int hit_by_trap(struct kprobe *kprobe, struct pt_regs *regs)
{
	u32 nmis = (preempt_count() & NMI_MASK) >> NMI_SHIFT, hard_irqs = hardirq_count() >> HARDIRQ_SHIFT;

	scope_trap_cost.hard_irqs = hard_irqs > nmis ? hard_irqs - nmis : 0;
	return 0;
}
NOKPROBE_SYMBOL(hit_by_trap);

/* With this handler the kernel does not replace the breakpoint by a jump. */
static void after(struct kprobe *kprobe, struct pt_regs *regs, unsigned long flags)
{
}
NOKPROBE_SYMBOL(after);

void scope_trap_keep(struct kprobe *kprobe)
{
	if (scope_trap_cost.hard_irqs)
		kprobe->post_handler = after;
}

/* The shortest round: others were interrupted. */
static u64 time_call(void (*function)(void))
{
	u64 least = U64_MAX, begin;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		begin = ktime_get_mono_fast_ns();
		function();
		least = min(least, ktime_get_mono_fast_ns() - begin);
	}
	return least;
}

static u32 measure(void (*function)(void), bool trap)
{
	struct kprobe kprobe = { .addr = (kprobe_opcode_t *)function,
				 .pre_handler = trap ? hit_by_trap : hit,
				 .post_handler = trap ? after : NULL };
	u64 plain = time_call(function), probed;

	if (scope_compat_register_kprobe(&kprobe))
		return GUESS_NS;
	probed = time_call(function);
	unregister_kprobe(&kprobe);
	return probed > plain ? min_t(u64, probed - plain, U32_MAX) : 1;
}

void scope_trap_measure(void)
{
	static DEFINE_MUTEX(lock);
	static bool measured;

	mutex_lock(&lock);
	if (!measured && IS_ENABLED(CONFIG_KPROBES)) {
		scope_trap_cost.entry_ns = measure(with_entry, false);
		scope_trap_cost.breakpoint_ns = measure(without_entry, true);
		pr_info("scope: a hit of a kprobe costs %u ns by ftrace, %u ns by a breakpoint, beside what "
			"is done then\n",
			scope_trap_cost.entry_ns, scope_trap_cost.breakpoint_ns);
	}
	measured = true;
	mutex_unlock(&lock);
}
