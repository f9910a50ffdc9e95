// SPDX-License-Identifier: GPL-2.0-only
/* Reads a function's code, and finds the lines of source of its loops. */
#include "symbol/loop_code.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/image.h"

#define BYTES_MAX (128u << 10) /* the longest function; its loop is found in a second at most */
#define LINES_MAX 1000	       /* places of a loop whose lines are looked up: DWARF is slow */
#define NESTED_MAX 8	       /* inlined calls around an instruction */

size_t scope_symbol_loop_code_number(const struct scope_loop_code *code, uint64_t link)
{
	for (size_t i = 0; i < code->count; i++)
		if (link - code->instruction[i].at < code->instruction[i].bytes)
			return i;
	return SIZE_MAX;
}

static const uint8_t *read_constants(void *context, uint64_t link, uint64_t bytes)
{
	const struct scope_file *file = context;

	return scope_symbol_image_constants(file->image, link, bytes);
}

static bool is_code(void *context, uint64_t link)
{
	const struct scope_file_functions *functions;
	const struct scope_file *file = context;

	return !scope_symbol_image_functions(file->image, &functions) &&
	       scope_symbol_file_functions_find(functions, link);
}

int scope_symbol_loop_code_read(struct scope_file *file, uint64_t link, struct scope_loop_code *ret_code)
{
	const struct scope_jump_source source = { .read = read_constants, .is_code = is_code, .context = file };
	const struct scope_file_functions *functions;
	const struct scope_file_function *function;
	const uint8_t *bytes;
	unsigned machine;
	int err = scope_symbol_image_functions(file->image, &functions);

	*ret_code = (struct scope_loop_code){ .file = file };
	if (err)
		return err;
	function = scope_symbol_file_functions_find(functions, link);
	if (!function || function->size > BYTES_MAX)
		return -ENOENT;
	ret_code->function = function;
	bytes = scope_symbol_image_code(file->image, function->start, function->size, &machine);
	if (!bytes)
		return -ENOENT;
	err = scope_symbol_disassemble(machine, bytes, function->size, function->start, &ret_code->instruction,
				       &ret_code->count);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	ret_code->inside = calloc(ret_code->count + 1, sizeof(*ret_code->inside));
	if (!ret_code->inside)
		return -ENOMEM;
	err = scope_symbol_jump_tables_find(machine, bytes, ret_code->instruction, ret_code->count, &source,
					    &ret_code->jump, &ret_code->jumps);
	if (err)
		return err;
	return scope_symbol_loops_create(ret_code->instruction, ret_code->count, ret_code->jump, ret_code->jumps,
					 &ret_code->loops);
}

void scope_symbol_loop_code_free(struct scope_loop_code *code)
{
	scope_symbol_loops_destroy(code->loops);
	free(code->instruction);
	free(code->jump);
	free(code->inside);
}

/* The lines of an instruction, from the line in the symbol's own function inwards. */
struct nest {
	struct scope_source_line line[NESTED_MAX];
	unsigned lines; /* 0: not known */
};

static void find_nest(const struct scope_loop_code *code, uint64_t link, struct nest *ret_nest)
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

/* How many calls inwards the inlined functions of both are the same and called at the same places. At most `depth`. */
static unsigned same_depth(const struct nest *a, const struct nest *b, unsigned depth)
{
	unsigned level = 0;

	while (level < depth && level + 1 < a->lines && level + 1 < b->lines &&
	       a->line[level].line == b->line[level].line && !strcmp(a->line[level].file, b->line[level].file) &&
	       !strcmp(a->line[level + 1].function, b->line[level + 1].function))
		level++;
	return level;
}

/* Extends the loop's lines to that of an instruction. Lines of another file are left out. */
static void widen(struct scope_source_loop *loop, const struct scope_source_line *line)
{
	if (strcmp(line->file, loop->file))
		return;
	if (line->line < loop->first)
		loop->first = line->line;
	if (line->line > loop->last)
		loop->last = line->line;
}

/*
 * Finds the nests of the loop, each once, at most LINES_MAX + 1. Consecutive instructions of one row of lines have the
 * same nest.
 */
static size_t find_nests(const struct scope_loop_code *code, struct nest *nest)
{
	const void *before = NULL;
	size_t count = 0;

	for (size_t i = 0; i < code->count && count <= LINES_MAX; i++) {
		const uint64_t link = code->instruction[i].at;
		const void *row = code->inside[i] ? scope_symbol_image_line_row(code->file->image, link) : NULL;

		if (code->inside[i] && (!row || row != before))
			find_nest(code, link, &nest[count++]);
		before = row;
	}
	return count;
}

int scope_symbol_loop_code_lines(struct scope_loop_code *code, uint64_t link, struct scope_source_loop *ret_loop,
				 unsigned int *ret_depth)
{
	struct nest *nest = calloc(LINES_MAX + 1, sizeof(*nest)), hot;
	const struct scope_source_line *line;
	size_t count;
	unsigned depth;

	*ret_loop = (struct scope_source_loop){ 0 };
	*ret_depth = 0;
	if (!nest)
		return -ENOMEM;
	find_nest(code, link, &hot);
	count = find_nests(code, nest);
	code->lookups += count;
	depth = hot.lines && count <= LINES_MAX ? hot.lines - 1 : UINT_MAX;
	for (size_t i = 0; i < count && depth != UINT_MAX; i++)
		if (nest[i].lines)
			depth = same_depth(&hot, &nest[i], depth);
	if (depth != UINT_MAX) {
		*ret_depth = depth;
		line = &hot.line[depth];
		*ret_loop = (struct scope_source_loop){ .file = line->file, .first = line->line, .last = line->line };
		strcpy(ret_loop->inlined, line->function);
		for (size_t i = 0; i < count; i++)
			if (nest[i].lines)
				widen(ret_loop, &nest[i].line[depth]);
	}
	free(nest);
	return 0;
}
