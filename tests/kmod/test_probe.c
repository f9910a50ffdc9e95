// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes set at run time: each hit by a traced thread is recorded with the right words, and hits of other threads are not. No place of a
 * probe, and no time of setting or removing it, does any harm.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include "client_probe.h"
#include "other_probe.h"
#include "puppet.h"
#include "tests.h"

#define CALLS 2000
#define OWN_PATH "/proc/self/exe"
#define GETPPID client_probe_function(CLIENT_GETPPID)
#define OPEN client_probe_function(CLIENT_OPEN)
#define INT3 client_probe_function(CLIENT_INT3)

/* What came, by id of the probe. CPUs are read one by one, so calls do not come in their order. */
struct hits {
	uint32_t records[8], right[8], stacks;
	uint8_t nth[8][CALLS]; /* of puppet_function: how often with this argument */
	uint32_t last_type[CLIENT_CPUS];
	int32_t parent; /* what getppid returns to the traced process */
};

/* Its words are those of one and the same call. */
static bool is_right(const struct hits *hits, const struct scope_record_probe *probe)
{
	const uint64_t *arg = (const uint64_t *)(probe + 1);

	switch (probe->id) {
	case 1: /* kprobe on getppid */
		return !probe->flags && !probe->args;
	case 2: /* its return */
		return probe->flags == SCOPE_PROBE_RETURN && probe->args == 1 && (int64_t)arg[0] == hits->parent;
	case 3: /* do_sys_openat2: the path is a string of the program, at the same place always */
		return !probe->flags && probe->args == 2 && (int32_t)arg[0] == AT_FDCWD && arg[1];
	case 4: /* puppet_function */
		return probe->flags == SCOPE_PROBE_USER && probe->args == 3 && arg[0] < CALLS && arg[1] == 2 * arg[0] &&
		       arg[2] == 3 * arg[0];
	case 5: /* its return */
		return probe->flags == (SCOPE_PROBE_USER | SCOPE_PROBE_RETURN) && probe->args == 1 && arg[0] % 7 == 0 &&
		       arg[0] / 7 < CALLS;
	}
	return false;
}

static void on_probe(struct hits *hits, const struct scope_record_probe *probe)
{
	const uint64_t *arg = (const uint64_t *)(probe + 1);

	hits->records[probe->id]++;
	if (!is_right(hits, probe))
		return;
	hits->right[probe->id]++;
	if (probe->id == 4)
		hits->nth[4][arg[0]]++;
	else if (probe->id == 5)
		hits->nth[5][arg[0] / 7]++;
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_probe *probe = record;
	const struct scope_record_stack *stack = record;
	uint32_t type = scope_record_type(probe->word);
	struct hits *hits = data;

	(void)now_ns, (void)bytes;
	if (type == SCOPE_RECORD_PROBE) {
		CHECK(tid && probe->id < 8);
		on_probe(hits, probe);
	} else if ((type == SCOPE_RECORD_STACK || type == SCOPE_RECORD_CHAIN) && stack->reason == SCOPE_STACK_PROBE) {
		CHECK(hits->last_type[cpu] == SCOPE_RECORD_PROBE);
		hits->stacks++;
	}
	hits->last_type[cpu] = type;
}

static void begin(struct client *client, struct puppet *puppet, const char *path)
{
	struct client_config config = { .count = 1, .follow = true, .subbuf_count = 64 };

	puppet_begin(puppet, path);
	config.pids[0] = puppet->pid;
	client_begin(client, &config);
}

static void end(struct client *client, struct puppet *puppet, struct hits *hits)
{
	struct client_counts pages;

	CHECK(!client_command(client, SCOPE_CMD_STOP));
	client_drain(client, on_record, hits);
	client_pages(client, &pages);
	CHECK(!pages.lost[0] && !pages.lost[1] && !pages.lost[2], "lost %lu %lu %lu", pages.lost[0], pages.lost[1],
	      pages.lost[2]);
	client_close(client);
	puppet_end(puppet);
}

