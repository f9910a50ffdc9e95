// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of Python, PHP, Ruby and Java, read from outside, of programs that this test starts. test_interpreter_lies.c reads memory with
 * wrong contents.
 * SCOPE_TEST_PYTHONS, SCOPE_TEST_RUBYS: more interpreters to try, separated by colons.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "interpreted_program.h"

static const char python_program[] = "import threading, time\n"
				     "class Wärter:\n"
				     "    def wait(self):\n"
				     "        def inner():\n"
				     "            ready.set()\n"
				     "            time.sleep(1000)\n"
				     "        inner()\n"
				     "def deep(n):\n"
				     "    if n: deep(n - 1)\n"
				     "    else: print('ready', flush=True); time.sleep(1000)\n"
				     "ready = threading.Event()\n"
				     "threading.Thread(target=Wärter().wait, daemon=True).start()\n"
				     "ready.wait()\n"
				     "deep(DEPTH)\n";

static const char php_program[] = "<?php namespace Shop;\n"
				  "class Cart { static function wait() { echo \"ready\\n\"; flush(); sleep(1000); } }\n"
				  "function outer() { Cart::wait(); }\n"
				  "outer();\n";

static const char ruby_program[] = "module Shop\n"
				   "  class Cart\n"
				   "    class << self\n"
				   "      def wait(n)\n"
				   "        n.zero? ? new.inner : wait(n - 1)\n"
				   "      end\n"
				   "    end\n"
				   "    def inner\n"
				   "      'ready' =~ /y/\n"
				   "      [1].each { |one| begin; [one].each { sleep 1000 }; ensure; one; end }\n"
				   "    end\n"
				   "  end\n"
				   "end\n"
				   "def outer\n"
				   "  puts 'ready'\n"
				   "  $stdout.flush\n"
				   "  Fiber.new { Shop::Cart.wait(1) }.resume\n"
				   "end\n"
				   "one = Thread.new { def (X = Object.new).own; sleep 1000; end; X.own }\n"
				   "one.join(0.01) until one.status == 'sleep'\n"
				   "outer\n";

static const char java_program[] =
	"class Wait {\n"
	"    static long inner(int n, String[] rows, double[][] all) throws Exception {\n"
	"        if (n == 0) { System.out.println(\"ready\"); Thread.sleep(1000000); }\n"
	"        return inner(n - 1, rows, all);\n"
	"    }\n"
	"    public static void main(String[] args) throws Exception { inner(1, args, null); }\n"
	"}\n";

static void read_python(const char *path)
{
	struct scope_interpreted_thread thread[8];
	struct scope_interpreter interpreter;
	struct program program;
	char text[4096];
	bool first = false, second = false;
	size_t count;

	if (!begin(&program, path, python_program, 3)) {
		end(&program);
		return;
	}
	attach(&program);
	assert_int_equal(find(&program, &interpreter), SCOPE_INTERPRETER_FOUND);
	assert_true(interpreter.version >= 0x308);
	count = scope_interpreter_threads(&memory, &interpreter, thread, 8);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++) {
		const uint32_t tid = thread[i].tid ? thread[i].tid
						   : scope_interpreter_thread_of_handle(&memory, thread[i].handle,
											is_task, &program);

		assert_true(is_task(&program, tid));
		assert_true(scope_interpreter_is_thread(&memory, &interpreter, &thread[i]));
		list(&interpreter, thread[i].state, text, sizeof(text));
		if (tid == (uint32_t)program.pid) {
			first = true;
			assert_string_equal(text, "py::deep\npy::deep\npy::deep\npy::deep\npy::<module>\n");
		} else {
			second = true;
			/* From 3.11 on with the class. */
			assert_int_equal(strncmp(text,
						 interpreter.version >= 0x30b
							 ? "py::Wärter.wait.<locals>.inner\npy::Wärter.wait\n"
							 : "py::inner\npy::wait\n",
						 interpreter.version >= 0x30b ? 40 : 18),
					 0);
		}
	}
	assert_true(first && second);
	end(&program);
	printf("read %s, version %u.%u\n", path, interpreter.version >> 8, interpreter.version & 255);
}

