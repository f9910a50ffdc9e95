// SPDX-License-Identifier: GPL-2.0-only
/*
 * Orders the bytes of a sub-buffer so that they compress well, and restores the order.
 *
 * Times take most of the space of a compressed trace, and only the magnitude of a time can be
 * predicted. So each time is stored as a difference to a near time, and split. One byte holds the
 * highest three bits and the number of bits that follow; these bytes form a column for each class,
 * whose uneven distribution zstd compresses. The bits that follow are stored unchanged after all
 * columns. Every other byte of a record is stored in a column with the same byte of the other
 * records of its class.
 */
#include "trace/columns_layout.h"

#include <errno.h>
#include <string.h>

#include "trace/bits.h"

#define SLOTS 256u

/* Stores bytes `from` to `to` - 1 of a word, one every `step` bytes. Returns the place of the next byte. */
static inline uint8_t *scatter(uint8_t *column, size_t step, uint64_t word, unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++, column += step)
		*column = (uint8_t)(word >> 8 * i);
	return column;
}

/* The classes that a sub-buffer's records have. */
struct sorter {
	struct scope_columns_head *head;
	uint32_t key[SCOPE_CLASSES];
	uint8_t slot[SLOTS]; /* a class by its key, 0: none */
	uint32_t classes;
};

/*
 * Calls of one number are similar, and so are switches after the same type of record. Each such
 * group gets a class when it first occurs, while classes are left.
 */
static uint32_t class_of(struct sorter *sorter, const uint8_t *record, uint32_t type, uint32_t before)
{
	uint32_t key = type << 16, at;

	if (type == SCOPE_RECORD_SWITCH)
		key |= before;
	else if (type >= SCOPE_RECORD_SYSCALL && type <= SCOPE_RECORD_EXIT)
		key |= ((const struct scope_record_syscall *)record)->nr;
	else
		return type;
	at = key * 2654435769u >> 24; /* Knuth, The Art of Computer Programming 3, 6.4 */
	for (; sorter->slot[at]; at = (at + 1) % SLOTS)
		if (sorter->key[sorter->slot[at]] == key)
			return sorter->slot[at];
	if (sorter->classes == SCOPE_CLASSES)
		return type;
	sorter->head->type[sorter->classes - SCOPE_RECORD_TYPES] = (uint8_t)type;
	sorter->key[sorter->classes] = key;
	sorter->slot[at] = (uint8_t)sorter->classes;
	return sorter->classes++;
}

/* Counts the records and notes the class of each. 0, or -EINVAL: there is no record, or one of unknown type. */
static int distributions(const struct scope_subbuf *subbuf, struct scope_columns_head *head,
			 struct scope_layout *layout, uint8_t *classes)
{
	const uint8_t *data = (const uint8_t *)subbuf;
	struct sorter sorter = { .head = head, .classes = SCOPE_RECORD_TYPES };
	uint32_t before = 0, type;
	size_t records = 0;

	for (size_t at = sizeof(*subbuf); at < subbuf->used_bytes; records++, before = type) {
		const uint8_t *record = data + at;
		const size_t left = subbuf->used_bytes - at;
		size_t bytes, args, rest;
		struct scope_class_table *table;

		type = scope_record_type(*(const uint32_t *)record);
		bytes = scope_trace_record_fixed(type);
		if (!bytes || bytes > left)
			return -EINVAL;
		args = scope_trace_record_args(record, type);
		rest = scope_trace_record_rest(record, type);
		bytes += 8 * args + rest;
		if (bytes > left)
			return -EINVAL;
		classes[records] = (uint8_t)class_of(&sorter, record, type, before);
		table = &layout->table[classes[records]];
		table->count++;
		table->args += args;
		head->rest_bytes += (uint32_t)rest;
		at += bytes;
	}
	head->subbuf.zero = records;
	return records ? 0 : -EINVAL;
}

/* Appends `count` columns of `bytes` bytes each. */
static void list_columns(struct scope_columns *columns, size_t bytes, size_t count, enum scope_column_sort sort,
			 uint32_t type)
{
	size_t end = columns->count ? columns->column[columns->count - 1].end : 0;

	for (size_t i = 0; bytes && i < count; i++)
		columns->column[columns->count++] = (struct scope_column){
			.end = (uint32_t)(end += bytes),
			.sort = sort,
			.type = (uint8_t)type,
		};
}

