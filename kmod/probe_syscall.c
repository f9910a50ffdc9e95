// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls: an enter waits in its CPU's pending slot until the exit makes one record of both.
 *
 * If the thread leaves the CPU first, or a flush interrupts, the pending call is written as ENTER and the exit
 * becomes a record of its own, maybe on another CPU.
 *
 * The hot functions here and in probe_sched.c are notrace: otherwise each call would cost an instruction for the
 * function tracer, and a user who traces all functions would see those of Scope for each event.
 */
#include <linux/irqflags.h>
#include <trace/events/syscalls.h>
#include "arch.h"
#include "measure.h"
#include "peer.h"
#include "probe_syscall.h"
#include "received.h"
#include "record.h"
#include "stack.h"
#include "tracepoint.h"

#define COMPAT_ARGS 2 /* of every call of a 32-bit program: a descriptor, the operation of a futex */

/* ARG_COUNTS and SYSCALLS have native numbers alone. */
static inline u8 args_of(const struct scope_session *session, long id, u8 abi)
{
	if ((unsigned long)id < SCOPE_SYSCALL_MAX && abi == SCOPE_ABI_NATIVE)
		return session->config.arg_counts[id];
	if (abi == SCOPE_ABI_32 && !session->config.other_calls)
		return COMPAT_ARGS;
	return session->config.other_calls;
}

/* Interrupts off. When the pending call began, if the clock got a new anchor since, or the counter cannot be used. */
static noinline notrace void note_time_slow(struct scope_cpu *cpu, u64 now)
{
	u64 passed_ns = scope_clock_passed_ns(&cpu->clock, get_cycles() - cpu->enter_counts);

	if (!cpu->clock.window)
		cpu->pending |= SCOPE_CALL_UNTIMED;
	cpu->enter_ns = passed_ns < now ? now - passed_ns : 0;
}

/*
 * Interrupts off, a call pending. Completes what its enter left out, from the registers with which the thread entered
 * the kernel. regs NULL: they are of another call by now. Returns false if the session leaves the call out; then it
 * is no longer pending.
 */
static bool note_rest(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs, u64 now)
{
	u16 nr = cpu->call.nr;
	u8 args;

	if (cpu->pending & SCOPE_CALL_NOTED)
		return true;
	args = args_of(session, nr, SCOPE_ABI_NATIVE);
	if (args & SCOPE_CALL_SKIP) {
		cpu->pending &= ~SCOPE_CALL_SLOT;
		return false;
	}
	if (!scope_clock_at(&cpu->clock, cpu->enter_counts, &cpu->enter_ns))
		note_time_slow(cpu, now);
	cpu->call = scope_call_of(nr, SCOPE_ABI_NATIVE, regs ? args : 0);
	if (scope_call_arg_bytes(cpu->call) > sizeof(u64))
		syscall_get_arguments(current, regs, (unsigned long *)cpu->arg);
	else if (regs)
		cpu->arg[0] = scope_arch_first_arg(regs);
	return true;
}

/* Interrupts off, and the pending call is complete. */
static void put_enter(struct scope_session *session, struct scope_cpu *cpu, u64 now)
{
	cpu->pending &= ~SCOPE_CALL_SLOT;
	scope_record_put_enter(&cpu->ring, now, cpu->call, cpu->enter_ns, cpu->arg);
	if (session->config.stack_mode)
		scope_stack_note_enter(session, cpu->ring.tid, cpu->enter_ns);
}

bool scope_syscall_put_pending(struct scope_session *session, struct scope_cpu *cpu, u64 now)
{
	bool wanted = note_rest(session, cpu, task_pt_regs(current), now);

	if (wanted)
		put_enter(session, cpu, now);
	return wanted;
}

/* For any call, at any time. Afterwards the thread may move to another CPU. */
static noinline notrace void enter_slow(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs,
					long id)
{
	u8 abi = scope_arch_abi(&id), args = args_of(session, id, abi), noted = 0;
	unsigned long flags;
	u64 now;

	raw_local_irq_save(flags);
	now = scope_clock_ns(&cpu->clock);
	/* The last call neither returned nor left the CPU, as far as the tracepoints report. */
	if ((cpu->pending & SCOPE_CALL_PENDING) && note_rest(session, cpu, NULL, now))
		put_enter(session, cpu, now);
	cpu->pending &= ~SCOPE_CALL_UNTIMED;
	if (!cpu->clock.window)
		cpu->pending |= SCOPE_CALL_UNTIMED;
	if (!(args & SCOPE_CALL_SKIP)) {
		cpu->call = scope_call_of(scope_record_nr(id), abi, args);
		cpu->enter_ns = now;
		syscall_get_arguments(current, regs, (unsigned long *)cpu->arg);
		noted = SCOPE_CALL_SLOT;
	}
	cpu->pending |= noted;
	scope_measure_end(cpu, now);
	raw_local_irq_restore(flags);
	scope_compat_leave_cpu();
}

