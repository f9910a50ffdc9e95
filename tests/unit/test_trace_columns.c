// SPDX-License-Identifier: GPL-2.0-only
/* Sub-buffers in columns: any records are restored exactly, and wrong data is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <scope/event.h>

#include "trace/columns_layout.h"

#define ROUNDS 300
#define BYTES 16384u

static uint64_t state_of_random = 88172645463325252ull;

/* Marsaglia's xorshift64 */
static uint64_t any(void)
{
	state_of_random ^= state_of_random << 13;
	state_of_random ^= state_of_random >> 7;
	return state_of_random ^= state_of_random << 17;
}

/* A record of random bytes, of one of the first types and of the length that it says. Its bytes; 0: no room. */
static size_t put_record(uint8_t *record, size_t left, uint32_t types)
{
	static const uint8_t fixed[] = {
#define FIXED(number, NAME, name, bytes, text) [number] = bytes,
		SCOPE_RECORD_LIST(FIXED)
#undef FIXED
	};
	const uint32_t type = 1 + any() % types;
	size_t bytes = fixed[type];

	if (left < 2048)
		return 0;
	for (size_t i = 0; i < 2048; i++)
		record[i] = any() % 3 ? 0 : (uint8_t)any();
	*(uint32_t *)record = scope_record_word(type, any() & SCOPE_DELTA_MAX);
	if (type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER) {
		record[6] = scope_abi_args(1, any() % (SCOPE_ARG_MAX + 1));
		bytes += 8 * (record[6] >> 4);
	} else if (type == SCOPE_RECORD_STATE) {
		((struct scope_record_state *)record)->regs = any() % (SCOPE_REG_MAX + 1);
		bytes += 8 * ((struct scope_record_state *)record)->regs;
	} else if (type == SCOPE_RECORD_CHAIN) {
		struct scope_record_chain *chain = (void *)record;

		chain->count = any() % 65;
		bytes += 8 * chain->count + (chain->flags & SCOPE_STACK_COST ? 8 : 0);
	} else if (type == SCOPE_RECORD_STACK) {
		struct scope_record_stack *stack = (void *)record;

		stack->regs = any() % (SCOPE_REG_MAX + 1);
		stack->bytes = any() % 1000;
		bytes += 8 * stack->regs + (stack->bytes + 7) / 8 * 8;
	} else if (type == SCOPE_RECORD_FRAMES) {
		((struct scope_record_frames *)record)->count = any() % 100;
		bytes += 8 * ((struct scope_record_frames *)record)->count;
	} else if (type == SCOPE_RECORD_PROBE) {
		((struct scope_record_probe *)record)->args = any() % (SCOPE_ARG_MAX + 1);
		bytes += 8 * ((struct scope_record_probe *)record)->args;
	}
	return bytes;
}

static void fill(struct scope_subbuf *subbuf, uint32_t types)
{
	size_t at = sizeof(*subbuf), bytes;

	memset(subbuf, 0, BYTES);
	subbuf->magic = SCOPE_SUBBUF_MAGIC;
	subbuf->begin_ns = any() >> 1;
	while ((bytes = put_record((uint8_t *)subbuf + at, BYTES - at, types)))
		at += bytes;
	subbuf->used_bytes = (uint32_t)at;
}

/* Of exactly used_bytes each, so that a sanitizer sees what goes beyond. */
static void test_any_records_come_back(void **state)
{
	struct scope_subbuf *subbuf = aligned_alloc(8, BYTES);
	struct scope_columns columns;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		uint8_t *out, *back;
		uint32_t last = sizeof(*subbuf);

		fill(subbuf, SCOPE_RECORD_FRAMES);
		out = malloc(scope_trace_columns_room(subbuf->used_bytes));
		back = malloc(subbuf->used_bytes);
		assert_int_equal(scope_trace_columns_split(subbuf, out, &columns), 0);
		for (size_t j = 0; j < columns.count; j++) {
			assert_true(columns.column[j].end > last);
			last = columns.column[j].end;
		}
		assert_true(last <= scope_trace_columns_bound(subbuf->used_bytes));
		out = realloc(out, last);
		assert_int_equal(scope_trace_columns_join(out, last, back, subbuf->used_bytes, NULL), 0);
		assert_memory_equal(back, subbuf, subbuf->used_bytes);
		free(out);
		free(back);
	}
	free(subbuf);
}

