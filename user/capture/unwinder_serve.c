// SPDX-License-Identifier: GPL-2.0-only
/* The process that reads a target's files and unwinds its stacks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/now.h"
#include "base/plain.h"
#include "capture/unwinder_internal.h"
#include "proc/reader.h"
#include "proc/root.h"
#include "symbol/kernel_tables.h"
#include "symbol/names.h"
#include "symbol/symbol.h"

#define NAMES_NS 50000000ull  /* stacks wait for at most this time while addresses get names */
#define AHEAD_NS 100000000ull /* after this time the mappings are given, then more files are opened in advance */

struct server {
	struct scope_unwinder_shared *shared;
	struct scope_symbols *symbols;
	struct scope_proc_root root;
	uint32_t tgid;
	const struct scope_unwinder_process *next, *end;
	void *table; /* the table whose parts are being sent */
	size_t table_bytes, table_given;
	uint32_t table_key;
	uint64_t ahead_ns; /* files are opened in advance until this time; 0: none is opened */
};

/* Keeps rows, with names in the form of a trace. Their lengths come from the parent, which is trusted. */
static int take_maps(struct server *server, uint32_t count)
{
	const uint8_t *at = (const uint8_t *)server->shared->in;
	struct scope_trace_map *rows = calloc(count, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct scope_unwinder_map_row *row = (const void *)at;
		const char *text = (const char *)(row + 1);

		rows[i] = (struct scope_trace_map){
			.tgid = row->tgid,
			.start = row->start,
			.end = row->end,
			.offset = row->offset,
			.executable = true,
			.of_package = row->of_package,
			.elf = row->elf,
			.path = scope_plain_copy(text, SCOPE_PLAIN_NAME),
			.build_id = strdup(text + row->path_bytes),
		};
		if (!rows[i].path || !rows[i].build_id)
			return -ENOMEM;
		at += (sizeof(*row) + row->path_bytes + row->build_id_bytes + 7) & ~7ul;
	}
	/* The target may have changed its root, and may end before the first file is needed. */
	scope_proc_root_hold(&server->root, server->tgid);
	return scope_symbols_add_maps(server->symbols, rows, count);
}

static uint32_t next_tgid(void *context, const struct scope_event *event)
{
	struct server *server = context;

	const struct scope_unwinder_process *process = server->next;

	(void)event;
	if (process == server->end)
		return 0;
	server->next++;
	/* Without memory the stack is broken. */
	if (process->ancestor != process->tgid)
		scope_symbols_inherit(server->symbols, process->tgid, process->ancestor);
	return process->tgid;
}

static int take_subbuf(struct server *server, uint32_t count, struct scope_stacks_found *ret_found)
{
	const struct scope_subbuf *subbuf = (const void *)server->shared->in;
	const struct scope_stacks stacks = { server->symbols, next_tgid, server };

	server->next = (const void *)((const uint8_t *)subbuf + subbuf->used_bytes);
	server->end = server->next + count;
	return scope_symbol_stacks_replace(&stacks, subbuf, (struct scope_subbuf *)server->shared->out, ret_found);
}

static int take_stopped_stack(struct server *server, struct scope_stacks_found *ret_found)
{
	const struct scope_unwinder_thread *thread = (const void *)server->shared->in;
	const struct scope_trace_memory memory = {
		.tid = thread->tid,
		.address = thread->address,
		.bytes = thread->bytes,
		.data = (const uint8_t *)(thread + 1),
	};
	struct scope_unwinder_stopped *stopped = (void *)server->shared->out;
	struct scope_trace_stopped_stack stopped_stack;
	bool unmapped;
	int err = scope_symbol_stacks_stopped(server->symbols, thread->tgid, thread->reg, thread->regs, &memory,
					      stopped->ip, &stopped_stack, &unmapped);

	if (err)
		return err;
	stopped->count = stopped_stack.count;
	stopped->ended = stopped_stack.ended;
	ret_found->stacks = 1;
	ret_found->unmapped[0] = thread->tgid;
	ret_found->unmapped_count = unmapped;
	return 0;
}

