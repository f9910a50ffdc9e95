// SPDX-License-Identifier: GPL-2.0-only
/* Names of Perl's subs, read from invented memory: each limit just inside and outside, and wrong contents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perl_memory.h"

/* A closure that has the memory of another one is another function. */
static void closures_have_marks(void **state)
{
	const struct scope_interpreter interpreter = made_up();
	uint64_t before;

	(void)state;
	innermost_is(&interpreter, "pl::Cart::sell:/srv/Cart.pm");
	before = frames.function[0];
	put_glob(OTHER, OTHER_BODY, OTHER_NAME, "buy");
	put(CODE_BODY + 56, OTHER);
	is_named(&interpreter, 0, NULL);
	innermost_is(&interpreter, "pl::Cart::buy:/srv/Cart.pm");
	assert_true(before != frames.function[0]);
	before = frames.function[0];
	put(CODE_BODY + 40, SCRIPT);
	is_named(&interpreter, 0, NULL);
	innermost_is(&interpreter, "pl::Cart::buy:/srv/Cart.pm");
	assert_true(before != frames.function[0]);
}

static void names_are_of_the_glob(void **state)
{
	const struct scope_interpreter interpreter = made_up();

	(void)state;
	/* The glob that has it is another one. */
	put_glob(OTHER, OTHER_BODY, OTHER_NAME, "buy");
	put(GLOB_OWN + 56, OTHER);
	innermost_is(&interpreter, "pl::Cart::buy:/srv/Cart.pm");
	/* That is no glob any more. */
	put_value(OTHER, 12, OTHER_BODY);
	innermost_is(&interpreter, "pl::Cart::sell:/srv/Cart.pm");
	/* Nor is that. */
	put_value(GLOB, 12, GLOB_BODY);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	is_named(&interpreter, 0, NULL);
}

static void subs_may_have_no_glob(void **state)
{
	const struct scope_interpreter interpreter = made_up();

	(void)state;
	/* The name alone, with its package, or of none. */
	put(CODE_BODY + 56, GLOB_NAME);
	put_half(CODE_BODY + 92, 1u << 15);
	innermost_is(&interpreter, "pl::Cart::sell:/srv/Cart.pm");
	put_half(CODE_BODY + 92, 1u << 15 | 1u << 16);
	innermost_is(&interpreter, "pl::sell:/srv/Cart.pm");
	put_half(GLOB_NAME + 4, 0);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	is_named(&interpreter, 0, NULL);
	/* The package is gone, and with it the glob. */
	put_half(CODE_BODY + 92, 0);
	put(CODE_BODY + 56, 0);
	innermost_is(&interpreter, "pl::__ANON__ in line 12:/srv/Cart.pm");
}

static void subs_without_a_name_have_a_line(void **state)
{
	const struct scope_interpreter interpreter = made_up();

	(void)state;
	put_key(GLOB_NAME, "__ANON__", false);
	innermost_is(&interpreter, "pl::Cart::__ANON__ in line 12:/srv/Cart.pm");
	/* Of a statement of the file. */
	put(CODE_BODY + 40, SCRIPT);
	innermost_is(&interpreter, "pl::Cart::__ANON__:/srv/Cart.pm");
	put(CODE_BODY + 40, 0);
	innermost_is(&interpreter, "pl::Cart::__ANON__:/srv/Cart.pm");
	/* The number of a text changes each time. */
	put(CODE_BODY + 40, STATEMENT);
	put_text(FILE_NAME, "(eval 31)");
	innermost_is(&interpreter, "pl::Cart::__ANON__ in line 12:(eval)");
}

