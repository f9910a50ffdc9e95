// SPDX-License-Identifier: GPL-2.0-only
/* Names of addresses: symbol tables, aliases, split parts, stripped and replaced files, libraries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/functions.h"
#include "symbol/library.h"
#include "symbol/range.h"
#include "symbol/symbol.h"

#define BASE 0x7f0000000000ull
#define ID "00112233445566778899aabbccddeeff00112233"

static char directory[64];

static void command(const char *format, ...)
{
	char text[2048];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (system(text))
		fail_msg("failed: %s", text);
}

/* A shared object with aliases, a function without size, split parts and local namesakes. */
static const char source[] =
	".text\n"
	".globl plain\n.type plain,@function\nplain: .cfi_startproc\nnop\nret\n.cfi_endproc\n"
	".size plain,.-plain\n"
	/* Four names of one address. */
	".globl __aliased\n.weak aliased\n.weak aliased_longer\n.type __aliased,@function\n"
	".type aliased,@function\n.type aliased_longer,@function\n.type ali,@function\n"
	"ali:\n__aliased:\naliased_longer:\naliased: .cfi_startproc\nnop\nnop\nret\n.cfi_endproc\n"
	".size aliased,.-aliased\n.size __aliased,.-aliased\n.size aliased_longer,.-aliased\n"
	/* No size: up to the end of its unwind range. */
	".globl sizeless\n.type sizeless,@function\n"
	"sizeless: .cfi_startproc\nnop\nnop\nnop\nret\n.cfi_endproc\n"
	/* No name at all: only an unwind range. */
	".Lnameless: .cfi_startproc\nnop\nnop\nnop\nnop\nret\n.cfi_endproc\n"
	".type split,@function\nsplit: .cfi_startproc\nnop\nret\n.cfi_endproc\n.size split,.-split\n"
	".type split.part.0,@function\n"
	"split.part.0: .cfi_startproc\nnop\nret\n.cfi_endproc\n.size split.part.0,.-split.part.0\n"
	".type only.isra.0,@function\n"
	"only.isra.0: .cfi_startproc\nnop\nret\n.cfi_endproc\n.size only.isra.0,.-only.isra.0\n"
	".section .text.unlikely,\"ax\",@progbits\n.type split.cold,@function\n"
	"split.cold: .cfi_startproc\nnop\nret\n.cfi_endproc\n.size split.cold,.-split.cold\n"
	".type main.cold,@function\n"
	"main.cold: .cfi_startproc\nnop\nret\n.cfi_endproc\n.size main.cold,.-main.cold\n"
	".section .note.GNU-stack,\"\",@progbits\n";

/* Builds DIRECTORY/libsample.so, with the symbols' values in a table read by nm. */
static int group_setup(void **state)
{
	char path[128];
	FILE *file;

	(void)state;
	strcpy(directory, "/tmp/scope-symbol.XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/sample.s", directory);
	file = fopen(path, "w");
	if (!file)
		return -1;
	fputs(source, file);
	fclose(file);
	command("cd %s && ${CC:-cc} -shared -nostdlib -Wl,--build-id=0x%s -o libsample.so sample.s",
		directory, ID);
	return 0;
}

static int group_teardown(void **state)
{
	(void)state;
	command("rm -rf %s", directory);
	return 0;
}

/* Link address of a name, or of the code between two names. */
static uint64_t link_of(const char *name)
{
	char text[256];
	uint64_t value = 0;
	FILE *pipe;

	snprintf(text, sizeof(text), "nm %s/libsample.so | awk '$3 == \"%s\" {print $1}'", directory,
		 name);
	pipe = popen(text, "r");
	if (!pipe || fscanf(pipe, "%lx", &value) != 1)
		fail_msg("nm does not know %s", name);
	pclose(pipe);
	return value;
}

/* A map of all of the file's code in the process, as the kernel would have it: BASE + link. */
static struct scope_trace_map map_of(uint32_t tgid, const char *path, const char *build_id)
{
	struct scope_trace_map map = { tgid, BASE + 0x1000, BASE + 0x2000, 0x1000, true, path,
				       build_id };

