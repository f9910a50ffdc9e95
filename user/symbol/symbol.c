// SPDX-License-Identifier: GPL-2.0-only
/* Finds the function of an address and keeps one object for each function. */
#include "symbol/symbol.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/plain.h"
#include "symbol/goname.h"
#include "symbol/library.h"
#include "symbol/mapped_file.h"
#include "symbol/runtime.h"
#include "symbol/symbol_internal.h"
#include "symbol/unwind.h"
#include "trace/format.h"

int scope_symbols_create(const struct scope_trace_map *maps, size_t map_count, const struct scope_trace_symbol *rows,
			 size_t row_count, const struct scope_symbol_options *options,
			 struct scope_symbols **ret_symbols)
{
	struct scope_symbols *symbols = calloc(1, sizeof(*symbols));
	int err;

	if (!symbols)
		return -ENOMEM;
	symbols->row = rows;
	symbols->rows = row_count;
	err = scope_symbol_spaces_init(&symbols->spaces, maps, map_count, options);
	if (!err) {
		symbols->everywhere = scope_symbol_spaces_get(&symbols->spaces, 0);
		err = symbols->everywhere ? scope_symbol_rows_add(symbols) : -ENOMEM;
	}
	if (err) {
		scope_symbols_destroy(symbols);
		return err;
	}
	*ret_symbols = symbols;
	return 0;
}

int scope_symbols_add_maps(struct scope_symbols *symbols, const struct scope_trace_map *maps, size_t count)
{
	return scope_symbol_spaces_add(&symbols->spaces, maps, count);
}

int scope_symbols_inherit(struct scope_symbols *symbols, uint32_t tgid, uint32_t ancestor)
{
	return scope_symbol_spaces_inherit(&symbols->spaces, tgid, ancestor);
}

int scope_symbols_add_recorded(struct scope_symbols *symbols, const struct scope_trace *trace)
{
	size_t count, code_count;
	const struct scope_trace_file *files = scope_trace_files(trace, &count);
	const struct scope_trace_code *codes = scope_trace_codes(trace, &code_count);

	symbols->trace = trace;
	return scope_symbol_spaces_add_recorded(&symbols->spaces, files, count, codes, code_count);
}

struct scope_spaces *scope_symbols_spaces(struct scope_symbols *symbols)
{
	return &symbols->spaces;
}

void scope_symbols_destroy(struct scope_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->functions; i++)
		scope_symbol_function_destroy(symbols->function[i]);
	free(symbols->function);
	free(symbols->row_first);
	free(symbols->row_function);
	scope_symbol_spaces_free(&symbols->spaces);
	free(symbols);
}

bool scope_symbols_interpreted(const struct scope_symbols *symbols)
{
	return symbols->rows_interpreted;
}

/*
 * "py::NAME:FILE" is the function NAME in FILE. The body of a script, "<module>" or "<main>", gets the file's name,
 * too. The symbol is not changed. 0 or -ENOMEM.
 */
static int name_script_function(struct scope_function *function)
{
	const char *begin = strstr(function->symbol, "::"), *end = strrchr(function->symbol, ':'), *slash, *file;
	char *name;

	if (!begin || begin + 2 >= end || !end[1])
		return 0;
	slash = strrchr(end, '/');
	file = slash && slash[1] ? slash + 1 : end + 1;
	begin += 2;
	if (!strncmp(begin, "<module>:", strlen("<module>:")) || !strncmp(begin, "<main>:", strlen("<main>:"))) {
		if (asprintf(&name, "%.*s of %s", (int)(end - begin), begin, file) < 0)
			return -ENOMEM;
	} else {
		name = strndup(begin, (size_t)(end - begin));
		if (!name)
			return -ENOMEM;
	}
	if (function->name != function->symbol)
		free((char *)function->name);
	function->name = name;
	function->module = file;
	return 0;
}

/* 0, -ENOENT: no row covers the address, -ENOMEM. */
static int row_lookup(struct scope_symbols *symbols, const struct scope_space *space, uint64_t address,
		      struct scope_function **ret_function)
{
	const struct scope_range *range = scope_symbol_ranges_find(&space->symbols, address);
	const struct scope_trace_symbol *row;
	uint32_t first;
	int err = 0;

