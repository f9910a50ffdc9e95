// SPDX-License-Identifier: GPL-2.0-only
/* Readers of other releases: the module serves those it can, and reports its range to the others. */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "attributes.h"
#include "client_probe.h"
#include "tests.h"

static int configure(struct client *client, uint32_t protocol, int kind, char *text, uint32_t text_bytes)
{
	const uint8_t chain = SCOPE_STACK_CHAIN;
	struct attributes a = { 0 }, targets = { 0 };

	attributes_u32(&a, SCOPE_ATTR_SESSION, client->info.session);
	attributes_u32(&a, SCOPE_ATTR_PROTOCOL, protocol);
	attributes_add(&a, SCOPE_ATTR_STACK_MODE, &chain, 1);
	attributes_u32(&targets, kind, getpid());
	attributes_nest(&a, SCOPE_ATTR_TARGETS, &targets);
	return client_raw(client, SCOPE_CMD_CONFIGURE, a.data, a.bytes, text, text_bytes);
}

struct seen {
	uint32_t types[1 << SCOPE_TYPE_BITS];
	uint32_t costs;	    /* chains with SCOPE_STACK_COST */
	uint32_t new_flags; /* records with a flag that protocol 1 does not have */
};

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_chain *chain = record;
	const struct scope_record_thread_exit *gone = record;
	const uint32_t type = scope_record_type(chain->word);
	struct seen *seen = data;

	(void)cpu, (void)tid, (void)now_ns, (void)bytes;
	seen->types[type]++;
	if (type == SCOPE_RECORD_CHAIN) {
		seen->costs += !!(chain->flags & SCOPE_STACK_COST);
		seen->new_flags += chain->reason > SCOPE_STACK_SAMPLE ||
				   chain->flags & ~(SCOPE_STACK_IN_KERNEL | SCOPE_STACK_CUT | SCOPE_STACK_FAULT |
						    SCOPE_STACK_COST);
	}
	if (type == SCOPE_RECORD_THREAD_EXIT)
		seen->new_flags += !!(gone->flags & ~SCOPE_EXIT_LAST);
}

/* What leads to records that protocol 1 does not have: refused there, and taken from 2 on. */
static void check_asked(struct client *client, uint32_t protocol)
{
	const struct client_probe probe = { .id = 1, .kind = SCOPE_PROBE_KPROBE, .symbol = "do_nanosleep" };
	struct attributes filter = { 0 }, nest = { 0 };
	const int want = protocol < 2 ? -EPROTO : 0;
	char text[256];
	int err = client_probe_add(client, &probe);

	/* Or a kernel without kprobes. */
	CHECK(err == want || (protocol > 1 && err == -EOPNOTSUPP), "PROBE_ADD: %d %s", err, client_probe_text);
	CHECK(!want || client_told(client_probe_text, "PROTOCOL 2"), "%s", client_probe_text);
	attributes_u32(&filter, SCOPE_ATTR_SESSION, client->info.session);
	attributes_u32(&nest, SCOPE_ATTR_THREAD, getpid());
	attributes_nest(&filter, SCOPE_ATTR_TARGETS, &nest);
	err = client_raw(client, SCOPE_CMD_FILTER, filter.data, filter.bytes, text, sizeof(text));
	CHECK(err == want, "FILTER: %d %s", err, text);
	CHECK(!want || client_told(text, "PROTOCOL 2"), "%s", text);
}

/* A reader of this protocol gets no record that it cannot know. */
static void check_served(uint32_t protocol)
{
	struct seen seen = { 0 };
	uint32_t *types = seen.types, type;
	struct client client;
	char text[256];
	int i;

	client_open(&client);
	if (protocol < 2) {
		CHECK(configure(&client, protocol, SCOPE_ATTR_THREAD, text, sizeof(text)) == -EPROTO);
		CHECK(client_told(text, "PROTOCOL 2"), "%s", text);
	}
	CHECK(!configure(&client, protocol, SCOPE_ATTR_TARGET, text, sizeof(text)), "protocol %u: %s", protocol, text);
	client_map(&client);
	CHECK(!client_command(&client, SCOPE_CMD_START));
	check_asked(&client, protocol);
	for (i = 0; i < 100; i++) {
		prctl(PR_SET_NAME, i % 2 ? "protocol-odd" : "protocol-even");
		syscall(SYS_getppid);
		usleep(1);
	}
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, &seen);
	client_close(&client);
	CHECK(types[SCOPE_RECORD_SYSCALL] >= 100);
	CHECK(!types[SCOPE_RECORD_COMM] == (protocol < 2), "protocol %u: %u COMM records", protocol,
	      types[SCOPE_RECORD_COMM]);
	CHECK(types[SCOPE_RECORD_CHAIN] && !seen.costs == (protocol < 2), "protocol %u: %u chains, %u with a cost",
	      protocol, types[SCOPE_RECORD_CHAIN], seen.costs);
	CHECK(protocol > 1 || !seen.new_flags, "%u records with unknown flags", seen.new_flags);
	for (type = SCOPE_RECORD_COMM; protocol < 2 && type < 1 << SCOPE_TYPE_BITS; type++)
		CHECK(!types[type], "protocol %u: record %u", protocol, type);
}

void test_protocol(void)
{
	const uint32_t others[] = { 0, SCOPE_PROTOCOL_MIN - 1, SCOPE_PROTOCOL + 1, 1000, ~0u };
	char text[256], want[32];
	struct client client;
	uint32_t protocol;
	size_t i;

	snprintf(want, sizeof(want), "%d to %d", SCOPE_PROTOCOL_MIN, SCOPE_PROTOCOL);
	client_open(&client);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		CHECK(configure(&client, others[i], SCOPE_ATTR_TARGET, text, sizeof(text)) == -EPROTO, "%u", others[i]);
		CHECK(client_told(text, want), "%s", text);
	}
	client_close(&client);
	for (protocol = SCOPE_PROTOCOL_MIN; protocol <= SCOPE_PROTOCOL; protocol++)
		check_served(protocol);
}
