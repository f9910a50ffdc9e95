// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a Perfetto trace. Events become the ftrace events that Perfetto knows, so that its user interface shows thread
 * states, calls and the arrows from wakers. Field numbers are those of the published schema (protos/perfetto/trace),
 * protocol buffers version 2.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "export/formats.h"
#include "export/order.h"
#include "export/perfetto.h"
#include "export/threads.h"

enum {
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
	/* TracePacket, ClockSnapshot, Clock */
	PACKET_CLOCK_SNAPSHOT = 6,
	SNAPSHOT_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	/* TracePacket, SystemInfo, Utsname */
	PACKET_SYSTEM_INFO = 45,
	SYSTEM_UTSNAME = 1,
	UTSNAME_SYSNAME = 1,
	UTSNAME_RELEASE = 3,
	UTSNAME_MACHINE = 4,
	/* numbers of clocks */
	REALTIME = 1,
	MONOTONIC = 3,
	BOOTTIME = 6,
};

static void write_event_at(FILE *stream, const struct scope_event *event, uint64_t time_ns, uint32_t tid,
			   uint32_t field, const struct scope_export_message *inner)
{
	struct scope_export_message ftrace = { .bytes = 0 }, bundle = { .bytes = 0 }, packet = { .bytes = 0 };

	scope_export_protobuf_number(&ftrace, EVENT_TIMESTAMP, time_ns);
	scope_export_protobuf_number(&ftrace, EVENT_PID, tid);
	scope_export_protobuf_message(&ftrace, field, inner);
	scope_export_protobuf_number(&bundle, BUNDLE_CPU, event->cpu);
	scope_export_protobuf_message(&bundle, BUNDLE_EVENT, &ftrace);
	scope_export_protobuf_message(&packet, PACKET_FTRACE_EVENTS, &bundle);
	scope_export_protobuf_write(stream, &packet);
}

static void write_event(FILE *stream, const struct scope_event *event, uint32_t tid, uint32_t field,
			const struct scope_export_message *inner)
{
	write_event_at(stream, event, event->time_ns, tid, field, inner);
}

/* Writes a line in the form of the kernel's trace marker: "B|PID|NAME", "E|PID", "I|PID|NAME". */
static void write_mark(FILE *stream, struct scope_timeline *timeline, const struct scope_event *event, uint64_t time_ns,
		       char what, const char *name)
{
	struct scope_export_message inner = { .bytes = 0 };
	char text[160];

	snprintf(text, sizeof(text), *name ? "%c|%u|%s" : "%c|%u", what,
		 scope_export_threads_find(timeline, event->tid)->tgid, name);
	scope_export_protobuf_bytes(&inner, PRINT_BUF, text, strlen(text));
	write_event_at(stream, event, time_ns, event->tid, EVENT_PRINT, &inner);
}

static void write_probe(FILE *stream, const struct scope_trace *trace, struct scope_timeline *timeline,
			const struct scope_event *event)
{
	const char *place = scope_export_threads_place(trace, event->probe.id);
	char name[120], fits[100];

	/* Takes only whole characters. */
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

/* The kernel's TASK_* bits, in the form of the tracepoint. */
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
	/* The thread is runnable; the bit above the states means that it was preempted. */
	return event->sched.preempted ? 256 : 0;
}

static void write_switch(FILE *stream, struct scope_timeline *timeline, const struct scope_event *event)
{
	struct scope_export_message inner = { .bytes = 0 };

	scope_export_protobuf_text(&inner, SWITCH_PREV_COMM,
				   scope_export_threads_find(timeline, event->sched.prev_tid)->comm);
	scope_export_protobuf_number(&inner, SWITCH_PREV_PID, event->sched.prev_tid);
	scope_export_protobuf_number(&inner, SWITCH_PREV_PRIO, 120);
	scope_export_protobuf_number(&inner, SWITCH_PREV_STATE, task_state(event));
	scope_export_protobuf_text(&inner, SWITCH_NEXT_COMM,
				   scope_export_threads_find(timeline, event->sched.next_tid)->comm);
	scope_export_protobuf_number(&inner, SWITCH_NEXT_PID, event->sched.next_tid);
	scope_export_protobuf_number(&inner, SWITCH_NEXT_PRIO, 120);
	write_event(stream, event, event->sched.prev_tid, EVENT_SCHED_SWITCH, &inner);
}

static void write_waking(FILE *stream, struct scope_timeline *timeline, const struct scope_event *event)
{
	struct scope_export_message inner = { .bytes = 0 };

	scope_export_protobuf_text(&inner, WAKING_COMM, scope_export_threads_find(timeline, event->tid)->comm);
	scope_export_protobuf_number(&inner, WAKING_PID, event->tid);
	scope_export_protobuf_number(&inner, WAKING_PRIO, 120);
	scope_export_protobuf_number(&inner, WAKING_SUCCESS, 1);
	scope_export_protobuf_number(&inner, WAKING_TARGET_CPU, event->cpu);
	write_event(stream, event, event->waking.waker_tid, EVENT_SCHED_WAKING, &inner);
}

