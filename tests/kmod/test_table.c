// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwind tables: walks by them, copies of the stack where a walk cannot continue, refusals, and random tables.
 *
 * This program keeps frame pointers, so one rule is enough for it. TABLES_RANDOM (300) is the number of
 * random tables, SEED (1) is the seed.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <scope/table.h>
#include "tests.h"

#define ROWS_MAX 4096
#define MAPS_MAX 64
#define SPIN_MS 200
#define ALL_ADDRESSES 0x7ffffffff000ull

#ifdef __aarch64__
#define FRAME_RULE                                                                                                     \
	{                                                                                                              \
		SCOPE_CFA_FP, SCOPE_VALUE_AT_FP, SCOPE_VALUE_AT_FP, 0, 16, 0, 8                                        \
	}
#else
#define FRAME_RULE                                                                                                     \
	{                                                                                                              \
		SCOPE_CFA_FP, SCOPE_VALUE_AT_CFA, SCOPE_VALUE_AT_CFA, 0, 16, -16, -8                                   \
	}
#endif

static const struct scope_table_rule frame_rule = FRAME_RULE, end_rule = { .cfa = SCOPE_CFA_END };

struct table {
	struct scope_table_header head;
	uint8_t rest[65536];
};

/* One row with this rule in each of the first pages. */
static void table_of(struct table *table, const struct scope_table_rule *rule, uint32_t pages)
{
	uint32_t *first, i;

	memset(table, 0, sizeof(*table));
	table->head =
		(struct scope_table_header){ .magic = SCOPE_TABLE_MAGIC, .rules = 1, .pages = pages, .rows = pages };
	memcpy(table->rest, rule, sizeof(*rule));
	first = (uint32_t *)(table->rest + sizeof(*rule));
	for (i = 0; i <= pages; i++)
		first[i] = i;
	table->head.bytes = sizeof(table->head) + sizeof(*rule) + (2 * pages + 1) * sizeof(uint32_t);
}

static int add(const struct client *client, const void *table, uint32_t bytes)
{
	const struct scope_ioc_table request = { .address = (uint64_t)table, .bytes = bytes };
	const int number = ioctl(client->fd, SCOPE_IOC_TABLE_ADD, &request);

	return number < 0 ? -errno : number;
}

static int add_table(const struct client *client, const struct table *table)
{
	return add(client, table, table->head.bytes);
}

static int set_maps(const struct client *client, uint32_t tgid, const struct scope_table_map *map, uint32_t count)
{
	const struct scope_ioc_maps request = { .address = (uint64_t)map, .count = count, .tgid = tgid };

	return ioctl(client->fd, SCOPE_IOC_MAPS_SET, &request) ? -errno : 0;
}

/* The executable mappings of a process; this program's first. own, other: tables of this program and of all else. */
static uint32_t read_maps(pid_t pid, uint32_t own, uint32_t other, struct scope_table_map *ret_map)
{
	char path[64], line[512], flags[8], name[256];
	uint64_t start, end, offset;
	uint32_t count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "r");
	CHECK(file);
	while (count < MAPS_MAX && fgets(line, sizeof(line), file)) {
		*name = 0;
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &end, flags, &offset, name) < 4 ||
		    flags[2] != 'x')
			continue;
		ret_map[count++] = (struct scope_table_map){
			.start = start,
			.end = end,
			.table = start <= (uint64_t)read_maps && end > (uint64_t)read_maps ? own : other,
		};
	}
	fclose(file);
	return count;
}

/* own: walks that began in this program, whole: those of them that came to the thread's function. */
struct seen {
	uint32_t frames, copies[SCOPE_COPY_REASONS], own, whole, longest;
};

