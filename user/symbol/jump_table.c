// SPDX-License-Identifier: GPL-2.0-only
/* Reads the tables of a function's jumps from its file. */
#include "symbol/jump_table.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "symbol/jump_value.h"

#define ENTRIES_MAX 4096 /* of a table */
#define JUMPS_MAX 65536	 /* all entries of a function */
#define ROUNDS_MAX 8

struct tables {
	struct scope_ways ways;
	const struct scope_jump_source *source;
	struct scope_jump *jump;
	size_t jumps, room;
};

static int add_target(struct tables *tables, uint32_t from, uint64_t target)
{
	const struct scope_instruction *last = &tables->ways.instruction[tables->ways.count - 1];
	const uint32_t to = scope_symbol_ways_find(&tables->ways, target);
	int err;

	if (to == UINT32_MAX) {
		/* A part of the function that is elsewhere does not come back by this jump; see loop.h. */
		if (target >= tables->ways.instruction[0].at && target < last->at + last->bytes)
			return -ENOENT;
		return tables->source->is_code(tables->source->context, target) ? 0 : -ENOENT;
	}
	err = scope_grow(&tables->jump, &tables->room, tables->jumps + 1, sizeof(*tables->jump));
	if (!err)
		tables->jump[tables->jumps++] = (struct scope_jump){ from, to };
	return err;
}

static int by_target(const void *left, const void *right)
{
	const struct scope_jump *a = left, *b = right;

	return a->to < b->to ? -1 : a->to > b->to;
}

/* Orders the entries of one jump, and keeps each once. */
static void keep_once(struct tables *tables, size_t begin)
{
	size_t kept = begin;

	if (tables->jumps == begin)
		return;
	qsort(tables->jump + begin, tables->jumps - begin, sizeof(*tables->jump), by_target);
	for (size_t i = begin; i < tables->jumps; i++)
		if (i == begin || tables->jump[i].to != tables->jump[kept - 1].to)
			tables->jump[kept++] = tables->jump[i];
	tables->jumps = kept;
}

static uint64_t target_at(const struct scope_jump_value *table, const uint8_t *bytes, uint64_t number)
{
	uint64_t pointer;
	uint32_t offset;

	if (table->bytes == sizeof(pointer)) {
		memcpy(&pointer, bytes + number * sizeof(pointer), sizeof(pointer));
		return le64toh(pointer);
	}
	memcpy(&offset, bytes + number * sizeof(offset), sizeof(offset));
	return table->base + (uint64_t)(int64_t)(int32_t)le32toh(offset);
}

/* Adds the entries of the table of a jump: all, or none. 0 or -ENOMEM. */
static int add_table(struct tables *tables, uint32_t from)
{
	const size_t begin = tables->jumps;
	struct scope_jump_value table;
	const uint8_t *bytes;
	int err = 0;

	if (!scope_symbol_jump_value(&tables->ways, from, &table) || table.most >= ENTRIES_MAX ||
	    begin + table.most >= JUMPS_MAX)
		return 0;
	bytes = tables->source->read(tables->source->context, table.table, (table.most + 1) * table.bytes);
	for (uint64_t i = 0; bytes && !err && i <= table.most; i++)
		err = add_target(tables, from, target_at(&table, bytes, i));
	if (err)
		tables->jumps = begin;
	keep_once(tables, begin);
	return err == -ENOMEM ? err : 0;
}

static bool is_open(const struct scope_instruction *instruction)
{
	return instruction->jumps && instruction->target == UINT64_MAX;
}

static bool has_open(const struct scope_instruction *instruction, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_open(&instruction[i]))
			return true;
	return false;
}

/* Finds all tables by the ways that are known so far. 0 or -ENOMEM. */
static int add_tables(struct tables *tables)
{
	int err = 0;

	tables->jumps = 0;
	for (uint32_t i = 0; !err && i < tables->ways.count; i++)
		if (is_open(&tables->ways.instruction[i]))
			err = add_table(tables, i);
	return err;
}

/*
 * Finds the tables with the ways to which the tables of the round before lead. *ret_same: they are those of the round
 * before. 0 or -ENOMEM.
 */
static int find_again(struct tables *tables, bool *ret_same)
{
	const size_t jumps = tables->jumps;
	struct scope_jump *before = malloc((jumps + 1) * sizeof(*before));
	int err;

	if (!before)
		return -ENOMEM;
	if (jumps)
		memcpy(before, tables->jump, jumps * sizeof(*before));
	err = scope_symbol_ways_know(&tables->ways, before, jumps, false);
	if (!err)
		err = add_tables(tables);
	*ret_same = tables->jumps == jumps && (!jumps || !memcmp(before, tables->jump, jumps * sizeof(*before)));
	free(before);
	return err;
}

/* The tables that are found with the ways that they themselves make. In the first round nothing leads to their targets. */
static int find_all(struct tables *tables)
{
	bool same = false;
	int err = scope_symbol_ways_know(&tables->ways, NULL, 0, true);

	if (!err)
		err = add_tables(tables);
	for (unsigned int i = 0; !err && !same && i < ROUNDS_MAX; i++)
		err = find_again(tables, &same);
	if (!same)
		tables->jumps = 0;
	return err;
}

int scope_symbol_jump_tables_find(unsigned machine, const uint8_t *code, const struct scope_instruction *instruction,
				  size_t count, const struct scope_jump_source *source, struct scope_jump **ret_jump,
				  size_t *ret_count)
{
	struct tables tables = { .source = source };
	int err;

	*ret_jump = NULL;
	*ret_count = 0;
	if (count > UINT32_MAX / 8 || !has_open(instruction, count))
		return 0;
	err = scope_symbol_ways_create(machine, code, instruction, (uint32_t)count, &tables.ways);
	if (!err)
		err = find_all(&tables);
	scope_symbol_ways_free(&tables.ways);
	if (err) {
		free(tables.jump);
		return err == -ENOTSUP ? 0 : err;
	}
	*ret_jump = tables.jump;
	*ret_count = tables.jumps;
	return 0;
}
