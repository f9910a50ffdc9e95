// SPDX-License-Identifier: GPL-2.0-only
/* What every CPU does as a session starts, is flushed, and stops. */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include "delay.h"
#include "dynamic.h"
#include "probe.h"
#include "select.h"
#include "session.h"
#include "selftest.h"
#include "state.h"
#include "monitor.h"

typedef void (*cpu_work)(struct scope_session *session, struct scope_cpu *cpu);

struct cpu_call {
	struct scope_session *session;
	cpu_work work;
};

static void call_here(void *data)
{
	struct cpu_call *call = data;

	call->work(call->session, this_cpu_ptr(call->session->cpu));
}

/* Run work with interrupts off on every CPU that is online, and for those that are not. */
static void call_all(struct scope_session *session, cpu_work work)
{
	struct cpu_call call = { session, work };
	int id;

	cpus_read_lock();
	on_each_cpu(call_here, &call, 1);
	for_each_possible_cpu(id)
		if (!cpu_online(id))
			work(session, per_cpu_ptr(session->cpu, id));
	cpus_read_unlock();
}

/* The task that runs as probes are attached came by no switch they saw. */
static void cpu_start(struct scope_session *session, struct scope_cpu *cpu)
{
	bool here = cpu->ring.page->cpu == raw_smp_processor_id();

	if (here && !cpu->traced && scope_select_has(session, current)) {
		scope_ring_force_thread(&cpu->ring, current->pid);
		cpu->pending &= ~SCOPE_CALL_SLOT;
		cpu->traced = 1;
	}
}

static void cpu_refresh(struct scope_session *session, struct scope_cpu *cpu)
{
	cpu->plain_counts = 0;
	if (cpu->ring.page->cpu == raw_smp_processor_id())
		scope_sched_refresh(session, cpu);
}

/* Under session->lock, while tracing runs: the filter changed for tasks that are on a CPU, or plain_ns. */
void scope_session_refresh(struct scope_session *session)
{
	call_all(session, cpu_refresh);
}

/* The enter probe may have been interrupted by the end of its task's tracing: then nobody's is set. */
static void put_pending(struct scope_session *session, struct scope_cpu *cpu)
{
	if ((cpu->pending & SCOPE_CALL_PENDING) && cpu->traced)
		scope_syscall_put_pending(session, cpu, ktime_get_mono_fast_ns());
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
 * The STATE of every thread, for a snapshot or a stop that is to follow. Flight mode overwrites none of
 * it before that: where the rings are too small for all of it, the rest is counted as lost, and so are
 * other events once they have taken half of the ring meanwhile.
 */
static int write_states(struct scope_session *session)
{
	if (session->config.flight)
		call_all(session, cpu_keep);
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
 * -EINVAL before configure, -EALREADY while running, -ESHUTDOWN after a stop. Nothing is recorded before all
 * probes are attached: where one cannot be, the session is as it was, and may be started again.
 */
int scope_session_start(struct scope_session *session)
{
	static const int refused[] = { [SCOPE_RUN_NEW] = -EINVAL, [SCOPE_RUN_ON] = -EALREADY,
				       [SCOPE_RUN_STOPPED] = -ESHUTDOWN };
	int err;

	mutex_lock(&session->lock);
	err = session->closed ? -ENOENT : refused[session->run_state];
	if (err)
		goto out;
	err = scope_probe_attach(session);
	if (err)
		goto probes;
	WRITE_ONCE(session->running, 1);
	scope_select_scan(session);
	call_all(session, cpu_start);
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
	scope_monitor_start(session);
	goto out;

samples:
	scope_sample_stop(session);
records:
	/* Of every thread: this session can only be given up. */
	WRITE_ONCE(session->run_state, SCOPE_RUN_STOPPED);
	WRITE_ONCE(session->running, 0);
	call_all(session, cpu_stop);
probes:
	scope_probe_detach(session);
out:
	mutex_unlock(&session->lock);
	return err;
}

/* Under session->lock. -EALREADY where it is not running. */
int scope_session_stop_locked(struct scope_session *session, enum scope_stop_reason reason)
{
	lockdep_assert_held(&session->lock);
	if (session->run_state != SCOPE_RUN_ON)
		return -EALREADY;
	write_states(session);
	scope_sample_stop(session);
	/* From here on no switch sets traced again; what each CPU was in the middle of is told. */
	WRITE_ONCE(session->running, 0);
	scope_delay_wake(session);
	call_all(session, cpu_stop);
	scope_probe_detach(session);
	scope_selftest_end(session);
	session->stop_ns = ktime_get_mono_fast_ns();
	session->stop_reason = reason;
	/* Pairs with the acquire in poll: rings found empty after this stay so. */
	smp_store_release(&session->run_state, SCOPE_RUN_STOPPED);
	wake_up_interruptible(&session->readers);
	return 0;
}

/* -EALREADY where it is not running. Data stay readable. */
int scope_session_stop(struct scope_session *session)
{
	int err;

	mutex_lock(&session->dynamic_lock);
	/* First, while what is served can still be told. */
	if (READ_ONCE(session->run_state) == SCOPE_RUN_ON)
		scope_delay_detach(session);
	mutex_lock(&session->lock);
	err = scope_session_stop_locked(session, SCOPE_STOP_ASKED);
	mutex_unlock(&session->lock);
	if (!err)
		scope_dynamic_detach(session);
	mutex_unlock(&session->dynamic_lock);
	return err;
}

/* Under session->lock. Whether a flush that began after `asked` is over, one began now, or none is wanted. */
static bool flush_since(struct scope_session *session, u64 asked)
{
	u64 now = ktime_get_mono_fast_ns();

	if (session->run_state != SCOPE_RUN_ON || session->flush_ns >= asked)
		return true;
	if (now - session->flush_ns < SCOPE_FLUSH_GAP_MS * NSEC_PER_MSEC)
		return false;
	session->flush_ns = now;
	call_all(session, cpu_flush);
	return true;
}

/*
 * Hand out what every CPU holds; nothing where the session does not run. It interrupts all CPUs, and a
 * descriptor may be passed on to a process that may not trace: so a flush begins SCOPE_FLUSH_GAP_MS after the
 * last one at the soonest, and serves all callers that asked before it began. -EINTR: the caller was killed.
 */
int scope_session_flush(struct scope_session *session)
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
 * Write STATE of every thread, then flush, and let readers know up to where each ring reaches now.
 * hold: flight mode overwrites none of it before it was read. -EALREADY where it is not running.
 */
int scope_session_snapshot(struct scope_session *session, bool hold)
{
	int err = -EALREADY;

	mutex_lock(&session->lock);
	if (session->run_state != SCOPE_RUN_ON)
		goto out;
	err = write_states(session);
	call_all(session, hold ? cpu_snapshot_held : cpu_snapshot);
	wake_up_interruptible(&session->readers);
out:
	mutex_unlock(&session->lock);
	return err;
}
