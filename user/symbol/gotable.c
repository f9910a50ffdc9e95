// SPDX-License-Identifier: GPL-2.0-only
/* Reads Go's table of functions. Its bytes come from the target and are not trusted. */
#include "symbol/gotable.h"

#include <errno.h>
#include <string.h>

#define MAGIC_2 0xfffffffbu
#define MAGIC_16 0xfffffffau
#define MAGIC_18 0xfffffff0u
#define MAGIC_20 0xfffffff1u

#define COUNT_MAX (1u << 22) /* most functions; large programs have 200,000 */
#define NAME_MAX_BYTES 65536
#define STEPS_MAX (1u << 18) /* of one pc table */

/* Fields of a head after its start, as indexes of u32. */
enum head { HEAD_NAME, HEAD_ARGS, HEAD_DEFER, HEAD_DEPTHS, HEAD_FILES, HEAD_LINES, HEAD_TABLES, HEAD_UNIT, HEAD_LINED };

#define TABLE_INLINED 2 /* number of one of the further pc tables, from Go 1.16 on: index of what was inlined, or -1 */

static bool number_read(const struct scope_go_table *table, size_t at, unsigned int width, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (at > table->bytes || table->bytes - at < width)
		return false;
	for (unsigned int i = 0; i < width; i++)
		value |= (uint64_t)table->data[at + i] << 8 * i;
	*ret_value = value;
	return true;
}

/* A string of the table that ends within it. NULL: there is none. */
static const char *text_at(const struct scope_go_table *table, uint64_t at, size_t *ret_bytes)
{
	size_t room;
	const void *end;

	if (at >= table->bytes)
		return NULL;
	room = table->bytes - at < NAME_MAX_BYTES ? table->bytes - at : NAME_MAX_BYTES;
	end = memchr(table->data + at, '\0', room);
	if (!end)
		return NULL;
	*ret_bytes = (const uint8_t *)end - (table->data + at);
	return (const char *)table->data + at;
}

bool scope_symbol_go_table_begins(const uint8_t *data)
{
	const uint32_t magic = data[0] | data[1] << 8 | data[2] << 16 | (uint32_t)data[3] << 24;

	return (magic == MAGIC_2 || magic == MAGIC_16 || magic == MAGIC_18 || magic == MAGIC_20) && !data[4] &&
	       !data[5] && (data[6] == 1 || data[6] == 2 || data[6] == 4) && (data[7] == 4 || data[7] == 8);
}

/* Reads the words after the count. Returns false if the table ends before them. */
static bool parts_read(struct scope_go_table *table)
{
	const size_t first = 8 + (table->relative ? 3 : 2) * (size_t)table->word;
	size_t *const part[] = { &table->names, &table->units, &table->files, &table->pcs, &table->rows };
	uint64_t value;

	if (table->relative && !number_read(table, SCOPE_GO_TEXT_AT(table->word), table->word, &table->text))
		return false;
	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
		if (!number_read(table, first + i * table->word, table->word, &value) || value > table->bytes)
			return false;
		*part[i] = value;
	}
	return true;
}

static unsigned int row_width(const struct scope_go_table *table)
{
	return table->relative ? 4 : table->word;
}

/* In tables without parts the file names follow the rows. */
static bool files_find(struct scope_go_table *table)
{
	uint64_t at;

	if (!number_read(table, table->rows + (2 * table->count + 1) * table->word, 4, &at) || at > table->bytes)
		return false;
	table->files = at;
	return true;
}

int scope_symbol_go_table_init(const uint8_t *data, size_t bytes, struct scope_go_table *ret_table)
{
	struct scope_go_table table = { .data = data, .bytes = bytes };
	uint64_t count;

	if (bytes < 8 || !scope_symbol_go_table_begins(data))
		return -EBADMSG;
	table.quantum = data[6];
	table.word = data[7];
	table.parts = data[0] != (MAGIC_2 & 0xff);
	table.lined = data[0] == (MAGIC_20 & 0xff);
	table.relative = data[0] == (MAGIC_18 & 0xff) || data[0] == (MAGIC_20 & 0xff);
	if (!number_read(&table, 8, table.word, &count) || !count || count > COUNT_MAX)
		return -EBADMSG;
	table.count = count;
	table.rows = 8 + (size_t)table.word;
	if (table.parts && !parts_read(&table))
		return -EBADMSG;
	if ((2 * table.count + 1) * row_width(&table) > bytes - table.rows)
		return -EBADMSG;
	if (!table.parts && !files_find(&table))
		return -EBADMSG;
	*ret_table = table;
	return 0;
}

/* Reads a number of a row. It was checked before that all rows are in the table. */
static uint64_t row_get(const struct scope_go_table *table, size_t number)
{
	uint64_t value = 0;

	number_read(table, table->rows + number * row_width(table), row_width(table), &value);
	return value;
}

uint64_t scope_symbol_go_table_start(const struct scope_go_table *table, size_t index)
{
	return row_get(table, 2 * index);
}

