// SPDX-License-Identifier: GPL-2.0-only
/* The two forms of files that name code made at run time: lines of a perf map, records of a jitdump. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "proc/jit_internal.h"
#include "trace/writer.h"

#define CHUNK_BYTES 65536u
#define RECORDS_AT_ONCE 1024
#define RECORD_BYTES_MIN 64u /* a shorter record counts as this long, because each costs a call */

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

int scope_proc_jit_flush(struct scope_proc_jit_rows *rows)
{
	int err = scope_trace_writer_symbols(rows->writer, rows->row, rows->count);

	rows->count = 0;
	return err;
}

/* True if a part of the code is in a file that is mapped executable. The names of such code are in the file. */
static bool is_in_file(const struct scope_proc_jit_process *process, uint64_t start, uint64_t bytes)
{
	const uint64_t end = bytes > UINT64_MAX - start ? UINT64_MAX : start + bytes;

	for (size_t i = 0; i < process->mapped_count; i++)
		if (start < process->mapped[i].end && end > process->mapped[i].start)
			return true;
	return false;
}

static int add_row(struct scope_proc_jit_rows *rows, uint64_t start, uint64_t bytes, const char *name)
{
	struct scope_proc_jit_process *process = rows->process;
	int err = 0;

	if (is_in_file(process, start, bytes ? bytes : 1)) {
		process->in_files++;
		return 0;
	}
	if (process->rows == SCOPE_PROC_JIT_ROWS_MAX) {
		process->full = true;
		return 0;
	}
	process->rows++;
	if (rows->count == SCOPE_JIT_BATCH)
		err = scope_proc_jit_flush(rows);
	snprintf(rows->name[rows->count], SCOPE_JIT_NAME_BYTES, "%s", name);
	rows->row[rows->count] = (struct scope_trace_symbol){
		.tgid = process->tgid,
		.start = start,
		.size = bytes,
		.name = rows->name[rows->count],
		.module = SCOPE_TRACE_JIT_MODULE,
	};
	rows->count++;
	return err;
}

/* ---- perf maps ---- */

/* "START SIZE NAME", numbers in hexadecimal; names may hold blanks. Other lines are ignored. */
static int take_line(struct scope_proc_jit_rows *rows, char *line)
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

/* Reads the whole lines in a piece of the file. A line that is too long is read in parts. 0 or -errno. */
static int take_lines(struct scope_proc_jit *jit, struct scope_proc_jit_rows *rows, char *text, size_t bytes,
		      size_t *ret_used)
{
	size_t used = 0;
	int err = 0;

	while (!err && used < bytes) {
		char *end = memchr(text + used, '\n', bytes - used);
		const size_t length = end ? (size_t)(end - text) - used : bytes - used;

		if (!end) {
			jit->skipping |= length > SCOPE_PROC_JIT_LINE_MAX;
			if (jit->skipping)
				used = bytes;
			break;
		}
		*end = '\0';
		if (jit->skipping || length > SCOPE_PROC_JIT_LINE_MAX)
			rows->process->long_lines++;
		else
			err = take_line(rows, text + used);
		jit->skipping = false;
		used += length + 1;
	}
	*ret_used = used;
	return err;
}

static int read_map(struct scope_proc_jit *jit, struct scope_proc_jit_rows *rows)
{
	char text[CHUNK_BYTES];
	const ssize_t got = pread(jit->fd, text, sizeof(text), (off_t)jit->offset);
	size_t used;
	int err;

	if (got <= 0)
		return 0;
	err = take_lines(jit, rows, text, (size_t)got, &used);
	jit->offset += used;
	rows->process->bytes += used;
	return err ? err : used && got == (ssize_t)sizeof(text);
}

/* ---- jitdump ---- */

static int remember_code(struct scope_proc_jit *jit, const struct dump_load *load, const char *name)
{
	char *copy = strdup(name);

	if (!copy || scope_grow(&jit->code, &jit->code_room, jit->code_count + 1, sizeof(*jit->code))) {
		free(copy);
		return -ENOMEM;
	}
	jit->code[jit->code_count++] = (struct scope_proc_code){ load->index, load->bytes, copy };
	return 0;
}

