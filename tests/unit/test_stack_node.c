// SPDX-License-Identifier: GPL-2.0-only
/* Stacks become paths of program functions, for any depth of recursion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/stack_node.h"

#define FUNCTIONS 200
#define AT(function) (0x1000 + 0x100 * (uint64_t)(function))

/* Functions f0, f1, … of a program, and at the end of them one of a library. */
static struct scope_trace_symbol rows[FUNCTIONS];
static char names[FUNCTIONS][8];

static struct scope_evidence evidence;
static struct scope_stack_nodes stack_nodes = { .evidence = &evidence };

static int setup(void **state)
{
	(void)state;
	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(names[i], sizeof(names[i]), "f%d", i);
		rows[i] = (struct scope_trace_symbol){
			0, AT(i), 0x100, names[i], i == FUNCTIONS - 1 ? "libc.so.6" : "app", i == FUNCTIONS - 1
		};
	}
	evidence = (struct scope_evidence){ 0 };
	return scope_evidence_tree_init(&evidence.tree) ||
	       scope_symbols_create(NULL, 0, rows, FUNCTIONS, NULL, &stack_nodes.symbols);
}

static int teardown(void **state)
{
	(void)state;
	scope_symbols_destroy(stack_nodes.symbols);
	scope_evidence_tree_free(&evidence.tree);
	free(evidence.frames);
	return 0;
}

/* The functions of a chain, innermost first, and what path they make, outermost first. */
static void expect(const int *function, unsigned count, const char *want, unsigned flags)
{
	uint64_t *ip = calloc(count, sizeof(*ip));
	struct scope_stack_node stack_node;
	char path[1024] = "", step[1024];

	for (unsigned i = 0; i < count; i++)
		ip[i] = AT(function[i]) + 0x10 + i % 0x80;
	assert_int_equal(
		scope_evidence_stack_node_of_frames(&stack_nodes, 1, ip, count, SCOPE_FRAMES_COMPLETE, &stack_node), 0);
	for (uint32_t node = stack_node.node; node; node = evidence.tree.node[node].parent) {
		snprintf(step, sizeof(step), "%s %s", evidence.tree.node[node].function->name, path);
		strcpy(path, step);
	}
	assert_string_equal(path, want);
	if (stack_node.node) {
		const uint64_t *frames = &evidence.frames[stack_node.frames];

		assert_int_equal((uint32_t)frames[0], 1);
		assert_int_equal(frames[0] >> 32 & UINT16_MAX, flags);
		assert_int_equal(frames[1], evidence.tree.node[stack_node.node].depth);
	} else {
		assert_int_equal(stack_node.frames, 0);
	}
	free(ip);
}

static void test_paths(void **state)
{
	int deep[1000], wide[FUNCTIONS - 1];

	(void)state;
	expect((int[]){ 2, 1, 0 }, 3, "f0 f1 f2 ", SCOPE_FRAMES_COMPLETE);
	/* Libraries are left out at any place; alone they are no path. */
	expect((int[]){ FUNCTIONS - 1, 2, FUNCTIONS - 1, 0 }, 4, "f0 f2 ", SCOPE_FRAMES_COMPLETE);
	expect((int[]){ FUNCTIONS - 1 }, 1, "", 0);
	assert_int_equal(evidence.nameless, 1);
	/* A function that calls itself, directly or not, is there once, at its first place. */
	expect((int[]){ 3, 1, 1, 1, 0 }, 5, "f0 f1 f3 ", SCOPE_FRAMES_COMPLETE);
	expect((int[]){ 3, 1, 2, 1, 0 }, 5, "f0 f1 f3 ", SCOPE_FRAMES_COMPLETE);
	for (int i = 0; i < 1000; i++)
		deep[i] = i == 999 ? 0 : i ? 1 + i % 2 : 5;
	expect(deep, 1000, "f0 f1 f2 f5 ", SCOPE_FRAMES_COMPLETE);
	/* One function more than a path holds: the innermost 64, marked. */
	for (int i = 0; i < FUNCTIONS - 1; i++)
		wide[i] = i;
	for (int i = 0; i < 2; i++) {
		char want[1024] = "";

		for (int k = 64; k-- > 0;)
			sprintf(want + strlen(want), "f%d ", k);
		expect(wide, i ? 64 : 65, want, SCOPE_FRAMES_COMPLETE | (i ? 0 : SCOPE_UNWIND_CUT));
	}
}

