// SPDX-License-Identifier: GPL-2.0-only
/* Writes the snapshot of a set of processes, each row once. */
#include "proc/proc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/file.h"
#include "proc/proc_internal.h"
#include "trace/writer.h"

int scope_proc_create(struct scope_proc_reader *reader, struct scope_proc **ret_proc)
{
	struct scope_proc *proc = calloc(1, sizeof(*proc));

	if (!proc)
		return -ENOMEM;
	proc->reader = reader;
	*ret_proc = proc;
	return 0;
}

void scope_proc_set_idle(struct scope_proc *proc, int (*while_waiting)(void *context), void *context)
{
	proc->while_waiting = while_waiting;
	proc->context = context;
}

void scope_proc_destroy(struct scope_proc *proc)
{
	size_t i;

	if (!proc)
		return;
	scope_proc_forget_jit(proc);
	for (i = 0; i < proc->file_count; i++)
		free(proc->file[i].path);
	free(proc->file);
	for (i = 0; i < proc->programs; i++)
		free(proc->program[i].libraries);
	free(proc->written.slot);
	free(proc);
}

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
	const unsigned char *byte = data;
	size_t i;

	/* FNV-1a, 64 bits. There are few rows, and an accidental match only loses one mapping of one process. */
	for (i = 0; i < bytes; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3ull;
	return hash;
}

static uint64_t hash_map(const struct scope_trace_map *map)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	hash = mix(hash, &map->tgid, sizeof(map->tgid));
	hash = mix(hash, &map->start, sizeof(map->start));
	hash = mix(hash, &map->end, sizeof(map->end));
	hash = mix(hash, &map->offset, sizeof(map->offset));
	hash = mix(hash, map->path, strlen(map->path));
	hash = mix(hash, map->build_id, strlen(map->build_id));
	return hash ? hash : 1;
}

static bool put_slot(struct scope_proc_set *set, uint64_t hash)
{
	size_t i = hash & (set->size - 1);

	while (set->slot[i] && set->slot[i] != hash)
		i = (i + 1) & (set->size - 1);
	if (set->slot[i])
		return false;
	set->slot[i] = hash;
	set->count++;
	return true;
}

/* Adds a hash to the set. 1: it is new; 0: it was there; -ENOMEM. */
static int put_new(struct scope_proc_set *set, uint64_t hash)
{
	struct scope_proc_set larger = { .size = set->size ? set->size * 2 : 1024 };
	size_t i;

	if (set->count * 2 >= set->size) {
		larger.slot = calloc(larger.size, sizeof(*larger.slot));
		if (!larger.slot)
			return -ENOMEM;
		for (i = 0; i < set->size; i++)
			if (set->slot[i])
				put_slot(&larger, set->slot[i]);
		free(set->slot);
		*set = larger;
	}
	return put_slot(set, hash);
}

static int write_maps_of(struct scope_proc *proc, uint32_t tgid, struct scope_writer *writer)
{
	struct scope_proc_maps maps;
	size_t fresh = 0; /* length of the run of new mappings before i */
	int err;

	err = scope_proc_maps_read(proc, tgid, &maps);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t i = 0; i < maps.count && err >= 0; i++) {
		err = put_new(&proc->written, hash_map(&maps.map[i]));
		if (err == 1) {
			fresh++;
		} else if (!err && fresh) {
			err = scope_trace_writer_maps(writer, &maps.map[i - fresh], fresh);
			fresh = 0;
		}
	}
	if (err >= 0 && fresh)
		err = scope_trace_writer_maps(writer, &maps.map[maps.count - fresh], fresh);
	scope_proc_maps_destroy(&maps);
	return err < 0 ? err : 0;
}

int scope_proc_write_maps(struct scope_proc *proc, const uint32_t *tgids, size_t count, struct scope_writer *writer)
{
	int err = 0;
	size_t i;

	for (i = 0; i < count && !err; i++)
		err = write_maps_of(proc, tgids[i], writer);
	return err;
}

struct names {
	struct scope_proc *proc;
	struct scope_writer *writer;
	uint32_t tgid;
};

/* Returns 0 to continue, or -errno. */
static int write_thread(uint32_t tid, void *context)
{
	struct names *names = context;
	struct scope_trace_thread thread = { .tid = tid, .tgid = names->tgid };
	uint64_t hash = 0xcbf29ce484222325ull;
	char *comm;
	int err;

	err = scope_proc_file_read(&comm, "/proc/%u/task/%u/comm", names->tgid, tid);
	if (err)
		return err == -ENOMEM ? err : 0;
	comm[strcspn(comm, "\n")] = '\0';
	thread.comm = comm;
	hash = mix(hash, &thread.tid, sizeof(thread.tid));
	hash = mix(hash, comm, strlen(comm));
	err = put_new(&names->proc->written, hash ? hash : 1);
	if (err == 1)
		err = scope_trace_writer_thread(names->writer, &thread);
	free(comm);
	return err;
}

