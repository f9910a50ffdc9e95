// SPDX-License-Identifier: GPL-2.0-only
/* Two hash tables: threads by number, and how many threads each process has. */
#include "perf/tasks.h"

#include <errno.h>
#include <stdlib.h>

#include <scope/event.h>

/* The tables are chained, because both lose entries as often as they gain them. */
struct thread_entry {
	struct scope_perf_thread thread;
	struct thread_entry *next;
};

struct process_entry {
	uint32_t tgid, alive, known;
	struct process_entry *next;
};

#define BUCKETS 4096 /* a power of two; numbers are given in sequence, so they spread */

struct scope_perf_tasks {
	struct thread_entry *thread[BUCKETS];
	struct process_entry *process[BUCKETS];
	size_t threads;
	uint32_t processes; /* processes with a thread that is not ending */
};

int scope_perf_tasks_create(struct scope_perf_tasks **ret_tasks)
{
	struct scope_perf_tasks *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return -ENOMEM;
	*ret_tasks = tasks;
	return 0;
}

static void free_thread(struct thread_entry *entry)
{
	free(entry->thread.held);
	free(entry);
}

void scope_perf_tasks_destroy(struct scope_perf_tasks *tasks)
{
	size_t i;

	if (!tasks)
		return;
	for (i = 0; i < BUCKETS; i++) {
		while (tasks->thread[i]) {
			struct thread_entry *next = tasks->thread[i]->next;

			free_thread(tasks->thread[i]);
			tasks->thread[i] = next;
		}
		while (tasks->process[i]) {
			struct process_entry *next = tasks->process[i]->next;

			free(tasks->process[i]);
			tasks->process[i] = next;
		}
	}
	free(tasks);
}

struct scope_perf_thread *scope_perf_tasks_find(struct scope_perf_tasks *tasks, uint32_t tid)
{
	struct thread_entry *entry = tasks->thread[tid % BUCKETS];

	while (entry && entry->thread.tid != tid)
		entry = entry->next;
	return entry ? &entry->thread : NULL;
}

static struct process_entry *find_process(const struct scope_perf_tasks *tasks, uint32_t tgid)
{
	struct process_entry *entry = tasks->process[tgid % BUCKETS];

	while (entry && entry->tgid != tgid)
		entry = entry->next;
	return entry;
}

uint32_t scope_perf_tasks_alive(const struct scope_perf_tasks *tasks, uint32_t tgid)
{
	const struct process_entry *process = find_process(tasks, tgid);

	return process ? process->alive : 0;
}

uint32_t scope_perf_tasks_processes(const struct scope_perf_tasks *tasks)
{
	return tasks->processes;
}

static struct process_entry *get_process(struct scope_perf_tasks *tasks, uint32_t tgid)
{
	struct process_entry *process = find_process(tasks, tgid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->tgid = tgid;
	process->next = tasks->process[tgid % BUCKETS];
	tasks->process[tgid % BUCKETS] = process;
	return process;
}

/* The process loses a thread. */
static void put_process(struct scope_perf_tasks *tasks, uint32_t tgid)
{
	struct process_entry **place = &tasks->process[tgid % BUCKETS], *process;

	while (*place && (*place)->tgid != tgid)
		place = &(*place)->next;
	process = *place;
	if (process && !--process->known) {
		*place = process->next;
		free(process);
	}
}

void scope_perf_tasks_end(struct scope_perf_tasks *tasks, struct scope_perf_thread *thread)
{
	struct process_entry *process = find_process(tasks, thread->tgid);

	if (thread->ending || !process)
		return;
	thread->ending = true;
	if (!--process->alive)
		tasks->processes--;
}

void scope_perf_tasks_remove(struct scope_perf_tasks *tasks, uint32_t tid)
{
	struct thread_entry **place = &tasks->thread[tid % BUCKETS], *entry;

	while (*place && (*place)->thread.tid != tid)
		place = &(*place)->next;
	entry = *place;
	if (!entry)
		return;
	scope_perf_tasks_end(tasks, &entry->thread);
	put_process(tasks, entry->thread.tgid);
	*place = entry->next;
	free_thread(entry);
	tasks->threads--;
}

struct scope_perf_thread *scope_perf_tasks_add(struct scope_perf_tasks *tasks, uint32_t tgid, uint32_t tid)
{
	struct scope_perf_thread *found = scope_perf_tasks_find(tasks, tid);
	struct process_entry *process;
	struct thread_entry *entry;

	if (found && !found->ending && found->tgid == tgid)
		return found;
	if (found)
		scope_perf_tasks_remove(tasks, tid);
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	process = get_process(tasks, tgid);
	if (!process) {
		free(entry);
		return NULL;
	}
	process->known++;
	if (!process->alive++)
		tasks->processes++;
	entry->thread.tid = tid;
	entry->thread.tgid = tgid;
	entry->thread.nr = SCOPE_NR_NONE;
	entry->next = tasks->thread[tid % BUCKETS];
	tasks->thread[tid % BUCKETS] = entry;
	tasks->threads++;
	return &entry->thread;
}

bool scope_perf_tasks_any(const struct scope_perf_tasks *tasks,
			  bool (*is)(const struct scope_perf_thread *thread, const void *context), const void *context)
{
	const struct thread_entry *entry;

	for (size_t i = 0; i < BUCKETS; i++)
		for (entry = tasks->thread[i]; entry; entry = entry->next)
			if (is(&entry->thread, context))
				return true;
	return false;
}

int scope_perf_tasks_by_number(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

int scope_perf_tasks_list(const struct scope_perf_tasks *tasks, uint32_t **ret_tids, size_t *ret_count)
{
	uint32_t *tids = malloc((tasks->threads + 1) * sizeof(*tids));
	const struct thread_entry *entry;
	size_t count = 0, i;

	if (!tids)
		return -ENOMEM;
	for (i = 0; i < BUCKETS; i++)
		for (entry = tasks->thread[i]; entry; entry = entry->next)
			tids[count++] = entry->thread.tid;
	qsort(tids, count, sizeof(*tids), scope_perf_tasks_by_number);
	*ret_tids = tids;
	*ret_count = count;
	return 0;
}
