// SPDX-License-Identifier: GPL-2.0-only
/* Holds a trace's metadata as rows, made from the payloads of frames. Names in them are in plain form. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/plain.h"
#include "trace/trace_internal.h"

/*
 * A place in a payload that is read from start to end. If a read gives nothing, the payload is too short, or `err` has
 * the reason.
 */
struct span {
	const uint8_t *pos, *end;
	struct scope_trace *trace;
	int err; /* 0; -ENOMEM, -E2BIG */
};

static int span_bad(const struct span *span)
{
	return span->err ? span->err : -EBADMSG;
}

int scope_trace_spend(struct scope_trace *trace, uint64_t bytes)
{
	const uint64_t room = SCOPE_FILE_ROWS_BUDGET(trace->bytes);

	if (trace->spent >= room || bytes > room - trace->spent)
		return -E2BIG;
	trace->spent += bytes;
	return 0;
}

/* Makes room for one more row. */
static int row_grow(struct scope_trace *trace, void *array, size_t *capacity, size_t count, size_t size)
{
	int err = scope_trace_spend(trace, size);

	return err ? err : scope_grow(array, capacity, count, size);
}

int scope_trace_keep_block(struct scope_trace *trace, void *block)
{
	if (scope_grow(&trace->block, &trace->block_capacity, trace->blocks + 1, sizeof(*trace->block))) {
		free(block);
		return -ENOMEM;
	}
	trace->block[trace->blocks++] = block;
	return 0;
}

static const void *span_head(struct span *span, size_t bytes)
{
	const uint8_t *head = span->pos;

	if ((size_t)(span->end - span->pos) < bytes)
		return NULL;
	span->pos += bytes;
	return head;
}

/* The plain form of the string; nearly always it is the string itself. */
static const char *make_plain(struct span *span, const char *string)
{
	char *name;

	if (scope_plain_is(string, SCOPE_PLAIN_NAME))
		return string;
	span->err = scope_trace_spend(span->trace, SCOPE_PLAIN_GROWTH * (strlen(string) + 1));
	if (span->err)
		return NULL;
	name = scope_plain_copy(string, SCOPE_PLAIN_NAME);
	span->err = name ? scope_trace_keep_block(span->trace, name) : -ENOMEM;
	return span->err ? NULL : name;
}

static const char *span_string(struct span *span)
{
	const uint8_t *string = span->pos;
	const uint8_t *zero;

	if (string == span->end) /* both may be NULL, which memchr does not accept */
		return NULL;
	zero = memchr(string, 0, span->end - string);
	if (!zero)
		return NULL;
	span->pos = zero + 1;
	return make_plain(span, (const char *)string);
}

static int add_meta(struct scope_trace *trace, struct span *span)
{
	const char *key = span_string(span), *value;
	int err;

	value = key ? span_string(span) : NULL;
	if (!value)
		return span_bad(span);
	err = scope_trace_spend(trace, sizeof(struct scope_trace_meta));
	return err ? err : scope_trace_add_meta(trace, key, value);
}

/* The strings of a mapping follow in the span. */
static int add_one_map(struct scope_trace *trace, struct span *span, const struct scope_frame_map *head)
{
	struct scope_trace_map row = {
		.tgid = head->tgid,
		.start = head->start,
		.end = head->end,
		.offset = head->offset,
		.path = span_string(span),
		.executable = head->flags & SCOPE_MAP_EXECUTABLE,
		.of_package = head->flags & SCOPE_MAP_OF_PACKAGE,
		.elf = head->flags & SCOPE_MAP_ELF,
	};
	int err;

	row.build_id = row.path ? span_string(span) : NULL;
	if (!row.build_id)
		return span_bad(span);
	err = row_grow(trace, &trace->map, &trace->map_capacity, trace->maps + 1, sizeof(row));
	if (err)
		return err;
	trace->map[trace->maps++] = row;
	return 0;
}

static int add_map(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_map *head = span_head(span, sizeof(*head));

	return head ? add_one_map(trace, span, head) : span_bad(span);
}

static int add_maps(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_maps *head = span_head(span, sizeof(*head));
	struct scope_frame_map map = { .tgid = head ? head->tgid : 0 };
	int err = head ? 0 : span_bad(span);

	while (!err && span->pos < span->end) {
		const void *at = span_head(span, sizeof(struct scope_frame_map_of));
		struct scope_frame_map_of of;

		if (!at)
			return span_bad(span);
		memcpy(&of, at, sizeof(of));
		map.start = map.end + of.gap;
		map.end = map.start + of.bytes;
		map.offset = of.offset;
		map.flags = of.flags;
		err = add_one_map(trace, span, &map);
	}
	return err;
}

static int add_symbol(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_symbol *head = span_head(span, sizeof(*head));
	struct scope_trace_symbol row = { .name = head ? span_string(span) : NULL };
	int err;

	row.module = row.name ? span_string(span) : NULL;
	if (!row.module)
		return span_bad(span);
	row.tgid = head->tgid;
	row.start = head->start;
	row.size = head->size;
	row.library = head->library;
	err = row_grow(trace, &trace->symbol, &trace->symbol_capacity, trace->symbols + 1, sizeof(row));
	if (err)
		return err;
	trace->symbol[trace->symbols++] = row;
	return 0;
}