/* The path of a stack whose innermost code was made at run time and is called by a file at that path, below a function of the program. */
static void expect_made(const char *caller, const char *want)
{
	const struct scope_trace_map map[] = {
		{ .tgid = 1, .start = 0x400000, .end = 0x401000, .executable = true, .path = "/srv/app", .build_id = "" },
		{ .tgid = 1, .start = 0x500000, .end = 0x501000, .executable = true, .path = caller, .build_id = "" },
		{ .tgid = 1, .start = 0x600000, .end = 0x601000, .executable = true, .path = "", .build_id = "" },
	};
	const uint64_t ip[] = { 0x600010, 0x500010, 0x400010 };
	struct scope_stack_node stack_node;

	scope_symbols_destroy(stack_nodes.symbols);
	assert_int_equal(scope_symbols_create(map, 3, NULL, 0, NULL, &stack_nodes.symbols), 0);
	assert_int_equal(
		scope_evidence_stack_node_of_frames(&stack_nodes, 1, ip, 3, SCOPE_FRAMES_COMPLETE, &stack_node), 0);
	assert_string_equal(evidence.tree.node[stack_node.node].function->module, want);
}

/* What a library compiles, as PCRE2 does, is the library's; what a language's runtime compiles is the program's. */
static void test_made(void **state)
{
	(void)state;
	expect_made("/usr/lib/x86_64-linux-gnu/libpcre2-8.so.0", "app");
	expect_made("/usr/lib/jvm/java-17/lib/server/libjvm.so", "[anonymous]");
	expect_made("/srv/libown.so", "[anonymous]");
}

/* Tasks and threads of Rust begin in library functions, into which the compiler may have put the program's. */
static void test_begun_by_library(void **state)
{
#define HASH "17h05af221e174051e9E"
	enum { SERVE, READ, POLL, RUN, BEGIN, ALL };
	static const char *const named[ALL] = {
		"_ZN4shop5serve" HASH,
		"_ZN3std2fs4read" HASH,
		"_ZN5tokio7runtime4task3raw4poll" HASH,
		"_ZN5tokio7runtime9scheduler6worker3run" HASH,
		"_ZN3std3sys9backtrace28__rust_begin_short_backtrace" HASH,
	};
	static const char poll[] = "tokio::runtime::task::raw::poll ",
			  begin[] = "std::sys::backtrace::__rust_begin_short_backtrace ";
	char want[128];

	(void)state;
	for (int i = 0; i < ALL; i++)
		rows[i] = (struct scope_trace_symbol){ 0, AT(i), 0x100, named[i], "app", false };
	scope_symbols_destroy(stack_nodes.symbols);
	assert_int_equal(scope_symbols_create(NULL, 0, rows, FUNCTIONS, NULL, &stack_nodes.symbols), 0);
	snprintf(want, sizeof(want), "%sshop::serve ", poll);
	expect((int[]){ READ, SERVE, POLL, RUN, BEGIN }, 5, want, SCOPE_FRAMES_COMPLETE);
	snprintf(want, sizeof(want), "%sshop::serve ", begin);
	expect((int[]){ READ, SERVE, BEGIN }, 3, want, SCOPE_FRAMES_COMPLETE);
	/* Inlined there. */
	expect((int[]){ READ, POLL, RUN, BEGIN }, 4, poll, SCOPE_FRAMES_COMPLETE);
	expect((int[]){ READ, BEGIN }, 2, begin, SCOPE_FRAMES_COMPLETE);
	/* A thread that looks for a task. */
	expect((int[]){ READ, RUN, BEGIN }, 3, "", 0);
}