int scope_proc_write_threads(struct scope_proc *proc, const uint32_t *tgids, size_t count, struct scope_writer *writer)
{
	struct names names = { .proc = proc, .writer = writer };
	char path[64];
	int err = 0;
	size_t i;

	for (i = 0; i < count && err != -ENOMEM; i++) {
		names.tgid = tgids[i];
		snprintf(path, sizeof(path), "/proc/%u/task", tgids[i]);
		err = scope_proc_file_numbers(path, write_thread, &names);
		if (err && err != -ENOMEM && !scope_trace_writer_error(writer)[0])
			err = 0;
	}
	return err;
}

/* Descriptors of a target, as they are written. */
struct writing_fds {
	struct scope_writer *writer;
	struct scope_peers peers;
	size_t count;	 /* descriptors so far */
	size_t left_out; /* processes */
	bool unknown;	 /* a socket is not in the table */
};

static int write_fds_of(uint32_t tgid, const struct scope_socket_table *sockets, struct writing_fds *writing)
{
	struct scope_proc_fds fds;
	size_t i;
	int err;

	if (writing->count >= SCOPE_PROC_FDS_MAX) {
		writing->left_out++;
		return 0;
	}
	err = scope_proc_fds_read(tgid, sockets, &writing->peers, &fds);
	if (err)
		return err == -ENOMEM ? err : 0;
	writing->count += fds.count;
	for (i = 0; i < fds.count && !err; i++) {
		writing->unknown |= fds.fd[i].kind == SCOPE_FD_UNKNOWN && !strncmp(fds.fd[i].name, "socket:", 7);
		err = scope_trace_writer_fd(writing->writer, &fds.fd[i]);
	}
	scope_proc_fds_destroy(&fds);
	return err;
}

/* "net:[4026531840]", "" if it cannot be read. */
static void read_namespace(uint32_t tgid, char *text, size_t size)
{
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%u/ns/net", tgid);
	length = readlink(path, text, size - 1);
	text[length > 0 ? length : 0] = '\0';
}

#define SPACES_MAX 32 /* network namespaces of one target; sockets of further ones are unknown */

/* Makes a table of the sockets in all namespaces of the processes. 0 or -ENOMEM; NULL if count is 0. */
static int read_sockets(const uint32_t *tgids, size_t count, struct scope_socket_table **ret_sockets)
{
	struct scope_socket_table *sockets = NULL;
	char seen[SPACES_MAX][64], here[64];
	size_t spaces = 0, at;
	int err = 0;

	for (size_t i = 0; i < count && !err && spaces < SPACES_MAX; i++) {
		read_namespace(tgids[i], here, sizeof(here));
		for (at = 0; at < spaces && strcmp(seen[at], here); at++)
			;
		if (at < spaces)
			continue;
		strcpy(seen[spaces++], here);
		err = sockets ? scope_proc_socket_table_add(sockets, tgids[i])
			      : scope_proc_socket_table_create(tgids[i], &sockets);
	}
	if (err)
		scope_proc_socket_table_destroy(sockets);
	else
		*ret_sockets = sockets;
	return err;
}

static int write_fds_once(const uint32_t *tgids, size_t count, struct writing_fds *writing)
{
	struct scope_socket_table *sockets = NULL;
	int err = read_sockets(tgids, count, &sockets);

	if (err)
		return err;
	for (size_t i = 0; i < count && !err; i++)
		err = write_fds_of(tgids[i], sockets, writing);
	scope_proc_socket_table_destroy(sockets);
	scope_proc_peers_free(&writing->peers);
	return err;
}

int scope_proc_write_fds(const uint32_t *tgids, size_t count, struct scope_writer *writer, size_t *ret_left_out)
{
	struct writing_fds writing = { .writer = writer };
	int err = write_fds_once(tgids, count, &writing);

	/* A client that connected after the table was read and before the descriptors were read is in a new table. */
	if (!err && writing.unknown) {
		writing = (struct writing_fds){ .writer = writer };
		err = write_fds_once(tgids, count, &writing);
	}
	*ret_left_out = writing.left_out;
	return err;
}
