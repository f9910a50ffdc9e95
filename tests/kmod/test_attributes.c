// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every attribute of every command missing, short, long, twice, nested wrongly or in the wrong place;
 * and random messages and ioctls, while another session must not be affected.
 *
 * ROUNDS_RANDOM (3,000) is the number of random messages, SEED (1) is the seed.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <netlink/attr.h>
#include "attributes.h"
#include "tests.h"

enum { U8 = 1, U32 = 4, U64 = 8, FLAG = 0, NEST = -1 };

/*
 * The attributes that commands take, with their lengths. An attribute without a row for a command must be refused by
 * it, and a command that names no row here fails the test.
 */
#define BIT(command) (1u << (command))
#define CONFIGURE BIT(SCOPE_CMD_CONFIGURE)
#define QUERY BIT(SCOPE_CMD_QUERY)
#define SNAPSHOT BIT(SCOPE_CMD_SNAPSHOT)
#define FILTER BIT(SCOPE_CMD_FILTER)
#define STACKS BIT(SCOPE_CMD_STACKS)
#define ADD BIT(SCOPE_CMD_PROBE_ADD)
#define REMOVE BIT(SCOPE_CMD_PROBE_REMOVE)
#define NEXT BIT(SCOPE_CMD_PROBE_NEXT)
#define DELAY BIT(SCOPE_CMD_DELAY_SET)
#define DELAY_ID (DELAY | BIT(SCOPE_CMD_DELAY_REMOVE))
#define DELAY_NEXT BIT(SCOPE_CMD_DELAY_NEXT)
#define NAMED                                                                                                          \
	(CONFIGURE | BIT(SCOPE_CMD_START) | BIT(SCOPE_CMD_STOP) | QUERY | SNAPSHOT | FILTER | STACKS | ADD | REMOVE |  \
	 NEXT | DELAY_ID | DELAY_NEXT)
#define BARE (BIT(SCOPE_CMD_INFO) | BIT(SCOPE_CMD_LISTEN)) /* take nothing */
#define TOLD BIT(SCOPE_CMD_NOTICE)			   /* sent by the module, never to it */

static const struct row {
	enum scope_attr name;
	int bytes;
	uint32_t commands;
	uint32_t needed; /* commands that refuse to go without */
	bool may_be_empty;
} rows[] = {
	{ SCOPE_ATTR_PROTOCOL, U32, CONFIGURE, CONFIGURE, false },
	{ SCOPE_ATTR_SESSION, U32, NAMED, NAMED, false },
	{ SCOPE_ATTR_TARGETS, NEST, CONFIGURE | FILTER, CONFIGURE, false },
	{ SCOPE_ATTR_FOLLOW, FLAG, CONFIGURE, 0, false },
	{ SCOPE_ATTR_EVENTS, U32, CONFIGURE, 0, false },
	{ SCOPE_ATTR_SUBBUF_BYTES, U32, CONFIGURE, 0, false },
	{ SCOPE_ATTR_SUBBUF_COUNT, U32, CONFIGURE, 0, false },
	{ SCOPE_ATTR_ARG_COUNTS, SCOPE_SYSCALL_MAX, CONFIGURE, 0, false },
	{ SCOPE_ATTR_STACK_MODE, U8, CONFIGURE | STACKS, 0, false },
	{ SCOPE_ATTR_STACK_BYTES, U32, CONFIGURE | STACKS, 0, false },
	{ SCOPE_ATTR_STACK_MIN_NS, U32, CONFIGURE | STACKS, 0, false },
	{ SCOPE_ATTR_STACK_SYSCALLS, SCOPE_SYSCALL_MAX / 8, CONFIGURE | STACKS, 0, false },
	{ SCOPE_ATTR_STACKS_PER_SECOND, U32, CONFIGURE | STACKS, 0, false },
	{ SCOPE_ATTR_SAMPLE_PERIOD_NS, U32, CONFIGURE | STACKS, 0, false },
	{ SCOPE_ATTR_STACK_THREADS, SCOPE_STACK_THREADS_MAX *U32, STACKS, 0, true },
	{ SCOPE_ATTR_RING_MODE, U8, CONFIGURE, 0, false },
	{ SCOPE_ATTR_OVERHEAD_MAX, U32, CONFIGURE, 0, false },
	{ SCOPE_ATTR_KERNEL_BASE, U64, CONFIGURE, 0, false },
	{ SCOPE_ATTR_HOLD, FLAG, SNAPSHOT, 0, false },
	{ SCOPE_ATTR_REMOVE, NEST, FILTER, 0, false },
	{ SCOPE_ATTR_SYSCALLS, SCOPE_SYSCALL_MAX / 8, CONFIGURE | FILTER, 0, false },
	{ SCOPE_ATTR_CPU_FIRST, U32, QUERY, 0, false },
	{ SCOPE_ATTR_PROBE_ID, U32, ADD | REMOVE | NEXT, ADD | REMOVE, false },
	{ SCOPE_ATTR_PROBE_KIND, U8, ADD, ADD, false },
	{ SCOPE_ATTR_PROBE_SYMBOL, SCOPE_PROBE_SYMBOL_BYTES, ADD | DELAY, ADD | DELAY, false },
	{ SCOPE_ATTR_PROBE_PATH, SCOPE_PROBE_NAME_BYTES, ADD | DELAY, 0, false },
	{ SCOPE_ATTR_PROBE_OFFSET, U64, ADD | DELAY, 0, false },
	{ SCOPE_ATTR_PROBE_ARGS, U8, ADD, 0, false },
	{ SCOPE_ATTR_PROBE_FLAGS, U32, ADD, 0, false },
	{ SCOPE_ATTR_DELAY_ID, U32, DELAY_ID | DELAY_NEXT, DELAY_ID, false },
	{ SCOPE_ATTR_DELAY_SITE, U8, DELAY, DELAY, false },
	{ SCOPE_ATTR_DELAY_SYSCALL, U32, DELAY, DELAY, false },
	{ SCOPE_ATTR_DELAY_FLAGS, U32, DELAY, 0, false },
	{ SCOPE_ATTR_DELAY_NS, U64, DELAY, DELAY, false },
	{ SCOPE_ATTR_DELAY_PROBABILITY, U32, DELAY, 0, false },
	{ SCOPE_ATTR_DELAY_SEED, U64, DELAY, 0, false },
	{ SCOPE_ATTR_DELAY_HIT_MAX_NS, U64, DELAY, 0, false },
	{ SCOPE_ATTR_DELAY_SECOND_MAX_NS, U64, DELAY, 0, false },
	{ SCOPE_ATTR_DELAY_RANGES, SCOPE_DELAY_RANGES_MAX * 24, DELAY, 0, false },
	{ SCOPE_ATTR_DELAY_THREADS, SCOPE_STACK_THREADS_MAX *U32, DELAY, 0, true },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))
