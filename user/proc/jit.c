// SPDX-License-Identifier: GPL-2.0-only
/* Names of code that a process made at run time: its perf map, and the jitdump files it mapped. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "proc/file.h"
#include "proc/open.h"
#include "proc/proc.h"
#include "proc/proc_internal.h"
#include "trace/writer.h"

#define MODULE "[jit]"
#define BATCH 4096
#define NAME_BYTES 1024u
#define CODE_MAX (1u << 20) /* of one dump, remembered for its moves */

/* tools/perf/Documentation/jitdump-specification.txt of the kernel. */
#define DUMP_MAGIC 0x4a695444u
#define DUMP_LOAD 0u
#define DUMP_MOVE 1u

struct dump_header {
	uint32_t magic, version, total_bytes, machine, pad, pid;
	uint64_t time, flags;
};

struct dump_record {
	uint32_t id, total_bytes;
	uint64_t time;
};

struct dump_load {
	uint32_t pid, tid;
	uint64_t vma, address, bytes, index;
};

struct dump_move {
	uint32_t pid, tid;
	uint64_t vma, old_address, new_address, bytes, index;
};

/* Names read and not written yet. */
struct rows {
	struct scope_writer *writer;
	uint32_t tgid;
	size_t count;
	struct scope_trace_symbol row[BATCH];
	char name[BATCH][NAME_BYTES];
};

static int flush_rows(struct rows *rows)
{
	int code = scope_writer_symbols(rows->writer, rows->row, rows->count);

	rows->count = 0;
	return code;
}

static int add_row(struct rows *rows, uint64_t start, uint64_t bytes, const char *name)
{
	int code = 0;

	if (rows->count == BATCH)
		code = flush_rows(rows);
	snprintf(rows->name[rows->count], NAME_BYTES, "%s", name);
	rows->row[rows->count] = (struct scope_trace_symbol){
		.tgid = rows->tgid, .start = start, .size = bytes,
		.name = rows->name[rows->count], .module = MODULE,
	};
	rows->count++;
	return code;
}

/* "START SIZE NAME", numbers in hexadecimal; names may hold blanks. Other lines tell nothing. */
static int take_line(struct rows *rows, char *line)
{
	uint64_t start, bytes;
	char *end;

	start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return 0;
	line = end;
	bytes = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1])
		return 0;
	return add_row(rows, start, bytes, end + 1);
}

/* Whole lines from where reading ended last time. */
static int read_map(struct scope_proc_jit *jit, FILE *file, struct rows *rows)
{
	size_t room = 0;
	char *line = NULL;
	ssize_t length;
	int code = 0;

	while (!code && (length = getline(&line, &room, file)) > 0 && line[length - 1] == '\n') {
		jit->offset += (uint64_t)length;
		line[length - 1] = '\0';
		code = take_line(rows, line);
	}
	free(line);
	return code;
}

static int remember_code(struct scope_proc_jit *jit, const struct dump_load *load, const char *name)
{
	char *copy;

	if (jit->code_count == CODE_MAX)
		return 0;
	copy = strdup(name);
	if (!copy || scope_grow(&jit->code, &jit->code_room, jit->code_count + 1,
				sizeof(*jit->code))) {
		free(copy);
		return -ENOMEM;
	}
	jit->code[jit->code_count++] = (struct scope_proc_code){ load->index, load->bytes, copy };
	return 0;
}

/* Body: what of the record lies behind its head, and a zero byte. */
static int take_record(struct scope_proc_jit *jit, struct rows *rows, uint32_t id,
		       const uint8_t *body, size_t bytes)
{
	struct dump_load load;
	struct dump_move move;
	const char *name = (const char *)body + sizeof(load);
	int code;

	if (id == DUMP_LOAD && bytes > sizeof(load)) {
		memcpy(&load, body, sizeof(load));
		code = remember_code(jit, &load, name);
		return code ? code : add_row(rows, load.address, load.bytes, name);
	}
	if (id != DUMP_MOVE || bytes < sizeof(move))
		return 0;
	memcpy(&move, body, sizeof(move));
	for (size_t i = jit->code_count; i > 0; i--)
		if (jit->code[i - 1].index == move.index)
			return add_row(rows, move.new_address, jit->code[i - 1].bytes,
				       jit->code[i - 1].name);
	return 0;
}

/* Whole records from where reading ended last time; the code in them is passed over. */
static int read_dump(struct scope_proc_jit *jit, FILE *file, uint64_t file_bytes, struct rows *rows)
{
	uint8_t body[sizeof(struct dump_move) + NAME_BYTES];
	struct dump_header header;
	struct dump_record record;
	int code = 0;

	if (!jit->offset) {
		/* One of the other byte order or a newer version is left alone. */
		if (fread(&header, sizeof(header), 1, file) != 1 || header.magic != DUMP_MAGIC ||
		    header.version != 1 || header.total_bytes < sizeof(header))
			return 0;
		jit->offset = header.total_bytes;
	}
	while (!code) {
		size_t bytes;

		if (fseeko(file, (off_t)jit->offset, SEEK_SET) ||
		    fread(&record, sizeof(record), 1, file) != 1 ||
		    record.total_bytes < sizeof(record) ||
		    jit->offset + record.total_bytes > file_bytes)
			break;
		bytes = record.total_bytes - sizeof(record);
		if (bytes > sizeof(body) - 1)
			bytes = sizeof(body) - 1;
		if (bytes && fread(body, bytes, 1, file) != 1)
			break;
		body[bytes] = '\0';
		code = take_record(jit, rows, record.id, body, bytes);
		jit->offset += record.total_bytes;
	}
	return code;
}

