// SPDX-License-Identifier: GPL-2.0-only
/* Records become the right events of the right thread, in order of time. */
#include "trace/decode.h"
#include "trace_fixture.h"

static struct scope_trace *trace_of(const struct filled *filled, size_t count)
{
	struct fixture fixture = fixture_begin();

	for (size_t i = 0; i < count; i++)
		assert_int_equal(scope_trace_writer_subbuf(fixture.writer, &filled[i].head), 0);
	return fixture_open(&fixture);
}

static void test_thread_context(void **state)
{
	struct scope_record_switch change = {
		.word = scope_record_word(SCOPE_RECORD_SWITCH, 5),
		.bits = 200 | SCOPE_SWITCH_NEXT_TRACED | SCOPE_SWITCH_PREV_TRACED |
			SCOPE_STATE_DISK << SCOPE_SWITCH_STATE_SHIFT | SCOPE_SWITCH_IOWAIT,
	};
	struct scope_record_thread thread = {
		.word = scope_record_word(SCOPE_RECORD_THREAD, 5),
		.tid = 300,
	};
	struct scope_record_exec exec = {
		.word = scope_record_word(SCOPE_RECORD_EXEC, 5),
		.tid = 400,
		.old_tid = 300,
		.tgid = 400,
		.comm = "new",
	};
	struct filled filled = filled_begin(3, 0, 1000, 100);
	struct scope_trace *trace;
	struct scope_event event;

	(void)state;
	filled_syscall(&filled, 5, 1);
	filled_add(&filled, &change, sizeof(change));
	filled_syscall(&filled, 5, 2);
	filled_add(&filled, &thread, sizeof(thread));
	filled_syscall(&filled, 5, 3);
	filled_add(&filled, &exec, sizeof(exec));
	filled_syscall(&filled, 5, 4);
	trace = trace_of(&filled, 1);

	event = next_event(trace);
	assert_int_equal(event.tid, 100);
	assert_int_equal(event.time_ns, 1005);
	assert_int_equal(event.syscall.enter_ns, 995);
	event = next_event(trace);
	assert_int_equal(event.kind, SCOPE_EVENT_SWITCH);
	assert_int_equal(event.tid, 100);
	assert_int_equal(event.sched.prev_tid, 100);
	assert_int_equal(event.sched.next_tid, 200);
	assert_int_equal(event.sched.prev_state, SCOPE_STATE_DISK);
	assert_true(event.sched.iowait);
	assert_false(event.sched.preempted);
	assert_int_equal(next_event(trace).tid, 200);
	event = next_event(trace);
	assert_int_equal(event.tid, 300);
	assert_int_equal(event.time_ns, 1025);
	event = next_event(trace);
	assert_int_equal(event.tid, 400);
	assert_string_equal(event.exec.comm, "new");
	assert_int_equal(next_event(trace).tid, 400);
	no_more_events(trace);
	assert_string_equal(scope_trace_damage(trace), "");
	scope_trace_close(trace);
}

static void test_untraced_side_of_switch(void **state)
{
	struct scope_record_switch away = {
		.word = scope_record_word(SCOPE_RECORD_SWITCH, 0),
		.bits = 200 | SCOPE_SWITCH_PREV_TRACED,
	};
	struct filled filled = filled_begin(0, 0, 0, 100);
	struct scope_trace *trace;
	struct scope_event event;

	(void)state;
	filled_add(&filled, &away, sizeof(away));
	filled_syscall(&filled, 0, 1);
	trace = trace_of(&filled, 1);
	event = next_event(trace);
	assert_int_equal(event.sched.prev_tid, 100);
	assert_int_equal(event.sched.next_tid, 0);
	assert_int_equal(next_event(trace).tid, 0);
	scope_trace_close(trace);
}

/* A switch may be among what was lost: what follows must not go to the thread from before. */
static void test_thread_after_loss(void **state)
{
	struct filled filled[2] = { filled_begin(0, 0, 100, 7), filled_begin(0, 1, 200, 9) };
	struct scope_trace *trace;
	struct scope_event event;

	(void)state;
	filled_syscall(&filled[0], 1, 1);
	filled[1].head.lost = 12;
	filled_syscall(&filled[1], 1, 2);
	trace = trace_of(filled, 2);
	assert_int_equal(next_event(trace).tid, 7);
	event = next_event(trace);
	assert_int_equal(event.kind, SCOPE_EVENT_LOST);
	assert_int_equal(event.lost.count, 12);
	assert_int_equal(event.time_ns, 200);
	assert_int_equal(event.tid, 0);
	assert_int_equal(next_event(trace).tid, 9);
	no_more_events(trace);
	scope_trace_close(trace);
}

