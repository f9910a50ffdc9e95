// SPDX-License-Identifier: GPL-2.0-only
/* Rings of all sizes. */
#include <sys/syscall.h>
#include "tests.h"

#define CALLS 3000u

static void count_call(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record,
		       uint32_t bytes)
{
	const struct scope_record_syscall *call = record;
	uint32_t type = scope_record_type(call->word);

	(void)cpu, (void)tid, (void)now_ns, (void)bytes;
	*(uint64_t *)data += call->nr == SYS_getppid &&
			     (type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER);
}

/* Whatever the size: what was not received was counted as lost. */
static void use(uint32_t subbuf_bytes, uint32_t subbuf_count)
{
	struct client_config config = { .count = 1, .pids = { getpid() },
					.subbuf_bytes = subbuf_bytes, .subbuf_count = subbuf_count };
	struct client_counts pages;
	struct client client;
	uint64_t calls = 0;
	uint32_t i;

	client_begin(&client, &config);
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, count_call, &calls);
	client_pages(&client, &pages);
	CHECK(pages.records == client.received);
	CHECK(calls == CALLS || (calls < CALLS && pages.lost[SCOPE_LOST_FULL] >= CALLS - calls),
	      "%u x %u: %lu calls, %lu lost", subbuf_bytes, subbuf_count, calls,
	      pages.lost[SCOPE_LOST_FULL]);
	client_close(&client);
}

void test_buffers(void)
{
	static const uint32_t sizes[][2] = {
		{ 4096, 2 }, { 4096, 1024 }, { 8192, 2 }, { 65536, 16 }, { 4u << 20, 2 },
	};
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		use(sizes[i][0], sizes[i][1]);
}