/* Each stack of the sub-buffer, without the records: bytes of it, and none beyond. */
static void test_stacks_stand_where_they_did(void **state)
{
	struct scope_subbuf *subbuf = aligned_alloc(8, BYTES);
	struct scope_trace_columns_rests rests = { 0 }, joined = { 0 };
	struct scope_columns columns;
	size_t found = 0;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		uint8_t *out, *back;
		uint32_t bytes;

		fill(subbuf, SCOPE_RECORD_FRAMES);
		out = malloc(scope_trace_columns_room(subbuf->used_bytes));
		back = malloc(subbuf->used_bytes);
		assert_int_equal(scope_trace_columns_split(subbuf, out, &columns), 0);
		bytes = columns.column[columns.count - 1].end;
		out = realloc(out, bytes);
		assert_int_equal(scope_trace_columns_rests(out, bytes, subbuf->used_bytes, &rests), 0);
		for (size_t j = 0; j < rests.count; j++) {
			const struct scope_columns_rest *rest = &rests.rest[j];

			assert_memory_equal(rests.data + rest->at, (uint8_t *)subbuf + rest->from, rest->bytes);
			assert_ptr_equal(
				scope_trace_columns_find_rest(rests.rest, rests.count, rest->from, rest->bytes), rest);
			if (rest->bytes > 8)
				assert_ptr_equal(scope_trace_columns_find_rest(rests.rest, rests.count, rest->from + 8,
									       8),
						 rest);
			assert_null(scope_trace_columns_find_rest(rests.rest, rests.count, rest->from - 8, 8));
			assert_null(
				scope_trace_columns_find_rest(rests.rest, rests.count, rest->from + 8, rest->bytes));
		}
		assert_int_equal(scope_trace_columns_join(out, bytes, back, subbuf->used_bytes, &joined), 0);
		assert_int_equal(joined.count, rests.count);
		assert_int_equal(joined.bytes, rests.bytes);
		assert_ptr_equal(joined.data, rests.data);
		if (rests.count)
			assert_memory_equal(joined.rest, rests.rest, rests.count * sizeof(*rests.rest));
		found += rests.count;
		assert_int_equal(scope_trace_columns_rests(out, bytes, subbuf->used_bytes - 8, &rests), -EBADMSG);
		free(out);
		free(back);
	}
	assert_true(found > ROUNDS);
	free(joined.rest);
	free(rests.rest);
	free(subbuf);
}

/* Damage must not lead out of the memory; a length that differs is reported. */
static void test_damage_is_harmless(void **state)
{
	struct scope_subbuf *subbuf = aligned_alloc(8, BYTES);
	struct scope_trace_columns_rests rests = { 0 };
	struct scope_columns columns;
	int refused = 0;

	(void)state;
	for (int i = 0; i < 20 * ROUNDS; i++) {
		uint8_t *out, *back;
		size_t bytes;

		if (i % 20 == 0)
			fill(subbuf, SCOPE_RECORD_FRAMES);
		out = malloc(scope_trace_columns_room(subbuf->used_bytes));
		assert_int_equal(scope_trace_columns_split(subbuf, out, &columns), 0);
		bytes = columns.column[columns.count - 1].end;
		for (int j = any() % 4; j >= 0; j--)
			out[any() % (j ? bytes : 256)] = (uint8_t)any();
		if (any() % 4 == 0)
			bytes -= any() % bytes;
		out = realloc(out, bytes);
		back = malloc(subbuf->used_bytes);
		if (scope_trace_columns_join(out, bytes, back, subbuf->used_bytes, NULL))
			refused++;
		scope_trace_columns_rests(out, bytes, subbuf->used_bytes, &rests);
		free(out);
		free(back);
	}
	assert_true(refused > ROUNDS);
	free(rests.rest);
	free(subbuf);
}

static void expect_no_split(const struct scope_subbuf *subbuf)
{
	struct scope_columns columns;
	_Alignas(8) uint8_t out[768];

	assert_int_equal(scope_trace_columns_split(subbuf, out, &columns), -EINVAL);
}

