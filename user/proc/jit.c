// SPDX-License-Identifier: GPL-2.0-only
/* Finds the files with names of code made at run time: a process's perf map, and the jitdump files it mapped. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "proc/file.h"
#include "proc/jit_internal.h"
#include "proc/open.h"
#include "proc/proc.h"
#include "proc/reader.h"

#define BYTES_BETWEEN_CALLS (1u << 20) /* read between two calls of while_waiting() */

/* Gets the process, which is created with its first file. Its limits are for the whole series of snapshots. */
static struct scope_proc_jit_process *get_process(struct scope_proc *proc, uint32_t tgid)
{
	for (size_t i = 0; i < proc->jit_processes; i++)
		if (proc->jit_process[i].tgid == tgid)
			return &proc->jit_process[i];
	if (scope_grow(&proc->jit_process, &proc->jit_process_room, proc->jit_processes + 1,
		       sizeof(*proc->jit_process)))
		return NULL;
	proc->jit_process[proc->jit_processes] = (struct scope_proc_jit_process){ .tgid = tgid };
	return &proc->jit_process[proc->jit_processes++];
}

/*
 * Every user who may write to /tmp can create a file with that name, so only a file of the process's own user, or
 * root's, is accepted.
 */
static bool is_trusted(uint32_t tgid, const struct scope_proc_found *found)
{
	struct stat process;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u", tgid);
	return !stat(path, &process) && (found->owner == process.st_uid || !found->owner);
}

static struct scope_proc_jit *find_file(struct scope_proc *proc, uint32_t tgid, const struct scope_proc_found *found)
{
	for (size_t i = 0; i < proc->jit_count; i++)
		if (proc->jit[i].tgid == tgid && proc->jit[i].device == found->device &&
		    proc->jit[i].inode == found->inode)
			return &proc->jit[i];
	return NULL;
}

/* Keeps fd, which it owns from here on. A file that is held already stays, unless the new copy is longer. */
static int hold(struct scope_proc *proc, uint32_t tgid, int fd, const struct scope_proc_found *found, bool dump)
{
	struct scope_proc_jit *jit;
	int err = 0;

	if (fd < 0)
		return 0;
	jit = find_file(proc, tgid, found);
	if (jit && found->copied)
		dup3(fd, jit->fd, O_CLOEXEC);
	if (jit || !is_trusted(tgid, found) || proc->jit_count >= SCOPE_PROC_JIT_MAX) {
		close(fd);
		return 0;
	}
	err = scope_grow(&proc->jit, &proc->jit_room, proc->jit_count + 1, sizeof(*proc->jit));
	if (err || !get_process(proc, tgid)) {
		close(fd);
		return -ENOMEM;
	}
	proc->jit[proc->jit_count++] = (struct scope_proc_jit){
		.tgid = tgid,
		.fd = fd,
		.dump = dump,
		.device = found->device,
		.inode = found->inode,
	};
	return 0;
}

uint32_t scope_proc_own_number(uint32_t tid)
{
	const char *value;
	uint32_t number = tid;
	char *text, *end;

	if (scope_proc_file_read(&text, "/proc/%u/status", tid))
		return tid;
	value = scope_proc_file_field(text, "NSpid:");
	for (; value && *value && *value != '\n'; value = end) {
		const unsigned long one = strtoul(value, &end, 10);

		if (end == value)
			break;
		number = (uint32_t)one;
	}
	free(text);
	return number;
}

static bool is_dump(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t length = strlen(path);

	return name && !strncmp(name, "/jit-", 5) && length > 5 && !strcmp(path + length - 5, ".dump");
}

/* True for code whose names are in its file. */
static bool is_file_code(const struct scope_trace_map *map)
{
	return map->executable && (map->elf || !scope_proc_is_memory(map->path)) && !is_dump(map->path);
}

/* Notes the present mappings of a process; those of a process that has ended stay. 0 or -ENOMEM. */
static int note_mapped(struct scope_proc_jit_process *process, const struct scope_proc_maps *maps)
{
	process->mapped_count = 0;
	for (size_t i = 0; i < maps->count; i++) {
		if (!is_file_code(&maps->map[i]))
			continue;
		if (scope_grow(&process->mapped, &process->mapped_room, process->mapped_count + 1,
			       sizeof(*process->mapped)))
			return -ENOMEM;
		process->mapped[process->mapped_count++] = (struct scope_proc_mapped){
			maps->map[i].start,
			maps->map[i].end,
		};
	}
	return 0;
}

