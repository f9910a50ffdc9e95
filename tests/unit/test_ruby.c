// SPDX-License-Identifier: GPL-2.0-only
/* Methods of Ruby, read from invented memory: each limit just inside and outside, and wrong contents. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "interpreter/interpreter.h"
#include "interpreter/ruby_offsets.h"

#define BASE 0x10000ull
#define BYTES 0x10000ull
/* Where the objects are. */
#define VM (BASE + 0x1000)
#define RACTOR (BASE + 0x1800)
#define THREAD (BASE + 0x2000)
#define CONTEXT (BASE + 0x2400)
#define STACK (BASE + 0x2800)
#define STACK_WORDS 256
#define STACK_END (STACK + STACK_WORDS * 8)
#define CODE (BASE + 0x4000)
#define BODY (BASE + 0x4100)
#define ENTRY (BASE + 0x4200)
#define DEFINITION (BASE + 0x4300)
#define OWNER (BASE + 0x4400)
#define EXTENSION (BASE + 0x4500)
#define TABLE (BASE + 0x4600)
#define ROWS (BASE + 0x5000)
#define LABEL (BASE + 0x4800)
#define PATH (BASE + 0x4840)
#define NAME (BASE + 0x4880)
#define OTHER (BASE + 0x4900)
#define TEXT (BASE + 0x6000)
#define FRAME 64 /* bytes, of 3.1 */
#define NAME_KEY 77
#define ATTACHED_KEY 78

#define CLASS 2u
#define MODULE 3u
#define SINGLETON (CLASS | 1u << 12)
#define VARIABLES (26u | 2u << 12)
#define ENTRY_FLAGS (26u | 6u << 12)
#define CODE_FLAGS (26u | 7u << 12)
#define METHOD_FRAME 0x11110003u /* the outermost environment of a method */

static uint8_t bytes_of[BYTES];
static struct scope_memory memory;

static bool read_bytes(void *context, uint64_t address, void *data, size_t bytes)
{
	(void)context;
	if (address < BASE || address + bytes > BASE + BYTES)
		return false;
	memcpy(data, bytes_of + address - BASE, bytes);
	return true;
}

static void put(uint64_t address, uint64_t word)
{
	memcpy(bytes_of + address - BASE, &word, sizeof(word));
}

static void again(void)
{
	scope_interpreter_memory_begin(&memory, 2000);
}

/* A string of up to 3.1: short ones have their bytes and their length within. */
static void put_string(uint64_t at, const char *text)
{
	put(at, 5 | strlen(text) << 14);
	memcpy(bytes_of + at + 16 - BASE, text, strlen(text) + 1);
}

/* A frame whose environment is at the beginning of the stack. */
static void put_frame(uint64_t at)
{
	put(at, 1);
	put(at + 16, CODE);
	put(at + 32, STACK + 64);
}

static void put_variable(unsigned row, uint64_t key, uint64_t value)
{
	put(ROWS + row * 24 + 8, key);
	put(ROWS + row * 24 + 16, value);
}

/* Names of CODE, ENTRY and OWNER: Cart#sell in /srv/a.rb. */
static void put_names(void)
{
	put(CODE, CODE_FLAGS);
	put(CODE + 16, BODY);
	put(BODY + 64, PATH);
	put(BODY + 72, LABEL);
	put(BODY + 80, LABEL);
	put(BODY + 88, 12 << 1 | 1);
	put_string(LABEL, "sell");
	put_string(PATH, "/srv/a.rb");
	put_string(NAME, "Cart");
	put(ENTRY, ENTRY_FLAGS);
	put(ENTRY + 16, DEFINITION);
	put(ENTRY + 32, OWNER);
	put(DEFINITION + 8, CODE);
	put(OWNER, CLASS);
	put(OWNER + 24, EXTENSION);
	put(EXTENSION + 8, TABLE);
	put(TABLE + 40, 1);
	put(TABLE + 48, ROWS);
	put_variable(0, NAME_KEY, NAME);
}