static int add_fd(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_fd *head = span_head(span, sizeof(*head));
	struct scope_trace_fd row = { .name = head ? span_string(span) : NULL };
	int err;

	if (!row.name)
		return span_bad(span);
	row.tgid = head->tgid;
	row.fd = head->fd;
	row.kind = head->kind < SCOPE_FD_KINDS ? head->kind : SCOPE_FD_UNKNOWN;
	err = row_grow(trace, &trace->fd, &trace->fd_capacity, trace->fds + 1, sizeof(row));
	if (err)
		return err;
	trace->fd[trace->fds++] = row;
	return 0;
}

static int add_memory(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_memory *head = span_head(span, sizeof(*head));
	struct scope_trace_memory row = { 0 };
	int err;

	if (!head || head->bytes > (size_t)(span->end - span->pos))
		return span_bad(span);
	row.tid = head->tid;
	row.address = head->address;
	row.bytes = head->bytes;
	row.data = span->pos;
	err = row_grow(trace, &trace->memory, &trace->memory_capacity, trace->memories + 1, sizeof(row));
	if (err)
		return err;
	trace->memory[trace->memories++] = row;
	return 0;
}

static int add_stopped_stack(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_stopped_stack *head = span_head(span, sizeof(*head));
	int err;

	if (!head || head->count > SCOPE_FRAMES_MAX || !scope_trace_frames_ended((uint8_t)head->ended) ||
	    head->count * sizeof(uint64_t) > (size_t)(span->end - span->pos))
		return span_bad(span);
	err = row_grow(trace, &trace->stopped_stack, &trace->stopped_stack_capacity, trace->stopped_stacks + 1,
		       sizeof(*trace->stopped_stack));
	if (err)
		return err;
	trace->stopped_stack[trace->stopped_stacks++] = (struct scope_trace_stopped_stack){
		.tid = head->tid,
		.count = head->count,
		.address = head->address,
		.ip = (const uint64_t *)span->pos,
		.ended = (uint8_t)head->ended,
	};
	return 0;
}

static int add_lock(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_lock *head = span_head(span, sizeof(*head));
	int err;

	if (!head)
		return span_bad(span);
	err = row_grow(trace, &trace->lock, &trace->lock_capacity, trace->locks + 1, sizeof(*trace->lock));
	if (err)
		return err;
	trace->lock[trace->locks++] = (struct scope_trace_lock){ head->tid, head->owner, head->address };
	return 0;
}

static int add_thread(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_thread *head = span_head(span, sizeof(*head));
	struct scope_trace_thread row = { .comm = head ? span_string(span) : NULL };
	int err;

	if (!row.comm)
		return span_bad(span);
	row.tid = head->tid;
	row.tgid = head->tgid;
	err = row_grow(trace, &trace->thread, &trace->thread_capacity, trace->threads + 1, sizeof(row));
	if (err)
		return err;
	trace->thread[trace->threads++] = row;
	return 0;
}

static int add_symbols(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_symbols *head = span_head(span, sizeof(*head));
	struct scope_trace_symbol row = { .module = head ? span_string(span) : NULL };
	const void *at;
	int err;

	if (!row.module)
		return span_bad(span);
	row.tgid = head->tgid;
	row.library = head->library;
	while (span->pos < span->end) {
		at = span_head(span, sizeof(row.start) + sizeof(row.size));
		row.name = at ? span_string(span) : NULL;
		if (!row.name)
			return span_bad(span);
		memcpy(&row.start, at, sizeof(row.start));
		memcpy(&row.size, (const uint8_t *)at + sizeof(row.start), sizeof(row.size));
		err = row_grow(trace, &trace->symbol, &trace->symbol_capacity, trace->symbols + 1, sizeof(row));
		if (err)
			return err;
		trace->symbol[trace->symbols++] = row;
	}
	return 0;
}

/* A row's values are checked when they are used, because a seek cannot trust them. */
static int add_places(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_place *place;

	while ((place = span_head(span, sizeof(*place)))) {
		int err = row_grow(trace, &trace->place, &trace->place_capacity, trace->places + 1, sizeof(*place));

		if (err)
			return err;
		trace->place[trace->places++] = *place;
	}
	return span->pos == span->end ? 0 : -EBADMSG;
}

static int add_file(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_file *head = span_head(span, sizeof(*head));
	struct scope_trace_file row = { .path = head ? span_string(span) : NULL };
	int err;

	row.build_id = row.path ? span_string(span) : NULL;
	row.found = row.build_id ? span_string(span) : NULL;
	if (!row.found || head->outcome < SCOPE_FILE_READ || head->outcome > SCOPE_FILE_UNREADABLE)
		return span_bad(span);
	row.number = head->number;
	row.deleted = head->deleted;
	row.outcome = head->outcome;
	row.error = head->error > 0 && head->error < 4096 ? head->error : 0;
	row.functions = head->functions;
	row.named = head->named;
	err = row_grow(trace, &trace->file, &trace->file_capacity, trace->files + 1, sizeof(row));
	if (err)
		return err;
	trace->file[trace->files++] = row;
	return 0;
}

