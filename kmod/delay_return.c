// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delays on the way to user mode. When its call returns a thread serves the delays for what it did, or that it owes.
 *
 * A probe on sys_exit cannot sleep. It puts an entry of the session's pool onto the list of work that the kernel does
 * for the thread just before user mode, which is a few instructions away.
 */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <asm/unistd.h>
#include <trace/events/syscalls.h>
#include "arch.h"
#include "delay_rule.h"
#include "kprobe.h"
#include "probe.h"
#include "return_work.h"
#include "tracepoint.h"
#include "trap_cost.h"

struct scope_delay_return {
	struct callback_head work;
	struct scope_delay_rule *rule;
};

/*
 * One word of a rule's debts: a thread, and how much it owes. Only the thread itself writes, increases and empties its
 * word. If other threads use all places that it may have, it overwrites one of theirs.
 *
 *    63               42    41    40                0
 *   +-------------------+--------+-------------------+
 *   | tid, 0: free      | capped |        ns         |
 *   +-------------------+--------+-------------------+
 */
#define DEBT_TID_SHIFT 42
#define DEBT_CAPPED (1ull << 41)
#define DEBT_NS_MASK (DEBT_CAPPED - 1)
#define DEBT_REACH 8u

static u64 *debt_at(const struct scope_delay_rule *rule, u32 tid, u32 i)
{
	return &rule->debt[(tid + i) & (SCOPE_DELAY_DEBTS - 1)];
}

static void add_debt(struct scope_delay_rule *rule, u32 tid, u64 ns, u64 capped)
{
	u64 *own = NULL, old;
	u32 i;

	for (i = 0; i < DEBT_REACH && !own; i++)
		if (READ_ONCE(*debt_at(rule, tid, i)) >> DEBT_TID_SHIFT == tid)
			own = debt_at(rule, tid, i);
	for (i = 0; i < DEBT_REACH && !own; i++)
		if (!READ_ONCE(*debt_at(rule, tid, i)))
			own = debt_at(rule, tid, i);
	if (!own)
		own = debt_at(rule, tid, 0);
	old = READ_ONCE(*own);
	if (old >> DEBT_TID_SHIFT == tid) {
		ns += old & DEBT_NS_MASK;
		capped |= old & DEBT_CAPPED;
	} else if (old) {
		atomic64_inc(&rule->missed);
	}
	ns = min_t(u64, ns, DEBT_NS_MASK);
	/* Another thread took the place just now. That is rare, so this visit is counted as missed. */
	if (cmpxchg(own, old, (u64)tid << DEBT_TID_SHIFT | capped | ns) != old)
		atomic64_inc(&rule->missed);
}

static u64 take_debt(struct scope_delay_rule *rule, u32 tid, u8 *flags)
{
	u64 word;
	u32 i;

	for (i = 0; i < DEBT_REACH; i++) {
		word = READ_ONCE(*debt_at(rule, tid, i));
		if (word >> DEBT_TID_SHIFT != tid || cmpxchg(debt_at(rule, tid, i), word, 0) != word)
			continue;
		if (word & DEBT_CAPPED)
			*flags |= SCOPE_DELAYED_CAPPED;
		return word & DEBT_NS_MASK;
	}
	return 0;
}

static bool owes(const struct scope_delay_rule *rule, u32 tid)
{
	u32 i;

	for (i = 0; i < DEBT_REACH; i++)
		if (READ_ONCE(*debt_at(rule, tid, i)) >> DEBT_TID_SHIFT == tid)
			return true;
	return false;
}

/* In the thread's own context, which may sleep. True if the call brought something from a socket. */
static bool is_receive(void)
{
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long argument[SCOPE_ARG_MAX];
	struct file *file;
	bool is_socket;

	syscall_get_arguments(current, regs, argument);
	file = fget(argument[0]);
	if (!file)
		return false;
	is_socket = S_ISSOCK(file_inode(file)->i_mode);
	fput(file);
	return is_socket;
}

static u64 get_asked(struct scope_delay_rule *rule, u8 *flags)
{
	u64 asked_ns;

	if (rule->site == SCOPE_DELAY_KERNEL || rule->site == SCOPE_DELAY_SPEEDUP) {
		asked_ns = rule->site == SCOPE_DELAY_KERNEL ? take_debt(rule, current->pid, flags)
							    : scope_delay_speedup_owed(rule);
		if (asked_ns > SCOPE_DELAY_NS_MAX)
			*flags |= SCOPE_DELAYED_CAPPED;
		return min_t(u64, asked_ns, SCOPE_DELAY_NS_MAX);
	}
	if (rule->site == SCOPE_DELAY_RECEIVE && !is_receive())
		return 0;
	return scope_delay_due(rule, flags);
}

static void on_return(struct callback_head *work)
{
	struct scope_delay_return *entry = container_of(work, struct scope_delay_return, work);
	struct scope_delay_rule *rule = entry->rule;
	struct scope_delays *delays = &rule->session->delays;
	u8 flags = SCOPE_DELAYED_AT_RETURN;
	u64 asked_ns, served_ns;

	/* The thread may take another entry for another rule while it sleeps for this one: give it back first. */
	smp_mb__before_atomic();
	clear_bit(entry - delays->returns, delays->returning);
	asked_ns = get_asked(rule, &flags);
	served_ns = scope_delay_serve(rule, asked_ns, flags);
	if (rule->site == SCOPE_DELAY_SPEEDUP)
		scope_delay_speedup_paid(rule, served_ns);
	atomic_dec(&rule->users);
}

