// SPDX-License-Identifier: GPL-2.0-only
/* Frames of Perl, read from invented memory: each limit just inside and outside, and wrong contents. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perl_memory.h"

static void frames_are_read(void **state)
{
	const struct scope_interpreter interpreter = made_up();

	(void)state;
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 2);
	assert_false(frames.cut);
	is_named(&interpreter, 0, "pl::Cart::sell:/srv/Cart.pm");
	is_named(&interpreter, 1, "pl::<main>:/srv/shop.pl");
	/* A format is a sub. */
	put_context(CONTEXTS + CONTEXT, FORMAT, CODE, SCRIPT);
	put_value(CODE, 14, CODE_BODY);
	innermost_is(&interpreter, "pl::Cart::sell:/srv/Cart.pm");
}

/* Nothing runs: neither a sub nor a statement. */
static void nothing_runs(void **state)
{
	const struct scope_interpreter interpreter = made_up();

	(void)state;
	put_stack(STACK, CONTEXTS, 0, -1, MAIN);
	put(STATE + interpreter.perl.statement, 0);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_EMPTY);
	/* A statement that is compiled has no file yet. */
	put(STATE + interpreter.perl.statement, STATEMENT);
	put(STATEMENT + 48, 0);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_EMPTY);
	put(STATE + interpreter.perl.statement, SCRIPT);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	is_named(&interpreter, 0, "pl::<main>:/srv/shop.pl");
}

/* eval { }, try and evaluated text are a part of what they are in. A file that is required has a body of its own. */
static void evals_are_of_their_sub(void **state)
{
	const struct scope_interpreter interpreter = made_up();
	static const uint8_t parts[] = { 0x40, 0x20, 0x80 };

	(void)state;
	put_stack(STACK, CONTEXTS, 0, 2, MAIN);
	for (size_t i = 0; i < sizeof(parts); i++) {
		put_context(CONTEXTS + 2 * CONTEXT, EVAL | parts[i], 0, STATEMENT);
		assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
		assert_int_equal(frames.count, 2);
		is_named(&interpreter, 0, "pl::Cart::sell:/srv/Cart.pm");
	}
	put_context(CONTEXTS + 2 * CONTEXT, EVAL, 0, STATEMENT);
	put(STATE + interpreter.perl.statement, SCRIPT);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 3);
	is_named(&interpreter, 0, "pl::<main>:/srv/shop.pl");
	is_named(&interpreter, 1, "pl::Cart::sell:/srv/Cart.pm");
}

/* Code in a pattern enters its sub again, and what it calls is on a stack of its own. */
static void stacks_are_in_stacks(void **state)
{
	const struct scope_interpreter interpreter = made_up();

	(void)state;
	put_stack(STACK, CONTEXTS, OUTER, 0, 5);
	put_context(CONTEXTS, SUB, CODE, STATEMENT);
	put_stack(OUTER, OUTER_CONTEXTS, 0, 1, MAIN);
	put_context(OUTER_CONTEXTS, SUB, CODE, SCRIPT);
	put_context(OUTER_CONTEXTS + CONTEXT, SUB | 0x80, CODE, STATEMENT);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 3);
	is_named(&interpreter, 2, "pl::<main>:/srv/shop.pl");
	/* What is outside of the main one is of another time. */
	put_stack(STACK, CONTEXTS, OUTER, 0, MAIN);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 2);
}

static void walks_end(void **state)
{
	const struct scope_interpreter interpreter = made_up();

	(void)state;
	/* As many subs as there is room for, with the script one more. */
	for (unsigned i = 0; i < SCOPE_INTERPRETED_FRAMES; i++)
		put_context(CONTEXTS + i * CONTEXT, SUB, CODE, SCRIPT);
	put_stack(STACK, CONTEXTS, 0, SCOPE_INTERPRETED_FRAMES - 2, MAIN);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, SCOPE_INTERPRETED_FRAMES);
	assert_false(frames.cut);
	put_stack(STACK, CONTEXTS, 0, SCOPE_INTERPRETED_FRAMES - 1, MAIN);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, SCOPE_INTERPRETED_FRAMES);
	assert_true(frames.cut);
	/* Blocks in one another: those outside of the first 4,096 are left out. */
	memset(bytes_of + (CONTEXTS - BASE), 0, 0x30000);
	put_context(CONTEXTS + 1500 * CONTEXT, SUB, CODE, SCRIPT);
	put_stack(STACK, CONTEXTS, 0, 1500, MAIN);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	assert_false(frames.cut);
	put_stack(OUTER, CONTEXTS, OUTER, 1500, 5);
	put(STATE + interpreter.perl.stacks, OUTER);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 3);
	assert_true(frames.cut);
	/* A list of stacks that leads to itself. */
	put_stack(OUTER, CONTEXTS, OUTER, -1, 5);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_UNREADABLE);
	/* A number of contexts that no stack has. */
	put_stack(OUTER, CONTEXTS, 0, INT32_MAX, 5);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_UNREADABLE);
	put_stack(OUTER, CONTEXTS, 0, INT32_MIN, MAIN);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	/* Reads that are not allowed. */
	scope_interpreter_memory_begin(&memory, 0);
	assert_int_equal(scope_interpreter_frames(&memory, &interpreter, STATE, &frames), SCOPE_INTERPRETER_UNREADABLE);
}

