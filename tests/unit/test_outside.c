// SPDX-License-Identifier: GPL-2.0-only
/* What the host did, by name: each cause with just as much as it takes, and with less. */
#include <stdio.h>

#include "rank/outside.h"
#include "trace_fixture.h"

#define WINDOW_NS 1e9

static struct scope_trace *trace;
static struct scope_waits waits;
static struct scope_outside outside;

static int setup(void **state)
{
	(void)state;
	trace = NULL;
	waits = (struct scope_waits){ .window_ns = WINDOW_NS, .queue_ns = 1e9 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scope_trace_close(trace);
	scope_waits_takers_free(&waits.takers);
	return 0;
}

/* With these metadata: key, value, …, NULL. */
static void find(const char *const *meta)
{
	struct fixture fixture = fixture_begin();

	for (; meta[0]; meta += 2)
		assert_int_equal(scope_trace_writer_meta(fixture.writer, meta[0], meta[1]), 0);
	scope_trace_close(trace);
	trace = fixture_open(&fixture);
	scope_rank_outside_find(trace, &waits, &outside);
}

static bool is_throttled(unsigned throttled, double ns)
{
	char value[160];

	snprintf(value, sizeof(value), "0 1000000000 3000 100000 10 %u %.0f /a b", throttled, ns);
	find((const char *const[]){ SCOPE_META_CPU_LIMIT, value, NULL });
	return scope_rank_outside_of(&outside, SCOPE_OUTSIDE_THROTTLED);
}

static void says(const char *text)
{
	char said[320];

	assert_int_equal(outside.count, 1);
	scope_rank_outside_say(outside.cause, said, sizeof(said));
	if (!strstr(said, text))
		fail_msg("\"%s\" does not say \"%s\"", said, text);
}

/* A fifth of the time that threads waited, in three periods. */
static void a_limit_that_is_met_is_a_cause(void **state)
{
	(void)state;
	assert_true(is_throttled(3, 2e8));
	says("in 3 of 10 periods, 200 ms in 1.0 s, by the limit of 3 ms of CPU time per 100 ms of control group /a b.");
	assert_false(is_throttled(2, 2e8));
	assert_false(is_throttled(3, 1.99e8));
	waits.queue_own_ns = 5e8;
	assert_true(is_throttled(3, 1e8));
	waits.queue_own_ns = 1e9;
	assert_false(is_throttled(3, 1e9));
}

/* Ten threads that wait at once are no longer kept off than one. */
static void many_threads_wait_for_one_window(void **state)
{
	(void)state;
	waits.queue_ns = 10e9;
	assert_true(is_throttled(10, 2e8));
	assert_false(is_throttled(10, 1.99e8));
}

static void take(uint32_t tid, double ns)
{
	assert_int_equal(scope_waits_takers_add(&waits.takers, tid, ns), 0);
}

/* Three tenths of the time waited; threads of one name are one. */
static void a_thread_that_takes_the_cpu_is_named(void **state)
{
	static const char *const names[] = { "task.7", "7 backup", "task.8", "80 cc1", "task_group.8",
					     "/build", "task.9",   "90 cc1", NULL };

	(void)state;
	take(7, 1.2e8);
	take(8, 1e8);
	take(9, 0.79e8);
	find(names);
	assert_int_equal(outside.count, 0);
	take(9, 0.01e8);
	scope_waits_takers_sort(&waits.takers);
	find(names);
	says("30 % of the time in which threads waited for one it was taken by other processes, 60 % of it by cc1 "
	     "(pid 80, control group /build).");
	find((const char *const[]){ NULL });
	says("ended before their names could be read");
}

/* What runs while a limit keeps a thread off is not what keeps it off. */
static void a_limit_comes_before_processes_that_run_then(void **state)
{
	(void)state;
	take(7, 1e9);
	assert_true(is_throttled(10, 8e8));
	assert_int_equal(outside.count, 1);
	assert_true(is_throttled(10, 6e8));
	assert_int_equal(outside.count, 2);
}

static void find_host(const char *value)
{
	find((const char *const[]){ SCOPE_META_HOST_CPU, value, NULL });
}

/* Of what CPUs were wanted for a tenth; of what they did two fifths, and a tenth of a CPU. */
static void hypervisors_and_interrupts_are_causes(void **state)
{
	(void)state;
	find_host("0 1000000000 900000000 0 0 100000000");
	says("Stolen by the hypervisor: 10 % of the time");
	find_host("0 1000000000 900000001 0 0 100000000");
	assert_int_equal(outside.count, 0);
	find_host("0 1000000000 500000000 100000000 100000000 0");
	says("Interrupts: 40 % of the time in which CPUs were busy, 200 ms in 1.0 s.");
	find_host("0 1000000000 500000001 100000000 100000000 0");
	assert_int_equal(outside.count, 0);
	/* A tenth of a CPU, and less. */
	find_host("0 1000000000 100000000 0 100000000 0");
	says("Interrupts: 100 % of the time in which CPUs were busy, 100 ms in 1.0 s.");
	find_host("0 1000000000 99000000 0 99000000 0");
	assert_int_equal(outside.count, 0);
}

static bool is_slow(double share, uint64_t requests, double queue_ns, double device_ns)
{
	waits.work_ns = 2e9;
	waits.disk_ns = share * waits.work_ns;
	waits.device = (struct scope_device){
		.dev = 8u << SCOPE_BLOCK_MINOR_BITS | 17,
		.requests = requests,
		.queue_ns = queue_ns * (double)requests,
		.device_ns = device_ns * (double)requests,
	};
	find((const char *const[]){ NULL });
	return scope_rank_outside_of(&outside, SCOPE_OUTSIDE_DEVICE);
}

/* Three tenths of the work asleep for it, twenty requests, 20 ms each, in the queue or on the device. */
static void a_slow_device_is_a_cause(void **state)
{
	(void)state;
	assert_true(is_slow(0.3, 20, 5e6, 15e6));
	says("30 % of the time with work to do was spent asleep for a disk. 20 requests to block device 8:17 took 15 ms each on "
	     "it, after 5 ms in its queue.");
	assert_false(is_slow(0.29, 20, 5e6, 15e6));
	assert_false(is_slow(0.3, 19, 5e6, 15e6));
	assert_false(is_slow(0.3, 20, 5e6, 14.9e6));
	assert_false(is_slow(0.9, 0, 0, 0));
}

static void what_makes_no_sense_is_nothing(void **state)
{
	(void)state;
	find((const char *const[]){ SCOPE_META_CPU_LIMIT, "0 1000000000 3000 x", SCOPE_META_HOST_CPU, "5 5 1 1 1 1",
				    "task.7", "", NULL });
	assert_int_equal(outside.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_limit_that_is_met_is_a_cause, setup, teardown),
		cmocka_unit_test_setup_teardown(many_threads_wait_for_one_window, setup, teardown),
		cmocka_unit_test_setup_teardown(a_thread_that_takes_the_cpu_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(a_limit_comes_before_processes_that_run_then, setup, teardown),
		cmocka_unit_test_setup_teardown(hypervisors_and_interrupts_are_causes, setup, teardown),
		cmocka_unit_test_setup_teardown(a_slow_device_is_a_cause, setup, teardown),
		cmocka_unit_test_setup_teardown(what_makes_no_sense_is_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
