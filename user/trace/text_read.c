// SPDX-License-Identifier: GPL-2.0-only
/* Turns text back into a trace. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lines.h"
#include "trace/event_copy.h"
#include "trace/format.h"
#include "trace/packer.h"
#include "trace/text_form.h"
#include "trace/text_event.h"

#define CHUNK_BYTES (64u << 10)
#define MEMORY_BYTES_MAX (8u << 20)
#define LINE_BYTES_MAX (2 * MEMORY_BYTES_MAX + 4096) /* its bytes as hexadecimal digits */

/* Memory that is allocated in pieces and freed as a whole. */
struct chunk {
	struct chunk *older;
	size_t used, bytes;
	uint64_t data[];
};

struct item {
	struct scope_event event;
	uint64_t line;
};

struct input {
	struct scope_writer *writer;
	struct scope_error *error;
	struct scope_line line;
	struct scope_text_payload payload;
	struct item *item;
	size_t items, capacity;
	struct chunk *chunk;
};

/* Returns memory aligned to 8; bytes must be a multiple of 8. */
static void *get_room(struct input *input, size_t bytes)
{
	struct chunk *chunk = input->chunk;
	void *place;

	if (!chunk || chunk->bytes - chunk->used < bytes) {
		size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;

		chunk = malloc(sizeof(*chunk) + size);
		if (!chunk)
			return NULL;
		*chunk = (struct chunk){ .older = input->chunk, .bytes = size };
		input->chunk = chunk;
	}
	place = (uint8_t *)chunk->data + chunk->used;
	chunk->used += bytes;
	return place;
}

/* Copies the data that the event points to out of the payload, because the next line uses the payload again. */
static int keep_event(struct input *input, struct scope_event *event)
{
	void *room = get_room(input, scope_trace_event_payload_bytes(event));

	if (!room)
		return -ENOMEM;
	scope_trace_event_own(event, room);
	return 0;
}

static int take_event(struct input *input)
{
	struct item item = { .line = input->line.number };
	int err = scope_trace_text_event(&input->line, &input->payload, &item.event);

	if (!err)
		err = keep_event(input, &item.event);
	if (!err)
		err = scope_grow(&input->item, &input->capacity, input->items + 1, sizeof(item));
	if (!err)
		input->item[input->items++] = item;
	return err;
}

static int take_map(struct input *input)
{
	struct scope_line *line = &input->line;
	struct scope_trace_map map = { 0 };

	map.tgid = scope_trace_line_number(line, "the process", UINT32_MAX);
	map.start = scope_trace_line_number(line, "the start", UINT64_MAX);
	map.end = scope_trace_line_number(line, "the end", UINT64_MAX);
	map.offset = scope_trace_line_number(line, "the offset", UINT64_MAX);
	map.executable = scope_trace_line_literal(line, "x");
	if (!map.executable && !scope_trace_line_literal(line, "-"))
		scope_trace_line_fail(line, "'x' or '-' must follow the offset");
	map.path = scope_trace_line_string(line, "the path");
	map.build_id = scope_trace_line_string(line, "the build id");
	map.of_package = scope_trace_line_flag(line, "package");
	map.elf = scope_trace_line_flag(line, "elf");
	return scope_trace_line_end(line) ?: scope_trace_writer_map(input->writer, &map);
}

static int take_sym(struct input *input)
{
	struct scope_line *line = &input->line;
	struct scope_trace_symbol symbol = { 0 };

	symbol.tgid = scope_trace_line_number(line, "the process", UINT32_MAX);
	symbol.start = scope_trace_line_number(line, "the start", UINT64_MAX);
	symbol.size = scope_trace_line_number(line, "the size", UINT64_MAX);
	symbol.name = scope_trace_line_string(line, "the name");
	symbol.module = scope_trace_line_string(line, "the module");
	symbol.library = scope_trace_line_literal(line, "library");
	if (!symbol.library && !scope_trace_line_literal(line, "program"))
		scope_trace_line_fail(line, "'program' or 'library' must follow the module");
	return scope_trace_line_end(line) ?: scope_trace_writer_symbol(input->writer, &symbol);
}

static int take_thread(struct input *input)
{
	struct scope_line *line = &input->line;
	struct scope_trace_thread thread = { 0 };

	thread.tid = scope_trace_line_number(line, "the thread", UINT32_MAX);
	thread.tgid = scope_trace_line_number(line, "the process", UINT32_MAX);
	thread.comm = scope_trace_line_string(line, "the name");
	return scope_trace_line_end(line) ?: scope_trace_writer_thread(input->writer, &thread);
}

static int take_fd(struct input *input)
{
	struct scope_line *line = &input->line;
	struct scope_trace_fd fd = { 0 };

	fd.tgid = scope_trace_line_number(line, "the process", UINT32_MAX);
	fd.fd = scope_trace_line_number(line, "the descriptor", INT32_MAX);
	fd.kind = scope_trace_line_name(line, "a kind of descriptor", &scope_trace_text_fd_kinds, SCOPE_FD_KINDS - 1);
	fd.name = scope_trace_line_string(line, "the name");
	return scope_trace_line_end(line) ?: scope_trace_writer_fd(input->writer, &fd);
}