/* A VM with one thread, in one frame of a method, and one of C outside of it. */
static struct scope_interpreter made_up(void)
{
	struct scope_interpreter interpreter = {
		.language = SCOPE_INTERPRETER_RUBY,
		.version = 0x301,
		.root = VM,
		.object_class = BASE + 0x7000,
		.name_variable = NAME_KEY,
		.attached_variable = ATTACHED_KEY,
	};

	assert_true(scope_interpreter_ruby_offsets(0x301, &interpreter.ruby));
	memset(bytes_of, 0, sizeof(bytes_of));
	memory = (struct scope_memory){ .read = read_bytes };
	again();
	put(VM + 8, RACTOR + interpreter.ruby.ractor_node);
	put(VM + 16, RACTOR + interpreter.ruby.ractor_node);
	put(RACTOR + interpreter.ruby.ractor_node, VM + 8);
	put(RACTOR + interpreter.ruby.ractor_node + 8, VM + 8);
	put(RACTOR + interpreter.ruby.ractor_threads, THREAD);
	put(THREAD, RACTOR + interpreter.ruby.ractor_threads);
	put(THREAD + 8, RACTOR + interpreter.ruby.ractor_threads);
	put(THREAD + 32, VM);
	put(THREAD + 40, CONTEXT);
	put(THREAD + 80, 0x700);
	put(THREAD + 88, 42);
	put(CONTEXT, STACK);
	put(CONTEXT + 8, STACK_WORDS);
	put(CONTEXT + 16, STACK_END - 2 * FRAME);
	put(CONTEXT + 48, THREAD);
	put_frame(STACK_END - 2 * FRAME);
	put(STACK + 64, METHOD_FRAME);
	put(STACK + 64 - 16, ENTRY);
	put_names();
	return interpreter;
}

static enum scope_interpreter_read frames_of(const struct scope_interpreter *interpreter,
					     struct scope_interpreted_frames *frames)
{
	again();
	return scope_interpreter_frames(&memory, interpreter, THREAD, frames);
}

static const char *name_of(const struct scope_interpreter *interpreter, uint64_t function)
{
	static char name[SCOPE_INTERPRETED_NAME];

	again();
	return scope_interpreter_name(&memory, interpreter, function, name) ? name : NULL;
}

static void methods_are_read(void **state)
{
	const struct scope_interpreter interpreter = made_up();
	struct scope_interpreted_thread thread[4];
	struct scope_interpreted_frames frames;

	(void)state;
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, thread, 4), 1);
	assert_int_equal(thread[0].state, THREAD);
	assert_int_equal(thread[0].tid, 42);
	assert_int_equal(thread[0].handle, 0x700);
	assert_true(scope_interpreter_is_thread(&memory, &interpreter, &thread[0]));
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 1);
	assert_false(frames.cut);
	assert_int_equal(frames.function[0], ENTRY);
	assert_string_equal(name_of(&interpreter, ENTRY), "rb::Cart#sell:/srv/a.rb");
	assert_string_equal(name_of(&interpreter, CODE), "rb::sell:/srv/a.rb");
	/* Another thread has its memory by now, or another VM. */
	put(THREAD + 88, 43);
	again();
	assert_false(scope_interpreter_is_thread(&memory, &interpreter, &thread[0]));
	put(THREAD + 88, 42);
	put(THREAD + 32, VM + 8);
	again();
	assert_false(scope_interpreter_is_thread(&memory, &interpreter, &thread[0]));
}

static void stacks_are_bounded(void **state)
{
	const struct scope_interpreter interpreter = made_up();
	struct scope_interpreted_frames frames;

	(void)state;
	put(CONTEXT + 16, STACK_END);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_EMPTY);
	put(CONTEXT + 16, STACK_END + 8);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_TORN);
	put(CONTEXT + 16, STACK - 8);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_TORN);
	put(CONTEXT + 16, STACK);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 1);
	put(CONTEXT + 8, 1ull << 32);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_TORN); /* its end cannot be read */
	put(CONTEXT + 8, (1ull << 32) + 1);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_TORN);
	put(CONTEXT + 16, 0);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_EMPTY);
	put(THREAD + 40, 0);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_EMPTY);
	put(THREAD + 40, UINT64_MAX - 8);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_UNREADABLE);
	scope_interpreter_memory_begin(&memory, 0);
	assert_int_equal(scope_interpreter_frames(&memory, &interpreter, THREAD, &frames),
			 SCOPE_INTERPRETER_UNREADABLE);
}