static bool in_program(uint64_t ip)
{
	extern const char __executable_start[], etext[];

	return ip >= (uint64_t)__executable_start && ip < (uint64_t)etext;
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_frames *frames = record;
	const uint64_t *ip = (const uint64_t *)(frames + 1), begin = (uint64_t)workload_thread_main;
	const uint32_t type = scope_record_type(frames->word);
	struct seen *seen = data;

	(void)cpu, (void)now_ns, (void)tid;
	if (type == SCOPE_RECORD_STACK)
		seen->copies[frames->flags >> SCOPE_STACK_COPY_SHIFT]++;
	if (type != SCOPE_RECORD_FRAMES)
		return;
	CHECK(frames->count >= 1 && frames->count <= SCOPE_STACK_DEPTH_MAX, "%u", frames->count);
	CHECK(bytes == sizeof(*frames) + frames->count * 8u, "%u", bytes);
	CHECK(!(frames->flags >> SCOPE_STACK_COPY_SHIFT) && !frames->waited && !frames->since);
	CHECK(frames->ended & SCOPE_FRAMES_COMPLETE && frames->cost_ns);
	seen->frames++;
	if (frames->count > seen->longest)
		seen->longest = frames->count;
	if (!in_program(ip[0]))
		return;
	seen->own++;
	for (uint32_t i = 1; i < frames->count; i++)
		if (ip[i] > begin && ip[i] < begin + 1024) {
			seen->whole++;
			break;
		}
}

static void sample(struct client *client, struct workload *workload, struct seen *seen)
{
	const struct client_config config = { .pids = { workload->pid },
					      .count = 1,
					      .stack_mode = SCOPE_STACK_TABLES,
					      .stack_bytes = 4096,
					      .stack_min_ns = 1000000000,
					      .sample_period_ns = 1000000,
					      .subbuf_count = 64 };

	memset(seen, 0, sizeof(*seen));
	client_open(client);
	CHECK(!client_configure(client, &config));
	client_map(client);
}

static void run(struct client *client, struct workload *workload, struct seen *seen)
{
	struct client_counts pages;

	CHECK(!client_command(client, SCOPE_CMD_START));
	workload_go(workload);
	while (!workload_done(workload)) {
		usleep(5000);
		client_drain(client, on_record, seen);
	}
	CHECK(!client_command(client, SCOPE_CMD_STOP));
	client_drain(client, on_record, seen);
	client_pages(client, &pages);
	CHECK(!pages.lost[0] && pages.records == client->received);
	printf("# %u walked, %u from this program, %u to the thread's function, longest %u; copied:", seen->frames,
	       seen->own, seen->whole, seen->longest);
	for (uint32_t i = 0; i < SCOPE_COPY_REASONS; i++)
		printf(" %u", seen->copies[i]);
	printf("\n");
}

static void end(struct client *client, struct workload *workload)
{
	client_close(client);
	workload_end(workload);
}

static const struct workload_plan plan = { .nanosleep = 1, .spin_ms = SPIN_MS };

/* What is sampled by these two tables, of this program and of all others. whole: maps of all addresses instead. */
static void walk(const struct scope_table_rule *own, const struct scope_table_rule *other, bool whole,
		 struct seen *seen)
{
	struct scope_table_map map[MAPS_MAX];
	struct workload workload;
	struct table table[2];
	struct client client;
	uint32_t count;
	int number[2];

	workload_begin(&workload, &plan);
	sample(&client, &workload, seen);
	table_of(&table[0], own, 1024);
	table_of(&table[1], other, 1023);
	number[0] = add_table(&client, &table[0]);
	number[1] = add_table(&client, &table[1]);
	CHECK(number[0] == 1 && number[1] == 2, "%d %d", number[0], number[1]);
	CHECK(add_table(&client, &table[0]) == 1);
	count = read_maps(workload.pid, 1, 2, map);
	if (whole) {
		map[0] = (struct scope_table_map){ .end = ALL_ADDRESSES, .table = SCOPE_MAP_FRAME_POINTERS };
		count = 1;
	}
	CHECK(!set_maps(&client, workload.pid, map, count));
	run(&client, &workload, seen);
	end(&client, &workload);
}

static uint32_t copies_of(const struct seen *seen)
{
	uint32_t i, all = 0;

	for (i = 0; i < SCOPE_COPY_REASONS; i++)
		all += seen->copies[i];
	return all;
}