/*
 * This does as little as possible: the rest is looked up when the call returns, or blocks. An interrupt, and with it
 * a flush, finds the call complete or not at all.
 */
static notrace void probe_sys_enter(void *data, struct pt_regs *regs, long id)
{
	struct scope_cpu __percpu *cpus = (__force struct scope_cpu __percpu *)(unsigned long)data;
	struct scope_cpu *cpu;

	/* It is one instruction, so it is right on any CPU: the current task is the same. */
	if (!this_cpu_read(cpus->traced))
		return;
	scope_compat_stay_on_cpu();
	cpu = this_cpu_ptr(cpus);
	if (unlikely(cpu->pending || (unsigned long)id >= SCOPE_SYSCALL_MAX ||
		     scope_arch_abi(&id) != SCOPE_ABI_NATIVE)) {
		enter_slow(cpu->session, cpu, regs, id);
		return;
	}
	*(u32 *)&cpu->call = id;
	cpu->enter_counts = get_cycles();
	barrier();
	cpu->pending = SCOPE_CALL_PENDING;
	scope_compat_leave_cpu();
}

/* Interrupts off, the records of the call are written. */
static void put_more(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs, struct scope_call call,
		     long ret, u64 now)
{
	const u8 args = args_of(session, call.nr, call.abi_args & 0xf);

	if (args & SCOPE_CALL_RECEIVES)
		scope_received_put(&cpu->ring, regs, call.nr, ret, now);
	else if (args & SCOPE_CALL_CONNECTS)
		scope_peer_put(&cpu->ring, regs, call.nr, ret, now);
}

/* Interrupts off. A return whose enter is in another record, or in none. */
static __always_inline void exit_alone(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs,
				       long ret, u64 now)
{
	long id = syscall_get_nr(current, regs);
	u8 abi = scope_arch_abi(&id);
	u16 nr = scope_record_nr(id);
	u64 duration_ns;

	/* An interrupt changed the filter before, or the session leaves such calls out. */
	if (!cpu->traced || args_of(session, id, abi) & SCOPE_CALL_SKIP)
		return;
	scope_record_put_exit(&cpu->ring, now, scope_call_of(nr, abi, 0), ret);
	if (session->config.stack_mode) {
		duration_ns = scope_stack_blocked_ns(session, current->pid, now);
		scope_stack_after_syscall(session, cpu, regs, nr, abi, duration_ns, now);
	}
	put_more(session, cpu, regs, scope_call_of(nr, abi, 0), ret, now);
}

/* Interrupts off. */
static noinline notrace void exit_merged(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs,
					 long ret, u64 now)
{
	struct scope_call call;
	u64 duration_ns;

	if (!note_rest(session, cpu, regs, now))
		return;
	call = cpu->call;
	duration_ns = now > cpu->enter_ns ? now - cpu->enter_ns : 0;
	if (duration_ns > U32_MAX) {
		/* 4.3 s and more without leaving the CPU: too long for one record. */
		put_enter(session, cpu, now);
		scope_record_put_exit(&cpu->ring, now, call, ret);
	} else {
		cpu->pending &= ~SCOPE_CALL_SLOT;
		scope_record_put_syscall(&cpu->ring, now, call, duration_ns, ret, cpu->arg);
	}
	if (session->config.stack_mode)
		scope_stack_after_syscall(session, cpu, regs, call.nr, call.abi_args & 0xf, duration_ns, now);
	put_more(session, cpu, regs, call, ret, now);
}

/*
 * A few counts less than plain_ns, because the rate may change a little. The slow path decides about calls that are
 * as long as that.
 */
static u64 plain_counts(const struct scope_session *session, const struct scope_cpu *cpu)
{
	u64 ns = READ_ONCE(session->plain_ns);

	return scope_clock_counts(&cpu->clock, ns - ns / 64);
}

/* For any return, at any time. Turns interrupts on again. */
static noinline notrace void exit_slow(struct scope_cpu *cpu, struct pt_regs *regs, long ret)
{
	struct scope_session *session = cpu->session;
	u64 now = scope_clock_ns(&cpu->clock);

	if (cpu->pending & SCOPE_CALL_PENDING)
		exit_merged(session, cpu, regs, ret, now);
	else
		exit_alone(session, cpu, regs, ret, now);
	if (!cpu->plain_counts)
		cpu->plain_counts = plain_counts(session, cpu);
	scope_measure_end(cpu, now);
	raw_local_irq_enable();
}

