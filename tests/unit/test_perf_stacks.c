// SPDX-License-Identifier: GPL-2.0-only
/* Which stacks of perf are used: those of calls that slept for a long time, and samples. */
#include "perf_session.h"

/* The stack of a call that slept for long follows its return; others leave none. */
static void stacks_of_calls(void **state)
{
	const size_t registers = (size_t)__builtin_popcountll(scope_perf_register_mask());
	struct session *session = begin(SCOPE_STACK_COPY);
	struct scope_capture_counts counts;
	char text[4096];

	(void)state;
	PUT(0, sample_enter, 100, 100, 1000, SYS_read, 7);
	PUT(0, sample_block, 100, 100, 1100, registers, 64, 8);
	PUT(0, sample_switch, 100, 100, 0, 1, 1100);
	PUT(0, sample_switch, 0, 0, 100, 0, 2000000);
	PUT(0, sample_exit, 100, 100, 2000100, SYS_read, 1);
	/* Too short. */
	PUT(0, sample_enter, 100, 100, 2000200, SYS_read, 7);
	PUT(0, sample_block, 100, 100, 2000300, registers, 64, 8);
	PUT(0, sample_switch, 100, 100, 0, 1, 2000300);
	PUT(0, sample_switch, 0, 0, 100, 0, 2000400);
	PUT(0, sample_exit, 100, 100, 2000500, SYS_read, 1);
	/* An idle wait: its stack is not wanted. */
	PUT(0, sample_enter, 100, 100, 2000600, SYS_epoll_pwait, 7);
	PUT(0, sample_block, 100, 100, 2000700, registers, 64, 8);
	PUT(0, sample_switch, 100, 100, 0, 1, 2000700);
	PUT(0, sample_switch, 0, 0, 100, 0, 9000000);
	PUT(0, sample_exit, 100, 100, 9000100, SYS_epoll_pwait, 1);
	/* Long, but its stack was thinned out: counted. The one before is of another call. */
	PUT(0, sample_enter, 100, 100, 9000200, SYS_read, 7);
	PUT(0, sample_switch, 100, 100, 0, 1, 9000300);
	PUT(0, sample_switch, 0, 0, 100, 0, 9900000);
	PUT(0, sample_exit, 100, 100, 9900100, SYS_read, 1);
	scope_perf_pack_count(session->pack, &counts);
	assert_int_equal(counts.stacks, 1);
	assert_int_equal(counts.stacks_absent, 1);
	snprintf(text, sizeof(text),
		 "1100 0 enter 100 read enter=1000 args=7\n"
		 "1100 0 switch 100 0 sleeping\n"
		 "2000000 0 switch 0 100 runnable\n"
		 "2000100 0 exit 100 read ret=1\n"
		 "2000100 0 stack 100 regs=");
	for (size_t i = 0; i < registers; i++) {
		const struct scope_perf_held *held = scope_perf_tasks_find(session->tasks, 100)->held;

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s0x%llx", i ? "," : "",
			 (unsigned long long)held->reg[i]);
	}
	strcat(text, " data=abababababababab\n"
		     "2000300 0 enter 100 read enter=2000200 args=7\n"
		     "2000300 0 switch 100 0 sleeping\n"
		     "2000400 0 switch 0 100 runnable\n"
		     "2000500 0 exit 100 read ret=1\n"
		     "2000700 0 enter 100 epoll_pwait enter=2000600 args=7\n"
		     "2000700 0 switch 100 0 sleeping\n"
		     "9000000 0 switch 0 100 runnable\n"
		     "9000100 0 exit 100 epoll_pwait ret=1\n"
		     "9000300 0 enter 100 read enter=9000200 args=7\n"
		     "9000300 0 switch 100 0 sleeping\n"
		     "9900000 0 switch 0 100 runnable\n"
		     "9900100 0 exit 100 read ret=1\n");
	expect(session, 9900200, text);
}

