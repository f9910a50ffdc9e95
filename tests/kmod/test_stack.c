// SPDX-License-Identifier: GPL-2.0-only
/* Stacks: of a spinning thread by the timer, and of slow calls when they return, within the limit. */
#include <string.h>
#include <sys/syscall.h>
#include "tests.h"

#define SPIN_MS 400
#define KERNEL_BASE 0xffff000000000000ull /* what it is taken off has no high bits left */
#define NAPS 50

struct stacks {
	struct workload *workload;
	uint32_t samples, marked, chained, deep, of_calls, naps, faults, kernel;
	uint32_t last_type[CLIENT_CPUS], last_tid[CLIENT_CPUS];
	uint16_t last_nr[CLIENT_CPUS];
};

static bool holds_mark(const uint8_t *bytes, uint32_t count)
{
	const uint64_t mark = WORKLOAD_MARK;
	uint32_t at;

	for (at = 0; at + 8 <= count; at += 8)
		if (!memcmp(bytes + at, &mark, 8))
			return true;
	return false;
}

/* A sample of the last thread while it spins: what came before takes a slow kernel long, too. */
static bool is_of_spin(const struct stacks *stacks, uint32_t tid, uint64_t now_ns, uint8_t reason)
{
	const struct workload_shared *shared = stacks->workload->shared;

	return reason == SCOPE_STACK_SAMPLE && (int32_t)tid == shared->tid[WORKLOAD_THREADS - 1] &&
	       shared->spin_ns[0] && now_ns > shared->spin_ns[0] &&
	       (!shared->spin_ns[1] || now_ns < shared->spin_ns[1]);
}

/* The last word is where in the kernel it hit, less the base. */
static void on_kernel(struct stacks *stacks, uint8_t flags, const uint64_t *word, uint32_t words)
{
	CHECK(flags & SCOPE_STACK_IN_KERNEL && words >= 1);
	CHECK(word[words - 1] && word[words - 1] < 1ull << 48, "%lx", word[words - 1]);
	stacks->kernel++;
}

static void on_stack(struct stacks *stacks, uint32_t tid, uint64_t now_ns, const struct scope_record_stack *stack)
{
	const uint64_t *reg = (const uint64_t *)(stack + 1);

	CHECK(stack->regs == CLIENT_REGS && stack->bytes <= 4096 + 8);
	if (stack->flags & SCOPE_STACK_KERNEL_IP)
		on_kernel(stacks, stack->flags, reg + stack->regs, stack->bytes / 8);
	CHECK(stack->bytes, "sp %lx flags %x", reg[CLIENT_REG_SP], stack->flags);
	CHECK(stack->bytes < 4096 || stack->flags & SCOPE_STACK_CUT);
	stacks->faults += !!(stack->flags & SCOPE_STACK_FAULT);
	if (!is_of_spin(stacks, tid, now_ns, stack->reason))
		return;
	stacks->samples++;
	stacks->marked += holds_mark((const uint8_t *)(reg + stack->regs), stack->bytes);
}

static void on_chain(struct stacks *stacks, uint32_t tid, uint64_t now_ns, const struct scope_record_chain *chain)
{
	const uint64_t *ip = (const uint64_t *)(chain + 1), begin = (uint64_t)workload_thread_main;
	int i;

	CHECK(chain->count >= 1 && chain->count <= SCOPE_STACK_DEPTH_MAX);
	if (chain->flags & SCOPE_STACK_KERNEL_IP)
		on_kernel(stacks, chain->flags, ip, chain->count);
	if (!is_of_spin(stacks, tid, now_ns, chain->reason))
		return;
	stacks->samples++;
	stacks->deep += chain->count >= 3;
	for (i = 1; i < chain->count; i++)
		if (ip[i] > begin && ip[i] < begin + 1024)
			break;
	stacks->chained += i < chain->count;
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_syscall *call = record;
	const struct scope_record_stack *stack = record;
	struct stacks *stacks = data;
	uint32_t type = scope_record_type(call->word);

	(void)bytes;
	if (type == SCOPE_RECORD_STACK || type == SCOPE_RECORD_CHAIN) {
		CHECK(tid);
		if (stack->reason == SCOPE_STACK_SYSCALL) {
			CHECK(stacks->last_type[cpu] == SCOPE_RECORD_SYSCALL ||
			      stacks->last_type[cpu] == SCOPE_RECORD_EXIT);
			CHECK(stacks->last_tid[cpu] == tid);
			stacks->of_calls++;
			stacks->naps += stacks->last_nr[cpu] == SYS_nanosleep;
		}
		if (type == SCOPE_RECORD_STACK)
			on_stack(stacks, tid, now_ns, record);
		else
			on_chain(stacks, tid, now_ns, record);
	}
	if (type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_EXIT)
		stacks->last_nr[cpu] = call->nr;
	stacks->last_type[cpu] = type;
	stacks->last_tid[cpu] = tid;
}