static void test_gap_in_numbers_is_a_loss(void **state)
{
	struct filled filled[3] = { filled_begin(0, 0, 100, 7), filled_begin(0, 1, 200, 9),
				    filled_begin(0, 3, 300, 9) };
	struct scope_trace *trace;
	struct scope_event event;

	(void)state;
	for (int i = 0; i < 3; i++)
		filled_syscall(&filled[i], 1, i);
	trace = trace_of(filled, 3);
	assert_int_equal(next_event(trace).syscall.nr, 0);
	assert_int_equal(next_event(trace).syscall.nr, 1);
	event = next_event(trace);
	assert_int_equal(event.kind, SCOPE_EVENT_LOST);
	assert_int_equal(event.lost.count, 0);
	assert_int_equal(next_event(trace).syscall.nr, 2);
	scope_trace_close(trace);
}

static void test_time_record_bridges(void **state)
{
	struct scope_record_time time = {
		.word = scope_record_word(SCOPE_RECORD_TIME, 0),
		.time_ns = 5000000000,
	};
	struct scope_record_time back = {
		.word = scope_record_word(SCOPE_RECORD_TIME, 0),
		.time_ns = 17,
	};
	struct filled filled = filled_begin(0, 0, 1000, 100);
	struct scope_trace *trace;

	(void)state;
	filled_syscall(&filled, SCOPE_DELTA_MAX, 1);
	filled_add(&filled, &time, sizeof(time));
	filled_syscall(&filled, 0, 2);
	filled_syscall(&filled, 3, 3);
	filled_add(&filled, &back, sizeof(back));
	filled_syscall(&filled, 0, 4);
	trace = trace_of(&filled, 1);
	assert_int_equal(next_event(trace).time_ns, 1000 + SCOPE_DELTA_MAX);
	assert_int_equal(next_event(trace).time_ns, 5000000000);
	assert_int_equal(next_event(trace).time_ns, 5000000003);
	assert_int_equal(next_event(trace).time_ns, 5000000003); /* never back */
	no_more_events(trace);
	scope_trace_close(trace);
}

static void test_stack_after_state_is_of_its_thread(void **state)
{
	struct scope_record_state thread = {
		.word = scope_record_word(SCOPE_RECORD_STATE, 0),
		.tid = 55,
		.tgid = 50,
		.nr = SCOPE_NR_NONE,
		.comm = "stuck",
	};
	struct {
		struct scope_record_chain head;
		uint64_t ip[2];
	} chain = { { .word = scope_record_word(SCOPE_RECORD_CHAIN, 0), .count = 2 }, { 16, 32 } };
	struct filled filled = filled_begin(0, 0, 1000, 100);
	struct scope_trace *trace;
	struct scope_event event;

	(void)state;
	filled_add(&filled, &thread, sizeof(thread));
	filled_add(&filled, &chain, sizeof(chain));
	filled_add(&filled, &chain, sizeof(chain));
	chain.head.reason = SCOPE_STACK_SAMPLE;
	filled_add(&filled, &thread, sizeof(thread));
	filled_add(&filled, &chain, sizeof(chain));
	trace = trace_of(&filled, 1);
	event = next_event(trace);
	assert_int_equal(event.tid, 55);
	assert_string_equal(event.state.record->comm, "stuck");
	event = next_event(trace);
	assert_int_equal(event.tid, 55);
	assert_int_equal(event.stack.ips, 2);
	assert_int_equal(event.stack.ip[1], 32);
	assert_null(event.stack.reg);
	assert_int_equal(next_event(trace).tid, 100);
	assert_int_equal(next_event(trace).tid, 55);
	assert_int_equal(next_event(trace).tid, 100); /* a sample is of the thread that ran */
	scope_trace_close(trace);
}

