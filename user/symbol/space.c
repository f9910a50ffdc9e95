// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the executable mappings of each process, sorted, and finds the one of an address. */
#include "symbol/space.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/plain.h"
#include "proc/open.h"
#include "symbol/goname.h"
#include "symbol/library.h"
#include "symbol/mapped_file.h"
#include "symbol/server.h"

#define DELETED " (deleted)"
#define ANONYMOUS "[anonymous]"
#define NARROW_END (1ull << 32) /* of all mappings of a 32-bit program */

int scope_symbol_spaces_problem(struct scope_spaces *spaces, const char *format, ...)
{
	va_list arguments;
	char *text, *plain;
	int length;

	if (scope_grow(&spaces->problem, &spaces->problem_capacity, spaces->problems + 1, sizeof(*spaces->problem)))
		return -ENOMEM;
	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	plain = scope_plain_copy(text, SCOPE_PLAIN_SENTENCE);
	free(text);
	if (!plain)
		return -ENOMEM;
	spaces->problem[spaces->problems++] = plain;
	return 0;
}

bool scope_symbol_file_is_made(const struct scope_file *file)
{
	return scope_proc_is_memory(file->path) && !*file->build_id && !file->elf && strcmp(file->path, "[vdso]");
}

static void file_destroy(struct scope_file *file)
{
	scope_symbol_image_destroy(file->image);
	scope_symbol_addresses_free(&file->functions, NULL);
	scope_symbol_addresses_free(&file->codes, NULL);
	scope_symbol_addresses_free(&file->hits, NULL);
	scope_symbol_addresses_free(&file->looped, free);
	free(file->found);
	free(file->path);
	free(file->real_path);
	free(file);
}

static void space_destroy(struct scope_space *space)
{
	scope_symbol_ranges_free(&space->ranges);
	scope_symbol_ranges_free(&space->symbols);
	scope_symbol_addresses_free(&space->lookups, NULL);
	scope_symbol_made_code_destroy(space->made);
	free(space);
}

/* Gets the path and its length without " (deleted)". Returns true if the file was deleted when the maps were read. */
static bool path_split(const struct scope_trace_map *row, const char **ret_path, size_t *ret_bytes)
{
	const char *path = row->path ? row->path : "";
	size_t bytes = strlen(path), mark = strlen(DELETED);
	bool deleted = bytes > mark && !strcmp(path + bytes - mark, DELETED);

	if (!bytes || !strncmp(path, "//anon", 6) || !strncmp(path, "[anon", 5)) {
		path = ANONYMOUS;
		bytes = strlen(path);
	}
	/* This page differs from that of 64-bit programs, which the same trace may have. */
	if (!strcmp(path, "[vdso]") && row->end <= NARROW_END) {
		path = SCOPE_SPACE_GATE;
		bytes = strlen(path);
	}
	*ret_path = path;
	*ret_bytes = deleted ? bytes - mark : bytes;
	return deleted;
}

/* True if a library that is the system's only by its folder belongs to the program at that path. */
static bool in_program(const struct scope_spaces *spaces, const struct scope_trace_map *row, const char *library,
		       const char *program)
{
	return !spaces->options.library && (spaces->options.folders || row->of_package ||
					    (program && scope_symbol_library_of_program(library, program)));
}

/* program: path of the executable of the process that maps it. */
static int file_get(struct scope_spaces *spaces, const struct scope_trace_map *row, const char *program,
		    struct scope_file **ret_file)
{
	const char *build_id = row->build_id ? row->build_id : "";
	const char *path, *slash;
	enum scope_library library;
	struct scope_file *file;
	size_t bytes;
	bool deleted = path_split(row, &path, &bytes);

	for (size_t i = spaces->files; i-- > 0;) {
		file = spaces->file[i];
		if (!strncmp(file->path, path, bytes) && !file->path[bytes] && !strcmp(file->build_id, build_id) &&
		    file->deleted == deleted && file->elf == row->elf) {
			*ret_file = file;
			return 0;
		}
	}
	if (scope_grow(&spaces->file, &spaces->file_capacity, spaces->files + 1, sizeof(*spaces->file)))
		return -ENOMEM;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->path = strndup(path, bytes);
	file->real_path = file->path ? scope_plain_undone(file->path) : NULL;
	if (!file->real_path) {
		free(file->path);
		free(file);
		return -ENOMEM;
	}
	slash = strrchr(file->path, '/');
	file->module = slash && slash[1] ? slash + 1 : file->path;
	file->build_id = build_id;
	file->deleted = deleted;
	file->elf = row->elf;
	library = scope_symbol_library_match(spaces->options.library, file->path);
	file->library = library == SCOPE_LIBRARY_SYSTEM ||
			(library == SCOPE_LIBRARY_FOLDER && !in_program(spaces, row, file->path, program));
	file->folder = file->library && library == SCOPE_LIBRARY_FOLDER;
	spaces->file[spaces->files++] = file;
	*ret_file = file;
	return 0;
}

