// SPDX-License-Identifier: GPL-2.0-only
/* Readers of other releases: the module serves those it can, and tells the others its range. */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "attributes.h"
#include "tests.h"

static int configure(struct client *client, uint32_t protocol, char *text, uint32_t text_bytes)
{
	struct attributes a = { 0 };

	attributes_u32(&a, SCOPE_ATTR_SESSION, client->info.session);
	attributes_u32(&a, SCOPE_ATTR_PROTOCOL, protocol);
	attributes_targets(&a, getpid(), 1);
	return client_raw(client, SCOPE_CMD_CONFIGURE, a.data, a.bytes, text, text_bytes);
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record,
		      uint32_t bytes)
{
	uint32_t *types = data;

	(void)cpu, (void)tid, (void)now_ns, (void)bytes;
	types[scope_record_type(*(const uint32_t *)record)]++;
}

/* A reader of this protocol gets no record that it cannot know. */
static void check_served(uint32_t protocol)
{
	uint32_t types[1 << SCOPE_TYPE_BITS] = { 0 }, type;
	struct client client;
	char text[256];
	int i;

	client_open(&client);
	CHECK(!configure(&client, protocol, text, sizeof(text)), "protocol %u: %s", protocol, text);
	client_map(&client);
	CHECK(!client_command(&client, SCOPE_CMD_START));
	for (i = 0; i < 100; i++) {
		prctl(PR_SET_NAME, i % 2 ? "protocol-odd" : "protocol-even");
		syscall(SYS_getppid);
	}
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, types);
	client_close(&client);
	CHECK(types[SCOPE_RECORD_SYSCALL] >= 100);
	CHECK(!types[SCOPE_RECORD_COMM] == (protocol < 2), "protocol %u: %u COMM records", protocol,
	      types[SCOPE_RECORD_COMM]);
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
		CHECK(configure(&client, others[i], text, sizeof(text)) == -EPROTO, "%u", others[i]);
		CHECK(strstr(text, want), "%s", text);
	}
	client_close(&client);
	for (protocol = SCOPE_PROTOCOL_MIN; protocol <= SCOPE_PROTOCOL; protocol++)
		check_served(protocol);
}
