// SPDX-License-Identifier: GPL-2.0-only
/* Finds the lines of source of the loop around an address. */
#include "symbol/source_loop.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/image.h"
#include "symbol/loop.h"
#include "symbol/space.h"

#define BYTES_MAX (128u << 10) /* of a function; its loop is searched in a second at most */
#define LINES_MAX 1000	       /* instructions whose lines are looked up: DWARF is slow */
#define NESTED_MAX 8	       /* inlined calls around an instruction */

/* The code of a function, and of it the instructions of a loop. */
struct code {
	struct scope_file *file;
	struct scope_instruction *instruction;
	size_t count;
	bool *inside;
};

/* 0; -ENOENT: no file of the traced build is here; -ENOMEM. */
static int locate(struct scope_symbols *symbols, const struct scope_code_address *at, struct scope_place *ret_place)
{
	struct scope_spaces *spaces = scope_symbols_spaces(symbols);
	const struct scope_space *space = scope_symbol_spaces_find(spaces, at->tgid);
	int err = space ? scope_symbol_spaces_place(spaces, space, at->address, ret_place) : -ENOENT;

	return !err && !ret_place->linked ? -ENOENT : err;
}

/* The number of the instruction that has a link address. SIZE_MAX: none has it. */
static size_t number_of(const struct code *code, uint64_t link)
{
	for (size_t i = 0; i < code->count; i++)
		if (link - code->instruction[i].at < code->instruction[i].bytes)
			return i;
	return SIZE_MAX;
}

/* 0; -ENOENT: no loop is found; -ENOMEM. */
static int read_code(const struct scope_place *place, struct code *code)
{
	const struct scope_file_functions *functions;
	const struct scope_file_function *function;
	const uint8_t *bytes;
	unsigned machine;
	int err = scope_symbol_image_functions(place->file->image, &functions);

	if (err)
		return err;
	function = scope_symbol_file_functions_find(functions, place->link);
	if (!function || function->size > BYTES_MAX)
		return -ENOENT;
	bytes = scope_symbol_image_code(place->file->image, function->start, function->size, &machine);
	if (!bytes)
		return -ENOENT;
	code->file = place->file;
	err = scope_symbol_disassemble(machine, bytes, function->size, function->start, &code->instruction,
				       &code->count);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	code->inside = calloc(code->count, sizeof(*code->inside));
	if (!code->inside)
		return -ENOMEM;
	return scope_symbol_loop_find(code->instruction, code->count, number_of(code, place->link), code->inside);
}

/* The lines of an instruction, from that of the symbol's own function inwards. */
struct nest {
	struct scope_source_line line[NESTED_MAX];
	unsigned lines; /* 0: not known */
};

static void find_nest(const struct code *code, uint64_t link, struct nest *ret_nest)
{
	struct scope_source_line *line = ret_nest->line;
	const unsigned lines = scope_symbol_image_lines(code->file->image, link, line, NESTED_MAX);

	for (unsigned i = 0; i < lines / 2; i++) {
		const struct scope_source_line other = line[i];

		line[i] = line[lines - 1 - i];
		line[lines - 1 - i] = other;
	}
	ret_nest->lines = lines && !line[0].function[0] ? lines : 0;
}

/* How many calls inwards both have the same inlined functions, called at the same places. At most depth. */
static unsigned same_depth(const struct nest *a, const struct nest *b, unsigned depth)
{
	unsigned level = 0;

	while (level < depth && level + 1 < a->lines && level + 1 < b->lines &&
	       a->line[level].line == b->line[level].line && !strcmp(a->line[level].file, b->line[level].file) &&
	       !strcmp(a->line[level + 1].function, b->line[level + 1].function))
		level++;
	return level;
}

/* Lets the loop reach to the line of an instruction. Lines of another file are left out. */
static void widen(struct scope_source_loop *loop, const struct scope_source_line *line)
{
	if (strcmp(line->file, loop->file))
		return;
	if (line->line < loop->first)
		loop->first = line->line;
	if (line->line > loop->last)
		loop->last = line->line;
}

/* The first and the last line of the loop, in the innermost inlined function that has all of it. */
static int find_lines(const struct code *code, uint64_t link, struct scope_source_loop *ret_loop)
{
	struct nest *nest = calloc(LINES_MAX + 1, sizeof(*nest)), *hot = nest;
	const struct scope_source_line *line;
	size_t count = 1;
	unsigned depth;

	if (!nest)
		return -ENOMEM;
	find_nest(code, link, hot);
	for (size_t i = 0; i < code->count && count <= LINES_MAX; i++)
		if (code->inside[i])
			find_nest(code, code->instruction[i].at, &nest[count++]);
	depth = hot->lines && count <= LINES_MAX ? hot->lines - 1 : UINT_MAX;
	for (size_t i = 1; i < count && depth != UINT_MAX; i++)
		if (nest[i].lines)
			depth = same_depth(hot, &nest[i], depth);
	if (depth != UINT_MAX) {
		line = &hot->line[depth];
		*ret_loop = (struct scope_source_loop){ .file = line->file, .first = line->line, .last = line->line };
		strcpy(ret_loop->inlined, line->function);
		for (size_t i = 1; i < count; i++)
			if (nest[i].lines)
				widen(ret_loop, &nest[i].line[depth]);
	}
	free(nest);
	return 0;
}

int scope_symbols_loop(struct scope_symbols *symbols, const struct scope_code_address *at, size_t count,
		       bool *ret_inside, struct scope_source_loop *ret_loop)
{
	struct scope_place place, other;
	struct code code = { 0 };
	int err = locate(symbols, at, &place);

	*ret_loop = (struct scope_source_loop){ 0 };
	if (!err)
		err = read_code(&place, &code);
	if (!err)
		err = find_lines(&code, place.link, ret_loop);
	for (size_t i = 0; i < count && !err; i++) {
		size_t number = SIZE_MAX;

		err = locate(symbols, &at[i], &other);
		if (!err && other.file == place.file)
			number = number_of(&code, other.link);
		ret_inside[i] = number != SIZE_MAX && code.inside[number];
		err = err == -ENOENT ? 0 : err;
	}
	free(code.instruction);
	free(code.inside);
	return err == -ENOMEM ? err : 0;
}
