// SPDX-License-Identifier: GPL-2.0-only
/*
 * Twenty writers and buffers that are far too small: received and lost events add up to the produced ones.
 *
 * EVENTS_EACH= calls of each writer (2000; the long run has 1000000).
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include "tests.h"

#define WRITERS 20
#define BATCH 1000u

struct writers {
	int token[2];		 /* a byte allows one batch to the one that reads it */
	volatile uint64_t *made; /* calls that returned, per writer */
	pid_t pid[WRITERS];
};

static void write_batches(struct writers *writers, int self)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(writers->token[0], &byte, 1) == 1) {
		for (uint32_t i = 0; i < BATCH; i++)
			syscall(SYS_getppid);
		writers->made[self] += 1 + BATCH;
	}
	_exit(0);
}

static void writers_begin(struct writers *writers)
{
	CHECK(!pipe(writers->token));
	writers->made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(writers->made != MAP_FAILED);
	for (int i = 0; i < WRITERS; i++) {
		writers->pid[i] = fork();
		CHECK(writers->pid[i] >= 0);
		if (!writers->pid[i])
			write_batches(writers, i);
	}
	/* All are to be in their first read as tracing starts. */
	usleep(300000);
}

static uint64_t writers_made(const struct writers *writers)
{
	uint64_t sum = 0;

	for (int i = 0; i < WRITERS; i++)
		sum += writers->made[i];
	return sum;
}

static void writers_end(struct writers *writers)
{
	for (int i = 0; i < WRITERS; i++) {
		kill(writers->pid[i], SIGKILL);
		waitpid(writers->pid[i], NULL, 0);
	}
}

static void count_return(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	uint32_t type = scope_record_type(*(const uint32_t *)record);

	(void)cpu, (void)tid, (void)now_ns, (void)bytes;
	*(uint64_t *)data += type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_EXIT;
}

/*
 * A switch within a call makes two records of it. Where the kernel calls probes with preemption on
 * (7.0), one may come between the probes of two sessions, and only one of them sees it within.
 */
static uint64_t slack(uint64_t records)
{
	struct utsname name;

	CHECK(!uname(&name));
	return atoi(name.release) >= 7 ? records / 500 : 0;
}

void test_writers(void)
{
	const char *each = getenv("EVENTS_EACH");
	uint64_t rounds = (each ? strtoull(each, NULL, 0) : 2000) / BATCH, round, returned = 0, tiny = 0;
	struct client_config config = { .count = WRITERS, .events = SCOPE_EVENTS_SYSCALL };
	struct client_counts pages[2];
	struct client client[2]; /* one reads all, one has two pages for it */
	struct writers writers;
	uint64_t produced, counted, off;

	writers_begin(&writers);
	for (int i = 0; i < WRITERS; i++)
		config.pids[i] = writers.pid[i];
	client_begin(&client[0], &config);
	config.subbuf_bytes = 4096;
	config.subbuf_count = 2;
	client_begin(&client[1], &config);
	for (round = 0; round < rounds; round++) {
		static const char tokens[WRITERS];

		CHECK(write(writers.token[1], tokens, WRITERS) == WRITERS);
		while (writers_made(&writers) < (round + 1) * WRITERS * (BATCH + 1)) {
			usleep(1000);
			client_drain(&client[0], count_return, &returned);
			if (round % 2)
				client_drain(&client[1], count_return, &tiny);
		}
	}
	usleep(300000);
	for (int i = 0; i < 2; i++) {
		CHECK(!client_command(&client[i], SCOPE_CMD_STOP));
		client_drain(&client[i], count_return, i ? &tiny : &returned);
		client_pages(&client[i], &pages[i]);
		CHECK(pages[i].records == client[i].received);
		CHECK(!pages[i].lost[SCOPE_LOST_NESTED] && !pages[i].lost[SCOPE_LOST_TOO_BIG]);
		client_close(&client[i]);
	}
	produced = client[0].received + pages[0].lost[SCOPE_LOST_FULL];
	counted = client[1].received + pages[1].lost[SCOPE_LOST_FULL];
	off = produced > counted ? produced - counted : counted - produced;
	printf("# calls %lu, records %lu; two pages: received %lu + lost %lu = %lu\n", writers_made(&writers), produced,
	       client[1].received, pages[1].lost[SCOPE_LOST_FULL], counted);
	CHECK(!pages[0].lost[SCOPE_LOST_FULL]);
	CHECK(returned == writers_made(&writers));
	CHECK(pages[1].lost[SCOPE_LOST_FULL] > 0 && tiny < returned);
	CHECK(off <= slack(produced));
	writers_end(&writers);
}