static void python_is_read(void **state)
{
	const char *more = getenv("SCOPE_TEST_PYTHONS");
	char *list_of = strdup(more ? more : ""), *next = list_of, *one;

	(void)state;
	read_python("/usr/bin/python3");
	while ((one = strsep(&next, ":")))
		if (*one)
			read_python(one);
	free(list_of);
}

static void deep_stacks_are_cut(void **state)
{
	static struct scope_interpreted_frames frames;
	struct scope_interpreted_thread thread[8];
	struct scope_interpreter interpreter;
	struct program program;

	(void)state;
	if (!begin(&program, "/usr/bin/python3", python_program, 700)) {
		end(&program);
		skip();
	}
	attach(&program);
	assert_int_equal(find(&program, &interpreter), SCOPE_INTERPRETER_FOUND);
	for (size_t i = scope_interpreter_threads(&memory, &interpreter, thread, 8); i-- > 0;) {
		if (thread[i].tid != (uint32_t)program.pid)
			continue;
		assert_int_equal(scope_interpreter_frames(&memory, &interpreter, thread[i].state, &frames),
				 SCOPE_INTERPRETER_READ);
		assert_int_equal(frames.count, SCOPE_INTERPRETED_FRAMES);
		assert_true(frames.cut);
	}
	end(&program);
}

/* A process that is stopped is read as any other; one that has ended cannot be read, and nothing waits for it. */
static void processes_stop_and_end(void **state)
{
	struct scope_interpreted_frames frames;
	struct scope_interpreted_thread thread[8];
	struct scope_interpreter interpreter;
	struct program program;
	char text[4096];

	(void)state;
	if (!begin(&program, "/usr/bin/python3", python_program, 3)) {
		end(&program);
		skip();
	}
	attach(&program);
	assert_int_equal(find(&program, &interpreter), SCOPE_INTERPRETER_FOUND);
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, thread, 8), 2);
	kill(program.pid, SIGSTOP);
	waitpid(program.pid, NULL, WUNTRACED);
	list(&interpreter, thread[0].state, text, sizeof(text));
	end(&program);
	scope_interpreter_memory_begin(&memory, 1000);
	assert_int_equal(scope_interpreter_frames(&memory, &interpreter, thread[0].state, &frames),
			 SCOPE_INTERPRETER_UNREADABLE);
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, thread, 8), 0);
}

static void php_is_read(void **state)
{
	struct scope_interpreted_thread thread[1];
	struct scope_interpreter interpreter;
	struct program program;
	char text[4096];

	(void)state;
	if (!begin(&program, "php", php_program, 0)) {
		end(&program);
		skip();
	}
	attach(&program);
	assert_int_equal(find(&program, &interpreter), SCOPE_INTERPRETER_FOUND);
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, thread, 1), 1);
	/* It says that it is ready just before it sleeps. */
	do
		list(&interpreter, thread[0].state, text, sizeof(text));
	while (strncmp(text, "php::sleep\n", 11) && !usleep(1000));
	assert_string_equal(text, "php::sleep\nphp::Shop\\Cart::wait\nphp::Shop\\outer\nphp::<main>\n");
	end(&program);
}