/* Where every call is to have a stack, it comes with the entry, and follows the return. */
static void stacks_of_all_calls(void **state)
{
	const size_t registers = (size_t)__builtin_popcountll(scope_perf_register_mask());
	struct session *session = begin(SCOPE_STACK_COPY);
	const uint64_t raw[8] = { 0, SYS_getppid };
	struct scope_capture_counts counts;

	(void)state;
	session->options.stack_min_ns = 0;
	session->layout.stack[SCOPE_PERF_ENTER] = SCOPE_STACK_COPY;
	for (uint64_t time_ns = 1000; time_ns < 4000; time_ns += 1000) {
		sample_begin(&session->bytes, SCOPE_PERF_ENTER, 100, 100, time_ns);
		sample_raw(&session->bytes, raw, sizeof(raw));
		/* The second one has none: its memory was out. */
		sample_stack(&session->bytes, time_ns == 2000 ? 0 : registers, time_ns == 2000 ? 0 : 64, 8);
		bytes_end(&session->bytes);
		put(session, 0);
		/* The third call sleeps. */
		if (time_ns == 3000) {
			PUT(0, sample_switch, 100, 100, 0, 1, 3100);
			PUT(0, sample_switch, 0, 0, 100, 0, 3200);
		}
		PUT(0, sample_exit, 100, 100, time_ns + 500, SYS_getppid, 1);
	}
	scope_perf_pack_count(session->pack, &counts);
	assert_int_equal(counts.stacks, 2);
	assert_int_equal(counts.stacks_absent, 1);
	free(trace_text(session, 4000,
			"1500 0 syscall 100 getppid enter=1000 ret=1\n"
			"1500 0 stack 100 regs="));
}

/* Where in the kernel a sample hit is recorded as an offset from the base, where it hit the program not at all. */
static void samples_in_the_kernel(void **state)
{
	const size_t registers = (size_t)__builtin_popcountll(scope_perf_register_mask());
	struct session *session = begin(SCOPE_STACK_COPY);
	char *text;

	(void)state;
	session->layout.kernel_ips = true;
	session->options.kernel_base = 0x10000000;
	for (uint64_t time_ns = 1000; time_ns < 4000; time_ns += 1000) {
		sample_begin(&session->bytes, SCOPE_PERF_SAMPLE, 100, 100, time_ns);
		sample_stack(&session->bytes, registers, 64, 16);
		/* Of the second one it is not known. */
		bytes_u64(&session->bytes, time_ns == 2000 ? 0 : PERF_SAMPLE_REGS_ABI_64);
		if (time_ns != 2000)
			bytes_u64(&session->bytes, 0xffffffff91000020);
		if (time_ns < 3000)
			((struct perf_event_header *)session->bytes.data)->misc = PERF_RECORD_MISC_KERNEL;
		bytes_end(&session->bytes);
		put(session, 0);
	}
	text = trace_text(session, 4000, "1000 0 sample 100 regs=");
	assert_non_null(strstr(text, " data=abababababababababababababababab kernel_ip=0xffffffff81000020 kernel\n"
				     "2000 0 sample"));
	assert_non_null(strstr(text, " data=abababababababababababababababab kernel\n3000 0 sample"));
	assert_non_null(strstr(text, " data=abababababababababababababababab\n"));
	free(text);
}

/* Perf does not say what a sample cost: each is said to have cost what was measured before. */
static void cost_of_samples(void **state)
{
	struct session *session = begin(SCOPE_STACK_CHAIN);

	(void)state;
	PUT(0, sample_switch, 0, 0, 100, 0, 1000);
	PUT(0, sample_running, 100, 100, 1100, 0x4000);
	scope_perf_pack_sample_cost(session->pack, 15000);
	PUT(0, sample_running, 100, 100, 30000, 0x5000);
	expect(session, 40000,
	       "1000 0 switch 0 100 runnable\n"
	       "1100 0 sample 100 0x4000\n"
	       "30000 0 sample 100 0x5000 cost=15000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_of_calls),
		cmocka_unit_test(stacks_of_all_calls),
		cmocka_unit_test(samples_in_the_kernel),
		cmocka_unit_test(cost_of_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
