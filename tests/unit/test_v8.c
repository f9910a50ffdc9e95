// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames and names of JavaScript, read from memory that this test writes, also with wrong contents. names_live.sh reads
 * Node.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "interpreter/v8.h"

#define BASE 0x100000ull
#define BYTES 0x20000u
#define STACK (BASE + 0x1000)

/* Objects; pointers to them have a 1 added. */
#define FUNCTION (BASE + 0x2000)
#define SHARED (BASE + 0x2100)
#define SCOPE (BASE + 0x2200)
#define AROUND (BASE + 0x2300)
#define SCRIPT (BASE + 0x2400)
#define EMPTY (BASE + 0x2500)
#define TEXT (BASE + 0x2600)
#define FILE_NAME (BASE + 0x2800)
#define SOURCE (BASE + 0x3000)
#define MAPS (BASE + 0x8000) /* the map of type n is at + 0x20 * n */

enum { ONE_BYTE = 8, CONS = 1, THIN = 5, SHARED_TYPE = 200, SCOPE_TYPE, SCRIPT_TYPE, OTHER_TYPE };

static uint8_t data[BYTES];
static struct scope_memory memory;
static struct scope_interpreter interpreter;

static void put(uint64_t address, uint64_t word)
{
	memcpy(data + address - BASE, &word, sizeof(word));
}

static bool read_data(void *context, uint64_t address, void *to, size_t bytes)
{
	(void)context;
	if (address < BASE || address >= BASE + BYTES || bytes > BASE + BYTES - address)
		return false;
	memcpy(to, data + address - BASE, bytes);
	return true;
}

static bool word_of_stack(void *context, uint64_t address, uint64_t *ret_word)
{
	(void)context;
	return address >= STACK && address < STACK + 0x100 && read_data(NULL, address, ret_word, sizeof(*ret_word));
}

static void put_object(uint64_t at, unsigned type)
{
	put(at, MAPS + 0x20 * type + 1);
}

static void put_small(uint64_t at, uint32_t number)
{
	put(at, (uint64_t)number << 32);
}

static void put_text(uint64_t at, const char *text)
{
	const uint32_t length = (uint32_t)strlen(text);

	put_object(at, ONE_BYTE);
	memcpy(data + at + 12 - BASE, &length, sizeof(length));
	memcpy(data + at + 16 - BASE, text, length);
}

/* What follows the variables of a function's scope, from slot on: its name, what it is assigned to, and where it is. */
static void put_scope(uint64_t scope, unsigned slot, uint64_t name, uint32_t begin, uint64_t around)
{
	const uint64_t at = scope + 8 + slot * 8;

	put(at, name + 1);
	put_small(at + 8, UINT32_MAX);
	put(at + 16, EMPTY + 1);
	put_small(at + 24, begin);
	put_small(at + 32, begin + 11);
	put(at + 40, around + 1);
}

/* A function "sell" of /srv/app.js with one variable, whose frame is at STACK + 0x40. */
static void begin(void)
{
	interpreter = (struct scope_interpreter){
		.language = SCOPE_INTERPRETER_V8,
		.v8 = {
			.frame_kind = -8, .frame_function = -16, .frame_regexp = 27,
			.object_map = 0, .map_type = 12,
			.function_shared = 24, .shared_name = 16, .shared_script = 32, .script_name = 16, .script_source = 8,
			.scope_slots = 8, .scope_count = 2, .scope_first = 3,
			.string_length = 12, .string_one_byte = 16, .string_two_byte = 16, .string_first = 16,
			.string_second = 24, .string_actual = 16,
			.type_shared = SHARED_TYPE, .type_scope = SCOPE_TYPE, .type_script = SCRIPT_TYPE,
			.not_string = -128, .representation = 7, .encoding = 8, .one_byte = 8, .sequential = 0,
			.cons = CONS, .thin = THIN,
		},
	};
	memset(data, 0, sizeof(data));
	memory = (struct scope_memory){ .read = read_data };
	scope_interpreter_memory_begin(&memory, 10000);
	for (uint16_t i = 0; i <= OTHER_TYPE; i++)
		memcpy(data + MAPS + 0x20 * i + 12 - BASE, &i, sizeof(i));
	put_object(FUNCTION, OTHER_TYPE);
	put(FUNCTION + 24, SHARED + 1);
	put_object(SHARED, SHARED_TYPE);
	put(SHARED + 16, SCOPE + 1);
	put(SHARED + 32, SCRIPT + 1);
	put_object(SCOPE, SCOPE_TYPE);
	put_small(SCOPE + 8 + 2 * 8, 1);
	put(SCOPE + 8 + 3 * 8, FILE_NAME + 1); /* the variable's name */
	put_small(SCOPE + 8 + 4 * 8, 7);
	put_scope(SCOPE, 5, TEXT, 9, AROUND);
	put_object(AROUND, SCOPE_TYPE);
	put_object(EMPTY, ONE_BYTE);
	put_object(SCRIPT, SCRIPT_TYPE);
	put(SCRIPT + 16, FILE_NAME + 1);
	put(SCRIPT + 8, SOURCE + 1);
	put_text(TEXT, "sell");
	put_text(FILE_NAME, "/srv/app.js");
	put_text(SOURCE, "one();\n  two(() => three());\n");
	put(STACK + 0x40 - 16, FUNCTION + 1);
	put(STACK + 0x40 - 8, EMPTY + 1);
	put(STACK + 0x40, STACK + 0x80);
	put(STACK + 0x48, 0x777);
}

