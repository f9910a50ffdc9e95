// SPDX-License-Identifier: GPL-2.0-only
/* The loop around an instruction: the innermost one, also with switches and padding; none where there is none. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/loop.h"

#define MOST 16
#define FALLS                                                                                                          \
	{                                                                                                              \
		.falls = true                                                                                          \
	}
#define TO(number)                                                                                                     \
	{                                                                                                              \
		.jumps = true, .target = 100 + (number)                                                                \
	} /* a jump that is always taken */
#define IF(number)                                                                                                     \
	{                                                                                                              \
		.jumps = true, .falls = true, .target = 100 + (number)                                                 \
	} /* one that may be */
#define TABLE                                                                                                          \
	{                                                                                                              \
		.jumps = true, .target = UINT64_MAX                                                                    \
	}
#define NOTHING                                                                                                        \
	{                                                                                                              \
		.falls = true, .padding = true                                                                         \
	}
#define END                                                                                                            \
	{                                                                                                              \
		.falls = false                                                                                         \
	}

/* The innermost loop around an instruction. 0; -ENOENT: there is none. */
static int find_loop(const struct scope_instruction *instruction, size_t count, size_t number, bool *ret_inside)
{
	struct scope_loops *loops;
	unsigned int heads;
	uint32_t head;

	assert_int_equal(scope_symbol_loops_create(instruction, count, NULL, 0, &loops), 0);
	heads = scope_symbol_loops_around(loops, number, &head, 1);
	if (heads)
		scope_symbol_loops_inside(loops, head, ret_inside);
	scope_symbol_loops_destroy(loops);
	return heads ? 0 : -ENOENT;
}

/* The loop around an instruction of these, each of one byte: 'x' for what is in it. "": there is none. */
static const char *loop_of(const struct scope_instruction *given, size_t count, size_t number)
{
	static char text[MOST + 1];
	struct scope_instruction instruction[MOST];
	bool inside[MOST] = { false };

	memset(text, 0, sizeof(text));
	for (size_t i = 0; i < count; i++) {
		instruction[i] = given[i];
		instruction[i].at = 100 + i;
		instruction[i].bytes = 1;
	}
	if (find_loop(instruction, count, number, inside))
		return "";
	for (size_t i = 0; i < count; i++)
		text[i] = inside[i] ? 'x' : '.';
	return text;
}

#define LOOP_OF(code, number) loop_of(code, sizeof(code) / sizeof(*(code)), number)

static void straight_code_has_no_loop(void **state)
{
	static const struct scope_instruction code[] = { FALLS, IF(3), FALLS, FALLS, END };

	(void)state;
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(LOOP_OF(code, i), "");
}

static void the_innermost_loop_is_found(void **state)
{
	/* for (…) { …; while (…) …; … } */
	static const struct scope_instruction code[] = { FALLS, FALLS, FALLS, IF(2), FALLS, IF(1), END };

	(void)state;
	assert_string_equal(LOOP_OF(code, 0), "");
	assert_string_equal(LOOP_OF(code, 1), ".xxxxx.");
	assert_string_equal(LOOP_OF(code, 2), "..xx...");
	assert_string_equal(LOOP_OF(code, 3), "..xx...");
	assert_string_equal(LOOP_OF(code, 4), ".xxxxx.");
	assert_string_equal(LOOP_OF(code, 6), "");
}

static void an_instruction_that_jumps_to_itself_is_a_loop(void **state)
{
	static const struct scope_instruction code[] = { FALLS, TO(1), END };

	(void)state;
	assert_string_equal(LOOP_OF(code, 1), ".x.");
}

/* The condition is at the end, and the body is not reached by falling into it. */
static void padding_before_the_body_does_not_hide_a_loop(void **state)
{
	static const struct scope_instruction code[] = { TO(4), NOTHING, FALLS, FALLS, FALLS, IF(2), END };

	(void)state;
	assert_string_equal(LOOP_OF(code, 3), "..xxxx.");
}

