// SPDX-License-Identifier: GPL-2.0-only
/* Names for functions of stripped programs, taken from the program's own messages. */
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

static char directory[] = "/tmp/scope_messages_XXXXXX";

static void command(const char *flags)
{
	char line[512];

	snprintf(line, sizeof(line),
		 "${CC:-gcc} -O2 %s -o %s/full tests/unit/message_sample.c && strip -o %s/bare %s/full", flags,
		 directory, directory, directory);
	assert_int_equal(system(line), 0);
}

static struct scope_image *open_image(const char *name)
{
	struct scope_image *image;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(scope_symbol_image_create(open(path, O_RDONLY | O_CLOEXEC), NULL, path, &image), 0);
	return image;
}

/* The function of the program with symbols. */
static const struct scope_file_function *find(struct scope_image *full, const char *name)
{
	const struct scope_file_functions *functions;

	assert_int_equal(scope_symbol_image_functions(full, &functions), 0);
	for (size_t i = 0; i < functions->count; i++)
		if (functions->function[i].name && strlen(name) == functions->function[i].name_bytes &&
		    !memcmp(functions->function[i].name, name, functions->function[i].name_bytes))
			return &functions->function[i];
	fail_msg("%s is not in the program", name);
	return NULL;
}

/* The name that the stripped program gives it, "" for none. */
static const char *name_of(struct scope_image *full, struct scope_image *bare, const char *function)
{
	static char name[64];
	struct scope_file_function found;

	assert_int_equal(scope_symbol_image_function(bare, find(full, function)->start, true, &found), 0);
	assert_int_equal(found.message, found.name != NULL);
	snprintf(name, sizeof(name), "%.*s", (int)found.name_bytes, found.name ? found.name : "");
	return name;
}

struct wanted {
	const char *function;
	const char *name; /* "": none */
};

static void check(const char *flags, const struct wanted *wanted, size_t count)
{
	struct scope_image *full, *bare;

	command(flags);
	full = open_image("full");
	bare = open_image("bare");
	for (size_t i = 0; i < count; i++)
		assert_string_equal(name_of(full, bare, wanted[i].function), wanted[i].name);
	scope_symbol_image_destroy(full);
	scope_symbol_image_destroy(bare);
}

#define CHECK(flags, wanted) check(flags, wanted, sizeof(wanted) / sizeof(*(wanted)))

static const struct wanted always[] = {
	{ "check_entry", "check_entry" },
	{ "second_caller", "second_caller" },
	{ "first_caller", "" },
	{ "read_verbose", "" },
	{ "read_depth", "" },
	{ "read_limit", "" },
};

/* assert() is given the name of its caller, from wherever it is called. Words that other functions are given are no names. */
static void test_assert(void **state)
{
	(void)state;
	CHECK("-DLOGGERS=2", always);
	CHECK("-DLOGGERS=2 -no-pie -fno-pie", always);
	CHECK("-DLOGGERS=2 -fno-plt", always);
	CHECK("-DLOGGERS=2 -fcf-protection=none -Wl,-z,lazy", always);
}

/* Five functions with a symbol are enough to learn from, four are not. */
static void test_symbols_agree(void **state)
{
	static const struct wanted five[] = { { "compact_store", "compact_store" } };
	static const struct wanted four[] = { { "compact_store", "" } };

	(void)state;
	CHECK("-rdynamic -DEXPORTED=5 -DLOGGERS=2", five);
	CHECK("-rdynamic -DEXPORTED=4 -DLOGGERS=2", four);
	CHECK("-rdynamic -DEXPORTED=5 -DLOGGERS=2", always);
}

/* Three functions that log with a format that begins with a name are enough, two are not. */
static void test_formats(void **state)
{
	static const struct wanted three[] = { { "load_table", "load_table" },
					       { "load_index", "load_index" },
					       { "load_names", "load_names" } };
	static const struct wanted two[] = { { "load_table", "" }, { "load_index", "" } };

	(void)state;
	CHECK("-DLOGGERS=3", three);
	CHECK("-DLOGGERS=2", two);
}

/* What the compiler moved away from a function counts as the function, and a probe is set where the function begins. */
static void test_parts(void **state)
{
	struct scope_image *full, *bare;
	const struct scope_file_function *whole;
	struct scope_file_function found;
	uint64_t place, begin;
	char line[512];
	FILE *pipe;

	(void)state;
	command("-DLOGGERS=2");
	full = open_image("full");
	bare = open_image("bare");
	whole = find(full, "check_entry");
	snprintf(line, sizeof(line), "nm %s/full | grep ' check_entry.cold$'", directory);
	pipe = popen(line, "r");
	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%lx", &place), 1);
	assert_int_equal(pclose(pipe), 0);
	assert_true(place < whole->start || place >= whole->start + whole->size);
	assert_int_equal(scope_symbol_image_function(bare, place, true, &found), 0);
	assert_int_equal(found.start, whole->start);
	assert_int_equal(found.name_bytes, strlen("check_entry"));
	assert_int_equal(scope_symbol_image_function(bare, place, false, &found), 0);
	assert_null(found.name);
	assert_int_equal(scope_symbol_image_offset(full, "check_entry", &begin), 0);
	assert_int_equal(scope_symbol_image_offset(bare, "check_entry", &place), 0);
	assert_int_equal(place, begin);
	assert_int_equal(scope_symbol_image_offset(bare, "first_caller", &place), -ENOENT);
	scope_symbol_image_destroy(full);
	scope_symbol_image_destroy(bare);
}

/* Bytes of the code and of the texts are whatever the file says: no read outside of it. */
static void test_damaged(void **state)
{
	char path[256], line[512];
	unsigned int seed = 1;

	(void)state;
	command("-rdynamic -DEXPORTED=5 -DLOGGERS=3");
	snprintf(path, sizeof(path), "%s/damaged", directory);
	for (int round = 0; round < 60; round++) {
		const struct scope_file_functions *functions;
		struct scope_file_function found;
		struct scope_image *image;
		int fd;

		snprintf(line, sizeof(line), "cp %s/bare %s", directory, path);
		assert_int_equal(system(line), 0);
		fd = open(path, O_RDWR | O_CLOEXEC);
		for (int i = 0; i < 200; i++) {
			const char byte = (char)rand_r(&seed);

			assert_int_equal(pwrite(fd, &byte, 1, 0x200 + rand_r(&seed) % 0x3000), 1);
		}
		if (scope_symbol_image_create(fd, NULL, path, &image))
			continue;
		if (!scope_symbol_image_functions(image, &functions))
			for (size_t i = 0; i < functions->count; i++)
				scope_symbol_image_function(image, functions->function[i].start, true, &found);
		scope_symbol_image_destroy(image);
	}
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int teardown(void **state)
{
	char line[512];

	(void)state;
	snprintf(line, sizeof(line), "rm -r %s", directory);
	return system(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_assert), cmocka_unit_test(test_symbols_agree), cmocka_unit_test(test_formats),
		cmocka_unit_test(test_parts),  cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