	return map;
}

static const struct scope_function *look(struct scope_symbols *symbols, uint32_t tgid,
					 uint64_t address)
{
	const struct scope_function *function = NULL;

	assert_int_equal(scope_symbols_lookup(symbols, tgid, address, false, &function), 0);
	assert_non_null(function);
	return function;
}

static struct scope_symbols *open_one(const struct scope_trace_map *map, const char *root)
{
	const struct scope_symbol_options options = { .root = root };
	struct scope_symbols *symbols;

	assert_int_equal(scope_symbols_create(map, 1, NULL, 0, &options, &symbols), 0);
	return symbols;
}

static void check_names(struct scope_symbols *symbols)
{
	const struct scope_function *split = look(symbols, 1, BASE + link_of("split"));
	const struct scope_function *function;
	char name[64];

	assert_string_equal(look(symbols, 1, BASE + link_of("plain"))->name, "plain");
	assert_string_equal(look(symbols, 1, BASE + link_of("plain"))->module, "libsample.so");
	assert_string_equal(look(symbols, 1, BASE + link_of("aliased") + 2)->name, "aliased");
	function = look(symbols, 1, BASE + link_of("sizeless") + 3);
	assert_string_equal(function->name, "sizeless");
	assert_int_equal(function->size, 4);
	assert_true(function->known);
	/* Parts are the function they were split from. */
	assert_string_equal(split->name, "split");
	assert_int_equal(split->start, link_of("split"));
	assert_ptr_equal(look(symbols, 1, BASE + link_of("split.part.0") + 1), split);
	assert_ptr_equal(look(symbols, 1, BASE + link_of("split.cold")), split);
	assert_string_equal(look(symbols, 1, BASE + link_of("only.isra.0"))->name, "only");
	assert_string_equal(look(symbols, 1, BASE + link_of("main.cold"))->name, "main.cold");
	/* Without a name, by its unwind range: one object for all its addresses. */
	function = look(symbols, 1, BASE + link_of("sizeless") + 4);
	assert_false(function->known);
	snprintf(name, sizeof(name), "libsample.so+0x%lx", link_of("sizeless") + 4);
	assert_string_equal(function->name, name);
	assert_int_equal(function->size, 5);
	assert_ptr_equal(look(symbols, 1, BASE + link_of("sizeless") + 8), function);
}

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
	assert_int_equal(scope_symbols_lookup(symbols, 1, BASE + link_of("plain") + 2, true,
					      &function), 0);
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
			"mv libsample.debug %s", root, root, rows[i].place, rows[i].link,
			rows[i].place);
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

/* Deleted, and then put back: the build-id tells. */
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

