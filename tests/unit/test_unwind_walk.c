// SPDX-License-Identifier: GPL-2.0-only
/* The module's walk by unwind tables: known stacks, each kind of rule, wrong tables, and random tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../kmod/unwind.h"

#define STACK 0x7000ull /* address of memory[0] */
#define WORDS 512
#define CODE 0x400000ull
#define TABLE_BYTES 65536

static uint64_t memory[WORDS];
static unsigned int reads;

static bool read_word(u64 *to, u64 from)
{
	reads++;
	if (from < STACK || from - STACK > sizeof(memory) - sizeof(*to))
		return false;
	memcpy(to, (const uint8_t *)memory + (from - STACK), sizeof(*to));
	return true;
}

static u64 plain(u64 word)
{
	return word;
}

static const struct scope_unwind_machine x86 = { read_word, plain, true }, arm = { read_word, plain, false };

/* A table with a row for each rule, 16 bytes of code each, from link address 0 on. */
static struct {
	struct scope_table_header head;
	uint8_t rest[TABLE_BYTES];
} table;
static struct scope_unwind_table view;
static struct {
	struct scope_unwind_maps maps;
	struct scope_unwind_map map[2];
} space;

static void table_of(const struct scope_table_rule *rule, uint32_t rules)
{
	uint32_t *first = (uint32_t *)(table.rest + rules * sizeof(*rule));

	memset(&table, 0, sizeof(table));
	memcpy(table.rest, rule, rules * sizeof(*rule));
	table.head =
		(struct scope_table_header){ .magic = SCOPE_TABLE_MAGIC, .rules = rules, .pages = 1, .rows = rules };
	table.head.bytes = (uint32_t)scope_unwind_table_bytes(&table.head);
	first[1] = rules;
	for (uint32_t i = 0; i < rules; i++)
		first[2 + i] = (i * 16) << 16 | i;
	assert_int_equal(scope_unwind_table_open(&table, table.head.bytes, NULL, &view), 0);
	space.maps.count = 1;
	space.maps.map[0] = (struct scope_unwind_map){ CODE, CODE + 0x1000, 0, &view, false };
}

struct walked {
	u64 ip[64];
	u32 count;
	u8 ended;
	int reason;
};

static void forget(void)
{
	memset(space.maps.recent, 0, sizeof(space.maps.recent));
}

static struct walked walk_once(const struct scope_unwind_machine *machine, struct scope_unwind_frame frame, u32 max)
{
	struct walked walked = { .count = 0 };

	reads = 0;
	frame.exact = true;
	walked.reason = scope_unwind_walk(machine, &space.maps, &frame, walked.ip, max, &walked.count, &walked.ended);
	assert_true(walked.count <= max);
	assert_true(reads <= (3 + SCOPE_UNWIND_FRAME_WORDS) * max);
	return walked;
}

/* Twice: the second time by the steps that are remembered. */
static struct walked walk(const struct scope_unwind_machine *machine, struct scope_unwind_frame frame, u32 max)
{
	struct walked first, again;

	forget();
	first = walk_once(machine, frame, max);
	again = walk_once(machine, frame, max);
	assert_int_equal(again.reason, first.reason);
	assert_int_equal(again.count, first.count);
	assert_int_equal(again.ended, first.ended);
	assert_memory_equal(again.ip, first.ip, first.count * sizeof(*first.ip));
	return again;
}

/* Code of rule n; as a return address, which is looked up one before. */
#define AT(n) (CODE + (n)*16 + 8)