static int take_names(struct server *server, bool all, struct scope_unwinder_answer *answer)
{
	uint16_t type;
	size_t bytes;
	int err =
		scope_symbol_names_next(server->symbols, all, NAMES_NS, (uint8_t *)server->shared->out, &type, &bytes);

	if (err <= 0)
		return err;
	answer->type = type;
	answer->bytes = (uint32_t)bytes;
	return 0;
}

/* Like scope_symbol_kernel_tables_next(). ahead: if no opened file has a table, opens more for some time. */
static int next_table(struct server *server, bool ahead)
{
	int err;

	if (ahead && !server->ahead_ns)
		server->ahead_ns = scope_now_ns() + AHEAD_NS;
	for (;;) {
		err = scope_symbol_kernel_tables_next(server->symbols, &server->table_key, &server->table,
						      &server->table_bytes);
		if (err)
			return err;
		if (!ahead || scope_now_ns() >= server->ahead_ns)
			break;
		err = scope_symbol_kernel_tables_open(server->symbols);
		if (err <= 0)
			break;
	}
	server->ahead_ns = 0;
	return err < 0 ? err : 0;
}

/* Sends as much as fits of the present table, or of the next one. */
static int take_table(struct server *server, bool ahead, struct scope_unwinder_answer *answer)
{
	size_t bytes;

	if (!server->table) {
		int err = next_table(server, ahead);

		if (err <= 0)
			return err;
		server->table_given = 0;
	}
	bytes = server->table_bytes - server->table_given;
	if (bytes > sizeof(server->shared->out))
		bytes = sizeof(server->shared->out);
	memcpy(server->shared->out, (const uint8_t *)server->table + server->table_given, bytes);
	server->table_given += bytes;
	answer->type = server->table_key;
	answer->bytes = (uint32_t)bytes;
	answer->all_bytes = (uint32_t)server->table_bytes;
	if (server->table_given == server->table_bytes) {
		free(server->table);
		server->table = NULL;
	}
	return 0;
}

static int take_process(struct server *server, struct scope_unwinder_answer *answer)
{
	struct scope_table_map *map = (void *)server->shared->out;
	uint32_t count = 0;
	int err = scope_symbol_kernel_maps_next(server->symbols, map, SCOPE_TABLE_MAPS_MAX, &answer->type, &count);

	answer->bytes = count * (uint32_t)sizeof(*map);
	return err < 0 ? err : 0;
}

static int do_job(struct server *server, const struct scope_unwinder_job *job, struct scope_unwinder_answer *answer)
{
	switch (job->kind) {
	case SCOPE_UNWINDER_MAPS:
		return take_maps(server, job->count);
	case SCOPE_UNWINDER_SUBBUF:
		return take_subbuf(server, job->count, &answer->found);
	case SCOPE_UNWINDER_NAMES:
		return take_names(server, job->count, answer);
	case SCOPE_UNWINDER_STOPPED_STACK:
		return take_stopped_stack(server, &answer->found);
	case SCOPE_UNWINDER_TABLE:
		return take_table(server, job->count, answer);
	case SCOPE_UNWINDER_PROCESS:
		return take_process(server, answer);
	}
	return -EINVAL;
}

void scope_capture_unwinder_serve(int fd, struct scope_unwinder_shared *shared, uint32_t tgid)
{
	struct server server = { .shared = shared, .root = SCOPE_PROC_ROOT_NONE, .tgid = tgid };
	struct scope_symbol_options options = { .root = server.root.path };
	struct scope_unwinder_job job;

	scope_proc_root_hold(&server.root, tgid);
	/* A separate reader opens files and waits for them. */
	if (scope_proc_reader_create(NULL, NULL, &options.reader) ||
	    scope_symbols_create(NULL, 0, NULL, 0, &options, &server.symbols))
		return;
	while (recv(fd, &job, sizeof(job), 0) == sizeof(job)) {
		struct scope_unwinder_answer answer = { 0 };

		answer.code = do_job(&server, &job, &answer);
		answer.tables = scope_symbol_kernel_tables_pending(server.symbols);
		answer.unopened = scope_symbol_kernel_tables_unopened(server.symbols);
		if (send(fd, &answer, sizeof(answer), MSG_NOSIGNAL) != sizeof(answer))
			return;
	}
}