static void test_wakings(void **state)
{
	struct scope_record_waking task = {
		.word = scope_record_word(SCOPE_RECORD_WAKING, 0),
		.bits = 9,
	};
	struct scope_record_waking irq = {
		.word = scope_record_word(SCOPE_RECORD_WAKING, 0),
		.bits = 9 | SCOPE_CONTEXT_HARDIRQ << SCOPE_WAKING_CONTEXT_SHIFT,
	};
	struct scope_record_waking_from from = {
		.word = scope_record_word(SCOPE_RECORD_WAKING_FROM, 0),
		.bits = 9,
		.waker_tid = 1234,
		.waker_tgid = 1230,
	};
	struct filled filled = filled_begin(0, 0, 1000, 100);
	struct scope_trace *trace;
	struct scope_event event;

	(void)state;
	filled_add(&filled, &task, sizeof(task));
	filled_add(&filled, &irq, sizeof(irq));
	filled_add(&filled, &from, sizeof(from));
	trace = trace_of(&filled, 1);
	event = next_event(trace);
	assert_int_equal(event.tid, 9);
	assert_int_equal(event.waking.waker_tid, 100);
	assert_int_equal(event.waking.waker_tgid, 0);
	event = next_event(trace);
	assert_int_equal(event.waking.waker_tid, 0);
	assert_int_equal(event.waking.context, SCOPE_CONTEXT_HARDIRQ);
	event = next_event(trace);
	assert_int_equal(event.waking.waker_tid, 1234);
	assert_int_equal(event.waking.waker_tgid, 1230);
	scope_trace_close(trace);
}