void test_table_walk(void)
{
	struct seen seen;

	walk(&frame_rule, &end_rule, false, &seen);
	/* While a host is slow the libraries' part of what begins and ends a thread is large. */
	CHECK(seen.own > SPIN_MS / 20 && seen.whole > seen.own * 8 / 10);
	CHECK(copies_of(&seen) <= seen.frames / 10, "%u", copies_of(&seen));
	CHECK(seen.longest >= 3);
}

/* Each way in which a walk cannot go on ends in a copy that says so. */
void test_table_copies(void)
{
	const struct scope_table_rule other = { .cfa = SCOPE_CFA_OTHER }, none = { .cfa = SCOPE_CFA_NONE };
	const struct scope_table_rule far = { SCOPE_CFA_SP, SCOPE_VALUE_SAME, SCOPE_VALUE_AT_CFA, 0, 0x7fff0000, 0, -8 };
	const struct scope_table_rule down = { SCOPE_CFA_SP, SCOPE_VALUE_SAME, SCOPE_VALUE_AT_CFA, 0, -64, 0, -8 };
	const struct {
		const struct scope_table_rule *rule;
		enum scope_copy_reason reason;
	} cases[] = { { &other, SCOPE_COPY_OTHER },
		      { &none, SCOPE_COPY_NO_TABLE },
		      { &far, SCOPE_COPY_MEMORY },
		      { &down, SCOPE_COPY_BROKEN } };
	struct workload workload;
	struct client client;
	struct seen seen;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		walk(cases[i].rule, cases[i].rule, false, &seen);
		CHECK(seen.copies[cases[i].reason] > SPIN_MS / 20 && !seen.frames, "case %zu", i);
		CHECK(copies_of(&seen) == seen.copies[cases[i].reason], "case %zu", i);
	}
	/* No mappings at all; then such that have no code where it is. */
	workload_begin(&workload, &plan);
	sample(&client, &workload, &seen);
	run(&client, &workload, &seen);
	CHECK(seen.copies[SCOPE_COPY_NO_MAPS] > SPIN_MS / 20 && !seen.frames);
	end(&client, &workload);
	workload_begin(&workload, &plan);
	sample(&client, &workload, &seen);
	CHECK(!set_maps(&client, workload.pid, &(struct scope_table_map){ .start = 4096, .end = 8192 }, 1));
	run(&client, &workload, &seen);
	CHECK(seen.copies[SCOPE_COPY_UNMAPPED] > SPIN_MS / 20 && !seen.frames);
	end(&client, &workload);
	/* By frame pointers, all through libc. */
	walk(&frame_rule, &end_rule, true, &seen);
	CHECK(seen.frames + copies_of(&seen) > SPIN_MS / 20);
}

/* A child that executed nothing has the mappings of its parent. */
void test_table_fork(void)
{
	struct scope_table_map map[MAPS_MAX];
	struct client_config config = { .count = 1,
					.follow = true,
					.stack_mode = SCOPE_STACK_TABLES,
					.stack_bytes = 4096,
					.stack_min_ns = 1000000000,
					.sample_period_ns = 1000000,
					.subbuf_count = 64 };
	struct seen seen = { 0 };
	struct client client;
	struct table table;
	pid_t child;

	config.pids[0] = getpid();
	client_open(&client);
	CHECK(!client_configure(&client, &config));
	client_map(&client);
	table_of(&table, &frame_rule, 1024);
	CHECK(add_table(&client, &table) == 1);
	table_of(&table, &end_rule, 1024);
	CHECK(add_table(&client, &table) == 2);
	CHECK(!set_maps(&client, getpid(), map, read_maps(getpid(), 1, 2, map)));
	CHECK(!client_command(&client, SCOPE_CMD_START));
	child = fork();
	if (!child) {
		for (volatile uint32_t i = 0; i < 200000000; i++)
			;
		_exit(0);
	}
	usleep(SPIN_MS * 1000);
	kill(child, SIGKILL);
	CHECK(waitpid(child, NULL, 0) == child);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, &seen);
	printf("# %u walked, %u copied\n", seen.frames, copies_of(&seen));
	CHECK(seen.frames > SPIN_MS / 20 && copies_of(&seen) <= seen.frames / 4);
	client_close(&client);
}

