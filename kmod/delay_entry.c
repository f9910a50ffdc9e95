// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delays on the entry of a system call: a thread is redirected to a function that may sleep.
 *
 *   kernel ──► the call's function ── hit ──► stub ──► scope_delay_detour(): sleeps
 *                    └── continues ◄──────────┘
 *
 * Others may watch the same function (probes of this module, of tracefs, perf, bpftrace). They are set and removed
 * in any order, and have to see each call once. So there is one place for a call, whatever number of
 * sessions has rules on it, and the thread continues after it. There are two ways:
 *
 * - By ftrace, if kprobes at the entry of functions use ftrace as well. An ftrace function that
 *   redirects a thread declares it (FTRACE_OPS_FL_IPMODIFY), as live patches do. The kernel
 *   allows one such function at a time, and calls all others once, on entry. The thread continues
 *   after the instruction that called ftrace. A kprobe cannot be used. If one kprobe redirects the
 *   thread and another one does not, the kernel merges them into a kind that depends on their order, and
 *   cannot remove it again.
 * - By a breakpoint, if there is no ftrace. The thread executes it again, and other probes on it
 *   would be hit twice. So a place that has a probe is refused (EBUSY). While others are added later, no
 *   thread is delayed there; these visits count as missed.
 *
 * All these functions take one argument, the thread's registers.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <asm/syscall.h>
#include "arch.h"
#include "delay_rule.h"
#include "detour.h"
#include "ftrace.h"
#include "kprobe.h"
#include "trap_cost.h"

#define PLACE_RULES 16 /* of all sessions on one call */

struct place {
	u16 nr;
	char *name;	      /* of the kernel's function */
	unsigned long resume; /* where a thread goes on */
	atomic_t users;	      /* threads on the detour */
	struct scope_delay_rule __rcu *rule[PLACE_RULES];
	bool by_ftrace;
	struct kprobe kprobe;
	struct scope_compat_ftrace ftrace;
};

/* By the call's number. A thread on the detour reads its own place without the lock: the place stays until then. */
static struct place *places[SCOPE_SYSCALL_MAX];
static DEFINE_MUTEX(places_lock);

unsigned long scope_delay_detour(void)
{
	struct place *place = READ_ONCE(places[syscall_get_nr(current, task_pt_regs(current))]);
	const unsigned long resume = place->resume;
	struct scope_delay_rule *rule;
	int i;

	for (i = 0; i < PLACE_RULES; i++) {
		u64 asked_ns;
		u8 flags = 0;

		rcu_read_lock();
		rule = rcu_dereference(place->rule[i]);
		if (rule)
			atomic_inc(&rule->users);
		rcu_read_unlock();
		if (!rule)
			continue;
		asked_ns = scope_delay_due(rule, &flags);
		scope_delay_serve(rule, asked_ns, flags);
		atomic_dec(&rule->users);
	}
	smp_mb__before_atomic(); /* all of the place was read, so it may be freed */
	atomic_dec(&place->users);
	return resume;
}

/* True if this is the running thread on its way into the call. */
static bool is_entering(const struct place *place, unsigned long argument)
{
	struct pt_regs *user = task_pt_regs(current);
	long nr;

	if (argument != (unsigned long)user || current->flags & PF_KTHREAD)
		return false;
	nr = syscall_get_nr(current, user);
	return scope_arch_abi(&nr) == SCOPE_ABI_NATIVE && nr == place->nr;
}

/*
 * Sends the running thread to the stub, if a rule asks for that. may: it is possible here. Preemption is off, and the
 * code that removes a place waits first for the end of such sections, then for its users.
 */
static bool divert(struct place *place, struct pt_regs *regs, bool may)
{
	struct scope_delay_rule *rule;
	bool wanted = false;
	u64 argument;
	int i;

	scope_arch_function_args(&argument, regs, 1);
	rcu_read_lock();
	for (i = 0; i < PLACE_RULES; i++) {
		rule = rcu_dereference(place->rule[i]);
		if (!rule)
			continue;
		scope_trap_charge(rule->session,
				  place->by_ftrace ? scope_trap_cost.entry_ns : scope_trap_cost.breakpoint_ns);
		if (!scope_delay_is_traced(rule))
			continue;
		if (may && is_entering(place, argument))
			wanted = true;
		else
			atomic64_inc(&rule->missed);
	}
	rcu_read_unlock();
	if (!wanted)
		return false;
	atomic_inc(&place->users);
	instruction_pointer_set(regs, (unsigned long)scope_delay_stub);
	return true;
}
NOKPROBE_SYMBOL(divert);

/* True if other probes are at this breakpoint. The list has all of them, and their common head. */
static bool is_shared(const struct kprobe *kprobe)
{
	return !list_empty(&kprobe->list) && !list_is_singular(&kprobe->list);
}

