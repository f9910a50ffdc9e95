// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every attribute of every command missing, short, long, twice, nested wrongly or in the wrong place;
 * and messages and ioctls at random, beside a session that must not notice.
 *
 * ROUNDS_RANDOM (3,000) is the number of random ones, SEED (1) where they begin.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <netlink/attr.h>
#include "attributes.h"
#include "tests.h"

enum { U8 = 1, U32 = 4, U64 = 8, FLAG = 0, NEST = -1 };

/* What may stand in a message, with its length, and by which commands it is taken. */
#define BIT(command) (1u << (command))
#define NAMED (BIT(SCOPE_CMD_CONFIGURE) | BIT(SCOPE_CMD_START) | BIT(SCOPE_CMD_STOP) |           \
	       BIT(SCOPE_CMD_QUERY) | BIT(SCOPE_CMD_SNAPSHOT) | BIT(SCOPE_CMD_FILTER))
#define CONFIGURE BIT(SCOPE_CMD_CONFIGURE)
#define FILTER BIT(SCOPE_CMD_FILTER)

static const struct row {
	enum scope_attr name;
	int bytes;
	uint32_t commands;
	uint32_t needed; /* commands that refuse to go without */
} rows[] = {
	{ SCOPE_ATTR_PROTOCOL, U32, CONFIGURE, CONFIGURE },
	{ SCOPE_ATTR_SESSION, U32, NAMED, NAMED },
	{ SCOPE_ATTR_TARGETS, NEST, CONFIGURE | FILTER, CONFIGURE },
	{ SCOPE_ATTR_FOLLOW, FLAG, CONFIGURE, 0 },
	{ SCOPE_ATTR_EVENTS, U32, CONFIGURE, 0 },
	{ SCOPE_ATTR_SUBBUF_BYTES, U32, CONFIGURE, 0 },
	{ SCOPE_ATTR_SUBBUF_COUNT, U32, CONFIGURE, 0 },
	{ SCOPE_ATTR_ARG_COUNTS, SCOPE_SYSCALL_MAX, CONFIGURE, 0 },
	{ SCOPE_ATTR_STACK_MODE, U8, CONFIGURE, 0 },
	{ SCOPE_ATTR_STACK_BYTES, U32, CONFIGURE, 0 },
	{ SCOPE_ATTR_STACK_MIN_NS, U32, CONFIGURE, 0 },
	{ SCOPE_ATTR_STACK_SYSCALLS, SCOPE_SYSCALL_MAX / 8, CONFIGURE, 0 },
	{ SCOPE_ATTR_STACKS_PER_SECOND, U32, CONFIGURE, 0 },
	{ SCOPE_ATTR_SAMPLE_PERIOD_NS, U32, CONFIGURE, 0 },
	{ SCOPE_ATTR_RING_MODE, U8, CONFIGURE, 0 },
	{ SCOPE_ATTR_HOLD, FLAG, BIT(SCOPE_CMD_SNAPSHOT), 0 },
	{ SCOPE_ATTR_REMOVE, NEST, FILTER, 0 },
	{ SCOPE_ATTR_SYSCALLS, SCOPE_SYSCALL_MAX / 8, CONFIGURE | FILTER, 0 },
	/* answers, and parts of nests: no command takes them by themselves */
	{ SCOPE_ATTR_TARGET, U32, 0, 0 },
	{ SCOPE_ATTR_THREAD, U32, 0, 0 },
	{ SCOPE_ATTR_COMM, 4, 0, 0 },
	{ SCOPE_ATTR_CGROUP, NEST, 0, 0 },
	{ SCOPE_ATTR_RECORDS, U64, 0, 0 },
	{ SCOPE_ATTR_CPUS, NEST, 0, 0 },
	{ SCOPE_ATTR_PROTOCOL_MIN, U32, 0, 0 },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static char text[256];

static int send_to(struct client *client, int command, const struct attributes *a)
{
	return client_raw(client, command, a->data, a->bytes, text, sizeof(text));
}

/* A value that is in range for what needs one. */
static void add_right(struct attributes *a, const struct client *client, const struct row *row)
{
	uint8_t bytes[SCOPE_SYSCALL_MAX] = { 0 };

	switch (row->name) {
	case SCOPE_ATTR_SESSION:
		attributes_u32(a, row->name, client->info.session);
		break;
	case SCOPE_ATTR_PROTOCOL:
		attributes_u32(a, row->name, SCOPE_PROTOCOL);
		break;
	case SCOPE_ATTR_TARGETS:
		attributes_targets(a, getpid(), 1);
		break;
	case SCOPE_ATTR_SUBBUF_BYTES:
		attributes_u32(a, row->name, SCOPE_SUBBUF_BYTES_DEFAULT);
		break;
	case SCOPE_ATTR_SUBBUF_COUNT:
		attributes_u32(a, row->name, SCOPE_SUBBUF_COUNT_DEFAULT);
		break;
	default:
		attributes_add(a, row->name, bytes, row->bytes < 0 ? 0 : row->bytes);
	}
}

/* What the command needs, but for one attribute. */
static void add_needed(struct attributes *a, const struct client *client, int command,
		       const struct row *but)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (&rows[i] != but && rows[i].needed & BIT(command))
			add_right(a, client, &rows[i]);
}

