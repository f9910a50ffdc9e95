// SPDX-License-Identifier: GPL-2.0-only
/* Turns the records of one sub-buffer into events and checks every value in them. */
#include "trace/decode.h"

#include <errno.h>
#include <string.h>

#include "trace/fields.h"

int scope_trace_decoder_begin(struct scope_decoder *decoder, const struct scope_subbuf *subbuf, size_t bytes)
{
	decoder->problem = NULL;
	if (bytes < sizeof(*subbuf) || subbuf->magic != SCOPE_SUBBUF_MAGIC)
		decoder->problem = "it does not start with the head of a sub-buffer";
	else if (subbuf->used_bytes < sizeof(*subbuf) || subbuf->used_bytes > bytes || subbuf->used_bytes % 8)
		decoder->problem = "its head gives a length that cannot be";
	else if (subbuf->begin_ns >= SCOPE_TIME_LIMIT_NS)
		decoder->problem = "its head gives a time that cannot be";
	if (decoder->problem)
		return -EBADMSG;

	decoder->pos = (const uint8_t *)(subbuf + 1);
	decoder->end = (const uint8_t *)subbuf + subbuf->used_bytes;
	decoder->after_state = NULL;
	if (decoder->time_ns < subbuf->begin_ns)
		decoder->time_ns = subbuf->begin_ns;
	decoder->tid = subbuf->tid;
	decoder->cpu = subbuf->cpu;
	return 0;
}

/*
 * A TIME record that is cut or has an impossible value is left for take, which reports the problem. Until then next_ns
 * is the time of the record before.
 */
bool scope_trace_decoder_peek_slow(struct scope_decoder *decoder)
{
	while (decoder->pos < decoder->end) {
		const struct scope_record_thread *thread = (const void *)decoder->pos;
		const struct scope_record_time *time = (const void *)decoder->pos;
		size_t left = decoder->end - decoder->pos;
		uint32_t type = scope_record_type(thread->word);

		decoder->next_ns = decoder->time_ns + scope_record_delta(thread->word);
		if (type == SCOPE_RECORD_THREAD) {
			decoder->time_ns = decoder->next_ns;
			decoder->tid = thread->tid;
			decoder->pos += sizeof(*thread);
			continue;
		}
		if (type != SCOPE_RECORD_TIME)
			return true;
		if (left < sizeof(*time) || time->time_ns >= SCOPE_TIME_LIMIT_NS) {
			decoder->next_ns = decoder->time_ns;
			return true;
		}
		if (decoder->time_ns < time->time_ns)
			decoder->time_ns = time->time_ns;
		decoder->pos += sizeof(*time);
	}
	return false;
}

/* Stops before a damaged record, so that take reports it. */
void scope_trace_decoder_skip_calls(struct scope_decoder *decoder, uint32_t below_ns)
{
	const uint8_t *pos = decoder->pos, *end = decoder->end;
	uint64_t time_ns = decoder->time_ns;

	while ((size_t)(end - pos) >= sizeof(struct scope_record_syscall)) {
		const struct scope_record_syscall *record = (const void *)pos;
		const size_t args = record->abi_args >> 4;
		const size_t bytes = sizeof(*record) + args * sizeof(uint64_t);

		if (scope_record_type(record->word) != SCOPE_RECORD_SYSCALL || record->duration_ns >= below_ns ||
		    args > SCOPE_ARG_MAX || bytes > (size_t)(end - pos))
			break;
		time_ns += scope_record_delta(record->word);
		pos += bytes;
	}
	decoder->pos = pos;
	decoder->time_ns = time_ns;
}

/*
 * One function for each record type: fills the members that this type has and returns the record's length; 0 if the
 * record is longer than `left` bytes or holds an impossible value. Its fixed part is within `left`.
 */
static size_t take_call(struct scope_event *event, uint8_t kind, uint16_t nr, uint8_t abi_args, const uint64_t *arg)
{
	event->kind = kind;
	event->syscall.nr = nr;
	event->syscall.abi = abi_args & 0xf;
	event->syscall.args = abi_args >> 4;
	event->syscall.arg = arg;
	return event->syscall.args * sizeof(*arg);
}