static struct scope_file *file_of(const struct scope_spaces *spaces, const struct scope_trace_file *row)
{
	for (size_t i = 0; i < spaces->files; i++) {
		struct scope_file *file = spaces->file[i];

		if (!strcmp(file->path, row->path) && !strcmp(file->build_id, row->build_id) &&
		    file->deleted == row->deleted && !scope_symbol_file_is_made(file))
			return file;
	}
	return NULL;
}

int scope_symbol_spaces_add_recorded(struct scope_spaces *spaces, const struct scope_trace_file *files, size_t count,
				     const struct scope_trace_code *codes, size_t code_count)
{
	struct scope_addresses by_number = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		struct scope_file *file = file_of(spaces, &files[i]);

		if (!file || scope_symbol_addresses_get(&by_number, files[i].number))
			continue;
		file->recorded = &files[i];
		file->numbered = true;
		file->number = files[i].number;
		if (files[i].number >= spaces->numbers && files[i].number < UINT32_MAX)
			spaces->numbers = files[i].number + 1;
		err = scope_symbol_addresses_put(&by_number, files[i].number, file);
	}
	for (size_t i = 0; !err && i < code_count; i++) {
		struct scope_file *file = scope_symbol_addresses_get(&by_number, codes[i].file);

		if (file)
			file->go |= scope_symbol_go_name_is_runtime(codes[i].name);
		if (file && !scope_symbol_addresses_get(&file->codes, codes[i].offset))
			err = scope_symbol_addresses_put(&file->codes, codes[i].offset, (void *)&codes[i]);
		if (!err && file && !scope_symbol_addresses_get(&file->hits, codes[i].offset))
			err = scope_symbol_addresses_put(&file->hits, codes[i].offset, file);
	}
	scope_symbol_addresses_free(&by_number, NULL);
	return err;
}

struct scope_recorded_file scope_symbol_spaces_recorded(const struct scope_spaces *spaces,
							const struct scope_space *space, uint64_t address)
{
	const struct scope_range *range = scope_symbol_ranges_find(&space->ranges, address);
	const struct scope_mapping *mapping = range ? &spaces->mapping[range->value] : NULL;
	struct scope_recorded_file recorded = { 0 };

	if (!mapping || !mapping->file->recorded)
		return recorded;
	recorded.offset = address - mapping->row->start + mapping->row->offset;
	recorded.code = scope_symbol_addresses_get(&mapping->file->codes, recorded.offset);
	/* If the file could be read, addresses that were not recorded get their names from the file. */
	if (recorded.code || !scope_symbol_file_has_names(mapping->file->recorded))
		recorded.file = mapping->file;
	return recorded;
}

/* The runtime of a process that is being captured; it changes when the process executes another program. */
static int runtime_get(struct scope_spaces *spaces, struct scope_space *space, const struct scope_trace_map *row)
{
	const enum scope_interpreter_language language = scope_interpreter_of_path(row->path);

	if (!spaces->options.reader || (language != SCOPE_INTERPRETER_HOTSPOT && language != SCOPE_INTERPRETER_V8))
		return 0;
	scope_symbol_made_code_destroy(space->made);
	space->made = scope_symbol_made_code_create(space->tgid, spaces->options.reader, &spaces->made_names);
	return space->made ? 0 : -ENOMEM;
}

static int mapping_add(struct scope_spaces *spaces, const struct scope_trace_map *row)
{
	struct scope_space *space = scope_symbol_spaces_get(spaces, row->tgid);
	struct scope_mapping *mapping;

	if (!space ||
	    scope_grow(&spaces->mapping, &spaces->mapping_capacity, spaces->mappings + 1, sizeof(*spaces->mapping)))
		return -ENOMEM;
	mapping = &spaces->mapping[spaces->mappings];
	*mapping = (struct scope_mapping){ .row = row };
	if (!space->program && row->path[0] == '/')
		space->program = row->path;
	if (file_get(spaces, row, space->program, &mapping->file) || runtime_get(spaces, space, row))
		return -ENOMEM;
	return scope_symbol_ranges_add(&space->ranges, row->start, row->end, spaces->mappings++);
}

static void say_server(void *context, const char *sentence)
{
	/* Without memory for it missing files are still reported. */
	scope_symbol_spaces_problem(context, "%s", sentence);
}

int scope_symbol_spaces_add(struct scope_spaces *spaces, const struct scope_trace_map *maps, size_t count)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		if (maps[i].executable)
			err = mapping_add(spaces, &maps[i]);
	}
	for (size_t i = 0; i < spaces->spaces; i++) {
		struct scope_space *space = spaces->space[i];

		if (space->sorted == space->ranges.count)
			continue;
		scope_symbol_ranges_sort(&space->ranges);
		scope_symbol_addresses_free(&space->lookups, NULL);
		space->sorted = space->ranges.count;
	}
	return err;
}

int scope_symbol_spaces_init(struct scope_spaces *spaces, const struct scope_trace_map *maps, size_t count,
			     const struct scope_symbol_options *options)
{
	*spaces = (struct scope_spaces){ 0 };
	if (options)
		spaces->options = *options;
	if (spaces->options.debuginfod)
		spaces->options.server = scope_symbol_server_create(say_server, spaces);
	return scope_symbol_spaces_add(spaces, maps, count);
}

