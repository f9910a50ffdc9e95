// SPDX-License-Identifier: GPL-2.0-only
/* Frames of Java, read from memory that this test writes, also with wrong contents. test_interpreter.c reads a JVM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "interpreter/hotspot.h"
#include "interpreter/hotspot_code.h"

#define BASE 0x100000ull
#define BYTES 0x20000u
#define THREAD (BASE + 0x1000)
#define INTERPRETER (BASE + 0x8000) /* code of 0x1000 bytes */
#define HEAP (BASE + 0x2000)
#define CODE (BASE + 0xa000) /* of the code cache: two blocks of 0x400 bytes in segments of 0x80 */
#define MAP (BASE + 0x2800)
#define STACK (BASE + 0x10000)

static uint8_t data[BYTES];
static struct scope_memory memory;
static struct scope_interpreted_frames frames;
static struct scope_interpreter interpreter;
static uint64_t runs_at; /* a read of this address clears the anchor */

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
	if (runs_at && address <= runs_at && runs_at < address + bytes)
		put(THREAD + 0x100, 0);
	return true;
}

static void put_text(uint64_t address, const char *text)
{
	memcpy(data + address - BASE, text, strlen(text) + 1);
}

/* A symbol: its length, and its letters. */
static void put_symbol(uint64_t address, const char *text)
{
	const uint16_t length = (uint16_t)strlen(text);

	memcpy(data + address - BASE, &length, sizeof(length));
	put_text(address + 2, text);
}

/* The thread is in code of the interpreter, which compiled code called, which the interpreter called. */
static void begin(void)
{
	static uint64_t number;

	interpreter = (struct scope_interpreter){
		.language = SCOPE_INTERPRETER_HOTSPOT,
		.hotspot = {
			.list = BASE + 0x100, .code = BASE + 0x108, .heaps = BASE + 0x110,
			.list_length = 0, .list_threads = 8,
			.thread_anchor = 0x100, .thread_system = 0x80, .system_number = 0x10,
			.anchor_sp = 0, .anchor_pc = 8, .anchor_fp = 16,
			.queue_buffer = 0, .queue_limit = 8,
			.array_length = 0, .array_data = 8,
			.heap_memory = 0, .heap_map = 0x40, .heap_shift = 0x80, .space_low = 0, .space_high = 8,
			.block_size = 16, .blob_name = 0, .blob_frame = 8, .blob_method = 16,
			.inlines = true, .blob_begin = 24, .blob_scopes = 32, .blob_methods = 40, .blob_pcs = 44,
			.blob_pcs_end = 48, .pc_place = 0, .pc_scope = 4, .pc_size = 16,
			.method_const = 0, .const_pool = 8, .const_name = 16, .const_signature = 18,
			.pool_class = 0, .pool_size = 0x20, .class_name = 8,
			.symbol_length = 0, .symbol_body = 2,
			.number = ++number + 1000,
		},
	};
	memset(data, 0, sizeof(data));
	runs_at = 0;
	memory = (struct scope_memory){ .read = read_data };
	scope_interpreter_memory_begin(&memory, 10000);
	put(BASE + 0x100, BASE + 0x200); /* the list: one thread */
	put(BASE + 0x200, 1);
	put(BASE + 0x208, BASE + 0x300);
	put(BASE + 0x300, THREAD);
	put(THREAD + 0x80, BASE + 0x400);
	put(BASE + 0x410, 77);
	put(BASE + 0x108, BASE + 0x500); /* the interpreter's code */
	put(BASE + 0x500, INTERPRETER);
	put(BASE + 0x508, 0x1000);
	put(BASE + 0x110, BASE + 0x600); /* parts of the code cache: one */
	put(BASE + 0x600, 1);
	put(BASE + 0x608, BASE + 0x680);
	put(BASE + 0x680, HEAP);
	put(HEAP, CODE);
	put(HEAP + 8, CODE + 0x800);
	put(HEAP + 0x40, MAP);
	put(HEAP + 0x80, 7);
	for (unsigned i = 0; i < 16; i++)
		data[MAP + i - BASE] = i % 8;
	for (uint64_t blob = CODE + 16; blob < CODE + 0x800; blob += 0x400) {
		put(blob, BASE + 0x700);
		put(blob + 8, 6); /* words of its frame */
		put(blob + 16, blob == CODE + 16 ? 0xc0de8 : 0xc0df0);
	}
	put_text(BASE + 0x700, "nmethod");
	put(THREAD + 0x100, STACK);
	put(THREAD + 0x108, INTERPRETER + 0x10);
	put(THREAD + 0x110, STACK + 0x100);
	put(STACK + 0x100 - 24, 0xabc8);
	put(STACK + 0x100 - 8, STACK + 0x110); /* where its caller's frame begins */
	put(STACK + 0x108, CODE + 0x3f0);
	put(STACK + 0x110 + 4 * 8, STACK + 0x300);
	put(STACK + 0x110 + 5 * 8, INTERPRETER + 0x20);
	put(STACK + 0x300 - 24, 0xabd0);
	put(STACK + 0x300 - 8, STACK + 0x310);
	put(STACK + 0x308, 0x77); /* the stub that called Java */
}