static void forget_read(struct scope_proc_jit *jit)
{
	for (size_t i = 0; i < jit->code_count; i++)
		free(jit->code[i].name);
	jit->code_count = 0;
	jit->offset = 0;
}

static int read_on(struct scope_proc_jit *jit, struct rows *rows)
{
	struct stat status;
	FILE *file;
	int fd, code;

	if (fstat(jit->fd, &status))
		return 0;
	if ((uint64_t)status.st_size < jit->offset)
		forget_read(jit);
	if ((uint64_t)status.st_size == jit->offset)
		return 0;
	fd = dup(jit->fd);
	file = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (!file) {
		if (fd >= 0)
			close(fd);
		return -errno;
	}
	rows->tgid = jit->tgid;
	if (fseeko(file, (off_t)jit->offset, SEEK_SET))
		code = 0;
	else if (jit->dump)
		code = read_dump(jit, file, (uint64_t)status.st_size, rows);
	else
		code = read_map(jit, file, rows);
	fclose(file);
	return code ? code : flush_rows(rows);
}

/* Whoever may write to /tmp can leave a file of that name there: the process's own user counts. */
static bool is_trusted(uint32_t tgid, const struct stat *status)
{
	struct stat process;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u", tgid);
	return !stat(path, &process) &&
	       (status->st_uid == process.st_uid || !status->st_uid);
}

/* Takes over fd. */
static int hold(struct scope_proc *proc, uint32_t tgid, int fd, bool dump)
{
	struct stat status;

	if (fd < 0)
		return 0;
	if (fstat(fd, &status) || !is_trusted(tgid, &status)) {
		close(fd);
		return 0;
	}
	for (size_t i = 0; i < proc->jit_count; i++)
		if (proc->jit[i].tgid == tgid && proc->jit[i].device == status.st_dev &&
		    proc->jit[i].inode == status.st_ino) {
			close(fd);
			return 0;
		}
	if (proc->jit_count >= SCOPE_PROC_JIT_MAX ||
	    scope_grow(&proc->jit, &proc->jit_room, proc->jit_count + 1, sizeof(*proc->jit))) {
		close(fd);
		return proc->jit_count >= SCOPE_PROC_JIT_MAX ? 0 : -ENOMEM;
	}
	proc->jit[proc->jit_count++] = (struct scope_proc_jit){
		.tgid = tgid, .fd = fd, .dump = dump,
		.device = status.st_dev, .inode = status.st_ino,
	};
	return 0;
}

/* The process calls its map by the number it has itself, which may be one of a container. */
static uint32_t own_number(uint32_t tgid)
{
	const char *value;
	uint32_t number = tgid;
	char *text, *end;

	if (scope_file_read(&text, "/proc/%u/status", tgid))
		return tgid;
	value = scope_file_field(text, "NSpid:");
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

	return name && !strncmp(name, "/jit-", 5) && length > 5 &&
	       !strcmp(path + length - 5, ".dump");
}

/* Opens such files of a process, so that they can be read when it has ended. 0 or -ENOMEM. */
static int find_jit(struct scope_proc *proc, uint32_t tgid)
{
	struct scope_proc_maps maps;
	char root[32], path[32];
	int code;

	snprintf(root, sizeof(root), "/proc/%u/root", tgid);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", own_number(tgid));
	code = hold(proc, tgid, scope_proc_open_below(root, path), false);
	if (code || scope_proc_maps_read(proc, tgid, &maps))
		return code;
	for (size_t i = 0; i < maps.count && !code; i++) {
		if (!is_dump(maps.map[i].path))
			continue;
		code = hold(proc, tgid, scope_proc_open_mapped(tgid, maps.map[i].start, maps.map[i].end), true);
	}
	scope_proc_maps_destroy(&maps);
	return code;
}

int scope_proc_write_jit(struct scope_proc *proc, const uint32_t *tgids, size_t count,
			 struct scope_writer *writer)
{
	struct rows *rows;
	int code = 0;

	for (size_t i = 0; i < count && !code; i++)
		code = find_jit(proc, tgids[i]);
	if (code || !proc->jit_count)
		return code;
	rows = malloc(sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	rows->writer = writer;
	rows->count = 0;
	/* Those of processes that have ended too: what was held can still be read. */
	for (size_t i = 0; i < proc->jit_count && !code; i++)
		code = read_on(&proc->jit[i], rows);
	free(rows);
	return code;
}

void scope_proc_forget_jit(struct scope_proc *proc)
{
	for (size_t i = 0; i < proc->jit_count; i++) {
		forget_read(&proc->jit[i]);
		free(proc->jit[i].code);
		close(proc->jit[i].fd);
	}
	free(proc->jit);
	proc->jit = NULL;
	proc->jit_count = proc->jit_room = 0;
}
