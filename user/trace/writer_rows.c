// SPDX-License-Identifier: GPL-2.0-only
/* Writes the metadata of a trace: one function for each kind of row. */
#include <errno.h>
#include <string.h>

#include "base/grow.h"
#include "trace/writer_internal.h"

#define ROWS_BYTES (1u << 20) /* a frame of many rows is closed when it is larger than this */

static void scratch_begin(struct scope_writer *writer)
{
	writer->scratch_bytes = 0;
}

static int scratch_add(struct scope_writer *writer, const void *data, size_t bytes)
{
	size_t end = writer->scratch_bytes + bytes;

	if (scope_grow(&writer->scratch, &writer->scratch_capacity, end, 1))
		return scope_trace_writer_fail(writer, -ENOMEM);
	if (bytes)
		memcpy(writer->scratch + writer->scratch_bytes, data, bytes);
	writer->scratch_bytes = end;
	return 0;
}

/* Writes a fixed head and two strings (NULL: no second string). */
static int put_strings(struct scope_writer *writer, uint16_t type, const void *head, size_t head_bytes,
		       const char *first, const char *second)
{
	int err;

	scratch_begin(writer);
	err = scratch_add(writer, head, head_bytes);
	if (!err)
		err = scratch_add(writer, first, strlen(first) + 1);
	if (!err && second)
		err = scratch_add(writer, second, strlen(second) + 1);
	if (err)
		return err;
	return scope_trace_writer_put_row(writer, type, writer->scratch, writer->scratch_bytes);
}

int scope_trace_writer_meta(struct scope_writer *writer, const char *key, const char *value)
{
	if (writer->keep && scope_trace_metadata_meta(writer->keep, key, value))
		return scope_trace_writer_fail(writer, -ENOMEM);
	return put_strings(writer, SCOPE_FRAME_META, NULL, 0, key, value);
}

static uint32_t map_flags(const struct scope_trace_map *map)
{
	return (map->executable ? SCOPE_MAP_EXECUTABLE : 0) | (map->of_package ? SCOPE_MAP_OF_PACKAGE : 0) |
	       (map->elf ? SCOPE_MAP_ELF : 0);
}

int scope_trace_writer_map(struct scope_writer *writer, const struct scope_trace_map *map)
{
	struct scope_frame_map head = {
		.tgid = map->tgid,
		.flags = map_flags(map),
		.start = map->start,
		.end = map->end,
		.offset = map->offset,
	};

	if (writer->map_tap)
		writer->map_tap(writer->map_tap_context, map);
	return put_strings(writer, SCOPE_FRAME_MAP, &head, sizeof(head), map->path, map->build_id);
}

int scope_trace_writer_symbol(struct scope_writer *writer, const struct scope_trace_symbol *symbol)
{
	struct scope_frame_symbol head = {
		.tgid = symbol->tgid,
		.library = symbol->library,
		.start = symbol->start,
		.size = symbol->size,
	};

	return put_strings(writer, SCOPE_FRAME_SYMBOL, &head, sizeof(head), symbol->name, symbol->module);
}

int scope_trace_writer_fd(struct scope_writer *writer, const struct scope_trace_fd *fd)
{
	struct scope_frame_fd head = { .tgid = fd->tgid, .fd = fd->fd, .kind = fd->kind };

	if (scope_trace_written_fds_add(&writer->written_fds, fd))
		return 0;
	return put_strings(writer, SCOPE_FRAME_FD, &head, sizeof(head), fd->name, NULL);
}

int scope_trace_writer_memory(struct scope_writer *writer, const struct scope_trace_memory *memory)
{
	struct scope_frame_memory head = {
		.tid = memory->tid,
		.bytes = memory->bytes,
		.address = memory->address,
	};
	int err;

	scratch_begin(writer);
	err = scratch_add(writer, &head, sizeof(head));
	if (!err)
		err = scratch_add(writer, memory->data, memory->bytes);
	if (err)
		return err;
	return scope_trace_writer_put_row(writer, SCOPE_FRAME_MEMORY, writer->scratch, writer->scratch_bytes);
}

int scope_trace_writer_stopped_stack(struct scope_writer *writer, const struct scope_trace_stopped_stack *stopped_stack)
{
	const struct scope_frame_stopped_stack head = {
		.tid = stopped_stack->tid,
		.count = stopped_stack->count,
		.address = stopped_stack->address,
		.ended = stopped_stack->ended,
	};
	int err;

	scratch_begin(writer);
	err = scratch_add(writer, &head, sizeof(head));
	if (!err)
		err = scratch_add(writer, stopped_stack->ip, stopped_stack->count * sizeof(*stopped_stack->ip));
	if (err)
		return err;
	return scope_trace_writer_put_row(writer, SCOPE_FRAME_STOPPED_STACK, writer->scratch, writer->scratch_bytes);
}

int scope_trace_writer_file(struct scope_writer *writer, const struct scope_trace_file *file)
{
	const struct scope_frame_file head = {
		.number = file->number,
		.deleted = file->deleted,
		.outcome = file->outcome,
		.error = file->error,
		.functions = file->functions,
		.named = file->named,
	};
	int err;

	scratch_begin(writer);
	err = scratch_add(writer, &head, sizeof(head));
	if (!err)
		err = scratch_add(writer, file->path, strlen(file->path) + 1);
	if (!err)
		err = scratch_add(writer, file->build_id, strlen(file->build_id) + 1);
	if (!err)
		err = scratch_add(writer, file->found, strlen(file->found) + 1);
	return err ? err : scope_trace_writer_put_row(writer, SCOPE_FRAME_FILE, writer->scratch, writer->scratch_bytes);
}

