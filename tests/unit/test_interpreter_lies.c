// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wrong contents in an interpreter's memory: reads stay within their bounds and return no names; and which files
 * contain an interpreter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "interpreter/interpreter.h"
#include "interpreter/name_text.h"

static struct scope_memory memory;

#define LIE_BASE 0x10000ull
#define LIE_BYTES 0x8000ull

static uint8_t lie[LIE_BYTES];

static bool read_lie(void *context, uint64_t address, void *data, size_t bytes)
{
	(void)context;
	if (address < LIE_BASE || address + bytes > LIE_BASE + LIE_BYTES)
		return false;
	memcpy(data, lie + address - LIE_BASE, bytes);
	return true;
}

static void put(uint64_t address, uint64_t word)
{
	memcpy(lie + address - LIE_BASE, &word, sizeof(word));
}

/* Of 3.8: thread state at +0x1000, a frame at +0x2000 of code at +0x3000, whose names are at +0x4000. */
static struct scope_interpreter lying(void)
{
	struct scope_interpreter interpreter = {
		.language = SCOPE_INTERPRETER_PYTHON,
		.version = 0x308,
		.root = LIE_BASE,
		.python = { .runtime_interpreter = 32,
			    .interpreter_threads = 8,
			    .thread_next = 8,
			    .thread_handle = 176,
			    .thread_frame = 24,
			    .frame_code = 32,
			    .frame_back = 24,
			    .code_file = 104,
			    .code_name = 112,
			    .type = 8,
			    .text_length = 16,
			    .text_state = 32,
			    .text_ascii = 48 },
		.code_type = LIE_BASE + 0x100,
		.text_type = LIE_BASE + 0x200,
	};

	memset(lie, 0, sizeof(lie));
	memory = (struct scope_memory){ .read = read_lie };
	scope_interpreter_memory_begin(&memory, 1000);
	put(LIE_BASE + 32, LIE_BASE + 0x800);		/* its interpreter … */
	put(LIE_BASE + 0x800 + 8, LIE_BASE + 0x1000);	/* … has a thread, … */
	put(LIE_BASE + 0x1000 + 24, LIE_BASE + 0x2000); /* … in a frame, … */
	put(LIE_BASE + 0x2000 + 32, LIE_BASE + 0x3000); /* … of code */
	put(LIE_BASE + 0x3000 + 8, interpreter.code_type);
	put(LIE_BASE + 0x3000 + 104, LIE_BASE + 0x4000);
	put(LIE_BASE + 0x3000 + 112, LIE_BASE + 0x4000);
	put(LIE_BASE + 0x4000 + 8, interpreter.text_type);
	put(LIE_BASE + 0x4000 + 16, 2);
	put(LIE_BASE + 0x4000 + 32, 1 << 2 | 1 << 5 | 1 << 6);
	memcpy(lie + 0x4000 + 48, "ab", 2);
	return interpreter;
}

static void a_memory_that_does_not_lie_is_read(void **state)
{
	const struct scope_interpreter interpreter = lying();
	struct scope_interpreted_thread thread[4];
	struct scope_interpreted_frames frames;
	char name[SCOPE_INTERPRETED_NAME];

	(void)state;
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, thread, 4), 1);
	assert_int_equal(scope_interpreter_frames(&memory, &interpreter, thread[0].state, &frames),
			 SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 1);
	assert_true(scope_interpreter_name(&memory, &interpreter, frames.function[0], name));
	assert_string_equal(name, "py::ab:ab");
}

static void lists_without_end_end(void **state)
{
	const struct scope_interpreter interpreter = lying();
	static struct scope_interpreted_thread thread[SCOPE_INTERPRETED_THREADS];
	struct scope_interpreted_frames frames;

	(void)state;
	put(LIE_BASE + 0x1000 + 8, LIE_BASE + 0x1000); /* the next thread is the same, … */
	put(LIE_BASE + 0x800, LIE_BASE + 0x800);       /* … and so is the next interpreter */
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, thread, SCOPE_INTERPRETED_THREADS),
			 SCOPE_INTERPRETED_THREADS);
	put(LIE_BASE + 0x2000 + 24, LIE_BASE + 0x2000); /* and the caller's frame */
	assert_int_equal(scope_interpreter_frames(&memory, &interpreter, LIE_BASE + 0x1000, &frames),
			 SCOPE_INTERPRETER_READ);
	assert_true(frames.cut);
	/* A frame that stands for no function is none of those that are counted. */
	put(LIE_BASE + 0x2000 + 32, 0);
	scope_interpreter_memory_begin(&memory, 1000);
	assert_int_equal(scope_interpreter_frames(&memory, &interpreter, LIE_BASE + 0x1000, &frames),
			 SCOPE_INTERPRETER_TORN);
}

