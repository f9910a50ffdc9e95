// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delays on the entry of a system call: a kprobe sends the thread through a function that may sleep.
 *
 *   kernel ──► the call's function ──kprobe──► detour(): sleeps ──jump──► the call's function
 *                                    ◄─────────────── passes: it brings `pass` ──┘
 *
 * All these functions take one argument, the thread's registers. What the handler has to tell
 * detour() goes where the next arguments would be; detour() puts `pass`, an address that nobody else
 * has, there to be let through. It ends in a jump, so that nothing of this module is left on the
 * stack while the call blocks; whether the compiler made it one is found out by trying.
 */
#include <asm/syscall.h>
#include "arch.h"
#include "delay_rule.h"
#include "probe_dynamic.h"

#if defined(CONFIG_KPROBES) && defined(CONFIG_ARCH_HAS_SYSCALL_WRAPPER) &&                         \
	!defined(SCOPE_HAVE_KPROBE_BREAK_HANDLER) && !defined(CONFIG_CFI_CLANG) &&                 \
	!defined(CONFIG_CFI)

typedef long (*call_function)(const struct pt_regs *regs, const void *pass);

static const char pass;

static noinline long detour(const struct pt_regs *regs, struct scope_delay_rule *rule, u64 asked_ns,
			    u64 flags)
{
	const call_function call = (call_function)rule->entry;

	scope_delay_serve(rule, asked_ns, flags);
	atomic_dec(&rule->users);
	return call(regs, &pass);
}

/* From where it was called. */
static noinline long get_caller(const struct pt_regs *regs, const void *unused)
{
	return (long)__builtin_return_address(0);
}

/* Called from two places it is by two callers, if detour() jumps there; else by detour() itself. */
static bool detour_jumps(struct scope_delay_rule *rule)
{
	long (*volatile through)(const struct pt_regs *regs, struct scope_delay_rule *rule,
				 u64 asked_ns, u64 flags) = detour;
	long first, second;

	rule->entry = (unsigned long)get_caller;
	atomic_add(2, &rule->users);
	first = through(NULL, rule, 0, 0);
	second = through(NULL, rule, 0, 0);
	rule->entry = 0;
	return first != second;
}

/* Is this the running thread on its way into the call of the rule? */
static bool is_entering(const struct scope_delay_rule *rule, unsigned long argument)
{
	struct pt_regs *user = task_pt_regs(current);
	long nr;

	if (argument != (unsigned long)user || current->flags & PF_KTHREAD)
		return false;
	nr = syscall_get_nr(current, user);
	return scope_arch_abi(&nr) == SCOPE_ABI_NATIVE && nr == rule->nr;
}

static int hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	struct scope_delay_rule *rule = container_of(kprobe, struct scope_delay_rule, kprobe);
	u64 argument[2], asked_ns;
	u8 flags = 0;

	scope_arch_function_args(argument, regs, 2);
	if (argument[1] == (unsigned long)&pass || !scope_delay_is_traced(rule))
		return 0;
	if (!is_entering(rule, argument[0]) || !READ_ONCE(rule->entry)) {
		atomic64_inc(&rule->missed);
		return 0;
	}
	asked_ns = scope_delay_due(rule, &flags);
	if (!asked_ns)
		return 0;
	atomic_inc(&rule->users);
	scope_arch_divert(regs, (unsigned long)detour, (unsigned long)rule, asked_ns, flags);
	return 1;
}
NOKPROBE_SYMBOL(hit);

/* The kernel lets only kprobes with such a handler change where the thread goes on. */
static void after(struct kprobe *kprobe, struct pt_regs *regs, unsigned long flags)
{
}
NOKPROBE_SYMBOL(after);

int scope_delay_entry_attach(struct scope_delay_rule *rule)
{
	unsigned long begin;
	int err;

	if (!detour_jumps(rule))
		return -EOPNOTSUPP;
	rule->kprobe.symbol_name = rule->name;
	rule->kprobe.pre_handler = hit;
	rule->kprobe.post_handler = after;
	err = register_kprobe(&rule->kprobe);
	if (err)
		return err;
	begin = scope_arch_function_begin((unsigned long)rule->kprobe.addr);
	if (!begin) {
		unregister_kprobe(&rule->kprobe);
		return -EOPNOTSUPP;
	}
	WRITE_ONCE(rule->entry, begin);
	return 0;
}

void scope_delay_entry_detach(struct scope_delay_rule *rule)
{
	unregister_kprobe(&rule->kprobe);
}

#else /* calls are not wrapped, kprobes cannot divert, or jumps to them are checked by their type */

int scope_delay_entry_attach(struct scope_delay_rule *rule)
{
	return -EOPNOTSUPP;
}

void scope_delay_entry_detach(struct scope_delay_rule *rule)
{
}

#endif
