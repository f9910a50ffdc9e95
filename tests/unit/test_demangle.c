// SPDX-License-Identifier: GPL-2.0-only
/* Symbols of C++ and Rust are shown as names, and can be found by the symbol or by the name. */
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

#include "symbol/demangle.h"
#include "symbol/image.h"
#include "symbol/symbol.h"

static void test_names(void **state)
{
	static const struct {
		const char *symbol, *name; /* NULL: stays as it is */
	} rows[] = {
		{ "_ZN2ns3Box4pushEi", "ns::Box::push" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back" },
		{ "_ZN3fooILi1EEC2Ev", "foo<1>::foo" },
		{ "_ZZN4main1fEvENKUlvE_clEv", "main::f()::{lambda()#1}::operator()" },
		{ "_ZN5store4Node6insert17h05af221e174051e9E", "store::Node::insert" },
		{ "_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function" },
		{ "void org.shop.Cart.add(java.lang.String, int[])", "org.shop.Cart.add" },
		{ "int org.shop.Cart$Row.<init>()", "org.shop.Cart$Row.<init>" },
		{ "void org.shop.Cart.add(int) [arm]", NULL },
		{ "void org.shop.Cart.add(int", NULL },
		{ "org.shop.Cart.add(int)", NULL },
		{ "JS:^checkQuery /srv/app (1).js:20:20", NULL },
		{ "RegExp:(a b)", NULL },
		{ "void ", NULL },
		{ "main", NULL },
		{ "_start", NULL },
		{ "__libc_start_main", NULL },
		{ "_", NULL },
		{ "", NULL },
		{ "_Z", NULL },
		{ "_R", NULL },
		{ "_ZN", NULL },
		{ "_Zqq", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *name = NULL;
		int ret = scope_symbol_demangle(rows[i].symbol, &name);

		assert_int_equal(ret, rows[i].name ? 0 : -ENOENT);
		if (rows[i].name)
			assert_string_equal(name, rows[i].name);
		else
			assert_null(name);
		free(name);
		assert_true(scope_symbol_demangle_match(rows[i].symbol, rows[i].symbol));
		assert_true(!rows[i].name || scope_symbol_demangle_match(rows[i].symbol, rows[i].name));
		assert_false(scope_symbol_demangle_match(rows[i].symbol, "ns::Box"));
	}
}

/* f<P<A,A>> with A the same again, 60 deep: 2^60 words in 500 bytes of symbol. */
static void test_without_bound(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char symbol[1024] = "_Z1fI1PIiiE", *name;
	size_t at = strlen(symbol);

	(void)state;
	for (int i = 1; i <= 60; i++) {
		char last[3] = { digits[i / 36], digits[i % 36], 0 };

		if (i < 36)
			memmove(last, last + 1, 2);
		at += snprintf(symbol + at, sizeof(symbol) - at, "S0_IS%s_S%s_E", last, last);
	}
	snprintf(symbol + at, sizeof(symbol) - at, "Evv");
	assert_int_equal(scope_symbol_demangle(symbol, &name), -ENOENT);
}

static const char source[] = ".text\n.globl _ZN4shop8checkoutEi\n.type _ZN4shop8checkoutEi,@function\n"
			     "_ZN4shop8checkoutEi: nop\nret\n.size _ZN4shop8checkoutEi,.-_ZN4shop8checkoutEi\n"
			     ".globl _ZN4shop8checkoutEl\n.type _ZN4shop8checkoutEl,@function\n"
			     "_ZN4shop8checkoutEl: nop\nret\n.size _ZN4shop8checkoutEl,.-_ZN4shop8checkoutEl\n"
			     ".section .note.GNU-stack,\"\",@progbits\n";

/* In a file: both overloads have the name, each its own symbol, and probes find the first by it. */
static void test_of_a_file(void **state)
{
	char path[64] = "/tmp/scope-demangle.XXXXXX", command[256];
	struct scope_trace_map map = { 1, 0x7f0000001000, 0x7f0000002000, 0x1000, true, false, false, path, "" };
	const struct scope_function *one, *other;
	struct scope_symbols *symbols;
	struct scope_image *image;
	uint64_t offset, first;
	int fd = mkstemp(path);
	FILE *pipe;

	(void)state;
	assert_true(fd >= 0);
	snprintf(command, sizeof(command), "${CC:-cc} -shared -nostdlib -x assembler -o %s -", path);
	pipe = popen(command, "w");
	assert_non_null(pipe);
	fputs(source, pipe);
	assert_int_equal(pclose(pipe), 0);
	assert_int_equal(scope_symbol_image_create(open(path, O_RDONLY | O_CLOEXEC), NULL, path, &image), 0);
	assert_int_equal(scope_symbol_image_offset(image, "_ZN4shop8checkoutEi", &first), 0);
	assert_int_equal(scope_symbol_image_offset(image, "shop::checkout", &offset), 0);
	assert_int_equal(offset, first);
	assert_int_equal(scope_symbol_image_offset(image, "_ZN4shop8checkoutEl", &offset), 0);
	assert_int_equal(offset, first + 2);
	assert_int_equal(scope_symbol_image_offset(image, "checkout", &offset), -ENOENT);
	scope_symbol_image_destroy(image);

	assert_int_equal(scope_symbols_create(&map, 1, NULL, 0, NULL, &symbols), 0);
	first += map.start - map.offset;
	assert_int_equal(scope_symbols_lookup(symbols, 1, first, false, &one), 0);
	assert_int_equal(scope_symbols_lookup(symbols, 1, first + 2, false, &other), 0);
	assert_string_equal(one->name, "shop::checkout");
	assert_string_equal(one->symbol, "_ZN4shop8checkoutEi");
	assert_string_equal(other->name, "shop::checkout");
	assert_string_equal(other->symbol, "_ZN4shop8checkoutEl");
	assert_ptr_not_equal(one, other);
	scope_symbols_destroy(symbols);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_without_bound),
		cmocka_unit_test(test_of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
