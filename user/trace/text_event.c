// SPDX-License-Identifier: GPL-2.0-only
/* Parses the lines of the text form that are events. */
#include "trace/text_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall_name.h"
#include "trace/decode.h"
#include "trace/fields.h"

static uint16_t parse_nr(struct scope_line *line, const char *text)
{
	uint16_t nr = 0;

	if (*text >= '0' && *text <= '9')
		return scope_trace_line_parse(line, "the system call", text, UINT16_MAX);
	if (scope_syscall_number(text, &nr))
		scope_trace_line_fail(line, "there is no system call '%.40s'; give its number", text);
	return nr;
}

static void parse_comm(struct scope_line *line, char *comm)
{
	char *text = scope_trace_line_find(line, "comm");

	memset(comm, 0, SCOPE_COMM_BYTES);
	if (!text) {
		scope_trace_line_fail(line, "comm= is missing");
		return;
	}
	scope_trace_line_unescape(line, text);
	if (strlen(text) >= SCOPE_COMM_BYTES)
		scope_trace_line_fail(line, "comm= has more than %d bytes", SCOPE_COMM_BYTES - 1);
	else
		memcpy(comm, text, strlen(text));
}

static void parse_args(struct scope_line *line, struct scope_text_payload *payload)
{
	char *text = scope_trace_line_find(line, "args");

	if (text)
		payload->numbers = scope_trace_line_list(line, "args", text, SCOPE_ARG_MAX, payload->number);
}

static int64_t parse_ret(struct scope_line *line)
{
	const char *text = scope_trace_line_find(line, "ret");

	if (!text) {
		scope_trace_line_fail(line, "ret= is missing");
		return 0;
	}
	if (*text == '-') /* negated as unsigned, because -INT64_MIN does not exist */
		return (int64_t)(0 - scope_trace_line_parse(line, "ret", text + 1, 1ull << 63));
	return (int64_t)scope_trace_line_parse(line, "ret", text, UINT64_MAX);
}

static void take_syscall(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	const char *nr = scope_trace_line_string(line, "the system call");

	event->syscall.nr = parse_nr(line, nr);
	if (event->kind != SCOPE_EVENT_EXIT) {
		event->syscall.enter_ns = scope_trace_line_need(line, "enter", event->time_ns);
		parse_args(line, payload);
		event->syscall.args = payload->numbers;
		event->syscall.arg = payload->number;
	}
	if (event->kind != SCOPE_EVENT_ENTER)
		event->syscall.ret = parse_ret(line);
	if (event->kind == SCOPE_EVENT_SYSCALL && scope_trace_line_flag(line, "wide"))
		event->flags = SCOPE_SYSCALL_WIDE;
	event->syscall.abi = scope_trace_line_value(line, "abi", 15, SCOPE_ABI_NATIVE);
}

static void take_switch(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	(void)payload;
	event->sched.prev_tid = event->tid;
	event->sched.next_tid = scope_trace_line_number(line, "the next thread", SCOPE_TID_MASK);
	event->sched.prev_state =
		scope_trace_line_name(line, "a state", &scope_trace_text_states, SCOPE_SWITCH_STATE_MASK);
	event->sched.preempted = scope_trace_line_flag(line, "preempted");
	event->sched.iowait = scope_trace_line_flag(line, "iowait");
	event->sched.memstall = scope_trace_line_flag(line, "memstall");
	event->sched.other_tid = (uint32_t)scope_trace_line_value(line, "other", SCOPE_TID_MASK, 0);
	if (event->sched.other_tid && event->sched.next_tid)
		scope_trace_line_fail(line, "the next thread is traced: there is no other one");
}

static void take_waking(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	const char *tgid;

	(void)payload;
	if (event->tid > SCOPE_TID_MASK)
		scope_trace_line_fail(line, "a thread's number is at most %u", SCOPE_TID_MASK);
	if (!scope_trace_line_literal(line, "from"))
		scope_trace_line_fail(line, "'from' is missing");
	if (!scope_trace_line_literal(line, "-"))
		event->waking.waker_tid = scope_trace_line_number(line, "the waker", UINT32_MAX);
	if (scope_trace_line_more(line) && !strncmp(line->word[line->next], "tgid=", 5)) {
		tgid = scope_trace_line_string(line, "tgid=") + 5;
		event->waking.waker_tgid = scope_trace_line_parse(line, "tgid", tgid, UINT32_MAX);
	}
	event->waking.context =
		scope_trace_line_name(line, "a context", &scope_trace_text_contexts, SCOPE_WAKING_CONTEXT_MASK);
	if (scope_trace_line_more(line))
		event->waking.interrupt = scope_trace_line_name(line, "an interrupt", &scope_trace_text_interrupts,
								SCOPE_WAKING_INTERRUPT_MASK);
}

static void take_fork(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	event->fork.parent_tid = scope_trace_line_need(line, "parent", UINT32_MAX);
	event->fork.tgid = scope_trace_line_need(line, "tgid", UINT32_MAX);
	event->fork.comm = payload->comm;
	parse_comm(line, payload->comm);
}