/* while (…) switch (…) { … }: the cases are reached by a table alone, and jump back to the condition. */
static void cases_of_a_switch_are_in_its_loop(void **state)
{
	static const struct scope_instruction code[] = { FALLS, IF(8), TABLE, FALLS, TO(1), FALLS, TO(1), END, END };

	(void)state;
	assert_string_equal(LOOP_OF(code, 3), ".xxxxxx..");
	assert_string_equal(LOOP_OF(code, 5), ".xxxxxx..");
	assert_string_equal(LOOP_OF(code, 7), "");
}

/* As that for exceptions, which jumps back to the end of the function. */
static void code_that_nothing_leads_to_is_no_part_of_a_loop(void **state)
{
	static const struct scope_instruction code[] = { FALLS, FALLS, IF(1), END, FALLS, TO(3) };

	(void)state;
	assert_string_equal(LOOP_OF(code, 1), ".xx...");
	assert_string_equal(LOOP_OF(code, 4), "");
}

/* It can be entered at two places, so it is no natural loop. */
static void a_circle_with_two_entries_is_not_named(void **state)
{
	static const struct scope_instruction code[] = { IF(2), FALLS, FALLS, IF(1), END };

	(void)state;
	assert_string_equal(LOOP_OF(code, 2), "");
}

static void a_jump_out_of_the_function_is_no_successor(void **state)
{
	static const struct scope_instruction code[] = { FALLS, IF(1000), TO(0) };

	(void)state;
	assert_string_equal(LOOP_OF(code, 1), "xxx");
	assert_string_equal(LOOP_OF(code, 3), "");
}

/* Code of a machine with a loop from its second instruction on. */
struct machine {
	unsigned machine;
	size_t bytes, loop_from, loop_end; /* numbers of instructions */
	uint8_t code[24];
};

static void machine_code_is_read(void **state)
{
	static const struct machine machines[] = {
		/* xor eax, eax; 2: inc eax; cmp eax, edi; call 0x1000; jne 2; ret */
		{ EM_X86_64,
		  14,
		  1,
		  5,
		  { 0x31, 0xc0, 0xff, 0xc0, 0x39, 0xf8, 0xe8, 0xf5, 0x0f, 0, 0, 0x75, 0xf5, 0xc3 } },
		/* xor eax, eax; 2: inc eax; jmp 2 */
		{ EM_386, 5, 1, 3, { 0x31, 0xc0, 0x40, 0xeb, 0xfd } },
		/* mov w0, 0; 4: add w0, w0, 1; cbnz w1, 4; b.ne 4; ret */
		{ EM_AARCH64, 20, 1, 4, { 0x00, 0x00, 0x80, 0x52, 0x00, 0x04, 0x00, 0x11, 0xe1, 0xff,
					  0xff, 0x35, 0xc1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 } },
	};
	struct scope_instruction *instruction;
	bool inside[MOST];
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		const struct machine *one = &machines[i];
		const int err = scope_symbol_disassemble(one->machine, one->code, one->bytes, 0, &instruction, &count);

		if (err == -ENOTSUP)
			skip(); /* built without capstone */
		assert_int_equal(err, 0);
		assert_int_equal(find_loop(instruction, count, one->loop_from, inside), 0);
		for (size_t j = 0; j < count; j++)
			assert_int_equal(inside[j], j >= one->loop_from && j < one->loop_end);
		assert_int_equal(find_loop(instruction, count, 0, inside), -ENOENT);
		free(instruction);
	}
	assert_int_equal(scope_symbol_disassemble(EM_S390, machines[0].code, 2, 0, &instruction, &count), -ENOTSUP);
	/* The end is cut: half an instruction. */
	assert_int_equal(scope_symbol_disassemble(EM_X86_64, machines[0].code, 8, 0, &instruction, &count), -EILSEQ);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight_code_has_no_loop),
		cmocka_unit_test(the_innermost_loop_is_found),
		cmocka_unit_test(an_instruction_that_jumps_to_itself_is_a_loop),
		cmocka_unit_test(padding_before_the_body_does_not_hide_a_loop),
		cmocka_unit_test(cases_of_a_switch_are_in_its_loop),
		cmocka_unit_test(code_that_nothing_leads_to_is_no_part_of_a_loop),
		cmocka_unit_test(a_circle_with_two_entries_is_not_named),
		cmocka_unit_test(a_jump_out_of_the_function_is_no_successor),
		cmocka_unit_test(machine_code_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