static enum scope_interpreter_read read_frames(void)
{
	scope_interpreter_memory_begin(&memory, 10000);
	return scope_interpreter_hotspot_frames(&memory, &interpreter, THREAD, &frames);
}

static void frames_of_both_kinds_are_read(void **state)
{
	struct scope_interpreted_thread thread[2];

	(void)state;
	begin();
	assert_int_equal(scope_interpreter_hotspot_threads(&memory, &interpreter, thread, 2), 1);
	assert_int_equal(thread[0].state, THREAD);
	assert_int_equal(thread[0].tid, 77);
	assert_true(scope_interpreter_hotspot_is_thread(&memory, &interpreter, &thread[0]));
	assert_int_equal(read_frames(), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 3);
	assert_int_equal(frames.function[0], 0xabc8);
	assert_int_equal(frames.function[1], 0xc0de8);
	assert_int_equal(frames.function[2], 0xabd0);
	/* Of a stub only the frame is left. */
	begin();
	put_text(BASE + 0x700, "RuntimeStub");
	assert_int_equal(read_frames(), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 2);
	/* After a call the return address is below the stack pointer. */
	begin();
	put(THREAD + 0x108, 0);
	put(STACK - 8, INTERPRETER + 0x10);
	assert_int_equal(read_frames(), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 3);
}

/* ---- frames on a copied stack ---- */

#define COPIED 0x200 /* bytes from STACK on */

static bool word_of_copy(void *context, uint64_t address, uint64_t *ret_word)
{
	(void)context;
	if (address < STACK || address > STACK + COPIED - sizeof(*ret_word))
		return false;
	memcpy(ret_word, data + address - BASE, sizeof(*ret_word));
	return true;
}

static struct scope_left_functions functions;

static enum scope_interpreter_left leave(struct scope_native_frame *frame)
{
	const struct scope_stack_words words = { word_of_copy, NULL };

	functions.count = 0;
	scope_interpreter_memory_begin(&memory, 10000);
	return scope_interpreter_hotspot_leave(&memory, &interpreter, &words, frame, &functions);
}

