/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The messages of a reader of a foreign format, which runs in a separate process: tracepoints of one size through a
 * pipe. Libraries that read such formats may end their process, take all memory, or never return; this does not affect
 * the importing process.
 */
#ifndef SCOPE_IMPORT_MESSAGES_H
#define SCOPE_IMPORT_MESSAGES_H

#include "import/build.h"

enum scope_import_message_kind {
	SCOPE_IMPORT_MESSAGE_THREAD,
	SCOPE_IMPORT_MESSAGE_ENTER,
	SCOPE_IMPORT_MESSAGE_EXIT,
	SCOPE_IMPORT_MESSAGE_SWITCH,
	SCOPE_IMPORT_MESSAGE_WAKING,
	SCOPE_IMPORT_MESSAGE_FORK,
	SCOPE_IMPORT_MESSAGE_THREAD_EXIT,
	SCOPE_IMPORT_MESSAGE_LOST,
	SCOPE_IMPORT_MESSAGE_OTHER, /* an event of another kind */
	SCOPE_IMPORT_MESSAGE_END,   /* the last: ret is 0 or -errno */
};

/* Fields as the parameters of scope_import_*() are called. */
struct scope_import_message {
	uint8_t kind, args, state;
	bool preempted, named;
	uint16_t nr;
	uint32_t cpu, tid, tgid, other; /* other: the next thread, the one woken, the child */
	uint64_t time_ns, count;
	int64_t ret;
	uint64_t arg[SCOPE_ARG_MAX];
	char comm[SCOPE_COMM_BYTES];
};

struct scope_import_sender;

/* Sends one. After a failure all later ones are dropped. 0 or -EPIPE. */
int scope_import_send(struct scope_import_sender *sender, const struct scope_import_message *message);
/* Fills message->comm, of which `text` may be NULL: not known. */
void scope_import_message_name(struct scope_import_message *message, const char *text);

/*
 * Runs read() in a separate process, and gives its messages to the import. The process has 2 GiB of memory and an hour
 * of CPU time, at most SCOPE_IMPORT_MESSAGE_CPU_S between some messages; it can write no file and print nothing.
 * Returns the result of read(), or of the import. -ECHILD: the process ended in another way; -ETIME: it sent nothing
 * for silence_ms (it may wait for a disk), or ran for SCOPE_IMPORT_MESSAGE_CPU_S, and was given up.
 */
#define SCOPE_IMPORT_MESSAGE_SILENCE_MS 30000
#define SCOPE_IMPORT_MESSAGE_CPU_S 5
int scope_import_run_reader(int (*read)(void *user, struct scope_import_sender *sender), void *user,
			    unsigned silence_ms, struct scope_import *import, uint64_t *ret_other);

#endif
