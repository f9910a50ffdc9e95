// SPDX-License-Identifier: GPL-2.0-only
/*
 * A Perfetto trace: the events as the ftrace events that Perfetto knows, so that its user interface
 * shows thread states, calls and the arrows from wakers. Field numbers are those of the published
 * schema (protos/perfetto/trace), of protocol buffers version 2.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "export/formats.h"
#include "export/order.h"
#include "export/threads.h"

#define MESSAGE_BYTES 512 /* an event without its names is below 100 */

enum wire {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
};

enum {
	/* Trace */
	TRACE_PACKET = 1,
	/* TracePacket */
	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	/* FtraceEventBundle */
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	/* FtraceEvent */
	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	EVENT_PRINT = 3,
	EVENT_SCHED_SWITCH = 4,
	EVENT_SCHED_WAKING = 20,
	EVENT_SYS_ENTER = 329,
	EVENT_SYS_EXIT = 330,
	/* SchedSwitchFtraceEvent */
	SWITCH_PREV_COMM = 1,
	SWITCH_PREV_PID = 2,
	SWITCH_PREV_PRIO = 3,
	SWITCH_PREV_STATE = 4,
	SWITCH_NEXT_COMM = 5,
	SWITCH_NEXT_PID = 6,
	SWITCH_NEXT_PRIO = 7,
	/* SchedWakingFtraceEvent */
	WAKING_COMM = 1,
	WAKING_PID = 2,
	WAKING_PRIO = 3,
	WAKING_SUCCESS = 4,
	WAKING_TARGET_CPU = 5,
	/* PrintFtraceEvent */
	PRINT_BUF = 2,
	/* SysEnterFtraceEvent, SysExitFtraceEvent */
	SYS_ID = 1,
	SYS_RET = 2,
	/* ProcessTree */
	TREE_PROCESSES = 1,
	TREE_THREADS = 2,
	PROCESS_PID = 1,
	PROCESS_CMDLINE = 3,
	THREAD_TID = 1,
	THREAD_NAME = 2,
	THREAD_TGID = 3,
};

struct message {
	uint8_t data[MESSAGE_BYTES];
	size_t bytes;
};

static void put_varint(struct message *message, uint64_t value)
{
	do {
		message->data[message->bytes++] = (value & 0x7f) | (value > 0x7f ? 0x80 : 0);
		value >>= 7;
	} while (value);
}

static void put_number(struct message *message, uint32_t field, uint64_t value)
{
	put_varint(message, (uint64_t)field << 3 | WIRE_VARINT);
	put_varint(message, value);
}

static void put_bytes(struct message *message, uint32_t field, const void *data, size_t bytes)
{
	put_varint(message, (uint64_t)field << 3 | WIRE_BYTES);
	put_varint(message, bytes);
	memcpy(message->data + message->bytes, data, bytes);
	message->bytes += bytes;
}

static void put_text(struct message *message, uint32_t field, const char *text)
{
	put_bytes(message, field, text, strlen(text));
}

static void put_message(struct message *message, uint32_t field, const struct message *inner)
{
	put_bytes(message, field, inner->data, inner->bytes);
}

/* One packet of the trace: Trace is a sequence of packets. */
static void write_packet(FILE *stream, const struct message *packet)
{
	struct message head = { .bytes = 0 };

	put_varint(&head, TRACE_PACKET << 3 | WIRE_BYTES);
	put_varint(&head, packet->bytes);
	fwrite(head.data, 1, head.bytes, stream);
	fwrite(packet->data, 1, packet->bytes, stream);
}

static void write_event_at(FILE *stream, const struct scope_event *event, uint64_t time_ns, uint32_t tid,
			   uint32_t field, const struct message *inner)
{
	struct message ftrace = { .bytes = 0 }, bundle = { .bytes = 0 }, packet = { .bytes = 0 };

	put_number(&ftrace, EVENT_TIMESTAMP, time_ns);
	put_number(&ftrace, EVENT_PID, tid);
	put_message(&ftrace, field, inner);
	put_number(&bundle, BUNDLE_CPU, event->cpu);
	put_message(&bundle, BUNDLE_EVENT, &ftrace);
	put_message(&packet, PACKET_FTRACE_EVENTS, &bundle);
	write_packet(stream, &packet);
}

static void write_event(FILE *stream, const struct scope_event *event, uint32_t tid, uint32_t field,
			const struct message *inner)
{
	write_event_at(stream, event, event->time_ns, tid, field, inner);
}

/* A line as programs write them to the kernel's trace marker: "B|PID|NAME", "E|PID", "I|PID|NAME". */
static void write_mark(FILE *stream, struct scope_timeline *timeline, const struct scope_event *event, uint64_t time_ns,
		       char what, const char *name)
{
	struct message inner = { .bytes = 0 };
	char text[160];

	snprintf(text, sizeof(text), *name ? "%c|%u|%s" : "%c|%u", what,
		 scope_export_threads_find(timeline, event->tid)->tgid, name);
	put_bytes(&inner, PRINT_BUF, text, strlen(text));
	write_event_at(stream, event, time_ns, event->tid, EVENT_PRINT, &inner);
}

static void write_probe(FILE *stream, const struct scope_trace *trace, struct scope_timeline *timeline,
			const struct scope_event *event)
{
	const char *place = scope_export_threads_place(trace, event->probe.id);
	char name[120], fits[100];

	/* Whole characters of it. */
	scope_plain_put(fits, sizeof(fits), place, strlen(place), SCOPE_PLAIN_SENTENCE);
	snprintf(name, sizeof(name), "probe %u %s", event->probe.id, fits);
	write_mark(stream, timeline, event, event->time_ns, 'I', name);
}

