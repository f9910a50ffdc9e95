/* SPDX-License-Identifier: GPL-2.0-only */
/* A shared object with every kind of symbol, built for a test, and maps that have it. */
#ifndef SCOPE_TESTS_SYMBOL_SAMPLE_H
#define SCOPE_TESTS_SYMBOL_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/symbol.h"

#include "shell.h"

#define BASE 0x7f0000000000ull
#define ID "00112233445566778899aabbccddeeff00112233"

static char directory[64];

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
static inline int group_setup(void **state)
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
	command("cd %s && ${CC:-cc} -shared -nostdlib -Wl,--build-id=0x%s -o libsample.so sample.s", directory, ID);
	return 0;
}

static inline int group_teardown(void **state)
{
	(void)state;
	command("rm -rf %s", directory);
	return 0;
}

/* Link address of a name, or of the code between two names. */
static inline uint64_t link_of(const char *name)
{
	char text[256];
	uint64_t value = 0;
	FILE *pipe;

	snprintf(text, sizeof(text), "nm %s/libsample.so | awk '$3 == \"%s\" {print $1}'", directory, name);
	pipe = popen(text, "r");
	if (!pipe || fscanf(pipe, "%lx", &value) != 1)
		fail_msg("nm does not know %s", name);
	pclose(pipe);
	return value;
}

/* A map of all code of the file in the process, as the kernel would have it: BASE + link. */
static inline struct scope_trace_map map_of(uint32_t tgid, const char *path, const char *build_id)
{
	struct scope_trace_map map = { tgid, BASE + 0x1000, BASE + 0x2000, 0x1000, true, false, false, path, build_id };

	return map;
}

static inline const struct scope_function *look(struct scope_symbols *symbols, uint32_t tgid, uint64_t address)
{
	const struct scope_function *function = NULL;

	assert_int_equal(scope_symbols_lookup(symbols, tgid, address, false, &function), 0);
	assert_non_null(function);
	return function;
}

static inline struct scope_symbols *open_one(const struct scope_trace_map *map, const char *root)
{
	const struct scope_symbol_options options = { .root = root };
	struct scope_symbols *symbols;

	assert_int_equal(scope_symbols_create(map, 1, NULL, 0, &options, &symbols), 0);
	return symbols;
}

static inline void check_names(struct scope_symbols *symbols)
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
	/* A function without a name, found by its unwind range: one object for all its addresses. */
	function = look(symbols, 1, BASE + link_of("sizeless") + 4);
	assert_false(function->known);
	snprintf(name, sizeof(name), "libsample.so+0x%lx", link_of("sizeless") + 4);
	assert_string_equal(function->name, name);
	assert_int_equal(function->size, 5);
	assert_ptr_equal(look(symbols, 1, BASE + link_of("sizeless") + 8), function);
}

/* Their exit status. */
#define SAMPLE_RUN(tests) (sample_can_be_built() ? cmocka_run_group_tests(tests, group_setup, group_teardown) : 77)

static inline bool sample_can_be_built(void)
{
#ifndef __x86_64__
	puts("skip: the sample file is for x86-64");
	return false;
#endif
	if (system("${CC:-cc} --version >/dev/null 2>&1 && objcopy --version >/dev/null 2>&1")) {
		puts("skip: no compiler and binutils to build the sample file with (set CC)");
		return false;
	}
	return true;
}

#endif
