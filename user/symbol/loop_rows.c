// SPDX-License-Identifier: GPL-2.0-only
/* Writes the loops around recorded addresses, and reads them again. */
#include "symbol/loop_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/loop_code.h"
#include "symbol/symbol_internal.h"
#include "trace/format.h"

#define HEADS_MAX 8	      /* loops around an address */
#define LOOPS_MAX 64	      /* of a function, whose lines are kept while its row is made */
#define LOOKUPS_MAX 100000    /* places whose lines are looked up for a file; this takes half a second */
#define VALUE_BYTES_MAX 16384 /* further addresses of a function have no loops */
#define ENTRY_BYTES_MAX 256   /* of one address */
#define KEY_BYTES_MAX 64

/* ---- writing ---- */

/*
 * The lines of a loop. depth: how many calls inwards from the symbol's own function the function is that contains the
 * whole loop.
 */
struct lines {
	uint32_t head;
	unsigned int depth;
	int first, last; /* first 0: not known */
};

struct row {
	struct scope_spaces *spaces;
	struct scope_loop_code code;
	struct lines lines[LOOPS_MAX];
	size_t known;
	char *text;
	size_t bytes, room;
};

/* Returns false if the text does not fit. */
__attribute__((format(printf, 2, 3))) static bool put(struct row *row, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(row->text + row->bytes, row->room - row->bytes, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= row->room - row->bytes)
		return false;
	row->bytes += (size_t)length;
	return true;
}

/* The lines of the loop with that head, which has the instruction at a link address. 0 or -ENOMEM. */
static int find_lines(struct row *row, uint32_t head, uint64_t link, struct lines *ret_lines)
{
	struct scope_source_loop loop;
	int err;

	for (size_t i = 0; i < row->known; i++)
		if (row->lines[i].head == head) {
			*ret_lines = row->lines[i];
			return 0;
		}
	*ret_lines = (struct lines){ .head = head };
	if (row->spaces->loop_lookups + row->code.lookups >= LOOKUPS_MAX)
		return 0;
	scope_symbol_loops_inside(row->code.loops, head, row->code.inside);
	err = scope_symbol_loop_code_lines(&row->code, link, &loop, &ret_lines->depth);
	if (err)
		return err;
	if (loop.file) {
		ret_lines->first = loop.first;
		ret_lines->last = loop.last;
	}
	if (row->known < LOOPS_MAX)
		row->lines[row->known++] = *ret_lines;
	return 0;
}

/* Adds one address. 0 or -ENOMEM. */
static int put_address(struct row *row, uint64_t offset, uint64_t link)
{
	struct scope_source_line line[SCOPE_PLACE_LINES_MAX];
	uint32_t head[HEADS_MAX];
	const unsigned int heads = scope_symbol_loops_around(
		row->code.loops, scope_symbol_loop_code_number(&row->code, link), head, HEADS_MAX);
	const unsigned int lines =
		heads ? scope_symbol_image_lines(row->code.file->image, link, line, SCOPE_PLACE_LINES_MAX) : 0;
	struct lines found = { 0 };
	int err = 0;

	if (!heads || row->room - row->bytes < ENTRY_BYTES_MAX)
		return 0;
	if (lines && lines < SCOPE_PLACE_LINES_MAX)
		err = find_lines(row, head[0], link, &found);
	if (err)
		return err;
	put(row, "%s0x%" PRIx64, row->text[row->bytes - 1] ? " " : "", offset);
	for (unsigned int i = 0; i < heads; i++)
		put(row, "%c%" PRIu32, i ? ',' : ':', head[i]);
	if (found.first > 0 && found.depth < lines)
		put(row, ":%u:%d:%d", lines - 1 - found.depth, found.first, found.last);
	return 0;
}

/* Gets the link address of a hit. Returns false if the code of its file is not here, or needs no lines. */
static bool link_of(const struct scope_spaces *spaces, const struct scope_hit *hit, uint64_t *ret_link)
{
	const struct scope_mapping *mapping = &spaces->mapping[hit->mapping];

	if (!mapping->linked || !mapping->file->image || mapping->file->library || !mapping->file->numbered)
		return false;
	*ret_link = hit->offset - mapping->row->offset + mapping->row->start + mapping->bias;
	return true;
}

