// SPDX-License-Identifier: GPL-2.0-only
/* Names of addresses: symbol tables, aliases, split functions, debug files, rows of the trace, the vdso. */
#include "symbol_sample.h"

#include <sys/auxv.h>

static void test_names(void **state)
{
	char path[128];
	struct scope_trace_map map;
	struct scope_symbols *symbols;
	const struct scope_function *function;
	size_t count;

	(void)state;
	snprintf(path, sizeof(path), "%s/libsample.so", directory);
	map = map_of(1, path, ID);
	symbols = open_one(&map, "");
	check_names(symbols);
	/* The return address of a call that ends a function belongs to that function. */
	assert_int_equal(scope_symbols_lookup(symbols, 1, BASE + link_of("plain") + 2, true, &function), 0);
	assert_string_equal(function->name, "plain");
	/* plain aliased sizeless nameless split only main.cold */
	assert_int_equal(scope_symbols_program_functions(symbols, 1), 7);
	assert_int_equal(scope_symbols_program_functions(symbols, 2), 0);
	scope_symbols_problems(symbols, &count);
	assert_int_equal(count, 0);
	for (uint32_t i = 0; i < scope_symbols_functions(symbols); i++)
		assert_int_equal(scope_symbols_function(symbols, i)->id, i);
	assert_null(scope_symbols_function(symbols, scope_symbols_functions(symbols)));
	/* Outside of everything. */
	assert_string_equal(look(symbols, 1, 12)->name, "[unknown]");
	assert_ptr_equal(look(symbols, 1, BASE), look(symbols, 99, BASE + link_of("plain")));
	scope_symbols_destroy(symbols);
}

/* Processes that map one file share its functions; other files have their own. */
static void test_shared(void **state)
{
	struct scope_trace_map map[3];
	struct scope_symbols *symbols;
	char path[128], copy[128];
	uint64_t address = BASE + link_of("plain");

	(void)state;
	snprintf(path, sizeof(path), "%s/libsample.so", directory);
	snprintf(copy, sizeof(copy), "%s/libcopy.so", directory);
	command("cp %s %s", path, copy);
	map[0] = map_of(1, path, ID);
	map[1] = map_of(2, path, ID);
	map[2] = map_of(3, copy, "");
	assert_int_equal(scope_symbols_create(map, 3, NULL, 0, NULL, &symbols), 0);
	assert_ptr_equal(look(symbols, 1, address), look(symbols, 2, address));
	assert_ptr_not_equal(look(symbols, 1, address), look(symbols, 3, address));
	assert_string_equal(look(symbols, 3, address)->module, "libcopy.so");
	assert_int_equal(scope_symbols_program_functions(symbols, 0), 14);
	scope_symbols_destroy(symbols);
}

/* Separate debug files: beside the file, in .debug, by build-id, in the root before the host. */
static void test_debug_files(void **state)
{
	static const struct {
		const char *place, *link; /* below the root; "" for no debug link */
	} rows[] = {
		{ "opt/libsample.debug", "libsample.debug" },
		{ "opt/.debug/libsample.debug", "libsample.debug" },
		{ "usr/lib/debug/opt/libsample.debug", "libsample.debug" },
		{ "usr/lib/debug/.build-id/00/112233445566778899aabbccddeeff00112233.debug", "" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct scope_trace_map map = map_of(1, "/opt/libsample.so", ID);
		struct scope_symbols *symbols;
		char root[128];

		snprintf(root, sizeof(root), "%s/root%zu", directory, i);
		command("mkdir -p %s/opt && cd %s && mkdir -p $(dirname %s) && "
			"objcopy --only-keep-debug ../libsample.so libsample.debug && "
			"objcopy -S ../libsample.so opt/libsample.so && if [ -n '%s' ]; then "
			"objcopy --add-gnu-debuglink=libsample.debug opt/libsample.so; fi && "
			"mv libsample.debug %s",
			root, root, rows[i].place, rows[i].link, rows[i].place);
		symbols = open_one(&map, root);
		check_names(symbols);
		scope_symbols_destroy(symbols);
	}
}

/*
 * Prelinked: addresses in the file begin elsewhere than at 0, and the symbols' values with them, wherever it
 * is then mapped. Its debug file was split off before that, and has the old ones.
 */
static void test_prelinked(void **state)
{
	const uint64_t first = 0x3d00000000ull;
	const uint64_t places[] = { first, BASE };

	(void)state;
	command("mkdir -p %s/pre/opt %s/pre/usr/lib/debug/opt && cd %s/pre && "
		"${CC:-cc} -shared -nostdlib -Wl,--build-id=0x%s -Wl,-Ttext-segment=0x3d00000000 "
		"-o libwhole.so ../sample.s && "
		"objcopy --only-keep-debug ../libsample.so debug && "
		/* What prelink keeps of the file as it was: its headers. */
		"number() { readelf -h ../libsample.so | sed -n \"s/.*Number of $1 headers: *//p\"; } && "
		"{ head -c $((64 + 56 * $(number program))) ../libsample.so && "
		"tail -c $((64 * ($(number section) - 1))) ../libsample.so; } >undo && "
		"objcopy --add-section .gnu.prelink_undo=undo libwhole.so",
		directory, directory, directory, ID);
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t place = places[i % 2], plain = link_of("plain");
		struct scope_trace_map map = map_of(1, "/opt/libsample.so", ID);
		const struct scope_function *function;
		struct scope_symbols *symbols;
		char root[128];

		snprintf(root, sizeof(root), "%s/pre", directory);
		map.start = place + 0x1000;
		map.end = place + 0x2000;
		/* At first with symbols of its own, then with those of its debug file. */
		command("cd %s && if [ %u -lt 2 ]; then cp libwhole.so opt/libsample.so; else "
			"objcopy -S libwhole.so opt/libsample.so && mkdir -p usr/lib/debug/.build-id/00 && "
			"cp debug usr/lib/debug/.build-id/00/112233445566778899aabbccddeeff00112233.debug; fi",
			root, i);
		symbols = open_one(&map, root);
		function = look(symbols, 1, place + plain);
		assert_string_equal(function->name, "plain");
		assert_int_equal(function->start, first + plain);
		assert_string_equal(look(symbols, 1, place + link_of("sizeless") + 3)->name, "sizeless");
		assert_string_equal(look(symbols, 1, place + link_of("split.cold"))->name, "split");
		assert_string_equal(look(symbols, 1, place + link_of("aliased") + 2)->name, "aliased");
		assert_false(look(symbols, 1, place + link_of("sizeless") + 4)->known);
		scope_symbols_destroy(symbols);
	}
}

