// SPDX-License-Identifier: GPL-2.0-only
/* Several sessions at the same time, sessions that are too small, and sessions whose owner is killed. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include "tests.h"

#define SLACK 100ull

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	(void)data, (void)cpu, (void)tid, (void)now_ns, (void)record, (void)bytes;
}

/*
 * Three sessions see the same work: one with room for all of it, one with next to none, and one
 * with as little that is read now and then. What each received and lost must be the same.
 */
void test_sessions(void)
{
	struct workload_plan plan = { .getppid = 20000, .nanosleep = 100, .futex_rounds = 500, .processes = 10 };
	struct client_config large = { .count = 1, .follow = true, .subbuf_count = 32 };
	struct client_config tiny = { .count = 1, .follow = true, .subbuf_bytes = 4096, .subbuf_count = 2 };
	struct client client[3];
	struct client_counts pages[3];
	struct workload workload;
	uint64_t sum[3];
	int i;

	workload_begin(&workload, &plan);
	large.pids[0] = tiny.pids[0] = workload.pid;
	for (i = 0; i < 3; i++)
		client_begin(&client[i], i ? &tiny : &large);
	workload_go(&workload);
	while (!workload_done(&workload)) {
		usleep(1000);
		client_drain(&client[2], on_record, NULL);
	}
	/* All threads are to rest, as they did at the starts. */
	usleep(300000);
	for (i = 0; i < 3; i++) {
		CHECK(!client_command(&client[i], SCOPE_CMD_STOP));
		client_drain(&client[i], on_record, NULL);
		client_pages(&client[i], &pages[i]);
		CHECK(pages[i].records == client[i].received);
		sum[i] = client[i].received + pages[i].lost[SCOPE_LOST_FULL];
		printf("# received %lu + lost %lu = %lu\n", client[i].received, pages[i].lost[0], sum[i]);
		CHECK(!pages[i].lost[SCOPE_LOST_NESTED] && !pages[i].lost[SCOPE_LOST_TOO_BIG]);
		client_close(&client[i]);
	}
	CHECK(!pages[0].lost[0] && pages[1].lost[0] && pages[2].lost[0]);
	CHECK(client[1].received < client[2].received);
	/*
	 * Where the kernel calls probes with preemption on (7.0), a switch may come between the
	 * probes of two sessions: a call is one record then for the one, ENTER and EXIT for the
	 * other.
	 */
	CHECK(sum[0] - sum[1] + SLACK <= 2 * SLACK && sum[0] - sum[2] + SLACK <= 2 * SLACK);
	workload_end(&workload);
}

/* A reader that dies takes its session along, wherever it was in it. */
void test_reader_killed(void)
{
	struct workload_plan plan = { .getppid = 200000 };
	struct client_config config = { .count = 1, .stack_mode = SCOPE_STACK_COPY, .sample_period_ns = 200000 };
	struct workload workload;
	struct client client;
	int round;
	pid_t pid;

	workload_begin(&workload, &plan);
	config.pids[0] = workload.pid;
	workload_go(&workload);
	for (round = 0; round < 10; round++) {
		pid = fork();
		if (!pid) {
			client_begin(&client, &config);
			for (;;)
				client_drain(&client, on_record, NULL);
		}
		usleep(20000 + round * 30000);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		client_wait_unused();
	}
	workload_end(&workload);
}

/* The traced process dies first. */
void test_target_gone(void)
{
	struct workload_plan plan = { .getppid = 100 };
	struct client_config config = { .count = 1 };
	struct client_counts counts;
	struct workload workload;
	struct client client;
	int i;

	workload_begin(&workload, &plan);
	config.pids[0] = workload.pid;
	client_begin(&client, &config);
	workload_end(&workload);
	for (i = 0; i < 100; i++) {
		CHECK(!client_query(&client, &counts));
		if (!counts.processes)
			break;
		usleep(10000);
	}
	CHECK(!counts.processes && counts.run_state == SCOPE_RUN_ON);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, NULL);
	client_close(&client);
}
