// SPDX-License-Identifier: GPL-2.0-only
/* Makes a trace of one process from tracepoints that other tools recorded. */
#include "import/build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scope/ring.h>

#include "base/grow.h"
#include "import/frames.h"
#include "import/thread_table.h"
#include "trace/packer.h"

#define STACK_MIN_NS 100000	   /* a stack follows calls that took this long, as from the module */
#define SAMPLE_GAP_NS 100000000ull /* samples that are farther apart do not show their period */

struct lane {
	uint32_t pending; /* thread whose open call is not written, 0: none */
	uint64_t sample_ns;
};

struct scope_import {
	struct scope_writer *writer;
	struct scope_packer *packer;
	struct scope_frames *frames;
	struct scope_import_threads *table;
	struct scope_error *error;
	struct lane *lane;
	size_t lanes, capacity;
	uint32_t pid;
	uint64_t begin_ns, now_ns, lost;
	uint64_t sample_gap_ns; /* shortest seen, about the period */
	bool wanted;		/* some thread was wanted */
};

int scope_import_create(const struct scope_import_choice *choice, struct scope_writer *writer,
			struct scope_error *error, struct scope_import **ret_import)
{
	struct scope_import *import = calloc(1, sizeof(*import));
	int err = -ENOMEM;

	if (!import)
		return -ENOMEM;
	import->writer = writer;
	import->error = error;
	import->pid = choice->pid;
	err = scope_trace_packer_create(writer, 0, &import->packer);
	if (!err)
		err = scope_import_frames_create(writer, &import->frames);
	if (!err)
		err = scope_import_threads_create(choice, &import->table);
	if (err) {
		scope_import_destroy(import);
		return err;
	}
	*ret_import = import;
	return 0;
}

void scope_import_destroy(struct scope_import *import)
{
	if (!import)
		return;
	scope_trace_packer_destroy(import->packer);
	scope_import_frames_destroy(import->frames);
	scope_import_threads_destroy(import->table);
	free(import->lane);
	free(import);
}

static uint64_t tick(struct scope_import *import, uint64_t time_ns)
{
	if (time_ns > import->now_ns)
		import->now_ns = time_ns;
	if (!import->begin_ns)
		import->begin_ns = import->now_ns;
	return import->now_ns;
}

static int get_lane(struct scope_import *import, uint32_t cpu, struct lane **ret_lane)
{
	if (cpu > SCOPE_IMPORT_CPU_MAX)
		return scope_error_set(import->error, -EINVAL, "there is no CPU %u", cpu);
	if (scope_grow(&import->lane, &import->capacity, cpu + 1, sizeof(*import->lane)))
		return -ENOMEM;
	while (import->lanes <= cpu)
		import->lane[import->lanes++] = (struct lane){ 0 };
	*ret_lane = &import->lane[cpu];
	return 0;
}

static int put(struct scope_import *import, const struct scope_event *event)
{
	return scope_trace_packer_event(import->packer, event, import->error);
}

static struct scope_event event_of(const struct scope_import *import, uint8_t kind, uint32_t cpu, uint32_t tid)
{
	return (struct scope_event){ .kind = kind, .cpu = cpu, .time_ns = import->now_ns, .tid = tid };
}

/* If a thread's process is unknown, the requested process is used, or the thread itself. */
static uint32_t process_of(const struct scope_import *import, const struct scope_import_thread *thread)
{
	return thread->tgid ? thread->tgid : import->pid ? import->pid : thread->tid;
}

/* Writes the name of a wanted thread, before its first event and when it gets another name. */
static int introduce(struct scope_import *import, struct scope_import_thread *thread, uint32_t cpu)
{
	struct scope_event event = event_of(import, SCOPE_EVENT_COMM, cpu, thread->tid);

	import->wanted |= thread->wanted;
	if (!thread->wanted || thread->named)
		return 0;
	thread->named = true;
	event.comm.tgid = process_of(import, thread);
	event.comm.comm = thread->comm;
	return put(import, &event);
}

