// SPDX-License-Identifier: GPL-2.0-only
/* A running session is monitored: notices are sent, and a session that costs too much is stopped. */
#include <poll.h>
#include <sys/syscall.h>
#include <netlink/socket.h>
#include "tests.h"

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	(void)data, (void)cpu, (void)tid, (void)now_ns, (void)record, (void)bytes;
}

/* No process reads: half full, then drops; then the target goes. */
void test_notices(void)
{
	struct workload_plan plan = { .getppid = 20000 };
	struct client_config config = { .count = 1, .subbuf_bytes = 4096, .subbuf_count = 4 };
	struct nl_sock *sock = client_listen();
	struct client_notice notice;
	struct client_counts counts;
	struct workload workload;
	struct client client;

	workload_begin(&workload, &plan);
	config.pids[0] = workload.pid;
	client_begin(&client, &config);
	workload_go(&workload);
	client_expect(sock, client.info.session, SCOPE_NOTICE_HALF_FULL, &notice);
	CHECK(notice.value >= 2 && notice.value <= 4 && notice.cpu < client.info.cpus);
	client_expect(sock, client.info.session, SCOPE_NOTICE_LOST, &notice);
	CHECK(notice.value && notice.cpu < client.info.cpus);
	workload_end(&workload);
	client_expect(sock, client.info.session, SCOPE_NOTICE_TARGET_GONE, &notice);
	CHECK(!client_query(&client, &counts));
	CHECK(counts.lost[SCOPE_LOST_FULL] && counts.owner == (uint32_t)getpid());
	CHECK(counts.run_state == SCOPE_RUN_ON && counts.stop_reason == SCOPE_STOP_NONE);
	CHECK(counts.run_ns && counts.cpus);
	client_close(&client);
	nl_socket_free(sock);
}

/* The share that probes take of a program that makes nothing but the cheapest call. No guard. */
void test_probe_time(void)
{
	struct workload_plan plan = { .getppid = 100000000 };
	struct client_config config = { .count = 1, .subbuf_bytes = 65536 };
	struct client_counts counts;
	struct workload workload;
	struct client client;
	int i;

	workload_begin(&workload, &plan);
	config.pids[0] = workload.pid;
	client_begin(&client, &config);
	workload_go(&workload);
	for (i = 0; i < 200; i++) {
		usleep(10000);
		client_drain(&client, on_record, NULL);
	}
	CHECK(!client_query(&client, &counts));
	client_close(&client);
	workload_end(&workload);
	printf("# %lu records, %.1f ns each, %.1f %% of a CPU\n", counts.records,
	       (double)counts.probe_ns / counts.records, 100.0 * counts.probe_ns / counts.run_ns);
	CHECK(counts.probe_ns && counts.probe_ns < counts.run_ns * counts.cpus);
	CHECK(counts.stop_reason == SCOPE_STOP_NONE && counts.run_state == SCOPE_RUN_ON);
}

/* A limit that no such program keeps: stopped, with what there is readable. */
void test_guard(void)
{
	struct workload_plan plan = { .getppid = 100000000 };
	struct client_config config = { .count = 1, .overhead_max = 1 };
	struct nl_sock *sock = client_listen();
	struct client_notice notice;
	struct client_counts counts;
	struct workload workload;
	struct client client;
	struct pollfd set;

	workload_begin(&workload, &plan);
	config.pids[0] = workload.pid;
	client_begin(&client, &config);
	workload_go(&workload);
	client_expect(sock, client.info.session, SCOPE_NOTICE_GUARD, &notice);
	CHECK(!client_query(&client, &counts));
	printf("# stopped after %.1f s at %lu thousandths of CPU %u\n", counts.run_ns / 1e9, notice.value, notice.cpu);
	CHECK(notice.value > 1);
	CHECK(counts.run_state == SCOPE_RUN_STOPPED && counts.stop_reason == SCOPE_STOP_GUARD);
	CHECK(client_command(&client, SCOPE_CMD_STOP) < 0);
	CHECK(client_drain(&client, on_record, NULL) > 0);
	CHECK(client.received == counts.records);
	set = (struct pollfd){ .fd = client.fd, .events = POLLIN };
	CHECK(poll(&set, 1, 0) == 1 && set.revents == POLLHUP);
	client_close(&client);
	workload_end(&workload);
	nl_socket_free(sock);
}
