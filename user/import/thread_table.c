// SPDX-License-Identifier: GPL-2.0-only
/* All threads that an imported trace names, and which of them are wanted. */
#include "import/thread_table.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define LISTED 5

struct scope_import_threads {
	uint32_t pid;
	char comm[SCOPE_COMM_BYTES];	     /* wanted name, "": none; or that of the wanted process */
	void *tree;			     /* of struct scope_import_thread, by tid */
	struct scope_import_thread **thread; /* all of them */
	size_t count, capacity;
};

int scope_import_threads_create(const struct scope_import_choice *choice, struct scope_import_threads **ret_threads)
{
	struct scope_import_threads *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->pid = choice->pid;
	if (choice->comm)
		strncat(table->comm, choice->comm, sizeof(table->comm) - 1);
	*ret_threads = table;
	return 0;
}

static void keep_data(void *data)
{
	(void)data;
}

void scope_import_threads_destroy(struct scope_import_threads *table)
{
	if (!table)
		return;
	tdestroy(table->tree, keep_data);
	for (size_t i = 0; i < table->count; i++) {
		free(table->thread[i]->ip);
		free(table->thread[i]);
	}
	free(table->thread);
	free(table);
}

static int compare(const void *left, const void *right)
{
	const struct scope_import_thread *a = left, *b = right;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

struct scope_import_thread *scope_import_threads_get(struct scope_import_threads *table, uint32_t tid)
{
	const struct scope_import_thread key = { .tid = tid };
	struct scope_import_thread **found = tfind(&key, &table->tree, compare), *thread;

	if (found)
		return *found;
	if (scope_grow(&table->thread, &table->capacity, table->count + 1, sizeof(thread)))
		return NULL;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->tid = tid;
	if (!tsearch(thread, &table->tree, compare)) {
		free(thread);
		return NULL;
	}
	table->thread[table->count++] = thread;
	return thread;
}

void scope_import_threads_name(struct scope_import_threads *table, struct scope_import_thread *thread, uint32_t tgid,
			       const char *comm)
{
	bool by_name;

	if (tgid && tgid != thread->tgid) {
		thread->tgid = tgid;
		thread->named = false;
	}
	if (comm && comm[0] && strncmp(comm, thread->comm, sizeof(thread->comm) - 1)) {
		memset(thread->comm, 0, sizeof(thread->comm));
		strncat(thread->comm, comm, sizeof(thread->comm) - 1);
		thread->named = false;
	}
	if (!thread->tid)
		return;
	if (table->pid && (thread->tgid == table->pid || thread->tid == table->pid)) {
		thread->wanted = true;
		/* Threads without a known process are matched by the name of a thread that has one. */
		if (thread->tid == table->pid && thread->comm[0])
			memcpy(table->comm, thread->comm, sizeof(table->comm));
		return;
	}
	by_name = table->comm[0] && !strcmp(thread->comm, table->comm);
	/* A wanted thread stays wanted, even if it changes its name. */
	if (by_name && (!table->pid || !thread->tgid))
		thread->wanted = true;
}

void scope_import_threads_forget(struct scope_import_thread *thread)
{
	*thread = (struct scope_import_thread){ .tid = thread->tid, .events = thread->events, .ip = thread->ip };
}

static uint32_t process_of(const struct scope_import_thread *thread)
{
	return thread->tgid ? thread->tgid : thread->tid;
}

static int compare_processes(const void *left, const void *right)
{
	const struct scope_import_thread *a = *(struct scope_import_thread *const *)left;
	const struct scope_import_thread *b = *(struct scope_import_thread *const *)right;
	uint32_t x = process_of(a), y = process_of(b);

	return x != y ? (x > y) - (x < y) : compare(a, b);
}

void scope_import_threads_list(struct scope_import_threads *table, char *text, size_t room)
{
	size_t used = 0;
	uint64_t below = UINT64_MAX;

	text[0] = '\0';
	if (table->count)
		qsort(table->thread, table->count, sizeof(*table->thread), compare_processes);
	for (int listed = 0; listed < LISTED && used < room; listed++) {
		const struct scope_import_thread *most = NULL;
		uint64_t most_events = 0;

		for (size_t i = 0, end; i < table->count; i = end) {
			const struct scope_import_thread *first = table->thread[i];
			uint64_t events = 0;

			for (end = i; end < table->count && process_of(table->thread[end]) == process_of(first); end++)
				events += table->thread[end]->events;
			if (first->tid && events > most_events && events < below) {
				most = first;
				most_events = events;
			}
		}
		if (!most)
			return;
		below = most_events;
		used += snprintf(text + used, room - used, "%s%u %s (%" PRIu64 " events)", listed ? ", " : "",
				 process_of(most), most->comm, most_events);
	}
}

const char *scope_import_threads_command(struct scope_import_threads *table)
{
	const struct scope_import_thread *first = NULL;

	for (size_t i = 0; i < table->count; i++)
		if (table->thread[i]->wanted && table->thread[i]->comm[0] &&
		    (!first || table->thread[i]->tid < first->tid))
			first = table->thread[i];
	return first ? first->comm : NULL;
}
