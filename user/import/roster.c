// SPDX-License-Identifier: GPL-2.0-only
/* All threads that an imported trace speaks of, and which of them are wanted. */
#include "import/roster.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define LISTED 5

struct scope_roster {
	uint32_t pid;
	char comm[SCOPE_COMM_BYTES];  /* wanted name, "": none; or that of the wanted process */
	void *tree;		      /* of struct scope_person, by tid */
	struct scope_person **person; /* all of them */
	size_t count, capacity;
};

int scope_import_threads_create(const struct scope_import_choice *choice, struct scope_roster **ret_people)
{
	struct scope_roster *roster = calloc(1, sizeof(*roster));

	if (!roster)
		return -ENOMEM;
	roster->pid = choice->pid;
	if (choice->comm)
		strncat(roster->comm, choice->comm, sizeof(roster->comm) - 1);
	*ret_people = roster;
	return 0;
}

static void keep_data(void *data)
{
	(void)data;
}

void scope_import_threads_destroy(struct scope_roster *roster)
{
	if (!roster)
		return;
	tdestroy(roster->tree, keep_data);
	for (size_t i = 0; i < roster->count; i++) {
		free(roster->person[i]->ip);
		free(roster->person[i]);
	}
	free(roster->person);
	free(roster);
}

static int compare(const void *left, const void *right)
{
	const struct scope_person *a = left, *b = right;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

struct scope_person *scope_import_threads_get(struct scope_roster *roster, uint32_t tid)
{
	const struct scope_person key = { .tid = tid };
	struct scope_person **found = tfind(&key, &roster->tree, compare), *person;

	if (found)
		return *found;
	if (scope_grow(&roster->person, &roster->capacity, roster->count + 1, sizeof(person)))
		return NULL;
	person = calloc(1, sizeof(*person));
	if (!person)
		return NULL;
	person->tid = tid;
	if (!tsearch(person, &roster->tree, compare)) {
		free(person);
		return NULL;
	}
	roster->person[roster->count++] = person;
	return person;
}

void scope_import_threads_name(struct scope_roster *roster, struct scope_person *person, uint32_t tgid,
			       const char *comm)
{
	bool by_name;

	if (tgid && tgid != person->tgid) {
		person->tgid = tgid;
		person->told = false;
	}
	if (comm && comm[0] && strncmp(comm, person->comm, sizeof(person->comm) - 1)) {
		memset(person->comm, 0, sizeof(person->comm));
		strncat(person->comm, comm, sizeof(person->comm) - 1);
		person->told = false;
	}
	if (!person->tid)
		return;
	if (roster->pid && (person->tgid == roster->pid || person->tid == roster->pid)) {
		person->wanted = true;
		/* Threads whose process is not told are known by the name of the one that is. */
		if (person->tid == roster->pid && person->comm[0])
			memcpy(roster->comm, person->comm, sizeof(roster->comm));
		return;
	}
	by_name = roster->comm[0] && !strcmp(person->comm, roster->comm);
	/* Once wanted always wanted: a thread that renames itself stays what it is. */
	if (by_name && (!roster->pid || !person->tgid))
		person->wanted = true;
}

void scope_import_threads_forget(struct scope_person *person)
{
	*person = (struct scope_person){ .tid = person->tid, .events = person->events, .ip = person->ip };
}

static uint32_t process_of(const struct scope_person *person)
{
	return person->tgid ? person->tgid : person->tid;
}

static int compare_processes(const void *left, const void *right)
{
	const struct scope_person *a = *(struct scope_person *const *)left;
	const struct scope_person *b = *(struct scope_person *const *)right;
	uint32_t x = process_of(a), y = process_of(b);

	return x != y ? (x > y) - (x < y) : compare(a, b);
}

void scope_import_threads_list(struct scope_roster *roster, char *text, size_t room)
{
	size_t used = 0;
	uint64_t below = UINT64_MAX;

	text[0] = '\0';
	if (roster->count)
		qsort(roster->person, roster->count, sizeof(*roster->person), compare_processes);
	for (int listed = 0; listed < LISTED && used < room; listed++) {
		const struct scope_person *most = NULL;
		uint64_t most_events = 0;

		for (size_t i = 0, end; i < roster->count; i = end) {
			const struct scope_person *first = roster->person[i];
			uint64_t events = 0;

			for (end = i; end < roster->count && process_of(roster->person[end]) == process_of(first);
			     end++)
				events += roster->person[end]->events;
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

const char *scope_import_threads_command(struct scope_roster *roster)
{
	const struct scope_person *first = NULL;

	for (size_t i = 0; i < roster->count; i++)
		if (roster->person[i]->wanted && roster->person[i]->comm[0] &&
		    (!first || roster->person[i]->tid < first->tid))
			first = roster->person[i];
	return first ? first->comm : NULL;
}