static void take_exec(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	event->exec.old_tid = scope_trace_line_need(line, "old", UINT32_MAX);
	event->exec.tgid = scope_trace_line_need(line, "tgid", UINT32_MAX);
	event->exec.comm = payload->comm;
	parse_comm(line, payload->comm);
}

static void take_thread_exit(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	(void)payload;
	event->exit.tgid = scope_trace_line_need(line, "tgid", UINT32_MAX);
	event->exit.last = scope_trace_line_flag(line, "last");
	event->exit.untraced = scope_trace_line_flag(line, "untraced");
}

static uint8_t parse_state(struct scope_line *line)
{
	const char *text = scope_trace_line_find(line, "state");

	if (!text) {
		scope_trace_line_fail(line, "state= is missing");
		return 0;
	}
	for (unsigned int i = 0; i < scope_trace_text_states.count; i++)
		if (!strcmp(scope_trace_text_states.word[i], text))
			return i;
	return scope_trace_line_parse(line, "state", text, UINT8_MAX);
}

static void take_state(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	struct scope_record_state *record = &payload->state;
	const char *nr = scope_trace_line_find(line, "nr");
	char *regs = scope_trace_line_find(line, "regs");

	memset(record, 0, sizeof(*record));
	record->tid = event->tid;
	record->tgid = scope_trace_line_need(line, "tgid", UINT32_MAX);
	record->state = parse_state(line);
	record->nr = nr && strcmp(nr, "-") ? parse_nr(line, nr) : SCOPE_NR_NONE;
	record->since_ns = scope_trace_line_value(line, "since", UINT64_MAX, 0);
	record->run_ns = scope_trace_line_value(line, "run", UINT64_MAX, 0);
	record->abi = scope_trace_line_value(line, "abi", UINT32_MAX, SCOPE_ABI_NATIVE);
	record->flags = scope_trace_line_flags(line, scope_trace_text_state_flags);
	parse_comm(line, record->comm);
	parse_args(line, payload);
	memcpy(record->arg, payload->number, payload->numbers * sizeof(record->arg[0]));
	payload->numbers = regs ? scope_trace_line_list(line, "regs", regs, SCOPE_REG_MAX, payload->number) : 0;
	record->regs = payload->numbers;
	event->state.record = record;
	event->state.reg = payload->number;
}

static void take_copied(struct scope_line *line, struct scope_text_payload *payload, char *regs,
			struct scope_event *event)
{
	const char *data = scope_trace_line_find(line, "data");

	payload->numbers = scope_trace_line_list(line, "regs", regs, SCOPE_REG_MAX, payload->number);
	event->stack.regs = payload->numbers;
	event->stack.reg = payload->number;
	event->stack.data = payload->data;
	if (data)
		event->stack.bytes = scope_trace_line_hex(line, "data", data, sizeof(payload->data), payload->data);
}

static void take_stack(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	const char *word = line->word[2];
	const uint8_t reason = !strcmp(word, "sample")	   ? SCOPE_STACK_SAMPLE
			       : !strcmp(word, "snapshot") ? SCOPE_STACK_SNAPSHOT
			       : !strcmp(word, "tasks")	   ? SCOPE_STACK_TASKS
							   : SCOPE_STACK_SYSCALL;
	char *regs = scope_trace_line_find(line, "regs"), *kernel;
	const uint8_t ended = regs ? 0 : scope_trace_line_flags(line, scope_trace_text_ended_flags);

	if (regs) {
		take_copied(line, payload, regs, event);
	} else if (scope_trace_line_more(line)) {
		/* Uses the word itself, which is cut in place. "-" is an empty list. */
		char *ips = line->word[line->next];

		scope_trace_line_string(line, "the addresses");
		payload->numbers = scope_trace_line_list(
			line, "the stack", ips, ended ? SCOPE_FRAMES_MAX : SCOPE_STACK_DEPTH_MAX, payload->number);
		event->stack.ended = ended;
		event->stack.ips = payload->numbers;
		event->stack.ip = payload->number;
	} else {
		scope_trace_line_fail(line, "the addresses are missing ('-' for none)");
	}
	event->stack.cost_ns = scope_trace_line_value(line, "cost", UINT32_MAX, 0);
	event->stack.tasks = scope_trace_line_value(line, "count", UINT32_MAX, 0);
	event->stack.waited_s = scope_trace_line_value(line, "waited", UINT8_MAX, 0);
	event->stack.since_ns = scope_trace_line_value(line, "since", UINT16_MAX * (uint64_t)SCOPE_FRAMES_SINCE_NS, 0);
	event->stack.reason = scope_trace_line_value(line, "reason", UINT8_MAX, reason);
	kernel = scope_trace_line_find(line, "kernel_ip");
	event->stack.kernel_ip = kernel ? scope_trace_line_parse(line, "kernel_ip", kernel, UINT64_MAX) : 0;
	event->flags = scope_trace_line_flags(line, scope_trace_text_stack_flags) |
		       (kernel ? SCOPE_STACK_KERNEL_IP : 0);
}

