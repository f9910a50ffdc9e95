// SPDX-License-Identifier: GPL-2.0-only
/* Finds the kernel's tracepoints by name and attaches a session's probes to them. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include "probe.h"
#include "probe_bio.h"
#include "probe_block.h"
#include "probe_cause.h"
#include "probe_cgroup.h"
#include "probe_interrupt.h"
#include "probe_sched.h"
#include "probe_stall.h"
#include "probe_syscall.h"
#include "tracepoint.h"

/*
 * In the order of attaching, which takes milliseconds a row. The session runs when all rows are attached. Until then
 * attached probes keep the filter true and record nothing: a call of which only the exit was seen would count as one
 * that began before tracing, and would get a stack.
 */
static struct probe_row {
	const char *name;
	void *const *probe;
	u32 events; /* 0: always */
	u8 selects; /* only if the filter needs it; the kernel may lack it */
	bool more;  /* the kernel may lack it: then the other rows of these events work without it */
	bool each;  /* its first argument is session->cpu, which leads to all that it needs */
	struct tracepoint *tracepoint;
} rows[] = {
	{ "sched_process_exit", &scope_sched_exit_probe },
	{ "sched_process_exec", &scope_sched_exec_probe },
	{ "sched_process_fork", &scope_sched_fork_probe },
	{ "task_rename", &scope_sched_rename_probe },
	{ "sys_exit", &scope_syscall_exit_probe, SCOPE_EVENTS_SYSCALL, .each = true },
	{ "sys_enter", &scope_syscall_enter_probe, SCOPE_EVENTS_SYSCALL, .each = true },
	{ "sched_switch", &scope_sched_switch_probe },
	{ SCOPE_COMPAT_WAKING_NAME, &scope_sched_waking_probe, SCOPE_EVENTS_SCHED },
	{ "block_rq_complete", &scope_block_done_probe, SCOPE_EVENTS_BLOCK },
	{ "block_rq_issue", &scope_block_issue_probe, SCOPE_EVENTS_BLOCK },
	{ "block_rq_insert", &scope_block_insert_probe, SCOPE_EVENTS_BLOCK },
	{ "block_bio_complete", &scope_bio_done_probe, SCOPE_EVENTS_BLOCK, .more = true },
	{ "block_bio_remap", &scope_bio_remap_probe, SCOPE_EVENTS_BLOCK, .more = true },
	{ "block_bio_queue", &scope_bio_queue_probe, SCOPE_EVENTS_BLOCK, .more = true },
	{ "mm_vmscan_direct_reclaim_begin", &scope_reclaim_begin_probe, SCOPE_EVENTS_STALL },
	{ "mm_vmscan_direct_reclaim_end", &scope_reclaim_end_probe, SCOPE_EVENTS_STALL },
	{ "mm_vmscan_memcg_reclaim_begin", &scope_group_begin_probe, SCOPE_EVENTS_STALL, .more = true },
	{ "mm_vmscan_memcg_reclaim_end", &scope_group_end_probe, SCOPE_EVENTS_STALL, .more = true },
	{ "mm_compaction_begin", &scope_compact_begin_probe, SCOPE_EVENTS_STALL, .more = true },
	{ "mm_compaction_end", &scope_compact_end_probe, SCOPE_EVENTS_STALL, .more = true },
	{ "irq_handler_entry", &scope_hardirq_begin_probe, SCOPE_EVENTS_INTERRUPT },
	{ "irq_handler_exit", &scope_hardirq_end_probe, SCOPE_EVENTS_INTERRUPT },
	{ "local_timer_entry", &scope_vector_begin_probe, SCOPE_EVENTS_INTERRUPT, .more = true },
	{ "local_timer_exit", &scope_vector_end_probe, SCOPE_EVENTS_INTERRUPT, .more = true },
	{ "call_function_entry", &scope_vector_begin_probe, SCOPE_EVENTS_INTERRUPT, .more = true },
	{ "call_function_exit", &scope_vector_end_probe, SCOPE_EVENTS_INTERRUPT, .more = true },
	{ "call_function_single_entry", &scope_vector_begin_probe, SCOPE_EVENTS_INTERRUPT, .more = true },
	{ "call_function_single_exit", &scope_vector_end_probe, SCOPE_EVENTS_INTERRUPT, .more = true },
	{ "softirq_entry", &scope_softirq_begin_probe, SCOPE_EVENTS_INTERRUPT },
	{ "softirq_exit", &scope_softirq_end_probe, SCOPE_EVENTS_INTERRUPT },
	{ "softirq_entry", &scope_cause_softirq_probe, SCOPE_EVENTS_CAUSE, .each = true },
	{ "irq_handler_entry", &scope_cause_irq_probe, SCOPE_EVENTS_CAUSE, .each = true },
	{ "irq_handler_exit", &scope_cause_irq_end_probe, SCOPE_EVENTS_CAUSE, .each = true },
	{ "hrtimer_expire_entry", &scope_cause_timer_probe, SCOPE_EVENTS_CAUSE, .each = true },
	{ "hrtimer_expire_exit", &scope_cause_timer_end_probe, SCOPE_EVENTS_CAUSE, .each = true },
	{ "cgroup_attach_task", &scope_cgroup_move_probe, 0, SCOPE_SELECT_CGROUP },
};

