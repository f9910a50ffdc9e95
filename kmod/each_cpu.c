// SPDX-License-Identifier: GPL-2.0-only
/* Runs a session's work on every CPU. */
#include <linux/cpu.h>
#include <linux/smp.h>
#include "each_cpu.h"

struct cpu_call {
	struct scope_session *session;
	scope_cpu_work *work;
};

static void call_here(void *data)
{
	struct cpu_call *call = data;

	call->work(call->session, this_cpu_ptr(call->session->cpu));
}

/* Runs work with interrupts off on every CPU that is online, and here for those that are not. */
void scope_each_cpu(struct scope_session *session, scope_cpu_work *work)
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
