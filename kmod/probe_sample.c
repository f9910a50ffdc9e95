// SPDX-License-Identifier: GPL-2.0-only
/*
 * On-CPU samples: a pinned timer per CPU that takes the stack of the traced task it interrupts.
 *
 * A session with a sample period is an instance of a CPU hotplug state. So its timer starts on every CPU that is
 * online and on each one that comes later, and ends on one that goes.
 */
#include <linux/timekeeping.h>
#include "hotplug.h"
#include "delay_speedup.h"
#include "probe_sample.h"
#include "stack.h"

static int hotplug_state;

static enum hrtimer_restart sample_fire(struct hrtimer *timer)
{
	struct scope_cpu *cpu = container_of(timer, struct scope_cpu, sample);
	struct scope_session *session = cpu->session;

	u32 period_ns = READ_ONCE(session->config.sample_period_ns);

	/* Samples are being switched off. */
	if (!period_ns)
		return HRTIMER_NORESTART;
	if (cpu->traced) {
		scope_stack_sample(session, cpu, ktime_get_mono_fast_ns());
		scope_delay_sample(session);
	}
	hrtimer_forward_now(timer, ns_to_ktime(period_ns));
	return HRTIMER_RESTART;
}

static int sample_online(unsigned int id, struct hlist_node *node)
{
	struct scope_session *session = hlist_entry_safe(node, struct scope_session, hotplug);
	struct scope_cpu *cpu = per_cpu_ptr(session->cpu, id);

	/* Runs on the CPU it is about. */
	hrtimer_start(&cpu->sample, ns_to_ktime(session->config.sample_period_ns), HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static int sample_offline(unsigned int id, struct hlist_node *node)
{
	struct scope_session *session = hlist_entry_safe(node, struct scope_session, hotplug);

	hrtimer_cancel(&per_cpu_ptr(session->cpu, id)->sample);
	return 0;
}

int scope_sample_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "scope:sample", sample_online, sample_offline);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

void scope_sample_exit(void)
{
	cpuhp_remove_multi_state(hotplug_state);
}

void scope_sample_prepare(struct scope_session *session)
{
	int id;

	for_each_possible_cpu(id)
		hrtimer_setup(&per_cpu_ptr(session->cpu, id)->sample, sample_fire, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Under session->lock. */
int scope_sample_start(struct scope_session *session)
{
	int err;

	if (!session->config.sample_period_ns)
		return 0;
	err = cpuhp_state_add_instance(hotplug_state, &session->hotplug);
	session->sampling = !err;
	return err;
}

/* Under session->lock. When it returns no timer runs on this session. */
void scope_sample_stop(struct scope_session *session)
{
	if (session->sampling)
		cpuhp_state_remove_instance(hotplug_state, &session->hotplug);
	session->sampling = false;
}
