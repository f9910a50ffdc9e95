// SPDX-License-Identifier: GPL-2.0-only
/* Names if the file is deleted, replaced or damaged: an address instead, and the reason. */
#include "symbol_sample.h"

/* Expects one problem that says so, and names made of module and address. */
static void check_problem(const struct scope_trace_map *map, const char *root, const char *says)
{
	struct scope_symbols *symbols = open_one(map, root);
	const struct scope_function *function;
	const char *const *problem;
	char name[64];
	size_t count;

	function = look(symbols, 1, BASE + 0x1001);
	snprintf(name, sizeof(name), "%s+0x1001", function->module);
	assert_string_equal(function->name, name);
	assert_false(function->known);
	look(symbols, 1, BASE + 0x1002);
	problem = scope_symbols_problems(symbols, &count);
	assert_int_equal(count, 1);
	if (!strstr(problem[0], says))
		fail_msg("'%s' does not say '%s'", problem[0], says);
	assert_non_null(strstr(problem[0], "libsample.so"));
	scope_symbols_destroy(symbols);
}

static void test_problems(void **state)
{
	struct scope_trace_map map;
	char path[128], deleted[160];

	(void)state;
	snprintf(path, sizeof(path), "%s/libsample.so", directory);
	snprintf(deleted, sizeof(deleted), "%s (deleted)", path);
	map = map_of(1, path, "ff");
	check_problem(&map, "", "the one that ran has ff");
	map = map_of(1, path, "");
	check_problem(&map, "/nowhere", "cannot be read");
	map = map_of(1, deleted, "");
	check_problem(&map, "", "deleted or replaced");
	map = map_of(1, deleted, "ff");
	check_problem(&map, "", "the one that ran has ff");
	snprintf(path, sizeof(path), "%s/empty/libsample.so", directory);
	command("mkdir %s/empty && echo text >%s", directory, path);
	map = map_of(1, path, "");
	check_problem(&map, "", "not an ELF program");
	command("rm %s && mkfifo %s", path, path);
	check_problem(&map, "", "not an ELF program");
}

/* Deleted, and then put back: the build-id decides. */
static void test_deleted(void **state)
{
	struct scope_trace_map map;
	struct scope_symbols *symbols;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/libsample.so (deleted)", directory);
	map = map_of(1, path, ID);
	symbols = open_one(&map, "");
	check_names(symbols);
	scope_symbols_destroy(symbols);
}

/* A damaged file may lose its names, and nothing else. */
static void test_damaged(void **state)
{
	struct scope_trace_map map;
	char path[128], good[65536], bad[65536];
	size_t bytes;
	FILE *file;

	(void)state;
	srand(1);
	snprintf(path, sizeof(path), "%s/libsample.so", directory);
	file = fopen(path, "r");
	assert_non_null(file);
	bytes = fread(good, 1, sizeof(good), file);
	fclose(file);
	snprintf(path, sizeof(path), "%s/libdamaged.so", directory);
	map = map_of(1, path, "");
	for (unsigned int turn = 0; turn < 500; turn++) {
		uint64_t reg[SCOPE_REG_COUNT_X86_64] = { [7] = 0x1000, [16] = BASE + 0x1000 };
		uint8_t data[512] = { 0 };
		struct scope_symbols *symbols;
		uint64_t ip[16];
		unsigned int count, flags;

		memcpy(bad, good, bytes);
		for (int i = 1 + rand() % 12; i > 0; i--)
			bad[rand() % (turn % 2 ? bytes : 1024)] = rand();
		file = fopen(path, "w");
		assert_int_equal(fwrite(bad, 1, turn % 5 ? bytes : rand() % bytes, file) > 0, 1);
		fclose(file);
		symbols = open_one(&map, "");
		for (unsigned int i = 0; i < 64; i++) {
			look(symbols, 1, BASE + 0x1000 + i);
			reg[16]++;
			scope_symbols_unwind(symbols, 1, reg, SCOPE_REG_COUNT_X86_64, data, sizeof(data), ip, 16,
					     &count, &flags);
		}
		scope_symbols_program_functions(symbols, 1);
		scope_symbols_destroy(symbols);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_problems),
		cmocka_unit_test(test_deleted),
		cmocka_unit_test(test_damaged),
	};

	return SAMPLE_RUN(tests);
}
