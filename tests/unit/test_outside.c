// SPDX-License-Identifier: GPL-2.0-only
/* Effects of the host, by cause: each with just enough of it, and with too little. */
#include <stdio.h>
#include <sys/syscall.h>

#include "rank/outside.h"
#include "trace_fixture.h"

#define WINDOW_NS 1e9

static struct scope_trace *trace;
static struct scope_waits waits;
static struct scope_outside outside;
static struct scope_fd_times times;
static const char *fd_name[4]; /* of descriptors 0, 1, …; NULL: the trace has no row */

static int setup(void **state)
{
	(void)state;
	trace = NULL;
	waits = (struct scope_waits){ .window_ns = WINDOW_NS, .queue_ns = 1e9 };
	times = (struct scope_fd_times){ .pairs.most = 8, .slow_ns = 1e9 };
	memset(fd_name, 0, sizeof(fd_name));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scope_trace_close(trace);
	scope_waits_takers_free(&waits.takers);
	scope_waits_fd_times_free(&times);
	return 0;
}

/* With these metadata: key, value, …, NULL. */
static void find(const char *const *meta)
{
	struct fixture fixture = fixture_begin();
	struct scope_outside_source source = { .waits = &waits, .times = &times };
	struct scope_fds *fds;

	for (int i = 0; i < 4; i++) {
		const struct scope_trace_fd row = {
			100, i, fd_name[i] && fd_name[i][0] == '/' ? SCOPE_FD_FILE : SCOPE_FD_CONNECTED, fd_name[i]
		};

		if (row.name)
			assert_int_equal(scope_trace_writer_fd(fixture.writer, &row), 0);
	}
	for (; meta[0]; meta += 2)
		assert_int_equal(scope_trace_writer_meta(fixture.writer, meta[0], meta[1]), 0);
	scope_trace_close(trace);
	trace = fixture_open(&fixture);
	assert_int_equal(scope_timeline_fds_create(trace, &fds), 0);
	source.trace = trace;
	assert_int_equal(scope_waits_fd_names_create(trace, fds, &waits.names), 0);
	assert_int_equal(scope_rank_outside_find(&source, &outside), 0);
	scope_waits_fd_names_destroy(waits.names);
	scope_timeline_fds_destroy(fds);
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
	char said[SCOPE_OUTSIDE_SAID];

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
	says("in 3 of 10 periods, 200 ms in 1.0 s, by the limit of 3.0 ms of CPU time per 100 ms of control group /a b.");
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
	static const char *names[] = { "task.7", "7 backup", "task.8", "80 cc1", "task_group.8",
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
	says("other processes ran during 30 % of the waits for a CPU, cc1 (pid 80, control group /build) during 60 % of that.");
	names[5] = "/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef/decade";
	find(names);
	says("(pid 80, control group /docker/0123456789ab…/decade) during 60 % of that.");
	find((const char *const[]){ NULL });
	says("ended before their names could be read");
}

/* A tenth of the time with work to do went into waits for a CPU, or of the window if no thread is known to have work. */
static void short_waits_for_a_cpu_have_no_cause(void **state)
{
	static const char *names[] = { "task.7", "7 batch", NULL };

	(void)state;
	take(7, 1e9);
	waits.work_ns = 10e9;
	find(names);
	assert_int_equal(outside.count, 1);
	assert_true(is_throttled(3, 2e8));
	waits.work_ns = 10.01e9;
	find(names);
	assert_int_equal(outside.count, 0);
	assert_false(is_throttled(3, 2e8));
	waits.work_ns = 0;
	waits.queue_ns = 0.1 * WINDOW_NS;
	find(names);
	assert_int_equal(outside.count, 1);
	waits.queue_ns = 0.099 * WINDOW_NS;
	find(names);
	assert_int_equal(outside.count, 0);
}

/* A client ran often just before its server, but hardly at all: it is not what the server waited for. */
static void a_thread_that_hardly_ran_took_little(void **state)
{
	static const char *names[] = { "task.7",  "7 client",	"task_ran.7",  "20000000", "task.8",
				       "8 batch", "task_ran.8", "90000000000", NULL };

	(void)state;
	take(7, 2.2e8);
	take(8, 0.8e8);
	scope_waits_takers_sort(&waits.takers);
	find(names);
	says("other processes ran during 30 % of the waits for a CPU, batch (pid 8) during 80 % of that.");
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
	says("30 % of the time with work to do was spent asleep for a disk. 20 requests to block device 8:17 took 15.0 ms each on "
	     "it, after 5.0 ms in its queue.");
	assert_false(is_slow(0.29, 20, 5e6, 15e6));
	assert_false(is_slow(0.3, 19, 5e6, 15e6));
	assert_false(is_slow(0.3, 20, 5e6, 14.9e6));
	assert_false(is_slow(0.9, 0, 0, 0));
}

/* That number of requests waited for each_ns at that descriptor. */
static void wait_at(int32_t fd, uint8_t class, bool slow, uint64_t requests, uint64_t each_ns)
{
	const struct scope_wait wait = {
		.waker = SCOPE_WAIT_NO_THREAD,
		.nr = SYS_read,
		.class = class,
		.object = (uint64_t)fd,
		.wake_ns = each_ns,
	};
	struct scope_fd_waits unit = { .count = 0 };

	while (requests--) {
		assert_int_equal(scope_waits_fd_times_wait(&times, &unit, 100, &wait), 0);
		scope_waits_fd_times_unit(&times, &unit, true, slow);
	}
}

/* The device has its name and mount, and the file for which half of the time was spent. */
static void a_slow_device_is_named(void **state)
{
	(void)state;
	fd_name[0] = "/srv/log";
	wait_at(0, SCOPE_WAIT_DISK, false, 1, 500000000);
	waits.work_ns = waits.disk_ns = 1e9;
	waits.device = (struct scope_device){ 8u << SCOPE_BLOCK_MINOR_BITS, 20, 0, 20 * 20e6 };
	find((const char *const[]){ SCOPE_META_DEVICE "8:0", "sda, mounted at /", NULL });
	says("20 requests to block device 8:0 (sda, mounted at /) took 20.0 ms each on it, after 0 µs in its queue, most for "
	     "/srv/log.");
	waits.work_ns = waits.disk_ns = 1.01e9;
	find((const char *const[]){ NULL });
	says("20 requests to block device 8:0 took 20.0 ms each on it, after 0 µs in its queue.");
}

/*
 * Half of the time of slow requests, five of them, and two and a half times what five others wait. Connections of a pool are one
 * peer, and so is another descriptor that is not known.
 */
static void a_slow_peer_is_named(void **state)
{
	char remedy[160];

	(void)state;
	fd_name[1] = "socket:[7] to 10.0.0.5:5432";
	fd_name[2] = "socket:[8] to 10.0.0.5:5432";
	fd_name[3] = "socket:[9] to 127.0.0.1:6379 (pid 12 a) b)";
	wait_at(1, SCOPE_WAIT_NETWORK, true, 3, 100000000);
	wait_at(2, SCOPE_WAIT_NETWORK, true, 1, 100000000);
	wait_at(2, SCOPE_WAIT_NETWORK, false, 4, 40000000);
	find((const char *const[]){ NULL });
	assert_int_equal(outside.count, 0);
	assert_string_equal(outside.peer.at.peer.address, "10.0.0.5:5432");
	wait_at(1, SCOPE_WAIT_NETWORK, true, 1, 100000000);
	find((const char *const[]){ NULL });
	assert_int_equal(outside.count, 0);
	wait_at(2, SCOPE_WAIT_NETWORK, false, 1, 40000000);
	find((const char *const[]){ NULL });
	says("Slow peer: 50 % of the time of slow requests was spent waiting for 10.0.0.5:5432: 100 ms each instead of 40.0 ms.");
	wait_at(2, SCOPE_WAIT_NETWORK, false, 1, 41000000);
	find((const char *const[]){ NULL });
	assert_int_equal(outside.count, 0);
	scope_rank_outside_add_peer(&outside);
	assert_int_equal(outside.count, 1);
	/* It takes longer in all, and has a process. */
	wait_at(3, SCOPE_WAIT_NETWORK, false, 5, 1000000);
	wait_at(3, SCOPE_WAIT_NETWORK, true, 5, 110000000);
	find((const char *const[]){ NULL });
	says("waiting for 127.0.0.1:6379, which is a) b (pid 12): 110 ms each instead of 1.0 ms.");
	scope_rank_outside_remedy(outside.cause, remedy, sizeof(remedy));
	assert_non_null(strstr(remedy, "scope-report -p 12"));
	fd_name[3] = NULL;
	find((const char *const[]){ NULL });
	says("waiting for a peer whose address the capture did not find: 110 ms each");
}

static bool is_short(uint8_t kind, double ns)
{
	waits.work_ns = 2e9;
	memset(waits.stall_ns, 0, sizeof(waits.stall_ns));
	waits.stall_ns[kind] = ns;
	find((const char *const[]){ SCOPE_META_GROUP, "/small", NULL });
	return scope_rank_outside_of(&outside, SCOPE_OUTSIDE_MEMORY);
}

/* A fifth of the work, or of the window if there are no requests. */
static void a_lack_of_memory_is_a_cause(void **state)
{
	char remedy[160];

	(void)state;
	assert_true(is_short(SCOPE_STALL_GROUP, 4e8));
	says("Memory is short: 20 % of the time with work to do, 400 ms in 1.0 s, went into that, 100 % of it into making room for "
	     "the limit of control group /small.");
	scope_rank_outside_remedy(outside.cause, remedy, sizeof(remedy));
	assert_non_null(strstr(remedy, "memory.max"));
	assert_false(is_short(SCOPE_STALL_GROUP, 3.99e8));
	assert_true(is_short(SCOPE_STALL_RECLAIM, 1e9));
	says("50 % of the time with work to do, 1.0 s in 1.0 s, went into that, 100 % of it into making room because this machine");
	assert_true(is_short(SCOPE_STALL_COMPACT, 1e9));
	assert_true(is_short(SCOPE_STALL_PAGE, 1e9));
	waits.work_ns = 0;
	waits.stall_ns[SCOPE_STALL_PAGE] = 2e8;
	find((const char *const[]){ NULL });
	assert_true(scope_rank_outside_of(&outside, SCOPE_OUTSIDE_MEMORY));
	waits.stall_ns[SCOPE_STALL_PAGE] = 1.9e8;
	find((const char *const[]){ NULL });
	assert_int_equal(outside.count, 0);
}

/* Sums of a session are much longer than the trace of a flight recorder: rows have what belongs to its window. */
static void rows_have_what_is_in_the_window(void **state)
{
	static const char *const meta[] = {
		SCOPE_META_BEGIN,
		"50000000000",
		SCOPE_META_END,
		"52000000000",
		SCOPE_META_CPU_LIMIT,
		"0 52000000000 3000 100000 520 2 1000 /a",
		SCOPE_META_HOST_CPU,
		"0 52000000000 1000000000 0 0 900000000000",
		"host.0",
		"50000000000 busy=500 irq=0 softirq=0 steal=7 throttled=100 periods=5 periods_met=1",
		"host.1",
		"51000000000 busy=1000000500 irq=0 softirq=0 steal=7 throttled=250000100 periods=15 periods_met=9",
		NULL,
	};
	static const char *const late[] = {
		SCOPE_META_BEGIN,
		"50000000000",
		SCOPE_META_END,
		"52000000000",
		SCOPE_META_HOST_CPU,
		"0 52000000000 1000000000 0 0 900000000000",
		"host.0",
		"50000000000 busy=500 irq=0 softirq=0 steal=7",
		"host.1",
		"50900000000 busy=1000000500 irq=0 softirq=0 steal=7",
		NULL,
	};

	(void)state;
	find(meta);
	says("Throttled: in 8 of 10 periods, 250 ms in 1.0 s, by the limit of 3.0 ms of CPU time per 100 ms of control group /a.");
	/* Rows of less than half of the window are too few. */
	find(late);
	says("Stolen by the hypervisor");
}

static void find_pressure(const char *events, const char *group, const char *after)
{
	find((const char *const[]){ SCOPE_META_BEGIN, "0", SCOPE_META_END, "1000000000", SCOPE_META_EVENTS, events,
				    "host.0", "0 psi_memory=1000", "host.1", after,
				    group ? SCOPE_META_PRESSURE_OF : NULL, group, NULL });
}

/* A fifth of the window; of the target's group alone, and where no stalls were recorded. */
static void pressure_is_a_lack_of_memory(void **state)
{
	char remedy[160];

	(void)state;
	find_pressure("3", "/small", "1000000000 psi_memory=200001000");
	says("Memory is short: for 20 % of the time, 200 ms in 1.0 s, a thread of control group /small waited for it.");
	scope_rank_outside_remedy(outside.cause, remedy, sizeof(remedy));
	assert_non_null(strstr(remedy, "memory.max"));
	find_pressure("3", "/small", "1000000000 psi_memory=200000999");
	assert_int_equal(outside.count, 0);
	find_pressure("3", NULL, "1000000000 psi_memory=900001000");
	assert_int_equal(outside.count, 0);
	find_pressure("4294967295", "/small", "1000000000 psi_memory=900001000");
	assert_int_equal(outside.count, 0);
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
		cmocka_unit_test_setup_teardown(short_waits_for_a_cpu_have_no_cause, setup, teardown),
		cmocka_unit_test_setup_teardown(a_thread_that_hardly_ran_took_little, setup, teardown),
		cmocka_unit_test_setup_teardown(a_limit_comes_before_processes_that_run_then, setup, teardown),
		cmocka_unit_test_setup_teardown(hypervisors_and_interrupts_are_causes, setup, teardown),
		cmocka_unit_test_setup_teardown(a_slow_device_is_a_cause, setup, teardown),
		cmocka_unit_test_setup_teardown(a_slow_device_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(a_slow_peer_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(a_lack_of_memory_is_a_cause, setup, teardown),
		cmocka_unit_test_setup_teardown(rows_have_what_is_in_the_window, setup, teardown),
		cmocka_unit_test_setup_teardown(pressure_is_a_lack_of_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(what_makes_no_sense_is_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