/* Makes the row of the function that contains the hit, with all its hits. 1; 0: it has no loops; -ENOMEM. */
static int make_row(struct row *row, const struct scope_hit *hit, uint64_t link)
{
	const struct scope_spaces *spaces = row->spaces;
	struct scope_file *file = spaces->mapping[hit->mapping].file;
	size_t begin;
	int err = scope_symbol_loop_code_read(file, link, &row->code);

	if (err)
		return err == -ENOENT ? 0 : err;
	put(row, SCOPE_META_LOOPS ".%" PRIu32 ".0x%" PRIx64, file->number, row->code.function->start);
	begin = ++row->bytes; /* the key's end */
	for (size_t i = 0; !err && i < spaces->hits; i++)
		if (spaces->mapping[spaces->hit[i].mapping].file == file && link_of(spaces, &spaces->hit[i], &link) &&
		    link - row->code.function->start < row->code.function->size)
			err = put_address(row, spaces->hit[i].offset, link);
	if (err)
		return err;
	return row->bytes > begin;
}

/*
 * Returns 1 if the row of the function at a link address is to be made; 0 if it was made after the last hit was noted;
 * or -ENOMEM.
 */
static int is_due(const struct scope_spaces *spaces, struct scope_file *file, uint64_t link)
{
	const struct scope_file_functions *functions;
	const struct scope_file_function *function;
	uintptr_t *made;
	int err = scope_symbol_image_functions(file->image, &functions);

	if (err)
		return err;
	function = scope_symbol_file_functions_find(functions, link);
	if (!function)
		return 0;
	made = scope_symbol_addresses_get(&file->looped, function->start);
	if (!made) {
		made = calloc(1, sizeof(*made));
		if (!made || scope_symbol_addresses_put(&file->looped, function->start, made)) {
			free(made);
			return -ENOMEM;
		}
	}
	if (*made == spaces->hits)
		return 0;
	*made = spaces->hits;
	return 1;
}

int scope_symbol_loop_rows_next(struct scope_symbols *symbols, uint8_t *buffer, size_t room, size_t *ret_bytes)
{
	struct scope_spaces *spaces = &symbols->spaces;
	struct row row = {
		.spaces = spaces,
		.text = (char *)buffer,
		.room = room < VALUE_BYTES_MAX ? room : VALUE_BYTES_MAX,
	};
	int err = 0;

	memset(buffer, 0, row.room);
	while (!err && spaces->loops_given < spaces->hits) {
		const struct scope_hit *hit = &spaces->hit[spaces->loops_given++];
		uint64_t link;

		if (!link_of(spaces, hit, &link))
			continue;
		err = is_due(spaces, spaces->mapping[hit->mapping].file, link);
		if (err <= 0)
			continue;
		row.bytes = row.known = 0;
		err = make_row(&row, hit, link);
		spaces->loop_lookups += row.code.lookups;
		scope_symbol_loop_code_free(&row.code);
		row.code = (struct scope_loop_code){ 0 };
	}
	if (!err)
		spaces->loop_lookups = 0; /* the next part of a long recording has a limit of its own */
	if (!err && !spaces->loops_said) {
		spaces->loops_said = true;
		row.bytes = 0;
		put(&row, SCOPE_META_LOOPS);
		row.bytes++;
		put(&row, "1");
		err = 1;
	}
	*ret_bytes = row.bytes + 1;
	return err;
}

/* ---- reading ---- */

struct entry {
	uint64_t offset;
	uint32_t head[HEADS_MAX];
	unsigned int heads, line;
	int first, last; /* first 0: not known */
};

/* Takes the number at *at. If `end` is not 0, this character must follow it. */
static bool take_number(const char **at, int base, char end, uint64_t max, uint64_t *ret_number)
{
	char *rest;
	unsigned long long number;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	number = strtoull(*at, &rest, base);
	if (errno || number > max || (end && *rest != end))
		return false;
	*at = rest + !!end;
	*ret_number = number;
	return true;
}