static void wrong_pointers_are_seen(void **state)
{
	const struct scope_interpreter interpreter = lying();
	struct scope_interpreted_frames frames;
	char name[SCOPE_INTERPRETED_NAME];

	(void)state;
	put(LIE_BASE + 0x3000 + 8, interpreter.text_type); /* no code, which is seen when it is to be named */
	assert_int_equal(scope_interpreter_frames(&memory, &interpreter, LIE_BASE + 0x1000, &frames),
			 SCOPE_INTERPRETER_READ);
	assert_false(scope_interpreter_name(&memory, &interpreter, LIE_BASE + 0x3000, name));
	put(LIE_BASE + 0x1000 + 24, UINT64_MAX - 8);
	scope_interpreter_memory_begin(&memory, 1000);
	assert_int_equal(scope_interpreter_frames(&memory, &interpreter, LIE_BASE + 0x1000, &frames),
			 SCOPE_INTERPRETER_UNREADABLE);
	put(LIE_BASE + 0x1000 + 24, 0);
	scope_interpreter_memory_begin(&memory, 1000);
	assert_int_equal(scope_interpreter_frames(&memory, &interpreter, LIE_BASE + 0x1000, &frames),
			 SCOPE_INTERPRETER_EMPTY);
	/* Without a read left nothing is read. */
	scope_interpreter_memory_begin(&memory, 0);
	assert_int_equal(scope_interpreter_frames(&memory, &interpreter, LIE_BASE + 0x1000, &frames),
			 SCOPE_INTERPRETER_UNREADABLE);
}

static void names_are_bounded_and_clean(void **state)
{
	const struct scope_interpreter interpreter = lying();
	char name[SCOPE_INTERPRETED_NAME];

	(void)state;
	memcpy(lie + 0x4000 + 48, "a\n", 2);
	assert_true(scope_interpreter_name(&memory, &interpreter, LIE_BASE + 0x3000, name));
	assert_string_equal(name, "py::a?:a?");
	/* Characters of 2 bytes, after the longer head. */
	put(LIE_BASE + 0x4000 + 32, 2 << 2 | 1 << 5);
	memcpy(lie + 0x4000 + 72, "\xe4\x00\x00\xd8", 4);
	scope_interpreter_memory_begin(&memory, 1000);
	assert_true(scope_interpreter_name(&memory, &interpreter, LIE_BASE + 0x3000, name));
	assert_string_equal(name, "py::ä?:ä?");
	/* No such kind. */
	put(LIE_BASE + 0x4000 + 32, 3 << 2 | 1 << 5);
	scope_interpreter_memory_begin(&memory, 1000);
	assert_false(scope_interpreter_name(&memory, &interpreter, LIE_BASE + 0x3000, name));
	/* A length of any size. */
	put(LIE_BASE + 0x4000 + 32, 1 << 2 | 1 << 5 | 1 << 6);
	put(LIE_BASE + 0x4000 + 16, UINT64_MAX);
	memset(lie + 0x4000 + 48, 'x', 2000);
	scope_interpreter_memory_begin(&memory, 1000);
	assert_true(scope_interpreter_name(&memory, &interpreter, LIE_BASE + 0x3000, name));
	assert_true(strlen(name) < SCOPE_INTERPRETED_NAME);
	assert_int_equal(strncmp(name, "py::xxxx", 8), 0);
}

static void files_show_the_interpreter(void **state)
{
	uint64_t start = 0;
	uint32_t version = 0;

	(void)state;
	assert_int_equal(scope_interpreter_of_maps("400000-41f000 r--p 00000000 fe:00 1 /usr/bin/python3.11\n"
						   "41f000-6d2000 r-xp 0001f000 fe:00 1 /usr/bin/python3.11\n",
						   &start, &version),
			 SCOPE_INTERPRETER_PYTHON);
	assert_int_equal(start, 0x400000);
	assert_int_equal(version, 0x30b);
	/* The library has the state. */
	assert_int_equal(scope_interpreter_of_maps("400000-41f000 r--p 00000000 fe:00 1 /opt/bin/python3\n"
						   "7f0000-7f1000 r--p 00000000 fe:00 2 /opt/lib/libpython3.9.so.1.0\n",
						   &start, &version),
			 SCOPE_INTERPRETER_PYTHON);
	assert_int_equal(start, 0x7f0000);
	assert_int_equal(version, 0x309);
	assert_int_equal(scope_interpreter_of_maps("400000-41f000 r--p 00000000 fe:00 1 /usr/sbin/php-fpm8.2", &start,
						   &version),
			 SCOPE_INTERPRETER_PHP);
	assert_int_equal(scope_interpreter_of_maps("400000-41f000 r--p 00000000 fe:00 1 /usr/sbin/nginx\n"
						   "7ffd0000-7ffe0000 rw-p 00000000 00:00 0 [stack]\nrubbish\n",
						   &start, &version),
			 SCOPE_INTERPRETER_NONE);
	assert_true(scope_interpreter_of_path("/usr/lib/apache2/modules/libphp8.2.so"));
	assert_false(scope_interpreter_of_path("/usr/lib/libpixman.so"));
	assert_int_equal(scope_interpreter_of_path("/opt/node/bin/node"), SCOPE_INTERPRETER_V8);
	assert_int_equal(scope_interpreter_of_path("/usr/lib/libnode.so.108"), SCOPE_INTERPRETER_V8);
	assert_int_equal(scope_interpreter_of_path("/usr/bin/node_exporter"), SCOPE_INTERPRETER_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_memory_that_does_not_lie_is_read),
		cmocka_unit_test(lists_without_end_end),
		cmocka_unit_test(wrong_pointers_are_seen),
		cmocka_unit_test(names_are_bounded_and_clean),
		cmocka_unit_test(files_show_the_interpreter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
