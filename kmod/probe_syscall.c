// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls: an enter waits in its CPU's pending slot until the exit makes one record of both.
 *
 * If the thread leaves the CPU first, or a flush comes by, the pending call is written as ENTER and
 * the exit becomes a record of its own, maybe on another CPU.
 *
 * What is frequent here and in probe_sched.c is notrace: a place for the function tracer costs an
 * instruction each time, and who traces all functions would have Scope's for each event.
 */
#include <trace/events/syscalls.h>
#include "arch.h"
#include "measure.h"
#include "probe.h"
#include "record.h"
#include "stack.h"

/* Interrupts off. The thread is the one the ring has as current. */
void scope_syscall_put_pending(struct scope_session *session, struct scope_cpu *cpu, u64 now)
{
	cpu->pending &= ~SCOPE_CALL_PENDING;
	scope_record_put_enter(&cpu->ring, now, cpu->call, cpu->enter_ns, cpu->arg);
	if (session->config.stack_mode)
		scope_stack_note_enter(session, cpu->ring.tid, cpu->enter_ns);
}

#define COMPAT_ARGS 2 /* of every call of a 32-bit program: a descriptor, the operation of a futex */

/* ARG_COUNTS and SYSCALLS speak of native numbers alone. */
static inline u8 args_of(const struct scope_session *session, long id, u8 abi)
{
	if ((unsigned long)id < SCOPE_SYSCALL_MAX && abi == SCOPE_ABI_NATIVE)
		return session->config.arg_counts[id];
	if (abi == SCOPE_ABI_32 && !session->config.other_calls)
		return COMPAT_ARGS;
	return session->config.other_calls;
}

/* Preemption off, interrupts on, the arguments copied. */
static __always_inline void note_call(struct scope_cpu *cpu, u32 call, u64 now, u8 measured)
{
	*(u32 *)&cpu->call = call;
	cpu->enter_ns = now;
	/* An interrupt, and with it a flush, finds the slot complete or not at all. */
	barrier();
	cpu->pending = SCOPE_CALL_PENDING | measured;
}

/* Preemption off, interrupts on. */
static __always_inline void set_pending(struct scope_cpu *cpu, struct scope_call call,
					struct pt_regs *regs, u64 now, u8 measured)
{
	if (call.abi_args >> 4) {
		if (call.abi_args & scope_abi_args(0, SCOPE_CALL_SKIP))
			return;
		syscall_get_arguments(current, regs, (unsigned long *)cpu->arg);
	}
	note_call(cpu, scope_call_word(call), now, measured);
}

/* Any call, at any time. Turns preemption on again. */
static noinline notrace void enter_slow(struct scope_session *session, struct scope_cpu *cpu,
					struct pt_regs *regs, long id)
{
	unsigned long flags;
	u64 now;
	u8 abi;

	raw_local_irq_save(flags);
	now = scope_clock_ns(&cpu->clock);
	/* The last call neither returned nor left the CPU, as far as the tracepoints tell. */
	if (cpu->pending & SCOPE_CALL_PENDING)
		scope_syscall_put_pending(session, cpu, now);
	raw_local_irq_restore(flags);
	abi = scope_arch_abi(&id);
	set_pending(cpu, scope_call_of(scope_record_nr(id), abi, args_of(session, id, abi)), regs, now,
		    cpu->pending & SCOPE_CALL_MEASURED);
	scope_measure_end(cpu, now);
	preempt_enable_notrace();
}

/* In a number of arguments with SCOPE_CALL_SKIP: neither none nor one is asked for. */
#define NOT_PLAIN 0xe

/* Preemption off; turns it on. The end of an enter that is to note several arguments, or nothing. */
static noinline notrace void enter_with_args(struct scope_cpu *cpu, struct pt_regs *regs, u32 call,
					     u64 now)
{
	set_pending(cpu, *(struct scope_call *)&call, regs, now, 0);
	preempt_enable_notrace();
}

static notrace void probe_sys_enter(void *data, struct pt_regs *regs, long id)
{
	struct scope_session *session = data;
	struct scope_cpu __percpu *cpus = session->cpu;
	struct scope_cpu *cpu;
	u32 call;
	u64 now;

	/* One instruction, so right on whichever CPU it runs: the current task is the same. */
	if (!this_cpu_read(cpus->traced))
		return;
	preempt_disable_notrace();
	cpu = this_cpu_ptr(cpus);
	if (unlikely(cpu->pending || (unsigned long)id >= SCOPE_SYSCALL_MAX ||
		     scope_arch_abi(&id) != SCOPE_ABI_NATIVE ||
		     !scope_clock_quick(&cpu->clock, &now))) {
		enter_slow(session, cpu, regs, id);
		return;
	}
	call = READ_ONCE(session->call[id]);
	if (unlikely(call & scope_call_word(scope_call_of(0, 0, NOT_PLAIN)))) {
		enter_with_args(cpu, regs, call, now);
		return;
	}
	/* As a rule it is asked for, and a copy costs less than to know. */
	cpu->arg[0] = scope_arch_first_arg(regs);
	note_call(cpu, call, now, 0);
	preempt_enable_notrace();
}

/* Interrupts off. A return whose enter stands in another record, or in none. */
static __always_inline void exit_alone(struct scope_session *session, struct scope_cpu *cpu,
				struct pt_regs *regs, long ret, u64 now)
{
	long id = syscall_get_nr(current, regs);
	u8 abi = scope_arch_abi(&id);
	u16 nr = scope_record_nr(id);
	u64 duration_ns;

