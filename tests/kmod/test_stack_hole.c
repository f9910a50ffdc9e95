// SPDX-License-Identifier: GPL-2.0-only
/* A copied stack continues after pages that were never written to, and ends where no stack page follows them. */
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include "puppet.h"
#include "tests.h"

#define NAPS 20
#define SLICE 32768

struct seen {
	uint32_t stacks, marked, faults, short_ones;
};

/* The hole becomes zeros: the mark is right after it, and nothing else is within it. */
static void on_stack(struct seen *seen, const struct scope_record_stack *stack)
{
	const uint64_t *reg = (const uint64_t *)(stack + 1);
	const uint8_t *data = (const uint8_t *)(reg + stack->regs);
	const uint64_t mark = PUPPET_HOLE_MARK;
	uint32_t at, zeros = 0;

	seen->stacks++;
	seen->faults += !!(stack->flags & SCOPE_STACK_FAULT);
	seen->short_ones += stack->bytes < PUPPET_HOLE_BYTES;
	for (at = 0; at + 8 <= stack->bytes && memcmp(data + at, &mark, 8); at += 8)
		zeros += !memcmp(data + at, "\0\0\0\0\0\0\0", 8);
	if (at + 8 <= stack->bytes && at >= PUPPET_HOLE_BYTES && 8 * zeros > PUPPET_HOLE_BYTES / 2)
		seen->marked++;
	/* The last word was there: nothing but what was read, and holes before it. */
	CHECK(stack->bytes <= SLICE && (stack->bytes < SLICE || stack->flags & SCOPE_STACK_CUT));
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_stack *stack = record;

	(void)cpu, (void)tid, (void)now_ns, (void)bytes;
	if (scope_record_type(stack->word) == SCOPE_RECORD_STACK && stack->reason == SCOPE_STACK_SYSCALL)
		on_stack(data, stack);
}

void test_stack_hole(void)
{
	struct client_config config = { .count = 1,
					.subbuf_count = 16,
					.stack_mode = SCOPE_STACK_COPY,
					.stack_bytes = SLICE,
					.stack_min_ns = 100000,
					.stacks_per_second = 1000000 };
	struct client_counts pages;
	struct seen seen = { 0 };
	struct puppet puppet;
	struct client client;

	puppet_begin(&puppet, NULL);
	config.pids[0] = puppet.pid;
	client_begin(&client, &config);
	puppet_do(&puppet, PUPPET_HOLE_NAP, NAPS);
	CHECK(!ioctl(client.fd, SCOPE_IOC_FLUSH));
	client_drain(&client, on_record, &seen);
	printf("# %u stacks, %u with the mark after the hole, %u with faults, %u short\n", seen.stacks, seen.marked,
	       seen.faults, seen.short_ones);
	CHECK(seen.stacks >= NAPS && seen.marked == NAPS, "%u of %u", seen.marked, seen.stacks);
	CHECK(seen.faults >= NAPS);
	client_pages(&client, &pages);
	CHECK(!pages.lost[0]);
	client_close(&client);
	puppet_end(&puppet);
}