static void test_each_kind_of_rule(void **state)
{
	static const struct scope_table_rule rules[] = {
		{ SCOPE_CFA_SP, SCOPE_VALUE_AT_CFA, SCOPE_VALUE_AT_CFA, 0, 16, -16, -8 }, /* pushed fp */
		{ SCOPE_CFA_FP, SCOPE_VALUE_AT_CFA, SCOPE_VALUE_AT_CFA, 0, 16, -16, -8 }, /* by fp */
		{ SCOPE_CFA_SP, SCOPE_VALUE_SAME, SCOPE_VALUE_AT_CFA, 0, 24, 0, -8 },	  /* two words of locals */
		{ SCOPE_CFA_AT_FP, SCOPE_VALUE_AT_FP, SCOPE_VALUE_AT_CFA, 0, -8, 0, -8 }, /* realigned */
		{ SCOPE_CFA_AT_SP, SCOPE_VALUE_AT_SP, SCOPE_VALUE_AT_SP, SCOPE_RULE_SIGNAL, 8, 16, 24 },
		{ .cfa = SCOPE_CFA_END },
	};
	struct walked walked;
	unsigned int at = 0;

	(void)state;
	table_of(rules, 6);
	memset(memory, 0, sizeof(memory));
	/* 0: fp of 1, and back to 1 */
	memory[at++] = STACK + 4 * 8;
	memory[at++] = AT(1);
	at += 2;		       /* locals of 1 */
	memory[at++] = STACK + 12 * 8; /* fp of 3 */
	memory[at++] = AT(2);
	at += 2; /* locals of 2 */
	memory[at++] = AT(3);
	/* 3: its CFA is at fp - 8, the caller's fp at fp */
	memory[11] = STACK + 14 * 8;
	memory[12] = 0x1234;
	memory[13] = CODE + 4 * 16 + 1; /* the first byte of 4 that a call leads back to */
	/* 4: a signal frame at 14: CFA, fp, pc of what was interrupted */
	memory[15] = STACK + 40 * 8;
	memory[16] = 0x5678;
	memory[17] = CODE + 5 * 16;
	walked = walk(&x86, (struct scope_unwind_frame){ .pc = CODE, .sp = STACK, .has_fp = true }, 64);
	assert_int_equal(walked.reason, 0);
	assert_int_equal(walked.ended, SCOPE_FRAMES_COMPLETE);
	assert_int_equal(walked.count, 6);
	assert_int_equal(walked.ip[0], CODE);
	assert_int_equal(walked.ip[1], AT(1));
	assert_int_equal(walked.ip[2], AT(2));
	assert_int_equal(walked.ip[3], AT(3));
	assert_int_equal(walked.ip[4], CODE + 4 * 16 + 1);
	assert_int_equal(walked.ip[5], CODE + 5 * 16 + 1); /* interrupted: one more */
	walked = walk(&x86, (struct scope_unwind_frame){ .pc = CODE, .sp = STACK, .has_fp = true }, 5);
	assert_int_equal(walked.reason, SCOPE_COPY_DEEP);
}

static void test_plt(void **state)
{
	static const struct scope_table_rule rules[] = {
		{ SCOPE_CFA_PLT, SCOPE_VALUE_SAME, SCOPE_VALUE_AT_CFA, 0, 8, 11, -8 },
		{ .cfa = SCOPE_CFA_END },
	};

	(void)state;
	table_of(rules, 2);
	memory[0] = AT(1);
	memory[1] = AT(1) + 1;
	for (unsigned int i = 0; i < 16; i++) {
		const struct walked walked =
			walk(&x86, (struct scope_unwind_frame){ .pc = CODE + i, .sp = STACK, .has_fp = true }, 64);

		assert_int_equal(walked.count, 2);
		assert_int_equal(walked.ip[1], i < 11 ? AT(1) : AT(1) + 1);
	}
}

/* An epilogue has popped fp: its slot is below the stack pointer, and the register has its value again. */
static void test_popped(void **state)
{
	static const struct scope_table_rule rules[] = {
		{ SCOPE_CFA_SP, SCOPE_VALUE_AT_CFA, SCOPE_VALUE_AT_CFA, 0, 8, -16, -8 },
		{ SCOPE_CFA_FP, SCOPE_VALUE_AT_CFA, SCOPE_VALUE_AT_CFA, 0, 16, -16, -8 },
		{ .cfa = SCOPE_CFA_END },
	};
	struct walked walked;

	(void)state;
	table_of(rules, 3);
	memory[9] = 0xbad;
	memory[10] = AT(1);
	memory[20] = 0;
	memory[21] = AT(2);
	walked = walk(&x86, (struct scope_unwind_frame){ CODE, STACK + 80, STACK + 160, .has_fp = true }, 64);
	assert_int_equal(walked.reason, 0);
	assert_int_equal(walked.count, 3);
}