int scope_trace_writer_code(struct scope_writer *writer, const struct scope_trace_code *code)
{
	const struct scope_frame_places head = { .file = code->file };
	const struct scope_frame_place_of place = {
		.offset = code->offset,
		.start = code->start,
		.size = code->size,
		.flags = code->flags,
		.lines = code->lines,
	};
	int err;

	scratch_begin(writer);
	err = scratch_add(writer, &head, sizeof(head));
	if (!err)
		err = scratch_add(writer, &place, sizeof(place));
	if (!err)
		err = scratch_add(writer, code->name, strlen(code->name) + 1);
	for (uint32_t i = 0; !err && i < code->lines; i++) {
		const struct scope_trace_line *line = &code->line[i];

		err = scratch_add(writer, &line->line, sizeof(line->line));
		if (!err)
			err = scratch_add(writer, line->function, strlen(line->function) + 1);
		if (!err)
			err = scratch_add(writer, line->file, strlen(line->file) + 1);
	}
	return err ? err
		   : scope_trace_writer_put_row(writer, SCOPE_FRAME_PLACES, writer->scratch, writer->scratch_bytes);
}

int scope_trace_writer_names(struct scope_writer *writer, uint16_t type, const void *payload, size_t bytes)
{
	const char *key = payload;

	if (type == SCOPE_FRAME_META) {
		const size_t key_bytes = strnlen(key, bytes) + 1;

		if (strncmp(key, SCOPE_META_LOOPS, strlen(SCOPE_META_LOOPS)) || key_bytes >= bytes ||
		    strnlen(key + key_bytes, bytes - key_bytes) + 1 != bytes - key_bytes)
			return -EINVAL;
		return scope_trace_writer_meta(writer, key, key + key_bytes);
	}
	if (type != SCOPE_FRAME_FILE && type != SCOPE_FRAME_PLACES && type != SCOPE_FRAME_SYMBOL)
		return -EINVAL;
	return scope_trace_writer_put_row(writer, type, payload, bytes);
}

int scope_trace_writer_lock(struct scope_writer *writer, const struct scope_trace_lock *lock)
{
	const struct scope_frame_lock head = {
		.tid = lock->tid,
		.owner = lock->owner,
		.address = lock->address,
	};

	return scope_trace_writer_put_row(writer, SCOPE_FRAME_LOCK, &head, sizeof(head));
}

int scope_trace_writer_thread(struct scope_writer *writer, const struct scope_trace_thread *thread)
{
	struct scope_frame_thread head = { .tid = thread->tid, .tgid = thread->tgid };

	return put_strings(writer, SCOPE_FRAME_THREAD, &head, sizeof(head), thread->comm, NULL);
}

static int begin_symbols(struct scope_writer *writer, const struct scope_trace_symbol *symbol)
{
	struct scope_frame_symbols head = { .tgid = symbol->tgid, .library = symbol->library };
	int err;

	scratch_begin(writer);
	err = scratch_add(writer, &head, sizeof(head));
	return err ? err : scratch_add(writer, symbol->module, strlen(symbol->module) + 1);
}

int scope_trace_writer_symbols(struct scope_writer *writer, const struct scope_trace_symbol *symbol, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err;) {
		err = begin_symbols(writer, symbol);
		for (; i < count && !err && writer->scratch_bytes < ROWS_BYTES; i++) {
			err = scratch_add(writer, &symbol[i].start, sizeof(symbol[i].start));
			if (!err)
				err = scratch_add(writer, &symbol[i].size, sizeof(symbol[i].size));
			if (!err)
				err = scratch_add(writer, symbol[i].name, strlen(symbol[i].name) + 1);
		}
		if (!err)
			err = scope_trace_writer_put_row(writer, SCOPE_FRAME_SYMBOLS, writer->scratch,
							 writer->scratch_bytes);
	}
	return err;
}

/* Adds a mapping to the frame that is being made. end: of the one before it. */
static int add_map(struct scope_writer *writer, const struct scope_trace_map *map, uint64_t end)
{
	const struct scope_frame_map_of of = {
		.gap = map->start - end,
		.bytes = map->end - map->start,
		.offset = map->offset,
		.flags = map_flags(map),
	};
	int err = scratch_add(writer, &of, sizeof(of));

	if (!err)
		err = scratch_add(writer, map->path, strlen(map->path) + 1);
	return err ? err : scratch_add(writer, map->build_id, strlen(map->build_id) + 1);
}

int scope_trace_writer_maps(struct scope_writer *writer, const struct scope_trace_map *map, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && writer->map_tap; i++)
		writer->map_tap(writer->map_tap_context, &map[i]);
	for (size_t i = 0; i < count && !err;) {
		const struct scope_frame_maps head = { .tgid = map->tgid };
		uint64_t end = 0;

		scratch_begin(writer);
		err = scratch_add(writer, &head, sizeof(head));
		for (; i < count && !err && writer->scratch_bytes < ROWS_BYTES; end = map[i++].end)
			err = add_map(writer, &map[i], end);
		if (!err)
			err = scope_trace_writer_put_row(writer, SCOPE_FRAME_MAPS, writer->scratch,
							 writer->scratch_bytes);
	}
	return err;
}
