// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time in requests is separate from time between them, for each class, and the time of slow requests from that of all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/detect.h"
#include "units_of.h"
#include "waits/work_time.h"

#define REQUESTS 400
#define SLOW_EVERY 40
#define RUN_NS 100000
#define LOCK_NS 200000
#define SLOW_NS 5000000
#define IDLE_NS 1000000

static FILE *out;
static uint64_t now_ns;

static void sleeps(const char *call, const char *args, const char *from, int ret, uint64_t ns)
{
	fprintf(out, "%llu 0 enter 10 %s enter=%llu args=%s\n", (unsigned long long)now_ns, call,
		(unsigned long long)now_ns, args);
	fprintf(out, "%llu 0 switch 10 0 sleeping\n", (unsigned long long)now_ns);
	now_ns += ns;
	fprintf(out, "%llu 0 waking 10 from %s\n", (unsigned long long)now_ns, from);
	fprintf(out, "%llu 0 switch 0 10 sleeping\n", (unsigned long long)now_ns);
	fprintf(out, "%llu 0 exit 10 %s ret=%d\n", (unsigned long long)now_ns, call, ret);
}

static void calls(const char *call, const char *args, int ret)
{
	fprintf(out, "%llu 0 syscall 10 %s enter=%llu ret=%d args=%s\n", (unsigned long long)now_ns, call,
		(unsigned long long)now_ns, ret, args);
}

/* One thread: it waits for a request, computes, waits for a lock, in each 40th request for long, and answers. */
static void write_trace(void)
{
	fputs("meta begin_ns 0\nmeta end_ns 2000000000\nfd 10 7 accepted -\n", out);
	fputs("0 1 switch 0 11 sleeping\n0 0 switch 0 10 sleeping\n", out);
	calls("futex", "0x7000,0x81,1", 0);
	for (unsigned i = 0; i < REQUESTS; i++) {
		sleeps("recvfrom", "7", "- softirq", 64, IDLE_NS);
		now_ns += RUN_NS;
		sleeps("futex", "0x7000,0x80,2", "11 task", 0, i % SLOW_EVERY == 7 ? SLOW_NS : LOCK_NS + i % 7 * 1000);
		calls("sendto", "7", 64);
		now_ns += 1000;
	}
	sleeps("recvfrom", "7", "- softirq", 0, 2000000000 - now_ns);
}

static bool is_near(double value, double expected)
{
	return value > 0.98 * expected && value < 1.02 * expected;
}

static void requests_and_slow_ones(void **state)
{
	const double slow = REQUESTS / SLOW_EVERY;
	struct scope_detection *detection;
	struct scope_work_times *times;
	const struct scope_work_time *work;
	size_t bytes;
	char *text;
	struct run run;

	(void)state;
	out = open_memstream(&text, &bytes);
	write_trace();
	fclose(out);
	run = run_of(text);
	assert_int_equal(
		scope_anomaly_detect_run(run.groups, run.distributions, &scope_anomaly_detect_defaults, &detection), 0);
	assert_int_equal(scope_waits_work_times_create(run.distributions, run.groups, detection, &times), 0);
	work = &times->all[run.groups->of_thread[thread_of(run.units, 10)->index]];
	assert_in_range(work->units, REQUESTS - 1, REQUESTS + 1);
	assert_true(
		is_near(work->blocked_ns[SCOPE_WAIT_FUTEX], (REQUESTS - slow) * (LOCK_NS + 3000.0) + slow * SLOW_NS));
	assert_true(is_near(work->run_ns, REQUESTS * (RUN_NS + 1000.0)));
	/* All that it waits for its client is idle. */
	assert_true(work->blocked_ns[SCOPE_WAIT_NETWORK] < 0.01 * REQUESTS * IDLE_NS);
	work = &times->slow[work - times->all];
	assert_int_equal(work->units, (uint64_t)slow);
	assert_true(is_near(work->blocked_ns[SCOPE_WAIT_FUTEX], slow * SLOW_NS));
	assert_true(is_near(work->wall_ns, slow * (SLOW_NS + RUN_NS + 1000.0)));
	scope_waits_work_times_destroy(times);
	scope_anomaly_detection_destroy(detection);
	end_run(&run);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_and_slow_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