/* The innermost context may be one that is just being filled. Others that are no code are of another time. */
static void contexts_are_of_one_time(void **state)
{
	const struct scope_interpreter interpreter = made_up();

	(void)state;
	put_stack(STACK, CONTEXTS, 0, 2, MAIN);
	put_context(CONTEXTS + 2 * CONTEXT, SUB, FILE_NAME, STATEMENT);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 2);
	is_named(&interpreter, 0, "pl::Cart::sell:/srv/Cart.pm");
	put_context(CONTEXTS + 2 * CONTEXT, SUB, CODE, STATEMENT);
	put_context(CONTEXTS + CONTEXT, SUB, FILE_NAME, STATEMENT);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_TORN);
	/* An address that is none. */
	put_context(CONTEXTS + CONTEXT, SUB, CODE | 1ull << 50, STATEMENT);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_TORN);
}

static void the_interpreter_may_end(void **state)
{
	const struct scope_interpreter interpreter = made_up();
	struct scope_interpreted_thread thread;

	(void)state;
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, &thread, 1), 1);
	assert_true(thread.state == STATE);
	assert_true(scope_interpreter_is_thread(&memory, &interpreter, &thread));
	put(ROOT, 0);
	again();
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, &thread, 1), 0);
	thread.state = STATE;
	assert_false(scope_interpreter_is_thread(&memory, &interpreter, &thread));
}

/* ---- the file of the interpreter ---- */

static const char strings[] =
	"\0PL_revision\0PL_version\0PL_curinterp\0PL_thr_key\0PL_curcop\0PL_curstackinfo\0PL_defstash";

#define HASHES (BASE + 0x600)
#define SYMBOLS (BASE + 0x700)
#define STRINGS (BASE + 0x800)
#define VERSION (BASE + 0xe00)

static uint32_t name_at(const char *name)
{
	for (uint32_t i = 0; i < sizeof(strings); i++)
		if (!strcmp(strings + i, name))
			return i;
	fail();
	return 0;
}

static void put_symbol(unsigned number, const char *name, uint64_t value)
{
	const Elf64_Sym symbol = { .st_name = name_at(name), .st_shndx = 1, .st_value = value - BASE };

	memcpy(bytes_of + (SYMBOLS - BASE) + number * sizeof(symbol), &symbol, sizeof(symbol));
}

/* One bucket with all of the symbols. */
static void put_file(unsigned symbols)
{
	const Elf64_Phdr program[] = { { .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_memsz = BYTES },
				       { .p_type = PT_DYNAMIC, .p_vaddr = 0x200 } };
	const Elf64_Dyn dynamic[] = { { DT_SYMTAB, { SYMBOLS } }, { DT_STRTAB, { STRINGS } }, { DT_HASH, { HASHES } } };
	Elf64_Ehdr head = { .e_phoff = 0x100, .e_phentsize = sizeof(program[0]), .e_phnum = 2 };

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	memcpy(bytes_of, &head, sizeof(head));
	memcpy(bytes_of + 0x100, program, sizeof(program));
	memcpy(bytes_of + 0x200, dynamic, sizeof(dynamic));
	memcpy(bytes_of + (STRINGS - BASE), strings, sizeof(strings));
	put_half(HASHES, 1);
	put_half(HASHES + 4, symbols);
	put_half(HASHES + 8, 1);
	for (unsigned i = 1; i < symbols; i++)
		put_half(HASHES + 12 + i * 4, i + 1 < symbols ? i + 1 : 0);
}

