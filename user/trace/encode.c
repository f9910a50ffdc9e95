// SPDX-License-Identifier: GPL-2.0-only
/* Turns one event into the record the module would write. */
#include "trace/encode.h"

#include <errno.h>
#include <string.h>

#include "trace/fields.h"

static int encode_args(const struct scope_event *event, uint64_t *arg, struct scope_error *error)
{
	if (event->syscall.args > SCOPE_ARG_MAX || event->syscall.abi > 0xf)
		return scope_error_set(error, -EINVAL,
				       "a call with %u arguments and ABI %u; at "
				       "most %d and 15 can be stored",
				       event->syscall.args, event->syscall.abi, SCOPE_ARG_MAX);
	if (event->syscall.args)
		memcpy(arg, event->syscall.arg, event->syscall.args * sizeof(*arg));
	return 0;
}

static int encode_syscall(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_syscall *record = buffer;
	uint64_t duration_ns = event->time_ns - event->syscall.enter_ns;

	if (event->syscall.enter_ns > event->time_ns)
		return scope_error_set(error, -EINVAL, "a call that returns before it is entered");
	if (duration_ns > UINT32_MAX)
		return scope_error_set(error, -EINVAL,
				       "a call of %llu ns; above %u it must be two "
				       "events, enter and exit",
				       (unsigned long long)duration_ns, UINT32_MAX);
	*record = (struct scope_record_syscall){
		.word = scope_record_word(SCOPE_RECORD_SYSCALL, 0),
		.nr = event->syscall.nr,
		.abi_args = scope_abi_args(event->syscall.abi, event->syscall.args),
		.flags = event->flags,
		.duration_ns = duration_ns,
		.ret = (int32_t)event->syscall.ret,
	};
	if (event->syscall.ret != record->ret)
		record->flags |= SCOPE_SYSCALL_WIDE;
	*ret_bytes = sizeof(*record) + event->syscall.args * sizeof(uint64_t);
	return encode_args(event, (uint64_t *)(record + 1), error);
}

static int encode_enter(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_enter *record = buffer;

	if (event->syscall.enter_ns > event->time_ns)
		return scope_error_set(error, -EINVAL, "a call entered later than the event");
	*record = (struct scope_record_enter){
		.word = scope_record_word(SCOPE_RECORD_ENTER, 0),
		.nr = event->syscall.nr,
		.abi_args = scope_abi_args(event->syscall.abi, event->syscall.args),
		.enter_ns = event->syscall.enter_ns,
	};
	*ret_bytes = sizeof(*record) + event->syscall.args * sizeof(uint64_t);
	return encode_args(event, (uint64_t *)(record + 1), error);
}

static int encode_exit(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_exit *record = buffer;

	(void)error;
	*record = (struct scope_record_exit){
		.word = scope_record_word(SCOPE_RECORD_EXIT, 0),
		.nr = event->syscall.nr,
		.abi_args = scope_abi_args(event->syscall.abi, 0),
		.ret = event->syscall.ret,
	};
	*ret_bytes = sizeof(*record);
	return 0;
}

static int check_tid(uint32_t tid, struct scope_error *error)
{
	if (tid <= SCOPE_TID_MASK)
		return 0;
	return scope_error_set(error, -EINVAL, "thread %u; Linux numbers them up to %u", tid, SCOPE_TID_MASK);
}

static int encode_switch(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_switch *record = buffer;
	const uint32_t tid = event->sched.next_tid ? event->sched.next_tid : event->sched.other_tid;
	uint32_t bits = tid;

	if (event->sched.prev_state > SCOPE_SWITCH_STATE_MASK)
		return scope_error_set(error, -EINVAL, "state %u; at most %u can be stored", event->sched.prev_state,
				       SCOPE_SWITCH_STATE_MASK);
	bits |= (uint32_t)event->sched.prev_state << SCOPE_SWITCH_STATE_SHIFT;
	bits |= event->sched.next_tid ? SCOPE_SWITCH_NEXT_TRACED : 0;
	bits |= event->sched.prev_tid ? SCOPE_SWITCH_PREV_TRACED : 0;
	bits |= event->sched.preempted ? SCOPE_SWITCH_PREEMPT : 0;
	bits |= event->sched.iowait ? SCOPE_SWITCH_IOWAIT : 0;
	bits |= event->sched.memstall ? SCOPE_SWITCH_MEMSTALL : 0;
	*record = (struct scope_record_switch){
		.word = scope_record_word(SCOPE_RECORD_SWITCH, 0),
		.bits = bits,
	};
	*ret_bytes = sizeof(*record);
	return check_tid(tid, error);
}

