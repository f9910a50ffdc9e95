// SPDX-License-Identifier: GPL-2.0-only
/*
 * Order the bytes of a sub-buffer so that they compress well, and back.
 *
 * In turn stand: the header with the number of records in place of its last 8 bytes; the first byte
 * of each record; for each class of records their second bytes, their third ones and so on as far as
 * the fixed part goes, and the arguments of calls in the same manner; the rest of all records. Like
 * stands beside like then: bytes that are always 0, low bytes that are as good as random, stacks that
 * resemble one another. Before that, times become differences to what is near them.
 */
#include "trace/columns.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <scope/event.h>

#define CLASSES (1 << SCOPE_TYPE_BITS)
#define ABI_ARGS_COLUMN (offsetof(struct scope_record_syscall, abi_args) - 1)
#define COUNT_AT offsetof(struct scope_subbuf, zero)

/* A class is a type, or from here on calls of one number: SYSCALL, too. */
#define CLASS_CALLS 19
#define CALLS_MAX (CLASSES - CLASS_CALLS)

/* Types that came later have none: a sub-buffer that holds one of them stays as it is. */
static_assert(SCOPE_RECORD_PROBE < CLASS_CALLS, "a type needs a class of its own");

/* Bytes of the fixed part of a type, 0: not known. */
static const uint8_t type_bytes[CLASSES] = {
#define SCOPE_RECORD_BYTES(number, NAME, name, bytes, text) [number] = bytes,
	SCOPE_RECORD_LIST(SCOPE_RECORD_BYTES)
#undef SCOPE_RECORD_BYTES
};

/* The columns of one class, and how far one has come. */
struct table {
	size_t count, args; /* records, and arguments of them all */
	size_t at;     /* of the next record's second byte; one every count bytes */
	size_t arg_at; /* of the next argument's first byte; one every args bytes */
};

struct layout {
	struct table table[CLASSES];
	size_t rest_at;
	uint16_t nr[CALLS_MAX]; /* of the classes from CLASS_CALLS on */
	uint32_t nrs;
};

static uint32_t type_of(uint32_t class)
{
	return class < CLASS_CALLS ? class : SCOPE_RECORD_SYSCALL;
}

static uint32_t fixed_bytes(uint32_t class)
{
	return type_bytes[type_of(class)];
}

/* Numbers have classes of their own in the order in which they come, as long as there are any. */
static uint32_t class_of(struct layout *layout, const uint8_t *record)
{
	const struct scope_record_syscall *call = (const void *)record;
	const uint32_t type = scope_record_type(call->word);
	uint32_t i = 0;

	if (type != SCOPE_RECORD_SYSCALL)
		return type < CLASS_CALLS ? type : 0;
	while (i < layout->nrs && layout->nr[i] != call->nr)
		i++;
	if (i == CALLS_MAX)
		return type;
	if (i == layout->nrs)
		layout->nr[layout->nrs++] = call->nr;
	return CLASS_CALLS + i;
}

static size_t args_of(const uint8_t *record, uint32_t type)
{
	return type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER ? record[6] >> 4 : 0;
}

/* What follows the fixed part, arguments of calls left out. */
static size_t rest_of(const uint8_t *record, uint32_t type)
{
	const struct scope_record_chain *chain = (const void *)record;
	const struct scope_record_stack *stack = (const void *)record;

	switch (type) {
	case SCOPE_RECORD_STATE:
		return 8ul * ((const struct scope_record_state *)record)->regs;
	case SCOPE_RECORD_CHAIN:
		return 8ul * chain->count + (chain->flags & SCOPE_STACK_COST ? 8 : 0);
	case SCOPE_RECORD_STACK:
		return 8ul * stack->regs + ((size_t)stack->bytes + 7) / 8 * 8;
	case SCOPE_RECORD_PROBE:
		return 8ul * ((const struct scope_record_probe *)record)->args;
	}
	return 0;
}

/* Small numbers of either sign as small numbers. */
static uint32_t fold(uint32_t value, unsigned int bits)
{
	const uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
	const uint32_t negative = -(value >> (bits - 1) & 1);

	return (value << 1 ^ negative) & mask;
}

static uint32_t unfold(uint32_t value, unsigned int bits)
{
	const uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;

	return ((value & mask) >> 1 ^ -(value & 1)) & mask;
}

/* The class and the highest bits of the delta in the first byte, the low 24 bits behind it. */
static uint32_t pack_word(uint32_t class, uint32_t delta)
{
	return class | (delta >> 24) << SCOPE_TYPE_BITS | delta << 8;
}

static uint32_t unpack_delta(uint32_t word)
{
	return word >> 8 | (word >> SCOPE_TYPE_BITS & 0x7) << 24;
}

/* The first two words of a record; of a short one the second is 0. */
struct head {
	uint64_t first, second;
};

/* now_ns: the time of the record before, and then of this one. */
static struct head make_near(uint64_t *now_ns, uint32_t class, struct head head)
{
	const uint32_t type = type_of(class);
	uint32_t delta = scope_record_delta((uint32_t)head.first);
	const uint64_t time_ns = type == SCOPE_RECORD_TIME ? head.second : *now_ns + delta;