static void packages_have_names(void **state)
{
	struct scope_interpreter interpreter = made_up();

	(void)state;
	/* A list of names, positive or negative. */
	put(LIST, PACKAGE_NAME);
	put(PACKAGE_BODY + 32, LIST);
	put_half(PACKAGE_BODY + 60, 2);
	innermost_is(&interpreter, "pl::Cart::sell:/srv/Cart.pm");
	put_half(PACKAGE_BODY + 60, (uint32_t)-2);
	innermost_is(&interpreter, "pl::Cart::sell:/srv/Cart.pm");
	/* Without names, no hash at all, or none. */
	put_value(PACKAGE, 12, PACKAGE_BODY);
	innermost_is(&interpreter, "pl::sell:/srv/Cart.pm");
	put_value(PACKAGE, 1u << 25 | 11, PACKAGE_BODY);
	innermost_is(&interpreter, "pl::sell:/srv/Cart.pm");
	put(GLOB_BODY + 40, 0);
	innermost_is(&interpreter, "pl::sell:/srv/Cart.pm");
	/* Up to 5.34 they follow the array. */
	interpreter = made_up();
	interpreter.perl.hash_names = 0;
	put(PACKAGE_BODY + 32, 0);
	put(PACKAGE_BODY + 24, 7);
	put(PACKAGE + 16, LIST);
	put(LIST + 64, PACKAGE_NAME);
	innermost_is(&interpreter, "pl::Cart::sell:/srv/Cart.pm");
	put(PACKAGE_BODY + 24, UINT64_MAX - 1);
	innermost_is(&interpreter, "pl::sell:/srv/Cart.pm");
}

static void texts_may_lie(void **state)
{
	const struct scope_interpreter interpreter = made_up();
	char name[SCOPE_INTERPRETED_NAME];

	(void)state;
	/* ISO 8859-1, UTF-8, and what ends a line. */
	put_key(GLOB_NAME, "verk\xe4ufe\n", false);
	innermost_is(&interpreter, "pl::Cart::verk\xc3\xa4ufe?:/srv/Cart.pm");
	put_key(GLOB_NAME, "sprz\xc4\x99t", true);
	innermost_is(&interpreter, "pl::Cart::sprz\xc4\x99t:/srv/Cart.pm");
	put_text(FILE_NAME, "/srv/a:b\t.pm");
	innermost_is(&interpreter, "pl::Cart::sprz\xc4\x99t:/srv/a b?.pm");
	/* Longer than there is room for. */
	memset(bytes_of + (GLOB_NAME + 8 - BASE), 'n', 0xf0);
	put_half(GLOB_NAME + 4, 0xe0);
	memset(bytes_of + (FILE_NAME - BASE), 'f', 0x200);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	again();
	assert_true(scope_interpreter_name(&memory, &interpreter, frames.function[0], name));
	assert_int_equal(strspn(name + strlen("pl::Cart::"), "n"), 158);
	assert_int_equal(strlen(strrchr(name, ':')), 256);
	/* A length that no key has, and a key that is nowhere. */
	put_half(GLOB_NAME + 4, UINT32_MAX);
	is_named(&interpreter, 0, NULL);
	put_half(GLOB_NAME + 4, 0x40000);
	is_named(&interpreter, 0, NULL);
	put(GLOB_BODY + 32, 8);
	is_named(&interpreter, 0, NULL);
	put(CODE_BODY + 64, 0);
	is_named(&interpreter, 0, NULL);
}

/* Without threads the file of a statement is a glob, whose name begins with "_<". */
static void files_may_be_globs(void **state)
{
	struct scope_interpreter interpreter = made_up();

	(void)state;
	interpreter.perl.globals = true;
	interpreter.perl.statement += STATE;
	interpreter.perl.stacks += STATE;
	put_glob(FILE_GLOB, FILE_GLOB_BODY, FILE_GLOB_NAME, "_</srv/Cart.pm");
	put_statement(STATEMENT, 12, FILE_GLOB);
	put_key(GLOB_NAME, "__ANON__", false);
	put_stack(STACK, CONTEXTS, 0, 1, MAIN);
	put_context(CONTEXTS + CONTEXT, SUB, CODE, STATEMENT);
	assert_int_equal(read_frames(&interpreter), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 2);
	is_named(&interpreter, 0, "pl::Cart::__ANON__ in line 12:/srv/Cart.pm");
	is_named(&interpreter, 1, "pl::<main>:/srv/Cart.pm");
	put_key(FILE_GLOB_NAME, "other", false);
	innermost_is(&interpreter, "pl::Cart::__ANON__:/srv/Cart.pm");
	assert_int_equal(frames.count, 1);
	put_key(FILE_GLOB_NAME, "_<", false);
	innermost_is(&interpreter, "pl::Cart::__ANON__:/srv/Cart.pm");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closures_have_marks),	 cmocka_unit_test(names_are_of_the_glob),
		cmocka_unit_test(subs_may_have_no_glob), cmocka_unit_test(subs_without_a_name_have_a_line),
		cmocka_unit_test(packages_have_names),	 cmocka_unit_test(texts_may_lie),
		cmocka_unit_test(files_may_be_globs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