/* The record itself names the waker, unless it is the thread on this CPU. */
static bool names_waker(const struct scope_event *event)
{
	return event->waking.waker_tgid || (event->waking.waker_tid && event->waking.context != SCOPE_CONTEXT_TASK);
}

static int encode_waking(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_waking_from *from = buffer;
	struct scope_record_waking *record = buffer;
	uint32_t bits = event->tid | (uint32_t)event->waking.context << SCOPE_WAKING_CONTEXT_SHIFT |
			(uint32_t)event->waking.interrupt << SCOPE_WAKING_INTERRUPT_SHIFT;

	if (event->waking.context > SCOPE_WAKING_CONTEXT_MASK)
		return scope_error_set(error, -EINVAL, "context %u; at most %u can be stored", event->waking.context,
				       SCOPE_WAKING_CONTEXT_MASK);
	if (event->waking.interrupt > SCOPE_WAKING_INTERRUPT_MASK)
		return scope_error_set(error, -EINVAL, "interrupt %u; at most %u can be stored",
				       event->waking.interrupt, SCOPE_WAKING_INTERRUPT_MASK);
	if (names_waker(event)) {
		*from = (struct scope_record_waking_from){
			.word = scope_record_word(SCOPE_RECORD_WAKING_FROM, 0),
			.bits = bits,
			.waker_tid = event->waking.waker_tid,
			.waker_tgid = event->waking.waker_tgid,
		};
		*ret_bytes = sizeof(*from);
	} else {
		*record = (struct scope_record_waking){
			.word = scope_record_word(SCOPE_RECORD_WAKING, 0),
			.bits = bits,
		};
		*ret_bytes = sizeof(*record);
	}
	return check_tid(event->tid, error);
}

/* comm may be longer than the kernel's names: it is cut as the kernel cuts names. */
static void copy_comm(char *to, const char *comm)
{
	size_t bytes = strnlen(comm, SCOPE_COMM_BYTES - 1);

	memset(to, 0, SCOPE_COMM_BYTES);
	memcpy(to, comm, bytes);
}

static int encode_fork(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_fork *record = buffer;

	(void)error;
	record->word = scope_record_word(SCOPE_RECORD_FORK, 0);
	record->parent_tid = event->fork.parent_tid;
	record->child_tid = event->tid;
	record->child_tgid = event->fork.tgid;
	copy_comm(record->comm, event->fork.comm);
	*ret_bytes = sizeof(*record);
	return 0;
}

static int encode_exec(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_exec *record = buffer;

	(void)error;
	record->word = scope_record_word(SCOPE_RECORD_EXEC, 0);
	record->tid = event->tid;
	record->old_tid = event->exec.old_tid;
	record->tgid = event->exec.tgid;
	copy_comm(record->comm, event->exec.comm);
	*ret_bytes = sizeof(*record);
	return 0;
}

static int encode_thread_exit(const struct scope_event *event, void *buffer, struct scope_error *error,
			      size_t *ret_bytes)
{
	struct scope_record_thread_exit *record = buffer;

	(void)error;
	record->word = scope_record_word(SCOPE_RECORD_THREAD_EXIT, 0);
	record->tid = event->tid;
	record->tgid = event->exit.tgid;
	record->flags = (event->exit.last ? SCOPE_EXIT_LAST : 0) | (event->exit.untraced ? SCOPE_EXIT_UNTRACED : 0);
	*ret_bytes = sizeof(*record);
	return 0;
}

static int encode_state(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_state *record = buffer;
	size_t regs_bytes;

	*record = *event->state.record;
	if (record->regs > SCOPE_REG_MAX)
		return scope_error_set(error, -EINVAL, "%u registers; at most %d can be stored", record->regs,
				       SCOPE_REG_MAX);
	regs_bytes = record->regs * sizeof(uint64_t);
	record->word = scope_record_word(SCOPE_RECORD_STATE, 0);
	record->comm[SCOPE_COMM_BYTES - 1] = '\0';
	if (regs_bytes)
		memcpy(record + 1, event->state.reg, regs_bytes);
	*ret_bytes = sizeof(*record) + regs_bytes;
	return 0;
}

