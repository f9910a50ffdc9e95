// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trace has the loops of its files, and a report without the files has the same ones. Rows with any contents are
 * refused or read.
 */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbol/disassemble.h"
#include "symbol/names.h"
#include "symbol/source_loop.h"
#include "trace/format.h"
#include "trace_fixture.h"
#include "trace_of.h"

#define TGID 1000
#define MOST 4096

/* Loops within each other, one in an inlined function, a switch in a loop, and code without a loop. */
static const char source[] = "static inline __attribute__((always_inline)) int row(const int *a, int n)\n"
			     "{\n"
			     "	int sum = 0;\n"
			     "	for (int i = 0; i < n; i++)\n"
			     "		sum += a[i];\n"
			     "	return sum;\n"
			     "}\n"
			     "int work(const int *a, int n)\n"
			     "{\n"
			     "	int sum = 0;\n"
			     "	if (n < 2)\n"
			     "		return 7;\n"
			     "	for (int i = 0; i < n; i++) {\n"
			     "		sum += row(a, i);\n"
			     "		for (int k = i; k < n; k += 3)\n"
			     "			switch (a[k] & 7) {\n"
			     "			case 1: sum += k; break;\n"
			     "			case 2: sum ^= k; break;\n"
			     "			case 3: sum -= i; break;\n"
			     "			case 4: sum |= 5; break;\n"
			     "			case 5: sum *= 3; break;\n"
			     "			}\n"
			     "	}\n"
			     "	return sum;\n"
			     "}\n"
			     "int other(const int *a, int n)\n"
			     "{\n"
			     "	return row(a, n) + 1;\n"
			     "}\n"
			     "int end(void) { return 0; }\n";

static char library[] = "/tmp/scope-loops-XXXXXX.so";
static struct scope_trace_map map;
static uint64_t from, to; /* its functions */

/* The mapping of this process that has an address. */
static void find_map(uint64_t address)
{
	unsigned long long start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &offset) == 3 && address >= start && address < end)
			map = (struct scope_trace_map){ .tgid = TGID,
							.start = start,
							.end = end,
							.offset = offset,
							.executable = true,
							.path = library,
							.build_id = "" };
	fclose(maps);
	assert_non_null(map.path);
}

static int begin(void **state)
{
	char command[256];
	void *handle;
	FILE *compiler;

	(void)state;
	close(mkstemps(library, 3));
	snprintf(command, sizeof(command), "gcc -O1 -g -shared -fPIC -x c -o %s -", library);
	compiler = popen(command, "w");
	assert_non_null(compiler);
	fputs(source, compiler);
	assert_int_equal(pclose(compiler), 0);
	handle = dlopen(library, RTLD_NOW);
	assert_non_null(handle);
	from = (uintptr_t)dlsym(handle, "work");
	to = (uintptr_t)dlsym(handle, "end");
	assert_true(from && from < to && to - from < MOST);
	find_map(from);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return unlink(library);
}

static struct scope_symbols *symbols_of(const struct scope_trace *trace, const char *root)
{
	const struct scope_symbol_options options = { .root = root };
	struct scope_symbols *symbols;

	assert_int_equal(scope_symbols_create(&map, 1, NULL, 0, &options, &symbols), 0);
	if (trace)
		assert_int_equal(scope_symbols_add_recorded(symbols, trace), 0);
	return symbols;
}

/* A trace with the names of every third address, as a capture ends it. */
static struct scope_trace *recorded(void)
{
	struct scope_symbols *symbols = symbols_of(NULL, "");
	struct fixture fixture = fixture_begin();
	uint8_t *buffer = malloc(SCOPE_NAMES_ROOM);
	uint16_t type;
	size_t bytes;
	int err;

	assert_non_null(buffer);
	assert_int_equal(scope_trace_writer_map(fixture.writer, &map), 0);
	for (uint64_t at = from; at < to; at += 3)
		assert_int_equal(scope_symbol_names_note(symbols, TGID, &at, 1), 0);
	while ((err = scope_symbol_names_next(symbols, true, 0, buffer, &type, &bytes)) == 1)
		assert_int_equal(scope_trace_writer_names(fixture.writer, type, buffer, bytes), 0);
	assert_int_equal(err, 0);
	/* What a child that is not trusted may send. */
	assert_int_equal(scope_trace_writer_names(fixture.writer, SCOPE_FRAME_META, "command\0x", 10), -EINVAL);
	assert_int_equal(scope_trace_writer_names(fixture.writer, SCOPE_FRAME_META, "loops", 6), -EINVAL);
	assert_int_equal(scope_trace_writer_names(fixture.writer, SCOPE_FRAME_META, "loops.1\0x\0y", 12), -EINVAL);
	assert_int_equal(scope_trace_writer_names(fixture.writer, SCOPE_FRAME_META, "loops.1\0x", 9), -EINVAL);
	free(buffer);
	scope_symbols_destroy(symbols);
	return fixture_open(&fixture);
}

