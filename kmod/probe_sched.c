// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduling and the lives of tasks: switches, wakings, fork, exec, rename, exit.
 *
 * sched_switch and sched_waking run with interrupts off (they hold a run queue's or a task's lock);
 * the others do not.
 */
#include <linux/irqflags.h>
#include <linux/sched/signal.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include <asm/unistd.h>
#include "counters.h"
#include "futex.h"
#include "measure.h"
#include "peer.h"
#include "probe_sched.h"
#include "probe_syscall.h"
#include "record.h"
#include "select.h"
#include "stack.h"
#include "task_state.h"
#include "traced.h"
#include "tracepoint.h"

/* How a switch describes a traced thread that it ends. */
static __always_inline u32 leaving_bits(bool preempt, const struct task_struct *prev, unsigned int prev_state,
					bool stalls)
{
	u32 bits = SCOPE_SWITCH_PREV_TRACED;

	if (!preempt)
		bits |= (u32)scope_task_state(prev_state, prev->exit_state) << SCOPE_SWITCH_STATE_SHIFT;
	if (prev->in_iowait)
		bits |= SCOPE_SWITCH_IOWAIT;
	if (stalls && scope_compat_in_memstall(prev))
		bits |= SCOPE_SWITCH_MEMSTALL;
	return bits;
}

#define EVENTS_OF_RUNS (SCOPE_EVENTS_COUNTERS | SCOPE_EVENTS_INTERRUPT)

/* A thread's time on the CPU ends, in a session that records more about it. */
static __always_inline void end_run(struct scope_session *session, struct scope_cpu *cpu,
				    const struct task_struct *prev, u64 now)
{
	/* The end of an interrupt is not seen if its thread's tracing ended or began within it. */
	cpu->hardirq_ns = cpu->softirq_ns = 0;
	if (cpu->traced && scope_counters_wanted(session))
		scope_counters_put(cpu, prev, now);
}

/* The same for a thread that begins to run after one that is not traced. */
static __always_inline void begin_run(struct scope_session *session, struct scope_cpu *cpu,
				      const struct task_struct *next)
{
	cpu->hardirq_ns = cpu->softirq_ns = 0;
	if (scope_counters_wanted(session))
		scope_counters_note(cpu, next);
}

/* The ENTER of the call in which the current thread goes to sleep is written. Records what the thread sleeps for. */
static __always_inline void put_sleep(const struct scope_session *session, struct scope_cpu *cpu, u64 now)
{
	if (session->config.events & SCOPE_EVENTS_FUTEX)
		scope_futex_sleep(&cpu->ring, cpu->call, now);
	if (unlikely(cpu->call.nr == __NR_connect) && (session->config.events & SCOPE_EVENTS_PEER))
		scope_peer_sleep(&cpu->ring, cpu->call, now);
}

/* At least one of prev and next is traced, or next may be. */
static noinline notrace void switch_traced(struct scope_session *session, bool preempt, struct task_struct *prev,
					   struct task_struct *next, unsigned int prev_state)
{
	bool next_traced = scope_traced_has(session, next);
	struct scope_cpu *cpu = this_cpu_ptr(session->cpu);
	u32 bits = next->pid, tid = 0;
	u64 now;

	if (!(cpu->traced | next_traced))
		return;
	now = scope_clock_ns(&cpu->clock);
	/*
	 * Not all probes are attached yet; or tracing stops, and the last CPU has not ended it yet, which happens
	 * once for each CPU.
	 */
	if (unlikely(!READ_ONCE(session->running))) {
		cpu->traced = 0;
		return;
	}
	if ((cpu->pending & SCOPE_CALL_PENDING) && cpu->traced && scope_syscall_put_pending(session, cpu, now) &&
	    !preempt)
		put_sleep(session, cpu, now);
	/* The end of its task's tracing may have interrupted the enter probe. */
	cpu->pending &= ~SCOPE_CALL_SLOT;
	if (next_traced) {
		tid = bits;
		bits |= SCOPE_SWITCH_NEXT_TRACED;
	}
	if (unlikely(session->config.events & EVENTS_OF_RUNS))
		end_run(session, cpu, prev, now);
	if (likely(session->config.events & SCOPE_EVENTS_SCHED)) {
		if (preempt)
			bits |= SCOPE_SWITCH_PREEMPT;
		if (cpu->traced)
			bits |= leaving_bits(preempt, prev, prev_state, session->config.events & SCOPE_EVENTS_STALL);
		scope_record_put_switch(&cpu->ring, now, bits, tid);
	} else {
		scope_ring_force_thread(&cpu->ring, tid);
	}
	cpu->traced = next_traced;
	if (next_traced && scope_counters_wanted(session))
		scope_counters_note(cpu, next);
	scope_measure_end(cpu, now);
}