static int encode_chain(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_chain *record = buffer;
	const bool kernel = event->flags & SCOPE_STACK_KERNEL_IP;
	size_t ips_bytes = event->stack.ips * sizeof(uint64_t);

	if (event->stack.ips + kernel > SCOPE_STACK_DEPTH_MAX)
		return scope_error_set(error, -EINVAL, "a chain of %u; at most %d can be stored", event->stack.ips,
				       SCOPE_STACK_DEPTH_MAX - kernel);
	*record = (struct scope_record_chain){
		.word = scope_record_word(SCOPE_RECORD_CHAIN, 0),
		.reason = event->stack.reason,
		.flags = event->flags & ~SCOPE_STACK_COST,
		.count = event->stack.ips + kernel,
	};
	if (ips_bytes)
		memcpy(record + 1, event->stack.ip, ips_bytes);
	if (kernel) {
		((uint64_t *)(record + 1))[event->stack.ips] = event->stack.kernel_ip;
		ips_bytes += sizeof(uint64_t);
	}
	if (event->stack.cost_ns) {
		record->flags |= SCOPE_STACK_COST;
		((uint64_t *)(record + 1))[record->count] = event->stack.cost_ns;
		ips_bytes += sizeof(uint64_t);
	}
	*ret_bytes = sizeof(*record) + ips_bytes;
	return 0;
}

static int encode_frames(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_frames *record = buffer;
	uint64_t *ip = (uint64_t *)(record + 1);
	const bool kernel = event->flags & SCOPE_STACK_KERNEL_IP;
	const uint64_t since = event->stack.since_ns / SCOPE_FRAMES_SINCE_NS;

	if (event->stack.ips > SCOPE_FRAMES_MAX)
		return scope_error_set(error, -EINVAL, "a stack of %u frames; at most %d can be stored",
				       event->stack.ips, SCOPE_FRAMES_MAX);
	if (!scope_trace_frames_ended(event->stack.ended))
		return scope_error_set(error, -EINVAL, "a stack was unwound, or cut, or broken: one of them");
	*record = (struct scope_record_frames){
		.word = scope_record_word(SCOPE_RECORD_FRAMES, 0),
		.reason = event->stack.reason,
		.flags = event->flags,
		.count = event->stack.ips + kernel,
		.cost_ns = event->stack.reason == SCOPE_STACK_TASKS ? event->stack.tasks : event->stack.cost_ns,
		.ended = event->stack.ended,
		.waited = event->stack.waited_s,
		.since = (uint16_t)(since < UINT16_MAX ? since : UINT16_MAX),
	};
	if (event->stack.ips)
		memcpy(ip, event->stack.ip, event->stack.ips * sizeof(*ip));
	if (kernel)
		ip[event->stack.ips] = event->stack.kernel_ip;
	*ret_bytes = sizeof(*record) + record->count * sizeof(*ip);
	return 0;
}

static int encode_stack(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_stack *record = buffer;
	size_t regs_bytes = event->stack.regs * sizeof(uint64_t);
	const bool kernel = event->flags & SCOPE_STACK_KERNEL_IP;
	size_t padded = (event->stack.bytes + 7ull) / 8 * 8;
	uint8_t *data;

	if (event->stack.ended)
		return encode_frames(event, buffer, error, ret_bytes);
	if (!event->stack.reg)
		return encode_chain(event, buffer, error, ret_bytes);
	if (event->stack.regs > SCOPE_REG_MAX || event->stack.bytes > SCOPE_EVENT_STACK_BYTES_MAX)
		return scope_error_set(error, -EINVAL,
				       "a stack of %u registers and %u bytes; at "
				       "most %d and %d can be stored",
				       event->stack.regs, event->stack.bytes, SCOPE_REG_MAX,
				       SCOPE_EVENT_STACK_BYTES_MAX);
	*record = (struct scope_record_stack){
		.word = scope_record_word(SCOPE_RECORD_STACK, 0),
		.reason = event->stack.reason,
		.flags = event->flags,
		.regs = event->stack.regs,
		.bytes = kernel ? padded + sizeof(uint64_t) : event->stack.bytes,
		.cost_ns = event->stack.cost_ns,
	};
	memcpy(record + 1, event->stack.reg, regs_bytes);
	data = (uint8_t *)(record + 1) + regs_bytes;
	memset(data, 0, padded);
	if (event->stack.bytes)
		memcpy(data, event->stack.data, event->stack.bytes);
	if (kernel) {
		memcpy(data + padded, &event->stack.kernel_ip, sizeof(uint64_t));
		padded += sizeof(uint64_t);
	}
	*ret_bytes = sizeof(*record) + regs_bytes + padded;
	return 0;
}

static int encode_comm(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_comm *record = buffer;

	(void)error;
	*record = (struct scope_record_comm){
		.word = scope_record_word(SCOPE_RECORD_COMM, 0),
		.tid = event->tid,
		.tgid = event->comm.tgid,
	};
	copy_comm(record->comm, event->comm.comm);
	*ret_bytes = sizeof(*record);
	return 0;
}