static struct scope_left_functions functions;

static enum scope_interpreter_left leave(struct scope_native_frame *frame)
{
	const struct scope_stack_words words = { word_of_stack, NULL };

	*frame = (struct scope_native_frame){ .pc = 0x555, .sp = STACK, .fp = STACK + 0x40 };
	functions.count = 0;
	scope_interpreter_memory_begin(&memory, 10000);
	return scope_interpreter_v8_leave(&memory, &interpreter, &words, frame, &functions);
}

static void a_frame_has_its_function_and_caller(void **state)
{
	struct scope_native_frame frame;

	(void)state;
	begin();
	assert_int_equal(leave(&frame), SCOPE_INTERPRETER_LEFT);
	assert_int_equal(frame.pc, 0x777);
	assert_int_equal(frame.fp, STACK + 0x80);
	assert_int_equal(frame.sp, STACK + 0x50);
	assert_int_equal(functions.count, 1);
	assert_int_equal(functions.function[0], SHARED);
	/* One that the collector moved has its new address in place of its map. */
	begin();
	put(STACK + 0x40 - 16, BASE + 0x2f01);
	put(BASE + 0x2f00, FUNCTION);
	assert_int_equal(leave(&frame), SCOPE_INTERPRETER_LEFT);
	assert_int_equal(functions.function[0], SHARED);
}

static void what_is_no_function_has_none(void **state)
{
	struct scope_native_frame frame;
	char name[SCOPE_INTERPRETED_NAME];

	(void)state;
	begin();
	put_object(SHARED, OTHER_TYPE); /* something else is there now */
	assert_int_equal(leave(&frame), SCOPE_INTERPRETER_LEFT);
	assert_int_equal(functions.count, 0);
	begin();
	put(STACK + 0x40 - 8, 17 << 1); /* a frame of V8's own code */
	assert_int_equal(leave(&frame), SCOPE_INTERPRETER_LEFT);
	assert_int_equal(functions.count, 0);
	begin();
	put(STACK + 0x40 - 8, 27 << 1); /* of a regular expression */
	assert_int_equal(leave(&frame), SCOPE_INTERPRETER_LEFT);
	assert_int_equal(functions.count, 1);
	assert_true(scope_interpreter_v8_name(&memory, &interpreter, functions.function[0], name));
	assert_string_equal(name, "RegExp:[compiled]");
}

static void frames_off_the_stack_are_not_left(void **state)
{
	const struct scope_stack_words words = { word_of_stack, NULL };
	struct scope_native_frame frame = { .sp = STACK + 0x41, .fp = STACK + 0x40 };

	(void)state;
	begin();
	assert_int_equal(scope_interpreter_v8_leave(&memory, &interpreter, &words, &frame, &functions),
			 SCOPE_INTERPRETER_NOT_LEFT);
	frame = (struct scope_native_frame){ .sp = STACK, .fp = STACK + 0x44 };
	assert_int_equal(scope_interpreter_v8_leave(&memory, &interpreter, &words, &frame, &functions),
			 SCOPE_INTERPRETER_NOT_LEFT);
	frame = (struct scope_native_frame){ .sp = STACK, .fp = STACK + 0xf8 }; /* its caller's address is beyond */
	assert_int_equal(scope_interpreter_v8_leave(&memory, &interpreter, &words, &frame, &functions),
			 SCOPE_INTERPRETER_NOT_LEFT);
}

static void check_name(const char *expected)
{
	char name[SCOPE_INTERPRETED_NAME];

	scope_interpreter_memory_begin(&memory, 10000);
	assert_true(scope_interpreter_v8_name(&memory, &interpreter, SHARED, name));
	assert_string_equal(name, expected);
}

