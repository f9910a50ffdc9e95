// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the trace of a server with many groups of threads that wait for one another's locks.
 *
 * Usage: locks_trace EVENTS GROUPS LOCKS FILE
 * Each group has two threads of one name. In each round two threads of different groups take a request each; one waits
 * for a lock that the other has. In the next round they exchange these parts. No stacks: their number does not depend
 * on that of locks.
 */
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "trace/packer.h"

#define TGID 1000u
#define START_NS 1000000000000ull
#define ROUND_NS 60000u
#define FD 7
#define LOCKS_AT 0x7f0000000000ull

struct story {
	struct scope_packer *packer;
	struct scope_error error;
	uint64_t events, now_ns, locks;
	uint32_t threads;
	int failed;
};

static void put(struct story *story, struct scope_event *event, uint16_t cpu, uint64_t time_ns)
{
	event->cpu = cpu;
	event->time_ns = time_ns;
	if (!story->failed)
		story->failed = scope_trace_packer_event(story->packer, event, &story->error);
	story->events++;
}

struct call {
	uint16_t nr;
	int64_t ret;
	uint8_t args;
	uint64_t arg[3];
};

static const struct call take = { SYS_read, 64, 1, { FD, 0, 0 } }, answer = { SYS_sendto, 64, 1, { FD, 0, 0 } };

static void put_call(struct story *story, uint16_t cpu, uint32_t tid, uint8_t kind, const struct call *call,
		     uint64_t enter_ns, uint64_t time_ns)
{
	struct scope_event event = { .kind = kind, .tid = tid };

	event.syscall.enter_ns = enter_ns;
	event.syscall.nr = call->nr;
	event.syscall.ret = call->ret;
	event.syscall.args = kind == SCOPE_EVENT_EXIT ? 0 : call->args;
	event.syscall.arg = call->arg;
	put(story, &event, cpu, time_ns);
}

static void put_switch(struct story *story, uint16_t cpu, uint32_t from, uint32_t to, uint64_t time_ns)
{
	struct scope_event event = { .kind = SCOPE_EVENT_SWITCH, .tid = from };

	event.sched.prev_tid = from;
	event.sched.next_tid = to;
	event.sched.prev_state = from ? SCOPE_STATE_SLEEPING : SCOPE_STATE_RUNNABLE;
	put(story, &event, cpu, time_ns);
}

/* waker 0: an interrupt. */
static void put_waking(struct story *story, uint16_t cpu, uint32_t waker, uint32_t tid, uint64_t time_ns)
{
	struct scope_event event = { .kind = SCOPE_EVENT_WAKING, .tid = tid };

	event.waking.context = waker ? SCOPE_CONTEXT_TASK : SCOPE_CONTEXT_SOFTIRQ;
	event.waking.waker_tid = waker;
	put(story, &event, cpu, time_ns);
}

/* A request comes for a thread that sleeps in read. */
static void begin(struct story *story, uint16_t cpu, uint32_t tid, uint64_t time_ns)
{
	put_waking(story, cpu, 0, tid, time_ns);
	put_switch(story, cpu, 0, tid, time_ns + 2000);
	put_call(story, cpu, tid, SCOPE_EVENT_EXIT, &take, 0, time_ns + 2500);
}

static void end(struct story *story, uint16_t cpu, uint32_t tid, uint64_t time_ns)
{
	put_call(story, cpu, tid, SCOPE_EVENT_SYSCALL, &answer, time_ns, time_ns + 3000);
	put_call(story, cpu, tid, SCOPE_EVENT_ENTER, &take, time_ns + 4000, time_ns + 5000);
	put_switch(story, cpu, tid, 0, time_ns + 5000);
}