static void take_comm(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	event->comm.tgid = scope_trace_line_need(line, "tgid", UINT32_MAX);
	event->comm.comm = payload->comm;
	parse_comm(line, payload->comm);
}

static uint32_t parse_device(struct scope_line *line)
{
	char *text = scope_trace_line_find(line, "dev");
	uint64_t number[2] = { 0 };

	if (!text || scope_trace_line_list(line, "dev", text, 2, number) != 2)
		scope_trace_line_fail(line, "dev= must be two numbers: major,minor");
	if (number[0] >> (32 - SCOPE_BLOCK_MINOR_BITS) || number[1] >> SCOPE_BLOCK_MINOR_BITS)
		scope_trace_line_fail(line, "dev= is beyond any device");
	return (uint32_t)(number[0] << SCOPE_BLOCK_MINOR_BITS | number[1]);
}

static void take_block(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	bool done = event->kind == SCOPE_EVENT_BLOCK_DONE;

	(void)payload;
	event->block.op = scope_trace_line_name(line, "an operation", &scope_trace_text_block_ops, UINT8_MAX);
	event->block.dev = parse_device(line);
	event->block.sector = scope_trace_line_need(line, "sector", UINT64_MAX);
	event->block.bytes = scope_trace_line_need(line, "bytes", UINT32_MAX);
	event->block.ns = done ? scope_trace_line_need(line, "latency", UINT64_MAX)
			       : scope_trace_line_value(line, "queued", UINT32_MAX, 0);
	if (done)
		event->block.error = (int32_t)(0 - (uint32_t)scope_trace_line_value(line, "error", UINT32_MAX, 0));
	event->flags = scope_trace_line_flags(line, scope_trace_text_block_flags);
}

static void take_probe(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	event->probe.id = scope_trace_line_number(line, "the probe", UINT16_MAX);
	parse_args(line, payload);
	event->probe.args = payload->numbers;
	event->probe.arg = payload->number;
	event->flags = scope_trace_line_flags(line, scope_trace_text_probe_flags);
}

static const struct {
	const char *word;
	uint8_t kind;
	void (*take)(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event);
} rows[] = {
	{ "syscall", SCOPE_EVENT_SYSCALL, take_syscall },
	{ "enter", SCOPE_EVENT_ENTER, take_syscall },
	{ "exit", SCOPE_EVENT_EXIT, take_syscall },
	{ "switch", SCOPE_EVENT_SWITCH, take_switch },
	{ "waking", SCOPE_EVENT_WAKING, take_waking },
	{ "fork", SCOPE_EVENT_FORK, take_fork },
	{ "exec", SCOPE_EVENT_EXEC, take_exec },
	{ "thread_exit", SCOPE_EVENT_THREAD_EXIT, take_thread_exit },
	{ "state", SCOPE_EVENT_STATE, take_state },
	{ "stack", SCOPE_EVENT_STACK, take_stack },
	{ "sample", SCOPE_EVENT_STACK, take_stack },
	{ "snapshot", SCOPE_EVENT_STACK, take_stack },
	{ "tasks", SCOPE_EVENT_STACK, take_stack },
	{ "comm", SCOPE_EVENT_COMM, take_comm },
	{ "block_issue", SCOPE_EVENT_BLOCK_ISSUE, take_block },
	{ "block_done", SCOPE_EVENT_BLOCK_DONE, take_block },
	{ "probe", SCOPE_EVENT_PROBE, take_probe },
};

/* Returns false if there is no such event; the line's error says so. */
static bool take_event(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *event)
{
	const char *word = scope_trace_line_string(line, "the event");
	const struct scope_fields *fields = scope_trace_fields_of_word(word);
	size_t row = 0;

	while (!fields && row < sizeof(rows) / sizeof(rows[0]) && strcmp(rows[row].word, word))
		row++;
	if (!fields && row == sizeof(rows) / sizeof(rows[0])) {
		scope_trace_line_fail(line, "'%.40s' is no event", word);
		return false;
	}
	event->kind = fields ? scope_trace_fields_kind(fields) : rows[row].kind;
	event->tid = scope_trace_line_number(line, "the thread", UINT32_MAX);
	if (fields)
		scope_trace_fields_parse(fields, line, event);
	else
		rows[row].take(line, payload, event);
	return true;
}

int scope_trace_text_event(struct scope_line *line, struct scope_text_payload *payload, struct scope_event *ret_event)
{
	struct scope_event event = { 0 };

	payload->numbers = 0;
	event.time_ns = scope_trace_line_number(line, "the time", SCOPE_TIME_LIMIT_NS - 1);
	event.cpu = scope_trace_line_number(line, "the CPU", UINT16_MAX);
	if (scope_trace_line_literal(line, "lost")) {
		event.kind = SCOPE_EVENT_LOST;
		event.lost.count = scope_trace_line_number(line, "the count", UINT64_MAX >> 8);
	} else if (!take_event(line, payload, &event)) {
		return line->err;
	}
	if (scope_trace_line_end(line))
		return line->err;
	*ret_event = event;
	return 0;
}