	if (!range && space != symbols->everywhere)
		range = scope_symbol_ranges_find(&symbols->everywhere->symbols, address);
	if (!range)
		return -ENOENT;
	first = symbols->row_first[range->value];
	row = &symbols->row[first];
	if (scope_symbol_row_is_made_up(row) && scope_symbol_spaces_in_file(&symbols->spaces, space, address)) {
		if (!symbols->rows_refused++)
			err = scope_symbol_spaces_problem(&symbols->spaces,
							  "%s: %s and perhaps others lie in mapped "
							  "files, whose own names count",
							  row->module, row->name);
		return err ? err : -ENOENT;
	}
	if (!symbols->row_function[first])
		err = scope_symbol_function_add(
			symbols, scope_plain_undone(row->name),
			(struct scope_function){ .module = row->module,
						 .path = row->module,
						 .start = row->start,
						 .size = row->size,
						 .library = scope_symbol_row_is_library(symbols, row),
						 .language = scope_symbol_row_is_language(symbols, row),
						 .known = true },
			&symbols->row_function[first]);
	if (!err && symbols->row_function[first]->name == symbols->row_function[first]->symbol &&
	    scope_symbol_row_is_made_up(row) && scope_symbol_runtime_says_file(row->name))
		err = name_script_function(symbols->row_function[first]);
	if (!err)
		*ret_function = symbols->row_function[first];
	return err;
}

/* True for V8's own functions, which are in the file of the program. */
static bool is_builtin(const struct scope_file_function *found)
{
	static const char prefix[] = "Builtins_";

	return found && found->name && found->name_bytes > sizeof(prefix) - 1 &&
	       !memcmp(found->name, prefix, sizeof(prefix) - 1);
}

/* Finds the function of a file that begins at value.start. If it is new it gets this name. */
static int file_function(struct scope_symbols *symbols, struct scope_file *file,
			 const struct scope_file_function *found, uint64_t start, struct scope_function **ret_function)
{
	struct scope_function *function = scope_symbol_addresses_get(&file->functions, start);
	struct scope_function value = { .module = file->module,
					.path = file->path,
					.start = start,
					.size = found ? found->size : 0,
					.language = is_builtin(found),
					.known = found && found->name,
					.message = found && found->message };
	char *name = NULL;
	int err;

	if (function) {
		*ret_function = function;
		return 0;
	}
	if (value.known) {
		name = strndup(found->name, found->name_bytes);
		value.language |= name && file->go && scope_symbol_go_name_is_library(name);
	} else if (asprintf(&name, "%s+0x%" PRIx64, file->module, start) < 0) {
		name = NULL;
	} else {
		/*
		 * It is C code around the runtime's calls, or of a library: the Go function that called it has a name.
		 */
		value.language = file->go;
		scope_plain_undo(name);
	}
	value.language |= symbols->rows_interpreted && !symbols->spaces.options.interpreter &&
			  scope_symbol_runtime_interprets(file->path);
	value.runtime = symbols->rows_made && value.known && scope_symbol_runtime_of_path(file->path);
	value.library = file->library || value.language || (found && found->libc);
	value.folder = file->folder && !value.language;
	err = scope_symbol_function_add(symbols, name, value, &function);
	if (!err)
		err = scope_symbol_addresses_put(&file->functions, start, function);
	if (!err)
		*ret_function = function;
	return err;
}

/* Takes the name from the trace. 1: the trace does not have it. */
static int recorded_lookup(struct scope_symbols *symbols, const struct scope_space *space, uint64_t address,
			   struct scope_function **ret_function)
{
	const struct scope_recorded_file recorded = scope_symbol_spaces_recorded(&symbols->spaces, space, address);
	struct scope_file_function found;
	char *name;
	int err;

	if (!recorded.file)
		return 1;
	err = scope_symbol_file_note_problem(&symbols->spaces, recorded.file);
	if (err)
		return err;
	if (!recorded.code || !(recorded.code->flags & SCOPE_PLACE_FUNCTION))
		return file_function(symbols, recorded.file, NULL,
				     recorded.code ? recorded.code->start : recorded.offset, ret_function);
	name = scope_plain_undone(recorded.code->name);
	if (!name)
		return -ENOMEM;
	found = (struct scope_file_function){
		.name = recorded.code->flags & SCOPE_PLACE_NAMED ? name : NULL,
		.name_bytes = strlen(name),
		.start = recorded.code->start,
		.size = recorded.code->size,
		.libc = recorded.code->flags & SCOPE_PLACE_LIBC,
		.message = recorded.code->flags & SCOPE_PLACE_MESSAGE,
	};
	err = file_function(symbols, recorded.file, &found, found.start, ret_function);
	free(name);
	return err;
}

