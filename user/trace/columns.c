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
/*
 * The last free classes are given only to calls, by their number, so that the calls of a server that makes many
 * different ones still get a class each.
 */
#define CLASSES_PLAIN 20u
#define BLOCK 16u /* words that are transposed at once */

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef SHUFFLE
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (bytes16){ __VA_ARGS__ })
#endif

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/*
 * Stores byte i of each of BLOCK words in the i-th of eight columns. The offset of a byte has the bits wwwwbbb: which
 * word, and which byte of it. Interleaving the bytes of the first half with those of the second moves the highest
 * bit of each offset to the lowest place. After four rounds the bits are bbbwwww.
 */
static void transpose_block(const uint64_t *word, uint8_t *column, size_t step, size_t columns)
{
	bytes16 now[8], next[8];

	memcpy(now, word, sizeof(now));
#pragma GCC unroll 4
	for (unsigned int round = 0; round < 4; round++) {
#pragma GCC unroll 4
		for (unsigned int i = 0; i < 4; i++) {
			next[2 * i] =
				SHUFFLE(now[i], now[i + 4], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
			next[2 * i + 1] = SHUFFLE(now[i], now[i + 4], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
						  30, 15, 31);
		}
		memcpy(now, next, sizeof(now));
	}
	for (size_t i = 0; i < columns; i++)
		memcpy(column + i * step, &now[i], sizeof(now[i]));
}

/* Stores the lower `columns` bytes of each word in columns of `count` bytes. Returns the place of the next column. */
static uint8_t *transpose(const uint64_t *word, size_t count, uint8_t *column, size_t columns)
{
	size_t done = 0;

	for (; count - done >= BLOCK; done += BLOCK)
		transpose_block(word + done, column + done, count, columns);
	for (; done < count; done++)
		for (size_t i = 0; i < columns; i++)
			column[i * count + done] = (uint8_t)(word[done] >> 8 * i);
	return column + columns * count;
}

/* Bytes for the columns, plus those that are written after their end while the columns are made. */
static inline size_t room_of_columns(size_t used_bytes)
{
	return (scope_trace_columns_bound(used_bytes) + 15) / 8 * 8;
}

size_t scope_trace_columns_room(size_t used_bytes)
{
	return room_of_columns(used_bytes) + used_bytes;
}

/* The classes that a sub-buffer's records have. */
struct sorter {
	struct scope_columns_head *head;
	uint64_t arg; /* the first argument of the last call that has one */
	uint32_t key[SCOPE_CLASSES];
	uint8_t slot[SLOTS]; /* a class by its key, 0: none */
	uint32_t classes;
};

#define KEY_FAILED (1u << 30)
#define KEY_SAME (1u << 31)

/*
 * Which group of similar calls of its number a call belongs to. Calls that failed return one value, and are short.
 * Calls with the same descriptor as the call before need no column for it; the descriptor of the others cannot be
 * predicted.
 */
static uint32_t call_group(struct sorter *sorter, const uint8_t *record, uint32_t type)
{
	const struct scope_record_syscall *call = (const void *)record;
	uint32_t group = 0;

	if (type == SCOPE_RECORD_SYSCALL && call->ret < 0 && !(call->flags & SCOPE_SYSCALL_WIDE))
		group |= KEY_FAILED;
	if (type == SCOPE_RECORD_EXIT && ((const struct scope_record_exit *)record)->ret < 0)
		group |= KEY_FAILED;
	if (scope_trace_record_args(record, type)) {
		const uint64_t arg = *(const uint64_t *)(record + scope_trace_record_fixed(type));

		if (arg == sorter->arg)
			group |= KEY_SAME;
		sorter->arg = arg;
	}
	return sorter->classes < SCOPE_CLASSES - CLASSES_PLAIN ? group : 0;
}

/*
 * Similar calls of one number, and switches after the same type of record, get a class when they first occur, while
 * classes are left.
 */
static uint32_t class_of(struct sorter *sorter, const uint8_t *record, uint32_t type, uint32_t before)
{
	uint32_t key = type << 16, at;

	if (type == SCOPE_RECORD_SWITCH)
		key |= before;
	else if (type >= SCOPE_RECORD_SYSCALL && type <= SCOPE_RECORD_EXIT)
		key |= ((const struct scope_record_syscall *)record)->nr | call_group(sorter, record, type);
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
	const uint8_t *record = (const uint8_t *)(subbuf + 1);
	struct sorter sorter = { .head = head, .classes = SCOPE_RECORD_TYPES };
	uint32_t before = 0, type;
	size_t records = 0, rests = 0, bytes;

	for (size_t left = subbuf->used_bytes - sizeof(*subbuf); left; left -= bytes, record += bytes, before = type) {
		const size_t fixed = scope_trace_record_fixed(type = scope_record_type(*(const uint32_t *)record));
		struct scope_class_table *table;
		size_t args, rest;
		uint32_t number;

		if (!fixed || fixed > left)
			return -EINVAL;
		args = scope_trace_record_args(record, type);
		rest = scope_trace_record_rest(record, type);
		bytes = fixed + 8 * args + rest;
		if (bytes > left)
			return -EINVAL;
		number = class_of(&sorter, record, type, before);
		classes[records++] = (uint8_t)number;
		table = &layout->table[number];
		table->count++;
		table->args += args;
		rests += rest;
	}
	head->subbuf.zero = records;
	head->rest_bytes = (uint32_t)rests;
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

/* Words of a class before they are transposed into columns. */
struct lanes {
	uint64_t *plain; /* the first word of each record, then the second word of each, and so on */
	uint64_t *args;	 /* of each argument */
};

/* How many words of a record hold bytes that are stored in columns; in its first word these are the upper half. */
static inline size_t plain_words(const struct scope_class_table *table)
{
	return table->words - (table->from > 8);
}

/* Sets the places of all lanes from `at` on, where there is room for all records. */
static void place_lanes(const struct scope_layout *layout, uint64_t *at, struct lanes *lanes)
{
	for (uint32_t class = 0; class < SCOPE_CLASSES; class += 1) {
		const struct scope_class_table *table = &layout->table[class];

		if (!table->count)
			continue;
		lanes[class].plain = at;
		at += table->count * plain_words(table);
		lanes[class].args = at;
		at += table->args;
	}
}

static void transpose_lanes(const struct scope_layout *layout, const struct lanes *lanes, uint8_t *out)
{
	for (uint32_t class = 0; class < SCOPE_CLASSES; class += 1) {
		const struct scope_class_table *table = &layout->table[class];
		uint8_t *column = out + table->plain;

		if (!table->count)
			continue;
		for (size_t i = 0; i < plain_words(table); i++)
			column = transpose(lanes[class].plain + i * table->count, table->count, column,
					   i || table->from == 12 ? 8 : 4);
		transpose(lanes[class].args, table->args, out + table->arg, 8);
	}
}

/* Stores the times of a record as differences. second: its second word, 0 for a short record. */
static inline void make_near(struct scope_columns_past *past, uint32_t type, uint32_t delta, uint64_t second,
			     uint64_t *ret_value)
{
	uint64_t time_ns = past->now_ns + delta, spent_ns = 0;

	ret_value[0] = delta;
	if (type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER) {
		spent_ns = type == SCOPE_RECORD_ENTER ? time_ns - second : (uint32_t)second;
		ret_value[0] = scope_trace_fold((delta - spent_ns) & SCOPE_DELTA_MAX, SCOPE_DELTA_BITS);
		ret_value[1] = spent_ns;
	} else if (type == SCOPE_RECORD_TIME) {
		time_ns = second;
		ret_value[1] = time_ns - past->now_ns;
	}
	past->now_ns = time_ns;
}

/* Writes the symbols of one or two values, `step` bytes apart, and their bits. */
static inline void put_values(const uint64_t *value, bool two, uint8_t *symbol, size_t step, struct scope_bits *bits)
{
	unsigned int count, more;
	uint64_t low, high;

	*symbol = scope_trace_value_split(value[0], &count, &low);
	if (two) {
		symbol[step] = scope_trace_value_split(value[1], &more, &high);
		if (count + more > 56) {
			scope_trace_bits_put(bits, low, count);
			low = high;
			count = more;
		} else {
			low |= high << count;
			count += more;
		}
	}
	scope_trace_bits_put(bits, low, count);
}

/*
 * Stores the times of a record in their columns, and its words in lanes. Returns how many bytes of the record this was.
 */
static inline size_t split_record(const uint64_t *word, uint32_t class, struct scope_class_table *table,
				  struct lanes *lanes, struct scope_columns_past *past, struct scope_bits *bits,
				  uint8_t *out)
{
	const size_t words = table->words, step = table->count, done = table->done++;
	uint64_t value[SCOPE_VALUES_MAX] = { 0 }, first[2] = { word[0], words > 1 ? word[1] : 0 };
	uint64_t *plain = lanes->plain + done;
	size_t args;

	make_near(past, table->type, scope_record_delta((uint32_t)first[0]), first[1], value);
	put_values(value, table->values > 1, out + table->symbols + done, step, bits);
	if (table->alike != SCOPE_NOWHERE)
		first[table->alike] = (uint64_t)scope_trace_past_alike(past, class, first[table->alike] >> 32, false)
				      << 32;
	first[0] >>= 32;
	if (table->from == 12)
		first[0] |= first[1] >> 32 << 32;
	*plain = first[0];
	if (table->from == 8 && words > 1)
		*(plain += step) = first[1];
	for (size_t i = 2; i < words; i++)
		*(plain += step) = word[i];
	args = scope_trace_record_args((const uint8_t *)word, table->type);
	for (size_t i = 0; i < args; i++)
		lanes->args[table->args_done++] = i ? word[words + i]
						    : scope_trace_past_arg(past, class, word[words], false);
	return 8 * (words + args);
}

/* Stores times, words and what follows each record. Returns the end of the bits. */
static uint8_t *split_records(const struct scope_subbuf *subbuf, struct scope_layout *layout, uint8_t *out)
{
	const struct scope_columns_head *head = (const void *)out;
	const uint8_t *record = (const uint8_t *)(subbuf + 1), *end = (const uint8_t *)subbuf + subbuf->used_bytes;
	struct scope_columns_past past = { .now_ns = subbuf->begin_ns };
	struct lanes lanes[SCOPE_CLASSES];
	uint8_t *rest = out + layout->end;
	struct scope_bits bits = { .at = rest + head->rest_bytes };

	place_lanes(layout, (uint64_t *)(out + room_of_columns(subbuf->used_bytes)), lanes);
	for (const uint8_t *class = out + sizeof(*head); record < end; class += 1) {
		struct scope_class_table *table = &layout->table[*class];
		const size_t bytes = scope_trace_record_rest(record, table->type);

		record += split_record((const void *)record, *class, table, &lanes[*class], &past, &bits, out);
		if (bytes)
			memcpy(rest, record, bytes);
		rest += bytes;
		record += bytes;
	}
	scope_trace_bits_put(&bits, 0, 7); /* completes the last byte */
	transpose_lanes(layout, lanes, out);
	return bits.at;
}

int scope_trace_columns_split(const struct scope_subbuf *subbuf, uint8_t *out, struct scope_columns *ret_columns)
{
	struct scope_columns_head *head = (void *)out;
	struct scope_layout layout = { .type = head->type };
	uint8_t *end;

	*head = (struct scope_columns_head){ .subbuf = *subbuf };
	if (subbuf->zero || subbuf->used_bytes < sizeof(*subbuf) ||
	    distributions(subbuf, head, &layout, out + sizeof(*head)))
		return -EINVAL;
	scope_trace_layout_types(&layout);
	scope_trace_layout_args(&layout, scope_trace_layout_fixed(&layout, sizeof(*head) + head->subbuf.zero));
	list_all(&layout, head, ret_columns);
	end = split_records(subbuf, &layout, out);
	list_columns(ret_columns, (size_t)(end - (out + layout.end + head->rest_bytes)), 1, SCOPE_COLUMN_BITS, 0);
	return 0;
}