static void must(struct client *client, const struct client_probe *probe)
{
	int err = client_probe_add(client, probe);

	CHECK(!err, "probe %u: %s: %s", probe->id, strerror(-err), client_probe_text);
}

/* Calls of puppet_function: the number of the first, and how often each comes. */
static void expect_each(const struct hits *hits, uint32_t id, uint32_t calls, uint32_t times)
{
	uint32_t nth;

	for (nth = 0; nth < calls; nth++)
		CHECK(hits->nth[id][nth] == times, "probe %u, call %u: %u times, not %u", id, nth, hits->nth[id][nth],
		      times);
}

/* That number of records came of it, all right, and its count is the same. */
static void expect(struct client *client, const struct hits *hits, uint32_t id, uint32_t count)
{
	CHECK(hits->records[id] == count && hits->right[id] == count, "probe %u: %u records, %u right", id,
	      hits->records[id], hits->right[id]);
	if (client)
		CHECK(client_probe_hits(client, id) == count, "probe %u: %lu hits", id, client_probe_hits(client, id));
}

void test_probe_kernel(void)
{
	const struct client_probe entry = { .id = 1, .kind = SCOPE_PROBE_KPROBE, .symbol = GETPPID };
	const struct client_probe back = { .id = 2, .kind = SCOPE_PROBE_KRETPROBE, .symbol = GETPPID, .args = 1 };
	const struct client_probe open = { .id = 3, .kind = SCOPE_PROBE_KPROBE, .symbol = OPEN, .args = 2 };
	struct client_probe_state state;
	struct hits hits = { .parent = getpid() };
	struct puppet puppet, other;
	struct client client;

	begin(&client, &puppet, NULL);
	puppet_begin(&other, NULL);
	must(&client, &entry);
	must(&client, &back);
	must(&client, &open);
	CHECK(client_probe_add(&client, &open) == -EEXIST);
	puppet_start(&other, PUPPET_GETPPID, CALLS); /* not traced */
	puppet_do(&puppet, PUPPET_GETPPID, CALLS);
	puppet_do(&puppet, PUPPET_OPEN, CALLS);
	puppet_wait(&other);
	CHECK(!client_probe_next(&client, 2, &state) && state.id == 2 && state.kind == SCOPE_PROBE_KRETPROBE &&
	      !strcmp(state.name, GETPPID));
	CHECK(client_probe_next(&client, 4, &state) == -ENOENT);
	CHECK(client_probe_hits(&client, 1) == CALLS && client_probe_hits(&client, 2) == CALLS);
	CHECK(!client_probe_remove(&client, 1) && client_probe_remove(&client, 1) == -ENOENT);
	puppet_do(&puppet, PUPPET_GETPPID, CALLS);
	/* The same number may come again, and count from 0. */
	must(&client, &entry);
	puppet_do(&puppet, PUPPET_GETPPID, CALLS / 2);
	CHECK(client_probe_hits(&client, 1) == CALLS / 2);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	CHECK(client_probe_hits(&client, 2) == CALLS * 2 + CALLS / 2); /* it can be asked later */
	CHECK(client_probe_add(&client, &entry) == -ESHUTDOWN);
	client_drain(&client, on_record, &hits);
	expect(NULL, &hits, 1, CALLS + CALLS / 2);
	expect(&client, &hits, 2, CALLS * 2 + CALLS / 2);
	expect(&client, &hits, 3, CALLS);
	client_close(&client);
	puppet_end(&puppet);
	puppet_end(&other);
}

