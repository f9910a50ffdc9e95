// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks and samples are switched on, limited to threads and calls, and switched off again while a session runs. They
 * follow the last setting, and no event of the session is missing.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include "client_probe.h"
#include "puppet.h"
#include "tests.h"

#define NAPS 50
#define LOOP 200000

struct seen {
	int32_t tid[2]; /* the two processes */
	uint32_t calls[2], stacks[2], samples[2], others, costly;
	uint32_t faults;
	uint16_t last_nr[CLIENT_CPUS];
};

static void on_stack(struct seen *seen, uint32_t cpu, int who, const void *record)
{
	const struct scope_record_stack *stack = record;
	const struct scope_record_chain *chain = record;

	if (scope_record_type(stack->word) == SCOPE_RECORD_CHAIN) {
		CHECK(chain->flags & SCOPE_STACK_COST && chain->count >= 1);
		seen->costly += ((const uint64_t *)(chain + 1))[chain->count] > 0;
	} else if (stack->flags & SCOPE_STACK_FAULT && !stack->bytes) {
		seen->faults++;
	}
	if (stack->reason == SCOPE_STACK_SAMPLE)
		seen->samples[who]++;
	else if (seen->last_nr[cpu] == SYS_nanosleep || seen->last_nr[cpu] == SYS_getppid)
		seen->stacks[who]++;
	else
		seen->others++;
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_syscall *call = record;
	uint32_t type = scope_record_type(call->word);
	struct seen *seen = data;
	int who = (int32_t)tid == seen->tid[1];

	(void)now_ns, (void)bytes;
	if (type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_EXIT) {
		seen->calls[who] += call->nr == SYS_nanosleep || call->nr == SYS_getppid;
		seen->last_nr[cpu] = call->nr;
	}
	if (type == SCOPE_RECORD_STACK || type == SCOPE_RECORD_CHAIN)
		on_stack(seen, cpu, who, record);
}

/* Both do the same; what came since the step before goes to *ret_seen. */
static void step(struct client *client, struct puppet *puppets, enum puppet_act act, uint32_t times,
		 struct seen *ret_seen)
{
	struct seen seen = { .tid = { puppets[0].pid, puppets[1].pid } };
	int i;

	puppet_do(&puppets[0], act, times);
	puppet_do(&puppets[1], act, times);
	CHECK(!ioctl(client->fd, SCOPE_IOC_FLUSH));
	client_drain(client, on_record, &seen);
	*ret_seen = seen;
	for (i = 0; i < 2; i++)
		CHECK(seen.calls[i] == times, "%d: %u calls of %u", i, seen.calls[i], times);
}

static void set(struct client *client, int mode, int syscall, const int32_t *threads, uint32_t count,
		uint32_t period_ns)
{
	const struct client_stacks stacks = { .mode = mode,
					      .only_syscall = syscall,
					      .min_ns = 1,
					      .threads = threads,
					      .count = count,
					      .sample_period_ns = period_ns };
	int err = client_stacks(client, &stacks);

	CHECK(!err, "%s: %s", strerror(-err), client_probe_text);
}

static void change_calls(struct client *client, struct puppet *puppets)
{
	struct seen seen;

	step(client, puppets, PUPPET_NAP, NAPS, &seen);
	CHECK(!seen.stacks[0] && !seen.stacks[1]);
	set(client, SCOPE_STACK_CHAIN, SYS_nanosleep, &puppets[0].pid, 1, UINT32_MAX);
	step(client, puppets, PUPPET_NAP, NAPS, &seen);
	CHECK(seen.stacks[0] == NAPS && !seen.stacks[1], "%u, %u", seen.stacks[0], seen.stacks[1]);
	CHECK(!seen.others && seen.costly, "%u of other calls, %u with a cost", seen.others, seen.costly);
	/* Every thread again, but another call. */
	set(client, -1, SYS_getppid, &puppets[0].pid, 0, UINT32_MAX);
	step(client, puppets, PUPPET_NAP, NAPS, &seen);
	CHECK(!seen.stacks[0] && !seen.stacks[1]);
	step(client, puppets, PUPPET_GETPPID, NAPS, &seen);
	CHECK(seen.stacks[0] == NAPS && seen.stacks[1] == NAPS);
	/* Unreadable memory costs the slice, neither the call nor the registers. */
	set(client, SCOPE_STACK_COPY, -1, NULL, 0, UINT32_MAX);
	step(client, puppets, PUPPET_BAD_STACK, NAPS, &seen);
	CHECK(seen.stacks[0] == NAPS && seen.stacks[1] == NAPS && seen.faults == 2 * NAPS, "%u, %u stacks, %u faults",
	      seen.stacks[0], seen.stacks[1], seen.faults);
	set(client, SCOPE_STACK_NONE, -1, NULL, 0, UINT32_MAX);
	step(client, puppets, PUPPET_GETPPID, NAPS, &seen);
	CHECK(!seen.stacks[0] && !seen.stacks[1] && !seen.others);
}

static void change_samples(struct client *client, struct puppet *puppets)
{
	struct seen seen;

	set(client, SCOPE_STACK_CHAIN, SYS_nanosleep, &puppets[1].pid, 1, 1000000);
	step(client, puppets, PUPPET_GETPPID, LOOP, &seen);
	CHECK(!seen.samples[0] && seen.samples[1], "%u, %u samples", seen.samples[0], seen.samples[1]);
	set(client, -1, -1, NULL, 0, 2000000);
	step(client, puppets, PUPPET_GETPPID, LOOP, &seen);
	CHECK(!seen.samples[0] && seen.samples[1]);
	set(client, -1, -1, NULL, 0, 0);
	step(client, puppets, PUPPET_GETPPID, 10, &seen); /* what was under way */
	step(client, puppets, PUPPET_GETPPID, LOOP, &seen);
	CHECK(!seen.samples[0] && !seen.samples[1]);
}

void test_stack_change(void)
{
	struct client_config config = { .count = 2, .subbuf_count = 128, .stacks_per_second = 1000000 };
	const struct client_stacks none = {
		.mode = -1, .min_ns = 5, .sample_period_ns = UINT32_MAX, .only_syscall = -1
	};
	struct client_counts pages;
	struct puppet puppets[2];
	struct client client;
	int i;

	client_open(&client);
	CHECK(client_stacks(&client, &none) == -EINVAL);
	client_close(&client);
	for (i = 0; i < 2; i++) {
		puppet_begin(&puppets[i], NULL);
		config.pids[i] = puppets[i].pid;
	}
	client_begin(&client, &config);
	change_calls(&client, puppets);
	change_samples(&client, puppets);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	CHECK(client_stacks(&client, &none) == -ESHUTDOWN);
	client_drain(&client, on_record, &(struct seen){ 0 });
	client_pages(&client, &pages);
	CHECK(!pages.lost[0] && pages.records == client.received);
	client_close(&client);
	for (i = 0; i < 2; i++)
		puppet_end(&puppets[i]);
}