void scope_symbol_spaces_free(struct scope_spaces *spaces)
{
	for (size_t i = 0; i < spaces->files; i++)
		file_destroy(spaces->file[i]);
	for (size_t i = 0; i < spaces->spaces; i++)
		space_destroy(spaces->space[i]);
	scope_symbol_server_destroy(spaces->options.server);
	for (size_t i = 0; i < spaces->problems; i++)
		free((char *)spaces->problem[i]);
	free(spaces->file);
	free(spaces->space);
	free(spaces->problem);
	free(spaces->mapping);
	free(spaces->hit);
	free(spaces->unmapped);
	scope_interpreter_name_table_free(&spaces->made_names);
	scope_symbol_addresses_free(&spaces->by_tgid, NULL);
	scope_symbol_addresses_free(&spaces->inherited, NULL);
	*spaces = (struct scope_spaces){ 0 };
}

struct scope_space *scope_symbol_spaces_find(const struct scope_spaces *spaces, uint32_t tgid)
{
	struct scope_space *space = scope_symbol_addresses_get(&spaces->by_tgid, tgid);

	return space ? space : scope_symbol_addresses_get(&spaces->inherited, tgid);
}

int scope_symbol_spaces_inherit(struct scope_spaces *spaces, uint32_t tgid, uint32_t ancestor)
{
	struct scope_space *space = scope_symbol_addresses_get(&spaces->by_tgid, ancestor);

	if (!space || scope_symbol_spaces_find(spaces, tgid))
		return 0;
	return scope_symbol_addresses_put(&spaces->inherited, tgid, space);
}

struct scope_space *scope_symbol_spaces_get(struct scope_spaces *spaces, uint32_t tgid)
{
	struct scope_space *space = scope_symbol_addresses_get(&spaces->by_tgid, tgid);

	if (space)
		return space;
	if (scope_grow(&spaces->space, &spaces->space_capacity, spaces->spaces + 1, sizeof(*spaces->space)))
		return NULL;
	space = calloc(1, sizeof(*space));
	if (!space)
		return NULL;
	space->tgid = tgid;
	if (scope_symbol_addresses_put(&spaces->by_tgid, tgid, space)) {
		free(space);
		return NULL;
	}
	spaces->space[spaces->spaces++] = space;
	return space;
}

int scope_symbol_spaces_open(struct scope_spaces *spaces, struct scope_mapping *mapping)
{
	const struct scope_trace_map *row = mapping->row;
	struct scope_file *file = mapping->file;
	int err = 0;

	if (!file->tried) {
		err = scope_symbol_file_open(spaces, file, row);
		spaces->opened++;
	}
	if (err)
		return err;
	file->tried = true;
	mapping->tried = true;
	mapping->linked = file->image && scope_symbol_image_bias(file->image, row->start, row->offset,
								 row->end - row->start, &mapping->bias);
	return 0;
}

int scope_symbol_spaces_is_i386(struct scope_spaces *spaces, const struct scope_space *space, bool *ret_is)
{
	const struct scope_ranges *ranges = &space->ranges;
	int err = 0;

	*ret_is = false;
	/*
	 * Mappings are sorted, and the last one of a 64-bit program, at least the kernel's page, is above that
	 * address.
	 */
	if (!ranges->count || ranges->range[ranges->count - 1].end > NARROW_END)
		return 0;
	for (size_t i = 0; !err && i < ranges->count; i++) {
		struct scope_mapping *mapping = &spaces->mapping[ranges->range[i].value];

		if (!mapping->tried)
			err = scope_symbol_spaces_open(spaces, mapping);
		if (!err && mapping->file->image) {
			*ret_is = scope_symbol_image_is_i386(mapping->file->image);
			break;
		}
	}
	return err;
}

bool scope_symbol_spaces_in_file(const struct scope_spaces *spaces, const struct scope_space *space, uint64_t address)
{
	const struct scope_range *range = scope_symbol_ranges_find(&space->ranges, address);

	return range && !scope_symbol_file_is_made(spaces->mapping[range->value].file);
}

int scope_symbol_spaces_place(struct scope_spaces *spaces, const struct scope_space *space, uint64_t address,
			      struct scope_place *ret_place)
{
	const struct scope_range *range = scope_symbol_ranges_find(&space->ranges, address);
	struct scope_mapping *mapping;
	int err = 0;

	if (!range)
		return -ENOENT;
	mapping = &spaces->mapping[range->value];
	if (!mapping->tried)
		err = scope_symbol_spaces_open(spaces, mapping);
	if (err)
		return err;
	ret_place->file = mapping->file;
	ret_place->linked = mapping->linked;
	ret_place->mapping_start = mapping->row->start;
	ret_place->link = mapping->linked ? address + mapping->bias
					  : address - mapping->row->start + mapping->row->offset;
	return 0;
}