void test_probe_user(void)
{
	struct client_probe entry = {
		.id = 4, .kind = SCOPE_PROBE_UPROBE, .path = OWN_PATH, .offset = puppet_function_offset(), .args = 3
	};
	struct client_probe back = {
		.id = 5, .kind = SCOPE_PROBE_URETPROBE, .path = OWN_PATH, .offset = puppet_function_offset(), .args = 1
	};
	struct hits hits = { 0 };
	struct puppet puppet, other;
	struct client client;

	begin(&client, &puppet, NULL);
	puppet_begin(&other, NULL);
	must(&client, &entry);
	must(&client, &back);
	puppet_do(&other, PUPPET_FUNCTION, CALLS); /* not traced */
	puppet_do(&puppet, PUPPET_FUNCTION, CALLS);
	/* A process that begins later, by fork and exec. */
	puppet_do(&puppet, PUPPET_SPAWN, CALLS);
	CHECK(client_probe_hits(&client, 4) == 2 * CALLS && client_probe_hits(&client, 5) == 2 * CALLS, "%lu, %lu",
	      client_probe_hits(&client, 4), client_probe_hits(&client, 5));
	CHECK(!client_probe_remove(&client, 4));
	puppet_do(&puppet, PUPPET_FUNCTION, CALLS);
	end(&client, &puppet, &hits);
	expect(NULL, &hits, 4, 2 * CALLS);
	expect_each(&hits, 4, CALLS, 2);
	expect(NULL, &hits, 5, 3 * CALLS);
	expect_each(&hits, 5, CALLS, 3);
	puppet_end(&other);
}

#define WANT(client, want, words, ...)                                                                                 \
	do {                                                                                                           \
		const struct client_probe wrong = { .id = 7, __VA_ARGS__ };                                            \
		int got = client_probe_add(client, &wrong);                                                            \
		CHECK(got == (want), "%d, %s", got, client_probe_text);                                                \
		CHECK(client_told(client_probe_text, words), "%s", client_probe_text);                                 \
	} while (0)

/*
 * Before 3.16 the kernel reads the instruction by the file system's readpage(), which a tmpfs has not. A process runs
 * the program, or nothing would be read yet.
 */
static bool is_refused_on_tmpfs(struct client *client, const char *path)
{
	if (!other_probe_cannot_read(path))
		return false;
	WANT(client, -EIO, "cannot be probed", .kind = SCOPE_PROBE_UPROBE, .path = path,
	     .offset = puppet_function_offset());
	printf("# skipped: this kernel cannot probe programs on a tmpfs\n");
	return true;
}

/* The program's file goes, before the probe is set and after. */
void test_probe_deleted(void)
{
	char path[64], command[PATH_MAX + 64];
	struct client_probe probe = {
		.id = 4, .kind = SCOPE_PROBE_UPROBE, .path = path, .offset = puppet_function_offset(), .args = 3
	};
	struct hits hits = { 0 };
	struct puppet puppet;
	struct client client;
	int round;

	for (round = 0; round < 2; round++) {
		memset(&hits, 0, sizeof(hits));
		snprintf(command, sizeof(command), "cp /proc/%d/exe /tmp/puppet", getpid());
		CHECK(!system(command));
		begin(&client, &puppet, "/tmp/puppet");
		if (is_refused_on_tmpfs(&client, "/tmp/puppet")) {
			end(&client, &puppet, &hits);
			CHECK(!unlink("/tmp/puppet"));
			return;
		}
		if (round == 0)
			CHECK(!unlink("/tmp/puppet"));
		snprintf(path, sizeof(path), round == 0 ? "/proc/%d/exe" : "/tmp/puppet", puppet.pid);
		must(&client, &probe);
		if (round == 1)
			CHECK(!unlink("/tmp/puppet"));
		puppet_do(&puppet, PUPPET_FUNCTION, CALLS);
		end(&client, &puppet, &hits);
		expect(NULL, &hits, 4, CALLS);
		expect_each(&hits, 4, CALLS, 1);
	}
}