/* The threads of ruby_program: one sleeps in a fiber, and one in a block. */
static void check_rubys(const struct program *program, const struct scope_interpreter *interpreter,
			const struct scope_interpreted_thread *thread, size_t count)
{
	const bool classes = interpreter->version != 0x302;
	bool first = false, second = false;
	char text[4096];

	for (size_t i = 0; i < count; i++) {
		const uint32_t tid = thread[i].tid ? thread[i].tid
						   : scope_interpreter_thread_of_handle(&memory, thread[i].handle,
											is_task, (void *)program);

		assert_true(is_task((void *)program, tid));
		assert_true(scope_interpreter_is_thread(&memory, interpreter, &thread[i]));
		list(interpreter, thread[i].state, text, sizeof(text));
		if (tid == (uint32_t)program->pid) {
			first = true;
			/* It says that it is ready just before it sleeps. */
			while (!strstr(text, "inner") && !usleep(1000))
				list(interpreter, thread[i].state, text, sizeof(text));
			/* Array#each is Ruby from 3.4 on. */
			for (char *each; (each = strstr(text, "rb::Array#each\n"));)
				memmove(each, each + 15, strlen(each + 15) + 1);
			assert_string_equal(text, classes ? "rb::Shop::Cart#inner\nrb::Shop::Cart#inner\n"
							    "rb::Shop::Cart#inner\nrb::Shop::Cart.wait\n"
							    "rb::Shop::Cart.wait\nrb::outer\n"
							  : "rb::inner\nrb::inner\nrb::inner\nrb::wait\nrb::wait\n"
							    "rb::outer\n");
		} else {
			second = true;
			assert_string_equal(text, "rb::own\nrb::block in <main> in line 19\n");
		}
	}
	assert_true(first && second);
}

static void read_ruby(const char *path)
{
	struct scope_interpreted_thread thread[8];
	struct scope_interpreter interpreter;
	struct program program;
	size_t count;

	if (!begin(&program, path, ruby_program, 0)) {
		end(&program);
		return;
	}
	attach(&program);
	assert_int_equal(find(&program, &interpreter), SCOPE_INTERPRETER_FOUND);
	assert_true(interpreter.version >= 0x207);
	count = scope_interpreter_threads(&memory, &interpreter, thread, 8);
	assert_int_equal(count, 2);
	check_rubys(&program, &interpreter, thread, count);
	end(&program);
	printf("read %s, version %u.%u\n", path, interpreter.version >> 8, interpreter.version & 255);
}

static void ruby_is_read(void **state)
{
	const char *more = getenv("SCOPE_TEST_RUBYS");
	char *list_of = strdup(more ? more : ""), *next = list_of, *one;

	(void)state;
	read_ruby("ruby");
	while ((one = strsep(&next, ":")))
		if (*one)
			read_ruby(one);
	free(list_of);
}

/* The text of the thread that sleeps in java_program; false: it does not yet. */
static bool find_sleeper(const struct scope_interpreter *interpreter, char *text, size_t size)
{
	struct scope_interpreted_frames frames;
	struct scope_interpreted_thread thread[64];
	size_t count;

	scope_interpreter_memory_begin(&memory, 10000);
	count = scope_interpreter_threads(&memory, interpreter, thread, 64);
	assert_true(count > 3);
	for (size_t i = 0; i < count; i++) {
		assert_true(scope_interpreter_is_thread(&memory, interpreter, &thread[i]));
		if (scope_interpreter_frames(&memory, interpreter, thread[i].state, &frames) != SCOPE_INTERPRETER_READ)
			continue;
		list(interpreter, thread[i].state, text, size);
		if (strstr(text, "Wait.main") && strstr(text, "Thread.sleep"))
			return true;
	}
	return false;
}

static void java_is_read(void **state)
{
	static const char frames[] = "long Wait.inner(int, java.lang.String[], double[][])\n"
				     "long Wait.inner(int, java.lang.String[], double[][])\n"
				     "void Wait.main(java.lang.String[])\n";
	struct scope_interpreter interpreter;
	struct program program;
	char text[65536];

	(void)state;
	if (!begin(&program, "java", java_program, 0)) {
		end(&program);
		skip();
	}
	attach(&program);
	assert_int_equal(find(&program, &interpreter), SCOPE_INTERPRETER_FOUND);
	/* It says that it is ready just before it sleeps. */
	while (!find_sleeper(&interpreter, text, sizeof(text)))
		usleep(1000);
	assert_non_null(strstr(text, frames));
	end(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(python_is_read),	  cmocka_unit_test(deep_stacks_are_cut),
		cmocka_unit_test(processes_stop_and_end), cmocka_unit_test(php_is_read),
		cmocka_unit_test(ruby_is_read),		  cmocka_unit_test(java_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
