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
	struct scope_import_thread **person; /* all of them */
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
		free(table->person[i]->ip);
		free(table->person[i]);
	}
	free(table->person);
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
	struct scope_import_thread **found = tfind(&key, &table->tree, compare), *person;

	if (found)
		return *found;
	if (scope_grow(&table->person, &table->capacity, table->count + 1, sizeof(person)))
		return NULL;
	person = calloc(1, sizeof(*person));
	if (!person)
		return NULL;
	person->tid = tid;
	if (!tsearch(person, &table->tree, compare)) {
		free(person);
		return NULL;
	}
	table->person[table->count++] = person;
	return person;
}

void scope_import_threads_name(struct scope_import_threads *table, struct scope_import_thread *person, uint32_t tgid,
			       const char *comm)
{
	bool by_name;

	if (tgid && tgid != person->tgid) {
		person->tgid = tgid;
		person->named = false;
	}
	if (comm && comm[0] && strncmp(comm, person->comm, sizeof(person->comm) - 1)) {
		memset(person->comm, 0, sizeof(person->comm));
		strncat(person->comm, comm, sizeof(person->comm) - 1);
		person->named = false;
	}
	if (!person->tid)
		return;
	if (table->pid && (person->tgid == table->pid || person->tid == table->pid)) {
		person->wanted = true;
		/* Threads without a known process are matched by the name of a thread that has one. */
		if (person->tid == table->pid && person->comm[0])
			memcpy(table->comm, person->comm, sizeof(table->comm));
		return;
	}
	by_name = table->comm[0] && !strcmp(person->comm, table->comm);
	/* A wanted thread stays wanted, even if it changes its name. */
	if (by_name && (!table->pid || !person->tgid))
		person->wanted = true;
}

void scope_import_threads_forget(struct scope_import_thread *person)
{
	*person = (struct scope_import_thread){ .tid = person->tid, .events = person->events, .ip = person->ip };
}

static uint32_t process_of(const struct scope_import_thread *person)
{
	return person->tgid ? person->tgid : person->tid;
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
		qsort(table->person, table->count, sizeof(*table->person), compare_processes);
	for (int listed = 0; listed < LISTED && used < room; listed++) {
		const struct scope_import_thread *most = NULL;
		uint64_t most_events = 0;

		for (size_t i = 0, end; i < table->count; i = end) {
			const struct scope_import_thread *first = table->person[i];
			uint64_t events = 0;

			for (end = i; end < table->count && process_of(table->person[end]) == process_of(first); end++)
				events += table->person[end]->events;
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
		if (table->person[i]->wanted && table->person[i]->comm[0] &&
		    (!first || table->person[i]->tid < first->tid))
			first = table->person[i];
	return first ? first->comm : NULL;
}
