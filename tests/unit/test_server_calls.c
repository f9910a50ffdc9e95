// SPDX-License-Identifier: GPL-2.0-only
/* The system calls of a stage by kind of descriptor: their number, failures and results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "server/calls.h"
#include "server/profile.h"
#include "units_of.h"

#define REQUESTS 12

/* A trace with REQUESTS requests: each is a poll, a read of the client that finds nothing, one of 100 + i bytes, … */
static char *requests(void)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fputs("meta begin_ns 0\nmeta end_ns 20000\nfd 10 3 listen -\nfd 10 5 epoll -\nfd 10 7 accepted -\nfd 10 8 file -\n"
	      "1 0 state 10 tgid=10 state=runnable since=0 run=0 comm=work on_cpu\n",
	      to);
	for (int i = 0; i < REQUESTS; i++) {
		const int at = 1000 * (i + 1);

		fprintf(to, "%d 0 syscall 10 epoll_pwait enter=%d ret=2 args=5\n", at, at - 50);
		fprintf(to, "%d 0 syscall 10 read enter=%d ret=-11 args=7\n", at + 100, at + 50);
		fprintf(to, "%d 0 syscall 10 read enter=%d ret=%d args=7\n", at + 200, at + 150, 100 + i);
		/* … the same call on a file, and the answer. */
		fprintf(to, "%d 0 syscall 10 read enter=%d ret=4096 args=8\n", at + 300, at + 250);
		fprintf(to, "%d 0 syscall 10 write enter=%d ret=%s args=7\n", at + 400, at + 350, i % 4 ? "64" : "-32");
		fprintf(to, "%d 0 syscall 10 getpid enter=%d ret=10\n", at + 500, at + 450);
	}
	assert_int_equal(fclose(to), 0);
	return text;
}

/* The calls of requests() in the part from from_ns on; 0: all. */
static struct scope_server_calls *calls_of(struct run *run, struct scope_server **ret_server, uint64_t from_ns)
{
	struct scope_server_calls *calls;

	assert_int_equal(scope_server_create(run->distributions, run->groups, run->pickups, run->trace, ret_server), 0);
	run->distributions->from_ns = from_ns;
	assert_int_equal(scope_server_calls_create(run->trace, *ret_server, run->distributions, &calls), 0);
	return calls;
}

static const struct scope_server_call *find(const struct scope_server_calls *calls, uint16_t nr,
					    enum scope_fd_kind kind)
{
	for (size_t i = 0; i < calls->count; i++)
		if (calls->call[i].nr == nr && calls->call[i].kind == kind)
			return &calls->call[i];
	fail();
	return NULL;
}

static void calls_are_counted_by_number_and_kind_of_descriptor(void **state)
{
	char *text = requests();
	struct run run = run_of(text);
	struct scope_server *server;
	struct scope_server_calls *calls = calls_of(&run, &server, 0);
	const struct scope_server_call *client = find(calls, SYS_read, SCOPE_FD_ACCEPTED);
	const struct scope_server_call *file = find(calls, SYS_read, SCOPE_FD_FILE);
	const struct scope_server_call *answer = find(calls, SYS_write, SCOPE_FD_ACCEPTED);

	(void)state;
	assert_int_equal(calls->count, 5);
	assert_int_equal(client->calls, 2 * REQUESTS);
	assert_int_equal(client->failed, REQUESTS);
	assert_int_equal(client->error[0].number, EAGAIN);
	assert_int_equal(client->error[0].calls, REQUESTS);
	assert_int_equal(client->error[1].calls, 0);
	assert_int_equal(client->returned.total, REQUESTS);
	assert_true(scope_values_quantile(&client->returned, 0) == 100);
	assert_true(scope_values_quantile(&client->returned, 1) == 100 + REQUESTS - 1);
	assert_int_equal(file->calls, REQUESTS);
	/* To the byte, as sizes that occur often are. */
	assert_true(scope_values_quantile(&file->returned, 0.5) == 4096);
	assert_int_equal(answer->failed, REQUESTS / 4);
	assert_int_equal(answer->error[0].number, EPIPE);
	assert_int_equal(find(calls, SYS_epoll_pwait, SCOPE_FD_EPOLL)->result, SCOPE_RESULT_EVENTS);
	/* Of a call that returns neither bytes nor events there is no distribution. */
	assert_int_equal(find(calls, SYS_getpid, SCOPE_FD_UNKNOWN)->returned.total, 0);
	/* Most calls first. */
	assert_ptr_equal(client, &calls->call[0]);
	scope_server_calls_destroy(calls);
	scope_server_destroy(server);
	end_run(&run);
	free(text);
}