static void refused(struct client *client, int command, const struct attributes *a,
		    const struct row *row, const char *how)
{
	int err = send_to(client, command, a);

	CHECK(err == -EINVAL || err == -ERANGE, "command %d, attribute %d %s: %d %s", command,
	      row->name, how, err, text);
	CHECK(text[0], "command %d, attribute %d %s: no word of why", command, row->name, how);
}

static void with_length(struct client *client, int command, const struct row *row, uint32_t bytes,
			const char *how)
{
	const uint8_t data[SCOPE_SYSCALL_MAX + 8] = { 0 };
	struct attributes a = { 0 };

	add_needed(&a, client, command, row);
	attributes_add(&a, row->name, data, bytes);
	refused(client, command, &a, row, how);
}

static void twice(struct client *client, int command, const struct row *row)
{
	struct attributes a = { 0 };

	add_needed(&a, client, command, row);
	add_right(&a, client, row);
	add_right(&a, client, row);
	refused(client, command, &a, row, "twice");
}

static void check_row(struct client *client, int command, const struct row *row)
{
	struct attributes a = { 0 };

	if (!(row->commands & BIT(command))) {
		add_needed(&a, client, command, row);
		add_right(&a, client, row);
		refused(client, command, &a, row, "where it does not belong");
		return;
	}
	if (row->bytes > 0) {
		with_length(client, command, row, 0, "empty");
		with_length(client, command, row, row->bytes - 1, "short");
	}
	if (row->bytes >= 0)
		with_length(client, command, row, row->bytes + 1, "long");
	twice(client, command, row);
	if (row->needed & BIT(command)) {
		memset(&a, 0, sizeof(a));
		add_needed(&a, client, command, row);
		refused(client, command, &a, row, "missing");
	}
}

/* Inside a nest: every attribute that does not belong, lengths that are wrong, a cut end. */
static void check_nest(struct client *client, int command, const struct row *row)
{
	const struct row *other = command == SCOPE_CMD_FILTER ? NULL : row;
	uint8_t name[SCOPE_COMM_BYTES + 1];
	struct attributes a, inner;
	int type, length;

	memset(name, 'n', sizeof(name));
	for (type = 0; type <= SCOPE_ATTR_MAX + 1; type++) {
		for (length = 0; length <= SCOPE_COMM_BYTES + 1; length++) {
			bool numbers = type == SCOPE_ATTR_TARGET || type == SCOPE_ATTR_THREAD;

			if ((numbers && length == 4) ||
			    ((type == SCOPE_ATTR_COMM || type == SCOPE_ATTR_COMM_PREFIX) &&
			     length >= 1 && length <= SCOPE_COMM_BYTES - 1))
				continue;
			memset(&a, 0, sizeof(a));
			memset(&inner, 0, sizeof(inner));
			attributes_add(&inner, type, name, length);
			add_needed(&a, client, command, other);
			attributes_nest(&a, row->name, &inner);
			refused(client, command, &a, row, "with a wrong part");
		}
	}
	for (length = 0; length < 8; length++) {
		memset(&a, 0, sizeof(a));
		memset(&inner, 0, sizeof(inner));
		attributes_u32(&inner, SCOPE_ATTR_TARGET, getpid());
		inner.bytes = length;
		add_needed(&a, client, command, other);
		attributes_nest(&a, row->name, &inner);
		refused(client, command, &a, row, "cut short");
	}
}

