// SPDX-License-Identifier: GPL-2.0-only
/* Reads the columns of format 3, in which times are stored by bytes like all other words. */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "trace/columns.h"
#include "trace/record_parts.h"

#define CLASSES SCOPE_RECORD_TYPES
#define ABI_ARGS_COLUMN (offsetof(struct scope_record_syscall, abi_args) - 1)

/* Classes below are types of records; from here on a class is the SYSCALL records of one number. */
#define CLASS_CALLS 19

/* The columns of one class, and how far they are read. */
struct table {
	size_t count, args; /* records, and arguments of them all */
	size_t at;	    /* place of the next record's second byte; the following ones every count bytes */
	size_t arg_at;	    /* place of the next argument's first byte; the following ones every args bytes */
};

struct layout {
	struct table table[CLASSES];
	size_t rest_at;
};

static uint32_t type_of(uint32_t class)
{
	return class < CLASS_CALLS ? class : SCOPE_RECORD_SYSCALL;
}

static uint32_t fixed_bytes(uint32_t class)
{
	return scope_trace_record_fixed(type_of(class));
}

static uint32_t unpack_delta(uint32_t word)
{
	return word >> 8 | (word >> SCOPE_TYPE_BITS & 0x7) << 24;
}

/* The first two words of a record; the second is 0 in a short record. */
struct head {
	uint64_t first, second;
};

/* now_ns: on entry the time of the record before, on return the time of this one. */
static struct head make_far(uint64_t *now_ns, uint32_t class, struct head head)
{
	const uint32_t type = type_of(class);
	uint32_t delta = unpack_delta((uint32_t)head.first);

	if (type == SCOPE_RECORD_SYSCALL) {
		const uint32_t duration = (uint32_t)head.second;

		delta = (scope_trace_unfold(delta, 32 - SCOPE_TYPE_BITS) + duration) & SCOPE_DELTA_MAX;
		head.second = (uint64_t)scope_trace_unfold(head.second >> 32, 32) << 32 | duration;
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

/* Reads bytes `from` to 7 of a word from columns, one every `step` bytes. Returns the place of the next one. */
static inline const uint8_t *gather(const uint8_t *column, size_t step, uint64_t *word, unsigned int from)
{
	for (unsigned int i = from; i < 8; i++, column += step)
		*word |= (uint64_t)*column << 8 * i;
	return column;
}

/* Sets the places of one class's columns from `at` on. Returns where they end. */
static size_t place_fixed(struct table *table, uint32_t class, size_t at)
{
	table->at = at;
	table->arg_at = at + (table->count ? table->count * (fixed_bytes(class) - 1ul) : 0);
	return table->arg_at;
}

/* Sets the places of all columns. -EBADMSG: they do not fit. */
static int find_columns(const uint8_t *columns, size_t bytes, size_t records, struct layout *layout)
{
	size_t at = sizeof(struct scope_subbuf);

	for (size_t i = 0; i < records; i++)
		layout->table[columns[at + i] & (CLASSES - 1)].count++;
	at += records;
	for (uint32_t class = 0; class < CLASSES; class += 1) {
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

/* Restores one record from its columns into `left` bytes. Returns its length; 0: there is no room for it. */
static size_t join_record(uint64_t *word, size_t left, uint8_t first, struct table *table, uint64_t *now_ns,
			  const uint8_t *columns)
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
	all = words + scope_trace_record_args((const uint8_t *)word, type_of(class));
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

int scope_trace_columns_join_3(const uint8_t *columns, size_t bytes, uint8_t *out)
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
		size_t rest,
			there = join_record((void *)record, bytes - at, *first, &layout.table[class], &now_ns, columns);

		at += there;
		rest = there ? scope_trace_record_rest(record, type_of(class)) : 0;
		if (!there || rest > bytes - at || rest > bytes - layout.rest_at)
			return -EBADMSG;
		if (rest)
			memcpy(out + at, columns + layout.rest_at, rest);
		layout.rest_at += rest;
		at += rest;
	}
	return at == bytes ? 0 : -EBADMSG;
}