/* Reads one entry, and moves *at after it. False: the rest is not readable. */
static bool take_entry(const char **at, struct entry *entry)
{
	uint64_t number, line, first, last;

	*entry = (struct entry){ 0 };
	if (!take_number(at, 16, ':', UINT64_MAX, &entry->offset))
		return false;
	do {
		*at += entry->heads > 0;
		if (entry->heads == HEADS_MAX || !take_number(at, 10, 0, UINT32_MAX, &number))
			return false;
		entry->head[entry->heads++] = (uint32_t)number;
	} while (**at == ',');
	if (**at == ':') {
		++*at;
		if (!take_number(at, 10, ':', SCOPE_PLACE_LINES_MAX - 1, &line) ||
		    !take_number(at, 10, ':', INT32_MAX, &first) || !take_number(at, 10, 0, INT32_MAX, &last))
			return false;
		entry->line = (unsigned int)line;
		entry->first = (int)first;
		entry->last = (int)last;
	}
	if (**at == ' ')
		++*at;
	else if (**at)
		return false;
	return true;
}

/* Finds the entry of an address in a function's row. */
static bool find_entry(const char *row, uint64_t offset, struct entry *ret_entry)
{
	while (row && *row && take_entry(&row, ret_entry))
		if (ret_entry->offset == offset)
			return true;
	return false;
}

static struct scope_recorded_file recorded_at(const struct scope_symbols *symbols, const struct scope_code_address *at)
{
	const struct scope_space *space = scope_symbol_spaces_find(&symbols->spaces, at->tgid);
	struct scope_recorded_file none = { 0 };

	return space ? scope_symbol_spaces_recorded(&symbols->spaces, space, at->address) : none;
}

static const char *row_of(const struct scope_symbols *symbols, const struct scope_recorded_file *recorded)
{
	char key[KEY_BYTES_MAX];

	if (!recorded->code || !(recorded->code->flags & SCOPE_PLACE_FUNCTION))
		return NULL;
	snprintf(key, sizeof(key), SCOPE_META_LOOPS ".%" PRIu32 ".0x%" PRIx64, recorded->code->file,
		 recorded->code->start);
	return scope_trace_meta(symbols->trace, key);
}

static bool is_inside(const struct scope_symbols *symbols, const char *row, const struct scope_recorded_file *recorded,
		      const struct scope_code_address *at, uint32_t head)
{
	const struct scope_recorded_file other = recorded_at(symbols, at);
	struct entry entry;

	if (!other.code || other.file != recorded->file || other.code->start != recorded->code->start ||
	    !find_entry(row, other.offset, &entry))
		return false;
	for (unsigned int i = 0; i < entry.heads; i++)
		if (entry.head[i] == head)
			return true;
	return false;
}

bool scope_symbol_loop_rows_has(struct scope_symbols *symbols, const struct scope_code_address *at, bool *ret_known)
{
	struct scope_recorded_file recorded;
	struct entry entry;

	*ret_known = symbols->trace && scope_trace_meta(symbols->trace, SCOPE_META_LOOPS);
	recorded = recorded_at(symbols, at);
	return *ret_known && find_entry(row_of(symbols, &recorded), recorded.offset, &entry);
}

int scope_symbol_loop_rows_find(struct scope_symbols *symbols, const struct scope_code_address *at, size_t count,
				bool *ret_inside, struct scope_source_loop *ret_loop, bool *ret_known)
{
	struct scope_source_line line[SCOPE_PLACE_LINES_MAX];
	struct scope_recorded_file recorded;
	struct entry entry;
	unsigned int lines;
	const char *row;
	int err;

	*ret_loop = (struct scope_source_loop){ 0 };
	*ret_known = symbols->trace && scope_trace_meta(symbols->trace, SCOPE_META_LOOPS);
	recorded = recorded_at(symbols, at);
	row = *ret_known ? row_of(symbols, &recorded) : NULL;
	if (!find_entry(row, recorded.offset, &entry))
		return 0;
	err = scope_symbols_lines(symbols, at->tgid, at->address, line, SCOPE_PLACE_LINES_MAX, &lines);
	if (err)
		return err;
	if (entry.first && entry.line < lines) {
		*ret_loop = (struct scope_source_loop){
			.file = line[entry.line].file,
			.first = entry.first,
			.last = entry.last,
		};
		memcpy(ret_loop->inlined, line[entry.line].function, sizeof(ret_loop->inlined));
	}
	for (size_t i = 0; i < count; i++)
		ret_inside[i] = is_inside(symbols, row, &recorded, &at[i], entry.head[0]);
	return 0;
}
