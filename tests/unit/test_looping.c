// SPDX-License-Identifier: GPL-2.0-only
/* The caller whose loop calls a function that has no loop: each condition at its boundary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "rank/looping.h"
#include "rank_case.h"
#include "trace_of.h"

#define TGID 10
#define AT(OFFSET) (0x400000 + (OFFSET))

#define FUNCTION(NAME)                                                                                                 \
	{                                                                                                              \
		.name = #NAME, .symbol = #NAME, .module = "server", .path = "/server"                                  \
	}

static const struct scope_function serve = FUNCTION(serve);
static const struct scope_function list = FUNCTION(list);
static const struct scope_function check = FUNCTION(check);
static const struct scope_function compare = FUNCTION(compare);
static const struct scope_function compiled = { .name = "f", .symbol = "f", .module = "[jit]", .path = "[jit]" };

/* The addresses that are in loops: one in each of serve and list, and the second of two in compare. */
static const char rows[] =
	"map 10 0x400000 0x410000 0x0 x /server -\nfile 0 read 0 1 1 /server - -\n"
	"code 0 0x1010 0x401000 0x100 serve 0 function named\ncode 0 0x2010 0x402000 0x100 list 0 function named\n"
	"code 0 0x3010 0x403000 0x100 check 0 function named\n"
	"code 0 0x4010 0x404000 0x100 compare 0 function named\n"
	"code 0 0x4020 0x404000 0x100 compare 0 function named\n"
	"meta loops 1\nmeta loops.0.0x401000 0x1010:3\nmeta loops.0.0x402000 0x2010:3\n"
	"meta loops.0.0x404000 0x4020:3\n";

#define IN_SERVE AT(0x1010)
#define IN_LIST AT(0x2010)
#define IN_CHECK AT(0x3010)
#define IN_COMPARE AT(0x4010)
#define IN_LOOP_OF_COMPARE AT(0x4020)

static struct rank_case *made;
static struct scope_trace *trace;
static struct scope_symbols *symbols;
static uint32_t at_serve, at_list, at_check, at_compare;
static uint64_t frames[4096];
static size_t words;

static int setup(void **state)
{
	const struct scope_function *path[] = { &serve, &list, &check, &compare };
	const struct scope_symbol_options options = { .root = "/nowhere" };
	size_t count;

	(void)state;
	made = case_create();
	at_serve = case_node(made, path, 1);
	at_list = case_node(made, path, 2);
	at_check = case_node(made, path, 3);
	at_compare = case_node(made, path, 4);
	trace = trace_of(rows);
	assert_int_equal(scope_symbols_create(scope_trace_maps(trace, &count), 1, NULL, 0, &options, &symbols), 0);
	assert_int_equal(scope_symbols_add_recorded(symbols, trace), 0);
	made->evidence.frames = frames;
	made->input.symbols = symbols;
	words = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scope_symbols_destroy(symbols);
	scope_trace_close(trace);
	made->evidence.frames = NULL;
	case_destroy(made);
	return 0;
}

/* Slow samples of compare at that address; called: bits of the functions that a library called. */
static void samples(int count, uint64_t address, uint64_t called)
{
	const uint64_t stack[] = { TGID | called << 48, 4, address, IN_CHECK, IN_LIST, IN_SERVE };

	memcpy(frames + words, stack, sizeof(stack));
	for (int i = 0; i < count; i++)
		case_item(made, (struct scope_item){ .node = at_compare,
						     .kind = SCOPE_ITEM_RUN,
						     .weight_ns = 1,
						     .excess_ns = 1,
						     .frames = (uint32_t)words,
						     .abnormal = true });
	words += sizeof(stack) / sizeof(*stack);
}

/* Slow samples of list itself. */
static void own_samples(int count)
{
	for (int i = 0; i < count; i++)
		case_item(made, (struct scope_item){
					.node = at_list, .kind = SCOPE_ITEM_RUN, .weight_ns = 1, .abnormal = true });
}

