// SPDX-License-Identifier: GPL-2.0-only
/* Starts, flushes and stops tracing on every CPU. */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include "counters.h"
#include "delay.h"
#include "each_cpu.h"
#include "probe.h"
#include "probe_sample.h"
#include "probe_syscall.h"
#include "select.h"
#include "selftest.h"
#include "state.h"
#include "traced.h"
#include "tracing.h"

/* The probes saw no switch to the task that runs when they are attached. */
static void cpu_start(struct scope_session *session, struct scope_cpu *cpu)
{
	bool here = cpu->ring.page->cpu == raw_smp_processor_id();

	if (here && !cpu->traced && scope_traced_has(session, current)) {
		scope_ring_force_thread(&cpu->ring, current->pid);
		cpu->pending &= ~SCOPE_CALL_SLOT;
		cpu->traced = 1;
		if (scope_counters_wanted(session))
			scope_counters_note(cpu, current);
	}
}

/* The end of the task's tracing may have interrupted the enter probe: then no pending call is set. */
static void put_pending(struct scope_session *session, struct scope_cpu *cpu)
{
	if ((cpu->pending & SCOPE_CALL_PENDING) && cpu->traced)
		scope_syscall_put_pending(session, cpu, ktime_get_mono_fast_ns());
	/* A CPU that is offline runs no thread. */
	if (cpu->traced && scope_counters_wanted(session) && cpu->ring.page->cpu == raw_smp_processor_id())
		scope_counters_put(cpu, current, ktime_get_mono_fast_ns());
}

static void cpu_flush(struct scope_session *session, struct scope_cpu *cpu)
{
	put_pending(session, cpu);
	scope_ring_close(&cpu->ring);
}

static void cpu_keep(struct scope_session *session, struct scope_cpu *cpu)
{
	scope_ring_keep(&cpu->ring);
}

/*
 * The STATE of every thread, for a snapshot or a stop that follows. Flight mode overwrites none of it before that. If
 * the rings are too small for all of it, the rest is counted as lost, and so are other events after they have used
 * half of the ring in that time.
 */
static int write_states(struct scope_session *session)
{
	if (session->config.flight)
		scope_each_cpu(session, cpu_keep);
	return scope_state_write_all(session, SCOPE_STATE_AT_STOP);
}

static void cpu_snapshot(struct scope_session *session, struct scope_cpu *cpu)
{
	put_pending(session, cpu);
	scope_ring_snapshot(&cpu->ring, false);
}

static void cpu_snapshot_held(struct scope_session *session, struct scope_cpu *cpu)
{
	put_pending(session, cpu);
	scope_ring_snapshot(&cpu->ring, true);
}

static void cpu_stop(struct scope_session *session, struct scope_cpu *cpu)
{
	put_pending(session, cpu);
	cpu->traced = 0;
	scope_ring_stop(&cpu->ring);
}

/*
 * Under session->lock, of a session that is ready. Nothing is recorded before all probes are attached. If one cannot
 * be attached, the session is as before, and may be started again.
 */
int scope_tracing_start(struct scope_session *session)
{
	int err;

	lockdep_assert_held(&session->lock);
	err = scope_probe_attach(session);
	if (err)
		goto probes;
	WRITE_ONCE(session->running, 1);
	scope_select_scan(session);
	scope_each_cpu(session, cpu_start);
	err = scope_sample_start(session);
	if (err)
		goto records;
	err = scope_state_write_all(session, 0);
	if (err)
		goto samples;
	session->start_ns = ktime_get_mono_fast_ns();
	WRITE_ONCE(session->run_state, SCOPE_RUN_ON);
	if (session->config.events & SCOPE_EVENTS_SYSCALL)
		scope_selftest_begin(session);
	return 0;

samples:
	scope_sample_stop(session);
records:
	/* Records of every thread were written, so this session can only be given up. */
	WRITE_ONCE(session->run_state, SCOPE_RUN_STOPPED);
	WRITE_ONCE(session->running, 0);
	scope_each_cpu(session, cpu_stop);
probes:
	scope_probe_detach(session);
	return err;
}

/* Under session->lock. -EALREADY: it is not running. */
int scope_tracing_stop(struct scope_session *session, enum scope_stop_reason reason)
{
	lockdep_assert_held(&session->lock);
	if (session->run_state != SCOPE_RUN_ON)
		return -EALREADY;
	write_states(session);
	scope_sample_stop(session);
	/* From here on no switch sets traced again. The call that each CPU is in is written. */
	WRITE_ONCE(session->running, 0);
	scope_delay_wake(session);
	scope_each_cpu(session, cpu_stop);
	scope_probe_detach(session);
	scope_selftest_end(session);
	session->stop_ns = ktime_get_mono_fast_ns();
	session->stop_reason = reason;
	/* Pairs with the acquire in poll: rings found empty after this stay so. */
	smp_store_release(&session->run_state, SCOPE_RUN_STOPPED);
	wake_up_interruptible(&session->readers);
	return 0;
}

/*
 * Under session->lock. Returns true if a flush that began after `asked` is complete, if one began now, or if none is
 * needed.
 */
static bool flush_since(struct scope_session *session, u64 asked)
{
	u64 now = ktime_get_mono_fast_ns();

	if (session->run_state != SCOPE_RUN_ON || session->flush_ns >= asked)
		return true;
	if (now - session->flush_ns < SCOPE_FLUSH_GAP_MS * NSEC_PER_MSEC)
		return false;
	session->flush_ns = now;
	scope_each_cpu(session, cpu_flush);
	return true;
}

/*
 * Publishes what every CPU has, if the session runs. It interrupts all CPUs, and a descriptor may be given to a
 * process that may not trace. So a flush begins at least SCOPE_FLUSH_GAP_MS after the last one, and serves all
 * callers that asked before it began. -EINTR: the caller was killed.
 */
int scope_tracing_flush(struct scope_session *session)
{
	const u64 asked = ktime_get_mono_fast_ns();
	bool done;

	for (;;) {
		mutex_lock(&session->lock);
		done = flush_since(session, asked);
		mutex_unlock(&session->lock);
		if (done)
			return 0;
		schedule_timeout_killable(msecs_to_jiffies(SCOPE_FLUSH_GAP_MS));
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}

/*
 * Writes the STATE of every thread, flushes, and sets the limit up to which readers read in each ring. hold: flight
 * mode overwrites none of it before it was read. -EALREADY: it is not running.
 */
int scope_tracing_snapshot(struct scope_session *session, bool hold)
{
	int err = -EALREADY;

	mutex_lock(&session->lock);
	if (session->run_state != SCOPE_RUN_ON)
		goto out;
	err = write_states(session);
	scope_each_cpu(session, hold ? cpu_snapshot_held : cpu_snapshot);
	wake_up_interruptible(&session->readers);
out:
	mutex_unlock(&session->lock);
	return err;
}