static void refuse_table(const struct client *client, const struct table *good, uint32_t at, uint32_t value)
{
	struct table bad = *good;

	memcpy((uint8_t *)&bad + at, &value, sizeof(value));
	CHECK(add(client, &bad, good->head.bytes) == -EINVAL, "at %u: %u", at, value);
}

#define HEAD(member) offsetof(struct scope_table_header, member)
#define RULE(member) (sizeof(struct scope_table_header) + offsetof(struct scope_table_rule, member))

void test_table_refuse(void)
{
	const uint32_t first = sizeof(struct scope_table_header) + sizeof(struct scope_table_rule);
	struct client_config config = { .pids = { (uint32_t)getpid() }, .count = 1 };
	struct scope_table_map map[2] = { { .start = 1, .end = 2 }, { .start = 2, .end = 3 } };
	struct scope_ioc_table request = { 0 };
	struct client client;
	struct table table;

	table_of(&table, &frame_rule, 4);
	client_open(&client);
	CHECK(add_table(&client, &table) == -EINVAL);
	CHECK(set_maps(&client, (uint32_t)getpid(), map, 2) == -EINVAL);
	CHECK(!client_configure(&client, &config));
	refuse_table(&client, &table, HEAD(magic), 1);
	refuse_table(&client, &table, HEAD(bytes), table.head.bytes + 4);
	refuse_table(&client, &table, HEAD(rules), 0);
	refuse_table(&client, &table, HEAD(rules), 2);
	refuse_table(&client, &table, HEAD(rules), UINT32_MAX);
	refuse_table(&client, &table, HEAD(pages), UINT32_MAX);
	refuse_table(&client, &table, HEAD(rows), UINT32_MAX);
	refuse_table(&client, &table, HEAD(zero), 1);
	refuse_table(&client, &table, HEAD(start), 4096);
	refuse_table(&client, &table, RULE(cfa), SCOPE_CFA_KINDS);
	refuse_table(&client, &table, RULE(cfa), SCOPE_CFA_FP | 2 << 24);
	refuse_table(&client, &table, first, 1);
	refuse_table(&client, &table, first + 4, UINT32_MAX);
	refuse_table(&client, &table, first + 4 * 4, 3);
	refuse_table(&client, &table, first + 5 * 4, 1); /* a rule that is not there */
	table.head.rows = 5;
	table.head.bytes += 4;
	memcpy((uint8_t *)&table + first + 4 * 4, &(uint32_t){ 5 },
	       4); /* the last page has two rows, the second not later */
	CHECK(add_table(&client, &table) == -EINVAL);
	table_of(&table, &frame_rule, 4);
	CHECK(add(&client, &table, 0) == -EINVAL && add(&client, &table, 16) == -EINVAL);
	CHECK(add(&client, &table, SCOPE_TABLE_BYTES_MAX + 1) == -E2BIG);
	CHECK(add(&client, (void *)16, table.head.bytes) == -EFAULT);
	request.zero = 1;
	CHECK(ioctl(client.fd, SCOPE_IOC_TABLE_ADD, &request) && errno == EINVAL);
	CHECK(add_table(&client, &table) == 1);
	CHECK(!set_maps(&client, (uint32_t)getpid(), map, 2));
	CHECK(!set_maps(&client, (uint32_t)getpid(), map, 0));
	map[0].table = 2;
	CHECK(set_maps(&client, (uint32_t)getpid(), map, 2) == -EINVAL);
	map[0].table = 1;
	map[0].end = 3;
	CHECK(set_maps(&client, (uint32_t)getpid(), map, 2) == -EINVAL);
	map[0].end = 1;
	CHECK(set_maps(&client, (uint32_t)getpid(), map, 1) == -EINVAL);
	map[0].end = 2;
	map[0].zero = 1;
	CHECK(set_maps(&client, (uint32_t)getpid(), map, 1) == -EINVAL);
	map[0].zero = 0;
	CHECK(set_maps(&client, 4194304, map, 1) == -ESRCH);
	CHECK(set_maps(&client, (uint32_t)getpid(), map, SCOPE_TABLE_MAPS_MAX + 1) == -E2BIG);
	CHECK(set_maps(&client, (uint32_t)getpid(), (void *)16, 1) == -EFAULT);
	CHECK(!client_command(&client, SCOPE_CMD_START) && !client_command(&client, SCOPE_CMD_STOP));
	CHECK(add_table(&client, &table) == -ESHUTDOWN && set_maps(&client, (uint32_t)getpid(), map, 1) == -ESHUTDOWN);
	client_close(&client);
}