	if (type == SCOPE_RECORD_SYSCALL) {
		const uint32_t duration = (uint32_t)head.second;

		delta = fold((delta - duration) & SCOPE_DELTA_MAX, 32 - SCOPE_TYPE_BITS);
		head.second = (uint64_t)fold(head.second >> 32, 32) << 32 | duration;
	} else if (type == SCOPE_RECORD_ENTER) {
		head.second = time_ns - head.second;
	} else if (type == SCOPE_RECORD_TIME) {
		head.second -= *now_ns;
	}
	*now_ns = time_ns;
	head.first = head.first >> 32 << 32 | pack_word(class, delta);
	return head;
}

static struct head make_far(uint64_t *now_ns, uint32_t class, struct head head)
{
	const uint32_t type = type_of(class);
	uint32_t delta = unpack_delta((uint32_t)head.first);

	if (type == SCOPE_RECORD_SYSCALL) {
		const uint32_t duration = (uint32_t)head.second;

		delta = (unfold(delta, 32 - SCOPE_TYPE_BITS) + duration) & SCOPE_DELTA_MAX;
		head.second = (uint64_t)unfold(head.second >> 32, 32) << 32 | duration;
	}
	if (type == SCOPE_RECORD_TIME)
		*now_ns = head.second += *now_ns;
	else
		*now_ns += delta;
	if (type == SCOPE_RECORD_ENTER)
		head.second = *now_ns - head.second;
	head.first = head.first >> 32 << 32 | scope_record_word(type, delta);
	return head;
}

/* Bytes `from` to 7 of a word, one every `step` bytes. Where the next one goes. */
static inline uint8_t *scatter(uint8_t *column, size_t step, uint64_t word, unsigned int from)
{
	for (unsigned int i = from; i < 8; i++, column += step)
		*column = (uint8_t)(word >> 8 * i);
	return column;
}

/* The other way, with bytes 0 to `from` - 1 as they are in *word. */
static inline const uint8_t *gather(const uint8_t *column, size_t step, uint64_t *word,
				    unsigned int from)
{
	for (unsigned int i = from; i < 8; i++, column += step)
		*word |= (uint64_t)*column << 8 * i;
	return column;
}

/* The places of one class's columns from `at` on, and where they end. */
static size_t place_fixed(struct table *table, uint32_t class, size_t at)
{
	table->at = at;
	table->arg_at = at + (table->count ? table->count * (fixed_bytes(class) - 1ul) : 0);
	return table->arg_at;
}

/* Counts what is there, and notes the class of each. How many; 0: none, or one is not known. */
static size_t survey(const struct scope_subbuf *subbuf, struct layout *layout, uint8_t *classes)
{
	const uint8_t *data = (const uint8_t *)subbuf;
	size_t records = 0;

	for (size_t at = sizeof(*subbuf); at < subbuf->used_bytes; records++) {
		const uint8_t *record = data + at;
		const size_t left = subbuf->used_bytes - at;
		const uint32_t type = scope_record_type(*(const uint32_t *)record);
		struct table *table;
		size_t bytes, args;

		if (type >= CLASS_CALLS || !fixed_bytes(type) || fixed_bytes(type) > left)
			return 0;
		args = args_of(record, type);
		bytes = fixed_bytes(type) + 8 * args + rest_of(record, type);
		if (bytes > left)
			return 0;
		classes[records] = (uint8_t)class_of(layout, record);
		table = &layout->table[classes[records]];
		table->count++;
		table->args += args;
		at += bytes;
	}
	return records;
}

static void add_border(struct scope_columns *columns, size_t at)
{
	columns->border[columns->count++] = (uint32_t)at;
}

/* Gives all columns their places, from `at` on. */
static void lay_out(struct layout *layout, size_t at, struct scope_columns *ret_columns)
{
	ret_columns->count = 0;
	add_border(ret_columns, at);
	for (uint32_t class = 0; class < CLASSES; class++) {
		struct table *table = &layout->table[class];

		place_fixed(table, class, at);
		for (; at < table->arg_at; add_border(ret_columns, at))
			at += table->count;
		for (size_t i = 0; table->args && i < 8; i++)
			add_border(ret_columns, at += table->args);
	}
	layout->rest_at = at;
}

/* One record with its arguments into their columns. What of it goes there, bytes. */
static size_t split_record(const uint64_t *word, uint32_t class, struct table *table,
			   uint64_t *now_ns, uint8_t *out, uint8_t *ret_first)
{
	const size_t words = fixed_bytes(class) / 8, step = table->count;
	const size_t all = words + args_of((const uint8_t *)word, type_of(class));
	uint8_t *column = out + table->at++;
	const struct head head = make_near(now_ns, class, (struct head){
						   word[0], words > 1 ? word[1] : 0 });

	*ret_first = (uint8_t)head.first;
	column = scatter(column, step, head.first, 1);
	if (words > 1)
		column = scatter(column, step, head.second, 0);
	for (size_t i = 2; i < words; i++)
		column = scatter(column, step, word[i], 0);
	for (size_t i = words; i < all; i++)
		scatter(out + table->arg_at++, table->args, word[i], 0);
	return 8 * all;
}