static void test_libraries(void **state)
{
	static const struct {
		const char *path;
		bool library;
	} rows[] = {
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", true },
		{ "/lib/x86_64-linux-gnu/ld-2.31.so", true },
		{ "/lib64/ld-linux-x86-64.so.2", true },
		{ "/opt/app/lib/libc.so.6", true },
		{ "/opt/app/lib/libssl.so.1.1", true },
		{ "/usr/lib/x86_64-linux-gnu/libevent-2.1.so.7.0.1", true },
		{ "/usr/lib/aarch64-linux-gnu/libwhatever.so.1", true },
		{ "/usr/lib64/libwhatever.so", true },
		{ "/usr/lib/jvm/java-17/lib/server/libjvm.so", true },
		{ "[vdso]", true },
		{ "[vsyscall]", true },
		{ "/usr/sbin/nginx", false },
		{ "/usr/bin/memcached", false },
		{ "/usr/lib/lighttpd/mod_proxy.so", false },
		{ "/usr/lib/x86_64-linux-gnu/lighttpd/mod_proxy.so", false },
		{ "/usr/lib/apache2/modules/mod_php.so", false },
		{ "/usr/lib/postgresql/15/bin/postgres", false },
		{ "/opt/app/lib/libapp.so", false },
		{ "/opt/app/lib/libcache.so", false },
		{ "/opt/app/lib/libmq.so", false },
		{ "/usr/local/lib/libapp.so.1", false },
		{ "/lib/systemd/systemd", false },
		{ "[anonymous]", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (scope_library_match(NULL, rows[i].path) != rows[i].library)
			fail_msg("%s", rows[i].path);
	}
}

static void test_runtimes(void **state)
{
	static const struct {
		const char *name;
		bool library;
	} rows[] = {
		{ "void java.io.FileDescriptor.sync()", true },
		{ "boolean java.util.regex.Pattern$Loop.match(java.util.regex.Matcher, int)", true },
		{ "monitorenter_nofpu Runtime1 stub", true },
		{ "StubRoutines (1)", true },
		{ "Builtin:InterpreterEntryTrampoline", true },
		{ "JS:*emit node:events:465:44", true },
		{ "void org.example.Shop.sell(int, java.util.List)", false },
		{ "java.util.List org.example.Shop.list()", false },
		{ "JS:*checkQuery /srv/app.js:12:20", false },
		{ "RegExp:^(a+)+$", false },
		{ "handle_request", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (scope_library_runtime(rows[i].name) != rows[i].library)
			fail_msg("%s", rows[i].name);
	}
}

static void test_ranges(void **state)
{
	struct scope_ranges ranges = { 0 };

	(void)state;
	assert_null(scope_ranges_find(&ranges, 5));
	assert_int_equal(scope_ranges_add(&ranges, 30, 40, 3), 0);
	assert_int_equal(scope_ranges_add(&ranges, 10, 100, 1), 0);
	assert_int_equal(scope_ranges_add(&ranges, 10, 20, 2), 0);
	assert_int_equal(scope_ranges_add(&ranges, 200, 200, 4), 0);
	assert_int_equal(scope_ranges_add(&ranges, 300, 301, 5), 0);
	assert_int_equal(scope_ranges_add(&ranges, 300, 301, 6), 0);
	scope_ranges_sort(&ranges);
	assert_null(scope_ranges_find(&ranges, 9));
	assert_int_equal(scope_ranges_find(&ranges, 10)->value, 2);
	assert_int_equal(scope_ranges_find(&ranges, 20)->value, 1);
	assert_int_equal(scope_ranges_find(&ranges, 39)->value, 3);
	assert_int_equal(scope_ranges_find(&ranges, 40)->value, 1);
	assert_null(scope_ranges_find(&ranges, 100));
	assert_null(scope_ranges_find(&ranges, 200));
	assert_int_equal(scope_ranges_find(&ranges, 300)->value, 6);
	assert_null(scope_ranges_find(&ranges, ~0ull));
	scope_ranges_free(&ranges);
}

/* The kernel's page of code is read from memory. */
static void test_vdso(void **state)
{
	uint64_t base = getauxval(AT_SYSINFO_EHDR);
	struct scope_trace_map map = { 1, 0, 0, 0, true, "[vdso]", "" };
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
			scope_symbols_unwind(symbols, 1, reg, SCOPE_REG_COUNT_X86_64, data,
					     sizeof(data), ip, 16, &count, &flags);
		}
		scope_symbols_program_functions(symbols, 1);
		scope_symbols_destroy(symbols);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	 cmocka_unit_test(test_shared),
		cmocka_unit_test(test_debug_files), cmocka_unit_test(test_problems),
		cmocka_unit_test(test_deleted),	 cmocka_unit_test(test_rows),
		cmocka_unit_test(test_libraries), cmocka_unit_test(test_runtimes),
		cmocka_unit_test(test_prelinked), cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_vdso),	 cmocka_unit_test(test_damaged),
	};

#ifndef __x86_64__
	puts("skip: the sample file is for x86-64");
	return 77;
#endif
	if (system("${CC:-cc} --version >/dev/null 2>&1 && objcopy --version >/dev/null 2>&1")) {
		puts("skip: no compiler and binutils to build the sample file with (set CC)");
		return 77;
	}
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