/* As many frames as are kept, from the end of what can be read on, and one more. */
static void deep_stacks_are_cut(void **state)
{
	const struct scope_interpreter interpreter = made_up();
	const uint64_t begin = BASE + 0x8000;
	struct scope_interpreted_frames frames;

	(void)state;
	for (unsigned i = 0; i <= SCOPE_INTERPRETED_FRAMES; i++)
		put_frame(begin + i * FRAME);
	put(CONTEXT + 16, begin);
	put(CONTEXT + 8, (begin + SCOPE_INTERPRETED_FRAMES * FRAME - STACK) / 8);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, SCOPE_INTERPRETED_FRAMES);
	assert_false(frames.cut);
	put(CONTEXT + 8, (begin + (SCOPE_INTERPRETED_FRAMES + 1) * FRAME - STACK) / 8);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, SCOPE_INTERPRETED_FRAMES);
	assert_true(frames.cut);
	/* Frames of C are not kept, but looked at no more often than twice as many. */
	for (unsigned i = 0; i < SCOPE_INTERPRETED_FRAMES; i++)
		put(begin + i * FRAME + 16, 0);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 1);
	assert_false(frames.cut);
}

/* A block in a block …: the method is in the outermost environment. */
static void blocks_are_of_their_method(void **state)
{
	const struct scope_interpreter interpreter = made_up();
	const uint64_t first = BASE + 0x8000;
	struct scope_interpreted_frames frames;

	(void)state;
	for (unsigned i = 0; i < 32; i++) {
		put(first + i * 32, 0x22220001);
		put(first + i * 32 - 8, (first + (i + 1) * 32) | 3);
	}
	put(first + 31 * 32, METHOD_FRAME);
	put(first + 31 * 32 - 16, ENTRY);
	put(STACK_END - 2 * FRAME + 32, first);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.function[0], ENTRY);
	put(first + 31 * 32, 0x22220001);
	put(first + 31 * 32 - 8, first + 32 * 32);
	put(first + 32 * 32, METHOD_FRAME);
	put(first + 32 * 32 - 16, ENTRY);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.function[0], CODE);
	put(first - 8, UINT64_MAX);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_UNREADABLE);
	/* The body of a class is in no method; $~ of a method is beside its entry. */
	put(STACK_END - 2 * FRAME + 32, STACK + 64);
	put(STACK + 64, 0x33330003);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.function[0], CODE);
	put(STACK + 64, METHOD_FRAME);
	put(STACK + 64 - 16, OTHER);
	put(OTHER, VARIABLES);
	put(OTHER + 8, ENTRY);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.function[0], ENTRY);
	put(OTHER + 8, CODE);
	assert_int_equal(frames_of(&interpreter, &frames), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.function[0], CODE);
}

static void labels_say_where_a_block_is(void **state)
{
	struct scope_interpreter interpreter = made_up();

	(void)state;
	put_string(LABEL, "<main>");
	assert_string_equal(name_of(&interpreter, CODE), "rb::<main>:/srv/a.rb");
	put_string(OTHER, "block in <main>");
	put(BODY + 80, OTHER);
	assert_string_equal(name_of(&interpreter, CODE), "rb::block in <main> in line 12:/srv/a.rb");
	/* From 3.3 on the line is a plain number. */
	interpreter.version = 0x303;
	put(BODY + 88, 1234ull << 32 | 12);
	assert_string_equal(name_of(&interpreter, CODE), "rb::block in <main> in line 12:/srv/a.rb");
	put_string(LABEL, "sell");
	assert_string_equal(name_of(&interpreter, CODE), "rb::sell:/srv/a.rb");
	put_string(LABEL, "a\nb");
	assert_string_equal(name_of(&interpreter, CODE), "rb::a?b:/srv/a.rb");
}