int scope_columns_split(const struct scope_subbuf *subbuf, uint8_t *out,
			struct scope_columns *ret_columns)
{
	const uint8_t *data = (const uint8_t *)subbuf;
	uint8_t *first = out + sizeof(*subbuf); /* classes, as long as these are not there */
	struct layout layout = { 0 };
	const uint64_t records = survey(subbuf, &layout, first);
	uint64_t now_ns = subbuf->begin_ns;

	if (!records || subbuf->zero)
		return -EINVAL;
	lay_out(&layout, sizeof(*subbuf) + records, ret_columns);
	memcpy(out, subbuf, sizeof(*subbuf));
	memcpy(out + COUNT_AT, &records, sizeof(records));
	for (size_t at = sizeof(*subbuf); at < subbuf->used_bytes; first++) {
		const uint8_t *record = data + at;
		const uint32_t class = *first;
		const size_t rest = rest_of(record, type_of(class));

		at += split_record((const void *)record, class, &layout.table[class], &now_ns, out,
				   first);
		if (rest)
			memcpy(out + layout.rest_at, data + at, rest);
		layout.rest_at += rest;
		at += rest;
	}
	return 0;
}

/* Where all columns stand. -EBADMSG: that cannot be. */
static int find_columns(const uint8_t *columns, size_t bytes, size_t records, struct layout *layout)
{
	size_t at = sizeof(struct scope_subbuf);

	for (size_t i = 0; i < records; i++)
		layout->table[columns[at + i] & (CLASSES - 1)].count++;
	at += records;
	for (uint32_t class = 0; class < CLASSES; class++) {
		struct table *table = &layout->table[class];
		const uint32_t type = type_of(class);

		if (table->count && !fixed_bytes(class))
			return -EBADMSG;
		at = place_fixed(table, class, at);
		if (at > bytes)
			return -EBADMSG;
		if (type != SCOPE_RECORD_SYSCALL && type != SCOPE_RECORD_ENTER)
			continue;
		for (size_t i = 0; i < table->count; i++)
			table->args += columns[table->at + ABI_ARGS_COLUMN * table->count + i] >> 4;
		at += 8 * table->args;
		if (at > bytes)
			return -EBADMSG;
	}
	layout->rest_at = at;
	return 0;
}

/* One record from its columns, which are there, to `left` bytes. Its bytes; 0: it has no room. */
static size_t join_record(uint64_t *word, size_t left, uint8_t first, struct table *table,
			  uint64_t *now_ns, const uint8_t *columns)
{
	const uint32_t class = first & (CLASSES - 1);
	const size_t words = fixed_bytes(class) / 8, step = table->count;
	const uint8_t *column = columns + table->at++;
	struct head head = { first, 0 };
	size_t all;

	if (8 * words > left)
		return 0;
	column = gather(column, step, &head.first, 1);
	if (words > 1)
		column = gather(column, step, &head.second, 0);
	head = make_far(now_ns, class, head);
	word[0] = head.first;
	if (words > 1)
		word[1] = head.second;
	all = words + args_of((const uint8_t *)word, type_of(class));
	if (8 * all > left)
		return 0;
	for (size_t i = 2; i < words; i++) {
		word[i] = 0;
		column = gather(column, step, &word[i], 0);
	}
	for (size_t i = words; i < all; i++) {
		word[i] = 0;
		gather(columns + table->arg_at++, table->args, &word[i], 0);
	}
	return 8 * all;
}

int scope_columns_join(const uint8_t *columns, size_t bytes, uint8_t *out)
{
	struct scope_subbuf *subbuf = (void *)out;
	const uint8_t *first = columns + sizeof(*subbuf);
	struct layout layout = { 0 };
	size_t records, at = sizeof(*subbuf);
	uint64_t now_ns;

	if (bytes < sizeof(*subbuf))
		return -EBADMSG;
	memcpy(subbuf, columns, sizeof(*subbuf));
	records = subbuf->zero;
	subbuf->zero = 0;
	now_ns = subbuf->begin_ns;
	if (records > (bytes - at) / 8 || find_columns(columns, bytes, records, &layout))
		return -EBADMSG;
	for (; records--; first++) {
		const uint32_t class = *first & (CLASSES - 1);
		uint8_t *record = out + at;
		size_t rest, there = join_record((void *)record, bytes - at, *first,
						 &layout.table[class], &now_ns, columns);

		at += there;
		rest = there ? rest_of(record, type_of(class)) : 0;
		if (!there || rest > bytes - at || rest > bytes - layout.rest_at)
			return -EBADMSG;
		if (rest)
			memcpy(out + at, columns + layout.rest_at, rest);
		layout.rest_at += rest;
		at += rest;
	}
	return at == bytes ? 0 : -EBADMSG;
}
