// SPDX-License-Identifier: GPL-2.0-only
/* Progress counted in sub-buffers that this test makes, and requests recognized by calls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include <scope/ring.h>

#include "causal/requests.h"
#include "causal/tally.h"
#include "proc/proc.h"
#include "trace/event.h"

#define CPUS 2
#define BYTES 65536

/* Sub-buffers as a CPU would write them, one for each CPU at a time. */
struct maker {
	_Alignas(8) uint8_t bytes[CPUS][BYTES];
	uint64_t last_ns[CPUS], number[CPUS];
};

static struct maker maker;

static struct scope_subbuf *head(unsigned cpu)
{
	return (struct scope_subbuf *)maker.bytes[cpu];
}

static void open_subbufs(uint64_t begin_ns)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		*head(cpu) = (struct scope_subbuf){
			.magic = SCOPE_SUBBUF_MAGIC,
			.used_bytes = sizeof(struct scope_subbuf),
			.cpu = (uint16_t)cpu,
			.tid = 100 + cpu,
			.number = maker.number[cpu]++,
			.begin_ns = begin_ns,
			.end_ns = begin_ns,
		};
		maker.last_ns[cpu] = begin_ns;
	}
}

static void *append(unsigned cpu, uint64_t time_ns, uint32_t type, size_t bytes)
{
	struct scope_subbuf *subbuf = head(cpu);
	uint32_t *record = (uint32_t *)(maker.bytes[cpu] + subbuf->used_bytes);

	assert_true(time_ns >= maker.last_ns[cpu]);
	memset(record, 0, bytes);
	*record = scope_record_word(type, (uint32_t)(time_ns - maker.last_ns[cpu]));
	maker.last_ns[cpu] = subbuf->end_ns = time_ns;
	subbuf->used_bytes += (uint32_t)bytes;
	return record;
}

static void put_call(unsigned cpu, uint64_t time_ns, uint16_t nr, int32_t fd, int32_t ret)
{
	struct scope_record_syscall *record = append(cpu, time_ns, SCOPE_RECORD_SYSCALL, sizeof(*record) + 8);
	uint64_t *arg = (uint64_t *)(record + 1);

	record->nr = nr;
	record->abi_args = scope_abi_args(SCOPE_ABI_NATIVE, 1);
	record->duration_ns = 10;
	record->ret = ret;
	*arg = (uint64_t)fd;
}

static void put_probe(unsigned cpu, uint64_t time_ns, uint16_t id)
{
	struct scope_record_probe *record = append(cpu, time_ns, SCOPE_RECORD_PROBE, sizeof(*record));

	record->id = id;
}

static void put_delay(unsigned cpu, uint64_t time_ns, uint32_t asked_ns, uint32_t served_ns)
{
	struct scope_record_delay *record = append(cpu, time_ns, SCOPE_RECORD_DELAY, sizeof(*record));

	record->asked_ns = asked_ns;
	record->served_ns = served_ns;
}

static void settle(struct scope_tally *tally)
{
	/* The higher CPU first: order comes from the times alone. */
	for (unsigned cpu = CPUS; cpu-- > 0;)
		assert_int_equal(scope_causal_tally_take(tally, head(cpu)), 0);
	scope_causal_tally_settle(tally);
}

/* Visits before, in and after the window, on two CPUs; failed calls and other calls do not count. */
static void calls_in_a_window(void **state)
{
	const struct scope_point point = { .end = { .kind = SCOPE_POINT_SYSCALL, .nr = SYS_write } };
	struct scope_tally *tally;
	double in_flight;
	uint64_t visits;

	(void)state;
	assert_int_equal(scope_causal_tally_create(&point, &tally), 0);
	open_subbufs(1000);
	put_call(0, 1999, SYS_write, 1, 1);
	settle(tally);
	scope_causal_tally_begin(tally, 2000);
	open_subbufs(2000);
	put_call(0, 2000, SYS_write, 1, 1);
	put_call(0, 2100, SYS_write, 1, -11);
	put_call(0, 2200, SYS_read, 1, 1);
	put_call(1, 2150, SYS_write, 1, 1);
	put_call(1, 2999, SYS_write, 1, 0);
	put_call(1, 3000, SYS_write, 1, 1);
	scope_causal_tally_end(tally, 3000);
	settle(tally);
	scope_causal_tally_count(tally, &visits, &in_flight);
	assert_int_equal(visits, 3);
	assert_true(in_flight == 0);
	scope_causal_tally_destroy(tally);
}

