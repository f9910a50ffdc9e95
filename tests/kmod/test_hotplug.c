// SPDX-License-Identifier: GPL-2.0-only
/* A CPU that is added while tracing runs is traced, and its records stay when it is removed. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "tests.h"

#define CALLS 5000u
#define OTHER_CPU 1u
#define PATIENCE_MS 60000

enum { WAIT, CALL, SPIN, REST };

struct seen {
	uint32_t calls, samples;
};

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_syscall *call = record;
	const struct scope_record_stack *stack = record;
	struct seen *seen = data;

	(void)tid, (void)now_ns, (void)bytes;
	if (cpu != OTHER_CPU)
		return;
	seen->calls += (scope_record_type(call->word) == SCOPE_RECORD_SYSCALL ||
			scope_record_type(call->word) == SCOPE_RECORD_ENTER) &&
		       call->nr == SYS_getppid;
	seen->samples += scope_record_type(stack->word) == SCOPE_RECORD_STACK && stack->reason == SCOPE_STACK_SAMPLE;
}

static void set_online(bool online)
{
	FILE *file = fopen("/sys/devices/system/cpu/cpu1/online", "w");

	CHECK(file && fprintf(file, "%d", online) > 0 && !fclose(file), "%s", strerror(errno));
}

static void run_there(volatile int *phase)
{
	cpu_set_t set;
	uint32_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (*phase == WAIT)
		usleep(1000);
	CPU_ZERO(&set);
	CPU_SET(OTHER_CPU, &set);
	CHECK(!sched_setaffinity(0, sizeof(set), &set));
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	*phase = SPIN;
	while (*phase == SPIN)
		;
	for (;;)
		pause();
}

/*
 * The calls may be over before the first timer interrupt: a CPU that has just come knows periodic
 * ticks alone at first, and an emulator brings them when it likes.
 */
static void wait_for_stack(const struct client *client, volatile int *phase)
{
	const struct scope_ring_page *page = (const void *)client->map[OTHER_CPU];
	int i;

	for (i = 0; i < PATIENCE_MS; i++) {
		if (*phase == SPIN && __atomic_load_n(&page->stacks, __ATOMIC_RELAXED))
			return;
		usleep(1000);
	}
}

/* Without the second CPU when the rings are made, with it in the middle, without it at the end. */
void test_cpu_comes(void)
{
	/* Small stacks: where a kernel checks itself the calls take seconds, and thousands of samples. */
	struct client_config config = { .count = 1,
					.stack_mode = SCOPE_STACK_COPY,
					.stack_bytes = 256,
					.stack_min_ns = 1000000000,
					.sample_period_ns = 200000,
					.subbuf_count = 64 };
	struct client_counts alone, both, pages;
	struct seen seen = { 0 };
	struct client client;
	volatile int *phase;
	pid_t pid;

	if (access("/sys/devices/system/cpu/cpu1/online", W_OK)) {
		printf("# skipped: no second CPU to take away\n");
		return;
	}
	phase = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = fork();
	if (!pid)
		run_there(phase);
	config.pids[0] = pid;
	set_online(false);
	client_begin(&client, &config);
	CHECK(!client_query(&client, &alone));
	set_online(true);
	CHECK(!client_query(&client, &both));
	*phase = CALL;
	wait_for_stack(&client, phase);
	*phase = REST;
	set_online(false);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, &seen);
	client_pages(&client, &pages);
	printf("# %u calls and %u samples on it, %lu records, %lu received, lost %lu %lu %lu, memory %lu "
	       "and %lu\n",
	       seen.calls, seen.samples, pages.records, client.received, pages.lost[0], pages.lost[1], pages.lost[2],
	       alone.memory, both.memory);
	CHECK(pages.records == client.received);
	CHECK(!pages.lost[0] && !pages.lost[1] && !pages.lost[2]);
	CHECK(seen.calls == CALLS && seen.samples);
	CHECK(both.memory - alone.memory == client.info.region_bytes - client.info.header_bytes);
	client_close(&client);
	set_online(true);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