static __always_inline struct scope_call call_of_plan(const struct scope_call_plan *plan)
{
	return *(struct scope_call *)&plan->call;
}

/*
 * Interrupts off; turns them on. Returns false, and does nothing, if the return needs more than one plain record, or
 * if that has several arguments and the caller did not say so. It has no branches, and uses few registers.
 */
static __always_inline bool exit_quick(struct scope_cpu *cpu, struct pt_regs *regs, long ret, bool several)
{
	u64 counts = get_cycles(), passed = counts - cpu->enter_counts, now;
	const struct scope_call_plan *plan;
	struct scope_record_syscall *record;
	size_t bytes;
	void *place;

	plan = &cpu->session->plan[cpu->call.nr];
	/* It is loaded once, not at each use: no registers are left for that. */
	OPTIMIZER_HIDE_VAR(plan);
	bytes = several ? sizeof(*record) + scope_call_arg_bytes(call_of_plan(plan)) : READ_ONCE(plan->bytes);
	if (unlikely(passed >= cpu->plain_counts || !scope_clock_at(&cpu->clock, counts, &now)) ||
	    !scope_ring_reserve_quick(&cpu->ring, SCOPE_RECORD_SYSCALL, bytes, !several, now, &place))
		return false;
	record = place;
	cpu->pending = 0;
	passed = passed * cpu->clock.rate >> 32;
	scope_record_fill_syscall(record, call_of_plan(plan), passed, ret);
	if (several) {
		syscall_get_arguments(current, regs, (unsigned long *)cpu->arg);
		scope_record_copy_args((u64 *)(record + 1), cpu->arg, call_of_plan(plan));
	} else {
		/* It is usually requested. If not, the next record overwrites it. */
		*(u64 *)(record + 1) = scope_arch_first_arg(regs);
	}
	scope_ring_commit_to(&cpu->ring, place + bytes);
	raw_local_irq_enable();
	return true;
}

/* Interrupts off; turns them on. A pending call that needs more than a record with one argument. */
static noinline notrace void exit_other(struct scope_cpu *cpu, struct pt_regs *regs, long ret)
{
	if (cpu->session->config.arg_counts[cpu->call.nr] & (SCOPE_CALL_SKIP | SCOPE_CALL_MORE) ||
	    !exit_quick(cpu, regs, ret, true))
		exit_slow(cpu, regs, ret);
}

/*
 * Interrupts off; turns them on. Calls that block are the most frequent ones whose enter is in a record already.
 * Usually they need only the plain record.
 */
static noinline notrace void exit_blocked(struct scope_cpu *cpu, struct pt_regs *regs, long ret)
{
	const struct scope_session *session = cpu->session;
	long id = syscall_get_nr(current, regs);
	void *record;
	u64 now;

	if (unlikely(cpu->pending || !cpu->traced || (unsigned long)id >= SCOPE_SYSCALL_MAX ||
		     scope_arch_abi(&id) != SCOPE_ABI_NATIVE ||
		     session->config.arg_counts[id] & (SCOPE_CALL_SKIP | SCOPE_CALL_STACK | SCOPE_CALL_MORE)) ||
	    unlikely(!scope_clock_quick(&cpu->clock, &now)) ||
	    unlikely(!scope_ring_reserve_quick(&cpu->ring, SCOPE_RECORD_EXIT, sizeof(struct scope_record_exit), false,
					       now, &record))) {
		exit_slow(cpu, regs, ret);
		return;
	}
	scope_record_fill_exit(record, scope_call_of(id, SCOPE_ABI_NATIVE, 0), ret);
	scope_ring_commit(&cpu->ring, sizeof(struct scope_record_exit));
	raw_local_irq_enable();
}

static notrace void probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct scope_cpu __percpu *cpus = (__force struct scope_cpu __percpu *)(unsigned long)data;
	struct scope_cpu *cpu;

	if (!this_cpu_read(cpus->traced))
		return;
	/* In a task that is on its way out of a call interrupts are on, so nothing has to be saved. */
	raw_local_irq_disable();
	cpu = this_cpu_ptr(cpus);
	if (unlikely(cpu->pending != SCOPE_CALL_PENDING)) {
		exit_blocked(cpu, regs, ret);
		return;
	}
	if (unlikely(!exit_quick(cpu, regs, ret, false)))
		exit_other(cpu, regs, ret);
}

void *const scope_syscall_enter_probe = probe_sys_enter;
void *const scope_syscall_exit_probe = probe_sys_exit;

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sys_enter(probe_sys_enter);
	check_trace_callback_type_sys_exit(probe_sys_exit);
}
