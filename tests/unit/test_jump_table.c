// SPDX-License-Identifier: GPL-2.0-only
/* Switches of compiled code are in their loops, and tables with any content give no jump to a wrong place. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbol/image.h"
#include "symbol/loop_code.h"

/* Two loops with a switch each: without tables every case could follow either jump, so neither is a natural loop. */
#define FIRST_LINE 6 /* of the first loop's cases */
#define FIRST_END 13
#define SECOND_LINE 15
#define SECOND_END 23
static const char source_text[] =
	"__attribute__((noinline)) int call(int x) { __asm__ volatile(\"\"); return x + 1; }\n"
	"int work(const unsigned char *p, const int *q, long n)\n"
	"{\n"
	"	int s = 0;\n"
	"	for (long i = 0; i < n; i++)\n"
	"		switch (p[i]) {\n"
	"		case 'a': s += call(s); break;\n"
	"		case 'b': s ^= call(s + 7); break;\n"
	"		case 'c': s = call(s * 3); break;\n"
	"		case 'd': s -= call(9); break;\n"
	"		case 'e': s = call(call(s)); break;\n"
	"		case 'f': s += 9 * call(2); break;\n"
	"		}\n"
	"	for (long i = 0; i < n; i++)\n"
	"		switch (q[i]) {\n"
	"		case 0: s += call(s) * 5; break;\n"
	"		case 1: s ^= call(s + 1); break;\n"
	"		case 2: s = call(s * 2); break;\n"
	"		case 3: s -= call(8); break;\n"
	"		case 4: s |= call(call(s)); break;\n"
	"		case 5: s = 3 * call(2); break;\n"
	"		default: s--;\n"
	"		}\n"
	"	return s;\n"
	"}\n";

static char binary[] = "/tmp/scope-tables-XXXXXX";

/* Returns false if there is no such compiler. */
static bool compile(const char *compiler, const char *options)
{
	char command[256];
	FILE *pipe;

	snprintf(command, sizeof(command), "command -v %s > /dev/null", compiler);
	if (system(command)) // NOLINT(cert-env33-c)
		return false;
	snprintf(command, sizeof(command), "%s -g -w %s -x c -o %s -", compiler, options, binary);
	pipe = popen(command, "w");
	assert_non_null(pipe);
	fputs(source_text, pipe);
	assert_int_equal(pclose(pipe), 0);
	return true;
}

static uint64_t find_work(struct scope_image *image)
{
	const struct scope_file_functions *functions;

	assert_int_equal(scope_symbol_image_functions(image, &functions), 0);
	for (size_t i = 0; i < functions->count; i++)
		if (functions->function[i].name && functions->function[i].name_bytes == 4 &&
		    !memcmp(functions->function[i].name, "work", 4))
			return functions->function[i].start;
	fail_msg("no function");
	return 0;
}

static int line_at(const struct scope_loop_code *code, size_t number)
{
	struct scope_source_line line;

	return scope_symbol_image_lines(code->file->image, code->instruction[number].at, &line, 1) ? line.line : 0;
}

/* Calls in lines of one loop are in a loop that has no instruction of another line. */
static void has_loop(struct scope_loop_code *code, int first, int last)
{
	uint32_t head;
	size_t calls = 0;

	for (size_t i = 0; i < code->count; i++) {
		const int line = line_at(code, i);

		if (line <= first || line > last || code->instruction[i].padding)
			continue;
		calls++;
		assert_int_equal(scope_symbol_loops_around(code->loops, i, &head, 1), 1);
		scope_symbol_loops_inside(code->loops, head, code->inside);
		for (size_t j = 0; j < code->count; j++)
			if (code->inside[j] && line_at(code, j))
				assert_in_range(line_at(code, j), first - 1, last);
	}
	assert_true(calls > 12);
}