static void test_link_register(void **state)
{
	static const struct scope_table_rule rules[] = {
		{ SCOPE_CFA_SP, SCOPE_VALUE_SAME, SCOPE_VALUE_SAME, 0, 0, 0, 0 }, /* a leaf */
		{ SCOPE_CFA_SP, SCOPE_VALUE_AT_CFA, SCOPE_VALUE_AT_CFA, 0, 16, -16, -8 },
		{ .cfa = SCOPE_CFA_END },
	};
	struct scope_unwind_frame frame = { CODE, STACK, 0, AT(1), .has_fp = true, .has_link = true };
	struct walked walked;

	(void)state;
	table_of(rules, 3);
	memory[0] = 0;
	memory[1] = AT(2);
	walked = walk(&arm, frame, 64);
	assert_int_equal(walked.reason, 0);
	assert_int_equal(walked.count, 3);
	/* Its own caller, without end. */
	frame.link = CODE;
	frame.pc = CODE;
	assert_int_equal(walk(&arm, frame, 64).reason, SCOPE_COPY_BROKEN);
	/* x86 has no such register. */
	frame.has_link = false;
	assert_int_equal(walk(&x86, frame, 64).reason, SCOPE_COPY_BROKEN);
}

static int one(struct scope_table_rule rule, u64 pc, u64 sp, u64 fp)
{
	table_of(&rule, 1);
	return walk(&x86, (struct scope_unwind_frame){ pc, sp, fp, .has_fp = true }, 64).reason;
}

static void test_what_cannot_be(void **state)
{
	struct scope_table_rule rule = { SCOPE_CFA_SP, SCOPE_VALUE_SAME, SCOPE_VALUE_AT_CFA, 0, 8, 0, -8 };

	(void)state;
	memset(memory, 0, sizeof(memory));
	assert_int_equal(one(rule, CODE, STACK, 0), 0); /* a return address of 0 ends it */
	assert_int_equal(one(rule, CODE - 1, STACK, 0), SCOPE_COPY_UNMAPPED);
	assert_int_equal(one(rule, CODE + 0x1000, STACK, 0), SCOPE_COPY_UNMAPPED);
	assert_int_equal(one(rule, CODE, STACK + sizeof(memory), 0), SCOPE_COPY_MEMORY);
	assert_int_equal(one(rule, CODE, UINT64_MAX - 8, 0), SCOPE_COPY_MEMORY);
	memory[0] = 77;
	assert_int_equal(one(rule, CODE, STACK, 0), SCOPE_COPY_UNMAPPED);
	rule.cfa_offset = 0;
	assert_int_equal(one(rule, CODE, STACK, 0), SCOPE_COPY_BROKEN);
	rule.cfa_offset = -8;
	assert_int_equal(one(rule, CODE, STACK + 16, 0), SCOPE_COPY_BROKEN);
	rule.cfa = SCOPE_CFA_OTHER;
	assert_int_equal(one(rule, CODE, STACK, 0), SCOPE_COPY_OTHER);
	rule.cfa = SCOPE_CFA_NONE;
	assert_int_equal(one(rule, CODE, STACK, 0), SCOPE_COPY_NO_TABLE);
	space.maps.map[0].table = NULL;
	assert_int_equal(walk(&x86, (struct scope_unwind_frame){ CODE, STACK, 0, .has_fp = true }, 64).reason,
			 SCOPE_COPY_NO_TABLE);
}