/* Two begin at 2000 and 2400, one ends at 2600: 2 of them for 200 ns, else 1, over 1000 ns. */
static void pairs_of_functions(void **state)
{
	const struct scope_point point = {
		.pair = true,
		.begin = { .kind = SCOPE_POINT_FUNCTION },
		.end = { .kind = SCOPE_POINT_FUNCTION },
	};
	struct scope_tally *tally;
	double in_flight;
	uint64_t visits;

	(void)state;
	assert_int_equal(scope_causal_tally_create(&point, &tally), 0);
	open_subbufs(1000);
	/* An end without a begin was there before: none is in flight. */
	put_probe(0, 1500, SCOPE_TALLY_PROBE_END);
	put_probe(1, 1600, SCOPE_TALLY_PROBE_BEGIN);
	put_probe(1, 1700, SCOPE_TALLY_PROBE_END);
	settle(tally);
	scope_causal_tally_begin(tally, 2000);
	open_subbufs(2000);
	put_probe(0, 2000, SCOPE_TALLY_PROBE_BEGIN);
	put_probe(1, 2400, SCOPE_TALLY_PROBE_BEGIN);
	put_probe(0, 2600, SCOPE_TALLY_PROBE_END);
	put_delay(0, 2700, 1000, 1400);
	put_delay(1, 2700, 1000, 900);
	put_probe(0, 3500, SCOPE_TALLY_PROBE_END);
	scope_causal_tally_end(tally, 3000);
	settle(tally);
	scope_causal_tally_count(tally, &visits, &in_flight);
	assert_int_equal(visits, 1);
	assert_true(fabs(in_flight - 1.2) < 1e-9);
	assert_int_equal(scope_causal_tally_late(tally)->total, 2);
	assert_int_equal(scope_causal_tally_late(tally)->most, 400);
	/* The next window begins with the one that is left... and that ended at 3500. */
	scope_causal_tally_begin(tally, 4000);
	scope_causal_tally_end(tally, 5000);
	scope_causal_tally_settle(tally);
	scope_causal_tally_count(tally, &visits, &in_flight);
	assert_int_equal(visits, 0);
	assert_true(in_flight == 0);
	scope_causal_tally_destroy(tally);
}

/* Three begin before ends are watched; the end of one of them takes nothing from what begins later. */
static void pairs_watched_by_and_by(void **state)
{
	const struct scope_point point = {
		.pair = true,
		.begin = { .kind = SCOPE_POINT_FUNCTION },
		.end = { .kind = SCOPE_POINT_FUNCTION },
	};
	struct scope_tally *tally;
	double in_flight;
	uint64_t visits;

	(void)state;
	assert_int_equal(scope_causal_tally_create(&point, &tally), 0);
	open_subbufs(1000);
	put_probe(0, 1100, SCOPE_TALLY_PROBE_BEGIN);
	put_probe(0, 1200, SCOPE_TALLY_PROBE_BEGIN);
	put_probe(0, 1300, SCOPE_TALLY_PROBE_BEGIN);
	settle(tally);
	scope_causal_tally_forget(tally);
	scope_causal_tally_begin(tally, 2000);
	open_subbufs(2000);
	put_probe(0, 2100, SCOPE_TALLY_PROBE_END);
	put_probe(0, 2200, SCOPE_TALLY_PROBE_BEGIN);
	put_probe(0, 2700, SCOPE_TALLY_PROBE_END);
	scope_causal_tally_end(tally, 3000);
	settle(tally);
	scope_causal_tally_count(tally, &visits, &in_flight);
	assert_int_equal(visits, 2);
	assert_true(fabs(in_flight - 0.5) < 1e-9);
	scope_causal_tally_destroy(tally);
}

/* Threads 100 and 101, whose process is 0 until it is known: one reads, the other answers. */
static void requests_in_a_window(void **state)
{
	const struct scope_point point = { .pair = true };
	struct scope_trace_fd row = { .fd = 7, .kind = SCOPE_FD_ACCEPTED, .name = "" };
	const struct scope_proc_fds fds = { .fd = &row, .count = 1 };
	struct scope_tally *tally;
	double in_flight;
	uint64_t visits;

	(void)state;
	assert_int_equal(scope_causal_tally_create(&point, &tally), 0);
	assert_int_equal(scope_causal_tally_know(tally, 0, &fds), 0);
	scope_causal_tally_begin(tally, 1000);
	open_subbufs(1000);
	put_call(0, 1100, SYS_read, 7, 20);
	put_call(1, 1300, SYS_write, 7, 20);
	put_call(1, 1310, SYS_write, 7, 20); /* the rest of the same answer */
	put_call(0, 1400, SYS_write, 8, 20); /* no connection */
	put_call(0, 1500, SYS_accept4, 3, 8);
	put_call(0, 1600, SYS_read, 8, 20);
	put_call(0, 1700, SYS_write, 8, -11);
	put_call(0, 1800, SYS_write, 8, 20);
	put_call(0, 1900, SYS_read, 7, 0);
	scope_causal_tally_end(tally, 2000);
	settle(tally);
	scope_causal_tally_count(tally, &visits, &in_flight);
	assert_int_equal(visits, 2);
	assert_true(fabs(in_flight - 0.4) < 1e-9);
	scope_causal_tally_destroy(tally);
}

