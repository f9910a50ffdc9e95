// SPDX-License-Identifier: GPL-2.0-only
/*
 * Order the bytes of a sub-buffer so that they compress well, and back.
 *
 * Times make up most of what is left of a trace once it is compressed, and of a time only its
 * magnitude can be foretold. So times, as differences to what is near them, are split: a byte that
 * tells the highest three bits and how many follow stands with the like of its class, for zstd to
 * find them unevenly spread; the bits that follow stand at the end of all, as they are. What else is
 * in a record stands byte by byte beside the same byte of the other records of its class.
 */
#include "trace/columns.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "trace/bits.h"
#include "trace/record_parts.h"

#define TYPES SCOPE_RECORD_TYPES
#define CLASSES_MORE 60u
#define CLASSES (TYPES + CLASSES_MORE)
#define SLOTS 256u
#define VALUES_MAX 2u
#define ALIKE_SETS 16u
#define NOWHERE SIZE_MAX
#define DELTA_BITS (32 - SCOPE_TYPE_BITS)

/* The start of all columns. */
struct head {
	struct scope_subbuf subbuf; /* its `zero` is the number of records */
	uint32_t rest_bytes;
	uint8_t type[CLASSES_MORE]; /* of the classes from TYPES on, 0: unused */
};

/* The columns of one class, and how far they have come. */
struct table {
	size_t count, args;	  /* records, and arguments of them all */
	size_t done, args_done;
	size_t symbols, plain, arg; /* where the first column of each sort begins */
	uint8_t type, words, values, from; /* these are set for records that are joined */
	size_t alike;
};

struct layout {
	struct table table[CLASSES];
	const uint8_t *type; /* head's */
	size_t end;	     /* of the columns; there the rest begins */
};

/* What was seen of the sub-buffer up to here, to tell the next record's fields by. */
struct past {
	uint64_t now_ns;
	uint64_t arg; /* the first one of the call before */
	bool near[CLASSES]; /* the class's last call had the same first argument as the one before it */
	uint32_t alike[ALIKE_SETS][256]; /* the last number by its low byte; a set for some classes */
};

static uint32_t type_of(const struct layout *layout, uint32_t class)
{
	return class < TYPES ? class : layout->type[class - TYPES];
}

/* Times in a record. */
static size_t values_of(uint32_t type)
{
	return type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER ||
	       type == SCOPE_RECORD_TIME ? 2 : 1;
}

/* Where behind the times the bytes go on that are columns as they are, apart from bytes 4 to 7. */
static size_t plain_from(uint32_t type)
{
	if (type == SCOPE_RECORD_ENTER || type == SCOPE_RECORD_TIME)
		return 16;
	return type == SCOPE_RECORD_SYSCALL ? 12 : 8;
}

static size_t plain_columns(uint32_t type)
{
	return 4 + scope_record_fixed(type) - plain_from(type);
}

/* Bytes `from` to `to` - 1 of a word, one every `step` bytes. Where the next one goes. */
static inline uint8_t *scatter(uint8_t *column, size_t step, uint64_t word, unsigned int from,
			       unsigned int to)
{
	for (unsigned int i = from; i < to; i++, column += step)
		*column = (uint8_t)(word >> 8 * i);
	return column;
}

/* The other way, with the other bytes as they are in *word. */
static inline const uint8_t *gather(const uint8_t *column, size_t step, uint64_t *word,
				    unsigned int from, unsigned int to)
{
	uint64_t sum = *word; /* not in memory: a byte that is read might be one of *word's */

#pragma GCC unroll 8
	for (unsigned int i = from; i < to; i++, column += step)
		sum |= (uint64_t)*column << 8 * i;
	*word = sum;
	return column;
}

/* The classes that a sub-buffer's records have. */
struct sorter {
	struct head *head;
	uint32_t key[CLASSES];
	uint8_t slot[SLOTS]; /* a class by its key, 0: none */
	uint32_t classes;
};