/* A table is there once, whatever the number of sessions, and its memory is counted in each of them. */
void test_table_shared(void)
{
	struct client_config config = { .pids = { (uint32_t)getpid() }, .count = 1 };
	const uint32_t bytes = 1 << 20;
	uint8_t *big = calloc(1, bytes);
	struct client_counts before, after;
	struct client client[3];
	struct table table;
	uint32_t rows = (bytes - sizeof(struct scope_table_header) - sizeof(frame_rule) - 65 * 4) / 4, left = rows, i,
		 j;
	uint32_t *first;

	table_of(&table, &frame_rule, 64);
	memcpy(big, &table, sizeof(table.head) + sizeof(frame_rule));
	first = (uint32_t *)(big + sizeof(table.head) + sizeof(frame_rule));
	for (i = 0; i < 64; i++, left -= left < 65536 ? left : 65536) {
		first[i + 1] = first[i] + (left < 65536 ? left : 65536);
		for (j = first[i]; j < first[i + 1]; j++)
			first[65 + j] = (j - first[i]) << 16;
	}
	((struct scope_table_header *)big)->rows = rows;
	((struct scope_table_header *)big)->bytes = bytes;
	for (i = 0; i < 3; i++) {
		client_open(&client[i]);
		CHECK(!client_configure(&client[i], &config));
		CHECK(!client_query(&client[i], &before));
		CHECK(add(&client[i], big, bytes) == 1);
		CHECK(!client_query(&client[i], &after));
		CHECK(after.memory == before.memory + bytes, "%lu %lu", after.memory, before.memory);
	}
	client_close(&client[0]);
	client_close(&client[2]);
	CHECK(add(&client[1], big, bytes) == 1);
	client_close(&client[1]);
	free(big);
}

static uint32_t any(uint32_t below)
{
	return (uint32_t)random() % below;
}

/* Well-formed but for what damage() does to it, with rules that lead anywhere. */
static void random_table(struct table *table)
{
	const uint32_t rules = 1 + any(8), pages = 1 + any(16);
	struct scope_table_rule rule;
	uint32_t *first, i, rows = 0;

	memset(table, 0, sizeof(*table));
	for (i = 0; i < rules; i++) {
		rule = (struct scope_table_rule){
			.cfa = (uint8_t)any(SCOPE_CFA_KINDS),
			.fp = (uint8_t)any(SCOPE_VALUE_KINDS),
			.ra = (uint8_t)any(SCOPE_VALUE_KINDS),
			.flags = any(4) ? 0 : SCOPE_RULE_SIGNAL,
			.cfa_offset = any(4) ? (int32_t)any(256) - 64 : (int32_t)random(),
			.fp_offset = any(4) ? (int32_t)any(256) - 128 : (int32_t)random(),
			.ra_offset = any(4) ? (int32_t)any(64) - 32 : -(int32_t)random(),
		};
		memcpy(table->rest + i * sizeof(rule), &rule, sizeof(rule));
	}
	first = (uint32_t *)(table->rest + rules * sizeof(rule));
	for (i = 0; i < pages; i++) {
		uint32_t in_page = any(40), at = 0;

		first[i] = rows;
		while (in_page-- && at < 65536) {
			first[pages + 1 + rows++] = at << 16 | any(rules);
			at += 1 + any(3000);
		}
	}
	first[pages] = rows;
	table->head =
		(struct scope_table_header){ .magic = SCOPE_TABLE_MAGIC, .rules = rules, .pages = pages, .rows = rows };
	table->head.bytes = sizeof(table->head) + rules * sizeof(rule) + (pages + 1 + rows) * sizeof(uint32_t);
}