static size_t take_syscall(struct scope_decoder *decoder, const struct scope_record_syscall *record, size_t left,
			   struct scope_event *event)
{
	size_t bytes = sizeof(*record);
	uint64_t time_ns = decoder->next_ns;

	bytes += take_call(event, SCOPE_EVENT_SYSCALL, record->nr, record->abi_args, (const uint64_t *)(record + 1));
	event->flags = record->flags;
	event->syscall.enter_ns = record->duration_ns < time_ns ? time_ns - record->duration_ns : 0;
	/* The low half of a large value must not look like an error, which is negative. */
	event->syscall.ret = record->flags & SCOPE_SYSCALL_WIDE ? (int64_t)(uint32_t)record->ret : record->ret;
	return event->syscall.args <= SCOPE_ARG_MAX && bytes <= left ? bytes : 0;
}

static size_t take_enter(struct scope_decoder *decoder, const struct scope_record_enter *record, size_t left,
			 struct scope_event *event)
{
	size_t bytes = sizeof(*record);

	bytes += take_call(event, SCOPE_EVENT_ENTER, record->nr, record->abi_args, (const uint64_t *)(record + 1));
	event->flags = record->flags;
	event->syscall.enter_ns = record->enter_ns < decoder->next_ns ? record->enter_ns : decoder->next_ns;
	event->syscall.ret = 0;
	return event->syscall.args <= SCOPE_ARG_MAX && bytes <= left ? bytes : 0;
}

static size_t take_exit(struct scope_decoder *decoder, const struct scope_record_exit *record, size_t left,
			struct scope_event *event)
{
	(void)decoder;
	(void)left;
	take_call(event, SCOPE_EVENT_EXIT, record->nr, record->abi_args & 0xf, NULL);
	event->flags = record->flags;
	event->syscall.enter_ns = 0;
	event->syscall.ret = record->ret;
	return sizeof(*record);
}

static size_t take_switch(struct scope_decoder *decoder, const struct scope_record_switch *record, size_t left,
			  struct scope_event *event)
{
	uint32_t bits = record->bits;

	(void)left;
	event->kind = SCOPE_EVENT_SWITCH;
	event->sched.prev_tid = bits & SCOPE_SWITCH_PREV_TRACED ? decoder->tid : 0;
	event->sched.next_tid = bits & SCOPE_SWITCH_NEXT_TRACED ? bits & SCOPE_TID_MASK : 0;
	event->sched.other_tid = bits & SCOPE_SWITCH_NEXT_TRACED ? 0 : bits & SCOPE_TID_MASK;
	event->sched.prev_state = bits >> SCOPE_SWITCH_STATE_SHIFT & SCOPE_SWITCH_STATE_MASK;
	event->sched.preempted = bits & SCOPE_SWITCH_PREEMPT;
	event->sched.iowait = bits & SCOPE_SWITCH_IOWAIT;
	event->sched.memstall = bits & SCOPE_SWITCH_MEMSTALL;
	event->tid = event->sched.prev_tid;
	decoder->tid = event->sched.next_tid;
	return sizeof(*record);
}

static size_t take_waking(struct scope_decoder *decoder, const struct scope_record_waking *record, size_t left,
			  struct scope_event *event)
{
	uint32_t context = record->bits >> SCOPE_WAKING_CONTEXT_SHIFT & SCOPE_WAKING_CONTEXT_MASK;

	(void)left;
	event->kind = SCOPE_EVENT_WAKING;
	event->tid = record->bits & SCOPE_TID_MASK;
	event->waking.context = context;
	event->waking.interrupt = record->bits >> SCOPE_WAKING_INTERRUPT_SHIFT & SCOPE_WAKING_INTERRUPT_MASK;
	event->waking.waker_tid = context == SCOPE_CONTEXT_TASK ? decoder->tid : 0;
	event->waking.waker_tgid = 0;
	return sizeof(*record);
}

