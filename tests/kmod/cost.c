// SPDX-License-Identifier: GPL-2.0-only
/*
 * The time of a getppid() call while no process, another process, or this process is traced.
 *
 * Under tests/vm/run.sh -i the clock counts instructions, so the figures are those of the probes.
 */
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include "tests.h"

#define CALLS 20000
#define ROUNDS 5

static double one_round(void)
{
	struct timespec begin, end;
	int i;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((end.tv_sec - begin.tv_sec) * 1e9 + end.tv_nsec - begin.tv_nsec) / CALLS;
}

void test_cost(const char *who)
{
	struct client_config config = { .count = 1, .subbuf_count = 64, .pids = { 1 } };
	struct client_counts pages = { 0 };
	struct client client;
	double best = 1e9, round;
	int i;

	if (!strcmp(who, "self"))
		config.pids[0] = getpid();
	if (strcmp(who, "none"))
		client_begin(&client, &config);
	for (i = 0; i < ROUNDS; i++) {
		round = one_round();
		if (round < best)
			best = round;
	}
	if (strcmp(who, "none")) {
		CHECK(!client_command(&client, SCOPE_CMD_STOP));
		client_pages(&client, &pages);
	}
	printf("%s: %.1f ns per getppid, %lu records, %lu lost\n", who, best, pages.records,
	       pages.lost[SCOPE_LOST_FULL]);
}