static void test_frame_pointers(void **state)
{
	struct walked walked;

	(void)state;
	memset(memory, 0, sizeof(memory));
	space.maps.count = 1;
	space.maps.map[0] = (struct scope_unwind_map){ CODE, CODE + 0x1000, 0, NULL, true };
	memory[2] = STACK + 64;
	memory[3] = CODE + 20;
	memory[8] = 0;
	memory[9] = CODE + 40;
	/* Of the outermost frame, or of code that has another use for the register. */
	walked = walk(&x86, (struct scope_unwind_frame){ CODE, STACK, STACK + 16, .has_fp = true }, 64);
	assert_int_equal(walked.reason, SCOPE_COPY_OTHER);
	memory[8] = STACK + 96;
	walked = walk(&x86, (struct scope_unwind_frame){ CODE, STACK, STACK + 16, .has_fp = true }, 64);
	assert_int_equal(walked.reason, 0);
	assert_int_equal(walked.count, 3);
	assert_int_equal(walked.ended, SCOPE_FRAMES_COMPLETE | SCOPE_FRAMES_GUESSED);
	assert_int_equal(walk(&x86, (struct scope_unwind_frame){ CODE, STACK, STACK + 17, .has_fp = true }, 64).reason,
			 SCOPE_COPY_BROKEN);
	memory[8] = STACK + 16; /* down again */
	assert_int_equal(walk(&x86, (struct scope_unwind_frame){ CODE, STACK, STACK + 16, .has_fp = true }, 64).reason,
			 SCOPE_COPY_BROKEN);
}

/* Code made at run time without a frame pointer, as Python's trampolines: its caller would be skipped. */
static void test_no_frame_pointer(void **state)
{
	static const struct scope_table_rule rules[] = { { .cfa = SCOPE_CFA_END } };
	struct scope_unwind_frame frame = { CODE + 0x2000, STACK, STACK + 64, .has_fp = true };

	(void)state;
	memset(memory, 0, sizeof(memory));
	table_of(rules, 1);
	space.maps.count = 2;
	space.map[1] = (struct scope_unwind_map){ CODE + 0x2000, CODE + 0x3000, 0, NULL, true };
	memory[8] = STACK + 128;
	memory[9] = AT(0);
	assert_int_equal(walk(&x86, frame, 64).count, 2);
	memory[1] = CODE + 4; /* the return address of that code */
	assert_int_equal(walk(&x86, frame, 64).reason, SCOPE_COPY_OTHER);
	memory[1] = CODE + 0x2004; /* a pointer to code of the same kind */
	assert_int_equal(walk(&x86, frame, 64).count, 2);
	frame.fp = STACK + 8 * (SCOPE_UNWIND_FRAME_WORDS + 2);
	memory[SCOPE_UNWIND_FRAME_WORDS + 2] = STACK + 1024;
	memory[SCOPE_UNWIND_FRAME_WORDS + 3] = AT(0);
	assert_int_equal(walk(&x86, frame, 64).reason, SCOPE_COPY_OTHER);
}

/*
 * Code of a file without a rule, as what V8 compiles into its program, or Go's: frame pointers are followed where nothing
 * between can be a return address.
 */
static void test_no_rule(void **state)
{
	static const struct scope_table_rule rules[] = { { .cfa = SCOPE_CFA_NONE }, { .cfa = SCOPE_CFA_END } };
	const struct scope_unwind_frame frame = { CODE, STACK, STACK + 64, .has_fp = true };
	struct scope_unwind_table without_rows;
	struct walked walked;

	(void)state;
	memset(memory, 0, sizeof(memory));
	table_of(rules, 2);
	memory[8] = STACK + 128;
	memory[9] = AT(1);
	walked = walk(&x86, frame, 64);
	assert_int_equal(walked.reason, 0);
	assert_int_equal(walked.count, 2);
	assert_int_equal(walked.ended, SCOPE_FRAMES_COMPLETE | SCOPE_FRAMES_GUESSED);
	memory[1] = CODE + 0x3000; /* no code is there */
	assert_int_equal(walk(&x86, frame, 64).count, 2);
	memory[1] = AT(1);
	assert_int_equal(walk(&x86, frame, 64).reason, SCOPE_COPY_NO_TABLE);
	memory[1] = 0;
	/* The return address may be in a register. */
	assert_int_equal(walk(&arm, frame, 64).reason, SCOPE_COPY_NO_TABLE);
	/* A file without any rule. */
	memory[16] = STACK + 160;
	memory[17] = AT(0);
	memory[20] = memory[21] = 0; /* the end */
	table.head.rules = 1;
	table.head.pages = table.head.rows = 0;
	table.head.bytes = (uint32_t)scope_unwind_table_bytes(&table.head);
	memset(table.rest + sizeof(rules[0]), 0, sizeof(uint32_t));
	assert_int_equal(scope_unwind_table_open(&table, table.head.bytes, NULL, &without_rows), 0);
	space.maps.map[0].table = &without_rows;
	walked = walk(&x86, frame, 64);
	assert_int_equal(walked.reason, 0);
	assert_int_equal(walked.count, 3);
}