static void paths_are_of_two_kinds(void **state)
{
	const struct scope_interpreter interpreter = made_up();

	(void)state;
	put_string(OTHER, "a.rb");
	put(BODY + 64, BASE + 0x4a00);
	put(BASE + 0x4a00, 7 | 1u << 13); /* an array with its elements within */
	put(BASE + 0x4a00 + 16, OTHER);
	put(BASE + 0x4a00 + 24, PATH);
	assert_string_equal(name_of(&interpreter, CODE), "rb::sell:/srv/a.rb");
	put(BASE + 0x4a00 + 24, 8); /* nil */
	assert_string_equal(name_of(&interpreter, CODE), "rb::sell:a.rb");
	put(BASE + 0x4a00, 7);
	put(BASE + 0x4a00 + 32, BASE + 0x4b00);
	put(BASE + 0x4b00, PATH);
	assert_string_equal(name_of(&interpreter, CODE), "rb::sell:/srv/a.rb");
	put(BASE + 0x4b00, LABEL + 1);
	assert_null(name_of(&interpreter, CODE));
	put(BODY + 64, OTHER);
	put_string(OTHER, "<internal:a>");
	assert_string_equal(name_of(&interpreter, CODE), "rb::sell:<internal a>");
}

static void strings_are_bounded(void **state)
{
	struct scope_interpreter interpreter = made_up();

	(void)state;
	/* Its bytes are elsewhere. */
	put(LABEL, 5 | 1u << 13);
	put(LABEL + 16, 160);
	put(LABEL + 24, TEXT);
	memset(bytes_of + TEXT - BASE, 'x', 4000);
	assert_int_equal(strlen(name_of(&interpreter, CODE)), strlen("rb::") + 160 + strlen(":/srv/a.rb"));
	put(LABEL + 16, 161);
	assert_int_equal(strlen(name_of(&interpreter, CODE)), strlen("rb::") + 160 + strlen(":/srv/a.rb"));
	put(LABEL + 16, UINT64_MAX);
	put(PATH, 5 | 1u << 13);
	put(PATH + 16, UINT64_MAX);
	put(PATH + 24, TEXT);
	assert_int_equal(strlen(name_of(&interpreter, ENTRY)), strlen("rb::Cart#") + 160 + 1 + 256);
	put(LABEL + 24, BASE + BYTES - 100);
	assert_null(name_of(&interpreter, CODE));
	put(LABEL, 7);
	assert_null(name_of(&interpreter, CODE));
	/* From 3.2 on the length is in one place for all. */
	interpreter.ruby.string_embedded = 24;
	put(LABEL, 5);
	put(LABEL + 16, 2);
	put(LABEL + 24, 'a' | 'b' << 8);
	assert_int_equal(strncmp(name_of(&interpreter, CODE), "rb::ab:xxx", 10), 0);
}

static void classes_have_their_names(void **state)
{
	struct scope_interpreter interpreter = made_up();

	(void)state;
	put(OWNER, MODULE);
	assert_string_equal(name_of(&interpreter, ENTRY), "rb::Cart#sell:/srv/a.rb");
	put(OWNER, 1);
	assert_string_equal(name_of(&interpreter, ENTRY), "rb::sell:/srv/a.rb");
	/* Among the variables that are looked at, and just after them. */
	put(OWNER, CLASS);
	put(TABLE + 40, 65);
	put_variable(0, 1, 0);
	put_variable(63, NAME_KEY, NAME);
	assert_string_equal(name_of(&interpreter, ENTRY), "rb::Cart#sell:/srv/a.rb");
	put_variable(63, 1, 0);
	put_variable(64, NAME_KEY, NAME);
	assert_string_equal(name_of(&interpreter, ENTRY), "rb::sell:/srv/a.rb");
	put_variable(0, NAME_KEY, NAME);
	/* The class of Cart, whose methods are Cart's own; its variables are here the same table. */
	put_variable(1, ATTACHED_KEY, OTHER);
	put(OTHER, CLASS);
	put(OTHER + 24, EXTENSION);
	put(OWNER, SINGLETON);
	assert_string_equal(name_of(&interpreter, ENTRY), "rb::Cart.sell:/srv/a.rb");
	put_variable(1, ATTACHED_KEY, 0x15);
	assert_string_equal(name_of(&interpreter, ENTRY), "rb::sell:/srv/a.rb");
	put_variable(1, ATTACHED_KEY, OWNER); /* of itself, without end */
	assert_string_equal(name_of(&interpreter, ENTRY), "rb::Cart.sell:/srv/a.rb");
	/* From 3.3 on both are members of the class. */
	interpreter.name_variable = interpreter.attached_variable = 0;
	interpreter.ruby.class_path = 152;
	interpreter.ruby.class_attached = 128;
	put(OWNER + 128, OTHER);
	put(OTHER + 152, NAME);
	assert_string_equal(name_of(&interpreter, ENTRY), "rb::Cart.sell:/srv/a.rb");
	/* A function of a script that is in no class. */
	put(OWNER, CLASS);
	put(OWNER + 152, NAME);
	interpreter.object_class = OWNER;
	assert_string_equal(name_of(&interpreter, ENTRY), "rb::sell:/srv/a.rb");
}

