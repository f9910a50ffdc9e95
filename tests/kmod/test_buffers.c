// SPDX-License-Identifier: GPL-2.0-only
/* Rings of all sizes, from the smallest to more than the memory allows. */
#include <errno.h>
#include <sys/syscall.h>
#include "tests.h"

#define CALLS 3000u
#define HOGS 8

static void count_call(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_syscall *call = record;
	uint32_t type = scope_record_type(call->word);

	(void)cpu, (void)tid, (void)now_ns, (void)bytes;
	*(uint64_t *)data += call->nr == SYS_getppid && (type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER);
}

/* For any size: the records that were not received were counted as lost. */
static void use(uint32_t subbuf_bytes, uint32_t subbuf_count)
{
	struct client_config config = {
		.count = 1, .pids = { getpid() }, .subbuf_bytes = subbuf_bytes, .subbuf_count = subbuf_count
	};
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
	      "%u x %u: %lu calls, %lu lost", subbuf_bytes, subbuf_count, calls, pages.lost[SCOPE_LOST_FULL]);
	client_close(&client);
}

/* Each alone would be accepted; together they must not take all memory. */
static void hog(void)
{
	uint64_t third = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 3 / sysconf(_SC_NPROCESSORS_CONF);
	struct client_config config = { .count = 1, .pids = { getpid() }, .subbuf_bytes = 1u << 20, .subbuf_count = 2 };
	struct client client[HOGS];
	int opened, err = 0;

	while ((uint64_t)config.subbuf_bytes * config.subbuf_count * 2 <= third &&
	       config.subbuf_count < SCOPE_SUBBUF_COUNT_MAX)
		config.subbuf_count *= 2;
	for (opened = 0; opened < HOGS && !err; opened++) {
		client_open(&client[opened]);
		err = client_configure(&client[opened], &config);
	}
	CHECK(err == -ENOMEM, "%d sessions of %u MiB a CPU: %d", opened, config.subbuf_count, err);
	while (opened--)
		client_close(&client[opened]);
	/* And all of it is there again. */
	client_open(&client[0]);
	CHECK(!client_configure(&client[0], &config));
	client_close(&client[0]);
}

void test_buffers(void)
{
	static const uint32_t sizes[][2] = {
		{ 4096, 2 }, { 4096, 1024 }, { 8192, 2 }, { 65536, 16 }, { 4u << 20, 2 },
	};
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		use(sizes[i][0], sizes[i][1]);
	hog();
}
