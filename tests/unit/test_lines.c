// SPDX-License-Identifier: GPL-2.0-only
/* Source lines of addresses, through inlined calls, and the lines that have the excess of a function. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/place.h"
#include "symbol/disassemble.h"

#define BASE 0x7f0000000000ull

static char directory[64];

/* Labels mark addresses: inner is inlined into middle, and that into outer. */
static const char source[] = "#line 1 \"/build/work.c\"\n"
			     "#define MARK(name) __asm__ volatile(\".globl \" #name \"\\n\" #name \": nop\")\n"
			     "static inline __attribute__((always_inline)) void inner(void)\n"
			     "{\n"
			     "	MARK(mark_inner);\n"
			     "}\n"
			     "#line 20 \"/build/middle.h\"\n"
			     "static inline __attribute__((always_inline)) void middle(void)\n"
			     "{\n"
			     "	MARK(mark_middle);\n"
			     "	inner();\n"
			     "}\n"
			     "#line 50 \"/build/work.c\"\n"
			     "void outer(void)\n"
			     "{\n"
			     "	MARK(mark_outer);\n"
			     "	middle();\n"
			     "}\n"
			     "#line 60 \"/build/work.c\"\n"
			     "void wide(void)\n"
			     "{\n"
			     "	__asm__ volatile(\".rept 80\\nnop\\n.endr\");\n"
			     "	MARK(mark_wide);\n"
			     "}\n"
			     "#define INLINED static inline __attribute__((always_inline)) void\n"
			     "INLINED fourth(void) { MARK(mark_deep); }\n"
			     "INLINED third(void) { fourth(); }\n"
			     "INLINED second(void) { third(); }\n"
			     "INLINED first(void) { second(); }\n"
			     "void deep(void)\n"
			     "{\n"
			     "	first();\n"
			     "}\n"
			     "#define MORE __asm__ volatile(\"nop\\nnop\")\n"
			     "#line 80 \"/build/work.c\"\n"
			     "void loops(int count)\n"
			     "{\n"
			     "	while (count > 9) {\n"
			     "		MARK(mark_once);\n"
			     "		for (int i = 0; i < count; i++) {\n"
			     "			MARK(mark_often); MORE;\n"
			     "		}\n"
			     "		count--;\n"
			     "	}\n"
			     "}\n";

static bool build(const char *compiler, const char *name)
{
	char text[512];
	FILE *pipe;

	snprintf(text, sizeof(text), "%s -O2 -g -shared -fPIC -x c -o %s/%s - 2>%s/errors", compiler, directory, name,
		 directory);
	pipe = popen(text, "w");
	assert_non_null(pipe);
	fputs(source, pipe);
	return !pclose(pipe);
}

static uint64_t link_of(const char *file, const char *name)
{
	char text[256];
	uint64_t value = 0;
	FILE *pipe;

	snprintf(text, sizeof(text), "nm %s/%s | awk '$3 == \"%s\" {print $1}'", directory, file, name);
	pipe = popen(text, "r");
	if (!pipe || fscanf(pipe, "%lx", &value) != 1)
		fail_msg("nm does not know %s", name);
	pclose(pipe);
	return value;
}

static struct scope_symbols *open_file(const char *name, const char *const *debug_dir)
{
	static char path[128];
	static struct scope_trace_map map;
	const struct scope_symbol_options options = { .debug_dir = debug_dir };
	struct scope_symbols *symbols;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	map = (struct scope_trace_map){ 1, BASE + 0x1000, BASE + 0x2000, 0x1000, true, false, false, path, "" };
	assert_int_equal(scope_symbols_create(&map, 1, NULL, 0, &options, &symbols), 0);
	return symbols;
}

static void expect(const struct scope_source_line *line, const char *function, const char *file, int number)
{
	assert_string_equal(line->function, function);
	assert_string_equal(line->file, file);
	assert_int_equal(line->line, number);
}