/* Writes the open call on a CPU as entered, because its thread leaves, or another call comes. */
static int put_pending(struct scope_import *import, uint32_t cpu)
{
	struct lane *lane = &import->lane[cpu];
	struct scope_import_thread *thread;
	struct scope_event event;

	if (!lane->pending)
		return 0;
	thread = scope_import_threads_get(import->table, lane->pending);
	if (!thread)
		return -ENOMEM;
	lane->pending = 0;
	thread->written = true;
	event = event_of(import, SCOPE_EVENT_ENTER, cpu, thread->tid);
	event.syscall.nr = thread->nr;
	event.syscall.args = thread->args;
	event.syscall.arg = thread->arg;
	event.syscall.enter_ns = thread->enter_ns;
	return put(import, &event);
}

int scope_import_thread(struct scope_import *import, uint32_t tid, uint32_t tgid, const char *comm)
{
	struct scope_import_thread *thread = scope_import_threads_get(import->table, tid);

	if (!thread)
		return -ENOMEM;
	scope_import_threads_name(import->table, thread, tgid, comm);
	return 0;
}

/* The first steps for most tracepoints. *ret_thread NULL: the thread is not wanted. */
static int begin(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t tid, struct lane **ret_lane,
		 struct scope_import_thread **ret_thread)
{
	struct scope_import_thread *thread = scope_import_threads_get(import->table, tid);
	int err;

	if (!thread)
		return -ENOMEM;
	tick(import, time_ns);
	err = get_lane(import, cpu, ret_lane);
	if (!err)
		err = introduce(import, thread, cpu);
	*ret_thread = thread->wanted ? thread : NULL;
	if (!thread->wanted)
		thread->events++;
	return err;
}

int scope_import_enter(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t tid, uint16_t nr,
		       const uint64_t *arg, uint8_t args)
{
	struct scope_import_thread *thread;
	struct lane *lane;
	int err = begin(import, time_ns, cpu, tid, &lane, &thread);

	if (!err)
		err = put_pending(import, cpu);
	if (err || !thread)
		return err;
	lane->pending = tid;
	thread->open = true;
	thread->written = false;
	thread->nr = nr;
	thread->cpu = cpu;
	thread->enter_ns = import->now_ns;
	thread->args = args < SCOPE_ARG_MAX ? args : SCOPE_ARG_MAX;
	memcpy(thread->arg, arg, thread->args * sizeof(*arg));
	thread->ips = 0;
	return 0;
}

/* Writes the stack with which a call was entered after a call that took long. */
static int put_call_stack(struct scope_import *import, struct scope_import_thread *thread, uint32_t cpu)
{
	struct scope_event event = event_of(import, SCOPE_EVENT_STACK, cpu, thread->tid);

	if (!thread->ips || import->now_ns - thread->enter_ns < STACK_MIN_NS)
		return 0;
	event.stack.reason = SCOPE_STACK_SYSCALL;
	event.stack.ips = thread->ips;
	event.stack.ip = thread->ip;
	return put(import, &event);
}

int scope_import_exit(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t tid, uint16_t nr,
		      int64_t ret)
{
	struct scope_import_thread *thread;
	struct scope_event event;
	struct lane *lane;
	int err = begin(import, time_ns, cpu, tid, &lane, &thread);

	if (err || !thread)
		return err;
	event = event_of(import, SCOPE_EVENT_EXIT, cpu, tid);
	event.syscall.nr = nr;
	event.syscall.ret = ret;
	if (lane->pending == tid && thread->open && thread->nr == nr) {
		event.kind = SCOPE_EVENT_SYSCALL;
		event.syscall.enter_ns = thread->enter_ns;
		event.syscall.args = thread->args;
		event.syscall.arg = thread->arg;
		lane->pending = 0;
	} else if (thread->open && !thread->written && thread->cpu != cpu) {
		/* The thread moved to another CPU without a recorded switch. */
		err = put_pending(import, thread->cpu);
	}
	if (!err)
		err = put(import, &event);
	if (!err && thread->open)
		err = put_call_stack(import, thread, cpu);
	thread->open = false;
	return err;
}

