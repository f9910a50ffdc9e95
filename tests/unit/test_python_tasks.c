// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions in which tasks of asyncio wait, read from outside, of a program that this test starts, and from memory with wrong contents.
 * SCOPE_TEST_PYTHONS: more interpreters to try, separated by colons.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/now.h"
#include "interpreted_program.h"
#include "interpreter/python_tasks.h"

/* Three wait for a lock that a fourth holds, which sleeps again and again; one reads what an asynchronous generator gives. */
static const char program_text[] = "import asyncio, sys\n"
				   "async def take(lock):\n"
				   "    async with lock:\n"
				   "        pass\n"
				   "async def keep(lock):\n"
				   "    async with lock:\n"
				   "        while True:\n"
				   "            await asyncio.sleep(0.01)\n"
				   "async def rows():\n"
				   "    yield 1\n"
				   "    await asyncio.get_running_loop().create_future()\n"
				   "async def read():\n"
				   "    async for row in rows():\n"
				   "        pass\n"
				   "async def quick(n):\n"
				   "    return n\n"
				   "async def main():\n"
				   "    lock = asyncio.Lock()\n"
				   "    tasks = [asyncio.ensure_future(keep(lock))]\n"
				   "    await asyncio.sleep(0)\n"
				   "    tasks += [asyncio.ensure_future(take(lock)) for i in range(3)]\n"
				   "    tasks += [asyncio.ensure_future(read())]\n"
				   "    done = [asyncio.ensure_future(quick(i)) for i in range(5)]\n"
				   "    await asyncio.sleep(0.01)\n"
				   "    print('ready', flush=True)\n"
				   "    await asyncio.gather(*tasks)\n"
				   "asyncio.run(main())\n";

static struct scope_waiting_tasks waiting;
static struct scope_waiting_places places;
static struct program program;

/* "2 inner outer", of that place. */
static void text_of(const struct scope_interpreter *interpreter, const struct scope_waiting_place *place, char *text,
		    size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%u", place->tasks);

	scope_interpreter_memory_begin(&memory, 10000);
	for (uint16_t i = 0; i < place->count && used < size; i++) {
		char name[SCOPE_INTERPRETED_NAME];
		uint64_t code = places.address[place->first + i];

		assert_true(scope_interpreter_name(&memory, interpreter, code, name));
		used += (size_t)snprintf(text + used, size - used, " %.*s", (int)strcspn(name + 4, ":"), name + 4);
	}
}

static void expect_place(const struct scope_interpreter *interpreter, const char *expected, bool lasting)
{
	char text[512], all[4096] = "";

	for (uint32_t i = 0; i < places.places; i++) {
		text_of(interpreter, &places.place[i], text, sizeof(text));
		if (!strcmp(text, expected) && !places.place[i].waited_s == !lasting)
			return;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s (%u s)\n", text, places.place[i].waited_s);
	}
	fail_msg("no place '%s' among\n%s", expected, all);
}

static bool look(const struct scope_interpreter *interpreter, struct scope_python_tasks *tasks, uint64_t now_ns)
{
	return scope_interpreter_python_tasks_look(&memory, interpreter, tasks, 10000, now_ns, &waiting, &places);
}

static void read_tasks(const char *path)
{
	struct scope_python_tasks tasks = { 0 };
	struct scope_interpreter interpreter;

	if (!begin(&program, path, program_text, 0)) {
		printf("%s cannot be run\n", path);
		skip();
	}
	attach(&program);
	assert_int_equal(find(&program, &interpreter), SCOPE_INTERPRETER_FOUND);
	assert_true(scope_interpreter_python_tasks_find(&memory, &interpreter, &tasks));
	memset(&waiting, 0, sizeof(waiting));
	usleep(50000);
	assert_true(look(&interpreter, &tasks, 1000000000));
	usleep(50000);
	assert_true(look(&interpreter, &tasks, 2100000000));
	/* The class of a method is known from 3.11 on. */
	expect_place(&interpreter,
		     interpreter.version >= 0x30b ? "3 Lock.acquire _ContextManagerMixin.__aenter__ take"
						  : "3 acquire __aenter__ take",
		     true);
	expect_place(&interpreter, "1 sleep keep", true);
	expect_place(&interpreter, "1 rows read", true);
	expect_place(&interpreter, "1 main", true);
	assert_int_equal(places.places, 4);
	end(&program);
	program.pid = 0;
	printf("read %s, version %u.%u\n", path, interpreter.version >> 8, interpreter.version & 255);
}

/* Of each eight words that are read one is another, which is small, or leads to somewhere near. */
static bool read_lies(void *context, uint64_t address, void *data, size_t bytes)
{
	uint64_t word;

	if (!scope_interpreter_memory_of_process(context, address, data, bytes))
		return false;
	for (size_t at = 0; at + sizeof(word) <= bytes; at += sizeof(word)) {
		if (random() % 8)
			continue;
		memcpy(&word, (char *)data + at, sizeof(word));
		word = random() % 2 ? (uint64_t)random() % 4096 : word ^ (uint64_t)random() % 65536;
		memcpy((char *)data + at, &word, sizeof(word));
	}
	return true;
}

static void a_memory_that_lies_gives_tasks_or_none(void **state)
{
	struct scope_python_tasks truth = { 0 }, tasks;
	struct scope_interpreter interpreter;
	unsigned looks = 0;

	(void)state;
	if (!begin(&program, "/usr/bin/python3", program_text, 0))
		skip();
	attach(&program);
	assert_int_equal(find(&program, &interpreter), SCOPE_INTERPRETER_FOUND);
	assert_true(scope_interpreter_python_tasks_find(&memory, &interpreter, &truth));
	memory.read = read_lies;
	srandom(1);
	for (unsigned i = 0; i < 3000; i++) {
		scope_interpreter_memory_begin(&memory, 10000);
		tasks = (struct scope_python_tasks){ .modules = i % 2 ? truth.modules : 0 };
		if (!scope_interpreter_python_tasks_find(&memory, &interpreter, &tasks))
			tasks = truth;
		looks += look(&interpreter, &tasks, (i + 1) * 1000000000ull);
		assert_true(places.places <= SCOPE_WAITING_PLACES);
		assert_true(places.looked <= SCOPE_WAITING_TASKS_MAX);
	}
	/* The set itself is often enough read as it is. */
	assert_true(looks > 100);
}

static void tasks_are_read(void **state)
{
	const char *more = getenv("SCOPE_TEST_PYTHONS");
	char path[256];

	(void)state;
	read_tasks("/usr/bin/python3");
	while (more && *more) {
		const size_t length = strcspn(more, ":");

		snprintf(path, sizeof(path), "%.*s", (int)length, more);
		if (length)
			read_tasks(path);
		more += length + (more[length] == ':');
	}
}

static int end_program(void **state)
{
	(void)state;
	if (program.pid)
		end(&program);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(tasks_are_read, end_program),
		cmocka_unit_test_teardown(a_memory_that_lies_gives_tasks_or_none, end_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