/*
 * Makes the running thread call on_return() before it is in user mode. Returns false if no entry is free, which is
 * counted. It may be called in any context of the thread, also in interrupts of it, which look for an entry as well.
 */
bool scope_delay_ask_for_return(struct scope_delay_rule *rule)
{
	struct scope_delays *delays = &rule->session->delays;
	u32 first = current->pid & (SCOPE_DELAY_RETURNS - 1), i, place;

	for (i = 0; i < SCOPE_DELAY_RETURNS; i++) {
		place = (first + i) & (SCOPE_DELAY_RETURNS - 1);
		if (!test_bit(place, delays->returning) && !test_and_set_bit(place, delays->returning))
			break;
	}
	if (i == SCOPE_DELAY_RETURNS) {
		atomic64_inc(&rule->missed);
		return false;
	}
	delays->returns[place].rule = rule;
	atomic_inc(&rule->users);
	if (scope_compat_return_work(&delays->returns[place].work, on_return))
		return true;
	atomic_dec(&rule->users);
	clear_bit(place, delays->returning);
	atomic64_inc(&rule->missed);
	return false;
}

static bool may_receive(long nr)
{
	static const u16 calls[] = { __NR_read, __NR_readv, __NR_recvfrom, __NR_recvmsg, __NR_recvmmsg };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i] == nr)
			return true;
	return false;
}

static void probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct scope_delay_rule *rule = data;
	bool ours;
	long nr;

	if (!scope_delay_is_traced(rule))
		return;
	if (rule->site == SCOPE_DELAY_SPEEDUP) {
		scope_delay_speedup_returns(rule);
		return;
	}
	if (rule->site == SCOPE_DELAY_KERNEL) {
		ours = owes(rule, current->pid);
	} else {
		nr = syscall_get_nr(current, regs);
		ours = scope_arch_abi(&nr) == SCOPE_ABI_NATIVE &&
		       (rule->site == SCOPE_DELAY_SYSCALL ? nr == rule->nr : ret > 0 && may_receive(nr));
	}
	if (ours)
		scope_delay_ask_for_return(rule);
}

static void __maybe_unused check_type(void)
{
	check_trace_callback_type_sys_exit(probe_sys_exit);
}

static int kernel_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	struct scope_delay_rule *rule = container_of(kprobe, struct scope_delay_rule, kprobe);
	u8 flags = 0;
	u64 asked_ns;

	scope_trap_charge(rule->session, scope_trap_kernel_ns(kprobe));
	if (scope_trap_in_interrupt(!kprobe_ftrace(kprobe)))
		return 0;
	asked_ns = scope_delay_due(rule, &flags);
	if (!asked_ns)
		return 0;
	/* The thread will not return to user mode. */
	if (current->flags & PF_EXITING)
		atomic64_inc(&rule->missed);
	else
		add_debt(rule, current->pid, asked_ns, flags & SCOPE_DELAYED_CAPPED ? DEBT_CAPPED : 0);
	return 0;
}
NOKPROBE_SYMBOL(kernel_hit);

static int attach_kernel(struct scope_delay_rule *rule)
{
	if (!rule->debt)
		rule->debt = kvzalloc(SCOPE_DELAY_DEBTS * sizeof(*rule->debt), GFP_KERNEL);
	if (!rule->debt)
		return -ENOMEM;
	rule->kprobe.pre_handler = kernel_hit;
	scope_trap_keep(&rule->kprobe);
	rule->kprobe.symbol_name = rule->name;
	rule->kprobe.offset = rule->offset;
	return scope_compat_register_kprobe(&rule->kprobe);
}

static void detach_kernel(struct scope_delay_rule *rule)
{
	unregister_kprobe(&rule->kprobe);
}

static void detach_rest(struct scope_delay_rule *rule)
{
	if (rule->site == SCOPE_DELAY_KERNEL)
		detach_kernel(rule);
	else if (rule->site == SCOPE_DELAY_SPEEDUP)
		scope_delay_speedup_detach(rule);
}

int scope_delay_return_attach(struct scope_delay_rule *rule)
{
	struct scope_delays *delays = &rule->session->delays;
	int err;

	if (!SCOPE_RETURN_WORK_KNOWN)
		return -EOPNOTSUPP;
	if (!delays->returns)
		delays->returns = kvzalloc(SCOPE_DELAY_RETURNS * sizeof(*delays->returns), GFP_KERNEL);
	if (!delays->returns)
		return -ENOMEM;
	if (rule->site == SCOPE_DELAY_KERNEL)
		err = attach_kernel(rule);
	else
		err = rule->site == SCOPE_DELAY_SPEEDUP ? scope_delay_speedup_attach(rule) : 0;
	if (err)
		return err;
	err = tracepoint_probe_register(scope_probe_tracepoint("sys_exit"), probe_sys_exit, rule);
	if (err)
		detach_rest(rule);
	return err;
}

void scope_delay_return_detach(struct scope_delay_rule *rule)
{
	detach_rest(rule);
	tracepoint_probe_unregister(scope_probe_tracepoint("sys_exit"), probe_sys_exit, rule);
	tracepoint_synchronize_unregister();
}
