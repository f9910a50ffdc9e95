// SPDX-License-Identifier: GPL-2.0-only
/* Further data of requests: the edges in which samples were taken, and the calls of probed functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "units_of.h"
#include "variance/edge_pass.h"
#include "variance/extras.h"

#define BEGIN                                                                                                          \
	"meta begin_ns 0\nmeta end_ns 100000000\nfd 100 7 accepted -\nfd 100 9 file -\n"                               \
	"10 0 state 100 tgid=100 state=runnable since=0 run=0 comm=w on_cpu\n20 0 switch 0 100 sleeping\n"

/* Of the first or the latest request. A probe before the first one is not kept. */
struct seen {
	unsigned units;
	bool first;
	uint32_t stacks, edge[8];
	struct scope_unit_span span;
};

static int see(void *user, const struct scope_unit *unit, const struct scope_unit_edges *edges,
	       const struct scope_unit_edge_stack *stack, uint32_t stacks, const struct scope_unit_extras *extras)
{
	struct seen *seen = user;

	(void)unit, (void)edges;
	if (seen->units++ && seen->first)
		return 0;
	seen->stacks = stacks;
	for (uint32_t i = 0; i < stacks && i < 8; i++)
		seen->edge[i] = stack[i].edge;
	seen->span = extras->span[0];
	return 0;
}

static struct seen pass(const char *events, const struct scope_edge_wanted *wanted, bool first)
{
	struct run run = run_of(events);
	struct seen seen = { .first = first };

	assert_int_equal(scope_variance_edge_pass(run.trace, run.groups, run.pickups, wanted, see, &seen), 0);
	end_run(&run);
	assert_true(seen.units >= 1);
	return seen;
}

/* A call in which the thread ran comes as it returns; a sample that was taken in it is the call's all the same. */
static void samples_in_a_call(void **state)
{
	static const uint32_t edge[] = { 0, 1, 1, 2, 3 };
	const struct seen seen = pass(BEGIN "2000 0 syscall 100 read enter=1000 ret=64 args=7\n"
					    "2500 0 sample 100 0x10\n"
					    "4000 0 sample 100 0x20\n"
					    "4500 0 sample 100 0x30\n"
					    "5000 0 syscall 100 read enter=3000 ret=9 args=9\n"
					    "5500 0 sample 100 0x40\n"
					    "6050 0 sample 100 0x50\n"
					    "6100 0 syscall 100 write enter=6000 ret=9 args=7\n"
					    "9000 0 syscall 100 read enter=8900 ret=64 args=7\n"
					    "9500 0 syscall 100 write enter=9400 ret=9 args=7\n",
				      NULL, true);

	(void)state;
	assert_int_equal(seen.stacks, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(seen.edge[i], edge[i]);
}

/* Requests served in turns of a loop: probe 1 is where a turn begins, 2 where it ends. */
#define TURN(enter, read, write, leave)                                                                                \
#enter " 0 probe 100 1 user\n" #read "000 0 syscall 100 read enter=" #read "000 ret=64 args=7\n" #write        \
	       "100 0 syscall 100 write enter=" #write "000 ret=9 args=7\n" #leave " 0 probe 100 2 user\n"

static const struct scope_span_probe probe[] = { { .id = 1 }, { .id = 2, .end = true } };

/* Most of the request is inside one call, which is no call that the request makes: such as a turn of an event loop. */
static void call_around_a_request(void **state)
{
	const struct scope_edge_wanted wanted = { .probe = probe, .probes = 2 };
	const struct seen seen =
		pass(BEGIN TURN(1000, 2, 3, 4000) TURN(5000, 6, 7, 8000) TURN(9000, 10, 11, 12000), &wanted, false);

	(void)state;
	assert_true(seen.span.around);
	assert_int_equal(seen.span.times, 0);
}

/* The call is still open when the request's end is known. */
static void open_call_around_a_request(void **state)
{
	const struct scope_edge_wanted wanted = { .probe = probe, .probes = 2 };
	const struct seen seen = pass(BEGIN "1000 0 probe 100 1 user\n"
					    "2000 0 syscall 100 read enter=1900 ret=64 args=7\n"
					    "3000 0 syscall 100 write enter=2900 ret=9 args=7\n"
					    "4000 0 syscall 100 read enter=3900 ret=64 args=7\n"
					    "5000 0 syscall 100 write enter=4900 ret=9 args=7\n"
					    "6000 0 syscall 100 read enter=5900 ret=64 args=7\n",
				      &wanted, true);

	(void)state;
	assert_true(seen.span.around);
}

/* A call within the request is one of its own. */
static void call_in_a_request(void **state)
{
	const struct scope_edge_wanted wanted = { .probe = probe, .probes = 2 };
	const struct seen seen = pass(BEGIN "2000 0 syscall 100 read enter=1900 ret=64 args=7\n"
					    "2100 0 probe 100 1 user\n"
					    "2600 0 probe 100 2 user\n"
					    "3000 0 syscall 100 write enter=2900 ret=9 args=7\n"
					    "4000 0 syscall 100 read enter=3900 ret=64 args=7\n"
					    "5000 0 syscall 100 write enter=4900 ret=9 args=7\n"
					    "6000 0 syscall 100 read enter=5900 ret=64 args=7\n",
				      &wanted, true);

	(void)state;
	assert_false(seen.span.around);
	assert_int_equal(seen.span.times, 1);
	assert_int_equal(seen.span.ns, 500);
	assert_int_equal(seen.span.before_ns, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_in_a_call),
		cmocka_unit_test(call_around_a_request),
		cmocka_unit_test(open_call_around_a_request),
		cmocka_unit_test(call_in_a_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