static void test_what_is_not_known_stays_as_it_is(void **state)
{
	struct {
		struct scope_subbuf head;
		struct scope_record_thread thread;
		struct scope_record_syscall call;
	} subbuf = {
		.head = { .magic = SCOPE_SUBBUF_MAGIC, .used_bytes = sizeof(subbuf) },
		.thread.word = scope_record_word(SCOPE_RECORD_THREAD, 1),
		.call = { .word = scope_record_word(SCOPE_RECORD_SYSCALL, 1) },
	};
	struct scope_columns columns;
	_Alignas(8) uint8_t out[768];
	uint8_t back[sizeof(subbuf)];
	size_t bytes;

	(void)state;
	assert_int_equal(scope_trace_columns_split(&subbuf.head, out, &columns), 0);
	bytes = columns.column[columns.count - 1].end;
	assert_int_equal(scope_trace_columns_join(out, bytes, back, sizeof(back), NULL), 0);
	assert_memory_equal(back, &subbuf, sizeof(back));
	assert_int_equal(scope_trace_columns_join(out, bytes - 1, back, sizeof(back), NULL), -EBADMSG);
	assert_int_equal(scope_trace_columns_join(out, bytes, back, sizeof(back) - 8, NULL), -EBADMSG);
	assert_int_equal(scope_trace_columns_join(out, 8, back, sizeof(back), NULL), -EBADMSG);
	subbuf.call.abi_args = scope_abi_args(0, 1); /* which is not there */
	expect_no_split(&subbuf.head);
	subbuf.call.abi_args = 0;
	subbuf.thread.word = scope_record_word(0, 1); /* no type */
	expect_no_split(&subbuf.head);
	subbuf.thread.word = scope_record_word(SCOPE_RECORD_THREAD, 1);
	subbuf.head.zero = 1;
	expect_no_split(&subbuf.head);
	subbuf.head.zero = 0;
	subbuf.head.used_bytes = sizeof(subbuf.head);
	expect_no_split(&subbuf.head);
}

/* What is in the columns of format 3 instead of a record's own fields; see docs/trace-format.md. */
static void change_for_3(uint8_t *record, uint64_t *now_ns)
{
	uint32_t *word = (void *)record, type = scope_record_type(*word);
	uint32_t delta = scope_record_delta(*word);
	struct scope_record_syscall *call = (void *)record;
	struct scope_record_enter *enter = (void *)record;
	struct scope_record_time *time = (void *)record;
	uint64_t before_ns = *now_ns;

	*now_ns = type == SCOPE_RECORD_TIME ? time->time_ns : before_ns + delta;
	if (type == SCOPE_RECORD_SYSCALL) {
		int32_t gap = (int32_t)((delta - call->duration_ns) << 5) >> 5;

		delta = ((uint32_t)gap << 1 ^ (gap < 0 ? UINT32_MAX : 0)) & SCOPE_DELTA_MAX;
		call->ret = (int32_t)((uint32_t)call->ret << 1 ^ (call->ret < 0 ? UINT32_MAX : 0));
	} else if (type == SCOPE_RECORD_ENTER) {
		enter->enter_ns = *now_ns - enter->enter_ns;
	} else if (type == SCOPE_RECORD_TIME) {
		time->time_ns -= before_ns;
	}
	*word = type | (delta >> 24) << SCOPE_TYPE_BITS | delta << 8;
}

/* Splits as format 3 does, all calls in one class; what is at `where` was changed. Its bytes. */
static size_t split_for_3(uint8_t *out, uint8_t *const *where, const uint8_t *type, size_t records,
			  const size_t *length)
{
	static const uint8_t fixed[] = {
#define FIXED(number, NAME, name, bytes, text) [number] = bytes,
		SCOPE_RECORD_LIST(FIXED)
#undef FIXED
	};
	size_t at = 0;

	for (size_t i = 0; i < records; i++)
		out[at++] = where[i][0];
	for (uint32_t class = 1; class <= SCOPE_RECORD_PROBE; class += 1) {
		const bool call = class == SCOPE_RECORD_SYSCALL || class == SCOPE_RECORD_ENTER;

		for (size_t byte = 1; byte < fixed[class]; byte++)
			for (size_t i = 0; i < records; i++)
				if (type[i] == class)
					out[at++] = where[i][byte];
		for (size_t byte = 0; call && byte < 8; byte++)
			for (size_t i = 0; i < records; i++)
				for (size_t j = 16; type[i] == class && j < length[i]; j += 8)
					out[at++] = where[i][j + byte];
	}
	for (size_t i = 0; i < records; i++) {
		if (type[i] == SCOPE_RECORD_SYSCALL || type[i] == SCOPE_RECORD_ENTER)
			continue;
		memcpy(out + at, where[i] + fixed[type[i]], length[i] - fixed[type[i]]);
		at += length[i] - fixed[type[i]];
	}
	return at;
}