static void switches_are_in_their_loops(void **state)
{
	static const char *const compilers[] = { "gcc", "clang" };
	static const char *const options[] = {
		"-O2 -shared -fPIC",
		"-O2 -shared -fPIC -fcf-protection",
		"-O0 -shared -fPIC",
		"-O2 -fno-pic -no-pie -nostdlib -Wl,-e,work",
		"-O2 -fno-pic -no-pie -nostdlib -Wl,-e,work -fcf-protection",
		"-O0 -fno-pic -no-pie -nostdlib -Wl,-e,work",
	};
	struct scope_decoder *decoder = NULL;
	struct scope_file file = { 0 };
	struct scope_loop_code code;

	(void)state;
	if (scope_symbol_decoder_create(EM_X86_64, &decoder) == -ENOTSUP)
		skip(); /* built without capstone */
	scope_symbol_decoder_destroy(decoder);
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < sizeof(options) / sizeof(*options) && compile(compilers[i], options[j]); j++) {
			int err = scope_symbol_image_create(open(binary, O_RDONLY | O_CLOEXEC), NULL, binary,
							    &file.image);

			assert_int_equal(err, 0);
			assert_int_equal(scope_symbol_loop_code_read(&file, find_work(file.image), &code), 0);
			assert_int_equal(code.jumps, 12); /* two tables */
			has_loop(&code, FIRST_LINE, FIRST_END);
			has_loop(&code, SECOND_LINE, SECOND_END);
			scope_symbol_loop_code_free(&code);
			scope_symbol_image_destroy(file.image);
		}
}

#define CODE 0x1000u
#define TABLE 0x2000u

/*
 * 0: cmp edi, imm32; 1: ja 8; 2: mov edi, edi; 3: lea rdx, [table]; 4: movsxd rax, [rdx + rdi * 4]; 5: add rax, rdx;
 * 6: jmp rax; 7: nop; 8: ret
 */
static const uint8_t switch_code[] = { 0x81, 0xff, 3, 0,    0,	  0,	0x77, 0x13, 0x89, 0xff, 0x48, 0x8d, 0x15, 0xef,
				       0x0f, 0,	   0, 0x48, 0x63, 0x04, 0xba, 0x48, 0x01, 0xd0, 0xff, 0xe0, 0x90, 0xc3 };
#define LIMIT_AT 2 /* bytes */
#define JUMP_NUMBER 6
#define NOP (CODE + 26)
#define RETURN (CODE + 27)

/* A file with a table at TABLE, and a function at 0x9000. */
struct fake {
	int32_t table[8];
	size_t bytes;	/* of it */
	uint64_t asked; /* the most that was read */
};

static const uint8_t *fake_read(void *context, uint64_t link, uint64_t bytes)
{
	struct fake *fake = context;

	fake->asked = bytes;
	return link == TABLE && bytes <= fake->bytes ? (const uint8_t *)fake->table : NULL;
}

static bool fake_is_code(void *context, uint64_t link)
{
	(void)context;
	return link == 0x9000;
}

/* Number of entries of the table of `code`. */
static size_t entries_of(const uint8_t *code, size_t bytes, struct fake *fake, struct scope_jump ret_jump[8])
{
	const struct scope_jump_source source = { fake_read, fake_is_code, fake };
	struct scope_instruction *instruction;
	struct scope_jump *jump;
	size_t count, jumps;
	const int err = scope_symbol_disassemble(EM_X86_64, code, bytes, CODE, &instruction, &count);

	if (err == -ENOTSUP)
		skip(); /* built without capstone */
	assert_int_equal(err, 0);
	fake->asked = 0;
	assert_int_equal(scope_symbol_jump_tables_find(EM_X86_64, code, instruction, count, &source, &jump, &jumps), 0);
	assert_true(jumps <= 8);
	if (jumps)
		memcpy(ret_jump, jump, jumps * sizeof(*jump));
	free(jump);
	free(instruction);
	return jumps;
}

#define OFFSET(address) ((int32_t)((address)-TABLE))

static void entries_are_read_up_to_the_limit(void **state)
{
	struct fake fake = { { OFFSET(RETURN), OFFSET(NOP), OFFSET(RETURN), OFFSET(0x9000), OFFSET(CODE) }, 20, 0 };
	struct scope_jump jump[8];

	(void)state;
	/* Each target once, without that in another function and without the fifth entry. */
	assert_int_equal(entries_of(switch_code, sizeof(switch_code), &fake, jump), 2);
	assert_int_equal(fake.asked, 16);
	assert_int_equal(jump[0].from, JUMP_NUMBER);
	assert_int_equal(jump[0].to, JUMP_NUMBER + 1);
	assert_int_equal(jump[1].to, JUMP_NUMBER + 2);
}