/* Which functions of the program a library called, and not what that called itself. */
static void test_called(void **state)
{
	enum { OUTER, INNER, SORT, ALL };
	static const char *const named[ALL] = { "outer", "inner", "_ZN3std4sort4sort17h05af221e174051e9E" };
	const uint64_t by_sort[] = { AT(INNER) + 1, AT(SORT) + 1, AT(OUTER) + 1 },
		       sorts[] = { AT(SORT) + 1, AT(INNER) + 1, AT(OUTER) + 1 },
		       again[] = { AT(INNER) + 1, AT(SORT) + 1, AT(INNER) + 1, AT(OUTER) + 1 };
	const struct {
		const uint64_t *ip;
		unsigned count, called;
	} stacks[] = { { by_sort, 3, 1 }, { sorts, 3, 0 }, { again, 4, 0 } };
	struct scope_stack_node stack_node;

	(void)state;
	for (int i = 0; i < ALL; i++)
		rows[i] = (struct scope_trace_symbol){ 0, AT(i), 0x100, named[i], "app", false };
	scope_symbols_destroy(stack_nodes.symbols);
	assert_int_equal(scope_symbols_create(NULL, 0, rows, FUNCTIONS, NULL, &stack_nodes.symbols), 0);
	for (size_t i = 0; i < sizeof(stacks) / sizeof(*stacks); i++) {
		assert_int_equal(scope_evidence_stack_node_of_frames(&stack_nodes, 1, stacks[i].ip, stacks[i].count,
								     SCOPE_FRAMES_COMPLETE, &stack_node),
				 0);
		assert_int_equal(evidence.frames[stack_node.frames] >> (32 + SCOPE_FRAMES_CALLED), stacks[i].called);
	}
}

/* Threads of Go's runtime with nothing to run; a goroutine of the program keeps one from being that. */
static void test_idle(void **state)
{
	static const char *const named[] = { "main.handler", "runtime.stopm", "runtime.futex", "runtime.mstart" };
	const uint64_t parked[] = { AT(2) + 1, AT(1) + 1, AT(3) + 1 }, woken[] = { AT(2) + 1, AT(3) + 1 },
		       handler[] = { AT(2) + 1, AT(1) + 1, AT(0) + 1 };
	struct scope_stack_node stack_node;

	for (int i = 0; i < 4; i++)
		rows[i] = (struct scope_trace_symbol){ 0, AT(i), 0x100, named[i], "app", false };
	scope_symbols_destroy(stack_nodes.symbols);
	assert_int_equal(scope_symbols_create(NULL, 0, rows, 4, NULL, &stack_nodes.symbols), 0);
	(void)state;
	assert_int_equal(
		scope_evidence_stack_node_of_frames(&stack_nodes, 1, parked, 3, SCOPE_FRAMES_COMPLETE, &stack_node), 0);
	assert_int_equal(stack_node.node, SCOPE_TREE_ROOT);
	assert_true(stack_node.idle);
	assert_int_equal(
		scope_evidence_stack_node_of_frames(&stack_nodes, 1, woken, 2, SCOPE_FRAMES_COMPLETE, &stack_node), 0);
	assert_false(stack_node.idle);
	assert_int_equal(evidence.nameless, 2);
	assert_int_equal(evidence.language, 2);
	assert_int_equal(scope_evidence_stack_node_of_frames(&stack_nodes, 1, handler, 3, SCOPE_FRAMES_COMPLETE,
							     &stack_node),
			 0);
	assert_int_not_equal(stack_node.node, SCOPE_TREE_ROOT);
	assert_string_equal(stack_node.below->name, "runtime.stopm");
	assert_false(stack_node.idle);
	assert_int_equal(evidence.nameless, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_paths, setup, teardown),
		cmocka_unit_test_setup_teardown(test_made, setup, teardown),
		cmocka_unit_test_setup_teardown(test_begun_by_library, setup, teardown),
		cmocka_unit_test_setup_teardown(test_called, setup, teardown),
		cmocka_unit_test_setup_teardown(test_idle, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