int scope_import_switch(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t prev, uint32_t next,
			uint8_t state, bool preempted)
{
	struct scope_import_thread *from, *to;
	struct scope_event event;
	struct lane *lane;
	int err = begin(import, time_ns, cpu, prev, &lane, &from);

	if (!err)
		err = begin(import, time_ns, cpu, next, &lane, &to);
	if (!err)
		err = put_pending(import, cpu);
	if (err || (!from && !to))
		return err;
	event = event_of(import, SCOPE_EVENT_SWITCH, cpu, prev);
	event.sched.prev_tid = from ? prev : 0;
	event.sched.next_tid = to ? next : 0;
	event.sched.other_tid = to ? 0 : next;
	event.sched.prev_state = state;
	event.sched.preempted = preempted;
	return put(import, &event);
}

int scope_import_waking(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t waker, uint32_t tid)
{
	struct scope_import_thread *thread, *by;
	struct scope_event event;
	struct lane *lane;
	int err = begin(import, time_ns, cpu, tid, &lane, &thread);

	if (err || !thread)
		return err;
	by = scope_import_threads_get(import->table, waker);
	if (!by)
		return -ENOMEM;
	event = event_of(import, SCOPE_EVENT_WAKING, cpu, tid);
	/* If the CPU idled, an interrupt woke the thread. */
	event.waking.context = waker ? SCOPE_CONTEXT_TASK : SCOPE_CONTEXT_HARDIRQ;
	event.waking.waker_tid = waker;
	event.waking.waker_tgid = by->wanted ? 0 : by->tgid;
	return put(import, &event);
}

int scope_import_fork(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t parent, uint32_t child,
		      uint32_t child_tgid, const char *comm)
{
	struct scope_import_thread *thread, *child_thread;
	struct scope_event event;
	struct lane *lane;
	int err = begin(import, time_ns, cpu, parent, &lane, &thread);

	if (err)
		return err;
	child_thread = scope_import_threads_get(import->table, child);
	if (!child_thread)
		return -ENOMEM;
	scope_import_threads_forget(child_thread);
	scope_import_threads_name(import->table, child_thread, child_tgid, comm);
	/* Descendants of a wanted thread are wanted, too. */
	child_thread->wanted |= thread != NULL;
	if (!child_thread->wanted || !thread)
		return 0;
	child_thread->named = true;
	event = event_of(import, SCOPE_EVENT_FORK, cpu, child);
	event.fork.parent_tid = parent;
	event.fork.tgid = child_thread->tgid ? child_thread->tgid : process_of(import, thread);
	event.fork.comm = child_thread->comm;
	return put(import, &event);
}

int scope_import_thread_exit(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t tid)
{
	struct scope_import_thread *thread;
	struct scope_event event;
	struct lane *lane;
	int err = begin(import, time_ns, cpu, tid, &lane, &thread);

	if (!err)
		err = put_pending(import, cpu);
	if (err || !thread)
		return err;
	event = event_of(import, SCOPE_EVENT_THREAD_EXIT, cpu, tid);
	event.exit.tgid = process_of(import, thread);
	thread->open = false;
	return put(import, &event);
}

static int put_sample(struct scope_import *import, struct lane *lane, uint32_t cpu, uint32_t tid, const uint64_t *ip,
		      unsigned ips)
{
	struct scope_event event = event_of(import, SCOPE_EVENT_STACK, cpu, tid);
	uint64_t gap = import->now_ns - lane->sample_ns;

	if (lane->sample_ns && gap && gap < SAMPLE_GAP_NS && (!import->sample_gap_ns || gap < import->sample_gap_ns))
		import->sample_gap_ns = gap;
	lane->sample_ns = import->now_ns;
	event.stack.reason = SCOPE_STACK_SAMPLE;
	event.stack.ips = ips;
	event.stack.ip = ip;
	return put(import, &event);
}