static void a_table_with_a_wrong_entry_is_none(void **state)
{
	static const uint64_t wrong[] = { CODE + 1, RETURN + 1, CODE - 1, 0x9001, 0, UINT32_MAX };
	struct scope_jump jump[8];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct fake fake = { { OFFSET(RETURN), OFFSET(NOP), OFFSET(wrong[i]), OFFSET(NOP) }, 16, 0 };

		assert_int_equal(entries_of(switch_code, sizeof(switch_code), &fake, jump), 0);
	}
}

static void a_table_without_a_limit_is_none(void **state)
{
	static const uint32_t limits[] = { 4096, 0x7fffffff, 0xffffffff };
	struct fake fake = { { OFFSET(RETURN), OFFSET(NOP), OFFSET(RETURN), OFFSET(NOP) }, 16, 0 };
	uint8_t code[sizeof(switch_code)];
	struct scope_jump jump[8];

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		memcpy(code, switch_code, sizeof(code));
		memcpy(code + LIMIT_AT, &limits[i], sizeof(limits[i]));
		assert_int_equal(entries_of(code, sizeof(code), &fake, jump), 0);
		assert_int_equal(fake.asked, 0);
	}
	/* One more than the file has. */
	memcpy(code, switch_code, sizeof(code));
	code[LIMIT_AT] = 4;
	assert_int_equal(entries_of(code, sizeof(code), &fake, jump), 0);
	assert_int_equal(fake.asked, 20);
	/* Without the comparison: nop instead. */
	memset(code, 0x90, 8);
	assert_int_equal(entries_of(code, sizeof(code), &fake, jump), 0);
	assert_int_equal(fake.asked, 0);
}

/* A way around the instruction that sets the address of the table: jne to the load. */
static void an_address_that_is_not_set_on_all_ways_is_none(void **state)
{
	/* 0: lea rdx, [table]; 1: test; 2: jne 4; 3: xor edx, edx; 4: nop; 5: cmp edi, 1; 6: ja; 7: movsxd; add; jmp; ret */
	uint8_t code[] = { 0x48, 0x8d, 0x15, 0xf9, 0x0f, 0,    0,    0x85, 0xf6, 0x75, 0x02, 0x31, 0xd2, 0x90, 0x83,
			   0xff, 0x01, 0x77, 0x09, 0x48, 0x63, 0x04, 0xba, 0x48, 0x01, 0xd0, 0xff, 0xe0, 0xc3 };
	struct fake fake = { { OFFSET(CODE + 28), OFFSET(CODE) }, 8, 0 };
	struct scope_jump jump[8];

	(void)state;
	assert_int_equal(entries_of(code, sizeof(code), &fake, jump), 0);
	code[11] = code[12] = 0x90;
	assert_int_equal(entries_of(code, sizeof(code), &fake, jump), 2);
}

static void constants_are_read_within_the_file_alone(void **state)
{
	struct scope_image *image;
	unsigned machine;
	uint64_t end;

	(void)state;
	if (!compile("gcc", "-O2 -shared -fPIC"))
		skip();
	assert_int_equal(scope_symbol_image_create(open(binary, O_RDONLY | O_CLOEXEC), NULL, binary, &image), 0);
	assert_non_null(scope_symbol_image_code(image, find_work(image), 1, &machine));
	assert_non_null(scope_symbol_image_constants(image, 0, 64)); /* the ELF header */
	for (end = 64; scope_symbol_image_constants(image, 0, end); end++)
		;
	assert_true(end < 0x10000);
	assert_non_null(scope_symbol_image_constants(image, end - 2, 1));
	assert_null(scope_symbol_image_constants(image, end - 2, 2));
	assert_null(scope_symbol_image_constants(image, 0, 0));
	assert_null(scope_symbol_image_constants(image, 8, UINT64_MAX));
	assert_null(scope_symbol_image_constants(image, UINT64_MAX - 3, 4));
	scope_symbol_image_destroy(image);
}

static int begin(void **state)
{
	(void)state;
	return close(mkstemp(binary));
}

static int end(void **state)
{
	(void)state;
	return unlink(binary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches_are_in_their_loops),
		cmocka_unit_test(entries_are_read_up_to_the_limit),
		cmocka_unit_test(a_table_with_a_wrong_entry_is_none),
		cmocka_unit_test(a_table_without_a_limit_is_none),
		cmocka_unit_test(an_address_that_is_not_set_on_all_ways_is_none),
		cmocka_unit_test(constants_are_read_within_the_file_alone),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
