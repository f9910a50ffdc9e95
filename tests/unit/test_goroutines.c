// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions in which goroutines wait, read from memory that this test writes, also with wrong contents.
 * tests/unit/goroutines_live.sh reads a Go program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "interpreter/goroutines.h"

#define BASE 0xc000000000ull
#define BYTES 0x10000u
#define WAITING 4
#define RUNNING 2
#define IN_SYSCALL 3
#define STATUS 144

static uint8_t data[BYTES];
static struct scope_memory memory;
static struct scope_waiting_places places;
static struct scope_waiting_tasks waits;
static uint64_t now_ns;
static uint64_t changes_at; /* a read of this address changes the status of the goroutine there; 0: none */

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
	if (address == changes_at)
		put(address + STATUS, RUNNING);
	return true;
}

/* A list of three at BASE + 0x100, each of which has a stack of 0x1000 bytes and two frames above its own. */
static const struct scope_goroutines goroutines = { BASE, BASE + 8, STATUS, 0x402f00, 0x403000 };

static uint64_t goroutine(unsigned number)
{
	return BASE + 0x1000 + number * 0x200;
}

static uint64_t stack(unsigned number)
{
	return BASE + 0x4000 + number * 0x1000;
}

static void begin(void)
{
	memset(data, 0, sizeof(data));
	memset(&waits, 0, sizeof(waits));
	changes_at = now_ns = 0;
	memory = (struct scope_memory){ .read = read_data };
	scope_interpreter_memory_begin(&memory, 1000);
	put(BASE, BASE + 0x100);
	put(BASE + 8, 3);
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t g = goroutine(i), low = stack(i), sp = low + 0x800;

		put(BASE + 0x100 + i * 8, g);
		put(g, low);
		put(g + 8, low + 0x1000);
		put(g + 56, sp);
		put(g + 64, 0x401000); /* gopark */
		put(g + 104, sp + 0x20);
		put(g + STATUS, WAITING);
		put(sp + 0x20, sp + 0x60);
		put(sp + 0x28, i < 2 ? 0x402000 : 0x403000);
		put(sp + 0x60, 0);
		put(sp + 0x68, 0x404000);
	}
}

static bool look(void)
{
	return scope_interpreter_goroutines_look(&memory, &goroutines, now_ns, &waits, &places);
}

static void those_in_one_place_are_counted_together(void **state)
{
	(void)state;
	begin();
	assert_true(look());
	assert_int_equal(places.looked, 3);
	assert_int_equal(places.places, 2);
	assert_int_equal(places.place[0].tasks, 2);
	assert_int_equal(places.place[1].tasks, 1);
	assert_int_equal(places.place[0].count, 3);
	assert_false(places.place[0].cut);
	assert_int_equal(places.address[places.place[0].first], 0x401000);
	assert_int_equal(places.address[places.place[0].first + 1], 0x402000);
	assert_int_equal(places.address[places.place[1].first + 1], 0x403000);
	assert_int_equal(places.address[places.place[1].first + 2], 0x404000);
}

static void only_those_that_wait_count(void **state)
{
	(void)state;
	begin();
	put(goroutine(0) + STATUS, RUNNING);
	put(goroutine(1) + STATUS, WAITING | 0x1000); /* and the collector looks at it */
	assert_true(look());
	assert_int_equal(places.looked, 2);
}

static bool look_at(uint64_t ms)
{
	now_ns = ms * 1000000;
	scope_interpreter_memory_begin(&memory, 1000);
	return look();
}