static size_t take_waking_from(struct scope_decoder *decoder, const struct scope_record_waking_from *record,
			       size_t left, struct scope_event *event)
{
	(void)decoder;
	(void)left;
	event->kind = SCOPE_EVENT_WAKING;
	event->tid = record->bits & SCOPE_TID_MASK;
	event->waking.context = record->bits >> SCOPE_WAKING_CONTEXT_SHIFT & SCOPE_WAKING_CONTEXT_MASK;
	event->waking.interrupt = record->bits >> SCOPE_WAKING_INTERRUPT_SHIFT & SCOPE_WAKING_INTERRUPT_MASK;
	event->waking.waker_tid = record->waker_tid;
	event->waking.waker_tgid = record->waker_tgid;
	return sizeof(*record);
}

static size_t take_fork(struct scope_decoder *decoder, const struct scope_record_fork *record, size_t left,
			struct scope_event *event)
{
	(void)decoder;
	(void)left;
	event->kind = SCOPE_EVENT_FORK;
	event->tid = record->child_tid;
	event->fork.parent_tid = record->parent_tid;
	event->fork.tgid = record->child_tgid;
	event->fork.comm = record->comm;
	return record->comm[SCOPE_COMM_BYTES - 1] ? 0 : sizeof(*record);
}

static size_t take_exec(struct scope_decoder *decoder, const struct scope_record_exec *record, size_t left,
			struct scope_event *event)
{
	(void)left;
	event->kind = SCOPE_EVENT_EXEC;
	event->tid = record->tid;
	event->exec.old_tid = record->old_tid;
	event->exec.tgid = record->tgid;
	event->exec.comm = record->comm;
	if (record->comm[SCOPE_COMM_BYTES - 1])
		return 0;
	decoder->tid = record->tid;
	return sizeof(*record);
}

static size_t take_thread_exit(struct scope_decoder *decoder, const struct scope_record_thread_exit *record,
			       size_t left, struct scope_event *event)
{
	(void)decoder;
	(void)left;
	event->kind = SCOPE_EVENT_THREAD_EXIT;
	event->tid = record->tid;
	event->flags = record->flags;
	event->exit.tgid = record->tgid;
	event->exit.last = record->flags & SCOPE_EXIT_LAST;
	event->exit.untraced = record->flags & SCOPE_EXIT_UNTRACED;
	return sizeof(*record);
}

static size_t take_state(struct scope_decoder *decoder, const struct scope_record_state *record, size_t left,
			 struct scope_event *event)
{
	size_t bytes = sizeof(*record) + (size_t)record->regs * sizeof(uint64_t);

	if (record->regs > SCOPE_REG_MAX || bytes > left || record->comm[SCOPE_COMM_BYTES - 1])
		return 0;
	event->kind = SCOPE_EVENT_STATE;
	event->flags = record->flags;
	event->tid = record->tid;
	event->state.record = record;
	event->state.reg = (const uint64_t *)(record + 1);
	decoder->state_tid = record->tid;
	decoder->after_state = (const uint8_t *)record + bytes;
	return bytes;
}

static void take_owner(const struct scope_decoder *decoder, const void *record, uint8_t reason,
		       struct scope_event *event)
{
	event->kind = SCOPE_EVENT_STACK;
	event->stack.reason = reason;
	if (reason == SCOPE_STACK_SYSCALL && record == decoder->after_state)
		event->tid = decoder->state_tid;
}

static size_t take_chain(struct scope_decoder *decoder, const struct scope_record_chain *record, size_t left,
			 struct scope_event *event)
{
	const uint64_t *ip = (const uint64_t *)(record + 1);
	size_t bytes = sizeof(*record) + record->count * sizeof(uint64_t);
	bool cost = record->flags & SCOPE_STACK_COST;

