/* SPDX-License-Identifier: GPL-2.0-only */
/* All threads that an imported trace names, and which of them are wanted. */
#ifndef SCOPE_IMPORT_THREAD_TABLE_H
#define SCOPE_IMPORT_THREAD_TABLE_H

#include "import/build.h"
#include "trace/event.h"

struct scope_import_thread {
	uint32_t tid, tgid; /* tgid 0: not known */
	char comm[SCOPE_COMM_BYTES];
	bool wanted;
	bool named;	 /* its name and process are in the trace */
	uint64_t events; /* while it was not wanted */
	/* Its open call. */
	bool open, written; /* written: as ENTER already */
	uint16_t nr;
	uint8_t args;
	uint32_t cpu;
	uint64_t enter_ns;
	uint64_t arg[SCOPE_ARG_MAX];
	/* The stack it was entered with. */
	uint64_t *ip; /* room for SCOPE_IMPORT_FRAMES; NULL: it never had one */
	unsigned ips;
};

struct scope_import_threads;

int scope_import_threads_create(const struct scope_import_choice *choice, struct scope_import_threads **ret_threads);
void scope_import_threads_destroy(struct scope_import_threads *table); /* NULL is fine */

/* The thread of that tid, created if there is none; NULL without memory. */
struct scope_import_thread *scope_import_threads_get(struct scope_import_threads *table, uint32_t tid);
/* Updates name and process of a thread, and decides again if it is wanted. */
void scope_import_threads_name(struct scope_import_threads *table, struct scope_import_thread *thread, uint32_t tgid,
			       const char *comm);
/* Forgets a thread whose tid belongs to a new thread. */
void scope_import_threads_forget(struct scope_import_thread *thread);

/* "1234 memcached (120000 events), …": processes with most events, from which the user can choose. */
void scope_import_threads_list(struct scope_import_threads *table, char *text, size_t room);
/* The name of the first wanted thread, NULL if none has one. */
const char *scope_import_threads_command(struct scope_import_threads *table);

#endif