static void those_that_have_waited_for_a_second_are_apart(void **state)
{
	(void)state;
	begin();
	assert_true(look_at(1000));
	assert_true(look_at(1900));
	assert_int_equal(places.places, 2);
	assert_int_equal(places.place[0].waited_s, 0);
	put(stack(1) + 0x810, 7); /* another word on its stack: it has gone on */
	assert_true(look_at(2000));
	assert_int_equal(places.places, 3);
	assert_int_equal(places.place[0].tasks, 1);
	assert_int_equal(places.place[0].waited_s, 1);
	assert_int_equal(places.place[1].tasks, 1);
	assert_int_equal(places.place[1].waited_s, 0);
	assert_true(look_at(5000));
	assert_int_equal(places.places, 2);
	assert_int_equal(places.place[0].tasks, 2);
	assert_int_equal(places.place[0].waited_s, 4); /* the first of both */
	assert_true(look_at(900000));
	assert_int_equal(places.place[0].waited_s, SCOPE_WAITING_SECONDS_MAX);
	/* In a look it ran. */
	put(goroutine(0) + STATUS, RUNNING);
	put(goroutine(1) + STATUS, RUNNING);
	assert_true(look_at(900010));
	put(goroutine(0) + STATUS, WAITING);
	assert_true(look_at(900020));
	assert_int_equal(places.place[0].waited_s, 0);
}

static void one_in_a_system_call_counts_after_a_second(void **state)
{
	const uint64_t sp = stack(0) + 0x800;

	(void)state;
	begin();
	put(goroutine(0) + STATUS, IN_SYSCALL);
	put(goroutine(0) + 104, 0x123); /* what its frame pointer was long ago */
	put(sp + 0x10, sp + 0x18);	/* the address of a variable, which leads nowhere */
	put(sp + 0x60, sp + 0xa0);	/* three frames, at 0x20, 0x60, and 0xa0 */
	put(sp + 0xa0, 0);
	put(sp + 0xa8, 0x405000);
	assert_true(look_at(1000));
	assert_int_equal(places.places, 2); /* those of the two others */
	assert_true(look_at(2000));
	assert_int_equal(places.places, 3);
	assert_int_equal(places.place[0].count, 4);
	assert_int_equal(places.address[places.place[0].first], 0x401000);
	assert_int_equal(places.address[places.place[0].first + 1], 0x402000);
	assert_int_equal(places.address[places.place[0].first + 3], 0x405000);
	/* Without such frames it is not known where it is. */
	put(sp + 0xa0, 0x7);
	assert_true(look_at(3000));
	assert_true(look_at(4000));
	assert_int_equal(places.places, 2);
}

static void one_that_sleeps_again_and_again_has_waited_since_then(void **state)
{
	const uint64_t sp = stack(2) + 0x800;

	(void)state;
	begin();
	put(sp + 0x28, 0x402f80); /* in time.Sleep; then a loop, and the functions that called it */
	for (unsigned i = 1; i < 8; i++) {
		put(sp + i * 0x40 + 0x20, sp + (i + 1) * 0x40 + 0x20);
		put(sp + i * 0x40 + 0x28, 0x404000 + i * 0x1000);
	}
	put(sp + 0x20, sp + 0x60);
	put(sp + 7 * 0x40 + 0x20, 0);
	assert_true(look_at(1000));
	put(sp + 0x90, 12); /* a counter of the loop's function */
	assert_true(look_at(2500));
	assert_int_equal(places.place[places.places - 1].waited_s, 1);
	put(sp + 7 * 0x40 + 0x30, 12); /* of the function that serves: another request */
	assert_true(look_at(3000));
	assert_int_equal(places.place[places.places - 1].waited_s, 0);
}

static void one_that_goes_on_meanwhile_is_left_out(void **state)
{
	(void)state;
	begin();
	changes_at = goroutine(2);
	assert_true(look());
	assert_int_equal(places.torn, 1);
	assert_int_equal(places.places, 1);
}

