// SPDX-License-Identifier: GPL-2.0-only
/* Collects the names of addresses, file by file. */
#include "symbol/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/now.h"
#include "base/plain.h"
#include "symbol/loop_rows.h"
#include "symbol/space.h"
#include "trace/format.h"

#define PLACES_MAX 64	    /* addresses of one frame whose symbols are looked up together */
#define NAME_MAX_BYTES 4096 /* a longer one is cut */
#define UNMAPPED_MAX 4096   /* addresses whose mappings may come later */

/* A payload that is being built. */
struct payload {
	uint8_t *data;
	size_t bytes;
	bool full;
};

static void put(struct payload *payload, const void *data, size_t bytes)
{
	if (payload->full || SCOPE_NAMES_ROOM - payload->bytes < bytes) {
		payload->full = true;
		return;
	}
	if (bytes)
		memcpy(payload->data + payload->bytes, data, bytes);
	payload->bytes += bytes;
}

static void put_text(struct payload *payload, const char *text, size_t bytes)
{
	put(payload, text, bytes < NAME_MAX_BYTES ? bytes : NAME_MAX_BYTES);
	put(payload, "", 1);
}

/*
 * Copies a text of a mapped file, up to a zero byte, because a program may write into the file at any time. Returns its
 * length.
 */
static size_t copy_text(char copy[NAME_MAX_BYTES], const char *text, size_t bytes)
{
	if (bytes > NAME_MAX_BYTES)
		bytes = NAME_MAX_BYTES;
	if (bytes)
		memcpy(copy, text, bytes);
	return strnlen(copy, bytes);
}

/* Adds a text that is plain already so that a reader restores it unchanged. 0 or -ENOMEM. */
static int put_plain(struct payload *payload, const char *plain)
{
	char *text = scope_plain_undone(plain);

	if (!text)
		return -ENOMEM;
	put_text(payload, text, strlen(text));
	free(text);
	return 0;
}

/* Returns 1 if no file is known to be mapped at the address, 0, or -ENOMEM. */
static int note_address(struct scope_spaces *spaces, uint32_t tgid, uint64_t address)
{
	const struct scope_space *space = scope_symbol_spaces_find(spaces, tgid);
	const struct scope_range *range = space ? scope_symbol_ranges_find(&space->ranges, address) : NULL;
	const struct scope_trace_map *row;
	struct scope_file *file;
	uint64_t offset;

	if (!range)
		return 1;
	row = spaces->mapping[range->value].row;
	file = spaces->mapping[range->value].file;
	offset = address - row->start + row->offset;
	if (scope_symbol_file_is_made(file) || scope_symbol_addresses_get(&file->hits, offset))
		return 0;
	if (scope_grow(&spaces->hit, &spaces->hit_capacity, spaces->hits + 1, sizeof(*spaces->hit)) ||
	    scope_symbol_addresses_put(&file->hits, offset, file))
		return -ENOMEM;
	spaces->hit[spaces->hits++] = (struct scope_hit){ range->value, offset };
	return 0;
}

/* Keeps an address for later: a program that was executed a moment ago has stacks before its maps are read. */
static int keep_unmapped(struct scope_spaces *spaces, uint32_t tgid, uint64_t address)
{
	if (!tgid || !address || spaces->unmapped_count == UNMAPPED_MAX)
		return 0;
	for (size_t i = 0; i < spaces->unmapped_count; i++)
		if (spaces->unmapped[i].tgid == tgid && spaces->unmapped[i].address == address)
			return 0;
	if (scope_grow(&spaces->unmapped, &spaces->unmapped_capacity, spaces->unmapped_count + 1,
		       sizeof(*spaces->unmapped)))
		return -ENOMEM;
	spaces->unmapped[spaces->unmapped_count++] = (struct scope_unmapped){ tgid, address };
	return 0;
}