static int take_memory(struct input *input)
{
	struct scope_line *line = &input->line;
	struct scope_trace_memory memory = { 0 };
	const char *text;
	uint8_t *data;
	int err;

	memory.tid = scope_trace_line_number(line, "the thread", UINT32_MAX);
	memory.address = scope_trace_line_number(line, "the address", UINT64_MAX);
	text = scope_trace_line_string(line, "the bytes");
	data = malloc(strlen(text) / 2 + 1);
	if (!data)
		return -ENOMEM;
	memory.bytes = scope_trace_line_hex(line, "the bytes", text, MEMORY_BYTES_MAX, data);
	memory.data = data;
	err = scope_trace_line_end(line) ?: scope_trace_writer_memory(input->writer, &memory);
	free(data);
	return err;
}

static int take_stopped_stack(struct input *input)
{
	struct scope_line *line = &input->line;
	struct scope_trace_stopped_stack stopped_stack = { 0 };
	uint64_t ip[SCOPE_FRAMES_MAX];

	stopped_stack.tid = scope_trace_line_number(line, "the thread", UINT32_MAX);
	stopped_stack.address = scope_trace_line_number(line, "the address", UINT64_MAX);
	if (scope_trace_line_more(line)) {
		/* Uses the word itself, which is cut in place. "-" is an empty list. */
		char *ips = line->word[line->next];

		scope_trace_line_string(line, "the addresses");
		stopped_stack.count = scope_trace_line_list(line, "the stack", ips, SCOPE_FRAMES_MAX, ip);
	}
	stopped_stack.ip = ip;
	stopped_stack.ended = scope_trace_line_flags(line, scope_trace_text_ended_flags);
	if (!scope_trace_frames_ended(stopped_stack.ended))
		scope_trace_line_fail(line, "it was unwound, unwound_cut or unwound_broken: one of them");
	return scope_trace_line_end(line) ?: scope_trace_writer_stopped_stack(input->writer, &stopped_stack);
}

static int take_file(struct input *input)
{
	struct scope_line *line = &input->line;
	struct scope_trace_file file = { 0 };

	file.number = scope_trace_line_number(line, "the number", UINT32_MAX);
	file.outcome = scope_trace_line_name(line, "an outcome", &scope_trace_text_outcomes, SCOPE_FILE_UNREADABLE);
	file.error = scope_trace_line_number(line, "the error", 4095);
	file.functions = scope_trace_line_number(line, "the functions", UINT32_MAX);
	file.named = scope_trace_line_number(line, "those with names", UINT32_MAX);
	file.path = scope_trace_line_string(line, "the path");
	file.build_id = scope_trace_line_string(line, "the build id");
	file.found = scope_trace_line_string(line, "the build id found");
	file.deleted = scope_trace_line_flag(line, "deleted");
	if (!file.outcome)
		scope_trace_line_fail(line, "it was read, debug, other or unreadable");
	return scope_trace_line_end(line) ?: scope_trace_writer_file(input->writer, &file);
}

static int take_code(struct input *input)
{
	struct scope_line *line = &input->line;
	struct scope_trace_line lines[SCOPE_PLACE_LINES_MAX];
	struct scope_trace_code code = { .line = lines };

	code.file = scope_trace_line_number(line, "the file", UINT32_MAX);
	code.offset = scope_trace_line_number(line, "the offset", UINT64_MAX);
	code.start = scope_trace_line_number(line, "the start", UINT64_MAX);
	code.size = scope_trace_line_number(line, "the size", UINT64_MAX);
	code.name = scope_trace_line_string(line, "the name");
	code.lines = scope_trace_line_number(line, "the count of lines", SCOPE_PLACE_LINES_MAX);
	for (uint32_t i = 0; i < code.lines; i++) {
		lines[i].line = scope_trace_line_number(line, "the line", UINT32_MAX);
		lines[i].function = scope_trace_line_string(line, "the function");
		lines[i].file = scope_trace_line_string(line, "the source file");
	}
	code.flags = scope_trace_line_flags(line, scope_trace_text_place_flags);
	return scope_trace_line_end(line) ?: scope_trace_writer_code(input->writer, &code);
}

static int take_lock(struct input *input)
{
	struct scope_line *line = &input->line;
	struct scope_trace_lock lock = { 0 };

	lock.tid = scope_trace_line_number(line, "the thread", UINT32_MAX);
	lock.address = scope_trace_line_number(line, "the address", UINT64_MAX);
	lock.owner = scope_trace_line_number(line, "the owner", UINT32_MAX);
	return scope_trace_line_end(line) ?: scope_trace_writer_lock(input->writer, &lock);
}

