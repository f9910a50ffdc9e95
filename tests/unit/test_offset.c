// SPDX-License-Identifier: GPL-2.0-only
/* The offset at which a function begins in its file, by its name, for a uprobe. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "symbol/image.h"

__attribute__((noinline, noclone)) int offset_test_function(int number);
int offset_test_function(int number)
{
	return number + 1;
}

/* By the mapping that holds the function: no table of the file is asked. */
static uint64_t true_offset(void)
{
	uint64_t address = (uint64_t)offset_test_function, start, end, offset, found = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && address >= start && address < end)
			found = address - start + offset;
	fclose(maps);
	assert_true(found);
	return found;
}

static void test_offset_of_a_function(void **state)
{
	struct scope_image *image;
	uint64_t offset = 7;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(scope_symbol_image_create(fd, NULL, "/proc/self/exe", &image), 0);
	assert_int_equal(scope_symbol_image_offset(image, "no_such_function", &offset), -ENOENT);
	assert_int_equal(offset, 7);
	assert_int_equal(scope_symbol_image_offset(image, "offset_test_function", &offset), 0);
	assert_int_equal(offset, true_offset());
	scope_symbol_image_destroy(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_offset_of_a_function) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