#define VALUE_MAX (SCOPE_DELAY_RANGES_MAX * 24)

static const struct row *row_of(int name, int command)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if ((int)rows[i].name == name && rows[i].commands & BIT(command))
			return &rows[i];
	return NULL;
}

static char text[256];

static int send_to(struct client *client, int command, const struct attributes *a)
{
	return client_raw(client, command, a->data, a->bytes, text, sizeof(text));
}

/* A value in range, for attributes that need one; user: a probe is one of a program. */
static void add_right(struct attributes *a, const struct client *client, const struct row *row, bool user)
{
	static const uint8_t zero[VALUE_MAX];

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
	case SCOPE_ATTR_PROBE_KIND:
		attributes_add(a, row->name, &(uint8_t){ user ? SCOPE_PROBE_UPROBE : SCOPE_PROBE_KPROBE }, 1);
		break;
	case SCOPE_ATTR_DELAY_SITE:
		attributes_add(a, row->name, &(uint8_t){ user ? SCOPE_DELAY_USER : SCOPE_DELAY_SYSCALL }, 1);
		break;
	case SCOPE_ATTR_PROBE_SYMBOL:
		attributes_add(a, row->name, "do_nanosleep", sizeof("do_nanosleep"));
		break;
	case SCOPE_ATTR_PROBE_PATH:
		attributes_add(a, row->name, "/proc/self/exe", sizeof("/proc/self/exe"));
		break;
	default:
		attributes_add(a, row->name, zero, row->bytes < 0 ? 0 : row->bytes);
	}
}

/* What the command needs, but for one attribute; a path is in the place of a symbol. */
static void add_needed(struct attributes *a, const struct client *client, int command, const struct row *but)
{
	bool user = but && but->name == SCOPE_ATTR_PROBE_PATH && but->commands & BIT(command);
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (&rows[i] != but && rows[i].needed & BIT(command) &&
		    !(user && rows[i].name == SCOPE_ATTR_PROBE_SYMBOL))
			add_right(a, client, &rows[i], user);
}

static void refused(struct client *client, int command, const struct attributes *a, int name, const char *how)
{
	int err = send_to(client, command, a);

	CHECK(err == -EINVAL || err == -ERANGE, "command %d, attribute %d %s: %d %s", command, name, how, err, text);
	CHECK(text[0] || client_told(text, "why"), "command %d, attribute %d %s: no word of why", command, name, how);
}

static void with_length(struct client *client, int command, const struct row *row, uint32_t bytes, const char *how)
{
	static const uint8_t data[VALUE_MAX + 8];
	struct attributes a = { 0 };

	add_needed(&a, client, command, row);
	attributes_add(&a, row->name, data, bytes);
	refused(client, command, &a, row->name, how);
}

/* Text that does not end in its attribute: the kernel must not read on after it. */
static void without_end(struct client *client, int command, const struct row *row, uint32_t bytes)
{
	struct attributes a = { 0 };
	uint8_t data[VALUE_MAX];

	memset(data, 'x', bytes);
	add_needed(&a, client, command, row);
	attributes_add(&a, row->name, data, bytes);
	refused(client, command, &a, row->name, "without its end");
}