static uint32_t random_maps(pid_t pid, uint32_t tables, struct scope_table_map *map)
{
	uint32_t count = read_maps(pid, 1, 1, map), i;

	if (!any(4)) {
		map[0] = (struct scope_table_map){ .end = ALL_ADDRESSES };
		count = 1;
	}
	for (i = 0; i < count; i++) {
		map[i].table = any(8) ? any(tables + 1) : SCOPE_MAP_FRAME_POINTERS;
		map[i].link = any(4) ? any(1 << 20) : (uint64_t)random() << 33;
	}
	return count;
}

/* Whatever is in them, walks stay within their bounds while tables and mappings change under them. */
/* Says whether a process ran at all: its state, and its times on a CPU and in the run queue. */
static void print_state(pid_t pid)
{
	static const char *const files[] = { "stat", "schedstat", "wchan" };
	char path[64], line[512];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/%s", pid, files[i]);
		file = fopen(path, "r");
		printf("# no sample of the workload; %s: %s\n", path,
		       file && fgets(line, sizeof(line), file) ? line : "?");
		if (file)
			fclose(file);
	}
}

void test_table_random(void)
{
	const char *rounds_text = getenv("TABLES_RANDOM"), *seed = getenv("SEED");
	const uint32_t rounds = rounds_text ? (uint32_t)atoi(rounds_text) : 300;
	const struct workload_plan forever = { .nanosleep = 1, .spin_ms = 100000000 };
	struct client_config config = { .count = 1,
					.stack_mode = SCOPE_STACK_TABLES,
					.stack_bytes = 512,
					.stack_min_ns = 1000000000,
					.sample_period_ns = 1000000,
					.subbuf_count = 64 };
	struct scope_table_map map[MAPS_MAX];
	uint32_t tables = 0, refused = 0, done = 0, bytes;
	struct workload workload;
	struct seen seen = { 0 };
	struct client client;
	struct table table;

	srandom(seed ? (unsigned int)atoi(seed) : 1);
	workload_begin(&workload, &forever);
	workload_go(&workload);
	config.pids[0] = (uint32_t)workload.pid;
	/* On a busy host the workload may not have run by then. */
	for (; done < rounds || (done < 100 * rounds && !(seen.frames && copies_of(&seen))); done++) {
		if (!(done % 500)) {
			if (done)
				client_close(&client);
			client_open(&client);
			CHECK(!client_configure(&client, &config));
			client_map(&client);
			CHECK(!client_command(&client, SCOPE_CMD_START));
			tables = 0;
		}
		random_table(&table);
		bytes = table.head.bytes;
		if (!any(3))
			for (uint32_t edits = 1 + any(4); edits--;)
				((uint8_t *)&table)[any(bytes)] ^= (uint8_t)(1u << any(8));
		if (add(&client, &table, bytes) > 0)
			tables++;
		else
			refused++;
		if (tables) {
			const int err =
				set_maps(&client, (uint32_t)workload.pid, map, random_maps(workload.pid, tables, map));

			CHECK(!err || err == -EINVAL, "%d", err);
		}
		if (!(done % 8)) {
			usleep(1000);
			client_drain(&client, on_record, &seen);
		}
	}
	client_close(&client);
	if (!seen.frames && !copies_of(&seen))
		print_state(workload.pid);
	workload_end(&workload);
	printf("# %u tables, %u refused; %u walked, %u copied\n", done, refused, seen.frames, copies_of(&seen));
	CHECK(refused && refused < done && seen.frames && copies_of(&seen));
}
