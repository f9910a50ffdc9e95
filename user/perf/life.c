// SPDX-License-Identifier: GPL-2.0-only
/* Threads that come and go while perf events are packed: fork, exec, a new name, exit. */
#include "perf/pack_internal.h"

#include <errno.h>
#include <string.h>

#include "perf/select.h"
#include "perf/state.h"

int scope_perf_life_exec(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	const uint32_t tid = (uint32_t)record->value[0], old_tid = (uint32_t)record->value[1];
	struct scope_event event = event_of(SCOPE_EVENT_EXEC, cpu, record->time_ns, tid);
	struct scope_perf_thread *thread = scope_perf_pack_current(pack, record);
	struct lane *lane = &pack->lane[cpu];
	char comm[SCOPE_COMM_BYTES];
	uint8_t by;

	if (!thread)
		return 0;
	/* A thread that is not the first of its process gets the number of the first, which has ended. */
	memcpy(comm, thread->comm, sizeof(comm));
	by = thread->by;
	thread = scope_perf_tasks_add(pack->tasks, thread->tgid, tid);
	if (!thread)
		return -ENOMEM;
	memcpy(thread->comm, comm, sizeof(comm));
	thread->by = by;
	if (old_tid != tid)
		scope_perf_tasks_remove(pack->tasks, old_tid);
	if (lane->pending && lane->tid == old_tid)
		lane->tid = tid;
	lane->running = tid;
	thread->abi = scope_perf_program_abi(pack->options->reader, thread->tgid);
	event.exec.old_tid = old_tid;
	event.exec.tgid = thread->tgid;
	event.exec.comm = thread->comm;
	return scope_perf_pack_put(pack, &event);
}

int scope_perf_life_fork(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	struct scope_event event = event_of(SCOPE_EVENT_FORK, cpu, record->time_ns, record->tid);
	const struct scope_perf_thread *parent = scope_perf_tasks_find(pack->tasks, record->parent_tid);
	struct scope_perf_thread *child;
	char comm[SCOPE_COMM_BYTES];
	uint8_t abi, by;

	if (!parent)
		return 0;
	memcpy(comm, parent->comm, sizeof(comm));
	abi = parent->abi;
	by = scope_perf_select_inherit(pack->options, parent->by, record->tgid == parent->tgid);
	if (by) {
		child = scope_perf_tasks_add(pack->tasks, record->tgid, record->tid);
		if (!child)
			return -ENOMEM;
		memcpy(child->comm, comm, sizeof(comm));
		child->abi = abi;
		child->by = by;
	}
	event.fork.parent_tid = record->parent_tid;
	event.fork.tgid = record->tgid;
	event.fork.comm = comm;
	return scope_perf_pack_put(pack, &event);
}

int scope_perf_life_end(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	return scope_perf_pack_end(pack, cpu, record->time_ns, record->tid);
}

int scope_perf_pack_end(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns, uint32_t tid)
{
	struct scope_event event = event_of(SCOPE_EVENT_THREAD_EXIT, cpu, time_ns, tid);
	struct scope_perf_thread *thread = scope_perf_tasks_find(pack->tasks, tid);

	if (!thread || thread->ending)
		return 0;
	scope_perf_tasks_end(pack->tasks, thread);
	event.exit.tgid = thread->tgid;
	event.exit.last = !scope_perf_tasks_alive(pack->tasks, thread->tgid);
	return scope_perf_pack_put(pack, &event);
}

int scope_perf_pack_leave(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns,
			  const struct scope_perf_thread *thread)
{
	struct scope_event event = event_of(SCOPE_EVENT_THREAD_EXIT, cpu, time_ns, thread->tid);
	int err = 0;

	event.exit.tgid = thread->tgid;
	event.exit.untraced = true;
	if (!scope_perf_pack_lane(pack, cpu))
		return -ENOMEM;
	for (cpu = 0; cpu < pack->lanes && !err; cpu++) {
		if (pack->lane[cpu].running != thread->tid)
			continue;
		event.cpu = (uint16_t)cpu;
		err = scope_perf_pack_pending(pack, cpu, time_ns);
		pack->lane[cpu].running = 0;
	}
	scope_perf_tasks_remove(pack->tasks, event.tid);
	return err ? err : scope_perf_pack_put(pack, &event);
}

int scope_perf_life_comm(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	struct scope_event event = event_of(SCOPE_EVENT_COMM, cpu, record->time_ns, record->tid);
	struct scope_perf_thread *thread = scope_perf_tasks_find(pack->tasks, record->tid);
	const bool named = scope_perf_select_named(pack->options, record->comm);
	int err = 0;

	if (!thread && !named)
		return 0;
	if (!thread) {
		thread = scope_perf_tasks_add(pack->tasks, record->tgid, record->tid);
		if (!thread)
			return -ENOMEM;
		thread->abi = scope_perf_program_abi(pack->options->reader, record->tgid);
	}
	thread->by = (thread->by & ~SCOPE_PERF_BY_NAME) | (named ? SCOPE_PERF_BY_NAME : 0);
	memset(thread->comm, 0, sizeof(thread->comm));
	memcpy(thread->comm, record->comm, strnlen(record->comm, sizeof(thread->comm) - 1));
	if (!record->exec) { /* else the EXEC record has the name */
		event.comm.tgid = thread->tgid;
		event.comm.comm = thread->comm;
		err = scope_perf_pack_put(pack, &event);
	}
	return err || thread->by ? err : scope_perf_pack_leave(pack, cpu, record->time_ns, thread);
}