static void twice(struct client *client, int command, const struct row *row)
{
	struct attributes a = { 0 };

	add_needed(&a, client, command, row);
	add_right(&a, client, row, false);
	add_right(&a, client, row, false);
	refused(client, command, &a, row->name, "twice");
}

/* As it should be: whatever else is wrong, it is not this attribute. */
static void taken(struct client *client, int command, const struct row *row)
{
	static const char *const shapes[] = { "does not take", "policy validation", "Unknown attribute",
					      "another length" };
	struct attributes a = { 0 };
	size_t i;
	int err;

	add_needed(&a, client, command, row);
	add_right(&a, client, row, false);
	err = send_to(client, command, &a);
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		CHECK(!strstr(text, shapes[i]), "command %d, attribute %d: %d %s", command, row->name, err, text);
	/* All else is tried on a session that is not configured. */
	if (!err && command == SCOPE_CMD_CONFIGURE) {
		client_close(client);
		client_open(client);
	}
}

static void check_row(struct client *client, int command, const struct row *row)
{
	struct attributes a = { 0 };

	taken(client, command, row);
	if (row->bytes > 0 && !row->may_be_empty)
		with_length(client, command, row, 0, "empty");
	if (row->bytes > 0)
		with_length(client, command, row, row->bytes - 1, "short");
	if (row->bytes >= 0)
		with_length(client, command, row, row->bytes + 1, "long");
	if (row->name == SCOPE_ATTR_PROBE_SYMBOL || row->name == SCOPE_ATTR_PROBE_PATH) {
		without_end(client, command, row, 4);
		without_end(client, command, row, row->bytes);
		without_end(client, command, row, row->bytes - 1);
	}
	twice(client, command, row);
	if (row->needed & BIT(command)) {
		memset(&a, 0, sizeof(a));
		add_needed(&a, client, command, row);
		refused(client, command, &a, row->name, "missing");
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

			if ((numbers && length == 4) || ((type == SCOPE_ATTR_COMM || type == SCOPE_ATTR_COMM_PREFIX) &&
							 length >= 1 && length <= SCOPE_COMM_BYTES - 1))
				continue;
			memset(&a, 0, sizeof(a));
			memset(&inner, 0, sizeof(inner));
			attributes_add(&inner, type, name, length);
			add_needed(&a, client, command, other);
			attributes_nest(&a, row->name, &inner);
			refused(client, command, &a, row->name, "with a wrong part");
		}
	}
	for (length = 0; length < 8; length++) {
		memset(&a, 0, sizeof(a));
		memset(&inner, 0, sizeof(inner));
		attributes_u32(&inner, SCOPE_ATTR_TARGET, getpid());
		inner.bytes = length;
		add_needed(&a, client, command, other);
		attributes_nest(&a, row->name, &inner);
		refused(client, command, &a, row->name, "cut short");
	}
}

static void check_command(struct client *client, int command)
{
	const struct row *row;
	struct attributes a;
	int name;

	for (name = 0; name <= SCOPE_ATTR_MAX + 1; name++) {
		row = row_of(name, command);
		if (row) {
			check_row(client, command, row);
			if (row->bytes == NEST)
				check_nest(client, command, row);
			continue;
		}
		memset(&a, 0, sizeof(a));
		add_needed(&a, client, command, NULL);
		attributes_u32(&a, name, 0);
		refused(client, command, &a, name, "where it does not belong");
	}
}

void test_attributes(void)
{
	struct client client;
	int command;

	client_open(&client);
	for (command = 0; command <= SCOPE_CMD_MAX + 1; command++) {
		if (command && command <= SCOPE_CMD_MAX && !(BIT(command) & TOLD)) {
			CHECK(BIT(command) & (NAMED | BARE), "command %d has no row in this test", command);
			check_command(&client, command);
			continue;
		}
		CHECK(client_raw(&client, command, NULL, 0, text, sizeof(text)) == -EOPNOTSUPP, "command %d: %s",
		      command, text);
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

/* Attributes that are usually right, of any kind, in any number, some inside others. */
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
		attributes_nest(a, chance(2) ? SCOPE_ATTR_TARGETS : chance(SCOPE_ATTR_MAX + 2), &inner);
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
	ioctl(client->fd, chance(2) ? _IOC(chance(4), 'S', chance(8), chance(64)) : (uint32_t)chance(1u << 31),
	      chance(2) ? (void *)words : (void *)(uintptr_t)words[0]);
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_syscall *call = record;

	(void)cpu, (void)tid, (void)now_ns, (void)bytes;
	if (scope_record_type(call->word) == SCOPE_RECORD_SYSCALL ||
	    scope_record_type(call->word) == SCOPE_RECORD_ENTER)
		*(uint32_t *)data += call->nr == SYS_getppid;
}

/*
 * The victim receives them. The other session is decoded with all checks and misses no record. Its number is never
 * guessed: numbers from 0 to 9 are tried, so enough sessions are opened before.
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
