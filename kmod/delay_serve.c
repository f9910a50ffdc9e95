// SPDX-License-Identifier: GPL-2.0-only
/* Delays the running thread: decides whether, for how long, and by a sleep or by spinning; writes the record. */
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched/signal.h>
#include "delay_rule.h"
#include "record.h"
#include "trap_cost.h"

/* This is right on any CPU, because the current task is the same. */
bool scope_delay_is_traced(const struct scope_delay_rule *rule)
{
	return this_cpu_read(rule->session->cpu->traced) && READ_ONCE(rule->session->running) && !READ_ONCE(rule->gone);
}

/*
 * Counts several visits of the running thread at once; the time that it takes does not grow with their number. Returns
 * the time for which the thread is to be delayed, ns. 0: none of the visits was chosen, or the rule does not apply to
 * the thread. Any context.
 */
u64 scope_delay_due_of(struct scope_delay_rule *rule, u64 visits, u8 *ret_flags)
{
	const struct scope_delay_values *values;
	u64 ns, first, chosen, asked = 0;

	if (!scope_delay_is_traced(rule))
		return 0;
	rcu_read_lock();
	values = rcu_dereference(rule->values);
	if (!values->threads || scope_threads_have(values->threads, current->pid)) {
		first = atomic64_add_return(visits, &rule->visits) - visits;
		chosen = scope_delay_chosen_of(values->seed, first, visits, values->probability);
		ns = min(values->ns, values->hit_max_ns);
		if (chosen && ns < values->ns)
			*ret_flags |= SCOPE_DELAYED_CAPPED;
		/* The product fits into 64 bits for every permitted value. */
		asked = min_t(u64, chosen, 1ull << 33) * ns;
	}
	rcu_read_unlock();
	return asked;
}

u64 scope_delay_due(struct scope_delay_rule *rule, u8 *ret_flags)
{
	return scope_delay_due_of(rule, 1, ret_flags);
}

/* What the cap of this second leaves of asked_ns. */
static u64 take_share(struct scope_delays *delays, u64 asked_ns)
{
	u64 max_ns = READ_ONCE(delays->second_max_ns), used;
	s64 now = div_u64(ktime_to_ns(ktime_get()), NSEC_PER_SEC);
	s64 second = atomic64_read(&delays->second);

	/*
	 * A visit that comes at the same time counts for the second before. So the cap is exceeded at most by the
	 * delays that are served at that moment.
	 */
	if (second != now && atomic64_cmpxchg(&delays->second, second, now) == second)
		atomic64_set(&delays->second_ns, 0);
	used = atomic64_add_return(asked_ns, &delays->second_ns) - asked_ns;
	if (used + asked_ns <= max_ns)
		return asked_ns;
	atomic64_sub(asked_ns, &delays->second_ns);
	if (used >= max_ns)
		return 0;
	atomic64_add(max_ns - used, &delays->second_ns);
	return max_ns - used;
}

static bool is_over(const struct scope_delay_rule *rule)
{
	return READ_ONCE(rule->gone) || !READ_ONCE(rule->session->running) || fatal_signal_pending(current);
}

/* The scheduler may run other threads. Then the thread is delayed for longer, and the record has the real time. */
static void spin_until(const struct scope_delay_rule *rule, ktime_t until)
{
	while (ktime_to_ns(ktime_get()) < ktime_to_ns(until) && !is_over(rule)) {
		cpu_relax();
		cond_resched();
	}
}

/* Returns the time for which it left the CPU. */
static u64 sleep_until(const struct scope_delay_rule *rule, ktime_t until)
{
	u64 slept_ns = 0;
	ktime_t begin;
	DEFINE_WAIT(wait);

	for (;;) {
		prepare_to_wait(&rule->session->delays.sleepers, &wait, TASK_KILLABLE);
		if (is_over(rule) || ktime_to_ns(ktime_get()) >= ktime_to_ns(until))
			break;
		begin = ktime_get();
		schedule_hrtimeout_range(&until, 0, HRTIMER_MODE_ABS);
		slept_ns += ktime_to_ns(ktime_sub(ktime_get(), begin));
	}
	finish_wait(&rule->session->delays.sleepers, &wait);
	return slept_ns;
}

static void write_record(const struct scope_delay_rule *rule, u32 asked_ns, u32 served_ns, u8 flags)
{
	struct scope_session *session = rule->session;
	struct scope_cpu *cpu;
	unsigned long irq;

	raw_local_irq_save(irq);
	cpu = this_cpu_ptr(session->cpu);
	if (cpu->traced && READ_ONCE(session->running))
		scope_record_put_delay(&cpu->ring, scope_clock_ns(&cpu->clock), rule->id, flags, asked_ns, served_ns);
	raw_local_irq_restore(irq);
}

/*
 * Only in the thread's own context, with no lock held. May be called with 0. Returns the time for which the thread was
 * delayed.
 */
u64 scope_delay_serve(struct scope_delay_rule *rule, u64 asked_ns, u8 flags)
{
	u64 granted_ns, served_ns, slept_ns = 0;
	ktime_t begin, until;

	might_sleep();
	if (!asked_ns)
		return 0;
	granted_ns = take_share(&rule->session->delays, asked_ns);
	if (granted_ns < asked_ns)
		flags |= SCOPE_DELAYED_CAPPED;
	if (flags & SCOPE_DELAYED_CAPPED)
		atomic64_inc(&rule->capped);
	if (!granted_ns)
		return 0;
	begin = ktime_get();
	until = ktime_add_ns(begin, granted_ns);
	if (granted_ns < SCOPE_DELAY_SPIN_NS) {
		flags |= SCOPE_DELAYED_SPUN;
		spin_until(rule, until);
	} else {
		slept_ns = sleep_until(rule, until);
	}
	served_ns = ktime_to_ns(ktime_sub(ktime_get(), begin));
	if (served_ns < granted_ns)
		flags |= SCOPE_DELAYED_CUT;
	/* A thread that spun for longer than it had to has lost the CPU in that time. */
	scope_trap_charge(rule->session,
			  flags & SCOPE_DELAYED_SPUN ? min(served_ns, granted_ns) : served_ns - slept_ns);
	atomic64_inc(&rule->served);
	atomic64_add(granted_ns, &rule->asked_ns);
	atomic64_add(served_ns, &rule->served_ns);
	write_record(rule, granted_ns, min_t(u64, served_ns, U32_MAX), flags);
	return served_ns;
}