static void wrong_pointers_are_seen(void **state)
{
	const struct scope_interpreter interpreter = made_up();

	(void)state;
	put(DEFINITION, 4); /* a block that was made a method */
	assert_null(name_of(&interpreter, ENTRY));
	put(DEFINITION, 0);
	put(DEFINITION + 8, ENTRY);
	assert_null(name_of(&interpreter, ENTRY));
	assert_null(name_of(&interpreter, OWNER));
	assert_null(name_of(&interpreter, CODE + 1));
	assert_null(name_of(&interpreter, 0));
	put(CODE + 16, UINT64_MAX - 100);
	assert_null(name_of(&interpreter, CODE));
}

static void lists_without_end_end(void **state)
{
	static struct scope_interpreted_thread thread[SCOPE_INTERPRETED_THREADS];
	const struct scope_interpreter interpreter = made_up();

	(void)state;
	put(THREAD, THREAD);
	put(RACTOR + interpreter.ruby.ractor_node, RACTOR + interpreter.ruby.ractor_node);
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, thread, 7), 7);
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, thread, SCOPE_INTERPRETED_THREADS),
			 SCOPE_INTERPRETED_THREADS);
}

/* From 3.2 on the number is in an object of its own, which a thread that waits for one has not. */
static void threads_of_later_versions_are_read(void **state)
{
	struct scope_interpreter interpreter = made_up();
	struct scope_interpreted_thread thread[2];

	(void)state;
	interpreter.ruby.thread_native = 120;
	interpreter.ruby.thread_handle = 16;
	interpreter.ruby.thread_number = 24;
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, thread, 2), 0);
	put(THREAD + 120, OTHER);
	put(OTHER + 16, 0x800);
	put(OTHER + 24, 44);
	again();
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, thread, 2), 1);
	assert_int_equal(thread[0].tid, 44);
	assert_int_equal(thread[0].handle, 0x800);
}

/* ---- the file ---- */

static const char strings[] = "\0ruby_api_version\0ruby_current_vm_ptr\0rb_cObject";

static void put_symbol(unsigned number, uint32_t name, uint64_t value)
{
	const Elf64_Sym symbol = { .st_name = name, .st_shndx = 1, .st_value = value };

	memcpy(bytes_of + 0x300 + number * sizeof(symbol), &symbol, sizeof(symbol));
}

