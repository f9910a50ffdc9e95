// SPDX-License-Identifier: GPL-2.0-only
/* Finds the lines of source of the loop around an address. */
#include "symbol/source_loop.h"

#include <errno.h>

#include "symbol/loop_code.h"
#include "symbol/loop_rows.h"
#include "symbol/space.h"

/* Finds the place of an address. 0; -ENOENT: the file of the traced build is not on this host; -ENOMEM. */
static int locate(struct scope_symbols *symbols, const struct scope_code_address *at, struct scope_place *ret_place)
{
	struct scope_spaces *spaces = scope_symbols_spaces(symbols);
	const struct scope_space *space = scope_symbol_spaces_find(spaces, at->tgid);
	int err = space ? scope_symbol_spaces_place(spaces, space, at->address, ret_place) : -ENOENT;

	return !err && !ret_place->linked ? -ENOENT : err;
}

/* Finds the innermost loop around at[0], in code, and its lines. 0; -ENOENT: there is none; -ENOMEM. */
static int find_loop(const struct scope_place *place, struct scope_loop_code *code, struct scope_source_loop *ret_loop)
{
	unsigned int depth;
	uint32_t head;

	if (!scope_symbol_loops_around(code->loops, scope_symbol_loop_code_number(code, place->link), &head, 1))
		return -ENOENT;
	scope_symbol_loops_inside(code->loops, head, code->inside);
	return scope_symbol_loop_code_lines(code, place->link, ret_loop, &depth);
}

static int loop_in_file(struct scope_symbols *symbols, const struct scope_code_address *at, size_t count,
			bool *ret_inside, struct scope_source_loop *ret_loop)
{
	struct scope_place place, other;
	struct scope_loop_code code = { 0 };
	int err = locate(symbols, at, &place);

	*ret_loop = (struct scope_source_loop){ 0 };
	if (!err)
		err = scope_symbol_loop_code_read(place.file, place.link, &code);
	if (!err)
		err = find_loop(&place, &code, ret_loop);
	for (size_t i = 0; i < count && !err; i++) {
		size_t number = SIZE_MAX;

		err = locate(symbols, &at[i], &other);
		if (!err && other.file == place.file)
			number = scope_symbol_loop_code_number(&code, other.link);
		ret_inside[i] = number != SIZE_MAX && code.inside[number];
		err = err == -ENOENT ? 0 : err;
	}
	scope_symbol_loop_code_free(&code);
	return err == -ENOMEM ? err : 0;
}

int scope_symbols_loop(struct scope_symbols *symbols, const struct scope_code_address *at, size_t count,
		       bool *ret_inside, struct scope_source_loop *ret_loop)
{
	const bool better = scope_symbol_spaces_want_better(scope_symbols_spaces(symbols));
	bool known = false;
	int err = 0;

	if (!better)
		err = scope_symbol_loop_rows_find(symbols, at, count, ret_inside, ret_loop, &known);
	if (!err && !known)
		err = loop_in_file(symbols, at, count, ret_inside, ret_loop);
	if (!err && better && !ret_loop->file)
		err = scope_symbol_loop_rows_find(symbols, at, count, ret_inside, ret_loop, &known);
	return err;
}

int scope_symbols_in_loop(struct scope_symbols *symbols, const struct scope_code_address *at, bool *ret_inside)
{
	struct scope_loop_code code = { 0 };
	struct scope_place place;
	uint32_t head;
	bool known;
	int err;

	*ret_inside = scope_symbol_loop_rows_has(symbols, at, &known);
	if (known)
		return 0;
	err = locate(symbols, at, &place);
	if (!err)
		err = scope_symbol_loop_code_read(place.file, place.link, &code);
	if (!err)
		*ret_inside = scope_symbol_loops_around(code.loops, scope_symbol_loop_code_number(&code, place.link),
							&head, 1);
	scope_symbol_loop_code_free(&code);
	return err == -ENOMEM ? err : 0;
}