int scope_symbol_names_note(struct scope_symbols *symbols, uint32_t tgid, const uint64_t *ip, unsigned int count)
{
	struct scope_spaces *spaces = scope_symbols_spaces(symbols);
	int err = 0;

	for (unsigned int i = 0; !err && i < count; i++) {
		const uint64_t address = ip[i] - (i && ip[i]);

		err = note_address(spaces, tgid, address);
		if (err > 0)
			err = keep_unmapped(spaces, tgid, address);
	}
	return err;
}

/* Notes the addresses whose mappings came later. 0 or -ENOMEM. */
static int note_unmapped(struct scope_spaces *spaces)
{
	size_t kept = 0;

	if (spaces->unmapped_mappings == spaces->mappings)
		return 0;
	spaces->unmapped_mappings = spaces->mappings;
	for (size_t i = 0; i < spaces->unmapped_count; i++) {
		const struct scope_unmapped unmapped = spaces->unmapped[i];
		const int err = note_address(spaces, unmapped.tgid, unmapped.address);

		if (err < 0)
			return err;
		if (err)
			spaces->unmapped[kept++] = unmapped;
	}
	spaces->unmapped_count = kept;
	return 0;
}

static int put_file(struct scope_spaces *spaces, struct scope_file *file, struct payload *payload)
{
	const struct scope_file_functions *functions;
	struct scope_frame_file head = {
		.deleted = file->deleted,
		.outcome = file->outcome,
		.error = file->error,
		.functions = UINT32_MAX,
		.named = UINT32_MAX,
	};

	if (file->image) {
		if (scope_symbol_image_functions(file->image, &functions))
			return -ENOMEM;
		head.functions = (uint32_t)functions->count;
		head.named = (uint32_t)functions->named;
	}
	file->numbered = true;
	file->number = head.number = spaces->numbers++;
	put(payload, &head, sizeof(head));
	put_text(payload, file->real_path, strlen(file->real_path));
	put_text(payload, file->build_id, strlen(file->build_id));
	put_text(payload, file->found ? file->found : "", file->found ? strlen(file->found) : 0);
	return 0;
}

static int put_lines(const struct scope_source_line *line, unsigned int lines, struct payload *payload)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < lines; i++) {
		const uint32_t number = (uint32_t)line[i].line;

		put(payload, &number, sizeof(number));
		err = put_plain(payload, line[i].function);
		if (!err)
			err = put_plain(payload, line[i].file);
	}
	return err;
}

static int put_place(const struct scope_mapping *mapping, uint64_t offset, struct payload *payload)
{
	struct scope_source_line line[SCOPE_PLACE_LINES_MAX];
	const struct scope_file *file = mapping->file;
	const uint64_t link = mapping->linked ? offset - mapping->row->offset + mapping->row->start + mapping->bias
					      : offset;
	struct scope_file_function found = { .name = NULL };
	struct scope_frame_place_of place = { .offset = offset, .start = link };
	char name[NAME_MAX_BYTES];
	size_t name_bytes = 0;
	int err;

	err = mapping->linked ? scope_symbol_image_function(file->image, link, !file->library, &found) : -ENOENT;
	if (err == -ENOMEM)
		return err;
	if (!err) {
		name_bytes = copy_text(name, found.name, found.name ? found.name_bytes : 0);
		place.start = found.start;
		place.size = found.size;
		place.flags = SCOPE_PLACE_FUNCTION | (name_bytes ? SCOPE_PLACE_NAMED : 0) |
			      (found.libc ? SCOPE_PLACE_LIBC : 0) | (found.message ? SCOPE_PLACE_MESSAGE : 0);
	}
	/* Source places of libraries are not needed. */
	if (!file->library) {
		place.flags |= SCOPE_PLACE_LINED;
		if (mapping->linked)
			place.lines = scope_symbol_image_lines(file->image, link, line, SCOPE_PLACE_LINES_MAX);
	}
	put(payload, &place, sizeof(place));
	put_text(payload, name, name_bytes);
	return put_lines(line, place.lines, payload);
}

