// SPDX-License-Identifier: GPL-2.0-only
/* Keeps track of the tables and mappings that the module has. */
#include "symbol/kernel_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/space.h"

/*
 * The most files that are opened before the first stack with their code. After one that could not be read in time none
 * is opened, because only a few readers may be given up.
 */
#define AHEAD_FILES 256u

static bool is_table_due(const struct scope_file *file)
{
	return file->image && !file->table_tried;
}

static bool is_space_due(const struct scope_spaces *spaces, const struct scope_space *space)
{
	return space->ranges.count && (space->maps_given != space->sorted || space->tables_given != spaces->opened);
}

bool scope_symbol_kernel_tables_pending(struct scope_symbols *symbols)
{
	const struct scope_spaces *spaces = scope_symbols_spaces(symbols);

	for (size_t i = 0; i < spaces->files; i++)
		if (is_table_due(spaces->file[i]))
			return true;
	for (size_t i = 0; i < spaces->spaces; i++)
		if (is_space_due(spaces, spaces->space[i]))
			return true;
	return false;
}

int scope_symbol_kernel_tables_next(struct scope_symbols *symbols, uint32_t *ret_key, void **ret_table,
				    size_t *ret_bytes)
{
	struct scope_spaces *spaces = scope_symbols_spaces(symbols);

	for (size_t i = 0; i < spaces->files; i++) {
		struct scope_file *file = spaces->file[i];
		int err;

		if (!is_table_due(file))
			continue;
		file->table_tried = true;
		err = scope_symbol_image_table(file->image, ret_table, ret_bytes);
		if (err == -ENOMEM)
			return err;
		/* Stacks with code of that file are copied from now on, as before. */
		if (err)
			continue;
		file->table_key = *ret_key = ++spaces->tables;
		return 1;
	}
	return 0;
}

/* Mappings are only added, so the search continues where it ended. NULL: there is none. */
static struct scope_mapping *next_unopened(struct scope_spaces *spaces)
{
	for (; spaces->looked < spaces->mappings && spaces->ahead < AHEAD_FILES; spaces->looked++) {
		struct scope_mapping *mapping = &spaces->mapping[spaces->looked];

		if (!mapping->tried && !mapping->file->tried && !scope_symbol_file_is_made(mapping->file))
			return mapping;
	}
	return NULL;
}

bool scope_symbol_kernel_tables_unopened(struct scope_symbols *symbols)
{
	return next_unopened(scope_symbols_spaces(symbols));
}

int scope_symbol_kernel_tables_open(struct scope_symbols *symbols)
{
	struct scope_spaces *spaces = scope_symbols_spaces(symbols);
	struct scope_mapping *mapping = next_unopened(spaces);
	int err;

	if (!mapping)
		return 0;
	err = scope_symbol_spaces_open(spaces, mapping);
	if (err)
		return err;
	spaces->looked++;
	spaces->ahead++;
	if (mapping->file->outcome == SCOPE_FILE_UNREADABLE && mapping->file->error == ETIMEDOUT)
		spaces->ahead = AHEAD_FILES;
	return 1;
}

/* Fills in how the module steps from code of a mapping. Opens no file. 0 or -ENOMEM. */
static int map_of(struct scope_spaces *spaces, struct scope_mapping *mapping, struct scope_table_map *map)
{
	const struct scope_file *file = mapping->file;
	int err = 0;

	if (!mapping->tried && (file->tried || scope_symbol_file_is_made(file) || !strcmp(file->path, "[vdso]")))
		err = scope_symbol_spaces_open(spaces, mapping);
	if (err)
		return err;
	if (mapping->linked) {
		map->table = file->table_key ? file->table_key : SCOPE_MAP_NO_TABLE;
		map->link = map->start + mapping->bias;
	} else {
		map->table = scope_symbol_file_is_made(file) ? SCOPE_MAP_FRAME_POINTERS : SCOPE_MAP_NO_TABLE;
		map->link = 0;
	}
	return 0;
}

static int by_value(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* All addresses at which a mapping begins or ends, in order. */
static uint64_t *edges_of(const struct scope_ranges *ranges)
{
	uint64_t *edge = malloc(2 * ranges->count * sizeof(*edge));

	if (!edge)
		return NULL;
	for (size_t i = 0; i < ranges->count; i++) {
		edge[2 * i] = ranges->range[i].start;
		edge[2 * i + 1] = ranges->range[i].end;
	}
	qsort(edge, 2 * ranges->count, sizeof(*edge), by_value);
	return edge;
}

/* Later mappings cover earlier ones: between two edges at most one mapping is valid. */
static int fill_maps(struct scope_spaces *spaces, const struct scope_space *space, struct scope_table_map *map,
		     uint32_t max, uint32_t *ret_count)
{
	const size_t edges = 2 * space->ranges.count;
	uint64_t *edge = edges_of(&space->ranges);
	uint32_t last_value = 0, count = 0;
	int err = edge ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i + 1 < edges; i++) {
		const struct scope_range *range =
			edge[i] < edge[i + 1] ? scope_symbol_ranges_find(&space->ranges, edge[i]) : NULL;

		if (!range)
			continue;
		if (count && range->value == last_value && map[count - 1].end == edge[i]) {
			map[count - 1].end = edge[i + 1];
			continue;
		}
		if (count == max) {
			count = 0;
			break;
		}
		map[count] = (struct scope_table_map){ .start = edge[i], .end = edge[i + 1] };
		err = map_of(spaces, &spaces->mapping[range->value], &map[count]);
		last_value = range->value;
		count++;
	}
	free(edge);
	*ret_count = count;
	return err;
}

int scope_symbol_kernel_maps_next(struct scope_symbols *symbols, struct scope_table_map *ret_map, uint32_t max,
				  uint32_t *ret_tgid, uint32_t *ret_count)
{
	struct scope_spaces *spaces = scope_symbols_spaces(symbols);

	for (size_t i = 0; i < spaces->spaces; i++) {
		struct scope_space *space = spaces->space[i];
		int err;

		if (!is_space_due(spaces, space))
			continue;
		err = fill_maps(spaces, space, ret_map, max, ret_count);
		if (err)
			return err;
		space->maps_given = space->sorted;
		space->tables_given = spaces->opened;
		*ret_tgid = space->tgid;
		return 1;
	}
	return 0;
}
