// SPDX-License-Identifier: GPL-2.0-only
/*
 * A flush interrupts every CPU, and a process without the right to trace may have a session's descriptor: it may request flushes at
 * any rate, and gets one in each interval. A reader that flushes occasionally does not wait.
 */
#include <grp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "tests.h"

#define NOBODY 65534
#define ASKERS 3

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* For a second, without privileges. Each call that returned had a flush of its own, begun after the one before. */
static void __attribute__((noreturn)) ask_without_end(const struct client *client)
{
	const uint64_t begin = now_ns();
	uint64_t count = 0, most;

	CHECK(!setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY));
	for (; now_ns() - begin < 1000000000ull; count++)
		CHECK(!ioctl(client->fd, SCOPE_IOC_FLUSH));
	most = (now_ns() - begin) / (SCOPE_FLUSH_GAP_MS * 1000000ull) + 1;
	CHECK(count && count <= most, "%lu flushes, at most %lu are right", count, most);
	printf("# %lu flushes in a second\n", count);
	fflush(stdout);
	_exit(0);
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t at_ns, const void *record, uint32_t bytes)
{
	(void)cpu, (void)tid, (void)at_ns, (void)record, (void)bytes;
	++*(uint64_t *)data;
}

/* The soonest of some: others may have the CPU in that time. */
static uint64_t shortest_ns(struct client *client)
{
	uint64_t best = UINT64_MAX, begin, taken, records, i;

	for (i = 0; i < 10; i++) {
		usleep(2 * SCOPE_FLUSH_GAP_MS * 1000);
		records = 0;
		syscall(SYS_getppid);
		begin = now_ns();
		CHECK(!ioctl(client->fd, SCOPE_IOC_FLUSH));
		taken = now_ns() - begin;
		best = taken < best ? taken : best;
		client_drain(client, on_record, &records);
		CHECK(records, "a flush handed nothing out");
	}
	return best;
}

void test_flush(void)
{
	struct client_config config = { .count = 1, .subbuf_bytes = 65536 };
	struct client client;
	pid_t pid[ASKERS];
	uint64_t best;
	int i, status;

	config.pids[0] = getpid();
	client_begin(&client, &config);
	best = shortest_ns(&client);
	printf("# %lu us for one that came late enough\n", best / 1000);
	CHECK(best < SCOPE_FLUSH_GAP_MS * 1000000ull);
	for (i = 0; i < ASKERS; i++) {
		pid[i] = fork();
		CHECK(pid[i] >= 0);
		if (!pid[i])
			ask_without_end(&client);
	}
	for (i = 0; i < ASKERS; i++)
		CHECK(waitpid(pid[i], &status, 0) == pid[i] && !status, "status %x", status);
	client_close(&client);
}