/* Makes a frame of addresses of one file that were noted one after another. */
static int put_places(struct scope_spaces *spaces, const struct scope_file *file, uint64_t limit_ns,
		      struct payload *payload)
{
	const struct scope_frame_places head = { .file = file->number };
	const uint64_t begin_ns = limit_ns ? scope_now_ns() : 0;
	int err = 0;

	put(payload, &head, sizeof(head));
	for (unsigned int i = 0; !err && i < PLACES_MAX && spaces->hits_given < spaces->hits; i++) {
		const struct scope_hit *hit = &spaces->hit[spaces->hits_given];
		struct scope_mapping *mapping = &spaces->mapping[hit->mapping];
		const size_t before = payload->bytes;

		if (mapping->file != file || (limit_ns && i && scope_now_ns() - begin_ns > limit_ns))
			break;
		if (!mapping->tried)
			err = scope_symbol_spaces_open(spaces, mapping);
		if (!err)
			err = put_place(mapping, hit->offset, payload);
		if (payload->full && i) { /* the address becomes the first of the next frame */
			payload->bytes = before;
			break;
		}
		spaces->hits_given++;
	}
	return err;
}

/* The next file of a program for which no row was written yet. NULL: there is none. */
static struct scope_mapping *find_file(struct scope_spaces *spaces)
{
	for (; spaces->files_given < spaces->mappings; spaces->files_given++) {
		const struct scope_file *file = spaces->mapping[spaces->files_given].file;

		if (!file->numbered && !file->library && !scope_symbol_file_is_made(file))
			return &spaces->mapping[spaces->files_given];
	}
	return NULL;
}

/* Writes the name of a function whose code a runtime made, as a symbol of all processes. */
static void put_made(struct scope_spaces *spaces, struct payload *payload)
{
	const uint64_t number = spaces->made_names_given++;
	const struct scope_frame_symbol head = {
		.start = SCOPE_INTERPRETED_ON_STACKS + number * SCOPE_INTERPRETED_SIZE,
		.size = SCOPE_INTERPRETED_SIZE,
	};
	const char *name = spaces->made_names.name[number];

	put(payload, &head, sizeof(head));
	put_text(payload, name, strlen(name));
	put_text(payload, SCOPE_TRACE_JIT_MODULE, strlen(SCOPE_TRACE_JIT_MODULE));
}

int scope_symbol_names_next(struct scope_symbols *symbols, bool all, uint64_t limit_ns, uint8_t *buffer,
			    uint16_t *ret_type, size_t *ret_bytes)
{
	struct scope_spaces *spaces = scope_symbols_spaces(symbols);
	struct payload payload = { .data = buffer };
	struct scope_mapping *mapping;
	int err = note_unmapped(spaces);

	if (err)
		return err;
	mapping = spaces->hits_given < spaces->hits ? &spaces->mapping[spaces->hit[spaces->hits_given].mapping]
		  : all				    ? find_file(spaces)
						    : NULL;
	if (spaces->made_names_given < spaces->made_names.names) {
		put_made(spaces, &payload);
		*ret_type = SCOPE_FRAME_SYMBOL;
		*ret_bytes = payload.bytes;
		return 1;
	}
	if (!mapping) {
		*ret_type = SCOPE_FRAME_META;
		return all ? scope_symbol_loop_rows_next(symbols, buffer, SCOPE_NAMES_ROOM, ret_bytes) : 0;
	}
	if (!mapping->file->numbered) {
		if (!mapping->tried)
			err = scope_symbol_spaces_open(spaces, mapping);
		*ret_type = SCOPE_FRAME_FILE;
		if (!err)
			err = put_file(spaces, mapping->file, &payload);
	} else {
		*ret_type = SCOPE_FRAME_PLACES;
		err = put_places(spaces, mapping->file, limit_ns, &payload);
	}
	*ret_bytes = payload.bytes;
	return err ? err : 1;
}
