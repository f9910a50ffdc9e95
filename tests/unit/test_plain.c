// SPDX-License-Identifier: GPL-2.0-only
/* The plain form of names: what is escaped, what stays, and that a plain name has only one meaning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/plain.h"

static void check(const char *text, const char *plain)
{
	char *copy = scope_plain_copy(text, SCOPE_PLAIN_NAME), *back;

	assert_non_null(copy);
	assert_string_equal(copy, plain);
	assert_int_equal(scope_plain_is(text, SCOPE_PLAIN_NAME), !strcmp(text, plain));
	back = scope_plain_undone(copy);
	assert_string_equal(back, text);
	free(back);
	back = scope_plain_copy(copy, SCOPE_PLAIN_SENTENCE);
	assert_string_equal(back, copy);
	free(back);
	free(copy);
}

static void test_forms(void **state)
{
	(void)state;
	check("", "");
	check("worker-1 (a b)", "worker-1 (a b)");
	check("\033]0;pwned\a\n\x7f", "\\x1b]0;pwned\\x07\\x0a\\x7f");
	check("größe 日本 \xf0\x9f\x98\x80", "größe 日本 \xf0\x9f\x98\x80");
	/* C1, as a character and as a byte. */
	check("a\xc2\x9b"
	      "31m",
	      "a\\xc2\\x9b31m");
	check("a\x9b"
	      "31m",
	      "a\\x9b31m");
	/* The first and last that are C1, and their neighbour. */
	check("\xc2\x80\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9f\xc2\xa0");
	/* Order of characters: U+202E, U+2066, U+200F; line ends U+2028. */
	check("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xe2\x80\xa8",
	      "\\xe2\\x80\\xae\\xe2\\x81\\xa6\\xe2\\x80\\x8f\\xe2\\x80\\xa8");
	/* Overlong, a surrogate, above U+10FFFF, cut off, alone. */
	check("\xc0\xaf|\xe0\x80\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82|\x80|\xff",
	      "\\xc0\\xaf|\\xe0\\x80\\xaf|\\xed\\xa0\\x80|\\xf4\\x90\\x80\\x80|\\xe2\\x82|\\x80|\\xff");
	check("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
}

static void test_backslashes(void **state)
{
	(void)state;
	check("a\\b\\n\\x1\\xg0\\", "a\\b\\n\\x1\\xg0\\");
	check("\\x1b", "\\x5cx1b");
	check("\\\\x1B", "\\\\x5cx1B");
	check("\\\033", "\\\\x1b");
}

/* Every text of two bytes keeps its meaning. */
static void test_all_pairs(void **state)
{
	(void)state;
	for (unsigned pair = 0x0101; pair <= 0xffff; pair++) {
		const char text[] = { (char)(pair >> 8), (char)pair, 'x', '4', '1', '\0' };
		char *copy, *back;

		if (!(pair & 0xff))
			continue;
		copy = scope_plain_copy(text, SCOPE_PLAIN_NAME);
		back = scope_plain_undone(copy);
		assert_string_equal(back, text);
		for (const char *c = copy; *c; c++)
			assert_true((uint8_t)*c >= ' ' && *c != 0x7f);
		free(copy);
		free(back);
	}
}

static void test_room(void **state)
{
	char small[8];

	(void)state;
	/* Whole escapes and characters, or none of them. */
	assert_int_equal(scope_plain_put(small, 8, "abc\033\033", 5, SCOPE_PLAIN_NAME), 7);
	assert_string_equal(small, "abc\\x1b");
	assert_int_equal(scope_plain_put(small, 7, "abc\033\033", 5, SCOPE_PLAIN_NAME), 3);
	assert_string_equal(small, "abc");
	assert_int_equal(scope_plain_put(small, 3, "a\xc3\xa4", 3, SCOPE_PLAIN_NAME), 1);
	assert_int_equal(scope_plain_put(small, 1, "abc", 3, SCOPE_PLAIN_NAME), 0);
	assert_string_equal(small, "");
}

static void test_comm(void **state)
{
	static const char comm[SCOPE_COMM_BYTES] = "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17";
	char plain[SCOPE_PLAIN_COMM_BYTES];

	(void)state;
	assert_int_equal(strlen(scope_plain_comm(plain, comm)), 4 * (SCOPE_COMM_BYTES - 1));
}

static void test_sentence(void **state)
{
	struct scope_error error;

	(void)state;
	scope_error_set(&error, -1, "cannot open %s: no", "a\n\033[2Jb\\x41");
	assert_string_equal(error.text, "cannot open a\\x0a\\x1b[2Jb\\x41: no");
}

static void check_write(const char *plain, const char *also, const char *expected)
{
	size_t bytes;
	char *text;
	FILE *to = open_memstream(&text, &bytes);

	scope_plain_write_name(to, plain, also);
	fclose(to);
	assert_string_equal(text, expected);
	free(text);
}

static void test_text_read_back(void **state)
{
	(void)state;
	check_write("a b\\x1b;c", " ;", "a\\x20b\\x1b\\x3bc");
	check_write("a\\b\\x5cx41", "\\", "a\\x5cb\\x5cx41");
	check_write("größe", " ", "größe");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),	       cmocka_unit_test(test_backslashes),
		cmocka_unit_test(test_all_pairs),      cmocka_unit_test(test_room),
		cmocka_unit_test(test_comm),	       cmocka_unit_test(test_sentence),
		cmocka_unit_test(test_text_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