/*
 * The next thread, which may be traced, runs after one that is not. Usually it is, and only the plain record is due.
 * The record says of prev if it was preempted. line: that of next's process.
 */
static noinline notrace void switch_in(struct scope_session *session, bool preempt, struct task_struct *prev,
				       struct task_struct *next, unsigned int prev_state,
				       const struct scope_filter_line *line)
{
	struct scope_cpu *cpu = this_cpu_ptr(session->cpu);
	void *record;
	u64 now;

	if (unlikely(!scope_filter_has_first(line, next->tgid) || !READ_ONCE(session->running) || cpu->pending ||
		     !(session->config.events & SCOPE_EVENTS_SCHED) || !scope_clock_quick(&cpu->clock, &now) ||
		     !scope_ring_reserve_quick(&cpu->ring, SCOPE_RECORD_SWITCH, sizeof(struct scope_record_switch),
					       false, now, &record))) {
		switch_traced(session, preempt, prev, next, prev_state);
		return;
	}
	scope_record_end_switch(&cpu->ring, record,
				next->pid | SCOPE_SWITCH_NEXT_TRACED | (preempt ? SCOPE_SWITCH_PREEMPT : 0), next->pid);
	cpu->traced = 1;
	if (unlikely(session->config.events & EVENTS_OF_RUNS))
		begin_run(session, cpu, next);
}

static __always_inline void probe_switch(struct scope_session *session, bool preempt, struct task_struct *prev,
					 struct task_struct *next, unsigned int prev_state)
{
	const struct scope_filter_line *line;

	if (this_cpu_read(session->cpu->traced)) {
		switch_traced(session, preempt, prev, next, prev_state);
		return;
	}
	line = scope_filter_line_of(&session->filter, next->tgid);
	if (scope_filter_may_have(line) || unlikely(session->selects))
		switch_in(session, preempt, prev, next, prev_state, line);
}

/* The bits of WAKING for the interrupt that wakes the thread. */
static __always_inline u32 interrupt_bits(const struct scope_cpu *cpu)
{
	u32 interrupt = SCOPE_INTERRUPT_UNKNOWN, context = SCOPE_CONTEXT_TASK;

	if (in_nmi()) {
		context = SCOPE_CONTEXT_NMI;
	} else if (in_hardirq()) {
		context = SCOPE_COMPAT_WAKER_KNOWN ? SCOPE_CONTEXT_HARDIRQ : SCOPE_CONTEXT_UNKNOWN;
		interrupt = SCOPE_COMPAT_WAKER_KNOWN ? cpu->hardirq : SCOPE_INTERRUPT_UNKNOWN;
	} else if (in_serving_softirq()) {
		context = SCOPE_CONTEXT_SOFTIRQ;
		interrupt = cpu->softirq;
	}
	return context << SCOPE_WAKING_CONTEXT_SHIFT | interrupt << SCOPE_WAKING_INTERRUPT_SHIFT;
}

static noinline notrace void waking_traced(struct scope_session *session, struct task_struct *task)
{
	struct scope_cpu *cpu;
	u32 bits = 0;
	u64 now;

	if (!scope_traced_has(session, task) || unlikely(!READ_ONCE(session->running)))
		return;
	cpu = this_cpu_ptr(session->cpu);
	now = scope_clock_ns(&cpu->clock);
	if (in_interrupt())
		bits = interrupt_bits(cpu);
	if (bits || cpu->traced)
		scope_record_put_waking(&cpu->ring, now, task->pid | bits);
	else
		scope_record_put_waking_from(&cpu->ring, now, task->pid, current);
	scope_measure_end(cpu, now);
}

