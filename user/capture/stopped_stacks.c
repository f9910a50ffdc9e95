// SPDX-License-Identifier: GPL-2.0-only
/* Copies the stacks, and the locks, that STATE records point to. */
#include "capture/stopped_stacks.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/machine.h"
#include "capture/defaults.h"
#include "capture/unwinder.h"
#include "proc/kernel_stack.h"
#include "proc/reader.h"
#include "proc/task.h"
#include "symbol/stacks.h"
#include "trace/trace.h"
#include "trace/walk.h"
#include "trace/writer.h"

#define READS_MAX 64	       /* reads between two calls of while_waiting() */
#define KERNEL_STACKS_MAX 1000 /* each takes some 10 us */

struct scope_stopped_stacks {
	struct scope_proc_reader *reader;
	struct scope_unwinder *unwinder;
	uint64_t left_bytes;
	unsigned int kernel_stacks; /* number read; or the maximum, if they cannot be read */
	struct seen {
		uint32_t tid;
		uint64_t run_ns, stack;
	} * seen;
	size_t count, room;
	struct noted { /* threads that are noted and not read yet */
		struct scope_record_state state;
		uint64_t reg[SCOPE_REG_MAX];
	} * noted;
	size_t noted_count, noted_room;
	bool says_asleep; /* SCOPE_META_LOCKS is written */
	uint8_t data[SCOPE_DEFAULT_MEMORY_BYTES];
};

/* Resets the limit between the records of the start and those of the stop. */
static void next_moment(struct scope_stopped_stacks *stopped)
{
	stopped->left_bytes = SCOPE_DEFAULT_MEMORY_TOTAL;
	stopped->kernel_stacks = 0;
	stopped->noted_count = 0;
}

int scope_capture_stopped_create(struct scope_proc_reader *reader, struct scope_unwinder *unwinder,
				 struct scope_stopped_stacks **ret_stopped)
{
	struct scope_stopped_stacks *stopped = calloc(1, sizeof(*stopped));

	if (!stopped)
		return -ENOMEM;
	stopped->reader = reader;
	stopped->unwinder = unwinder;
	next_moment(stopped);
	*ret_stopped = stopped;
	return 0;
}

void scope_capture_stopped_destroy(struct scope_stopped_stacks *stopped)
{
	if (!stopped)
		return;
	free(stopped->seen);
	free(stopped->noted);
	free(stopped);
}

/*
 * Returns 1 if the thread has not run since it was read, according to its CPU time; 0 if it is to be read now; -ENOMEM.
 */
static int is_known(struct scope_stopped_stacks *stopped, uint32_t tid, uint64_t run_ns, uint64_t stack)
{
	size_t i;

	for (i = 0; i < stopped->count; i++)
		if (stopped->seen[i].tid == tid && stopped->seen[i].run_ns == run_ns && stopped->seen[i].stack == stack)
			return 1;
	if (scope_grow(&stopped->seen, &stopped->room, stopped->count + 1, sizeof(*stopped->seen)))
		return -ENOMEM;
	stopped->seen[stopped->count++] = (struct seen){ tid, run_ns, stack };
	return 0;
}

/* A function to call while something takes long. */
struct waiting_call {
	int (*call)(void *context);
	void *context;
};

static int write_stack(struct scope_stopped_stacks *stopped, const struct noted *noted, struct scope_writer *writer,
		       const struct waiting_call *while_waiting)
{
	const struct scope_record_state *state = &noted->state;
	struct scope_trace_memory memory = { .tid = state->tid, .data = stopped->data };
	struct scope_trace_stopped_stack stopped_stack;
	size_t bytes = sizeof(stopped->data);
	ssize_t got;
	int err;

	if (state->flags & SCOPE_STATE_ON_CPU || state->regs <= SCOPE_MACHINE_REG_SP)
		return 0;
	memory.address = noted->reg[SCOPE_MACHINE_REG_SP];
	if (stopped->left_bytes < bytes)
		return 0;
	err = is_known(stopped, state->tid, state->run_ns, memory.address);
	if (err)
		return err < 0 ? err : 0;
	got = scope_proc_reader_memory(stopped->reader, state->tgid, state->tid, memory.address, stopped->data, bytes);
	if (got <= 0)
		return got == -ENOMEM ? (int)got : 0;
	memory.bytes = (uint32_t)got;
	stopped->left_bytes -= memory.bytes;
	if (!stopped->unwinder)
		return scope_trace_writer_memory(writer, &memory);
	err = scope_capture_unwinder_stopped_stack(stopped->unwinder, state->tgid, noted->reg, state->regs, &memory,
						   while_waiting->call, while_waiting->context, &stopped_stack);
	return err ? err : scope_trace_writer_stopped_stack(writer, &stopped_stack);
}

/*
 * True if the process of the sleeping thread (whose state is `context`) has that thread; for a shared lock any process
 * may have it.
 */
static bool is_thread(void *context, uint32_t tid)
{
	const struct scope_record_state *state = context;
	char path[64];

	if (!(state->arg[1] & FUTEX_PRIVATE_FLAG))
		snprintf(path, sizeof(path), "/proc/%u", tid);
	else
		snprintf(path, sizeof(path), "/proc/%u/task/%u", state->tgid, tid);
	return !access(path, F_OK);
}