	if (cost)
		bytes += sizeof(uint64_t);
	if (record->count > SCOPE_STACK_DEPTH_MAX || bytes > left)
		return 0;
	take_owner(decoder, record, record->reason, event);
	event->flags = record->flags & ~SCOPE_STACK_COST;
	event->stack.ended = 0;
	event->stack.ips = record->count;
	if (record->flags & SCOPE_STACK_KERNEL_IP) {
		if (!record->count)
			return 0;
		event->stack.kernel_ip = ip[--event->stack.ips];
	}
	event->stack.ip = ip;
	event->stack.regs = 0;
	event->stack.reg = NULL;
	event->stack.bytes = 0;
	event->stack.since_ns = 0;
	event->stack.tasks = 0;
	event->stack.waited_s = 0;
	event->stack.cost_ns = cost ? (ip[record->count] < UINT32_MAX ? ip[record->count] : UINT32_MAX) : 0;
	event->stack.data = NULL;
	return bytes;
}

static size_t take_frames(struct scope_decoder *decoder, const struct scope_record_frames *record, size_t left,
			  struct scope_event *event)
{
	const uint64_t *ip = (const uint64_t *)(record + 1);
	const uint16_t kernel = record->flags & SCOPE_STACK_KERNEL_IP ? 1 : 0;
	const size_t bytes = sizeof(*record) + record->count * sizeof(uint64_t);

	if (record->count < kernel || record->count > SCOPE_FRAMES_MAX + kernel || bytes > left ||
	    !scope_trace_frames_ended(record->ended))
		return 0;
	take_owner(decoder, record, record->reason, event);
	event->flags = record->flags;
	event->stack.ended = record->ended;
	event->stack.ips = record->count - kernel;
	event->stack.ip = ip;
	event->stack.regs = 0;
	event->stack.reg = NULL;
	event->stack.bytes = 0;
	event->stack.tasks = record->reason == SCOPE_STACK_TASKS ? record->cost_ns : 0;
	event->stack.waited_s = record->reason == SCOPE_STACK_TASKS ? record->waited : 0;
	event->stack.cost_ns = record->reason == SCOPE_STACK_TASKS ? 0 : record->cost_ns;
	event->stack.since_ns = (uint64_t)record->since * SCOPE_FRAMES_SINCE_NS;
	event->stack.data = NULL;
	if (kernel)
		event->stack.kernel_ip = ip[event->stack.ips];
	return bytes;
}

static size_t take_stack(struct scope_decoder *decoder, const struct scope_record_stack *record, size_t left,
			 struct scope_event *event)
{
	const size_t regs_bytes = record->regs * sizeof(uint64_t);
	const uint32_t more = record->flags & SCOPE_STACK_KERNEL_IP ? sizeof(uint64_t) : 0;
	size_t bytes;

	if (record->regs > SCOPE_REG_MAX || record->bytes > SCOPE_EVENT_STACK_BYTES_MAX + more ||
	    record->bytes < more || (more && record->bytes % 8))
		return 0;
	bytes = sizeof(*record) + regs_bytes + (record->bytes + 7) / 8 * 8;
	if (bytes > left)
		return 0;
	take_owner(decoder, record, record->reason, event);
	event->flags = record->flags;
	event->stack.ended = 0;
	event->stack.ips = 0;
	event->stack.ip = NULL;
	event->stack.regs = record->regs;
	event->stack.reg = (const uint64_t *)(record + 1);
	event->stack.bytes = record->bytes - more;
	event->stack.since_ns = 0;
	event->stack.tasks = 0;
	event->stack.waited_s = 0;
	event->stack.cost_ns = record->cost_ns;
	event->stack.data = (const uint8_t *)(record + 1) + regs_bytes;
	if (more)
		memcpy(&event->stack.kernel_ip, event->stack.data + event->stack.bytes, more);
	return bytes;
}

static size_t take_comm(struct scope_decoder *decoder, const struct scope_record_comm *record, size_t left,
			struct scope_event *event)
{
	(void)decoder;
	(void)left;
	event->kind = SCOPE_EVENT_COMM;
	event->tid = record->tid;
	event->comm.tgid = record->tgid;
	event->comm.comm = record->comm;
	return record->comm[SCOPE_COMM_BYTES - 1] ? 0 : sizeof(*record);
}