/* A library at BASE, whose variables are at 0x700 to 0x780. */
static void put_file(bool exports_vm)
{
	const Elf64_Ehdr head = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 },
		.e_phoff = 0x80,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
	};
	const Elf64_Phdr program[3] = {
		{ .p_type = PT_LOAD },
		{ .p_type = PT_LOAD, .p_flags = PF_W, .p_vaddr = 0x700, .p_memsz = 0x80 },
		{ .p_type = PT_DYNAMIC, .p_vaddr = 0x200 },
	};
	const Elf64_Dyn section[4] = {
		{ .d_tag = DT_SYMTAB, .d_un.d_ptr = 0x300 },
		{ .d_tag = DT_STRTAB, .d_un.d_ptr = 0x400 },
		{ .d_tag = DT_HASH, .d_un.d_ptr = 0x500 },
	};
	const uint32_t hash[] = { 1, 4, 1, 0, 2, 3, 0 }; /* one bucket with all symbols */
	const uint32_t version[3] = { 3, 1, 0 };

	memcpy(bytes_of, &head, sizeof(head));
	memcpy(bytes_of + 0x80, program, sizeof(program));
	memcpy(bytes_of + 0x200, section, sizeof(section));
	memcpy(bytes_of + 0x400, strings, sizeof(strings));
	memcpy(bytes_of + 0x500, hash, sizeof(hash));
	memcpy(bytes_of + 0x600, version, sizeof(version));
	put_symbol(1, 1, 0x600);
	put_symbol(2, exports_vm ? 18 : 0, 0x778);
	put_symbol(3, 38, 0x710);
	put(BASE + 0x710, OWNER);
	put(BASE + 0x778, VM);
}

static enum scope_interpreter_found find(struct scope_interpreter *interpreter)
{
	again();
	return scope_interpreter_find(&memory, SCOPE_INTERPRETER_RUBY, BASE, 0, interpreter);
}

static void the_vm_is_found(void **state)
{
	struct scope_interpreter interpreter;
	uint32_t version[3] = { 3, 5, 0 };

	(void)state;
	for (int exports = 0; exports < 2; exports++) {
		made_up();
		put_file(exports);
		put_string(NAME, "Object");
		put(OWNER + 8, OTHER); /* the class of Object */
		put(OTHER + 24, EXTENSION);
		put(TABLE + 40, 2);
		put_variable(1, ATTACHED_KEY, OWNER);
		assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_FOUND);
		assert_int_equal(interpreter.version, 0x301);
		assert_int_equal(interpreter.root, VM);
		assert_int_equal(interpreter.object_class, OWNER);
		assert_int_equal(interpreter.name_variable, NAME_KEY);
		assert_int_equal(interpreter.attached_variable, ATTACHED_KEY);
		/* Its lists are not ready, or it is none. */
		put(CONTEXT + 48, THREAD + 8);
		assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_ABSENT);
		put(CONTEXT + 48, THREAD);
		put(THREAD + 8, THREAD);
		assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_ABSENT);
	}
	/* Just after the variables. */
	made_up();
	put_file(false);
	put(BASE + 0x778, 0);
	put(BASE + 0x780, VM);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_ABSENT);
	memcpy(bytes_of + 0x600, version, sizeof(version));
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_UNKNOWN);
	assert_int_equal(interpreter.version, 0x305);
	put_symbol(1, 0, 0x600);
	assert_int_equal(find(&interpreter), SCOPE_INTERPRETER_ABSENT);
}

static void versions_are_known(void **state)
{
	struct scope_ruby_offsets offsets;

	(void)state;
	assert_false(scope_interpreter_ruby_offsets(0x206, &offsets));
	assert_true(scope_interpreter_ruby_offsets(0x207, &offsets));
	assert_false(scope_interpreter_ruby_offsets(0x208, &offsets));
	for (uint32_t version = 0x300; version <= 0x304; version++)
		assert_true(scope_interpreter_ruby_offsets(version, &offsets));
	assert_false(scope_interpreter_ruby_offsets(0x305, &offsets));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(methods_are_read),
		cmocka_unit_test(stacks_are_bounded),
		cmocka_unit_test(deep_stacks_are_cut),
		cmocka_unit_test(blocks_are_of_their_method),
		cmocka_unit_test(labels_say_where_a_block_is),
		cmocka_unit_test(paths_are_of_two_kinds),
		cmocka_unit_test(strings_are_bounded),
		cmocka_unit_test(classes_have_their_names),
		cmocka_unit_test(wrong_pointers_are_seen),
		cmocka_unit_test(lists_without_end_end),
		cmocka_unit_test(threads_of_later_versions_are_read),
		cmocka_unit_test(the_vm_is_found),
		cmocka_unit_test(versions_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