static void trace(struct client_config *config, uint32_t calls, struct stacks *stacks, struct client_counts *pages)
{
	struct workload_plan plan = { .getppid = calls, .nanosleep = NAPS, .spin_ms = SPIN_MS };
	struct workload workload;
	struct client client;

	memset(stacks, 0, sizeof(*stacks));
	workload_begin(&workload, &plan);
	stacks->workload = &workload;
	config->pids[0] = workload.pid;
	client_begin(&client, config);
	workload_go(&workload);
	while (!workload_done(&workload)) {
		usleep(5000);
		client_drain(&client, on_record, stacks);
	}
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, stacks);
	client_pages(&client, pages);
	CHECK(!pages->lost[0] && pages->records == client.received);
	printf("# %u samples, %u marked, %u chained, %u of calls (%u naps), %lu skipped, %u "
	       "faults, %u in the kernel\n",
	       stacks->samples, stacks->marked, stacks->chained, stacks->of_calls, stacks->naps, pages->skipped,
	       stacks->faults, stacks->kernel);
	client_close(&client);
	workload_end(&workload);
}

void test_stack_copy(void)
{
	struct client_config config = { .count = 1,
					.stack_mode = SCOPE_STACK_COPY,
					.stack_bytes = 4096,
					.stack_min_ns = 100000,
					.sample_period_ns = 1000000,
					.subbuf_count = 16 };
	struct client_counts pages;
	struct stacks stacks;

	trace(&config, 200, &stacks, &pages);
	/* The guest is emulated, on a machine that others use: late timers are skipped. */
	CHECK(stacks.samples > SPIN_MS / 100 && stacks.samples < SPIN_MS * 2);
	CHECK(stacks.marked > stacks.samples * 8 / 10);
	CHECK(stacks.naps == NAPS * WORKLOAD_THREADS);
	CHECK(pages.stacks >= stacks.samples + stacks.of_calls && !pages.skipped);
	CHECK(stacks.of_calls < NAPS * WORKLOAD_THREADS * 2); /* not the short ones */
}

void test_stack_chain(void)
{
	struct client_config config = {
		.count = 1, .stack_mode = SCOPE_STACK_CHAIN, .stack_min_ns = 100000, .sample_period_ns = 1000000
	};
	struct client_counts pages;
	struct stacks stacks;

	trace(&config, 200, &stacks, &pages);
	CHECK(stacks.samples > SPIN_MS / 100 && stacks.samples < SPIN_MS * 2);
	CHECK(stacks.chained > stacks.samples * 8 / 10);
	CHECK(stacks.naps == NAPS * WORKLOAD_THREADS);
}

/* Threads in short calls are hit in the kernel, too: each such stack has the address, after the user's. */
static void sample_kernel(uint8_t mode)
{
	struct client_config config = { .count = 1,
					.stack_mode = mode,
					.stack_bytes = 4096,
					.stack_min_ns = 1000000000,
					.sample_period_ns = 1000000,
					.kernel_base = KERNEL_BASE,
					.subbuf_count = 64 };
	struct client_counts pages;
	struct stacks stacks;

	trace(&config, 50000, &stacks, &pages);
	CHECK(stacks.kernel >= 5, "%u", stacks.kernel);
}

void test_stack_kernel(void)
{
	sample_kernel(SCOPE_STACK_COPY);
	sample_kernel(SCOPE_STACK_CHAIN);
}

/*
 * Where no call is that long, only one that began before tracing may have a stack: one a thread, however
 * long the session takes to begin; and none of those that begin in that time, as a new process does.
 */
void test_stack_begin(void)
{
	const struct workload_plan plan = { .getppid = 10000000, .processes = 10000 };
	struct client_config config = {
		.count = 1, .stack_mode = SCOPE_STACK_CHAIN, .stack_min_ns = UINT32_MAX, .subbuf_count = 256
	};
	struct workload workload;
	struct stacks stacks = { .workload = &workload };
	struct client_counts pages;
	struct client client;

	workload_begin(&workload, &plan);
	config.pids[0] = workload.pid;
	workload_go(&workload);
	usleep(20000);
	client_begin(&client, &config);
	usleep(100000);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, &stacks);
	client_pages(&client, &pages);
	CHECK(pages.records > 100 && !pages.lost[0], "%lu", pages.records);
	printf("# %lu records, %u stacks\n", pages.records, stacks.of_calls);
	/* The main thread, and a child that was there already. */
	CHECK(stacks.of_calls <= WORKLOAD_THREADS + 2, "%u", stacks.of_calls);
	client_close(&client);
	workload_end(&workload);
}

void test_stack_limit(void)
{
	struct client_config config = {
		.count = 1, .stack_mode = SCOPE_STACK_CHAIN, .stack_min_ns = 1, .stacks_per_second = 10
	};
	struct client_counts pages;
	struct stacks stacks;

	trace(&config, 200, &stacks, &pages);
	CHECK(pages.skipped > 300 && stacks.of_calls == pages.stacks);
	/* At most ten per CPU in each second begun. */
	CHECK(stacks.of_calls >= 10 && stacks.of_calls <= 400);
}