	/* An interrupt before this one changed the filter; or the session leaves such calls out. */
	if (!cpu->traced || args_of(session, id, abi) & SCOPE_CALL_SKIP)
		return;
	scope_record_put_exit(&cpu->ring, now, scope_call_of(nr, abi, 0), ret);
	if (!session->config.stack_mode)
		return;
	duration_ns = scope_stack_blocked_ns(session, current->pid, now);
	scope_stack_after_syscall(session, cpu, regs, nr, abi, duration_ns, now);
}

/* Interrupts off. */
static noinline notrace void exit_merged(struct scope_session *session, struct scope_cpu *cpu,
					 struct pt_regs *regs, long ret, u64 now)
{
	u64 duration_ns = now > cpu->enter_ns ? now - cpu->enter_ns : 0;
	struct scope_call call = cpu->call;

	if (duration_ns > U32_MAX) {
		/* 4.3 s and more without leaving the CPU: too long for one record. */
		scope_syscall_put_pending(session, cpu, now);
		scope_record_put_exit(&cpu->ring, now, call, ret);
	} else {
		cpu->pending &= ~SCOPE_CALL_PENDING;
		scope_record_put_syscall(&cpu->ring, now, call, duration_ns, ret, cpu->arg);
	}
	if (session->config.stack_mode)
		scope_stack_after_syscall(session, cpu, regs, call.nr, call.abi_args & 0xf,
					  duration_ns, now);
}

/* Any return, at any time. Turns interrupts on again. */
static noinline notrace void exit_slow(struct pt_regs *regs, long ret, struct scope_cpu *cpu)
{
	struct scope_session *session = cpu->session;
	u64 now = scope_clock_ns(&cpu->clock);

	if (cpu->pending & SCOPE_CALL_PENDING)
		exit_merged(session, cpu, regs, ret, now);
	else
		exit_alone(session, cpu, regs, ret, now);
	scope_measure_end(cpu, now);
	raw_local_irq_enable();
}

/* Interrupts off; turns them on. The end of exit_quick() where the record has several arguments. */
static noinline notrace void exit_with_args(struct scope_cpu *cpu, struct scope_record_syscall *record)
{
	scope_record_copy_args((u64 *)(record + 1), cpu->arg, cpu->call);
	scope_ring_commit(&cpu->ring, sizeof(*record) + scope_call_arg_bytes(cpu->call));
	raw_local_irq_enable();
}

/*
 * Interrupts off; turns them on. False, with nothing done, where the return takes more than one plain
 * record. As a rule that has one argument or none: straight, and with few registers.
 */
static __always_inline bool exit_quick(struct scope_session *session, struct scope_cpu *cpu,
				       long ret)
{
	u32 arg_bytes = scope_call_arg_bytes(cpu->call);
	struct scope_record_syscall *record;
	u64 now, duration_ns;
	void *place;

	if (unlikely(!scope_clock_quick(&cpu->clock, &now)))
		return false;
	/* Where the clock stepped back this is large. */
	duration_ns = now - cpu->enter_ns;
	if (unlikely(duration_ns >= session->plain_ns) ||
	    !scope_ring_reserve_quick(&cpu->ring, SCOPE_RECORD_SYSCALL,
				      sizeof(*record) + sizeof(u64) + arg_bytes, now, &place))
		return false;
	record = place;
	cpu->pending = 0;
	scope_record_fill_syscall(record, cpu->call, duration_ns, ret);
	if (unlikely(arg_bytes > sizeof(u64))) {
		exit_with_args(cpu, record);
		return true;
	}
	/* Where none is asked for the next record takes its place. */
	*(u64 *)(record + 1) = cpu->arg[0];
	scope_ring_commit(&cpu->ring, sizeof(*record) + arg_bytes);
	raw_local_irq_enable();
	return true;
}

/*
 * Interrupts off; turns them on. Calls that block are the most frequent of those whose enter stands in a
 * record already, and as a rule nothing but the plain record is due.
 */
static noinline notrace void exit_blocked(struct scope_session *session, struct pt_regs *regs, long ret,
					  struct scope_cpu *cpu)
{
	long id = syscall_get_nr(current, regs);
	void *record;
	u64 now;

	if (unlikely(cpu->pending || !cpu->traced || (unsigned long)id >= SCOPE_SYSCALL_MAX ||
		     scope_arch_abi(&id) != SCOPE_ABI_NATIVE ||
		     session->config.arg_counts[id] & (SCOPE_CALL_SKIP | SCOPE_CALL_STACK)) ||
	    unlikely(!scope_clock_quick(&cpu->clock, &now)) ||
	    unlikely(!scope_ring_reserve_quick(&cpu->ring, SCOPE_RECORD_EXIT,
					       sizeof(struct scope_record_exit), now, &record))) {
		exit_slow(regs, ret, cpu);
		return;
	}
	scope_record_fill_exit(record, scope_call_of(id, SCOPE_ABI_NATIVE, 0), ret);
	scope_ring_commit(&cpu->ring, sizeof(struct scope_record_exit));
	raw_local_irq_enable();
}

static notrace void probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct scope_session *session = data;
	struct scope_cpu __percpu *cpus = session->cpu;
	struct scope_cpu *cpu;

	if (!this_cpu_read(cpus->traced))
		return;
	/* A task on its way out of a call has interrupts on: nothing to save. */
	raw_local_irq_disable();
	cpu = this_cpu_ptr(cpus);
	if (unlikely(cpu->pending != SCOPE_CALL_PENDING)) {
		exit_blocked(session, regs, ret, cpu);
		return;
	}
	if (unlikely(!exit_quick(session, cpu, ret)))
		exit_slow(regs, ret, cpu);
}

void *const scope_syscall_enter_probe = probe_sys_enter;
void *const scope_syscall_exit_probe = probe_sys_exit;

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sys_enter(probe_sys_enter);
	check_trace_callback_type_sys_exit(probe_sys_exit);
}
