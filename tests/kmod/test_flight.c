// SPDX-License-Identifier: GPL-2.0-only
/* Flight mode: the oldest is overwritten and counted, a snapshot has all that was in the ring. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "tests.h"

#define SLACK 20ull
#define SLEEPERS 150u

struct seen {
	uint64_t states, open_reads;
	uint32_t blocked_tid;
};

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_state *state = record;
	struct seen *seen = data;

	(void)cpu, (void)now_ns, (void)bytes, (void)tid;
	if (!seen || scope_record_type(state->word) != SCOPE_RECORD_STATE || !(state->flags & SCOPE_STATE_AT_STOP))
		return;
	seen->states++;
	seen->open_reads += (uint32_t)state->tid == seen->blocked_tid && state->nr == SYS_read;
}

static void count_switches(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	uint64_t *switches = data;

	(void)cpu, (void)now_ns, (void)bytes, (void)tid;
	*switches += scope_record_type(*(const uint32_t *)record) == SCOPE_RECORD_SWITCH;
}

static bool readable(struct client *client)
{
	struct pollfd set = { .fd = client->fd, .events = POLLIN };

	return poll(&set, 1, 0) == 1 && set.revents & POLLIN;
}

/*
 * A small ring goes round many times while it is read without a pause, beside a stream that has
 * room for all: what was read, lost and overwritten is what happened. Kernels that may be preempted in
 * the probes of system calls (from 6.13 on) switch now and then between two sessions' turns at the return
 * of a call: it is one record in the one, two in the other.
 */
void test_flight_wraps(void)
{
	struct workload_plan plan = { .getppid = 60000, .nanosleep = 50, .futex_rounds = 500 };
	struct client_config large = { .count = 1, .subbuf_count = 64 };
	struct client_config small = { .count = 1, .flight = true, .subbuf_bytes = 4096, .subbuf_count = 4 };
	uint64_t stale = 0, now, whole = 0, events, switches = 0, slack;
	struct client_counts pages, all;
	struct client stream, flight;
	struct workload workload;

	workload_begin(&workload, &plan);
	large.pids[0] = small.pids[0] = workload.pid;
	client_begin(&stream, &large);
	client_begin(&flight, &small);
	workload_go(&workload);
	while (!workload_done(&workload)) {
		whole += client_drain_flight(&flight, false, on_record, NULL, &now);
		stale += now;
	}
	usleep(300000);
	CHECK(!readable(&flight));
	CHECK(!client_command(&flight, SCOPE_CMD_STOP) && !client_command(&stream, SCOPE_CMD_STOP));
	CHECK(readable(&flight));
	whole += client_drain_flight(&flight, true, on_record, NULL, &now);
	CHECK(!now && !readable(&flight));
	client_drain(&stream, count_switches, &switches);
	client_pages(&stream, &all);
	client_pages(&flight, &pages);
	events = flight.received + pages.overwritten + pages.lost[SCOPE_LOST_FULL];
	printf("# %lu sub-buffers read, %lu overwritten under the reader; %lu records + %lu "
	       "overwritten = %lu, stream %lu\n",
	       whole, stale, flight.received, pages.overwritten, events, stream.received);
	CHECK(pages.records == flight.received + pages.overwritten);
	CHECK(!pages.lost[SCOPE_LOST_FULL] && pages.overwritten);
	CHECK(!all.lost[SCOPE_LOST_FULL] && !all.overwritten && all.records == stream.received);
	slack = SLACK + switches / 16;
	CHECK(switches && events - stream.received + slack <= 2 * slack);
	client_close(&stream);
	client_close(&flight);
	workload_end(&workload);
}

static uint64_t held(const struct client *client)
{
	uint64_t sum = 0;
	uint32_t cpu;

	for (cpu = 0; cpu < client->info.cpus; cpu++) {
		const struct scope_ring_page *page = (const void *)client->map[cpu];

		sum += page->snapshot - page->tail;
	}
	return sum;
}

/* Twice while the work goes on: all that was there at that moment is read, and who does what. */
void test_snapshot(void)
{
	struct workload_plan plan = { .getppid = 400000, .blocked = true };
	struct client_config config = { .count = 1, .flight = true, .subbuf_bytes = 16384, .subbuf_count = 4 };
	struct client_counts counts, pages;
	uint64_t waiting, stale, before;
	struct workload workload;
	struct client client;
	int round;

	workload_begin(&workload, &plan);
	config.pids[0] = workload.pid;
	client_begin(&client, &config);
	CHECK(!readable(&client));
	workload_go(&workload);
	for (round = 0; round < 2; round++) {
		struct seen seen = { .blocked_tid = workload.shared->blocked_tid };

		client_pages(&client, &pages);
		before = pages.overwritten;
		do {
			usleep(1000);
			client_pages(&client, &pages);
		} while (pages.overwritten == before && !workload_done(&workload));
		CHECK(pages.overwritten > before);
		CHECK(!client_snapshot(&client, true));
		waiting = held(&client);
		CHECK(readable(&client));
		/* The rings are full of what is held: new events are dropped, nothing is torn. */
		usleep(20000);
		CHECK(held(&client) == waiting);
		CHECK(client_drain_flight(&client, true, on_record, &seen, &stale) == waiting);
		CHECK(!stale && !readable(&client));
		printf("# %lu sub-buffers held, %lu states\n", waiting, seen.states);
		CHECK(seen.states == WORKLOAD_THREADS + 2, "%lu", seen.states);
		CHECK(seen.open_reads == 1, "%lu", seen.open_reads);
	}
	CHECK(!client_snapshot(&client, false));
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	CHECK(client_snapshot(&client, true) == -EALREADY);
	client_drain_flight(&client, true, on_record, NULL, &stale);
	CHECK(!stale);
	client_pages(&client, &pages);
	CHECK(!client_query(&client, &counts));
	CHECK(pages.records == client.received + pages.overwritten);
	CHECK(counts.overwritten == pages.overwritten && counts.records == pages.records);
	client_close(&client);
	workload_end(&workload);
}

static void *sleep_on(void *data)
{
	(void)data;
	for (;;)
		pause();
	return NULL;
}

static pid_t begin_sleepers(void)
{
	int ready[2];
	pthread_t thread;
	uint32_t i;
	char byte;
	pid_t pid;

	CHECK(!pipe(ready));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (i = 0; i < SLEEPERS - 1; i++)
			CHECK(!pthread_create(&thread, NULL, sleep_on, NULL));
		CHECK(write(ready[1], "", 1) == 1);
		sleep_on(NULL);
	}
	CHECK(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/* A ring too small for every thread overwrites none that it has, and counts those that are missing. */
void test_snapshot_small(void)
{
	struct client_config config = { .count = 1, .flight = true, .subbuf_bytes = 4096, .subbuf_count = 2 };
	struct client_counts before, pages;
	struct seen seen = { 0 };
	struct client client;
	uint64_t stale, lost;

	config.pids[0] = begin_sleepers();
	client_begin(&client, &config);
	client_pages(&client, &before);
	CHECK(!client_snapshot(&client, true));
	client_pages(&client, &pages);
	lost = pages.lost[SCOPE_LOST_FULL] - before.lost[SCOPE_LOST_FULL];
	client_drain_flight(&client, true, on_record, &seen, &stale);
	printf("# %lu states, %lu lost\n", seen.states, lost);
	CHECK(!stale && seen.states && seen.states + lost >= SLEEPERS);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_close(&client);
	kill(config.pids[0], SIGKILL);
	waitpid(config.pids[0], NULL, 0);
}
