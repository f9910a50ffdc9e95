// SPDX-License-Identifier: GPL-2.0-only
/* The threads of one process whose interpreter is read, and which of them have run since they were read. */
#include "capture/snapshots_process.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "proc/file.h"
#include "proc/proc.h"

#define NS_PER_MS 1000000ull
#define FIND_READS 8192u	       /* reads to find the interpreter: symbols are looked up in its memory */
#define THREADS_READS 4096u	       /* reads to walk over its threads */
#define RETRY_NS (20 * NS_PER_MS)      /* wait after the first failed attempt; it doubles after each further one */
#define RETRY_DOUBLINGS 8	       /* at most: about every 5 s */
#define SEARCH_NS (100 * NS_PER_MS)    /* a thread without a state is searched again after this time */
#define CHANGING_NS (1000 * NS_PER_MS) /* after a new thread each round searches for others during this time */
#define NEWEST_READS 8		       /* no rule */
#define AGAIN_NS (1000 * NS_PER_MS)    /* a thread that still sleeps is read again after this time */
#define TASKS_MAX SCOPE_INTERPRETED_THREADS

void scope_capture_snapshots_find(struct scope_snapshots_process *process, struct scope_memory *memory, uint64_t now_ns)
{
	enum scope_interpreter_language language = SCOPE_INTERPRETER_NONE;
	enum scope_interpreter_found found = SCOPE_INTERPRETER_ABSENT;
	uint64_t start = 0;
	uint32_t version = 0;
	char *maps;

	process->next_try_ns = now_ns + (RETRY_NS << process->attempts);
	process->attempts += process->attempts < RETRY_DOUBLINGS;
	if (scope_proc_file_read(&maps, "/proc/%u/maps", process->tgid)) {
		process->gone = true;
		return;
	}
	language = scope_interpreter_of_maps(maps, &start, &version);
	free(maps);
	scope_interpreter_memory_begin(memory, FIND_READS);
	if (language)
		found = scope_interpreter_find(memory, language, start, version, &process->interpreter);
	process->found = found == SCOPE_INTERPRETER_FOUND;
	process->unknown = found == SCOPE_INTERPRETER_UNKNOWN;
}

/* ---- threads ---- */

static int note_task(uint32_t tid, void *context)
{
	struct scope_snapshots_process *process = context;
	char path[64];

	for (size_t i = 0; i < process->tasks; i++)
		if (process->task[i].tid == tid) {
			process->task[i].gone = false;
			return 0;
		}
	if (process->tasks == TASKS_MAX ||
	    scope_grow(&process->task, &process->capacity, process->tasks + 1, sizeof(*process->task)))
		return 0;
	process->added = true;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/schedstat", process->tgid, tid);
	process->task[process->tasks++] = (struct scope_snapshots_task){
		.tid = tid,
		.inner = scope_proc_own_number(tid),
		.fd = open(path, O_RDONLY | O_CLOEXEC),
	};
	return 0;
}

void scope_capture_snapshots_list(struct scope_snapshots_process *process, uint64_t now_ns)
{
	size_t kept = 0;
	char path[40];

	process->added = false;
	for (size_t i = 0; i < process->tasks; i++)
		process->task[i].gone = true;
	snprintf(path, sizeof(path), "/proc/%u/task", process->tgid);
	process->gone = scope_proc_file_numbers(path, note_task, process) != 0;
	for (size_t i = 0; i < process->tasks; i++) {
		if (!process->task[i].gone)
			process->task[kept++] = process->task[i];
		else if (process->task[i].fd >= 0)
			close(process->task[i].fd);
	}
	process->tasks = kept;
	if (process->added)
		process->changing_ns = now_ns;
}

bool scope_capture_snapshots_has_new(struct scope_snapshots_process *process, struct scope_memory *memory,
				     uint64_t now_ns)
{
	const struct scope_interpreted_thread before = process->newest;

	/* CPython's list begins with the newest thread. */
	if (process->interpreter.language != SCOPE_INTERPRETER_PYTHON || now_ns - process->changing_ns >= CHANGING_NS)
		return false;
	scope_interpreter_memory_begin(memory, NEWEST_READS);
	return scope_interpreter_threads(memory, &process->interpreter, &process->newest, 1) &&
	       (process->newest.state != before.state || process->newest.tid != before.tid ||
		process->newest.handle != before.handle);
}

bool scope_capture_snapshots_due(struct scope_snapshots_process *process, struct scope_snapshots_task *task,
				 uint64_t now_ns)
{
	uint64_t run_ns = 0, slices = 0;
	char text[96];
	ssize_t got;
	bool ran;

	(void)process;
	got = task->fd >= 0 ? pread(task->fd, text, sizeof(text) - 1, 0) : -1;
	if (got > 0) {
		text[got] = '\0';
		if (sscanf(text, "%" SCNu64 " %*u %" SCNu64, &run_ns, &slices) != 2)
			run_ns = 0;
	}
	/* If the kernel does not count this, the values are 0. */
	ran = !run_ns || run_ns != task->run_ns || slices != task->slices;
	task->run_ns = run_ns;
	task->slices = slices;
	return ran || now_ns - task->looked_ns >= AGAIN_NS;
}

/* ---- their states ---- */

static bool is_inner(void *context, uint32_t tid)
{
	const struct scope_snapshots_process *process = context;

	for (size_t i = 0; i < process->tasks; i++)
		if (process->task[i].inner == tid)
			return true;
	return false;
}

static uint32_t number_of(struct scope_snapshots_process *process, struct scope_memory *memory,
			  const struct scope_interpreted_thread *thread, size_t count)
{
	uint32_t number = thread->tid;

	/*
	 * After a fork the interpreter of the child may still have the thread's number in the parent; the C library has
	 * the right one.
	 */
	if (thread->handle && !(number && is_inner(process, number)))
		number = scope_interpreter_thread_of_handle(memory, thread->handle, is_inner, process);
	/* If there is only one state, it belongs to the thread with which the process began. */
	return number || count > 1 ? number : process->task[0].inner;
}

static void place_all(struct scope_snapshots_process *process, struct scope_memory *memory)
{
	static struct scope_interpreted_thread thread[SCOPE_INTERPRETED_THREADS];
	size_t count;

	scope_interpreter_memory_begin(memory, THREADS_READS);
	count = scope_interpreter_threads(memory, &process->interpreter, thread, SCOPE_INTERPRETED_THREADS);
	/* The process may have executed another program. */
	if (!count) {
		process->found = false;
		process->attempts = 0;
	}
	for (size_t i = 0; i < process->tasks; i++)
		process->task[i].thread.state = 0;
	for (size_t i = 0; i < count; i++) {
		const uint32_t number = number_of(process, memory, &thread[i], count);

		for (size_t j = 0; number && j < process->tasks; j++)
			if (process->task[j].inner == number)
				process->task[j].thread = thread[i];
	}
}

bool scope_capture_snapshots_place(struct scope_snapshots_process *process, struct scope_snapshots_task *task,
				   struct scope_memory *memory, uint64_t now_ns)
{
	if (task->thread.state && scope_interpreter_is_thread(memory, &process->interpreter, &task->thread))
		return true;
	task->thread.state = 0;
	if (now_ns < task->searched_ns + SEARCH_NS)
		return false;
	task->searched_ns = now_ns;
	place_all(process, memory);
	return task->thread.state;
}

void scope_capture_snapshots_process_destroy(struct scope_snapshots_process *process)
{
	for (size_t i = 0; i < process->tasks; i++)
		if (process->task[i].fd >= 0)
			close(process->task[i].fd);
	free(process->task);
	free(process->waits);
	free(process);
}