/* Of a sub-buffer, to as many bytes. */
static void write_format_3(const struct scope_subbuf *subbuf, const size_t *length, size_t records, uint8_t *out)
{
	uint8_t *copy = malloc(subbuf->used_bytes), *where[BYTES / 8], type[BYTES / 8];
	uint64_t now_ns = subbuf->begin_ns;
	size_t at = sizeof(*subbuf);

	memcpy(copy, subbuf, subbuf->used_bytes);
	memcpy(out, subbuf, sizeof(*subbuf));
	((struct scope_subbuf *)out)->zero = records;
	for (size_t i = 0; i < records; at += length[i++]) {
		where[i] = copy + at;
		type[i] = scope_record_type(*(uint32_t *)where[i]);
		change_for_3(where[i], &now_ns);
	}
	at = sizeof(*subbuf) + split_for_3(out + sizeof(*subbuf), where, type, records, length);
	assert_int_equal(at, subbuf->used_bytes);
	free(copy);
}

static void test_format_3_is_read(void **state)
{
	struct scope_subbuf *subbuf = aligned_alloc(8, BYTES);
	size_t length[BYTES / 8];

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		size_t at = sizeof(*subbuf), records = 0, bytes;
		uint8_t *out, *back;

		memset(subbuf, 0, BYTES);
		subbuf->begin_ns = any() >> 1;
		while ((bytes = put_record((uint8_t *)subbuf + at, BYTES - at, SCOPE_RECORD_PROBE))) {
			length[records++] = bytes;
			at += bytes;
		}
		subbuf->used_bytes = (uint32_t)at;
		out = malloc(at);
		back = malloc(at);
		write_format_3(subbuf, length, records, out);
		assert_int_equal(scope_trace_columns_join_3(out, at, back), 0);
		assert_memory_equal(back, subbuf, at);
		for (int j = any() % 4; j >= 0; j--)
			out[any() % (j ? at : 256)] = (uint8_t)any();
		scope_trace_columns_join_3(out, at, back); /* whatever it says, it stays inside */
		free(out);
		free(back);
	}
	free(subbuf);
}

/* Calls of one number have classes by whether they failed, and by whether the call before had their descriptor. */
static void test_calls_have_classes(void **state)
{
	static const struct {
		uint16_t nr;
		uint64_t fd;
		int32_t ret;
		uint8_t class;
	} rows[] = {
		{ 232, 5, 1, 0 }, { 0, 7, 60, 1 }, { 1, 7, 90, 2 }, { 0, 7, -11, 3 }, { 232, 5, 1, 0 },
		{ 0, 8, 61, 1 },  { 0, 8, 12, 4 }, { 1, 8, 90, 2 }, { 0, 8, -11, 3 }, { 0, 9, -11, 5 },
	};
	struct {
		struct scope_subbuf head;
		struct {
			struct scope_record_syscall call;
			uint64_t fd;
		} record[sizeof(rows) / sizeof(rows[0])];
	} subbuf = { .head = { .magic = SCOPE_SUBBUF_MAGIC, .used_bytes = sizeof(subbuf) } };
	struct scope_columns columns;
	_Alignas(8) uint8_t out[1536];
	uint8_t back[sizeof(subbuf)];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		subbuf.record[i].call.word = scope_record_word(SCOPE_RECORD_SYSCALL, 1000);
		subbuf.record[i].call.nr = rows[i].nr;
		subbuf.record[i].call.abi_args = scope_abi_args(0, 1);
		subbuf.record[i].call.ret = rows[i].ret;
		subbuf.record[i].fd = rows[i].fd;
	}
	assert_int_equal(scope_trace_columns_split(&subbuf.head, out, &columns), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(out[sizeof(struct scope_columns_head) + i], SCOPE_RECORD_TYPES + rows[i].class);
	assert_int_equal(scope_trace_columns_join(out, columns.column[columns.count - 1].end, back, sizeof(back), NULL),
			 0);
	assert_memory_equal(back, &subbuf, sizeof(back));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_records_come_back), cmocka_unit_test(test_stacks_stand_where_they_did),
		cmocka_unit_test(test_damage_is_harmless),    cmocka_unit_test(test_what_is_not_known_stays_as_it_is),
		cmocka_unit_test(test_calls_have_classes),    cmocka_unit_test(test_format_3_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