static uint32_t named(uint32_t from)
{
	uint32_t node;

	assert_int_equal(scope_rank_looping(&made->input, from, at_compare, &node), 0);
	return node;
}

static void code_without_a_loop_is_run_by_the_nearest_that_has_one(void **state)
{
	(void)state;
	samples(20, IN_COMPARE, 0);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_list);
	assert_int_equal(named(at_serve), at_list);
	/* Of which nothing is asked. */
	assert_int_equal(named(at_list), at_compare);
}

static void code_with_one_takes_long_itself(void **state)
{
	(void)state;
	own_samples(2);
	samples(90, IN_COMPARE, 0);
	samples(10, IN_LOOP_OF_COMPARE, 0);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_list);
	samples(1, IN_LOOP_OF_COMPARE, 0);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_compare);
}

/* Of a hundred samples one is in the loop's function. */
static void a_loop_of_short_calls_is_seen_itself(void **state)
{
	(void)state;
	samples(99, IN_COMPARE, 0);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_list);
	samples(1, IN_COMPARE, 0);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_compare);
	own_samples(1);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_list);
}

/* So does what it calls: a function of the program, or of a library, or the kernel. */
static void what_it_calls_takes_long_as_well(void **state)
{
	static const struct scope_function copy = { .name = "memcpy", .library = true };
	struct scope_item other = { .node = at_compare, .kind = SCOPE_ITEM_RUN, .excess_ns = 10, .abnormal = true };

	(void)state;
	other.frames = 1;
	other.below = &copy;
	own_samples(2);
	samples(90, IN_COMPARE, 0);
	case_item(made, other);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_list);
	other.excess_ns = 0.5;
	case_item(made, other);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_compare);
}

/* A library's loop may be that of qsort(), or that which serves. */
static void what_a_library_calls_stays(void **state)
{
	(void)state;
	own_samples(2);
	samples(90, IN_COMPARE, 0);
	samples(10, IN_COMPARE, 1);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_list);
	samples(1, IN_COMPARE, 1);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_compare);
}

/* The loop that serves calls what requests need over and over as well, which is no fault of it. */
static void the_loop_of_all_requests_is_not_named(void **state)
{
	struct scope_item usual = { .node = at_check, .kind = SCOPE_ITEM_RUN, .weight_ns = 1 };

	(void)state;
	samples(20, IN_COMPARE, 0);
	case_item(made, usual);
	usual.node = at_serve;
	case_item(made, usual);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_list);
	usual.node = at_list;
	case_item(made, usual);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_compare);
}

static void a_function_that_calls_itself_loops(void **state)
{
	(void)state;
	samples(20, IN_COMPARE, 0);
	made->evidence.tree.node[at_check].circle.function = &check;
	assert_int_equal(named(SCOPE_TREE_ROOT), at_check);
	made->evidence.tree.node[at_compare].circle.function = &compare;
	assert_int_equal(named(SCOPE_TREE_ROOT), at_compare);
}

static void without_a_loop_that_is_known_it_stays(void **state)
{
	const struct scope_function *path[] = { &serve, &compiled, &check, &compare };

	(void)state;
	at_compare = case_node(made, path, 4);
	samples(20, IN_COMPARE, 0);
	assert_int_equal(named(SCOPE_TREE_ROOT), at_compare);
	made->input.symbols = NULL;
	assert_int_equal(named(SCOPE_TREE_ROOT), at_compare);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(code_without_a_loop_is_run_by_the_nearest_that_has_one),
		TEST(code_with_one_takes_long_itself),
		TEST(a_loop_of_short_calls_is_seen_itself),
		TEST(what_it_calls_takes_long_as_well),
		TEST(what_a_library_calls_stays),
		TEST(the_loop_of_all_requests_is_not_named),
		TEST(a_function_that_calls_itself_loops),
		TEST(without_a_loop_that_is_known_it_stays),
	};

	return cmocka_run_group_tests_name("looping", tests, NULL, NULL);
}