static enum scope_request_step step(struct scope_requests *requests, uint32_t tid, uint32_t tgid, uint8_t kind,
				    uint16_t nr, int32_t fd, int64_t ret)
{
	const struct scope_request_event event = {
		.tid = tid,
		.tgid = tgid,
		.kind = kind,
		.nr = nr,
		.fd = fd,
		.ret = ret,
	};

	return scope_causal_requests_take(requests, &event);
}

static void requests_of_two_processes(void **state)
{
	struct scope_requests *requests;
	uint8_t bits[SCOPE_SYSCALL_MAX / 8] = { 0 };

	(void)state;
	scope_causal_requests_calls(bits);
	assert_true(bits[SYS_read / 8] >> SYS_read % 8 & 1);
	assert_false(bits[SYS_futex / 8] >> SYS_futex % 8 & 1);
	assert_int_equal(scope_causal_requests_create(&requests), 0);
	/* The same number in two processes; a read that sleeps is two events. */
	step(requests, 11, 10, SCOPE_EVENT_STATE, 0, -1, 0);
	step(requests, 21, 20, SCOPE_EVENT_STATE, 0, -1, 0);
	step(requests, 11, 0, SCOPE_EVENT_SYSCALL, SYS_accept, 3, 5);
	step(requests, 11, 0, SCOPE_EVENT_ENTER, SYS_recvfrom, 5, 0);
	assert_int_equal(step(requests, 21, 0, SCOPE_EVENT_SYSCALL, SYS_recvfrom, 5, 9), SCOPE_REQUEST_NOTHING);
	assert_int_equal(step(requests, 11, 0, SCOPE_EVENT_EXIT, SYS_recvfrom, -1, 9), SCOPE_REQUEST_BEGUN);
	assert_int_equal(step(requests, 11, 0, SCOPE_EVENT_SYSCALL, SYS_recvfrom, 5, 9), SCOPE_REQUEST_NOTHING);
	assert_int_equal(step(requests, 21, 0, SCOPE_EVENT_SYSCALL, SYS_sendto, 5, 9), SCOPE_REQUEST_NOTHING);
	assert_int_equal(step(requests, 12, 10, SCOPE_EVENT_FORK, 0, -1, 0), SCOPE_REQUEST_NOTHING);
	assert_int_equal(step(requests, 12, 0, SCOPE_EVENT_SYSCALL, SYS_sendto, 5, 9), SCOPE_REQUEST_ENDED);
	step(requests, 11, 0, SCOPE_EVENT_SYSCALL, SYS_read, 5, 9);
	assert_int_equal(step(requests, 11, 0, SCOPE_EVENT_SYSCALL, SYS_close, 5, 0), SCOPE_REQUEST_GIVEN_UP);
	/* What is opened under its number then is none. */
	assert_int_equal(step(requests, 11, 0, SCOPE_EVENT_SYSCALL, SYS_read, 5, 9), SCOPE_REQUEST_NOTHING);
	scope_causal_requests_destroy(requests);
}

static void many_connections(void **state)
{
	struct scope_requests *requests;

	(void)state;
	assert_int_equal(scope_causal_requests_create(&requests), 0);
	for (int32_t fd = 0; fd < 20000; fd++)
		assert_int_equal(scope_causal_requests_know(requests, 1, fd), 0);
	step(requests, 1, 1, SCOPE_EVENT_STATE, 0, -1, 0);
	for (int32_t fd = 0; fd < 20000; fd++)
		assert_int_equal(step(requests, 1, 0, SCOPE_EVENT_SYSCALL, SYS_read, fd, 1), SCOPE_REQUEST_BEGUN);
	scope_causal_requests_destroy(requests);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_in_a_window),	cmocka_unit_test(pairs_of_functions),
		cmocka_unit_test(requests_in_a_window), cmocka_unit_test(requests_of_two_processes),
		cmocka_unit_test(many_connections),	cmocka_unit_test(pairs_watched_by_and_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
