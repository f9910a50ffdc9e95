// SPDX-License-Identifier: GPL-2.0-only
/* The stacks of one run through a trace, and the registers of its threads, to read them again without the trace. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/grow.h"
#include "unit/log_internal.h"

uint64_t scope_unit_logged_run_ns(const struct scope_trace *trace, const struct scope_logged_stack *logged)
{
	return logged->reason == SCOPE_STACK_SNAPSHOT ? logged->since_ns
						      : scope_trace_sample_ns(trace, logged->time_ns);
}

struct scope_logged_stack scope_unit_logged_stack(const struct scope_unit_stack *stack, const struct scope_trace *trace,
						  const struct scope_event *event, uint32_t tgid)
{
	return (struct scope_logged_stack){
		.stack = *stack,
		.place = scope_trace_place(trace, event),
		.time_ns = event->time_ns,
		.tgid = tgid,
		.bytes = event->stack.bytes,
		.ips = event->stack.ips,
		.regs = event->stack.regs,
		.reason = event->stack.reason,
		.flags = event->flags,
		.ended = event->stack.ended,
		.waited_s = event->stack.waited_s,
		.tasks = event->stack.tasks,
		.since_ns = event->stack.since_ns,
	};
}

int scope_unit_log_stack(struct scope_unit_log *log, const struct scope_unit_stack *stack,
			 const struct scope_trace *trace, const struct scope_event *event, uint32_t tgid)
{
	const struct scope_logged_stack row = scope_unit_logged_stack(stack, trace, event, tgid);

	return scope_unit_log_snapshot(log, &row);
}

int scope_unit_log_snapshot(struct scope_unit_log *log, const struct scope_logged_stack *snapshot)
{
	struct scope_spool *spool = snapshot->reason == SCOPE_STACK_TASKS ? log->tasks : log->stacks;
	struct scope_logged_stack *row = (struct scope_logged_stack *)scope_spool_room(spool, sizeof(*row));

	if (!row)
		return -ENOMEM;
	*row = *snapshot;
	scope_spool_use(spool, sizeof(*row));
	return 0;
}

/* What is known by now about the last sleep before the stack: a slice, or a poll. */
static const struct scope_late_wait *late_of(const struct scope_unit_log *log, const struct scope_unit_stack *stack)
{
	const bool slice = stack->class == SCOPE_WAIT_FUTEX && stack->nr == SYS_futex && !stack->propagated;

	return stack->wake_ns && (slice || stack->class == SCOPE_WAIT_POLL)
		       ? scope_unit_late_at(&log->late, stack->thread, stack->wake_ns - 1)
		       : NULL;
}

static int report_stack(const struct scope_unit_log *log, const struct scope_logged_stack *stack,
			int (*each)(void *user, const struct scope_logged_stack *stack), void *user)
{
	struct scope_logged_stack copy;

	if (!late_of(log, &stack->stack))
		return each(user, stack);
	copy = *stack;
	if (copy.stack.class == SCOPE_WAIT_POLL)
		copy.stack.class = SCOPE_WAIT_NETWORK;
	else
		copy.stack.propagated = true;
	return each(user, &copy);
}

static int report_task(const struct scope_unit_log *log, const struct scope_logged_stack *stack,
		       int (*each)(void *user, const struct scope_logged_stack *stack), void *user)
{
	(void)log;
	return each(user, stack);
}

/* Gives each stack of a spool to `report`. */
static int replay(const struct scope_unit_log *log, struct scope_spool *spool,
		  int (*report)(const struct scope_unit_log *log, const struct scope_logged_stack *stack,
				int (*each)(void *user, const struct scope_logged_stack *stack), void *user),
		  int (*each)(void *user, const struct scope_logged_stack *stack), void *user)
{
	const uint8_t *data;
	size_t bytes;
	int err;

	scope_spool_rewind(spool);
	while ((err = scope_spool_next(spool, &data, &bytes)) > 0) {
		const struct scope_logged_stack *stack = (const void *)data;

		err = 0;
		for (size_t i = 0; !err && i < bytes / sizeof(*stack); i++)
			err = report(log, &stack[i], each, user);
		if (err)
			break;
	}
	return err;
}

int scope_unit_log_stacks(struct scope_unit_log *log, int (*each)(void *user, const struct scope_logged_stack *stack),
			  void *user)
{
	return replay(log, log->stacks, report_stack, each, user);
}

int scope_unit_log_tasks(struct scope_unit_log *log, int (*each)(void *user, const struct scope_logged_stack *stack),
			 void *user)
{
	return replay(log, log->tasks, report_task, each, user);
}

int scope_unit_log_stack_at(struct scope_trace *trace, const struct scope_logged_stack *logged,
			    struct scope_event *ret_event)
{
	*ret_event = (struct scope_event){ .flags = logged->flags,
					   .stack = {
						   .ips = logged->ips,
						   .regs = logged->regs,
						   .bytes = logged->bytes,
						   .ended = logged->ended,
					   } };
	return scope_trace_stack_at(trace, &logged->place, ret_event);
}

int scope_unit_log_state(struct scope_unit_log *log, uint32_t thread, const struct scope_event *event)
{
	const uint16_t regs = event->state.record->regs;

	if (!regs || regs > SCOPE_REG_MAX)
		return 0;
	if (scope_grow(&log->state, &log->state_capacity, thread + 1ul, sizeof(*log->state)))
		return -ENOMEM;
	while (log->states <= thread)
		log->state[log->states++].regs = 0;
	log->state[thread].regs = regs;
	memcpy(log->state[thread].reg, event->state.reg, regs * sizeof(*event->state.reg));
	return 0;
}

const struct scope_logged_state *scope_unit_log_state_of(const struct scope_unit_log *log, uint32_t thread)
{
	return thread < log->states && log->state[thread].regs ? &log->state[thread] : NULL;
}