static int encode_block_issue(const struct scope_event *event, void *buffer, struct scope_error *error,
			      size_t *ret_bytes)
{
	struct scope_record_block_issue *record = buffer;

	if (event->block.ns > UINT32_MAX)
		return scope_error_set(error, -EINVAL, "queued for %llu ns; at most %u can be stored",
				       (unsigned long long)event->block.ns, UINT32_MAX);
	*record = (struct scope_record_block_issue){
		.word = scope_record_word(SCOPE_RECORD_BLOCK_ISSUE, 0),
		.tid = event->tid,
		.sector = event->block.sector,
		.dev = event->block.dev,
		.bytes = event->block.bytes,
		.queue_ns = (uint32_t)event->block.ns,
		.op = event->block.op,
		.flags = event->flags,
	};
	*ret_bytes = sizeof(*record);
	return 0;
}

static int encode_block_done(const struct scope_event *event, void *buffer, struct scope_error *error,
			     size_t *ret_bytes)
{
	struct scope_record_block_done *record = buffer;

	(void)error;
	*record = (struct scope_record_block_done){
		.word = scope_record_word(SCOPE_RECORD_BLOCK_DONE, 0),
		.tid = event->tid,
		.sector = event->block.sector,
		.dev = event->block.dev,
		.bytes = event->block.bytes,
		.latency_ns = event->block.ns,
		.error = event->block.error,
		.op = event->block.op,
		.flags = event->flags,
	};
	*ret_bytes = sizeof(*record);
	return 0;
}

static int encode_probe(const struct scope_event *event, void *buffer, struct scope_error *error, size_t *ret_bytes)
{
	struct scope_record_probe *record = buffer;
	size_t args_bytes = event->probe.args * sizeof(uint64_t);

	if (event->probe.args > SCOPE_ARG_MAX)
		return scope_error_set(error, -EINVAL,
				       "a probe with %u values; at most %d can be "
				       "stored",
				       event->probe.args, SCOPE_ARG_MAX);
	*record = (struct scope_record_probe){
		.word = scope_record_word(SCOPE_RECORD_PROBE, 0),
		.id = event->probe.id,
		.flags = event->flags,
		.args = event->probe.args,
	};
	if (args_bytes)
		memcpy(record + 1, event->probe.arg, args_bytes);
	*ret_bytes = sizeof(*record) + args_bytes;
	return 0;
}

int scope_trace_event_encode(const struct scope_event *event, void *buffer, struct scope_error *error,
			     size_t *ret_bytes)
{
	static int (*const encode[SCOPE_EVENT_KINDS])(const struct scope_event *event, void *buffer,
						      struct scope_error *error, size_t *ret_bytes) = {
		[SCOPE_EVENT_SYSCALL] = encode_syscall,
		[SCOPE_EVENT_ENTER] = encode_enter,
		[SCOPE_EVENT_EXIT] = encode_exit,
		[SCOPE_EVENT_SWITCH] = encode_switch,
		[SCOPE_EVENT_WAKING] = encode_waking,
		[SCOPE_EVENT_FORK] = encode_fork,
		[SCOPE_EVENT_EXEC] = encode_exec,
		[SCOPE_EVENT_THREAD_EXIT] = encode_thread_exit,
		[SCOPE_EVENT_STATE] = encode_state,
		[SCOPE_EVENT_STACK] = encode_stack,
		[SCOPE_EVENT_COMM] = encode_comm,
		[SCOPE_EVENT_BLOCK_ISSUE] = encode_block_issue,
		[SCOPE_EVENT_BLOCK_DONE] = encode_block_done,
		[SCOPE_EVENT_PROBE] = encode_probe,
	};

	const struct scope_fields *fields;

	if (event->kind < SCOPE_EVENT_KINDS && encode[event->kind])
		return encode[event->kind](event, buffer, error, ret_bytes);
	fields = scope_trace_fields_of_kind(event->kind);
	if (!fields)
		return scope_error_set(error, -EINVAL, "an event that has no record");
	return scope_trace_fields_encode(fields, event, buffer, error, ret_bytes);
}

bool scope_trace_event_context(const struct scope_event *event, uint32_t *ret_tid)
{
	switch (event->kind) {
	case SCOPE_EVENT_SYSCALL:
	case SCOPE_EVENT_ENTER:
	case SCOPE_EVENT_EXIT:
	case SCOPE_EVENT_STACK:
	case SCOPE_EVENT_PROBE:
		*ret_tid = event->tid;
		return true;
	case SCOPE_EVENT_SWITCH:
		if (!event->sched.prev_tid)
			return false;
		*ret_tid = event->sched.prev_tid;
		return true;
	case SCOPE_EVENT_WAKING:
		if (names_waker(event) || event->waking.context != SCOPE_CONTEXT_TASK)
			return false;
		*ret_tid = event->waking.waker_tid;
		return true;
	}
	*ret_tid = event->tid;
	return scope_trace_fields_of_kind(event->kind) != NULL;
}