/* A profile's pass counts the calls as well. */
static void the_pass_of_a_profile_counts_the_same(void **state)
{
	char *text = requests();
	struct run run = run_of(text);
	struct scope_server *server;
	struct scope_server_calls *calls = calls_of(&run, &server, 1000 * REQUESTS / 2), *heard;
	struct scope_server_counter *counter;
	struct scope_pass_listener listener;
	struct scope_profile *profile;

	(void)state;
	assert_int_equal(scope_server_calls_begin(server, run.distributions, &counter), 0);
	listener = scope_server_calls_listener(counter);
	assert_int_equal(scope_server_profile_create(run.trace, server, run.distributions, run.groups, run.pickups,
						     &listener, &profile),
			 0);
	heard = scope_server_calls_end(counter);
	assert_true(calls->count > 2);
	assert_int_equal(heard->count, calls->count);
	for (size_t i = 0; i < calls->count; i++) {
		assert_int_equal(heard->call[i].nr, calls->call[i].nr);
		assert_int_equal(heard->call[i].kind, calls->call[i].kind);
		assert_int_equal(heard->call[i].calls, calls->call[i].calls);
		assert_int_equal(heard->call[i].failed, calls->call[i].failed);
		assert_int_equal(heard->call[i].returned.total, calls->call[i].returned.total);
	}
	scope_server_profile_destroy(profile);
	scope_server_calls_destroy(heard);
	scope_server_calls_destroy(calls);
	scope_server_destroy(server);
	end_run(&run);
	free(text);
}

static void calls_before_the_window_are_not_counted(void **state)
{
	char *text = requests();
	struct run run = run_of(text);
	struct scope_server *server;
	/* The return of the last write. */
	struct scope_server_calls *calls = calls_of(&run, &server, 1000 * REQUESTS + 400);

	(void)state;
	assert_int_equal(calls->count, 2);
	assert_int_equal(find(calls, SYS_write, SCOPE_FD_ACCEPTED)->calls, 1);
	assert_int_equal(find(calls, SYS_getpid, SCOPE_FD_UNKNOWN)->calls, 1);
	scope_server_calls_destroy(calls);
	scope_server_destroy(server);
	end_run(&run);
	free(text);
}

/* Of a read the third argument is a size, of pread64 the fourth an offset, of sendto the fourth flags. */
static void arguments_are_counted_where_the_trace_has_them(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000\nfd 10 7 accepted -\nfd 10 8 file -\n"
				"1 0 state 10 tgid=10 state=runnable since=0 run=0 comm=work on_cpu\n"
				"1000 0 syscall 10 read enter=900 ret=10 args=7,4096,100\n"
				"1100 0 syscall 10 read enter=1050 ret=10 args=7\n"
				"1200 0 syscall 10 pread64 enter=1150 ret=5 args=8,4096,300,0\n"
				"1300 0 syscall 10 pread64 enter=1250 ret=5 args=8,4096,300,400\n"
				"1400 0 syscall 10 sendto enter=1350 ret=6 args=7,4096,6,16384\n"
				"1500 0 syscall 10 sendto enter=1450 ret=6 args=7,4096,6,16384\n"
				"1600 0 syscall 10 sendto enter=1550 ret=6 args=7,4096,6,0\n");
	struct scope_server *server;
	struct scope_server_calls *calls = calls_of(&run, &server, 0);
	const struct scope_server_call *read = find(calls, SYS_read, SCOPE_FD_ACCEPTED);
	const struct scope_server_call *pread = find(calls, SYS_pread64, SCOPE_FD_FILE);
	const struct scope_server_call *send = find(calls, SYS_sendto, SCOPE_FD_ACCEPTED);

	(void)state;
	assert_int_equal(read->calls, 2);
	assert_int_equal(read->asked.total, 1);
	assert_true(scope_values_quantile(&read->asked, 0.5) == 100);
	assert_int_equal(read->offset.total, 0);
	assert_int_equal(read->flagged, 0);
	assert_int_equal(pread->asked.total, 2);
	assert_int_equal(pread->offset.total, 2);
	assert_true(scope_values_quantile(&pread->offset, 0) == 0);
	assert_int_equal(scope_values_most(&pread->offset), 400);
	assert_int_equal(send->flagged, 3);
	assert_int_equal(send->flags[0].value, 16384);
	assert_int_equal(send->flags[0].calls, 2);
	assert_int_equal(send->flags[1].value, 0);
	assert_int_equal(send->flags[1].calls, 1);
	scope_server_calls_destroy(calls);
	scope_server_destroy(server);
	end_run(&run);
}

static void a_new_thread_made_no_call_by_being_made(void **state)
{
	struct run run = run_of("meta begin_ns 0\nmeta end_ns 9000\nfd 10 3 listen -\nfd 10 7 accepted -\n"
				"1 0 state 10 tgid=10 state=runnable since=0 run=0 comm=work on_cpu\n"
				"1000 0 fork 20 parent=10 tgid=10 comm=work\n"
				"1100 0 syscall 10 clone enter=900 ret=20\n"
				"1200 1 switch 0 20 sleeping\n"
				"1300 1 exit 20 clone ret=0\n");
	struct scope_server *server;
	struct scope_server_calls *calls = calls_of(&run, &server, 0);

	(void)state;
	assert_int_equal(calls->count, 1);
	assert_int_equal(calls->call[0].calls, 1);
	assert_int_equal(calls->call[0].failed, 0);
	scope_server_calls_destroy(calls);
	scope_server_destroy(server);
	end_run(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_counted_by_number_and_kind_of_descriptor),
		cmocka_unit_test(the_pass_of_a_profile_counts_the_same),
		cmocka_unit_test(calls_before_the_window_are_not_counted),
		cmocka_unit_test(arguments_are_counted_where_the_trace_has_them),
		cmocka_unit_test(a_new_thread_made_no_call_by_being_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
