// SPDX-License-Identifier: GPL-2.0-only
/* Records of some types are found after all others, and none that extends beyond its sub-buffer. */
#include <stdbool.h>

#include "trace/walk.h"
#include "trace_fixture.h"

#define ALL (~0u)

/* Records that have no more than their fixed part, and of each that has more some with all of it. */
static void fill_all(struct filled *filled)
{
	static const struct {
		uint32_t type, bytes;
	} fixed[] = {
#define ROW(number, NAME, name, bytes, text) { number, bytes },
		SCOPE_RECORD_LIST(ROW)
#undef ROW
	};
	static const uint64_t more[8];
	struct scope_record_enter enter = { .word = scope_record_word(SCOPE_RECORD_ENTER, 1),
					    .abi_args = scope_abi_args(0, 6) };
	struct scope_record_chain chain = { .word = scope_record_word(SCOPE_RECORD_CHAIN, 1),
					    .count = 3,
					    .flags = SCOPE_STACK_COST };
	struct scope_record_stack stack = { .word = scope_record_word(SCOPE_RECORD_STACK, 1), .regs = 2, .bytes = 9 };
	struct scope_record_frames frames = { .word = scope_record_word(SCOPE_RECORD_FRAMES, 1), .count = 8 };

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
		uint32_t record[64] = { scope_record_word(fixed[i].type, 1) };

		filled_add(filled, record, fixed[i].bytes);
	}
	filled_add(filled, &enter, sizeof(enter));
	filled_add(filled, more, 48);
	filled_add(filled, &chain, sizeof(chain));
	filled_add(filled, more, 32);
	filled_add(filled, &stack, sizeof(stack));
	filled_add(filled, more, 32);
	filled_add(filled, &frames, sizeof(frames));
	filled_add(filled, more, 64);
}

static void test_types(void **state)
{
	struct filled filled = filled_begin(0, 0, 100, 7);
#define ONE(number, NAME, name, bytes, text) +1
	const uint32_t types = 0 SCOPE_RECORD_LIST(ONE);
	uint32_t seen[1 << SCOPE_TYPE_BITS] = { 0 }, offset = 0, count = 0;
	const void *record;

	(void)state;
	fill_all(&filled);
	filled_syscall(&filled, 1, 17);
	while ((record = scope_trace_walk_next(&filled.head, ALL, &offset))) {
		seen[scope_trace_walk_type(record)]++;
		count++;
	}
	assert_int_equal(offset, filled.head.used_bytes);
	/* One of each, and five more of some. */
	assert_int_equal(count, types + 5);
	for (uint32_t type = 1; type < 1 << SCOPE_TYPE_BITS; type++) {
		uint32_t found = 0;

		for (offset = 0; (record = scope_trace_walk_next(&filled.head, 1u << type, &offset)); found++)
			assert_int_equal(scope_trace_walk_type(record), type);
		assert_int_equal(found, seen[type]);
	}
	offset = 0;
	assert_null(scope_trace_walk_next(&filled.head, 0, &offset));
}

/* Of each record a little less than it says it has. */
static void test_cut(void **state)
{
	struct filled filled = filled_begin(0, 0, 100, 7);
	uint32_t offset = 0, before;

	(void)state;
	fill_all(&filled);
	for (before = 0; scope_trace_walk_next(&filled.head, ALL, &offset); before = offset) {
		struct filled cut = filled;
		uint32_t at = before;

		cut.head.used_bytes = offset - 8;
		assert_null(scope_trace_walk_next(&cut.head, ALL, &at));
		assert_int_equal(at, before);
	}
}

static void test_unknown(void **state)
{
	const uint32_t types[] = { 0, 21, 22 };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct filled filled = filled_begin(0, 0, 100, 7);
		uint32_t record[2] = { scope_record_word(types[i], 1) }, offset = 0;

		filled_add(&filled, record, sizeof(record));
		filled_syscall(&filled, 1, 17);
		assert_null(scope_trace_walk_next(&filled.head, ALL, &offset));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