/* Changes one word of a good table: it is refused. */
static void refuse(uint32_t at, uint32_t value)
{
	uint32_t *word = (uint32_t *)((uint8_t *)&table + at), before = *word;

	*word = value;
	assert_int_equal(scope_unwind_table_open(&table, table.head.bytes, NULL, &view), -EINVAL);
	*word = before;
	assert_int_equal(scope_unwind_table_open(&table, table.head.bytes, NULL, &view), 0);
}

static void test_wrong_tables(void **state)
{
	static const struct scope_table_rule rules[3] = { { .cfa = SCOPE_CFA_END } };
	const uint32_t first = sizeof(table.head) + sizeof(rules), row = first + 8;

	(void)state;
	table_of(rules, 3);
	refuse(offsetof(struct scope_table_header, magic), 0);
	refuse(offsetof(struct scope_table_header, rules), 0);
	refuse(offsetof(struct scope_table_header, rules), 4);
	refuse(offsetof(struct scope_table_header, rules), SCOPE_TABLE_RULES_MAX + 1);
	refuse(offsetof(struct scope_table_header, pages), UINT32_MAX);
	refuse(offsetof(struct scope_table_header, rows), UINT32_MAX);
	refuse(offsetof(struct scope_table_header, rows), 2);
	refuse(offsetof(struct scope_table_header, zero), 1);
	refuse(offsetof(struct scope_table_header, start), 1);
	refuse(sizeof(table.head), SCOPE_CFA_KINDS);
	refuse(sizeof(table.head), SCOPE_VALUE_KINDS << 8);
	refuse(sizeof(table.head), SCOPE_VALUE_KINDS << 16);
	refuse(sizeof(table.head), 2u << 24);
	refuse(first, 1);
	refuse(first + 4, 4);
	refuse(first + 4, 2);
	refuse(row, 3); /* there are rules 0 to 2 */
	refuse(row + 4, 0);
	for (uint64_t bytes = 0; bytes < table.head.bytes; bytes++)
		assert_int_equal(scope_unwind_table_open(&table, bytes, NULL, &view), -EINVAL);
}

/* Each address has the last row at or before it. */
static void test_rows_are_found(void **state)
{
	const struct scope_table_rule rules[2] = { { .cfa = SCOPE_CFA_END }, { .cfa = SCOPE_CFA_OTHER } };
	uint32_t *first = (uint32_t *)(table.rest + sizeof(rules)), *row = first + 4, offset[300];

	(void)state;
	srand(3);
	for (uint32_t rows = 0; rows < 300; rows += rows < 20 ? 1 : 37) {
		memset(&table, 0, sizeof(table));
		memcpy(table.rest, rules, sizeof(rules));
		table.head = (struct scope_table_header){
			.magic = SCOPE_TABLE_MAGIC, .rules = 2, .pages = 3, .rows = rows, .start = 0x10000
		};
		table.head.bytes = (uint32_t)scope_unwind_table_bytes(&table.head);
		first[2] = first[3] = rows; /* all in the second page */
		for (uint32_t i = 0, at = (uint32_t)rand() % 50; i < rows; i++, at += 1 + (uint32_t)rand() % 200) {
			offset[i] = at;
			row[i] = at << 16 | i % 2;
		}
		assert_int_equal(scope_unwind_table_open(&table, table.head.bytes, NULL, &view), 0);
		assert_null(scope_unwind_rule(&view, 0));
		assert_null(scope_unwind_rule(&view, 0x10000));
		assert_null(scope_unwind_rule(&view, 0x30000));
		assert_null(scope_unwind_rule(&view, 0x40000));
		assert_null(scope_unwind_rule(&view, UINT64_MAX));
		for (uint32_t at = 0; at < 65536; at += 1 + (at > 3000) * 977) {
			const struct scope_table_rule *rule = scope_unwind_rule(&view, 0x20000 + at);
			int64_t want = -1;

			while (want + 1 < rows && offset[want + 1] <= at)
				want++;
			assert_int_equal(rule ? rule - view.rule : -1, want < 0 ? -1 : want % 2);
		}
	}
}