/* Rows of the trace come before files; those of the process before those of all. */
static void test_rows(void **state)
{
	const struct scope_trace_symbol rows[] = {
		{ 0, 0x1000, 0x100, "everywhere", "app", false },
		{ 1, 0x1080, 0x10, "inner", "app", false },
		{ 1, 0x3000, 0x100, "jit", "app", false },
		{ 1, 0x4000, 0x100, "jit", "app", false }, /* compiled again */
		{ 2, 0x3000, 0x100, "jit", "app", false },
		{ 0, 0x5000, 0x100, "read", "libc.so.6", true },
	};
	struct scope_trace_map map;
	struct scope_symbols *symbols;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/libsample.so", directory);
	map = map_of(1, path, ID);
	map.start = 0x1000;
	map.end = 0x2000;
	assert_int_equal(scope_symbols_create(&map, 1, rows, 6, NULL, &symbols), 0);
	assert_string_equal(look(symbols, 1, 0x1000)->name, "everywhere");
	assert_string_equal(look(symbols, 1, 0x1080)->name, "inner");
	assert_string_equal(look(symbols, 1, 0x1090)->name, "everywhere");
	assert_string_equal(look(symbols, 2, 0x1080)->name, "everywhere");
	assert_ptr_equal(look(symbols, 1, 0x1000), look(symbols, 2, 0x10ff));
	assert_string_not_equal(look(symbols, 1, 0x1100)->name, "everywhere");
	assert_ptr_equal(look(symbols, 1, 0x3000), look(symbols, 1, 0x40ff));
	assert_ptr_not_equal(look(symbols, 1, 0x3000), look(symbols, 2, 0x3000));
	assert_true(look(symbols, 2, 0x5000)->library);
	assert_true(look(symbols, 2, 0x5000)->known);
	assert_string_equal(look(symbols, 2, 0x5000)->module, "libc.so.6");
	assert_int_equal(scope_symbols_program_functions(symbols, 2), 2); /* everywhere, jit */
	scope_symbols_destroy(symbols);
}

/* The kernel's page of code is read from memory. */
static void test_vdso(void **state)
{
	uint64_t base = getauxval(AT_SYSINFO_EHDR);
	struct scope_trace_map map = { 1, 0, 0, 0, true, false, false, "[vdso]", "" };
	struct scope_symbols *symbols;
	unsigned int known = 0;
	unsigned long start, end;
	char line[512];
	FILE *file = fopen("/proc/self/maps", "r");

	(void)state;
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == base) {
			map.start = start;
			map.end = end;
		}
	}
	if (file)
		fclose(file);
	if (!map.start)
		skip();
	symbols = open_one(&map, "");
	for (uint64_t address = map.start; address < map.end; address += 16) {
		const struct scope_function *function = look(symbols, 1, address);

		assert_true(function->library);
		known += function->known && strstr(function->name, "gettime") != NULL;
	}
	assert_true(known > 0);
	scope_symbols_destroy(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_shared), cmocka_unit_test(test_debug_files),
		cmocka_unit_test(test_prelinked), cmocka_unit_test(test_rows),	 cmocka_unit_test(test_vdso),
	};

	return SAMPLE_RUN(tests);
}