/* True if the thread may have run since its state was recorded: then the memory of its lock is from another moment. */
static bool may_have_run(const struct scope_record_state *state)
{
	uint64_t run_ns;

	return scope_proc_task_run_ns(state->tgid, state->tid, &run_ns) || run_ns != state->run_ns;
}

static int say_asleep(struct scope_stopped_stacks *stopped, struct scope_writer *writer)
{
	if (stopped->says_asleep)
		return 0;
	stopped->says_asleep = true;
	return scope_trace_writer_meta(writer, SCOPE_META_LOCKS, "asleep");
}

/*
 * Writes the lock for which the thread sleeps, because the lock may name its owner. At stop it is read again even if
 * the thread has slept all the time, because the lock may have another owner. A thread that was asleep before and after
 * its lock was read did not get the lock in between. So threads for which this is known, and whose locks name each
 * other, wait in a circle.
 */
static int write_lock(struct scope_stopped_stacks *stopped, const struct scope_record_state *state,
		      struct scope_writer *writer)
{
	struct scope_trace_memory memory = {
		.tid = state->tid,
		.address = state->arg[0],
		.data = stopped->data,
	};
	struct scope_trace_lock lock;
	struct scope_record_state of = *state;
	int err;

	if (state->flags & SCOPE_STATE_ON_CPU || state->nr != SYS_futex || !memory.address)
		return 0;
	err = is_known(stopped, state->tid, state->run_ns, memory.address);
	if (err < 0 || (err && !(state->flags & SCOPE_STATE_AT_STOP)))
		return err < 0 ? err : 0;
	if (scope_proc_reader_memory(stopped->reader, state->tgid, state->tid, memory.address, stopped->data,
				     SCOPE_FUTEX_MEMORY_BYTES) != SCOPE_FUTEX_MEMORY_BYTES ||
	    may_have_run(state))
		return 0;
	err = say_asleep(stopped, writer);
	if (err)
		return err;
	memory.bytes = SCOPE_FUTEX_MEMORY_BYTES;
	if (!stopped->unwinder)
		return scope_trace_writer_memory(writer, &memory);
	scope_symbol_stacks_lock(&memory, is_thread, &of, &lock);
	return scope_trace_writer_lock(writer, &lock);
}

/*
 * Writes where the thread sleeps in the kernel. This is done only at stop, because a report needs it for threads that
 * do not run at that time. If kernel stacks may not be read, the reason is written, and no other thread is tried.
 */
static int write_kernel(struct scope_stopped_stacks *stopped, const struct scope_record_state *state,
			struct scope_writer *writer)
{
	struct scope_error error = { "" };
	char names[SCOPE_KERNEL_STACK_BYTES], key[32];
	int err;

	if (!(state->flags & SCOPE_STATE_AT_STOP) || state->flags & SCOPE_STATE_ON_CPU || state->nr == SCOPE_NR_NONE ||
	    stopped->kernel_stacks == KERNEL_STACKS_MAX)
		return 0;
	stopped->kernel_stacks++;
	err = scope_proc_kernel_stack_read(stopped->reader, state->tgid, state->tid, &error, names);
	if (err == -ESRCH)
		return 0;
	if (err) {
		stopped->kernel_stacks = KERNEL_STACKS_MAX;
		return scope_trace_writer_meta(writer, SCOPE_META_KERNEL_STACKS, error.text);
	}
	snprintf(key, sizeof(key), SCOPE_META_KERNEL_STACK "%u", state->tid);
	return names[0] ? scope_trace_writer_meta(writer, key, names) : 0;
}

int scope_capture_stopped_note(struct scope_stopped_stacks *stopped, const struct scope_subbuf *subbuf)
{
	const struct scope_record_state *state;
	const void *record;
	uint32_t offset = 0;

	while ((record = scope_trace_walk_next(subbuf, SCOPE_WALK(STATE), &offset))) {
		struct noted *noted;

		state = record;
		if (scope_grow(&stopped->noted, &stopped->noted_room, stopped->noted_count + 1,
			       sizeof(*stopped->noted)))
			return -ENOMEM;
		noted = &stopped->noted[stopped->noted_count++];
		*noted = (struct noted){ .state = *state };
		if (state->regs <= SCOPE_REG_MAX)
			memcpy(noted->reg, state + 1, state->regs * sizeof(*noted->reg));
		else
			noted->state.regs = 0;
	}
	return 0;
}

int scope_capture_stopped_write(struct scope_stopped_stacks *stopped, struct scope_writer *writer,
				int (*while_waiting)(void *context), void *context)
{
	const struct waiting_call during = { while_waiting, context };
	int err = 0;

	for (size_t i = 0; i < stopped->noted_count && !err; i++) {
		const struct noted noted = stopped->noted[i]; /* more may be noted while this one is unwound */
		const struct scope_record_state *state = &noted.state;

		err = write_stack(stopped, &noted, writer, &during);
		if (!err)
			err = write_lock(stopped, state, writer);
		if (!err)
			err = write_kernel(stopped, state, writer);
		if (!err && i % READS_MAX == READS_MAX - 1)
			err = while_waiting(context);
	}
	next_moment(stopped);
	return err;
}