/*
 * Calls of one number are alike, and so are switches behind the same type of record. Each gets a
 * class as it comes, as long as there are any.
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
	if (sorter->classes == CLASSES)
		return type;
	sorter->head->type[sorter->classes - TYPES] = (uint8_t)type;
	sorter->key[sorter->classes] = key;
	sorter->slot[at] = (uint8_t)sorter->classes;
	return sorter->classes++;
}

/* Counts what is there, and notes the class of each. 0, or -EINVAL: none, or one is not known. */
static int survey(const struct scope_subbuf *subbuf, struct head *head, struct layout *layout,
		  uint8_t *classes)
{
	const uint8_t *data = (const uint8_t *)subbuf;
	struct sorter sorter = { .head = head, .classes = TYPES };
	uint32_t before = 0, type;
	size_t records = 0;

	for (size_t at = sizeof(*subbuf); at < subbuf->used_bytes; records++, before = type) {
		const uint8_t *record = data + at;
		const size_t left = subbuf->used_bytes - at;
		size_t bytes, args, rest;
		struct table *table;

		type = scope_record_type(*(const uint32_t *)record);
		bytes = scope_record_fixed(type);
		if (!bytes || bytes > left)
			return -EINVAL;
		args = scope_record_args(record, type);
		rest = scope_record_rest(record, type);
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

/* Gives columns of times and fixed parts their places, from `at` on. Where they end. */
static size_t place_fixed(struct layout *layout, size_t at)
{
	for (uint32_t class = 0; class < CLASSES; class++) {
		struct table *table = &layout->table[class];

		table->symbols = at;
		at += table->count * values_of(type_of(layout, class));
	}
	for (uint32_t class = 0; class < CLASSES; class++) {
		struct table *table = &layout->table[class];

		table->plain = at;
		if (table->count)
			at += table->count * plain_columns(type_of(layout, class));
	}
	return at;
}

static void place_args(struct layout *layout, size_t at)
{
	for (uint32_t class = 0; class < CLASSES; class++) {
		layout->table[class].arg = at;
		at += 8 * layout->table[class].args;
	}
	layout->end = at;
}

/* So many columns of that many bytes each, behind those that are listed. */
static void list_columns(struct scope_columns *columns, size_t bytes, size_t count,
			 enum scope_column_sort sort, uint32_t type)
{
	size_t end = columns->count ? columns->column[columns->count - 1].end : 0;

	for (size_t i = 0; bytes && i < count; i++)
		columns->column[columns->count++] = (struct scope_column){
			.end = (uint32_t)(end += bytes), .sort = sort, .type = (uint8_t)type,
		};
}

static void list_all(const struct layout *layout, const struct head *head,
		     struct scope_columns *ret_columns)
{
	ret_columns->count = 0;
	list_columns(ret_columns, sizeof(*head) + head->subbuf.zero, 1, SCOPE_COLUMN_CLASSES, 0);
	for (uint32_t class = 0; class < CLASSES; class++) {
		const uint32_t type = type_of(layout, class);

		list_columns(ret_columns, layout->table[class].count, values_of(type),
			     SCOPE_COLUMN_TIMES, type);
	}
	for (uint32_t class = 0; class < CLASSES; class++) {
		const uint32_t type = type_of(layout, class);

		if (layout->table[class].count)
			list_columns(ret_columns, layout->table[class].count, plain_columns(type),
				     SCOPE_COLUMN_BYTES, type);
	}
	for (uint32_t class = 0; class < CLASSES; class++)
		list_columns(ret_columns, layout->table[class].args, 8, SCOPE_COLUMN_ARGS,
			     type_of(layout, class));
	list_columns(ret_columns, head->rest_bytes, 1, SCOPE_COLUMN_REST, 0);
}

/* Times as differences. word: the first two, of a short record one. */
static void make_near(struct past *past, uint32_t type, const uint64_t *word, uint64_t *ret_value)
{
	const uint32_t delta = scope_record_delta((uint32_t)word[0]);
	uint64_t time_ns = past->now_ns + delta, spent_ns = 0;

	ret_value[0] = delta;
	if (type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER) {
		spent_ns = type == SCOPE_RECORD_ENTER ? time_ns - word[1] : (uint32_t)word[1];
		ret_value[0] = scope_fold((delta - spent_ns) & SCOPE_DELTA_MAX, DELTA_BITS);
		ret_value[1] = spent_ns;
	} else if (type == SCOPE_RECORD_TIME) {
		time_ns = word[1];
		ret_value[1] = time_ns - past->now_ns;
	}
	past->now_ns = time_ns;
}

/* Back: fills in what the columns of bytes leave open of the first two words. */
static void make_far(struct past *past, uint32_t type, const uint64_t *value, uint64_t *word)
{
	uint32_t delta = (uint32_t)value[0] & SCOPE_DELTA_MAX;

	if (type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER)
		delta = (scope_unfold(delta, DELTA_BITS) + value[1]) & SCOPE_DELTA_MAX;
	word[0] |= scope_record_word(type, delta);
	if (type == SCOPE_RECORD_TIME)
		word[1] = past->now_ns += value[1];
	else
		past->now_ns += delta;
	if (type == SCOPE_RECORD_SYSCALL)
		word[1] |= (uint32_t)value[1];
	else if (type == SCOPE_RECORD_ENTER)
		word[1] = past->now_ns - value[1];
}

/*
 * Where few numbers come again and again (whom a CPU goes to, what a call returns), the low byte
 * tells which one it is; the others stand as what differs from it. Number to stored, or back.
 */
static uint32_t change_alike(struct past *past, uint32_t class, uint32_t number, bool back)
{
	uint32_t *last = &past->alike[class % ALIKE_SETS][number & 0xff];
	const uint32_t changed = number ^ (*last & ~0xffu);

	*last = back ? changed : number;
	return changed;
}

/* The first argument is often that of the call before: a descriptor. Argument to stored, or back. */
static uint64_t change_arg(struct past *past, uint32_t class, uint64_t value, bool back)
{
	const uint64_t changed = past->near[class] ? value ^ past->arg : value;
	const uint64_t arg = back ? changed : value;

	past->near[class] = arg == past->arg;
	past->arg = arg;
	return changed;
}

/* Which of the first two words has such a number as its upper half. */
static size_t alike_at(uint32_t type)
{
	if (type == SCOPE_RECORD_SWITCH || type == SCOPE_RECORD_WAKING)
		return 0;
	return type == SCOPE_RECORD_SYSCALL ? 1 : NOWHERE;
}

/* One record with its arguments into their columns. What of it goes there, bytes. */
static size_t split_record(const uint64_t *word, uint32_t class, uint32_t type, struct table *table,
			   struct past *past, struct scope_bits *bits, uint8_t *out)
{
	const size_t words = scope_record_fixed(type) / 8, step = table->count;
	const size_t args = scope_record_args((const uint8_t *)word, type);
	const size_t alike = alike_at(type);
	uint64_t value[VALUES_MAX], first[2] = { word[0], words > 1 ? word[1] : 0 };
	uint8_t *symbol = out + table->symbols + table->done;
	uint8_t *column = out + table->plain + table->done++;
	const size_t from = plain_from(type);

	make_near(past, type, first, value);
	for (size_t i = 0; i < values_of(type); i++, symbol += step) {
		unsigned int count;

		*symbol = scope_value_split(value[i], &count);
		scope_bits_put(bits, value[i], count);
	}
	if (alike != NOWHERE)
		first[alike] = (uint64_t)change_alike(past, class, first[alike] >> 32, false) << 32;
	column = scatter(column, step, first[0], 4, 8);
	if (from < 16)
		column = scatter(column, step, first[1], from - 8, words > 1 ? 8 : 0);
	for (size_t i = 2; i < words; i++)
		column = scatter(column, step, word[i], 0, 8);
	for (size_t i = 0; i < args; i++)
		scatter(out + table->arg + table->args_done++, table->args,
			i ? word[words + i] : change_arg(past, class, word[words], false), 0, 8);
	return 8 * (words + args);
}

int scope_columns_split(const struct scope_subbuf *subbuf, uint8_t *out,
			struct scope_columns *ret_columns)
{
	const uint8_t *data = (const uint8_t *)subbuf;
	struct head *head = (void *)out;
	const uint8_t *class = out + sizeof(*head);
	struct layout layout = { .type = head->type };
	struct past past = { .now_ns = subbuf->begin_ns };
	struct scope_bits bits = { 0 };
	uint8_t *rest;

	*head = (struct head){ .subbuf = *subbuf };
	if (subbuf->zero || survey(subbuf, head, &layout, out + sizeof(*head)))
		return -EINVAL;
	place_args(&layout, place_fixed(&layout, sizeof(*head) + head->subbuf.zero));
	list_all(&layout, head, ret_columns);
	rest = out + layout.end;
	bits.at = rest + head->rest_bytes;
	for (size_t at = sizeof(*subbuf); at < subbuf->used_bytes; class++) {
		const uint8_t *record = data + at;
		const uint32_t type = type_of(&layout, *class);
		const size_t bytes = scope_record_rest(record, type);

		at += split_record((const void *)record, *class, type, &layout.table[*class], &past,
				   &bits, out);
		if (bytes)
			memcpy(rest, data + at, bytes);
		rest += bytes;
		at += bytes;
	}
	scope_bits_put(&bits, 0, 7); /* what is held, to a whole byte */
	list_columns(ret_columns, (size_t)(bits.at - rest), 1, SCOPE_COLUMN_BITS, 0);
	return 0;
}

/* Where all columns stand. -EBADMSG: that cannot be. */
static int find_columns(const uint8_t *columns, size_t bytes, struct layout *layout)
{
	const struct head *head = (const void *)columns;
	const size_t records = head->subbuf.zero;
	size_t at = sizeof(*head);

	if (records > bytes - at)
		return -EBADMSG;
	for (; at < sizeof(*head) + records; at++) {
		if (columns[at] >= CLASSES)
			return -EBADMSG;
		layout->table[columns[at]].count++;
	}
	for (uint32_t class = 0; class < CLASSES; class++) {
		struct table *table = &layout->table[class];
		const uint32_t type = type_of(layout, class);

		if (!table->count)
			continue;
		if (type >= TYPES || !scope_record_fixed(type))
			return -EBADMSG;
		table->type = (uint8_t)type;
		table->words = (uint8_t)(scope_record_fixed(type) / 8);
		table->values = (uint8_t)values_of(type);
		table->from = (uint8_t)plain_from(type);
		table->alike = alike_at(type);
	}
	at = place_fixed(layout, at);
	if (at > bytes)
		return -EBADMSG;
	for (uint32_t class = 0; class < CLASSES; class++) {
		struct table *table = &layout->table[class];
		const uint32_t type = type_of(layout, class);

		if (type != SCOPE_RECORD_SYSCALL && type != SCOPE_RECORD_ENTER)
			continue;
		/* abi_args is the third of the bytes that are columns */
		for (size_t i = 0; i < table->count; i++)
			table->args += columns[table->plain + 2 * table->count + i] >> 4;
	}
	place_args(layout, at);
	return layout->end + head->rest_bytes > bytes ? -EBADMSG : 0;
}

/* One record from its columns, which are there, to `left` bytes. Its bytes; 0: it has no room. */
static size_t join_record(uint64_t *word, size_t left, uint32_t class, struct table *table,
			  struct past *past, struct scope_bits *bits, const uint8_t *columns)
{
	const size_t words = table->words, step = table->count, alike = table->alike;
	const uint8_t *symbol = columns + table->symbols + table->done;
	const uint8_t *column = columns + table->plain + table->done++;
	const uint32_t type = table->type;
	uint64_t value[VALUES_MAX] = { 0 }, first[2] = { 0, 0 };
	size_t args;

	if (8 * words > left)
		return 0;
	value[0] = scope_value_join(*symbol, scope_bits_get(bits, scope_value_bits(*symbol)));
	symbol += step;
	if (table->values > 1)
		value[1] = scope_value_join(*symbol, scope_bits_get(bits, scope_value_bits(*symbol)));
	column = gather(column, step, &first[0], 4, 8);
	if (table->from == 12)
		column = gather(column, step, &first[1], 4, 8);
	else if (table->from == 8 && words > 1)
		column = gather(column, step, &first[1], 0, 8);
	if (alike != NOWHERE)
		first[alike] = (uint64_t)change_alike(past, class, first[alike] >> 32, true) << 32;
	make_far(past, type, value, first);
	word[0] = first[0];
	if (words > 1)
		word[1] = first[1];
	for (size_t i = 2; i < words; i++) {
		word[i] = 0;
		column = gather(column, step, &word[i], 0, 8);
	}
	args = scope_record_args((const uint8_t *)word, type);
	if (8 * (words + args) > left)
		return 0;
	for (size_t i = words; i < words + args; i++) {
		word[i] = 0;
		gather(columns + table->arg + table->args_done++, table->args, &word[i], 0, 8);
	}
	if (args)
		word[words] = change_arg(past, class, word[words], true);
	return 8 * (words + args);
}

int scope_columns_join(const uint8_t *columns, size_t bytes, uint8_t *out, size_t out_bytes)
{
	const struct head *head = (const void *)columns;
	const uint8_t *class = columns + sizeof(*head), *rest, *rest_end;
	struct layout layout = { .type = head->type };
	struct past past = { 0 };
	struct scope_bits bits = { 0 };
	size_t at = sizeof(head->subbuf);

	if (bytes < sizeof(*head) || out_bytes < sizeof(head->subbuf) ||
	    find_columns(columns, bytes, &layout))
		return -EBADMSG;
	memcpy(out, &head->subbuf, sizeof(head->subbuf));
	((struct scope_subbuf *)out)->zero = 0;
	past.now_ns = head->subbuf.begin_ns;
	rest = columns + layout.end;
	rest_end = rest + head->rest_bytes;
	bits.at = (uint8_t *)rest_end;
	bits.end = columns + bytes;
	for (size_t records = head->subbuf.zero; records--; class++) {
		struct table *table = &layout.table[*class];
		size_t more, there = join_record((void *)(out + at), out_bytes - at, *class, table,
						 &past, &bits, columns);

		more = there ? scope_record_rest(out + at, table->type) : 0;
		at += there;
		if (!there || more > out_bytes - at || more > (size_t)(rest_end - rest))
			return -EBADMSG;
		if (more)
			memcpy(out + at, rest, more);
		rest += more;
		at += more;
	}
	return at == out_bytes && rest == rest_end && scope_bits_all_read(&bits) ? 0 : -EBADMSG;
}