static void frames_that_lie_end_the_walk(void **state)
{
	const uint64_t sp = stack(2) + 0x800;

	(void)state;
	begin();
	put(sp + 0x60, sp + 0x20); /* a circle */
	assert_true(look());
	assert_int_equal(places.place[1].count, 3);
	begin();
	put(sp + 0x20, stack(2) + 0x2000); /* beyond the stack */
	assert_true(look());
	assert_int_equal(places.place[1].count, 2);
	begin();
	put(goroutine(2) + 104, sp + 3); /* no address of a word */
	assert_true(look());
	assert_int_equal(places.place[1].count, 1);
	/* Many frames are cut. */
	begin();
	for (uint64_t at = sp + 0x20; at < sp + 0x700; at += 16) {
		put(at, at + 16);
		put(at + 8, 0x405000);
	}
	assert_true(look());
	assert_int_equal(places.place[1].count, SCOPE_WAITING_FRAMES);
	assert_true(places.place[1].cut);
}

static void goroutines_that_lie_are_left_out(void **state)
{
	(void)state;
	begin();
	put(goroutine(0) + 56, stack(0) + 0x1000);	/* its stack pointer is no longer in its stack */
	put(goroutine(1) + 8, stack(1) + (1ull << 40)); /* a stack larger than any */
	put(BASE + 0x100 + 16, 0x123);			/* no address */
	assert_true(look());
	assert_int_equal(places.looked, 0);
	assert_int_equal(places.places, 0);
}

static void a_list_that_lies_is_none(void **state)
{
	(void)state;
	begin();
	put(BASE + 8, 0);
	assert_false(look());
	put(BASE + 8, BASE); /* both are addresses */
	assert_false(look());
	put(BASE, 7); /* both are numbers */
	put(BASE + 8, 3);
	assert_false(look());
	/* Which of the two words is the list follows from what is there. */
	put(BASE, 3);
	put(BASE + 8, BASE + 0x100);
	assert_true(look());
	assert_int_equal(places.looked, 3);
	/* Of a longer list than there is memory, what can be read counts. */
	put(BASE, 1 << 20);
	assert_true(look());
	scope_interpreter_memory_begin(&memory, 2);
	put(BASE, 3);
	assert_false(look());
}

#ifdef __x86_64__
static void the_list_is_found_in_code(void **state)
{
	/* mov 0x10(%rip),%rcx; nop; mov -0x20(%rip),%rbx; mov 0x30(%rip),%r8 */
	const uint8_t code[] = { 0x48, 0x8b, 0x0d, 0x10, 0,    0,    0, 0x90, 0x48, 0x8b, 0x1d,
				 0xe0, 0xff, 0xff, 0xff, 0x4c, 0x8b, 5, 0x30, 0,    0,	  0 };
	struct scope_goroutines found = { 0 };

	(void)state;
	assert_true(scope_interpreter_goroutines_find("go1.19.8", 0x1000, code, sizeof(code), &found));
	assert_int_equal(found.list, 0x1017);
	assert_int_equal(found.length, 0xfef);
	assert_int_equal(found.status, 144);
	assert_true(scope_interpreter_goroutines_find("go1.23.0", 0x1000, code, sizeof(code), &found));
	assert_int_equal(found.status, 152);
	assert_false(scope_interpreter_goroutines_find("go1.19.8", 0x1000, code, 14, &found));
	assert_false(scope_interpreter_goroutines_find("go1.99", 0x1000, code, sizeof(code), &found));
	assert_false(scope_interpreter_goroutines_find("", 0x1000, code, sizeof(code), &found));
	assert_false(scope_interpreter_goroutines_find("devel", 0x1000, code, sizeof(code), &found));
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_in_one_place_are_counted_together),
		cmocka_unit_test(only_those_that_wait_count),
		cmocka_unit_test(those_that_have_waited_for_a_second_are_apart),
		cmocka_unit_test(one_in_a_system_call_counts_after_a_second),
		cmocka_unit_test(one_that_sleeps_again_and_again_has_waited_since_then),
		cmocka_unit_test(one_that_goes_on_meanwhile_is_left_out),
		cmocka_unit_test(frames_that_lie_end_the_walk),
		cmocka_unit_test(goroutines_that_lie_are_left_out),
		cmocka_unit_test(a_list_that_lies_is_none),
#ifdef __x86_64__
		cmocka_unit_test(the_list_is_found_in_code),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