/* For better names: true if the file lacks some names that the trace has. */
static bool is_worse(const struct scope_place *place)
{
	const struct scope_file_functions *functions;

	return place->file->recorded &&
	       (!place->linked || scope_symbol_image_functions(place->file->image, &functions) ||
		functions->named < place->file->recorded->named);
}

static int place_lookup(struct scope_symbols *symbols, const struct scope_space *space, uint64_t address,
			struct scope_function **ret_function)
{
	struct scope_file_function found;
	struct scope_place place;
	int err = scope_symbol_spaces_want_better(&symbols->spaces)
			  ? 1
			  : recorded_lookup(symbols, space, address, ret_function);

	if (err <= 0)
		return err;
	err = scope_symbol_spaces_place(&symbols->spaces, space, address, &place);
	if (err)
		return err;
	if (scope_symbol_spaces_want_better(&symbols->spaces) && is_worse(&place)) {
		err = recorded_lookup(symbols, space, address, ret_function);
		if (err <= 0)
			return err;
	}
	if (place.linked) {
		err = scope_symbol_image_function(place.file->image, place.link, !place.file->library, &found);
		if (err == -ENOMEM)
			return err;
		if (!err)
			return file_function(symbols, place.file, &found, found.start, ret_function);
	} else if (place.file->path[0] == '[') {
		place.link = place.mapping_start; /* code made at run time: no more is known */
	}
	return file_function(symbols, place.file, NULL, place.link, ret_function);
}

static int unknown_get(struct scope_symbols *symbols, struct scope_function **ret_function)
{
	int err = 0;

	if (!symbols->unknown)
		err = scope_symbol_function_add(symbols, strdup("[unknown]"),
						(struct scope_function){ .module = "[unknown]", .path = "[unknown]" },
						&symbols->unknown);
	if (!err)
		*ret_function = symbols->unknown;
	return err;
}

int scope_symbols_lookup(struct scope_symbols *symbols, uint32_t tgid, uint64_t address, bool return_address,
			 const struct scope_function **ret_function)
{
	struct scope_space *space = scope_symbol_spaces_find(&symbols->spaces, tgid);
	struct scope_function *function;
	int err;

	if (!space)
		space = symbols->everywhere;
	address -= return_address && address;
	function = scope_symbol_addresses_get(&space->lookups, address);
	if (function) {
		*ret_function = function;
		return 0;
	}
	err = row_lookup(symbols, space, address, &function);
	if (err == -ENOENT)
		err = place_lookup(symbols, space, address, &function);
	if (err == -ENOENT) { /* not kept, because the number of such addresses is not bounded */
		err = unknown_get(symbols, &function);
		if (!err)
			*ret_function = function;
		return err;
	}
	if (!err)
		err = scope_symbol_addresses_put(&space->lookups, address, function);
	if (!err)
		*ret_function = function;
	return err;
}

/* Returns false if the trace does not have lines. */
static bool recorded_lines(const struct scope_recorded_file *recorded, struct scope_source_line *ret_line,
			   unsigned int max, unsigned int *ret_count)
{
	*ret_count = 0;
	if (!recorded->file || (recorded->code && !(recorded->code->flags & SCOPE_PLACE_LINED)))
		return false;
	for (uint32_t i = 0; recorded->code && i < recorded->code->lines && i < max; i++) {
		const struct scope_trace_line *line = &recorded->code->line[i];

		scope_plain_put(ret_line[i].function, SCOPE_LINE_NAME, line->function, strlen(line->function),
				SCOPE_PLAIN_SENTENCE);
		ret_line[i].file = line->file;
		ret_line[i].line = (int)line->line;
		*ret_count = i + 1;
	}
	return true;
}

