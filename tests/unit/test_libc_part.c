// SPDX-License-Identifier: GPL-2.0-only
/* The C library in a statically linked program is found by names and addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/libc_part.h"

#define MOST 32

/* A file with functions of these names in order of their addresses: 0x1000, 0x1010, …; "": one that only unwind tables have. */
static struct scope_file_functions file_of(const char *const *names)
{
	static struct scope_file_function function[MOST];
	static struct scope_range range[MOST];
	struct scope_file_functions functions = { .function = function, .ranges = { .range = range } };

	for (; names[functions.count]; functions.count++) {
		const uint64_t start = 0x1000 + 0x10 * functions.count;
		const char *name = names[functions.count];

		assert_in_range(functions.count, 0, MOST - 1);
		function[functions.count] =
			(struct scope_file_function){ *name ? name : NULL, strlen(name), start, 16, false, false };
		range[functions.count] = (struct scope_range){ start, start + 16, start + 16, functions.count };
	}
	functions.ranges.count = functions.count;
	return functions;
}

/* The functions of `names` from number `first` on are marked, those before are not, but for the one with the number `also`. */
static void expect(const char *const *names, size_t first, size_t also)
{
	struct scope_file_functions functions = file_of(names);

	scope_symbol_libc_part_mark(&functions);
	for (size_t i = 0; i < functions.count; i++)
		if (functions.function[i].libc != (i >= first || i == also))
			fail_msg("%s: %d", names[i], functions.function[i].libc);
}

static void it_is_the_last_part(void **state)
{
	static const char *const glibc[] = { "__do_global_dtors_aux",
					     "parse",
					     "serve",
					     "error",
					     "main",
					     "__libc_start_main",
					     "abort",
					     "exit",
					     "qsort",
					     "_int_malloc",
					     "malloc",
					     "",
					     "free",
					     "read",
					     "sysmalloc",
					     "nanosleep",
					     "memcpy",
					     NULL };
	static const char *const with_cpp[] = { "main",
						"_ZN4shop3addEi",
						"_ZNSt6vectorIiSaIiEE9push_backERKi",
						"_RNvCs1_4shop3add",
						"__libc_start_main",
						"printf",
						"write",
						NULL };

	(void)state;
	expect(glibc, 5, 0);
	expect(with_cpp, 4, SIZE_MAX);
}

/* Those that a linker put elsewhere have reserved names. */
static void reserved_names_are_it_anywhere(void **state)
{
	static const char *const names[] = { "_IO_fflush",	  "main", "serve", "look_up",
					     "__libc_start_main", "read", "write", NULL };

	(void)state;
	expect(names, 4, 0);
}

static void a_program_that_loads_it_has_none(void **state)
{
	static const char *const names[] = { "main", "serve", "error", "read", "__wrap_malloc", "write", NULL };

	(void)state;
	expect(names, SIZE_MAX, SIZE_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_last_part),
		cmocka_unit_test(reserved_names_are_it_anywhere),
		cmocka_unit_test(a_program_that_loads_it_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