static int on_kprobe(struct kprobe *kprobe, struct pt_regs *regs)
{
	struct place *place = container_of(kprobe, struct place, kprobe);
	u64 argument[2];

	scope_arch_function_args(argument, regs, 2);
	if (argument[1] == (unsigned long)scope_delay_stub)
		return 0;
	return divert(place, regs, !is_shared(kprobe));
}
NOKPROBE_SYMBOL(on_kprobe);

/* The kernel lets a kprobe change where the thread continues only if the kprobe has such a handler. */
static void after(struct kprobe *kprobe, struct pt_regs *regs, unsigned long flags)
{
}
NOKPROBE_SYMBOL(after);

static int attach_kprobe(struct place *place)
{
	int err;

	memset(&place->kprobe, 0, sizeof(place->kprobe));
	place->kprobe.symbol_name = place->name;
	place->kprobe.pre_handler = on_kprobe;
	place->kprobe.post_handler = after;
	err = scope_compat_register_kprobe(&place->kprobe);
	if (err)
		return err;
	if (is_shared(&place->kprobe)) {
		unregister_kprobe(&place->kprobe);
		return -EBUSY;
	}
	return 0;
}

static void notrace on_entry(SCOPE_FTRACE_PROTO(ops, fregs))
{
	struct pt_regs *regs = scope_compat_ftrace_regs(fregs);

	if (regs)
		divert(container_of(ops, struct place, ftrace.ops), regs, true);
}

static int attach_ftrace(struct place *place)
{
	return scope_compat_ftrace_attach(&place->ftrace, on_entry, place->resume - SCOPE_FTRACE_CALL_BYTES);
}

/* Finds where the function begins, by a kprobe that is never armed, and if ftrace is called there. */
static int look_up(struct place *place)
{
	int err;

	place->kprobe.symbol_name = place->name;
	place->kprobe.flags = KPROBE_FLAG_DISABLED;
	err = register_kprobe(&place->kprobe);
	if (err)
		return err;
	place->by_ftrace = kprobe_ftrace(&place->kprobe);
	place->resume = (unsigned long)place->kprobe.addr + (place->by_ftrace ? SCOPE_FTRACE_CALL_BYTES : 0);
	unregister_kprobe(&place->kprobe);
	return 0;
}

static void place_free(struct place *place)
{
	if (!place)
		return;
	kfree(place->name);
	kfree(place);
}

/* Not in the code yet. */
static struct place *place_create(const struct scope_delay_rule *rule)
{
	struct place *place = kzalloc(sizeof(*place), GFP_KERNEL);

	if (!place)
		return NULL;
	place->nr = rule->nr;
	place->name = kstrdup(rule->name, GFP_KERNEL);
	if (place->name)
		return place;
	place_free(place);
	return NULL;
}

/*
 * Call it after the place is out of the code. Rules were marked as gone before, so no thread is on the detour for
 * long.
 */
static void place_end(struct place *place)
{
	while (atomic_read(&place->users))
		msleep(1);
	WRITE_ONCE(places[place->nr], NULL);
	place_free(place);
}

static int place_make(struct scope_delay_rule *rule)
{
	struct place *place = place_create(rule);
	int err;

	if (!place)
		return -ENOMEM;
	RCU_INIT_POINTER(place->rule[0], rule);
	WRITE_ONCE(places[place->nr], place);
	err = look_up(place);
	if (!err)
		err = place->by_ftrace ? attach_ftrace(place) : attach_kprobe(place);
	if (err)
		place_end(place);
	return err;
}

static int place_join(struct place *place, struct scope_delay_rule *rule)
{
	int i;

	if (strcmp(place->name, rule->name))
		return -EADDRINUSE;
	for (i = 0; i < PLACE_RULES; i++) {
		if (rcu_access_pointer(place->rule[i]))
			continue;
		rcu_assign_pointer(place->rule[i], rule);
		return 0;
	}
	return -EUSERS;
}

static bool is_empty(const struct place *place)
{
	int i;

	for (i = 0; i < PLACE_RULES; i++)
		if (rcu_access_pointer(place->rule[i]))
			return false;
	return true;
}

static void detach(struct place *place)
{
	if (place->by_ftrace)
		scope_compat_ftrace_detach(&place->ftrace);
	else
		unregister_kprobe(&place->kprobe);
}

int scope_delay_entry_attach(struct scope_delay_rule *rule)
{
	int err;

	if (!SCOPE_DETOUR_KNOWN)
		return -EOPNOTSUPP;
	mutex_lock(&places_lock);
	err = places[rule->nr] ? place_join(places[rule->nr], rule) : place_make(rule);
	mutex_unlock(&places_lock);
	return err;
}

void scope_delay_entry_detach(struct scope_delay_rule *rule)
{
	struct place *place;
	int i;

	mutex_lock(&places_lock);
	place = places[rule->nr];
	for (i = 0; i < PLACE_RULES; i++)
		if (rcu_access_pointer(place->rule[i]) == rule)
			RCU_INIT_POINTER(place->rule[i], NULL);
	synchronize_rcu();
	if (is_empty(place)) {
		detach(place);
		place_end(place);
	}
	mutex_unlock(&places_lock);
}