void test_attributes(void)
{
	struct client client;
	int command;
	size_t i;

	client_open(&client);
	for (command = SCOPE_CMD_INFO; command <= SCOPE_CMD_FILTER; command++)
		for (i = 0; i < ROWS; i++) {
			check_row(&client, command, &rows[i]);
			if (rows[i].bytes == NEST && rows[i].commands & BIT(command))
				check_nest(&client, command, &rows[i]);
		}
	/* After all that the session is as new. */
	client_close(&client);
}

static uint64_t state;

static uint32_t chance(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((state >> 33) % below);
}

/* Attributes that are right as a rule, of any kind, in any number, some inside others. */
static void add_random(struct attributes *a, uint32_t session, int depth)
{
	uint8_t data[64];
	uint32_t i, bytes = chance(4) ? 4 : chance(sizeof(data));

	for (i = 0; i < sizeof(data); i++)
		data[i] = chance(3) ? 0 : chance(256);
	if (!chance(3))
		memcpy(data, &(uint32_t){ getpid() }, 4);
	if (depth && !chance(3)) {
		struct attributes inner = { 0 };

		for (i = chance(4); i--;)
			add_random(&inner, session, depth - 1);
		attributes_nest(a, chance(2) ? SCOPE_ATTR_TARGETS : chance(SCOPE_ATTR_MAX + 2),
				&inner);
	} else if (!chance(3)) {
		attributes_u32(a, SCOPE_ATTR_SESSION, chance(4) ? session : chance(10));
	} else {
		attributes_add(a, chance(SCOPE_ATTR_MAX + 2), data, bytes);
	}
}

static void random_ioctl(const struct client *client)
{
	static uint64_t words[64];
	size_t i;

	for (i = 0; i < 8; i++)
		words[i] = chance(2) ? chance(4) : (uint64_t)chance(1u << 31) << 33 | chance(1u << 31);
	ioctl(client->fd, chance(2) ? _IOC(chance(4), 'S', chance(8), chance(64))
				    : (uint32_t)chance(1u << 31),
	      chance(2) ? (void *)words : (void *)(uintptr_t)words[0]);
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record,
		      uint32_t bytes)
{
	const struct scope_record_syscall *call = record;

	(void)cpu, (void)tid, (void)now_ns, (void)bytes;
	if (scope_record_type(call->word) == SCOPE_RECORD_SYSCALL ||
	    scope_record_type(call->word) == SCOPE_RECORD_ENTER)
		*(uint32_t *)data += call->nr == SYS_getppid;
}

/*
 * The victim takes what comes; the other session is decoded with all checks and misses nothing. Its
 * number is never guessed: numbers from 0 to 9 are tried, so enough are opened before.
 */
void test_random(void)
{
	const char *rounds = getenv("ROUNDS_RANDOM"), *seed = getenv("SEED");
	uint64_t left = rounds ? strtoull(rounds, NULL, 0) : 3000;
	struct client_config config = { .count = 1, .pids = { getpid() }, .subbuf_count = 64 };
	struct client witness, victim, first;
	struct client_counts pages;
	uint32_t calls = 0, made = 0;
	int i;

	state = seed ? strtoull(seed, NULL, 0) : 1;
	for (i = 0; i < 10; i++) {
		client_open(&first);
		client_close(&first);
	}
	client_begin(&witness, &config);
	client_open(&victim);
	while (left--) {
		struct attributes a = { 0 };

		for (i = chance(5); i--;)
			add_random(&a, victim.info.session, 2);
		if (chance(8))
			attributes_u32(&a, SCOPE_ATTR_SESSION, victim.info.session);
		client_raw(&victim, chance(SCOPE_CMD_MAX + 2), a.data, a.bytes, text, sizeof(text));
		random_ioctl(&victim);
		syscall(SYS_getppid);
		made++;
		client_drain(&witness, on_record, &calls);
		if (!chance(50)) {
			client_close(&victim);
			client_open(&victim);
		}
	}
	client_close(&victim);
	CHECK(!client_command(&witness, SCOPE_CMD_STOP));
	client_drain(&witness, on_record, &calls);
	client_pages(&witness, &pages);
	CHECK(!pages.lost[0] && !pages.lost[1] && pages.records == witness.received);
	CHECK(calls >= made, "%u of %u calls", calls, made);
	printf("# %u messages, %lu records beside them\n", made, witness.received);
	client_close(&witness);
}