static uint64_t link_of(const struct scope_go_table *table, size_t index)
{
	return scope_symbol_go_table_start(table, index) + (table->relative ? table->text : 0);
}

static bool head_read(const struct scope_go_table *table, size_t index, unsigned int field, uint32_t *ret_value)
{
	const uint64_t at = row_get(table, 2 * index + 1);
	uint64_t value;

	if (at > table->bytes ||
	    !number_read(table, (table->parts ? table->rows : 0) + (size_t)at + row_width(table) + 4 * field, 4,
			 &value))
		return false;
	*ret_value = (uint32_t)value;
	return true;
}

int scope_symbol_go_table_function(const struct scope_go_table *table, size_t index, size_t *budget,
				   struct scope_go_function *ret_function)
{
	struct scope_go_function function;
	uint32_t name;

	function.start = link_of(table, index);
	function.end = link_of(table, index + 1);
	if (function.end < function.start || !head_read(table, index, HEAD_NAME, &name))
		return -EBADMSG;
	function.name = text_at(table, (uint64_t)table->names + name, &function.name_bytes);
	if (!function.name || !function.name_bytes || function.name_bytes > *budget)
		return -EBADMSG;
	*budget -= function.name_bytes;
	*ret_function = function;
	return 0;
}

/* The last function that begins at or before the address, if the address is in it. */
static int index_find(const struct scope_go_table *table, uint64_t link, size_t *ret_index)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (link_of(table, middle) <= link)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || link >= link_of(table, low))
		return -ENOENT;
	*ret_index = low - 1;
	return 0;
}

static bool leb_read(const struct scope_go_table *table, size_t *at, uint32_t *ret_value)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 35; shift += 7) {
		uint8_t byte;

		if (*at >= table->bytes)
			return false;
		byte = table->data[(*at)++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret_value = (uint32_t)value;
			return true;
		}
	}
	return false;
}

/* The value for an address in one of a function's pc tables; the field of the head is the table's offset. */
static int value_find(const struct scope_go_table *table, size_t index, unsigned int field, uint64_t link,
		      uint32_t *ret_value)
{
	uint64_t pc = link_of(table, index);
	uint32_t offset, change, length, value = UINT32_MAX; /* -1, as Go has it */
	size_t at;

	/* 0 means that there is no table. */
	if (!head_read(table, index, field, &offset) || !offset || offset > table->bytes - table->pcs)
		return -EBADMSG;
	at = table->pcs + offset;
	for (unsigned int step = 0; step < STEPS_MAX; step++) {
		if (!leb_read(table, &at, &change) || (!change && step) || !leb_read(table, &at, &length))
			return -EBADMSG;
		value += change & 1 ? ~(change >> 1) : change >> 1;
		pc += (uint64_t)length * table->quantum;
		if (link < pc) {
			*ret_value = value;
			return 0;
		}
	}
	return -EBADMSG;
}

int scope_symbol_go_table_depth(const struct scope_go_table *table, uint64_t link, uint32_t *ret_bytes)
{
	size_t index;
	int err = index_find(table, link, &index);

	return err ? err : value_find(table, index, HEAD_DEPTHS, link, ret_bytes);
}

/* Offset of the name of a file in the table. */
static bool file_find(const struct scope_go_table *table, size_t index, uint32_t number, uint64_t *ret_at)
{
	uint32_t unit = 0;

	if (!table->parts)
		return number_read(table, table->files + 4 * (size_t)number, 4, ret_at);
	if (!head_read(table, index, HEAD_UNIT, &unit) ||
	    !number_read(table, table->units + 4 * ((size_t)unit + number), 4, ret_at) || *ret_at == UINT32_MAX)
		return false;
	*ret_at += table->files;
	return true;
}

static bool is_inlined(const struct scope_go_table *table, size_t index, uint64_t link)
{
	const unsigned int further = HEAD_LINED + table->lined + 1;
	uint32_t tables, value;

	return table->parts && head_read(table, index, HEAD_TABLES, &tables) && tables > TABLE_INLINED &&
	       !value_find(table, index, further + TABLE_INLINED, link, &value) && value <= INT32_MAX;
}

int scope_symbol_go_table_line(const struct scope_go_table *table, uint64_t link, struct scope_go_line *ret_line)
{
	struct scope_go_line place = { .inlined = false };
	uint32_t file, line;
	size_t index, bytes;
	uint64_t at;
	int err = index_find(table, link, &index);

	if (!err)
		err = value_find(table, index, HEAD_FILES, link, &file);
	if (!err)
		err = value_find(table, index, HEAD_LINES, link, &line);
	if (err)
		return err;
	if (line == 0 || line > INT32_MAX || !file_find(table, index, file, &at))
		return -EBADMSG;
	place.file = text_at(table, at, &bytes);
	if (!place.file || !bytes)
		return -EBADMSG;
	place.line = (int)line;
	place.inlined = is_inlined(table, index, link);
	*ret_line = place;
	return 0;
}