int scope_import_stack(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t tid, bool sample,
		       const struct scope_import_frame *frame, unsigned count)
{
	uint64_t ip[SCOPE_IMPORT_FRAMES];
	struct scope_import_thread *thread;
	struct lane *lane;
	int err = begin(import, time_ns, cpu, tid, &lane, &thread);

	if (err || !thread || !count)
		return err;
	/* Some tools print more frames than a record holds: only the innermost are kept. */
	if (count > SCOPE_STACK_DEPTH_MAX)
		count = SCOPE_STACK_DEPTH_MAX;
	for (unsigned i = 0; !err && i < count; i++)
		err = scope_import_frames_address(import->frames, frame[i].name ? frame[i].name : "[unknown]",
						  frame[i].module, &ip[i]);
	if (err)
		return err;
	if (sample)
		return put_sample(import, lane, cpu, tid, ip, count);
	if (!thread->ip)
		thread->ip = calloc(SCOPE_IMPORT_FRAMES, sizeof(*thread->ip));
	if (!thread->ip)
		return -ENOMEM;
	memcpy(thread->ip, ip, count * sizeof(*ip));
	thread->ips = count;
	/* The stack was taken when the call returned, and not while it was open. */
	return thread->open ? 0 : put_call_stack(import, thread, cpu);
}

int scope_import_lost(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint64_t count)
{
	struct scope_event event;
	struct lane *lane;
	int err = get_lane(import, cpu, &lane);

	if (err)
		return err;
	tick(import, time_ns);
	lane->pending = 0;
	import->lost += count;
	event = event_of(import, SCOPE_EVENT_LOST, cpu, 0);
	event.lost.count = count ? count : 1;
	return put(import, &event);
}

static int put_meta(struct scope_import *import, const char *source, const char *kernel)
{
	const char *command = scope_import_threads_command(import->table);
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ SCOPE_META_PID, import->pid },    { SCOPE_META_BEGIN, import->begin_ns },
		{ SCOPE_META_END, import->now_ns }, { SCOPE_META_CPUS, import->lanes },
		{ SCOPE_META_LOST, import->lost },  { SCOPE_META_SAMPLE_NS, import->sample_gap_ns },
	};
	char text[32];
	int err = scope_trace_writer_meta(import->writer, SCOPE_META_SOURCE, source);

	for (size_t i = 0; !err && i < sizeof(numbers) / sizeof(*numbers); i++) {
		snprintf(text, sizeof(text), "%" PRIu64, numbers[i].value);
		err = scope_trace_writer_meta(import->writer, numbers[i].key, text);
	}
	if (!err && kernel)
		err = scope_trace_writer_meta(import->writer, SCOPE_META_KERNEL, kernel);
	if (!err && command)
		err = scope_trace_writer_meta(import->writer, SCOPE_META_COMMAND, command);
	return err;
}

int scope_import_finish(struct scope_import *import, const char *source, const char *kernel)
{
	char list[300];
	int err = 0;

	if (!import->wanted) {
		scope_import_threads_list(import->table, list, sizeof(list));
		return scope_error_set(import->error, -ENOENT,
				       list[0] ? "no event is of what was chosen; most are of %s: choose "
						 "with -p or --comm"
					       : "there is no event of raw_syscalls or sched in it%s: "
						 "record those tracepoints",
				       list);
	}
	for (uint32_t cpu = 0; !err && cpu < import->lanes; cpu++)
		err = put_pending(import, cpu);
	if (!err)
		err = scope_trace_packer_flush(import->packer, import->error);
	return err ? err : put_meta(import, source, kernel);
}