/* Reads the source lines of an address into a separate block. */
static int read_lines(struct scope_trace *trace, struct span *span, struct scope_trace_code *row)
{
	struct scope_trace_line *line = NULL;
	int err;

	if (!row->lines)
		return 0;
	err = scope_trace_spend(trace, row->lines * sizeof(*line));
	if (err)
		return err;
	line = calloc(row->lines, sizeof(*line));
	err = line ? scope_trace_keep_block(trace, line) : -ENOMEM;
	for (uint32_t i = 0; !err && i < row->lines; i++) {
		const void *number = span_head(span, sizeof(line[i].line));

		if (number)
			memcpy(&line[i].line, number, sizeof(line[i].line));
		line[i].function = number ? span_string(span) : NULL;
		line[i].file = line[i].function ? span_string(span) : NULL;
		if (!line[i].file)
			err = span_bad(span);
	}
	row->line = line;
	return err;
}

static int add_codes(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_places *head = span_head(span, sizeof(*head));
	int err = head ? 0 : span_bad(span);

	while (!err && span->pos < span->end) {
		struct scope_trace_code row = { .file = head->file };
		struct scope_frame_place_of place;
		const void *at = span_head(span, sizeof(place));

		row.name = at ? span_string(span) : NULL;
		if (!row.name)
			return span_bad(span);
		memcpy(&place, at, sizeof(place));
		if (place.flags & ~SCOPE_PLACE_FLAGS || place.lines > SCOPE_PLACE_LINES_MAX)
			return -EBADMSG;
		row.flags = place.flags;
		row.offset = place.offset;
		row.start = place.start;
		row.size = place.size;
		row.lines = place.lines;
		err = read_lines(trace, span, &row);
		if (!err)
			err = row_grow(trace, &trace->code, &trace->code_capacity, trace->codes + 1, sizeof(row));
		if (!err)
			trace->code[trace->codes++] = row;
	}
	return err;
}

int scope_trace_add_row(struct scope_trace *trace, uint16_t type, const uint8_t *payload, size_t bytes)
{
	static int (*const add[])(struct scope_trace * trace, struct span * span) = {
		[SCOPE_FRAME_META] = add_meta,
		[SCOPE_FRAME_MAP] = add_map,
		[SCOPE_FRAME_SYMBOL] = add_symbol,
		[SCOPE_FRAME_FD] = add_fd,
		[SCOPE_FRAME_MEMORY] = add_memory,
		[SCOPE_FRAME_THREAD] = add_thread,
		[SCOPE_FRAME_SYMBOLS] = add_symbols,
		[SCOPE_FRAME_INDEX] = add_places,
		[SCOPE_FRAME_STOPPED_STACK] = add_stopped_stack,
		[SCOPE_FRAME_LOCK] = add_lock,
		[SCOPE_FRAME_FILE] = add_file,
		[SCOPE_FRAME_PLACES] = add_codes,
		[SCOPE_FRAME_MAPS] = add_maps,
	};
	struct span span = { .pos = payload, .end = payload + bytes, .trace = trace };

	if (type >= sizeof(add) / sizeof(add[0]) || !add[type])
		return -EBADMSG;
	return add[type](trace, &span);
}

const struct scope_trace_map *scope_trace_maps(const struct scope_trace *trace, size_t *ret_count)
{
	*ret_count = trace->maps;
	return trace->map;
}

const struct scope_trace_symbol *scope_trace_symbols(const struct scope_trace *trace, size_t *ret_count)
{
	*ret_count = trace->symbols;
	return trace->symbol;
}

const struct scope_trace_fd *scope_trace_fds(const struct scope_trace *trace, size_t *ret_count)
{
	*ret_count = trace->fds;
	return trace->fd;
}

const struct scope_trace_memory *scope_trace_memories(const struct scope_trace *trace, size_t *ret_count)
{
	*ret_count = trace->memories;
	return trace->memory;
}

const struct scope_trace_stopped_stack *scope_trace_stopped_stacks(const struct scope_trace *trace, size_t *ret_count)
{
	*ret_count = trace->stopped_stacks;
	return trace->stopped_stack;
}

const struct scope_trace_file *scope_trace_files(const struct scope_trace *trace, size_t *ret_count)
{
	*ret_count = trace->files;
	return trace->file;
}

const struct scope_trace_code *scope_trace_codes(const struct scope_trace *trace, size_t *ret_count)
{
	*ret_count = trace->codes;
	return trace->code;
}

const struct scope_trace_lock *scope_trace_locks(const struct scope_trace *trace, size_t *ret_count)
{
	*ret_count = trace->locks;
	return trace->lock;
}

const struct scope_trace_thread *scope_trace_threads(const struct scope_trace *trace, size_t *ret_count)
{
	*ret_count = trace->threads;
	return trace->thread;
}
