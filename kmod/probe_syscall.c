// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls: an enter waits in its CPU's pending slot until the exit makes one record of both.
 *
 * If the thread leaves the CPU first, or a flush comes by, the pending call is written as ENTER and
 * the exit becomes a record of its own, maybe on another CPU.
 */
#include <linux/timekeeping.h>
#include <trace/events/syscalls.h>
#include "arch.h"
#include "probe.h"
#include "record.h"
#include "stack.h"

/* Interrupts off. The thread is the one the ring has as current. */
void scope_syscall_put_pending(struct scope_session *session, struct scope_cpu *cpu, u64 now)
{
	cpu->pending = 0;
	scope_record_put_enter(&cpu->ring, now, cpu->nr, cpu->abi_args, cpu->enter_ns, cpu->arg);
	if (session->config.stack_mode)
		scope_stack_note_enter(session, cpu->ring.tid, cpu->enter_ns);
}

/* The last call neither returned nor left the CPU, as far as the tracepoints tell. */
static noinline void put_unreturned(struct scope_session *session, struct scope_cpu *cpu)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	if (cpu->pending)
		scope_syscall_put_pending(session, cpu, ktime_get_mono_fast_ns());
	raw_local_irq_restore(flags);
}

static void probe_sys_enter(void *data, struct pt_regs *regs, long id)
{
	struct scope_session *session = data;
	struct scope_cpu *cpu;
	u32 args = 0;
	u8 abi;

	/* One instruction, so right on whichever CPU it runs: the current task is the same. */
	if (!this_cpu_read(session->cpu->traced))
		return;
	preempt_disable_notrace();
	cpu = this_cpu_ptr(session->cpu);
	if (unlikely(cpu->pending))
		put_unreturned(session, cpu);
	abi = scope_arch_abi(&id);
	/* ARG_COUNTS speaks of native numbers alone. */
	if (likely((unsigned long)id < SCOPE_SYSCALL_MAX && abi == SCOPE_ABI_NATIVE))
		args = session->config.arg_counts[id];
	if (args)
		syscall_get_arguments(current, regs, (unsigned long *)cpu->arg);
	cpu->nr = scope_record_nr(id);
	cpu->abi_args = scope_abi_args(abi, args);
	cpu->enter_ns = ktime_get_mono_fast_ns();
	/* An interrupt, and with it a flush, finds the slot complete or not at all. */
	barrier();
	cpu->pending = 1;
	preempt_enable_notrace();
}

/* Interrupts off. A return whose enter stands in another record, or in none. */
static noinline void exit_alone(struct scope_session *session, struct scope_cpu *cpu,
				struct pt_regs *regs, long ret, u64 now)
{
	long id = syscall_get_nr(current, regs);
	u8 abi = scope_arch_abi(&id);
	u64 duration_ns;

	scope_record_put_exit(&cpu->ring, now, scope_record_nr(id), abi, ret);
	if (!session->config.stack_mode)
		return;
	duration_ns = scope_stack_blocked_ns(session, current->pid, now);
	scope_stack_after_syscall(session, cpu, regs, scope_record_nr(id), abi, duration_ns, now);
}

/* Interrupts off. It lasted 4.3 s and more without leaving the CPU: too long for one record. */
static noinline void exit_long(struct scope_cpu *cpu, struct scope_session *session, long ret,
			       u64 now)
{
	scope_syscall_put_pending(session, cpu, now);
	scope_record_put_exit(&cpu->ring, now, cpu->nr, cpu->abi_args & 0xf, ret);
}

/* Interrupts off. */
static __always_inline void exit_merged(struct scope_session *session, struct scope_cpu *cpu,
					struct pt_regs *regs, long ret, u64 now)
{
	u64 duration_ns = now - cpu->enter_ns;

	if (unlikely((s64)duration_ns < 0))
		duration_ns = 0;
	if (unlikely(duration_ns > U32_MAX)) {
		exit_long(cpu, session, ret, now);
	} else {
		cpu->pending = 0;
		scope_record_put_syscall(&cpu->ring, now, cpu->nr, cpu->abi_args, duration_ns, ret,
					 cpu->arg);
	}
	if (unlikely(duration_ns >= session->config.stack_min_ns && session->config.stack_mode))
		scope_stack_after_syscall(session, cpu, regs, cpu->nr, cpu->abi_args & 0xf,
					  duration_ns, now);
}

static void probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct scope_session *session = data;
	struct scope_cpu *cpu;
	u64 now;

	if (!this_cpu_read(session->cpu->traced))
		return;
	/* A task on its way out of a call has interrupts on: nothing to save. */
	raw_local_irq_disable();
	cpu = this_cpu_ptr(session->cpu);
	now = ktime_get_mono_fast_ns();
	if (likely(cpu->pending))
		exit_merged(session, cpu, regs, ret, now);
	else
		exit_alone(session, cpu, regs, ret, now);
	raw_local_irq_enable();
}

void *const scope_syscall_enter_probe = probe_sys_enter;
void *const scope_syscall_exit_probe = probe_sys_exit;

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sys_enter(probe_sys_enter);
	check_trace_callback_type_sys_exit(probe_sys_exit);
}