static void names_have_a_function_and_a_file(void **state)
{
	const uint8_t wide[] = { 's', 0, 0xe9, 0, 'l', 0 };
	uint32_t length = 3;

	(void)state;
	begin();
	check_name("js::sell:/srv/app.js");
	put_text(FILE_NAME, "node:events");
	check_name("js::sell:<node events>");
	put_text(FILE_NAME, "file:///srv/app.mjs");
	check_name("js::sell:/srv/app.mjs");
	/* In two bytes a character. */
	put_object(TEXT, 0);
	memcpy(data + TEXT + 12 - BASE, &length, sizeof(length));
	memcpy(data + TEXT + 16 - BASE, wide, sizeof(wide));
	check_name("js::s\xc3\xa9l:/srv/app.mjs");
	/* Put together of two, and one that leads to another. */
	begin();
	put_text(BASE + 0x4000, "se");
	put_text(BASE + 0x4100, "nd");
	put_object(BASE + 0x4200, ONE_BYTE | CONS);
	put(BASE + 0x4200 + 8, 4ull << 32);
	put(BASE + 0x4200 + 16, BASE + 0x4001);
	put(BASE + 0x4200 + 24, BASE + 0x4101);
	put_object(BASE + 0x4300, ONE_BYTE | THIN);
	put(BASE + 0x4300 + 8, 4ull << 32);
	put(BASE + 0x4300 + 16, BASE + 0x4201);
	put(SCOPE + 8 + 5 * 8, BASE + 0x4301);
	check_name("js::send:/srv/app.js");
	/* Before it is compiled the name is in its place. */
	put(SHARED + 16, TEXT + 1);
	check_name("js::sell:/srv/app.js");
}

/* By its place in the script, and the function around it that has a name. */
static void functions_without_a_name_have_a_place(void **state)
{
	(void)state;
	begin();
	put(SCOPE + 8 + 5 * 8, EMPTY + 1);
	check_name("js::(anonymous at 2:3):/srv/app.js");
	put_small(SCOPE + 8 + 8 * 8, 6);
	check_name("js::(anonymous at 1:7):/srv/app.js");
	put_scope(AROUND, 3, TEXT, 0, EMPTY);
	check_name("js::sell.(anonymous at 1:7):/srv/app.js");
	/* What it is assigned to is as good. */
	put(AROUND + 8 + 3 * 8, EMPTY + 1);
	put(AROUND + 8 + 5 * 8, TEXT + 1);
	check_name("js::sell.(anonymous at 1:7):/srv/app.js");
	/* Two scopes out, of which the first is a block. */
	put(AROUND + 8 + 3 * 8, BASE + 0x4001);
	put_object(BASE + 0x4000, SCOPE_TYPE);
	put_scope(BASE + 0x4000, 3, TEXT, 0, EMPTY);
	check_name("js::sell.(anonymous at 1:7):/srv/app.js");
	/* A block without one around it: what follows is another object's. */
	for (unsigned slot = 3; slot < 11; slot++)
		put(AROUND + 8 + slot * 8, TEXT + 1);
	check_name("js::(anonymous at 1:7):/srv/app.js");
	/* Without the source, or a place in it. */
	put(SCRIPT + 8, EMPTY);
	check_name("js::(anonymous):/srv/app.js");
}

static void what_lies_ends(void **state)
{
	char name[SCOPE_INTERPRETED_NAME];
	uint32_t length = UINT32_MAX;

	(void)state;
	begin();
	put_object(SCRIPT, OTHER_TYPE);
	assert_false(scope_interpreter_v8_name(&memory, &interpreter, SHARED, name));
	/* A string that is made of itself, and one longer than the memory. */
	begin();
	put_object(TEXT, ONE_BYTE | CONS);
	put(TEXT + 16, TEXT + 1);
	put(TEXT + 24, TEXT + 1);
	check_name("js::(anonymous at 2:3):/srv/app.js");
	begin();
	memcpy(data + TEXT + 12 - BASE, &length, sizeof(length));
	scope_interpreter_memory_begin(&memory, 10000);
	assert_true(scope_interpreter_v8_name(&memory, &interpreter, SHARED, name));
	assert_true(strlen(name) < SCOPE_INTERPRETED_NAME);
	/* More variables than a scope has, and scopes around without end. */
	begin();
	put_small(SCOPE + 8 + 2 * 8, 10001);
	check_name("js::(anonymous):/srv/app.js");
	begin();
	put(SCOPE + 8 + 5 * 8, EMPTY + 1);
	put(AROUND + 8 + 3 * 8, AROUND + 1);
	check_name("js::(anonymous at 2:3):/srv/app.js");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_has_its_function_and_caller),
		cmocka_unit_test(what_is_no_function_has_none),
		cmocka_unit_test(frames_off_the_stack_are_not_left),
		cmocka_unit_test(names_have_a_function_and_a_file),
		cmocka_unit_test(functions_without_a_name_have_a_place),
		cmocka_unit_test(what_lies_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
