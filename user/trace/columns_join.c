// SPDX-License-Identifier: GPL-2.0-only
/* Restores the records of a sub-buffer from its columns, or only their stacks. */
#include "trace/columns_layout.h"

#include <errno.h>
#include <string.h>

#include "base/grow.h"
#include "trace/bits.h"

/* The reverse of transpose(): reads the bytes into *word and leaves its other bytes unchanged. */
static inline const uint8_t *gather(const uint8_t *column, size_t step, uint64_t *word, unsigned int from,
				    unsigned int to)
{
	uint64_t sum = *word; /* a local copy, because the bytes that are read might overlap *word */

#pragma GCC unroll 8
	for (unsigned int i = from; i < to; i++, column += step)
		sum |= (uint64_t)*column << 8 * i;
	*word = sum;
	return column;
}

/* The reverse of make_near(): fills in the parts of the first two words that are not in columns of bytes. */
static void make_far(struct scope_columns_past *past, uint32_t type, const uint64_t *value, uint64_t *word)
{
	uint32_t delta = (uint32_t)value[0] & SCOPE_DELTA_MAX;

	if (type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER)
		delta = (scope_trace_unfold(delta, SCOPE_DELTA_BITS) + value[1]) & SCOPE_DELTA_MAX;
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

/* Sets the places of all columns. -EBADMSG: they do not fit. */
static int find_columns(const uint8_t *columns, size_t bytes, struct scope_layout *layout)
{
	const struct scope_columns_head *head = (const void *)columns;
	const size_t records = head->subbuf.zero;
	size_t at = sizeof(*head);

	if (records > bytes - at)
		return -EBADMSG;
	for (; at < sizeof(*head) + records; at++) {
		if (columns[at] >= SCOPE_CLASSES)
			return -EBADMSG;
		layout->table[columns[at]].count++;
	}
	if (scope_trace_layout_types(layout))
		return -EBADMSG;
	at = scope_trace_layout_fixed(layout, at);
	if (at > bytes)
		return -EBADMSG;
	for (uint32_t class = 0; class < SCOPE_CLASSES; class += 1) {
		struct scope_class_table *table = &layout->table[class];
		const uint32_t type = scope_trace_class_type(layout, class);

		if (type != SCOPE_RECORD_SYSCALL && type != SCOPE_RECORD_ENTER)
			continue;
		/* abi_args is the third of the bytes stored in columns */
		for (size_t i = 0; i < table->count; i++)
			table->args += columns[table->plain + 2 * table->count + i] >> 4;
	}
	scope_trace_layout_args(layout, at);
	return layout->end + head->rest_bytes > bytes ? -EBADMSG : 0;
}

/* Restores one record from its columns into `left` bytes. Returns its length; 0: there is no room for it. */
static size_t join_record(uint64_t *word, size_t left, uint32_t class, struct scope_class_table *table,
			  struct scope_columns_past *past, struct scope_bits *bits, const uint8_t *columns)
{
	const size_t words = table->words, step = table->count, alike = table->alike;
	const uint8_t *symbol = columns + table->symbols + table->done;
	const uint8_t *column = columns + table->plain + table->done++;
	const uint32_t type = table->type;
	uint64_t value[SCOPE_VALUES_MAX] = { 0 }, first[2] = { 0, 0 };
	size_t args;

	if (8 * words > left)
		return 0;
	value[0] = scope_trace_value_join(*symbol, scope_trace_bits_get(bits, scope_trace_value_bits(*symbol)));
	symbol += step;
	if (table->values > 1)
		value[1] = scope_trace_value_join(*symbol, scope_trace_bits_get(bits, scope_trace_value_bits(*symbol)));
	column = gather(column, step, &first[0], 4, 8);
	if (table->from == 12)
		column = gather(column, step, &first[1], 4, 8);
	else if (table->from == 8 && words > 1)
		column = gather(column, step, &first[1], 0, 8);
	if (alike != SCOPE_NOWHERE)
		first[alike] = (uint64_t)scope_trace_past_alike(past, class, first[alike] >> 32, true) << 32;
	make_far(past, type, value, first);
	word[0] = first[0];
	if (words > 1)
		word[1] = first[1];
	for (size_t i = 2; i < words; i++) {
		word[i] = 0;
		column = gather(column, step, &word[i], 0, 8);
	}
	args = scope_trace_record_args((const uint8_t *)word, type);
	if (8 * (words + args) > left)
		return 0;
	for (size_t i = words; i < words + args; i++) {
		word[i] = 0;
		gather(columns + table->arg + table->args_done++, table->args, &word[i], 0, 8);
	}
	if (args)
		word[words] = scope_trace_past_arg(past, class, word[words], true);
	return 8 * (words + args);
}

/* Notes that the next `bytes` bytes are at that offset of the sub-buffer. 0 or -ENOMEM. */
static int add_rest(struct scope_trace_columns_rests *rests, size_t from, size_t bytes)
{
	if (scope_grow(&rests->rest, &rests->capacity, rests->count + 1, sizeof(*rests->rest)))
		return -ENOMEM;
	rests->rest[rests->count++] =
		(struct scope_columns_rest){ (uint32_t)from, (uint32_t)rests->bytes, (uint32_t)bytes };
	rests->bytes += bytes;
	return 0;
}

int scope_trace_columns_join(const uint8_t *columns, size_t bytes, uint8_t *out, size_t out_bytes,
			     struct scope_trace_columns_rests *rests)
{
	const struct scope_columns_head *head = (const void *)columns;
	const uint8_t *class = columns + sizeof(*head), *rest, *rest_end;
	struct scope_layout layout = { .type = head->type };
	struct scope_columns_past past = { 0 };
	struct scope_bits bits = { 0 };
	size_t at = sizeof(head->subbuf);

	if (bytes < sizeof(*head) || out_bytes < sizeof(head->subbuf) || find_columns(columns, bytes, &layout))
		return -EBADMSG;
	memcpy(out, &head->subbuf, sizeof(head->subbuf));
	((struct scope_subbuf *)out)->zero = 0;
	past.now_ns = head->subbuf.begin_ns;
	rest = columns + layout.end;
	rest_end = rest + head->rest_bytes;
	if (rests) {
		rests->data = rest;
		rests->count = rests->bytes = 0;
	}
	bits.at = (uint8_t *)rest_end;
	bits.end = columns + bytes;
	for (size_t records = head->subbuf.zero; records--; class += 1) {
		struct scope_class_table *table = &layout.table[*class];
		size_t more,
			there = join_record((void *)(out + at), out_bytes - at, *class, table, &past, &bits, columns);

		more = there ? scope_trace_record_rest(out + at, table->type) : 0;
		at += there;
		if (!there || more > out_bytes - at || more > (size_t)(rest_end - rest))
			return -EBADMSG;
		if (more) {
			memcpy(out + at, rest, more);
			if (rests && add_rest(rests, at, more))
				return -ENOMEM;
		}
		rest += more;
		at += more;
	}
	return at == out_bytes && rest == rest_end && scope_trace_bits_all_read(&bits) ? 0 : -EBADMSG;
}

/*
 * Skips the next record of a class without restoring its times and arguments. Returns its length in the sub-buffer
 * without the rest; *ret_rest: length of the rest.
 */
static size_t pass_record(struct scope_class_table *table, const uint8_t *columns, size_t *ret_rest)
{
	const size_t step = table->count, words = table->words;
	const uint8_t *column = columns + table->plain + table->done++;
	_Alignas(8) uint8_t record[sizeof(struct scope_record_state)];
	uint64_t word;

	*ret_rest = 0;
	switch (table->type) {
	case SCOPE_RECORD_SYSCALL:
	case SCOPE_RECORD_ENTER:
		/* abi_args is the third of the bytes stored in columns */
		return 8 * (words + (column[2 * step] >> 4));
	case SCOPE_RECORD_STATE:
	case SCOPE_RECORD_CHAIN:
	case SCOPE_RECORD_STACK:
	case SCOPE_RECORD_FRAMES:
	case SCOPE_RECORD_PROBE:
		for (size_t i = 0; i < words; i++) {
			word = 0;
			column = gather(column, step, &word, i ? 0 : 4, 8);
			memcpy(record + 8 * i, &word, sizeof(word));
		}
		*ret_rest = scope_trace_record_rest(record, table->type);
		break;
	}
	return 8 * words;
}

int scope_trace_columns_rests(const uint8_t *columns, size_t bytes, size_t out_bytes,
			      struct scope_trace_columns_rests *rests)
{
	const struct scope_columns_head *head = (const void *)columns;
	const uint8_t *class = columns + sizeof(*head);
	struct scope_layout layout = { .type = head->type };
	size_t from = sizeof(head->subbuf);

	rests->count = rests->bytes = 0;
	if (bytes < sizeof(*head) || find_columns(columns, bytes, &layout) || head->rest_bytes > out_bytes)
		return -EBADMSG;
	for (size_t records = head->subbuf.zero; records--; class += 1) {
		size_t more;

		from += pass_record(&layout.table[*class], columns, &more);
		if (!more)
			continue;
		if (add_rest(rests, from, more))
			return -ENOMEM;
		from += more;
		if (from > out_bytes || rests->bytes > head->rest_bytes)
			return -EBADMSG;
	}
	rests->data = columns + layout.end;
	return from == out_bytes && rests->bytes == head->rest_bytes ? 0 : -EBADMSG;
}

const struct scope_columns_rest *scope_trace_columns_find_rest(const struct scope_columns_rest *rest, size_t count,
							       size_t from, size_t bytes)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (from >= (size_t)rest[middle].from + rest[middle].bytes)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == count || from < rest[low].from || bytes > rest[low].from + (size_t)rest[low].bytes - from)
		return NULL;
	return &rest[low];
}