/* The holder is on CPU 0, the waiter on CPU 1. */
static void serve(struct story *story, uint64_t round)
{
	const uint32_t pairs = story->threads / 2, pair = (uint32_t)(round % pairs);
	const uint32_t swap = (uint32_t)(round / pairs & 1), first = TGID + 2 * pair;
	const uint32_t holder = first + swap, waiter = first + !swap;
	const uint64_t lock = LOCKS_AT + round % story->locks * 64, at = story->now_ns;
	const struct call wait = { SYS_futex, 0, 3, { lock, FUTEX_WAIT_PRIVATE, 2 } };
	const struct call wake = { SYS_futex, 1, 3, { lock, FUTEX_WAKE_PRIVATE, 1 } };

	begin(story, 0, holder, at);
	begin(story, 1, waiter, at + 1000);
	put_call(story, 1, waiter, SCOPE_EVENT_ENTER, &wait, at + 5000, at + 6000);
	put_switch(story, 1, waiter, 0, at + 6000);
	put_waking(story, 0, holder, waiter, at + 30000);
	put_call(story, 0, holder, SCOPE_EVENT_SYSCALL, &wake, at + 29000, at + 31000);
	put_switch(story, 1, 0, waiter, at + 33000);
	put_call(story, 1, waiter, SCOPE_EVENT_EXIT, &wait, 0, at + 34000);
	end(story, 0, holder, at + 40000);
	end(story, 1, waiter, at + 45000);
	story->now_ns += ROUND_NS;
}

static void put_states(struct story *story, uint32_t groups)
{
	for (uint32_t i = 0; i < story->threads; i++) {
		struct scope_record_state state = {
			.tid = TGID + i,
			.tgid = TGID,
			.nr = SYS_read,
			.state = SCOPE_STATE_SLEEPING,
			.since_ns = START_NS - 1000000,
			.arg = { FD },
		};
		struct scope_event event = { .kind = SCOPE_EVENT_STATE, .tid = state.tid };

		snprintf(state.comm, sizeof(state.comm), "group%u", i % groups);
		for (char *at = state.comm; *at; at++)
			if (*at >= '0' && *at <= '9')
				*at += 'a' - '0'; /* threads whose names differ in numbers alone are one group */
		event.state.record = &state;
		put(story, &event, 0, START_NS);
	}
	story->now_ns = START_NS + 1000000;
}

static int write_meta(struct scope_writer *writer, uint64_t end_ns)
{
	struct scope_trace_fd fd = { .tgid = TGID, .fd = FD, .kind = SCOPE_FD_ACCEPTED, .name = "" };
	char begin_text[32], end_text[32];
	int err = scope_trace_writer_fd(writer, &fd);

	snprintf(begin_text, sizeof(begin_text), "%llu", START_NS);
	snprintf(end_text, sizeof(end_text), "%llu", (unsigned long long)end_ns);
	if (!err)
		err = scope_trace_writer_meta(writer, SCOPE_META_BEGIN, begin_text);
	if (!err)
		err = scope_trace_writer_meta(writer, SCOPE_META_END, end_text);
	if (!err)
		err = scope_trace_writer_meta(writer, SCOPE_META_PID, "1000");
	return err ? err : scope_trace_writer_meta(writer, SCOPE_META_ARCH, "x86_64");
}

int main(int argc, char **argv)
{
	struct story story = { .failed = 0 };
	struct scope_writer *writer;
	uint64_t events;
	int err;

	if (argc != 5) {
		fputs("usage: locks_trace EVENTS GROUPS LOCKS FILE\n", stderr);
		return 2;
	}
	events = strtoull(argv[1], NULL, 10);
	story.threads = 2 * (uint32_t)strtoul(argv[2], NULL, 10);
	story.locks = strtoull(argv[3], NULL, 10);
	err = scope_trace_writer_create(argv[4], &story.error, &writer);
	if (!err)
		err = scope_trace_packer_create(writer, 0, &story.packer);
	if (!err)
		put_states(&story, story.threads / 2);
	for (uint64_t round = 0; !err && !story.failed && story.events < events; round++)
		serve(&story, round);
	if (!err)
		err = story.failed ? story.failed : scope_trace_packer_flush(story.packer, &story.error);
	if (!err)
		err = write_meta(writer, story.now_ns);
	if (!err)
		err = scope_trace_writer_finish(writer, &story.error);
	if (err)
		fprintf(stderr, "locks_trace: %s\n", story.error.text[0] ? story.error.text : strerror(-err));
	scope_trace_packer_destroy(story.packer);
	scope_trace_writer_destroy(writer);
	return !!err;
}