static uint32_t any(uint32_t below)
{
	return (uint32_t)rand() % below;
}

/* Whatever is in a table: it is refused, or walks by it stay within memory and bounds. */
static void test_random_tables(void **state)
{
	const char *rounds_text = getenv("TABLES_RANDOM");
	const uint32_t rounds = rounds_text ? (uint32_t)atoi(rounds_text) : 20000;
	uint32_t good = 0, ended = 0;

	(void)state;
	srand(1);
	for (uint32_t round = 0; round < rounds; round++) {
		const uint32_t rules = 1 + any(6), pages = 1 + any(3);
		struct scope_table_rule *rule = (void *)table.rest;
		uint32_t *first = (uint32_t *)(rule + rules), rows = 0, bytes;
		uint8_t *copy;

		memset(&table, 0, 4096);
		for (uint32_t i = 0; i < rules; i++)
			rule[i] = (struct scope_table_rule){
				(uint8_t)any(SCOPE_CFA_KINDS),
				(uint8_t)any(SCOPE_VALUE_KINDS),
				(uint8_t)any(SCOPE_VALUE_KINDS),
				any(4) ? 0 : SCOPE_RULE_SIGNAL,
				any(8) ? (int32_t)any(64) - 8 : rand() - RAND_MAX / 2,
				any(8) ? (int32_t)any(64) - 32 : rand() - RAND_MAX / 2,
				any(8) ? (int32_t)any(32) - 24 : rand() - RAND_MAX / 2,
			};
		for (uint32_t page = 0; page < pages; page++) {
			first[page] = rows;
			for (uint32_t i = any(20), at = 0; i--; at += 1 + any(2000))
				first[pages + 1 + rows++] = at << 16 | any(rules);
		}
		first[pages] = rows;
		table.head = (struct scope_table_header){
			.magic = SCOPE_TABLE_MAGIC, .rules = rules, .pages = pages, .rows = rows
		};
		table.head.bytes = (uint32_t)scope_unwind_table_bytes(&table.head);
		bytes = table.head.bytes;
		for (uint32_t edits = any(3); edits--;)
			((uint8_t *)&table)[any(bytes)] ^= (uint8_t)(1u << any(8));
		/* Of just its size, so that a byte too far is seen. */
		copy = malloc(bytes);
		memcpy(copy, &table, bytes);
		if (!scope_unwind_table_open(copy, bytes, NULL, &view)) {
			good++;
			space.maps.count = 1 + any(2);
			space.maps.map[0] =
				(struct scope_unwind_map){ 0, 0x20000, any(0x20000), any(8) ? &view : NULL, any(2) };
			space.maps.map[1] =
				(struct scope_unwind_map){ 0x20000, UINT64_MAX, (u64)rand() << any(33), &view, false };
			for (uint32_t i = 0; i < WORDS; i++)
				memory[i] = any(2) ? any(0x30000) : STACK + any(sizeof(memory));
			for (uint32_t i = 0; i < 8; i++)
				ended += !walk(any(2) ? &x86 : &arm,
					       (struct scope_unwind_frame){ any(0x30000), STACK + any(2048),
									    STACK + any(4096), any(0x30000),
									    .has_fp = true, .has_link = any(2) },
					       1 + any(64))
						  .reason;
		}
		free(copy);
	}
	assert_true(good > rounds / 10 && good < rounds);
	assert_true(ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind_of_rule),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_popped),
		cmocka_unit_test(test_link_register),
		cmocka_unit_test(test_what_cannot_be),
		cmocka_unit_test(test_frame_pointers),
		cmocka_unit_test(test_no_frame_pointer),
		cmocka_unit_test(test_no_rule),
		cmocka_unit_test(test_wrong_tables),
		cmocka_unit_test(test_rows_are_found),
		cmocka_unit_test(test_random_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