void test_probe_stack(void)
{
	struct client_config config = { .count = 1,
					.stack_mode = SCOPE_STACK_CHAIN,
					.stack_min_ns = 4000000000u,
					.stacks_per_second = 1000000,
					.subbuf_count = 64 };
	const struct client_probe probes[] = {
		{ .id = 1, .kind = SCOPE_PROBE_KPROBE, .symbol = GETPPID, .flags = SCOPE_PROBE_WITH_STACK },
		{ .id = 4,
		  .kind = SCOPE_PROBE_UPROBE,
		  .path = OWN_PATH,
		  .offset = puppet_function_offset(),
		  .args = 3,
		  .flags = SCOPE_PROBE_WITH_STACK },
	};
	struct hits hits = { 0 };
	struct puppet puppet;
	struct client client;

	puppet_begin(&puppet, NULL);
	config.pids[0] = puppet.pid;
	client_begin(&client, &config);
	must(&client, &probes[0]);
	must(&client, &probes[1]);
	puppet_do(&puppet, PUPPET_GETPPID, 300);
	puppet_do(&puppet, PUPPET_FUNCTION, 300);
	end(&client, &puppet, &hits);
	expect(NULL, &hits, 1, 300);
	expect(NULL, &hits, 4, 300);
	expect_each(&hits, 4, 300, 1);
	CHECK(hits.stacks == 600, "%u stacks", hits.stacks);
}

/* Not every kernel's function begins with an instruction of more than one byte. */
static void inside_an_instruction(struct client *client)
{
	struct client_probe probe = { .id = 1, .kind = SCOPE_PROBE_KPROBE, .symbol = OPEN, .offset = 1 };

	if (!client_probe_add(client, &probe)) {
		CHECK(!client_probe_remove(client, probe.id));
		probe.offset = 2;
		CHECK(client_probe_add(client, &probe) == -EILSEQ, "%s", client_probe_text);
	}
	CHECK(client_told(client_probe_text, "no instruction"), "%s", client_probe_text);
}

void test_probe_refuse(void)
{
	struct client_probe many = { .kind = SCOPE_PROBE_UPROBE, .path = OWN_PATH, .offset = puppet_function_offset() };
	struct client_probe_state state;
	struct puppet puppet;
	struct client client;
	uint32_t id;

	client_open(&client);
	WANT(&client, -ENODATA, "configured", .kind = SCOPE_PROBE_KPROBE, .symbol = GETPPID);
	client_close(&client);
	begin(&client, &puppet, NULL);
	WANT(&client, -ENOENT, "no such function", .symbol = "no_such_function_anywhere");
	WANT(&client, -EINVAL, "allows no probe", .symbol = INT3);
	inside_an_instruction(&client);
	WANT(&client, -EINVAL, "PROBE_OFFSET", .symbol = GETPPID, .offset = 1 << 20);
	WANT(&client, -EINVAL, "PROBE_OFFSET", .kind = SCOPE_PROBE_KRETPROBE, .symbol = GETPPID, .offset = 4);
	WANT(&client, -EINVAL, "PROBE_KIND", .kind = 4, .symbol = GETPPID);
	WANT(&client, -EINVAL, "PROBE_ARGS", .symbol = GETPPID, .args = 7);
	WANT(&client, -EINVAL, "PROBE_ARGS", .kind = SCOPE_PROBE_KRETPROBE, .symbol = GETPPID, .args = 2);
	WANT(&client, -EINVAL, "PROBE_FLAGS", .symbol = GETPPID, .flags = 0x80);
	WANT(&client, -EINVAL, "PROBE_SYMBOL", .path = OWN_PATH);
	WANT(&client, -EINVAL, "PROBE_SYMBOL", .symbol = GETPPID, .path = OWN_PATH);
	WANT(&client, -EINVAL, "empty", .symbol = "");
	WANT(&client, -ENOENT, "no such file", .kind = SCOPE_PROBE_UPROBE, .path = PUPPET_PATH);
	WANT(&client, -EISDIR, "regular", .kind = SCOPE_PROBE_UPROBE, .path = "/proc");
	WANT(&client, -ERANGE, "outside", .kind = SCOPE_PROBE_UPROBE, .path = OWN_PATH, .offset = 1ull << 40);
	if (!access("/proc/kcore", F_OK))
		WANT(&client, -EIO, "cannot be probed", .kind = SCOPE_PROBE_UPROBE, .path = "/proc/kcore");
	for (id = 0; id < SCOPE_PROBE_MAX; id++) {
		many.id = id;
		must(&client, &many);
	}
	many.id = id;
	CHECK(client_probe_add(&client, &many) == -ENOSPC);
	CHECK(!client_probe_next(&client, 255, &state) && state.id == 255);
	puppet_do(&puppet, PUPPET_FUNCTION, 10);
	CHECK(client_probe_hits(&client, 77) == 10);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_close(&client);
	puppet_end(&puppet);
}