/* Each of these would lead out of the sub-buffer, or beyond what anyone expects. */
static void test_bad_records_end_their_subbuf(void **state)
{
	struct scope_record_syscall many = {
		.word = scope_record_word(SCOPE_RECORD_SYSCALL, 0),
		.abi_args = scope_abi_args(0, 7),
	};
	struct scope_record_syscall cut = {
		.word = scope_record_word(SCOPE_RECORD_SYSCALL, 0),
		.abi_args = scope_abi_args(0, 6),
	};
	struct scope_record_chain chain = {
		.word = scope_record_word(SCOPE_RECORD_CHAIN, 0),
		.count = 60000,
	};
	struct scope_record_stack stack = {
		.word = scope_record_word(SCOPE_RECORD_STACK, 0),
		.bytes = 0xfffffff9,
	};
	struct scope_record_thread unknown = { .word = scope_record_word(31, 0) };
	struct scope_record_thread none = { .word = 0 };
	struct scope_record_thread half = { .word = scope_record_word(SCOPE_RECORD_STATE, 0) };
	struct scope_record_time late = {
		.word = scope_record_word(SCOPE_RECORD_TIME, 0),
		.time_ns = UINT64_MAX,
	};
	struct scope_record_fork endless = {
		.word = scope_record_word(SCOPE_RECORD_FORK, 0),
		.comm = "0123456789abcdef",
	};
	const struct {
		const void *record;
		size_t bytes;
	} bad[] = {
		{ &many, sizeof(many) },   { &cut, sizeof(cut) },	  { &chain, sizeof(chain) },
		{ &stack, sizeof(stack) }, { &unknown, sizeof(unknown) }, { &none, sizeof(none) },
		{ &half, sizeof(half) },   { &late, sizeof(late) },	  { &endless, sizeof(endless) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct filled filled[2] = { filled_begin(0, 0, 100, 7), filled_begin(0, 1, 200, 9) };
		struct scope_trace *trace;

		filled_syscall(&filled[0], 1, 1);
		filled_add(&filled[0], bad[i].record, bad[i].bytes);
		filled_syscall(&filled[1], 1, 2);
		trace = trace_of(filled, 2);
		assert_int_equal(next_event(trace).syscall.nr, 1);
		assert_int_equal(next_event(trace).kind, SCOPE_EVENT_LOST);
		assert_int_equal(next_event(trace).syscall.nr, 2);
		no_more_events(trace);
		assert_non_null(strstr(scope_trace_damage(trace), "1 sub-buffer could not be"));
		scope_trace_close(trace);
	}
}

/* A bad record's time lets other CPUs run on; what its own CPU has next must not come before them. */
static void test_order_holds_over_bad_records(void **state)
{
	struct scope_record_thread unknown = { .word = scope_record_word(31, 100000) };
	struct filled filled[3] = { filled_begin(0, 0, 100, 7), filled_begin(0, 1, 200, 7),
				    filled_begin(1, 0, 50000, 8) };
	struct scope_trace *trace;
	struct scope_event event;
	uint64_t last_ns = 0;

	(void)state;
	filled_add(&filled[0], &unknown, sizeof(unknown));
	filled_syscall(&filled[1], 1, 2);
	filled_syscall(&filled[2], 1, 2);
	trace = trace_of(filled, 3);
	while (scope_trace_next(trace, &event) == 1) {
		assert_true(event.time_ns >= last_ns);
		last_ns = event.time_ns;
	}
	assert_int_equal(last_ns, 100101);
	scope_trace_close(trace);
}

/* What is left when short calls are passed is what all events have that are none. */
static void test_short_calls_are_skipped(void **state)
{
	enum { BELOW = 15 };
	struct scope_decoder all = { 0 }, some = { 0 };
	struct filled filled = filled_begin(0, 0, 100, 7);
	struct scope_record_exit exit = { .word = scope_record_word(SCOPE_RECORD_EXIT, 3), .nr = 9 };
	struct scope_record_time time = { .word = scope_record_word(SCOPE_RECORD_TIME, 0) };
	struct scope_event event, expected;
	size_t left = 0;

	(void)state;
	srand(1);
	for (int i = 0; i < 100; i++) {
		struct scope_record_syscall call = {
			.word = scope_record_word(SCOPE_RECORD_SYSCALL, rand() % 50),
			.nr = i,
			.duration_ns = rand() % 20,
			.abi_args = scope_abi_args(0, rand() % 3),
		};
		const uint64_t args[2] = { 1, 2 };

		filled_add(&filled, &call, sizeof(call));
		filled_add(&filled, args, (call.abi_args >> 4) * sizeof(*args));
		time.time_ns = 10000 * i;
		if (i % 7 == 0)
			filled_add(&filled, &exit, sizeof(exit));
		if (i % 11 == 0)
			filled_add(&filled, &time, sizeof(time));
	}
	assert_int_equal(scope_trace_decoder_begin(&all, &filled.head, filled.head.used_bytes), 0);
	assert_int_equal(scope_trace_decoder_begin(&some, &filled.head, filled.head.used_bytes), 0);
	while (scope_trace_decoder_peek(&all) && !scope_trace_decoder_take(&all, &expected)) {
		if (expected.kind == SCOPE_EVENT_SYSCALL && expected.time_ns - expected.syscall.enter_ns < BELOW)
			continue;
		do {
			scope_trace_decoder_skip_calls(&some, BELOW);
			assert_true(scope_trace_decoder_peek(&some));
			assert_int_equal(scope_trace_decoder_take(&some, &event), 0);
			/* The first one after a TIME is not passed. */
		} while (event.kind == SCOPE_EVENT_SYSCALL && event.time_ns - event.syscall.enter_ns < BELOW);
		assert_int_equal(event.kind, expected.kind);
		assert_int_equal(event.time_ns, expected.time_ns);
		assert_int_equal(event.syscall.nr, expected.syscall.nr);
		left++;
	}
	scope_trace_decoder_skip_calls(&some, BELOW);
	assert_false(scope_trace_decoder_peek(&some));
	assert_in_range(left, 20, 80);
}

/* Many CPUs with interleaved times, ties among them: the lower CPU first. */
static void test_merge_by_time(void **state)
{
	enum { CPUS = 37, EACH = 60 };
	struct fixture fixture = fixture_begin();
	struct scope_trace *trace;
	uint64_t last_ns = 0;
	uint32_t last_cpu = 0;

	(void)state;
	srand(1);
	for (int cpu = CPUS - 1; cpu >= 0; cpu--) {
		for (int part = 0; part < 3; part++) {
			struct filled filled = filled_begin(cpu, part, part * 1000, cpu + 1);

			for (int i = 0; i < EACH / 3; i++)
				filled_syscall(&filled, rand() % 50, cpu);
			assert_int_equal(scope_trace_writer_subbuf(fixture.writer, &filled.head), 0);
		}
	}
	trace = fixture_open(&fixture);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < CPUS * EACH; i++) {
			struct scope_event event = next_event(trace);

			assert_int_equal(event.tid, event.cpu + 1);
			assert_true(i == 0 || last_ns < event.time_ns ||
				    (last_ns == event.time_ns && last_cpu <= event.cpu));
			last_ns = event.time_ns;
			last_cpu = event.cpu;
		}
		no_more_events(trace);
		assert_int_equal(scope_trace_rewind(trace), 0);
	}
	scope_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_context),
		cmocka_unit_test(test_untraced_side_of_switch),
		cmocka_unit_test(test_thread_after_loss),
		cmocka_unit_test(test_gap_in_numbers_is_a_loss),
		cmocka_unit_test(test_time_record_bridges),
		cmocka_unit_test(test_stack_after_state_is_of_its_thread),
		cmocka_unit_test(test_wakings),
		cmocka_unit_test(test_bad_records_end_their_subbuf),
		cmocka_unit_test(test_order_holds_over_bad_records),
		cmocka_unit_test(test_short_calls_are_skipped),
		cmocka_unit_test(test_merge_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