static void check_lines(const char *full, const char *name, const char *const *debug_dir)
{
	struct scope_symbols *symbols = open_file(name, debug_dir);
	struct scope_source_line line[8];
	unsigned int count;

	assert_int_equal(scope_symbols_lines(symbols, 1, BASE + link_of(full, "mark_inner"), line, 8, &count), 0);
	assert_int_equal(count, 3);
	expect(&line[0], "inner", "/build/work.c", 4);
	expect(&line[1], "middle", "/build/middle.h", 23);
	expect(&line[2], "", "/build/work.c", 53);
	/* No more than there is room for. */
	assert_int_equal(scope_symbols_lines(symbols, 1, BASE + link_of(full, "mark_inner"), line, 2, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(scope_symbols_lines(symbols, 1, BASE + link_of(full, "mark_outer"), line, 8, &count), 0);
	assert_int_equal(count, 1);
	expect(&line[0], "", "/build/work.c", 52);
	/* Outside of the file, and in a process that is not known. */
	assert_int_equal(scope_symbols_lines(symbols, 1, 12, line, 8, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(scope_symbols_lines(symbols, 2, BASE + 0x1000, line, 8, &count), 0);
	assert_int_equal(count, 0);
	scope_symbols_destroy(symbols);
}

static void test_lines(void **state)
{
	static const char *const formats[] = { "-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gz" };
	const char *compiler = getenv("CC") ? getenv("CC") : "cc";
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		snprintf(text, sizeof(text), "%s %s", compiler, formats[i]);
		assert_true(build(text, "work.so"));
		check_lines("work.so", "work.so", NULL);
	}
	/* clang leaves out .debug_aranges. */
	if (build("clang", "clang.so"))
		check_lines("clang.so", "clang.so", NULL);
	else
		print_message("left out: there is no clang\n");
}

/* From a folder of debug files; without one there are no lines, and that is no error. */
static void test_separate(void **state)
{
	char text[512], folder[128];
	const char *const folders[] = { folder, NULL };
	struct scope_symbols *symbols;
	struct scope_source_line line;
	unsigned int count = 7;

	(void)state;
	assert_true(build("${CC:-cc} -Wl,--build-id", "full.so"));
	snprintf(folder, sizeof(folder), "%s/debug", directory);
	snprintf(text, sizeof(text),
		 "cd %s && mkdir -p debug && "
		 "objcopy --only-keep-debug full.so debug/bare.so.debug && "
		 "strip --strip-all -o bare.so full.so",
		 directory);
	assert_int_equal(system(text), 0);
	check_lines("full.so", "bare.so", folders);
	symbols = open_file("bare.so", NULL);
	assert_int_equal(scope_symbols_lines(symbols, 1, BASE + link_of("full.so", "mark_inner"), &line, 1, &count), 0);
	assert_int_equal(count, 0);
	scope_symbols_destroy(symbols);
}

/* Excess over two lines of one function: three stacks at one of them, one at the other, one cut. */
static void test_places(void **state)
{
	struct scope_symbols *symbols;
	const struct scope_function *outer;
	struct scope_tree_node node[2] = { { 0 } };
	struct scope_owner owner[2] = { { 0 } };
	const struct scope_attribution attribution = { owner, 2 };
	struct scope_item item[4] = { { 0 } };
	uint64_t frames[13] = { 0 }, inner_at, outer_at;
	struct scope_evidence evidence = {
		.tree = { node, 2, 2 },
		.item = item,
		.items = 4,
		.frames = frames,
		.frame_words = 13,
	};
	struct scope_places_row row[3];
	size_t count;
	double cut;

	(void)state;
	assert_true(build("${CC:-cc}", "work.so"));
	symbols = open_file("work.so", NULL);
	inner_at = BASE + link_of("work.so", "mark_inner");
	outer_at = BASE + link_of("work.so", "mark_outer");
	assert_int_equal(scope_symbols_lookup(symbols, 1, outer_at, false, &outer), 0);
	assert_string_equal(outer->name, "outer");
	owner[1].function = outer;
	for (int i = 0; i < 4; i++) {
		uint64_t flags = i == 3 ? SCOPE_UNWIND_CUT : SCOPE_UNWIND_COMPLETE;

		frames[1 + 3 * i] = 1 | flags << 32;
		frames[2 + 3 * i] = 1;
		frames[3 + 3 * i] = i == 1 ? outer_at : inner_at;
		item[i] = (struct scope_item){ .abnormal = true, .excess_ns = 25, .node = 1, .frames = 1 + 3 * i };
	}
	assert_int_equal(scope_evidence_places_find(&evidence, &attribution, symbols, outer, SCOPE_PLACE_OF_ITEMS, row,
						    3, &count, &cut, NULL),
			 0);
	assert_int_equal(count, 2);
	assert_true(row[0].share == 0.75 && row[1].share == 0.25 && cut == 0.25);
	assert_int_equal(row[0].lines, 3);
	expect(&row[0].line[0], "inner", "/build/work.c", 4);
	assert_int_equal(row[1].lines, 1);
	expect(&row[1].line[0], "", "/build/work.c", 52);
	/* A thread that does not move. */
	assert_int_equal(
		scope_evidence_places_find(&evidence, &attribution, symbols, outer, 4, row, 1, &count, &cut, NULL), 0);
	assert_int_equal(count, 1);
	expect(&row[0].line[0], "", "/build/work.c", 52);
	/* Nothing is known of it. */
	assert_int_equal(
		scope_evidence_places_find(&evidence, &attribution, symbols, outer, 0, row, 1, &count, &cut, NULL), 0);
	assert_int_equal(count, 0);
	scope_symbols_destroy(symbols);
}

#define WIDE 65

/* Excess at that many addresses of one function, all of one line but the last, which has the least. Returns the lines. */
static size_t lines_of(int addresses)
{
	struct scope_symbols *symbols = open_file("work.so", NULL);
	struct scope_tree_node node[2] = { { 0 } };
	struct scope_owner owner[2] = { { 0 } };
	const struct scope_attribution attribution = { owner, 2 };
	struct scope_item item[WIDE] = { { 0 } };
	uint64_t frames[1 + 3 * WIDE] = { 0 }, mark_at = BASE + link_of("work.so", "mark_wide");
	const struct scope_evidence evidence = {
		.tree = { node, 2, 2 },
		.item = item,
		.items = (size_t)addresses,
		.frames = frames,
		.frame_words = 1 + 3 * WIDE,
	};
	struct scope_places_row row[3];
	size_t count;
	double cut;

	assert_int_equal(scope_symbols_lookup(symbols, 1, mark_at, false, &owner[1].function), 0);
	assert_string_equal(owner[1].function->name, "wide");
	for (int i = 0; i < addresses; i++) {
		const bool last = i == addresses - 1;

		frames[1 + 3 * i] = 1 | (uint64_t)SCOPE_UNWIND_COMPLETE << 32;
		frames[2 + 3 * i] = 1;
		frames[3 + 3 * i] = last ? mark_at : mark_at - 1 - (uint64_t)i;
		item[i] = (struct scope_item){
			.abnormal = true,
			.excess_ns = last ? 10 : 25,
			.node = 1,
			.frames = 1 + 3 * (uint32_t)i,
		};
	}
	assert_int_equal(scope_evidence_places_find(&evidence, &attribution, symbols, owner[1].function,
						    SCOPE_PLACE_OF_ITEMS, row, 3, &count, &cut, NULL),
			 0);
	expect(&row[0].line[0], "", "/build/work.c", 62);
	if (count > 1)
		expect(&row[1].line[0], "", "/build/work.c", 63);
	scope_symbols_destroy(symbols);
	return count;
}

static void lines_of_64_addresses_are_asked_for(void **state)
{
	(void)state;
	assert_true(build("${CC:-cc}", "work.so"));
	assert_int_equal(lines_of(64), 2);
	assert_int_equal(lines_of(65), 1);
}

static uint64_t deep_at(void)
{
	assert_true(build("${CC:-cc}", "work.so"));
	return BASE + link_of("work.so", "mark_deep");
}

/* Four functions are inlined into one: the outermost line is left out. */
static void a_place_has_four_lines_at_most(void **state)
{
	const uint64_t frames[4] = { 0, 1 | (uint64_t)SCOPE_UNWIND_COMPLETE << 32, 1, deep_at() };
	struct scope_symbols *symbols = open_file("work.so", NULL);
	struct scope_tree_node node[2] = { { 0 } };
	struct scope_owner owner[2] = { { 0 } };
	const struct scope_attribution attribution = { owner, 2 };
	struct scope_item item = { .abnormal = true, .excess_ns = 25, .node = 1, .frames = 1 };
	const struct scope_evidence evidence = {
		.tree = { node, 2, 2 },
		.item = &item,
		.items = 1,
		.frames = (uint64_t *)frames,
		.frame_words = 4,
	};
	struct scope_source_line line[8];
	struct scope_places_row row[2];
	unsigned int lines;
	size_t count;
	double cut;

	(void)state;
	assert_int_equal(scope_symbols_lines(symbols, 1, frames[3], line, 8, &lines), 0);
	assert_int_equal(lines, 5);
	assert_int_equal(scope_symbols_lookup(symbols, 1, frames[3], false, &owner[1].function), 0);
	assert_int_equal(scope_evidence_places_find(&evidence, &attribution, symbols, owner[1].function,
						    SCOPE_PLACE_OF_ITEMS, row, 2, &count, &cut, NULL),
			 0);
	assert_int_equal(count, 1);
	assert_int_equal(row[0].lines, 4);
	assert_string_equal(row[0].line[0].function, "fourth");
	assert_string_equal(row[0].line[3].function, "first");
	scope_symbols_destroy(symbols);
}

static const struct scope_source_line *line_in(const char *const *files, unsigned int count,
					       struct scope_places_row *row)
{
	*row = (struct scope_places_row){ .lines = count };
	for (unsigned int i = 0; i < count; i++)
		row->line[i].file = files[i];
	return scope_evidence_place_line(row);
}

static void the_line_is_the_innermost_of_the_program(void **state)
{
	static const char *const wrapped[] = { "/usr/include/x86_64-linux-gnu/bits/unistd.h", "/src/a.c", "/src/b.c" };
	static const char *const of_compilers[] = { "/opt/gcc/include/c++/12/bits/stl_vector.h",
						    "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h",
						    "/rustc/90b35a623/library/core/src/iter/range.rs", "/src/a.rs" };
	static const char *const usr_src[] = { "/usr/src/include.c", "/src/a.c" };
	struct scope_places_row row;

	(void)state;
	assert_ptr_equal(line_in(wrapped, 3, &row), &row.line[1]);
	assert_ptr_equal(line_in(of_compilers, 4, &row), &row.line[3]);
	assert_ptr_equal(line_in(usr_src, 2, &row), &row.line[0]);
	assert_ptr_equal(line_in(of_compilers, 3, &row), &row.line[0]);
	assert_null(line_in(usr_src, 0, &row));
}

/* The line with most has it at three addresses, each with less than the only one of another line. */
static void the_loop_is_that_of_the_line_with_most(void **state)
{
	struct scope_symbols *symbols;
	struct scope_tree_node node[2] = { { 0 } };
	struct scope_owner owner[2] = { { 0 } };
	const struct scope_attribution attribution = { owner, 2 };
	struct scope_item item[4] = { { 0 } };
	uint64_t frames[13] = { 0 }, often_at, once_at;
	const struct scope_evidence evidence = {
		.tree = { node, 2, 2 },
		.item = item,
		.items = 4,
		.frames = frames,
		.frame_words = 13,
	};
	const uint8_t nop = 0x90;
	struct scope_instruction *instruction = NULL;
	struct scope_places_loop loop;
	struct scope_places_row row[3];
	size_t count, instructions;
	double cut;

	(void)state;
	assert_true(build("${CC:-cc}", "work.so"));
	symbols = open_file("work.so", NULL);
	often_at = BASE + link_of("work.so", "mark_often");
	once_at = BASE + link_of("work.so", "mark_once");
	assert_int_equal(scope_symbols_lookup(symbols, 1, once_at, false, &owner[1].function), 0);
	for (int i = 0; i < 4; i++) {
		frames[1 + 3 * i] = 1 | (uint64_t)SCOPE_UNWIND_COMPLETE << 32;
		frames[2 + 3 * i] = 1;
		frames[3 + 3 * i] = i == 3 ? once_at : often_at + (uint64_t)i;
		item[i] = (struct scope_item){
			.abnormal = true,
			.excess_ns = i == 3 ? 40 : 20,
			.node = 1,
			.frames = 1 + 3 * (uint32_t)i,
		};
	}
	assert_int_equal(scope_evidence_places_find(&evidence, &attribution, symbols, owner[1].function,
						    SCOPE_PLACE_OF_ITEMS, row, 3, &count, &cut, &loop),
			 0);
	expect(&row[0].line[0], "", "/build/work.c", 85);
	if (scope_symbol_disassemble(EM_X86_64, &nop, 1, 0, &instruction, &instructions) == -ENOTSUP)
		skip(); /* built without capstone */
	free(instruction);
	assert_string_equal(loop.lines.file, "/build/work.c");
	assert_int_equal(loop.lines.first, 84);
	assert_int_equal(loop.lines.last, 85);
	assert_true(loop.share > 0.59 && loop.share < 0.61);
	scope_symbols_destroy(symbols);
}

static int group_setup(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/scope-lines.XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

static int group_teardown(void **state)
{
	char text[128];

	(void)state;
	snprintf(text, sizeof(text), "rm -rf %s", directory);
	return system(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_separate),
		cmocka_unit_test(test_places),
		cmocka_unit_test(lines_of_64_addresses_are_asked_for),
		cmocka_unit_test(a_place_has_four_lines_at_most),
		cmocka_unit_test(the_line_is_the_innermost_of_the_program),
		cmocka_unit_test(the_loop_is_that_of_the_line_with_most),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