/* Opens the files of a process that name its code, so that they can be read when it has ended. 0 or -ENOMEM. */
static int find_jit(struct scope_proc *proc, uint32_t tgid)
{
	struct scope_proc_found found;
	struct scope_proc_maps maps;
	char root[32], path[32];
	int fd, err;

	snprintf(root, sizeof(root), "/proc/%u/root", tgid);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", scope_proc_own_number(tgid));
	fd = scope_proc_reader_open_itself(proc->reader, root, path, &found);
	err = hold(proc, tgid, fd, &found, false);
	if (err || scope_proc_maps_read(proc, tgid, &maps))
		return err;
	for (size_t i = 0; i < maps.count && !err; i++)
		if (is_dump(maps.map[i].path)) {
			fd = scope_proc_reader_open_mapped(proc->reader, tgid, maps.map[i].start, maps.map[i].end,
							   false, &found);
			err = hold(proc, tgid, fd, &found, true);
		}
	for (size_t i = 0; i < proc->jit_processes && !err; i++)
		if (proc->jit_process[i].tgid == tgid)
			err = note_mapped(&proc->jit_process[i], &maps);
	scope_proc_maps_destroy(&maps);
	return err;
}

/* Reads the rest of the file, piece by piece. */
static int read_on(struct scope_proc *proc, struct scope_proc_jit *jit, struct scope_proc_jit_rows *rows)
{
	uint64_t next;
	int err = 1;

	rows->process = get_process(proc, jit->tgid);
	if (!rows->process)
		return -ENOMEM;
	next = rows->process->bytes + BYTES_BETWEEN_CALLS;
	while (err == 1) {
		err = scope_proc_jit_read(jit, rows);
		if (err != 1 || rows->process->bytes < next || !proc->while_waiting)
			continue;
		next = rows->process->bytes + BYTES_BETWEEN_CALLS;
		err = scope_proc_jit_flush(rows);
		if (!err)
			err = proc->while_waiting(proc->context);
		if (!err)
			err = 1;
	}
	return err ? err : scope_proc_jit_flush(rows);
}

int scope_proc_write_jit(struct scope_proc *proc, const uint32_t *tgids, size_t count, struct scope_writer *writer)
{
	struct scope_proc_jit_rows *rows;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = find_jit(proc, tgids[i]);
	if (err || !proc->jit_count)
		return err;
	rows = malloc(sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	rows->writer = writer;
	rows->count = 0;
	/* This includes files of processes that have ended, because open files can still be read. */
	for (size_t i = 0; i < proc->jit_count && !err; i++)
		err = read_on(proc, &proc->jit[i], rows);
	free(rows);
	return err;
}

void scope_proc_jit_problem(const struct scope_proc *proc, char *text, size_t size)
{
	uint64_t in_files = 0, long_lines = 0;
	uint32_t full = 0;
	int used = 0;

	for (size_t i = 0; i < proc->jit_processes; i++) {
		in_files += proc->jit_process[i].in_files;
		long_lines += proc->jit_process[i].long_lines;
		if (!full && proc->jit_process[i].full)
			full = proc->jit_process[i].tgid;
	}
	*text = '\0';
	if (full)
		used = snprintf(text, size,
				"of code made at run time process %u names more than is read (%u "
				"functions, %u MiB): later ones have no names",
				full, SCOPE_PROC_JIT_ROWS_MAX, SCOPE_PROC_JIT_BYTES_MAX >> 20);
	if (long_lines && used >= 0 && (size_t)used < size)
		used += snprintf(text + used, size - (size_t)used,
				 "%s%" PRIu64 " lines of perf maps are "
				 "longer than %u bytes and were left out",
				 used ? "; " : "", long_lines, SCOPE_PROC_JIT_LINE_MAX);
	if (in_files && used >= 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used,
			 "%s%" PRIu64 " names for code made at run time lie in "
			 "mapped files, whose own names count",
			 used ? "; " : "", in_files);
}

void scope_proc_forget_jit(struct scope_proc *proc)
{
	for (size_t i = 0; i < proc->jit_count; i++) {
		scope_proc_jit_rewind(&proc->jit[i]);
		free(proc->jit[i].code);
		close(proc->jit[i].fd);
	}
	for (size_t i = 0; i < proc->jit_processes; i++)
		free(proc->jit_process[i].mapped);
	free(proc->jit_process);
	free(proc->jit);
	proc->jit = NULL;
	proc->jit_count = proc->jit_room = 0;
}
