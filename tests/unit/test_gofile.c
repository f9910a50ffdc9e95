// SPDX-License-Identifier: GPL-2.0-only
/* Go's table is found in an ELF file by its section or its magic number, and its code by the pointers to it. */
#include <elf.h>
#include <fcntl.h>

#include "go_table.h"
#include "symbol/image.h"
#include "symbol_sample.h"

static int setup(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/scope-test-gofile-XXXXXX");
	return !mkdtemp(directory);
}

static int teardown(void **state)
{
	(void)state;
	command("rm -rf %s", directory);
	return 0;
}

#define HAS_MODULE 1  /* the runtime's list, which points to the table */
#define HAS_MARK 2    /* a section that says that it is Go's */
#define HAS_POINTER 4 /* the table's address of the code is a relocation */

/* Code of 0x80 bytes, a symbol for main.second alone, and the table; as the linker leaves them. */
static void source_write(enum go_version version, const char *section, unsigned int has)
{
	struct go_bytes bytes;
	char path[128];
	FILE *file;

	go_table_make(version, &bytes);
	snprintf(path, sizeof(path), "%s/go.s", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file,
		".text\n.globl _start\n_start:\ncode: .fill 0x40, 1, 0x90\n.type kept,@function\nkept: .fill 0x20, 1, 0x90\n"
		".size kept, 0x20\n.fill 0x20, 1, 0x90\n.section %s,\"aw\",@progbits\n.balign 32\n.fill 64, 1, 1\ntable:\n",
		section);
	for (size_t i = 0; i < bytes.bytes; i++)
		if (has & HAS_POINTER && i == SCOPE_GO_TEXT_AT(8)) {
			fputs(".quad code\n", file);
			i += 7;
		} else {
			fprintf(file, ".byte %u\n", bytes.data[i]);
		}
	fputs(".data\n.quad table, 0\n", file); /* points to it, and is no list */
	fputs(".fill 176, 1, 0\n", file);
	if (has & HAS_MODULE)
		fputs(".quad table\n.fill 19, 8, 0\n.quad code, code + 0x80, code, code + 0x80\n", file);
	if (has & HAS_MARK)
		fputs(".section .go.buildinfo,\"aw\",@progbits\n.quad 0\n", file);
	fputs(".section .note.GNU-stack,\"\",@progbits\n", file);
	fclose(file);
}

static struct scope_image *built(const char *options)
{
	struct scope_image *image;
	char path[128];

	command("${CC:-cc} -nostdlib -Wl,--build-id=none %s -o %s/go %s/go.s", options, directory, directory);
	snprintf(path, sizeof(path), "%s/go", directory);
	assert_int_equal(scope_symbol_image_create(open(path, O_RDONLY | O_CLOEXEC), NULL, path, &image), 0);
	return image;
}

#define FIXED "-static -no-pie -Wl,-Ttext=0x401000"
#define MOVED "-static-pie -Wl,-z,text"

/* The first function's name, "" for none; where it begins. */
static const char *first_name(struct scope_image *image, uint64_t *ret_start)
{
	static char name[64];
	const struct scope_file_functions *functions;

	assert_int_equal(scope_symbol_image_functions(image, &functions), 0);
	*name = '\0';
	for (size_t i = 0; i < functions->count; i++)
		if (functions->function[i].name && functions->function[i].name_bytes == 10 &&
		    !memcmp(functions->function[i].name, "main.first", 10)) {
			*ret_start = functions->function[i].start;
			snprintf(name, sizeof(name), "main.first");
		}
	return name;
}

/* Where the program begins is where its first function does. */
static uint64_t entry(void)
{
	char path[128];
	Elf64_Ehdr head;
	FILE *file;

	snprintf(path, sizeof(path), "%s/go", directory);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(&head, sizeof(head), 1, file), 1);
	fclose(file);
	return head.e_entry;
}

static void named(const char *options, bool yes)
{
	struct scope_image *image = built(options);
	uint64_t start = 0;

	assert_string_equal(first_name(image, &start), yes ? "main.first" : "");
	assert_int_equal(scope_symbol_image_names_go(image), yes);
	assert_true(!yes || start == entry());
	scope_symbol_image_destroy(image);
}

static void by_its_section(void **state)
{
	(void)state;
	for (enum go_version version = GO_2; version <= GO_20; version++) {
		source_write(version, ".gopclntab", 0);
		named(FIXED " -s", true);
	}
}

/* A linker that is not Go's puts it with other data. */
static void by_its_magic_number(void **state)
{
	(void)state;
	source_write(GO_20, ".data.rel.ro", HAS_MARK);
	named(FIXED " -s", true);
	source_write(GO_20, ".data.rel.ro", 0); /* nobody looks for it in a program of C */
	named(FIXED " -s", false);
}

static void its_code_by_a_relocation(void **state)
{
	(void)state;
	source_write(GO_18, ".gopclntab", HAS_POINTER);
	named(MOVED " -s", true);
	source_write(GO_18, ".gopclntab", 0); /* where no code is */
	named(MOVED " -s", false);
}

static void its_code_by_the_list_of_the_runtime(void **state)
{
	(void)state;
	source_write(GO_26, ".gopclntab", 0);
	named(FIXED " -s", false);
	source_write(GO_26, ".gopclntab", HAS_MODULE);
	named(FIXED " -s", true);
	named(MOVED " -s", true);
	source_write(GO_26, ".data.rel.ro", HAS_MODULE | HAS_MARK);
	named(MOVED " -s", true);
}

/* What a symbol table names keeps that name; the table has the others. */
static void symbols_come_first(void **state)
{
	const struct scope_file_functions *functions;
	const struct scope_file_function *function;
	struct scope_source_line line[2];
	struct scope_image *image;

	(void)state;
	source_write(GO_20, ".gopclntab", 0);
	image = built(FIXED);
	assert_int_equal(scope_symbol_image_functions(image, &functions), 0);
	assert_int_equal(functions->count, 3);
	assert_int_equal(functions->named, 3);
	function = scope_symbol_file_functions_find(functions, GO_TEXT + 0x50);
	assert_non_null(function);
	assert_int_equal(function->name_bytes, 4);
	assert_memory_equal(function->name, "kept", 4);
	function = scope_symbol_file_functions_find(functions, GO_TEXT + 0x7f);
	assert_non_null(function);
	assert_memory_equal(function->name, "runtime.third", 13);
	assert_int_equal(function->size, 0x20);
	assert_int_equal(scope_symbol_image_lines(image, GO_TEXT + 0x20, line, 2), 1);
	assert_string_equal(line[0].file, "two.go");
	assert_int_equal(line[0].line, 298);
	assert_string_equal(line[0].function, "");
	assert_int_equal(scope_symbol_image_lines(image, GO_TEXT + 0xc, line, 2), 1);
	assert_string_equal(line[0].function, "?");
	scope_symbol_image_destroy(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_its_section),	    cmocka_unit_test(by_its_magic_number),
		cmocka_unit_test(its_code_by_a_relocation), cmocka_unit_test(its_code_by_the_list_of_the_runtime),
		cmocka_unit_test(symbols_come_first),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