/* The value is all that follows the key, spaces included. */
static int take_meta(struct input *input, char *text)
{
	struct scope_line *line = &input->line;
	char *key = text + strspn(text, " \t");
	char *end = key + strcspn(key, " \t\r\n");
	char *value = end + (*end == ' ' || *end == '\t');

	value[strcspn(value, "\r\n")] = '\0';
	*end = '\0';
	line->err = 0;
	if (!*key)
		scope_trace_line_fail(line, "the key is missing");
	if (!strcmp(key, "-"))
		key = end;
	scope_trace_line_unescape(line, key);
	scope_trace_line_unescape(line, value);
	if (line->err)
		return line->err;
	return scope_trace_writer_meta(input->writer, key, value);
}

static int take_line(struct input *input, char *text)
{
	static const struct {
		const char *word;
		int (*take)(struct input *input);
	} rows[] = {
		{ "map", take_map },   { "thread", take_thread }, { "sym", take_sym },
		{ "fd", take_fd },     { "memory", take_memory }, { "standing", take_stopped_stack },
		{ "lock", take_lock }, { "file", take_file },	  { "code", take_code },
	};
	struct scope_line *line = &input->line;
	char *start = text + strspn(text, " \t\r\n");

	if (!*start || *start == '#')
		return 0;
	if (!strncmp(start, "meta", 4) && (isspace((unsigned char)start[4]) || !start[4]))
		return take_meta(input, start + 4);
	scope_trace_line_begin(line, start);
	if (line->err)
		return line->err;
	if (*line->word[0] >= '0' && *line->word[0] <= '9')
		return take_event(input);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (scope_trace_line_literal(line, rows[i].word))
			return rows[i].take(input);
	scope_trace_line_fail(
		line,
		"'%.40s' begins no line: meta, map, thread, sym, fd, memory, standing, lock, file, code or a time does",
		line->word[0]);
	return line->err;
}

static int by_time(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	if (a->event.time_ns != b->event.time_ns)
		return a->event.time_ns < b->event.time_ns ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static int pack(struct input *input)
{
	struct scope_packer *packer;
	struct scope_error why = { "" };
	int err = scope_trace_packer_create(input->writer, 0, &packer);

	if (err)
		return err;
	if (input->items)
		qsort(input->item, input->items, sizeof(*input->item), by_time);
	for (size_t i = 0; i < input->items && !err; i++) {
		err = scope_trace_packer_event(packer, &input->item[i].event, &why);
		if (err)
			scope_error_set(input->error, err, "line %" PRIu64 ": %s", input->item[i].line, why.text);
	}
	if (!err)
		err = scope_trace_packer_flush(packer, input->error);
	scope_trace_packer_destroy(packer);
	return err;
}

/* 0; or -errno, with line.err set if this line is the cause. */
static int read_line(struct input *input, struct scope_lines *lines)
{
	input->line.number = lines->number;
	input->line.err = 0;
	if (lines->zero)
		scope_trace_line_fail(&input->line, "a zero byte; this is no text");
	if (lines->too_long)
		scope_trace_line_fail(&input->line, "it is longer than any line of such a text");
	return input->line.err ? input->line.err : take_line(input, lines->text);
}

static int read_lines(struct input *input, struct scope_lines *lines)
{
	int err = 0, more;

	while (!err && (more = scope_lines_next(lines))) {
		err = more < 0 ? more : read_line(input, lines);
		lines->good += !err;
		if (!input->line.err)
			continue;
		scope_lines_skip(lines, lines->number, strchr(input->error->text, ':') + 2);
		input->error->text[0] = '\0';
		err = 0;
	}
	if (err == -EIO && ferror(lines->stream))
		scope_error_set(input->error, err, "cannot read the text: %s", strerror(errno));
	return err;
}

int scope_trace_text_read(FILE *stream, struct scope_writer *writer, struct scope_error *error,
			  struct scope_lines *ret_lines)
{
	struct scope_error own = { "" };
	struct input *input = calloc(1, sizeof(*input));
	int err;

	if (!input)
		return scope_error_set(error, -ENOMEM, "cannot read the text: out of memory");
	scope_lines_init(ret_lines, stream, LINE_BYTES_MAX);
	input->writer = writer;
	input->error = input->line.error = &own;
	err = read_lines(input, ret_lines);
	scope_lines_free(ret_lines);
	if (!err)
		err = scope_lines_check(ret_lines, "this", "the text of a trace", &own);
	if (!err)
		err = pack(input);
	while (input->chunk) {
		struct chunk *chunk = input->chunk;

		input->chunk = chunk->older;
		free(chunk);
	}
	free(input->item);
	free(input);
	if (!err)
		return 0;
	if (own.text[0])
		return scope_error_set(error, err, "%s", own.text);
	return scope_error_set(error, err, "%s",
			       *scope_trace_writer_error(writer) ? scope_trace_writer_error(writer) : strerror(-err));
}