static __always_inline void probe_waking(struct scope_session *session, struct task_struct *task)
{
	if (scope_traced_may_have(session, task))
		waking_traced(session, task);
}

/* Before the child runs for the first time, in its parent. */
static void probe_sched_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct scope_session *session = data;
	struct scope_cpu *cpu;
	unsigned long flags;
	bool traced;
	u64 now;

	traced = scope_select_fork(session, parent, child);
	if ((!traced && !this_cpu_read(session->cpu->traced)) || unlikely(!READ_ONCE(session->running)))
		return;
	raw_local_irq_save(flags);
	cpu = this_cpu_ptr(session->cpu);
	now = scope_clock_ns(&cpu->clock);
	/* The child returns from a call that it never entered, as from a clone that began now. */
	if (traced && session->config.stack_mode)
		scope_stack_note_enter(session, child->pid, now);
	scope_record_put_fork(&cpu->ring, now, parent, child);
	raw_local_irq_restore(flags);
}

static void probe_sched_exec(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm)
{
	struct scope_session *session = data;
	bool by_thread = session->selects && old_pid != task->pid;
	struct scope_cpu *cpu;
	unsigned long flags;

	if (!this_cpu_read(session->cpu->traced) && !by_thread)
		return;
	raw_local_irq_save(flags);
	cpu = this_cpu_ptr(session->cpu);
	if (by_thread) {
		scope_select_exec(session, task, old_pid);
		scope_traced_refresh(session, cpu);
	}
	if (cpu->traced)
		scope_record_put_exec(&cpu->ring, scope_clock_ns(&cpu->clock), old_pid, task);
	raw_local_irq_restore(flags);
}

/* By prctl(), through /proc (then maybe by another thread of the process), or just before an exec. */
static __always_inline void probe_rename(struct scope_session *session, struct task_struct *task, const char *comm)
{
	struct scope_cpu *cpu;
	unsigned long flags;

	/* Readers of protocol 1 do not know the record. */
	if (READ_ONCE(session->running) && session->config.protocol > 1 && scope_traced_has(session, task)) {
		raw_local_irq_save(flags);
		cpu = this_cpu_ptr(session->cpu);
		scope_record_put_comm(&cpu->ring, scope_clock_ns(&cpu->clock), task, comm);
		raw_local_irq_restore(flags);
	}
	if (session->selects & SCOPE_SELECT_COMM)
		scope_select_renamed(session, task, comm);
}

/*
 * After this the thread still leaves its CPU, by a switch that names it. If the last thread of a process overtakes
 * another one here, that other one may leave the filter before its end is recorded.
 */
static __always_inline void probe_exit(struct scope_session *session, struct task_struct *task, bool last)
{
	struct scope_cpu *cpu;
	unsigned long flags;
	bool had;

	/*
	 * Both are done together: if it were preempted between the two, no record would say that it comes back to
	 * report its end.
	 */
	raw_local_irq_save(flags);
	had = scope_select_exit(session, task, last);
	cpu = this_cpu_ptr(session->cpu);
	if (cpu->traced || (had && READ_ONCE(session->running)))
		scope_record_put_thread_exit(&cpu->ring, scope_clock_ns(&cpu->clock), task, last ? SCOPE_EXIT_LAST : 0);
	raw_local_irq_restore(flags);
}

#include "sched_probes.h"

void *const scope_sched_switch_probe = probe_sched_switch;
void *const scope_sched_waking_probe = probe_sched_waking;
void *const scope_sched_fork_probe = probe_sched_fork;
void *const scope_sched_exec_probe = probe_sched_exec;
void *const scope_sched_exit_probe = probe_sched_exit;
void *const scope_sched_rename_probe = probe_task_rename;

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sched_switch(probe_sched_switch);
	check_trace_callback_type_waking(probe_sched_waking);
	check_trace_callback_type_sched_process_fork(probe_sched_fork);
	check_trace_callback_type_sched_process_exec(probe_sched_exec);
	check_trace_callback_type_sched_process_exit(probe_sched_exit);
	check_trace_callback_type_task_rename(probe_task_rename);
}