int scope_symbols_lines(struct scope_symbols *symbols, uint32_t tgid, uint64_t address,
			struct scope_source_line *ret_line, unsigned int max, unsigned int *ret_count)
{
	struct scope_space *space = scope_symbol_spaces_find(&symbols->spaces, tgid);
	const bool better = scope_symbol_spaces_want_better(&symbols->spaces);
	struct scope_place place = { .linked = false };
	struct scope_recorded_file recorded = { 0 };
	int err;

	*ret_count = 0;
	if (!space)
		return 0;
	recorded = scope_symbol_spaces_recorded(&symbols->spaces, space, address);
	if (!better && recorded_lines(&recorded, ret_line, max, ret_count))
		return 0;
	err = scope_symbol_spaces_place(&symbols->spaces, space, address, &place);
	if (err == -ENOMEM)
		return err;
	if (place.linked)
		*ret_count = scope_symbol_image_lines(place.file->image, place.link, ret_line, max);
	if (better && !*ret_count)
		recorded_lines(&recorded, ret_line, max, ret_count);
	return 0;
}

size_t scope_symbols_functions(const struct scope_symbols *symbols)
{
	return symbols->functions;
}

const struct scope_function *scope_symbols_function(const struct scope_symbols *symbols, uint32_t id)
{
	return id < symbols->functions ? symbols->function[id] : NULL;
}

/* The table of functions of a program's file that is counted, if the process maps it; else NULL. */
static struct scope_file *counted(struct scope_mapping *mapping, uint32_t tgid)
{
	return (!tgid || mapping->row->tgid == tgid) && !mapping->file->library ? mapping->file : NULL;
}

size_t scope_symbols_program_functions(struct scope_symbols *symbols, uint32_t tgid)
{
	struct scope_spaces *spaces = &symbols->spaces;
	size_t count = 0;
	int err;

	for (size_t i = 0; i < spaces->mappings; i++) {
		struct scope_file *file = counted(&spaces->mapping[i], tgid);
		const struct scope_file_functions *functions;
		bool before = false;

		for (size_t k = 0; file && !before && k < i; k++)
			before = counted(&spaces->mapping[k], tgid) == file;
		if (!file || before)
			continue;
		if (file->recorded && !scope_symbol_spaces_want_better(spaces) &&
		    scope_symbol_file_is_counted(file->recorded)) {
			err = scope_symbol_file_note_problem(spaces, file);
			count += !err && scope_symbol_file_has_names(file->recorded) ? file->recorded->functions : 0;
			continue;
		}
		if (scope_symbol_spaces_open(spaces, &spaces->mapping[i]))
			continue;
		if (file->image && !scope_symbol_image_functions(file->image, &functions))
			count += functions->count;
	}
	for (size_t i = 0; i < symbols->rows; i++) {
		const struct scope_trace_symbol *row = &symbols->row[i];

		count += symbols->row_first[i] == i && !scope_symbol_row_is_library(symbols, row) &&
			 (!tgid || !row->tgid || row->tgid == tgid);
	}
	return count;
}

const char *const *scope_symbols_problems(const struct scope_symbols *symbols, size_t *ret_count)
{
	*ret_count = symbols->spaces.problems;
	return symbols->spaces.problem;
}

int scope_symbols_unwind(struct scope_symbols *symbols, uint32_t tgid, const uint64_t *reg, unsigned int regs,
			 const uint8_t *data, size_t bytes, uint64_t *ret_ips, unsigned int max,
			 unsigned int *ret_count, unsigned int *ret_flags)
{
	struct scope_space *space = scope_symbol_spaces_find(&symbols->spaces, tgid);

	return scope_symbol_spaces_unwind(&symbols->spaces, space ? space : symbols->everywhere, reg, regs, data, bytes,
					  ret_ips, max, ret_count, ret_flags);
}

unsigned int scope_symbols_code(const struct scope_symbols *symbols, uint32_t tgid, const uint64_t *ip,
				unsigned int count)
{
	const struct scope_space *space = scope_symbol_spaces_find(&symbols->spaces, tgid);
	unsigned int i;

	if (!space)
		space = symbols->everywhere;
	for (i = 0; i < count; i++)
		if (i && !scope_symbol_space_executable(space, ip[i] - 1) &&
		    !scope_symbol_ranges_find(&space->symbols, ip[i] - 1) &&
		    !scope_symbol_ranges_find(&symbols->everywhere->symbols, ip[i] - 1))
			break;
	return i;
}