static enum scope_interpreter_found find(struct scope_interpreter *interpreter)
{
	again();
	return scope_interpreter_find(&memory, SCOPE_INTERPRETER_PERL, BASE, 0, interpreter);
}

static void interpreters_are_found(void **state)
{
	struct scope_interpreter interpreter = made_up();

	(void)state;
	put_file(5);
	put_symbol(1, "PL_revision", VERSION);
	put_symbol(2, "PL_version", VERSION + 1);
	put_symbol(3, "PL_curinterp", ROOT);
	put_symbol(4, "PL_thr_key", ROOT + 8);
	put(VERSION, 5 | 36 << 8);
	put_key(PACKAGE_NAME, "main", false);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_FOUND);
	assert_int_equal(interpreter.version, 0x524);
	assert_true(interpreter.root == ROOT);
	/* Members are elsewhere. */
	put_key(PACKAGE_NAME, "mains", false);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_UNKNOWN);
	put_key(PACKAGE_NAME, "main", false);
	/* As a build without random orders of keys, whose members are one further: the next package has the same name. */
	put(STATE + 224, PACKAGE);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_UNKNOWN);
	put(STATE + 224, STACK);
	/* More contexts than there is room for, none that any stack has, and no main stack. */
	put_stack(STACK, CONTEXTS, 0, 2000, MAIN);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_FOUND);
	put_stack(STACK, CONTEXTS, 0, 2001, MAIN);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_UNKNOWN);
	put_stack(STACK, CONTEXTS, 0, -2, MAIN);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_UNKNOWN);
	put_stack(STACK, CONTEXTS, STACK, -1, 5);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_UNKNOWN);
	put_stack(STACK, CONTEXTS, OUTER, 1, 5);
	put_stack(OUTER, OUTER_CONTEXTS, 0, -1, MAIN);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_FOUND);
	/* It has not begun. */
	put(STATE + 192, 0);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_ABSENT);
	put(ROOT, 0);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_ABSENT);
	put(ROOT, STATE);
	put(STATE + 192, PACKAGE);
	/* Versions. */
	put(VERSION, 5 | 37 << 8);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_UNKNOWN);
	assert_int_equal(interpreter.version, 0x525);
	put(VERSION, 5 | 36 << 8);
	/* It has interpreters, and no threads. */
	put_file(4);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_UNKNOWN);
	put_file(3);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_ABSENT);
	put_file(2);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_ABSENT);
}

static void builds_without_threads_are_found(void **state)
{
	struct scope_interpreter interpreter = made_up();

	(void)state;
	put_file(7);
	put_symbol(1, "PL_revision", VERSION);
	put_symbol(2, "PL_version", VERSION + 1);
	put_symbol(3, "PL_curinterp", ROOT);
	put_symbol(4, "PL_curcop", STATE + interpreter.perl.statement);
	put_symbol(5, "PL_curstackinfo", STATE + interpreter.perl.stacks);
	put_symbol(6, "PL_defstash", STATE + interpreter.perl.main_stash);
	put(VERSION, 5 | 36 << 8);
	put_key(PACKAGE_NAME, "main", false);
	put(ROOT, 8);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_FOUND);
	assert_true(interpreter.perl.globals);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	is_named(&interpreter, 0, "pl::main::sell:/srv/Cart.pm");
}

static void versions_are_known(void **state)
{
	struct scope_perl_offsets offsets;

	(void)state;
	assert_false(scope_interpreter_perl_offsets(0x51a, &offsets));
	for (uint32_t version = 0x51c; version <= 0x52a; version++)
		assert_int_equal(scope_interpreter_perl_offsets(version, &offsets), !(version & 1));
	assert_false(scope_interpreter_perl_offsets(0x52c, &offsets));
	assert_false(scope_interpreter_perl_offsets(0x71c, &offsets));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_read),
		cmocka_unit_test(nothing_runs),
		cmocka_unit_test(evals_are_of_their_sub),
		cmocka_unit_test(stacks_are_in_stacks),
		cmocka_unit_test(walks_end),
		cmocka_unit_test(contexts_are_of_one_time),
		cmocka_unit_test(the_interpreter_may_end),
		cmocka_unit_test(interpreters_are_found),
		cmocka_unit_test(builds_without_threads_are_found),
		cmocka_unit_test(versions_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