static size_t take_block_issue(struct scope_decoder *decoder, const struct scope_record_block_issue *record,
			       size_t left, struct scope_event *event)
{
	(void)decoder;
	(void)left;
	event->kind = SCOPE_EVENT_BLOCK_ISSUE;
	event->tid = record->tid;
	event->flags = record->flags;
	event->block.sector = record->sector;
	event->block.ns = record->queue_ns;
	event->block.dev = record->dev;
	event->block.bytes = record->bytes;
	event->block.error = 0;
	event->block.op = record->op;
	return sizeof(*record);
}

static size_t take_block_done(struct scope_decoder *decoder, const struct scope_record_block_done *record, size_t left,
			      struct scope_event *event)
{
	(void)decoder;
	(void)left;
	event->kind = SCOPE_EVENT_BLOCK_DONE;
	event->tid = record->tid;
	event->flags = record->flags;
	event->block.sector = record->sector;
	event->block.ns = record->latency_ns;
	event->block.dev = record->dev;
	event->block.bytes = record->bytes;
	event->block.error = record->error;
	event->block.op = record->op;
	return sizeof(*record);
}

static size_t take_probe(struct scope_decoder *decoder, const struct scope_record_probe *record, size_t left,
			 struct scope_event *event)
{
	size_t bytes = sizeof(*record) + record->args * sizeof(uint64_t);

	(void)decoder;
	event->kind = SCOPE_EVENT_PROBE;
	event->flags = record->flags;
	event->probe.id = record->id;
	event->probe.args = record->args;
	event->probe.arg = (const uint64_t *)(record + 1);
	return record->args <= SCOPE_ARG_MAX && bytes <= left ? bytes : 0;
}

#define TAKE(NAME, name)                                                                                               \
	case SCOPE_RECORD_##NAME:                                                                                      \
		if (left >= sizeof(struct scope_record_##name))                                                        \
			bytes = take_##name(decoder, (const void *)decoder->pos, left, ret_event);                     \
		break

int scope_trace_decoder_take(struct scope_decoder *decoder, struct scope_event *ret_event)
{
	uint32_t type = scope_record_type(*(const uint32_t *)decoder->pos);
	const struct scope_fields *fields;
	size_t left = decoder->end - decoder->pos;
	size_t bytes = 0;

	ret_event->time_ns = decoder->next_ns;
	ret_event->tid = decoder->tid;
	ret_event->cpu = decoder->cpu;
	ret_event->flags = 0;
	/*
	 * This is set for a bad record, too, because the events of other CPUs up to this time may have been given
	 * already.
	 */
	decoder->time_ns = decoder->next_ns;
	switch (type) {
		TAKE(SYSCALL, syscall);
		TAKE(ENTER, enter);
		TAKE(EXIT, exit);
		TAKE(SWITCH, switch);
		TAKE(WAKING, waking);
		TAKE(WAKING_FROM, waking_from);
		TAKE(FORK, fork);
		TAKE(EXEC, exec);
		TAKE(THREAD_EXIT, thread_exit);
		TAKE(STATE, state);
		TAKE(CHAIN, chain);
		TAKE(STACK, stack);
		TAKE(COMM, comm);
		TAKE(BLOCK_ISSUE, block_issue);
		TAKE(BLOCK_DONE, block_done);
		TAKE(PROBE, probe);
		TAKE(FRAMES, frames);
	case SCOPE_RECORD_TIME:
		break;
	default:
		fields = scope_trace_fields_of_type(type);
		if (!fields) {
			decoder->problem = "a record of a type that is not known";
			return -EBADMSG;
		}
		bytes = scope_trace_fields_decode(fields, decoder->pos, left, ret_event);
	}
	if (!bytes) {
		decoder->problem = "a record that is cut short or holds an impossible value";
		return -EBADMSG;
	}
	decoder->pos += bytes;
	return 0;
}

size_t scope_trace_decoder_batch(struct scope_decoder *decoder, struct scope_event *ret_event, size_t max)
{
	size_t count = 0;

	while (count < max && scope_trace_decoder_peek(decoder) &&
	       !scope_trace_decoder_take(decoder, &ret_event[count]))
		count++;
	return count;
}