/* Readers sort by time, so the start of a delay may come after later events. */
static void write_delay(FILE *stream, struct scope_timeline *timeline, const struct scope_event *event)
{
	uint64_t served_ns = event->delay.served_ns;
	char name[64];

	if (served_ns > event->time_ns)
		served_ns = event->time_ns;
	snprintf(name, sizeof(name), "delay by rule %u", event->delay.id);
	write_mark(stream, timeline, event, event->time_ns - served_ns, 'B', name);
	write_mark(stream, timeline, event, event->time_ns, 'E', "");
}

/* The kernel's TASK_* bits, as the tracepoint shows them. */
static uint64_t task_state(const struct scope_event *event)
{
	switch (event->sched.prev_state) {
	case SCOPE_STATE_SLEEPING:
		return 1;
	case SCOPE_STATE_DISK:
		return 2;
	case SCOPE_STATE_STOPPED:
		return 4;
	case SCOPE_STATE_DEAD:
		return 16;
	case SCOPE_STATE_IDLE:
		return 128;
	}
	/* Runnable; the bit above the states says that it was preempted. */
	return event->sched.preempted ? 256 : 0;
}

static void write_switch(FILE *stream, struct scope_timeline *timeline, const struct scope_event *event)
{
	struct message inner = { .bytes = 0 };

	put_text(&inner, SWITCH_PREV_COMM, scope_export_threads_find(timeline, event->sched.prev_tid)->comm);
	put_number(&inner, SWITCH_PREV_PID, event->sched.prev_tid);
	put_number(&inner, SWITCH_PREV_PRIO, 120);
	put_number(&inner, SWITCH_PREV_STATE, task_state(event));
	put_text(&inner, SWITCH_NEXT_COMM, scope_export_threads_find(timeline, event->sched.next_tid)->comm);
	put_number(&inner, SWITCH_NEXT_PID, event->sched.next_tid);
	put_number(&inner, SWITCH_NEXT_PRIO, 120);
	write_event(stream, event, event->sched.prev_tid, EVENT_SCHED_SWITCH, &inner);
}

static void write_waking(FILE *stream, struct scope_timeline *timeline, const struct scope_event *event)
{
	struct message inner = { .bytes = 0 };

	put_text(&inner, WAKING_COMM, scope_export_threads_find(timeline, event->tid)->comm);
	put_number(&inner, WAKING_PID, event->tid);
	put_number(&inner, WAKING_PRIO, 120);
	put_number(&inner, WAKING_SUCCESS, 1);
	put_number(&inner, WAKING_TARGET_CPU, event->cpu);
	write_event(stream, event, event->waking.waker_tid, EVENT_SCHED_WAKING, &inner);
}

static void write_one(FILE *stream, const struct scope_trace *trace, struct scope_timeline *timeline,
		      const struct scope_event *event)
{
	struct message inner = { .bytes = 0 };

	switch (event->kind) {
	case SCOPE_EVENT_ENTER:
		put_number(&inner, SYS_ID, event->syscall.nr);
		write_event(stream, event, event->tid, EVENT_SYS_ENTER, &inner);
		break;
	case SCOPE_EVENT_EXIT:
		put_number(&inner, SYS_ID, event->syscall.nr);
		put_number(&inner, SYS_RET, (uint64_t)event->syscall.ret);
		write_event(stream, event, event->tid, EVENT_SYS_EXIT, &inner);
		break;
	case SCOPE_EVENT_SWITCH:
		write_switch(stream, timeline, event);
		break;
	case SCOPE_EVENT_WAKING:
		write_waking(stream, timeline, event);
		break;
	case SCOPE_EVENT_PROBE:
		write_probe(stream, trace, timeline, event);
		break;
	case SCOPE_EVENT_DELAY:
		write_delay(stream, timeline, event);
		break;
	}
}

/* Which threads there are, a packet each. */
static void write_threads(FILE *stream, struct scope_timeline *timeline)
{
	for (size_t i = 0; i < scope_timeline_threads_count(timeline->threads); i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, i);
		struct message inner = { .bytes = 0 }, tree = { .bytes = 0 }, packet = { .bytes = 0 };

		if (thread->tid == thread->tgid) {
			put_number(&inner, PROCESS_PID, thread->tgid);
			put_text(&inner, PROCESS_CMDLINE, thread->comm);
			put_message(&tree, TREE_PROCESSES, &inner);
		} else {
			put_number(&inner, THREAD_TID, thread->tid);
			put_text(&inner, THREAD_NAME, thread->comm);
			put_number(&inner, THREAD_TGID, thread->tgid);
			put_message(&tree, TREE_THREADS, &inner);
		}
		put_message(&packet, PACKET_PROCESS_TREE, &tree);
		write_packet(stream, &packet);
	}
}

int scope_export_perfetto(struct scope_trace *trace, struct scope_symbols *symbols, const struct scope_export_to *to,
			  struct scope_error *error)
{
	struct scope_timeline *timeline = NULL;
	struct scope_order *order = NULL;
	struct scope_event event;
	FILE *stream = to->stream;
	int more = 0, err = scope_export_threads_learn(trace, &timeline);

	(void)symbols;
	if (!err)
		err = scope_export_order_create(trace, &order);
	if (err)
		scope_error_set(error, err, "the trace cannot be read: %s", strerror(-err));
	if (!err) {
		write_threads(stream, timeline);
		while ((more = scope_export_order_next(order, &event)) > 0)
			write_one(stream, trace, timeline, &event);
		if (more < 0)
			err = scope_error_set(error, more, "the trace cannot be read: %s", strerror(-more));
	}
	scope_export_order_destroy(order);
	scope_timeline_destroy(timeline);
	return err;
}
