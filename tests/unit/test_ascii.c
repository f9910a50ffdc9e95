// SPDX-License-Identifier: GPL-2.0-only
/* The ASCII form of text: each character becomes one character, in any encoding, and which locales need this form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/ascii.h"

/* `piece` bytes at a time. */
static void check(const char *text, size_t piece, const char *expected)
{
	const size_t length = strlen(text);
	char *got;
	size_t size;
	FILE *to = open_memstream(&got, &size), *stream = scope_ascii_stream(to);

	assert_non_null(stream);
	for (size_t at = 0; at < length; at += piece) {
		fwrite(text + at, 1, at + piece < length ? piece : length - at, stream);
		fflush(stream);
	}
	assert_int_equal(fclose(stream), 0);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(got, expected);
	free(got);
}

static void test_characters(void **state)
{
	(void)state;
	for (size_t piece = 1; piece < 8; piece++) {
		check("read ×4 · 3.1 µs … main ← run → x\n", piece, "read x4 - 3.1 us ~ main < run > x\n");
		/* Of two, three and four bytes that have no likeness. */
		check("gr\303\266\303\237e \346\227\245 \360\237\230\200.", piece, "gr??e ? ?.");
		/* Cut off by another character. */
		check("▁▂▃▄▅▆▇█", piece, ".:-=+*%#");
		check("a\303b\346\227c", piece, "a?b?c");
	}
	check("", 1, "");
}

static void set(const char *all, const char *type, const char *lang)
{
	const struct {
		const char *name, *value;
	} of[] = { { "LC_ALL", all }, { "LC_CTYPE", type }, { "LANG", lang } };

	for (size_t i = 0; i < 3; i++)
		of[i].value ? setenv(of[i].name, of[i].value, 1) : unsetenv(of[i].name);
}

static void test_locale(void **state)
{
	(void)state;
	set(NULL, NULL, NULL);
	assert_false(scope_ascii_wanted());
	set(NULL, NULL, "C");
	assert_true(scope_ascii_wanted());
	set(NULL, NULL, "de_DE.ISO-8859-1");
	assert_true(scope_ascii_wanted());
	set(NULL, NULL, "de_DE.UTF-8");
	assert_false(scope_ascii_wanted());
	set(NULL, "C.utf8", "C");
	assert_false(scope_ascii_wanted());
	set("POSIX", "C.utf8", "C.UTF-8");
	assert_true(scope_ascii_wanted());
	set("", "", "C.UTF-8");
	assert_false(scope_ascii_wanted());
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_characters), cmocka_unit_test(test_locale) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