static void write_one(FILE *stream, const struct scope_trace *trace, struct scope_timeline *timeline,
		      const struct scope_event *event)
{
	struct scope_export_message inner = { .bytes = 0 };

	switch (event->kind) {
	case SCOPE_EVENT_ENTER:
		scope_export_protobuf_number(&inner, SYS_ID, event->syscall.nr);
		write_event(stream, event, event->tid, EVENT_SYS_ENTER, &inner);
		break;
	case SCOPE_EVENT_EXIT:
		scope_export_protobuf_number(&inner, SYS_ID, event->syscall.nr);
		scope_export_protobuf_number(&inner, SYS_RET, (uint64_t)event->syscall.ret);
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

/* Writes the threads, a packet each. */
static void write_threads(FILE *stream, struct scope_timeline *timeline)
{
	for (size_t i = 0; i < scope_timeline_threads_count(timeline->threads); i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, i);
		struct scope_export_message inner = { .bytes = 0 }, tree = { .bytes = 0 }, packet = { .bytes = 0 };

		if (thread->tid == thread->tgid) {
			scope_export_protobuf_number(&inner, PROCESS_PID, thread->tgid);
			scope_export_protobuf_text(&inner, PROCESS_CMDLINE, thread->comm);
			scope_export_protobuf_message(&tree, TREE_PROCESSES, &inner);
		} else {
			scope_export_protobuf_number(&inner, THREAD_TID, thread->tid);
			scope_export_protobuf_text(&inner, THREAD_NAME, thread->comm);
			scope_export_protobuf_number(&inner, THREAD_TGID, thread->tgid);
			scope_export_protobuf_message(&tree, TREE_THREADS, &inner);
		}
		scope_export_protobuf_message(&packet, PACKET_PROCESS_TREE, &tree);
		scope_export_protobuf_write(stream, &packet);
	}
}

static void put_clock(struct scope_export_message *snapshot, uint64_t id, uint64_t time_ns)
{
	struct scope_export_message clock = { .bytes = 0 };

	scope_export_protobuf_number(&clock, CLOCK_ID, id);
	scope_export_protobuf_number(&clock, CLOCK_TIMESTAMP, time_ns);
	scope_export_protobuf_message(snapshot, SNAPSHOT_CLOCK, &clock);
}

/*
 * Writes the time of day that belongs to a time of the trace. Perfetto takes times of ftrace events as CLOCK_BOOTTIME,
 * so the trace's times are given that name. They differ from that clock by the time for which the host was suspended.
 */
static void write_clocks(FILE *stream, const struct scope_trace *trace)
{
	const uint64_t wall_ns = scope_trace_meta_number(trace, SCOPE_META_WALL_CLOCK, 0);
	const uint64_t begin_ns = scope_trace_meta_number(trace, SCOPE_META_BEGIN, 0);
	struct scope_export_message snapshot = { .bytes = 0 }, packet = { .bytes = 0 };

	put_clock(&snapshot, BOOTTIME, begin_ns);
	put_clock(&snapshot, MONOTONIC, begin_ns);
	if (wall_ns)
		put_clock(&snapshot, REALTIME, wall_ns);
	scope_export_protobuf_message(&packet, PACKET_CLOCK_SNAPSHOT, &snapshot);
	scope_export_protobuf_write(stream, &packet);
}

/* Writes the machine and its kernel. Perfetto names system calls by the machine. */
static void write_system(FILE *stream, const struct scope_trace *trace)
{
	const char *machine = scope_trace_meta(trace, SCOPE_META_ARCH);
	const char *release = scope_trace_meta(trace, SCOPE_META_KERNEL);
	struct scope_export_message name = { .bytes = 0 }, system = { .bytes = 0 }, packet = { .bytes = 0 };

	if (!machine)
		return;
	scope_export_protobuf_text(&name, UTSNAME_SYSNAME, "Linux");
	scope_export_protobuf_text(&name, UTSNAME_MACHINE, machine);
	if (release)
		scope_export_protobuf_text(&name, UTSNAME_RELEASE, release);
	scope_export_protobuf_message(&system, SYSTEM_UTSNAME, &name);
	scope_export_protobuf_message(&packet, PACKET_SYSTEM_INFO, &system);
	scope_export_protobuf_write(stream, &packet);
}

static int write_events(FILE *stream, const struct scope_export_from *from, struct scope_timeline *timeline)
{
	struct scope_export_stacks *stacks;
	struct scope_order *order = NULL;
	struct scope_event event;
	int more = 0, err = scope_export_perfetto_stacks_create(stream, from->symbols, &stacks);

	if (err)
		return err;
	err = scope_export_order_create(from->trace, &order);
	while (!err && (more = scope_export_order_next(order, &event)) > 0) {
		write_one(stream, from->trace, timeline, &event);
		if (event.kind == SCOPE_EVENT_STACK)
			err = scope_export_perfetto_stacks_write(stacks, timeline, &event);
	}
	scope_export_order_destroy(order);
	scope_export_perfetto_stacks_destroy(stacks);
	return err ? err : more;
}

int scope_export_perfetto(const struct scope_export_from *from, const struct scope_export_to *to,
			  struct scope_error *error)
{
	struct scope_timeline *timeline = NULL;
	FILE *stream = to->stream;
	int err = scope_export_threads_learn(from->trace, &timeline);

	if (!err) {
		write_clocks(stream, from->trace);
		write_system(stream, from->trace);
		write_threads(stream, timeline);
		scope_export_perfetto_tracks(stream, timeline, from->analysis);
		err = write_events(stream, from, timeline);
	}
	if (!err)
		err = scope_export_perfetto_diagnosis(stream, from->analysis);
	if (err)
		scope_error_set(error, err, "the trace cannot be read: %s", strerror(-err));
	scope_timeline_destroy(timeline);
	return err;
}