/* The return address of compiled code is where it is by the size of its frame, or if it has none at the stack pointer. */
static void compiled_code_is_left_wherever_it_is(void **state)
{
	static const struct {
		uint64_t at, fp_at; /* words above the stack pointer; 0: none */
		uint64_t fp, sp;
	} rows[] = { { 5, 4, 0x111, 6 }, { 0, 0, 0x222, 1 }, { 1, 8, 0x333, 2 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scope_native_frame frame = { .pc = CODE + 0x40, .sp = STACK, .fp = 0x222, .exact = true };

		begin();
		put(STACK + 4 * 8, 0x111);
		put(STACK, 0x333);
		put(STACK + rows[i].at * 8, CODE + 0x410);
		assert_int_equal(leave(&frame), SCOPE_INTERPRETER_LEFT);
		assert_int_equal(frame.pc, CODE + 0x410);
		assert_int_equal(frame.fp, rows[i].fp);
		assert_int_equal(frame.sp, STACK + rows[i].sp * 8);
		assert_false(frame.exact);
		assert_int_equal(functions.count, 1);
		assert_int_equal(functions.function[0], 0xc0de8);
	}
}

static void what_is_not_on_the_copy_is_not_left(void **state)
{
	struct scope_native_frame frame = { .pc = CODE + 0x40, .sp = STACK + COPIED - 5 * 8 }, before = frame;

	(void)state;
	begin();
	assert_int_equal(leave(&frame), SCOPE_INTERPRETER_LEFT_BY_FRAME_POINTER);
	assert_memory_equal(&frame, &before, sizeof(frame));
	assert_int_equal(functions.function[0], 0xc0de8);
	frame.sp = STACK + COPIED - 6 * 8;
	assert_int_equal(leave(&frame), SCOPE_INTERPRETER_LEFT);
	/* A frame of the interpreter without a known frame pointer is known by the interpreter's name. */
	frame = (struct scope_native_frame){ .pc = INTERPRETER + 8, .sp = STACK };
	assert_int_equal(leave(&frame), SCOPE_INTERPRETER_LEFT_BY_FRAME_POINTER);
	frame.pc = BASE + 0x77;
	assert_int_equal(leave(&frame), SCOPE_INTERPRETER_NOT_LEFT);
}

/* A stub without a frame of its own has a name. */
static void stubs_have_their_own_names(void **state)
{
	struct scope_native_frame frame = { .pc = CODE + 0x40, .sp = STACK };
	char name[SCOPE_INTERPRETED_NAME];

	(void)state;
	begin();
	put_text(BASE + 0x700, "StubRoutines (1)");
	put(CODE + 16 + 8, 0);
	assert_int_equal(leave(&frame), SCOPE_INTERPRETER_LEFT_BY_FRAME_POINTER);
	assert_int_equal(functions.count, 1);
	assert_int_equal(functions.function[0], (CODE + 16) | SCOPE_HOTSPOT_STUB);
	assert_true(scope_interpreter_hotspot_name(&memory, &interpreter, functions.function[0], name));
	assert_string_equal(name, "StubRoutines (1)");
}

/*
 * Of CODE: two places, 8 and 0x20. At the second one, whose scope is at 8, method 300 of its list is in method 2, whose scope is at 5, and that
 * in the compiled one, whose scope is at 1. A scope has where the one around is, and the number of its method: 300 is 236 + 64 * 1.
 */
static void begin_inlined(unsigned excess)
{
	const int32_t place[] = { 0x200, 0x240, 0x270 };
	const int32_t pcs[] = { -1, 0, 0, 0, 8, 1, 0, 0, 0x20, 8, 0, 0 };
	const uint8_t scopes[] = { 0, 0, 1, 0, 0, 1, 2, 0, 5, 192 + 44, 1 };

	begin();
	put(CODE + 16 + 24, CODE + 0x20);
	put(CODE + 16 + 32, BASE + 0xe000);
	memcpy(data + CODE + 16 + 40 - BASE, place, sizeof(place));
	memcpy(data + CODE + 16 + 0x240 - BASE, pcs, sizeof(pcs));
	for (size_t i = 0; i < sizeof(scopes); i++)
		data[0xe000 + i] = (uint8_t)(scopes[i] + excess);
	put(CODE + 16 + 0x200, 0xc0de8);
	put(CODE + 16 + 0x200 + 8, 0xaaa8);
	put(CODE + 16 + 0x200 + 299 * 8, 0xaab0);
}

static void methods_in_others_are_found(void **state)
{
	(void)state;
	for (unsigned excess = 0; excess < 2; excess++) {
		begin_inlined(excess);
		scope_interpreter_memory_begin(&memory, 10000);
		scope_interpreter_hotspot_inlined(&memory, &interpreter.hotspot, CODE + 16, CODE + 0x20 + 9, 0xc0de8,
						  &functions);
		assert_int_equal(functions.count, 3);
		assert_int_equal(functions.function[0], 0xaab0);
		assert_int_equal(functions.function[1], 0xaaa8);
		assert_int_equal(functions.function[2], 0xc0de8);
		/* Up to the first place it is the method itself, and after the last one nothing is recorded. */
		for (uint64_t at = 8; at <= 0x21; at += 0x19) {
			scope_interpreter_hotspot_inlined(&memory, &interpreter.hotspot, CODE + 16, CODE + 0x20 + at,
							  0xc0de8, &functions);
			assert_int_equal(functions.count, 1);
			assert_int_equal(functions.function[0], 0xc0de8);
		}
		/* If the outermost method is another one, none of it is true. */
		scope_interpreter_hotspot_inlined(&memory, &interpreter.hotspot, CODE + 16, CODE + 0x20 + 9, 0xbad,
						  &functions);
		assert_int_equal(functions.count, 1);
		assert_int_equal(functions.function[0], 0xbad);
	}
}

static void one_that_runs_has_none(void **state)
{
	(void)state;
	begin();
	put(THREAD + 0x100, 0);
	assert_int_equal(read_frames(), SCOPE_INTERPRETER_EMPTY);
	begin();
	runs_at = STACK + 0x300; /* while its frames are read */
	assert_int_equal(read_frames(), SCOPE_INTERPRETER_TORN);
	assert_int_equal(scope_interpreter_hotspot_frames(&memory, &interpreter, 0x77, &frames),
			 SCOPE_INTERPRETER_UNREADABLE);
}

static void frames_that_lie_end_the_walk(void **state)
{
	(void)state;
	begin();
	put(STACK + 0x300 - 8, STACK + 0x100); /* its caller would be below it */
	assert_int_equal(read_frames(), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 2);
	begin();
	put(CODE + 16 + 8, 0xffffff); /* a frame larger than any */
	assert_int_equal(read_frames(), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 1);
	begin();
	data[MAP + 7 - BASE] = 0xff; /* nothing is there */
	assert_int_equal(read_frames(), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 1);
	begin();
	data[MAP + 7 - BASE] = 9; /* back beyond the begin */
	assert_int_equal(read_frames(), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, 1);
	/* Compiled code that calls itself for ever is cut. */
	begin();
	for (uint64_t at = STACK + 0x110; at + 0x30 <= BASE + BYTES; at += 0x30)
		put(at + 5 * 8, CODE + 0x3f0);
	assert_int_equal(read_frames(), SCOPE_INTERPRETER_READ);
	assert_int_equal(frames.count, SCOPE_INTERPRETED_FRAMES);
	assert_true(frames.cut);
}

static void lists_that_lie_are_none(void **state)
{
	struct scope_interpreted_thread thread[2];

	(void)state;
	begin();
	put(BASE + 0x200, UINT32_MAX);
	assert_int_equal(scope_interpreter_hotspot_threads(&memory, &interpreter, thread, 2), 0);
	begin();
	put(BASE + 0x300, 0x77);
	assert_int_equal(scope_interpreter_hotspot_threads(&memory, &interpreter, thread, 2), 0);
}

/* A method at +0x3000, whose names are in a pool at +0x3200. */
static bool name_of(const char *class, const char *method, const char *signature, char name[SCOPE_INTERPRETED_NAME])
{
	const uint16_t at[] = { 1, 2 };

	begin();
	put(BASE + 0x3000, BASE + 0x3100);
	put(BASE + 0x3108, BASE + 0x3200);
	memcpy(data + 0x3110, at, sizeof(at));
	put(BASE + 0x3200, BASE + 0x3400);
	put(BASE + 0x3220 + 8, BASE + 0x4000);
	put(BASE + 0x3220 + 16, BASE + 0x5000);
	put(BASE + 0x3408, BASE + 0x6000);
	put_symbol(BASE + 0x4000, method);
	put_symbol(BASE + 0x5000, signature);
	put_symbol(BASE + 0x6000, class);
	return scope_interpreter_hotspot_name(&memory, &interpreter, BASE + 0x3000, name);
}

static void names_are_as_in_perf_maps(void **state)
{
	char name[SCOPE_INTERPRETED_NAME], text[1024];

	(void)state;
	assert_true(name_of("org/shop/Cart$Row", "add", "(ILjava/lang/String;[[DZ)V", name));
	assert_string_equal(name, "void org.shop.Cart$Row.add(int, java.lang.String, double[][], boolean)");
	assert_true(name_of("Cart", "<init>", "()[Lorg/Box;", name));
	assert_string_equal(name, "org.Box[] Cart.<init>()");
	/* What is no signature is no method; control characters are none of a name. */
	assert_false(name_of("Cart", "add", "V", name));
	assert_false(name_of("Cart", "add", "(I", name));
	assert_true(name_of("Cart", "a\033d\nd", "(I)V", name));
	assert_string_equal(name, "void Cart.a?d?d(int)");
	assert_true(name_of("Cart", "add", "(Lno end)V", name));
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_true(name_of(text, text, "([[[[[[[[[[[[[[[[[[[[[[I)I", name));
	assert_true(strlen(name) < SCOPE_INTERPRETED_NAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_both_kinds_are_read),
		cmocka_unit_test(one_that_runs_has_none),
		cmocka_unit_test(compiled_code_is_left_wherever_it_is),
		cmocka_unit_test(what_is_not_on_the_copy_is_not_left),
		cmocka_unit_test(stubs_have_their_own_names),
		cmocka_unit_test(methods_in_others_are_found),
		cmocka_unit_test(frames_that_lie_end_the_walk),
		cmocka_unit_test(lists_that_lie_are_none),
		cmocka_unit_test(names_are_as_in_perf_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