static void list_all(const struct scope_layout *layout, const struct scope_columns_head *head,
		     struct scope_columns *ret_columns)
{
	ret_columns->count = 0;
	list_columns(ret_columns, sizeof(*head) + head->subbuf.zero, 1, SCOPE_COLUMN_CLASSES, 0);
	for (uint32_t class = 0; class < SCOPE_CLASSES; class += 1) {
		const uint32_t type = scope_trace_class_type(layout, class);

		list_columns(ret_columns, layout->table[class].count, scope_trace_type_values(type), SCOPE_COLUMN_TIMES,
			     type);
	}
	for (uint32_t class = 0; class < SCOPE_CLASSES; class += 1) {
		const uint32_t type = scope_trace_class_type(layout, class);

		if (layout->table[class].count)
			list_columns(ret_columns, layout->table[class].count, scope_trace_type_plain(type),
				     SCOPE_COLUMN_BYTES, type);
	}
	for (uint32_t class = 0; class < SCOPE_CLASSES; class += 1)
		list_columns(ret_columns, layout->table[class].args, 8, SCOPE_COLUMN_ARGS,
			     scope_trace_class_type(layout, class));
	list_columns(ret_columns, head->rest_bytes, 1, SCOPE_COLUMN_REST, 0);
}

/* Stores the times of a record as differences. word: its first two words; a short record has one. */
static void make_near(struct scope_columns_past *past, uint32_t type, const uint64_t *word, uint64_t *ret_value)
{
	const uint32_t delta = scope_record_delta((uint32_t)word[0]);
	uint64_t time_ns = past->now_ns + delta, spent_ns = 0;

	ret_value[0] = delta;
	if (type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER) {
		spent_ns = type == SCOPE_RECORD_ENTER ? time_ns - word[1] : (uint32_t)word[1];
		ret_value[0] = scope_trace_fold((delta - spent_ns) & SCOPE_DELTA_MAX, SCOPE_DELTA_BITS);
		ret_value[1] = spent_ns;
	} else if (type == SCOPE_RECORD_TIME) {
		time_ns = word[1];
		ret_value[1] = time_ns - past->now_ns;
	}
	past->now_ns = time_ns;
}

/* Stores one record with its arguments in their columns. Returns how many of its bytes these are. */
static size_t split_record(const uint64_t *word, uint32_t class, uint32_t type, struct scope_class_table *table,
			   struct scope_columns_past *past, struct scope_bits *bits, uint8_t *out)
{
	const size_t words = scope_trace_record_fixed(type) / 8, step = table->count;
	const size_t args = scope_trace_record_args((const uint8_t *)word, type);
	const size_t alike = scope_trace_type_alike_at(type);
	uint64_t value[SCOPE_VALUES_MAX], first[2] = { word[0], words > 1 ? word[1] : 0 };
	uint8_t *symbol = out + table->symbols + table->done;
	uint8_t *column = out + table->plain + table->done++;
	const size_t from = scope_trace_type_plain_from(type);

	make_near(past, type, first, value);
	for (size_t i = 0; i < scope_trace_type_values(type); i++, symbol += step) {
		unsigned int count;

		*symbol = scope_trace_value_split(value[i], &count);
		scope_trace_bits_put(bits, value[i], count);
	}
	if (alike != SCOPE_NOWHERE)
		first[alike] = (uint64_t)scope_trace_past_alike(past, class, first[alike] >> 32, false) << 32;
	column = scatter(column, step, first[0], 4, 8);
	if (from < 16)
		column = scatter(column, step, first[1], from - 8, words > 1 ? 8 : 0);
	for (size_t i = 2; i < words; i++)
		column = scatter(column, step, word[i], 0, 8);
	for (size_t i = 0; i < args; i++)
		scatter(out + table->arg + table->args_done++, table->args,
			i ? word[words + i] : scope_trace_past_arg(past, class, word[words], false), 0, 8);
	return 8 * (words + args);
}

int scope_trace_columns_split(const struct scope_subbuf *subbuf, uint8_t *out, struct scope_columns *ret_columns)
{
	const uint8_t *data = (const uint8_t *)subbuf;
	struct scope_columns_head *head = (void *)out;
	const uint8_t *class = out + sizeof(*head);
	struct scope_layout layout = { .type = head->type };
	struct scope_columns_past past = { .now_ns = subbuf->begin_ns };
	struct scope_bits bits = { 0 };
	uint8_t *rest;

	*head = (struct scope_columns_head){ .subbuf = *subbuf };
	if (subbuf->zero || distributions(subbuf, head, &layout, out + sizeof(*head)))
		return -EINVAL;
	scope_trace_layout_args(&layout, scope_trace_layout_fixed(&layout, sizeof(*head) + head->subbuf.zero));
	list_all(&layout, head, ret_columns);
	rest = out + layout.end;
	bits.at = rest + head->rest_bytes;
	for (size_t at = sizeof(*subbuf); at < subbuf->used_bytes; class += 1) {
		const uint8_t *record = data + at;
		const uint32_t type = scope_trace_class_type(&layout, *class);
		const size_t bytes = scope_trace_record_rest(record, type);

		at += split_record((const void *)record, *class, type, &layout.table[*class], &past, &bits, out);
		if (bytes)
			memcpy(rest, data + at, bytes);
		rest += bytes;
		at += bytes;
	}
	scope_trace_bits_put(&bits, 0, 7); /* the bits still held, filled up to a whole byte */
	list_columns(ret_columns, (size_t)(bits.at - rest), 1, SCOPE_COLUMN_BITS, 0);
	return 0;
}