static void *first_argument(struct scope_session *session, const struct probe_row *row)
{
	/*
	 * The cast to a number is needed since Linux 6.15, where per-CPU memory may be an address space of the
	 * compiler's.
	 */
	return row->each ? (void *)(__force unsigned long)session->cpu : session;
}

/* True if this kernel has the tracepoint, with a prototype that is known. */
static bool is_served(const struct probe_row *row)
{
	return row->tracepoint && *row->probe;
}

static void probe_find(struct tracepoint *tracepoint, void *unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(tracepoint->name, rows[i].name))
			rows[i].tracepoint = tracepoint;
}

/* One of those in the table. */
struct tracepoint *scope_probe_tracepoint(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].tracepoint;
	return NULL;
}

int scope_probe_init(void)
{
	size_t i;

	BUILD_BUG_ON(ARRAY_SIZE(rows) > BITS_PER_BYTE * sizeof(((struct scope_session *)0)->attached));
	for_each_kernel_tracepoint(probe_find, NULL);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].tracepoint || rows[i].events & ~SCOPE_EVENTS_DEFAULT || rows[i].selects)
			continue;
		pr_err("scope: this kernel has no tracepoint %s: it needs CONFIG_TRACEPOINTS and "
		       "CONFIG_FTRACE_SYSCALLS\n",
		       rows[i].name);
		return -ENODEV;
	}
	return 0;
}

/* The bits of EVENTS that this kernel can serve. */
u32 scope_probe_events(void)
{
	u32 events = SCOPE_EVENTS_ALL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!is_served(&rows[i]) && !rows[i].more)
			events &= ~rows[i].events;
	return events;
}

/*
 * Under session->lock. Attaches the rows that are not attached yet. It is called again when the filter needs more,
 * which is one row. Rows before one that fails stay attached. -EOPNOTSUPP: this kernel does not report what the
 * filter needs.
 */
int scope_probe_attach(struct scope_session *session)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].events && !(rows[i].events & session->config.events))
			continue;
		if (session->attached & BIT_ULL(i) || rows[i].selects & ~session->selects)
			continue;
		if (rows[i].more && !is_served(&rows[i]))
			continue;
		err = -EOPNOTSUPP;
		if (rows[i].tracepoint)
			err = tracepoint_probe_register(rows[i].tracepoint, *rows[i].probe,
							first_argument(session, &rows[i]));
		if (err)
			return err;
		session->attached |= BIT_ULL(i);
	}
	return 0;
}

/* True if this kernel has the tracepoints that all these need (SCOPE_SELECT_*). */
bool scope_probe_selects(u8 selects)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].selects & selects && !rows[i].tracepoint)
			return false;
	return true;
}

/*
 * Under session->lock, when no CPU traces any more, so that the order makes no difference to the records. When it
 * returns no probe of this session runs, and none will.
 */
void scope_probe_detach(struct scope_session *session)
{
	size_t i = ARRAY_SIZE(rows);

	if (!session->attached)
		return;
	while (i--)
		if (session->attached & BIT_ULL(i))
			tracepoint_probe_unregister(rows[i].tracepoint, *rows[i].probe,
						    first_argument(session, &rows[i]));
	session->attached = 0;
	tracepoint_synchronize_unregister();
}