/* Takes a record. body: the bytes after its head, and a zero byte. */
static int take_record(struct scope_proc_jit *jit, struct scope_proc_jit_rows *rows, uint32_t id, const uint8_t *body,
		       size_t bytes)
{
	struct dump_load load;
	struct dump_move move;
	const char *name = (const char *)body + sizeof(load);
	int err;

	if (id == DUMP_LOAD && bytes > sizeof(load)) {
		memcpy(&load, body, sizeof(load));
		err = remember_code(jit, &load, name);
		return err ? err : add_row(rows, load.address, load.bytes, name);
	}
	if (id != DUMP_MOVE || bytes < sizeof(move))
		return 0;
	memcpy(&move, body, sizeof(move));
	for (size_t i = jit->code_count; i > 0; i--)
		if (jit->code[i - 1].index == move.index)
			return add_row(rows, move.new_address, jit->code[i - 1].bytes, jit->code[i - 1].name);
	return 0;
}

/* A file of the other byte order or of a newer version is not read. */
static bool read_head(struct scope_proc_jit *jit)
{
	struct dump_header header;

	if (jit->offset)
		return true;
	if (pread(jit->fd, &header, sizeof(header), 0) != sizeof(header) || header.magic != DUMP_MAGIC ||
	    header.version != 1 || header.total_bytes < sizeof(header) || header.total_bytes > jit->file_bytes)
		return false;
	jit->offset = header.total_bytes;
	return true;
}

/*
 * Reads one whole record; the code in it is skipped. Returns 1 if it was read, 0 if there is no whole record yet, or
 * -errno.
 */
static int read_record(struct scope_proc_jit *jit, struct scope_proc_jit_rows *rows)
{
	struct {
		struct dump_record head;
		uint8_t body[sizeof(struct dump_move) + SCOPE_JIT_NAME_BYTES];
	} record;
	const ssize_t got = pread(jit->fd, &record, sizeof(record) - 1, (off_t)jit->offset);
	size_t bytes;
	int err;

	if (got < (ssize_t)sizeof(record.head) || record.head.total_bytes < sizeof(record.head) ||
	    record.head.total_bytes > jit->file_bytes - jit->offset)
		return 0;
	bytes = record.head.total_bytes - sizeof(record.head);
	if (bytes > (size_t)got - sizeof(record.head))
		bytes = (size_t)got - sizeof(record.head);
	record.body[bytes] = '\0';
	err = take_record(jit, rows, record.head.id, record.body, bytes);
	jit->offset += record.head.total_bytes;
	bytes += sizeof(record.head);
	rows->process->bytes += bytes > RECORD_BYTES_MIN ? bytes : RECORD_BYTES_MIN;
	return err ? err : 1;
}

static int read_dump(struct scope_proc_jit *jit, struct scope_proc_jit_rows *rows)
{
	int err;

	if (!read_head(jit))
		return 0;
	err = jit->offset < jit->file_bytes;
	for (int i = 0; i < RECORDS_AT_ONCE && err == 1; i++)
		err = read_record(jit, rows);
	return err;
}

/* ---- either ---- */

void scope_proc_jit_rewind(struct scope_proc_jit *jit)
{
	for (size_t i = 0; i < jit->code_count; i++)
		free(jit->code[i].name);
	jit->code_count = 0;
	jit->offset = 0;
	jit->skipping = false;
}

int scope_proc_jit_read(struct scope_proc_jit *jit, struct scope_proc_jit_rows *rows)
{
	struct stat status;

	if (fstat(jit->fd, &status))
		return 0;
	jit->file_bytes = (uint64_t)status.st_size;
	if (jit->file_bytes < jit->offset)
		scope_proc_jit_rewind(jit);
	if (jit->file_bytes == jit->offset || rows->process->full)
		return 0;
	if (rows->process->bytes >= SCOPE_PROC_JIT_BYTES_MAX) {
		rows->process->full = true;
		return 0;
	}
	return jit->dump ? read_dump(jit, rows) : read_map(jit, rows);
}
