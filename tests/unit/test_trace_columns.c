// SPDX-License-Identifier: GPL-2.0-only
/* Sub-buffers in columns: any records come back as they were, anything else is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <scope/event.h>

#include "trace/columns.h"

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

/* A record of random bytes and of the length that it says. Its bytes; 0: it has no room. */
static size_t put_record(uint8_t *record, size_t left)
{
	static const uint8_t fixed[] = {
#define FIXED(number, NAME, name, bytes, text) [number] = bytes,
		SCOPE_RECORD_LIST(FIXED)
#undef FIXED
	};
	/* Later types have no columns. */
	const uint32_t type = 1 + any() % SCOPE_RECORD_PROBE;
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
	} else if (type == SCOPE_RECORD_PROBE) {
		((struct scope_record_probe *)record)->args = any() % (SCOPE_ARG_MAX + 1);
		bytes += 8 * ((struct scope_record_probe *)record)->args;
	}
	return bytes;
}

static void fill(struct scope_subbuf *subbuf)
{
	size_t at = sizeof(*subbuf), bytes;

	memset(subbuf, 0, BYTES);
	subbuf->magic = SCOPE_SUBBUF_MAGIC;
	subbuf->begin_ns = any() >> 1;
	while ((bytes = put_record((uint8_t *)subbuf + at, BYTES - at)))
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

		fill(subbuf);
		out = malloc(subbuf->used_bytes);
		back = malloc(subbuf->used_bytes);
		assert_int_equal(scope_columns_split(subbuf, out, &columns), 0);
		for (size_t j = 0; j < columns.count; j++) {
			assert_true(columns.border[j] > last);
			last = columns.border[j];
		}
		assert_true(last <= subbuf->used_bytes);
		assert_int_equal(scope_columns_join(out, subbuf->used_bytes, back), 0);
		assert_memory_equal(back, subbuf, subbuf->used_bytes);
		free(out);
		free(back);
	}
	free(subbuf);
}

/* Damage must not lead out of the memory; a length that differs is told. */
static void test_damage_is_harmless(void **state)
{
	struct scope_subbuf *subbuf = aligned_alloc(8, BYTES);
	struct scope_columns columns;
	int refused = 0;

	(void)state;
	for (int i = 0; i < 20 * ROUNDS; i++) {
		uint8_t *out, *back;
		size_t bytes;

		if (i % 20 == 0)
			fill(subbuf);
		bytes = subbuf->used_bytes;
		out = malloc(bytes);
		assert_int_equal(scope_columns_split(subbuf, out, &columns), 0);
		for (int j = any() % 4; j >= 0; j--)
			out[any() % (j ? bytes : 256)] = (uint8_t)any();
		if (any() % 4 == 0)
			bytes -= any() % bytes;
		back = malloc(bytes + 8);
		if (scope_columns_join(out, bytes, back))
			refused++;
		free(out);
		free(back);
	}
	assert_true(refused > ROUNDS);
	free(subbuf);
}

static void expect_no_split(const struct scope_subbuf *subbuf)
{
	struct scope_columns columns;
	uint8_t out[256];

	assert_int_equal(scope_columns_split(subbuf, out, &columns), -EINVAL);
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
	uint8_t out[sizeof(subbuf)], back[sizeof(subbuf)];

	(void)state;
	assert_int_equal(scope_columns_split(&subbuf.head, out, &columns), 0);
	assert_int_equal(scope_columns_join(out, sizeof(out), back), 0);
	assert_memory_equal(back, &subbuf, sizeof(back));
	assert_int_equal(scope_columns_join(out, sizeof(out) - 8, back), -EBADMSG);
	assert_int_equal(scope_columns_join(out, 8, back), -EBADMSG);
	subbuf.call.abi_args = scope_abi_args(0, 1); /* which is not there */
	expect_no_split(&subbuf.head);
	subbuf.call.abi_args = 0;
	subbuf.thread.word = scope_record_word(31, 1);
	expect_no_split(&subbuf.head);
	subbuf.thread.word = scope_record_word(SCOPE_RECORD_THREAD, 1);
	subbuf.head.zero = 1;
	expect_no_split(&subbuf.head);
	subbuf.head.zero = 0;
	subbuf.head.used_bytes = sizeof(subbuf.head);
	expect_no_split(&subbuf.head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_records_come_back),
		cmocka_unit_test(test_damage_is_harmless),
		cmocka_unit_test(test_what_is_not_known_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