/*
 * Set and removed again and again, ROUNDS times (12), while two processes run into them all the time.
 * Each time waits for every CPU, half a second where these are emulated.
 */
void test_probe_churn(void)
{
	const struct client_probe probes[] = {
		{ .id = 1, .kind = SCOPE_PROBE_KPROBE, .symbol = GETPPID },
		{ .id = 2, .kind = SCOPE_PROBE_KRETPROBE, .symbol = GETPPID, .args = 1 },
		{ .id = 4, .kind = SCOPE_PROBE_UPROBE, .path = OWN_PATH, .offset = puppet_function_offset(), .args = 3 },
		{ .id = 5,
		  .kind = SCOPE_PROBE_URETPROBE,
		  .path = OWN_PATH,
		  .offset = puppet_function_offset(),
		  .args = 1 },
	};
	struct client_config config = { .count = 2, .subbuf_count = 64 };
	uint64_t hits_of[4] = { 0 };
	struct client_counts pages;
	struct puppet puppets[2];
	struct hits hits = { .parent = getpid() };
	struct client client;
	const char *rounds = getenv("ROUNDS");
	int round, i;

	for (i = 0; i < 2; i++) {
		puppet_begin(&puppets[i], NULL);
		config.pids[i] = puppets[i].pid;
	}
	client_begin(&client, &config);
	puppet_start(&puppets[0], PUPPET_GETPPID, 2000000000);
	puppet_start(&puppets[1], PUPPET_FUNCTION, 2000000000);
	for (round = 0; round < (rounds ? atoi(rounds) : 12); round++) {
		for (i = 0; i < 4; i++)
			must(&client, &probes[i]);
		client_drain(&client, on_record, &hits);
		for (i = 0; i < 4; i++) {
			hits_of[i] += client_probe_hits(&client, probes[i].id);
			CHECK(!client_probe_remove(&client, probes[i].id));
		}
	}
	/* Left in place at the stop. */
	for (i = 0; i < 4; i++)
		must(&client, &probes[i]);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, &hits);
	client_pages(&client, &pages);
	CHECK(pages.records == client.received);
	printf("# %d rounds: %u, %u, %u, %u records of probes, %lu lost\n", round, hits.records[1], hits.records[2],
	       hits.records[4], hits.records[5], pages.lost[SCOPE_LOST_FULL]);
	for (i = 0; i < 4; i++) {
		CHECK(hits_of[i] && hits.records[probes[i].id], "probe %u never fired", probes[i].id);
		/* Hits between the question and the removal are records too. */
		if (!pages.lost[SCOPE_LOST_FULL])
			CHECK(hits.records[probes[i].id] >= hits_of[i]);
	}
	client_close(&client);
	puppet_end(&puppets[0]);
	puppet_end(&puppets[1]);
}

/* For run.sh, which ends this process and unloads the module: a session full of probes. */
void test_probe_hold(int pid)
{
	struct client_config config = { .count = 1, .pids = { pid } };
	const struct client_probe probes[] = {
		{ .id = 1, .kind = SCOPE_PROBE_KPROBE, .symbol = GETPPID },
		{ .id = 2, .kind = SCOPE_PROBE_KRETPROBE, .symbol = GETPPID },
		{ .id = 4, .kind = SCOPE_PROBE_UPROBE, .path = OWN_PATH, .offset = puppet_function_offset() },
	};
	struct client client;
	size_t i;

	client_begin(&client, &config);
	for (i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		must(&client, &probes[i]);
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}