/* The loops around an address, and which others are in it, of both. Returns whether there is one. */
static bool same_loop(struct scope_symbols *here, struct scope_symbols *there, uint64_t address)
{
	static struct scope_code_address at[MOST];
	static bool inside[2][MOST];
	struct scope_source_loop loop[2];
	size_t count = 0;

	at[count++] = (struct scope_code_address){ TGID, address };
	for (uint64_t other = from; other < to; other += 3)
		at[count++] = (struct scope_code_address){ TGID, other };
	memset(inside, 0, sizeof(inside));
	assert_int_equal(scope_symbols_loop(here, at, count, inside[0], &loop[0]), 0);
	assert_int_equal(scope_symbols_loop(there, at, count, inside[1], &loop[1]), 0);
	assert_int_equal(!loop[0].file, !loop[1].file);
	assert_memory_equal(inside[0], inside[1], sizeof(inside[0]));
	if (!loop[0].file)
		return false;
	assert_true(inside[0][0]);
	assert_string_equal(loop[0].file, loop[1].file);
	assert_string_equal(loop[0].inlined, loop[1].inlined);
	assert_int_equal(loop[0].first, loop[1].first);
	assert_int_equal(loop[0].last, loop[1].last);
	return true;
}

static void test_same_without_files(void **state)
{
	struct scope_trace *trace = recorded();
	struct scope_symbols *here = symbols_of(NULL, ""), *there = symbols_of(trace, "/nowhere");
	size_t loops = 0, all = 0;

	(void)state;
	for (uint64_t at = from; at < to; at += 3, all++)
		loops += same_loop(here, there, at);
	if (scope_symbol_disassemble(0, NULL, 0, 0, &(struct scope_instruction *){ NULL }, &(size_t){ 0 }) ==
		    -ENOTSUP &&
	    !loops)
		skip(); /* built without capstone */
	assert_true(loops > 10);
	assert_true(loops < all);
	assert_non_null(scope_trace_meta(trace, SCOPE_META_LOOPS));
	scope_symbols_destroy(here);
	scope_symbols_destroy(there);
	scope_trace_close(trace);
}

/* The loop of the first of two addresses of one function by a trace with that row. */
static struct scope_source_loop loop_by(const char *row, bool ret_inside[2])
{
	const struct scope_code_address at[] = { { 10, 0x401010 }, { 10, 0x401020 } };
	const struct scope_symbol_options options = { .root = "/nowhere" };
	struct scope_source_loop loop;
	struct scope_symbols *symbols;
	struct scope_trace *trace;
	char text[1024];
	size_t count;

	snprintf(text, sizeof(text),
		 "map 10 0x401000 0x402000 0x1000 x /server -\n"
		 "file 0 read 0 1 1 /server - -\n"
		 "code 0 0x1010 0x401000 0x100 work 2 12 row a.c 30 - a.c function named lined\n"
		 "code 0 0x1020 0x401000 0x100 work 1 31 - a.c function named lined\n"
		 "meta loops 1\nmeta loops.0.0x401000 %s\n",
		 row);
	trace = trace_of(text);
	assert_int_equal(scope_symbols_create(scope_trace_maps(trace, &count), 1, NULL, 0, &options, &symbols), 0);
	assert_int_equal(scope_symbols_add_recorded(symbols, trace), 0);
	ret_inside[0] = ret_inside[1] = false;
	assert_int_equal(scope_symbols_loop(symbols, at, 2, ret_inside, &loop), 0);
	/* What it borrows is gone then. */
	loop.file = loop.file ? "there" : NULL;
	scope_symbols_destroy(symbols);
	scope_trace_close(trace);
	return loop;
}

static void test_rows(void **state)
{
	static const char *const bad[] = {
		"",
		"x",
		"0x1010",
		"0x1010:",
		"0x1010:x",
		"0x1010:3:",
		"0x1010:3:0:11",
		"0x1010:3:0:11:",
		"0x1010:3:9:11:12",
		"0x1010:3:0:99999999999:12",
		"0x1010:-3:0:11:12",
		"0x10100000000000000000:3:0:11:12",
		"0x1010:1,2,3,4,5,6,7,8,9:0:11:12",
		"0x1010:3:0:11:12x",
		"0x1020:3 ; 0x1010:3:0:11:12",
	};
	struct scope_source_loop loop;
	bool inside[2];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_null(loop_by(bad[i], inside).file);
	loop = loop_by("0x1010:3,7:0:11:14 0x1020:7:0:30:33", inside);
	assert_non_null(loop.file);
	assert_string_equal(loop.inlined, "row");
	assert_int_equal(loop.first, 11);
	assert_int_equal(loop.last, 14);
	assert_true(inside[0] && !inside[1]);
	loop = loop_by("0x1020:3,7 0x1010:7:1:30:33", inside);
	assert_string_equal(loop.inlined, "");
	assert_int_equal(loop.first, 30);
	assert_true(inside[0] && inside[1]);
	/* Lines that the address does not have, and a loop without lines. */
	assert_null(loop_by("0x1010:3:2:11:14", inside).file);
	assert_null(loop_by("0x1010:3", inside).file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_without_files),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
