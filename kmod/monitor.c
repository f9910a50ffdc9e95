// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitors running sessions ten times a second in process context: sends notices about them, and stops a
 * session whose probes cost too much.
 */
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/printk.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include "measure.h"
#include "selftest.h"
#include "select.h"
#include "monitor.h"
#include "notice.h"
#include "tracing.h"

#define PERIOD_MS 100
#define SECOND_NS 1000000000ull

/* HALF_FULL and LOST are repeated only after a second. */
static bool due(u64 *last_ns, u64 now)
{
	if (*last_ns && now - *last_ns < SECOND_NS)
		return false;
	*last_ns = now;
	return true;
}

static void notify_half_full(struct scope_session *session, u64 now)
{
	u32 most = 0, cpu = 0;
	int id;

	if (session->config.flight)
		return;
	for_each_possible_cpu(id) {
		const struct scope_ring_page *page = per_cpu_ptr(session->cpu, id)->ring.page;
		u32 waiting = READ_ONCE(page->head) - READ_ONCE(page->tail);

		if (waiting > most) {
			most = waiting;
			cpu = id;
		}
	}
	if (most >= session->config.subbuf_count / 2 && due(&session->monitor.half_full_ns, now))
		scope_notice_send(session->id, SCOPE_NOTICE_HALF_FULL, cpu, most);
}

static void notify_lost(struct scope_session *session, u64 now)
{
	u64 lost = 0, most = 0;
	int id, reason;
	u32 cpu = 0;

	for_each_possible_cpu(id) {
		const struct scope_ring_page *page = per_cpu_ptr(session->cpu, id)->ring.page;
		u64 here = 0;

		for (reason = 0; reason < SCOPE_LOST_REASONS; reason++)
			here += READ_ONCE(page->lost[reason]);
		lost += here;
		if (here > most) {
			most = here;
			cpu = id;
		}
	}
	if (lost == session->monitor.lost || !due(&session->monitor.lost_ns, now))
		return;
	session->monitor.lost = lost;
	scope_notice_send(session->id, SCOPE_NOTICE_LOST, cpu, lost);
}

static void notify_gone(struct scope_session *session)
{
	/* Names and groups also select threads that come later. */
	bool gone = !atomic_read(&session->filter.count) && !atomic_read(&session->filter.threads) &&
		    !(session->selects & (SCOPE_SELECT_COMM | SCOPE_SELECT_CGROUP));

	if (gone && !session->monitor.gone)
		scope_notice_send(session->id, SCOPE_NOTICE_TARGET_GONE, 0, 0);
	session->monitor.gone = gone;
}

/*
 * Finds the CPU on which probes took the largest share of the time since the last check, and that share in thousandths.
 */
static u32 largest_share(struct scope_session *session, u64 passed_ns, u32 *ret_cpu)
{
	u32 most = 0;
	int id;

	*ret_cpu = 0;
	for_each_possible_cpu(id) {
		struct scope_cpu *cpu = per_cpu_ptr(session->cpu, id);
		u32 share = div64_u64(scope_measure_since(cpu) * 1000, passed_ns);

		if (share > most) {
			most = share;
			*ret_cpu = id;
		}
	}
	return most;
}

static void check_overhead(struct scope_session *session, u64 now)
{
	u32 cpu, share = largest_share(session, now - session->monitor.checked_ns, &cpu);

	session->monitor.checked_ns = now;
	if (!session->config.overhead_max || share <= session->config.overhead_max)
		return;
	session->guard_cpu = cpu;
	session->guard_share = share;
	scope_tracing_stop(session, SCOPE_STOP_GUARD);
	pr_warn("scope: session %u stopped: its probes took %u.%u %% of CPU %u\n", session->id, share / 10, share % 10,
		cpu);
	scope_notice_send(session->id, SCOPE_NOTICE_GUARD, cpu, share);
}

static void look(struct work_struct *work)
{
	struct scope_session *session = container_of(to_delayed_work(work), struct scope_session, monitor.work);
	u64 now = ktime_get_mono_fast_ns();

	mutex_lock(&session->lock);
	if (session->run_state != SCOPE_RUN_ON)
		goto out;
	if (now - session->monitor.checked_ns >= SECOND_NS) {
		scope_select_sweep(session);
		check_overhead(session, now);
	}
	if (scope_selftest_look(session, now - session->start_ns)) {
		pr_err("scope: probes on system calls do not fire: another tracer or a live patch is in "
		       "the way, see /sys/kernel/tracing and /sys/kernel/livepatch\n");
		scope_notice_send(session->id, SCOPE_NOTICE_SELFTEST, 0, 0);
	}
	notify_half_full(session, now);
	notify_lost(session, now);
	notify_gone(session);
	if (session->run_state == SCOPE_RUN_ON)
		schedule_delayed_work(&session->monitor.work, msecs_to_jiffies(PERIOD_MS));
out:
	mutex_unlock(&session->lock);
}

void scope_monitor_prepare(struct scope_session *session)
{
	INIT_DELAYED_WORK(&session->monitor.work, look);
}

/* Under session->lock, when the session begins to run. It ends by itself when the session is stopped. */
void scope_monitor_start(struct scope_session *session)
{
	lockdep_assert_held(&session->lock);
	session->monitor.checked_ns = ktime_get_mono_fast_ns();
	schedule_delayed_work(&session->monitor.work, msecs_to_jiffies(PERIOD_MS));
}

/* Not under session->lock. The session is closed, so it is not started again. */
void scope_monitor_end(struct scope_session *session)
{
	cancel_delayed_work_sync(&session->monitor.work);
}
