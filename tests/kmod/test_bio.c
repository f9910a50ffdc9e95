// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits for block devices whose requests a worker of the kernel issues: each has exactly one record of its end, whether
 * a device flushes its cache (fsync, O_DSYNC), delays bios (dm-delay), encrypts them (dm-crypt) or passes them on at once
 * (dm-linear).
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include "tests.h"

#define FILE_PATH "/dev/shm/scope_bio"
#define MB 16
#define ROUNDS 12
#define BYTES 4096
#define DELAY_MS 20

/* What a thread waits for; a write with O_DSYNC also waits for a flush of its own. */
enum kind { KIND_READ, KIND_WRITE, KIND_SYNC_WRITE, KIND_FLUSH, KINDS };

/* What is recorded of it: a request of the loop device, a bio of that, a bio of the device on it. */
enum place { PLACE_REQUEST, PLACE_BELOW, PLACE_TOP, PLACES };

static const uint32_t kind_waits[KINDS] = { ROUNDS, ROUNDS, ROUNDS, 2 * ROUNDS };

/* A device on the loop device. The table may name that by @. */
static const struct stack {
	const char *name;
	const char *module; /* NULL: only the loop device */
	const char *table;
	enum place place[KINDS];
	bool delays;
} stacks[] = {
	{ "loop", NULL, NULL, { PLACE_REQUEST, PLACE_REQUEST, PLACE_BELOW, PLACE_BELOW }, false },
	{ "dm-linear", "dm-mod", "linear @ 0", { PLACE_REQUEST, PLACE_REQUEST, PLACE_BELOW, PLACE_TOP }, false },
	{ "dm-delay", "dm-delay", "delay @ 0 20", { PLACE_TOP, PLACE_TOP, PLACE_TOP, PLACE_TOP }, true },
	{ "dm-crypt",
	  "dm-crypt",
	  "crypt aes-xts-plain64 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 0 @ 0",
	  { PLACE_REQUEST, PLACE_TOP, PLACE_TOP, PLACE_TOP },
	  false },
};

static const char *const kind_names[KINDS] = { "read", "write", "write and flush", "flush" };

struct ends {
	uint32_t pid;
	uint32_t loop, top; /* devices: the one below, and the one that the thread uses */
	uint32_t count[KINDS][PLACES];
	uint32_t issued;
	uint64_t least_ns; /* of bios of the device on the loop device; 0: there are none */
};

static int go[2];
static char loop[64], top[64];

static uint32_t device_of(const char *path)
{
	struct stat status;

	CHECK(!stat(path, &status), "%s: %m", path);
	return major(status.st_rdev) << SCOPE_BLOCK_MINOR_BITS | minor(status.st_rdev);
}

static enum kind kind_of(const struct scope_record_block_done *done)
{
	if (done->op == SCOPE_BLOCK_FLUSH)
		return KIND_FLUSH;
	if (done->op == SCOPE_BLOCK_READ)
		return KIND_READ;
	return done->flags & SCOPE_BLOCK_FUA ? KIND_SYNC_WRITE : KIND_WRITE;
}

static enum place place_of(const struct scope_record_block_done *done, const struct ends *ends)
{
	if (done->dev == ends->loop)
		return done->flags & SCOPE_BLOCK_BIO ? PLACE_BELOW : PLACE_REQUEST;
	CHECK(done->dev == ends->top && done->flags & SCOPE_BLOCK_BIO, "device %x, flags %x", done->dev, done->flags);
	return PLACE_TOP;
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_block_done *done = record;
	struct ends *ends = data;
	enum place place;

	(void)cpu, (void)tid, (void)now_ns, (void)bytes;
	ends->issued += scope_record_type(done->word) == SCOPE_RECORD_BLOCK_ISSUE;
	if (scope_record_type(done->word) != SCOPE_RECORD_BLOCK_DONE)
		return;
	CHECK(done->tid == ends->pid && !done->zero && !done->error, "thread %u, error %d", done->tid, done->error);
	CHECK(done->bytes == (done->op == SCOPE_BLOCK_FLUSH ? 0 : BYTES), "%u bytes", done->bytes);
	place = place_of(done, ends);
	ends->count[kind_of(done)][place]++;
	if (place == PLACE_TOP && (!ends->least_ns || done->latency_ns < ends->least_ns))
		ends->least_ns = done->latency_ns;
}

/* From a byte on. */
static void wait_often(off_t from)
{
	int fd = open(top, O_RDWR | O_DIRECT), sync_fd = open(top, O_RDWR | O_DIRECT | O_DSYNC), i;
	void *page;

	CHECK(fd >= 0 && sync_fd >= 0, "%s: %m", top);
	CHECK(!posix_memalign(&page, BYTES, BYTES));
	memset(page, 7, BYTES);
	for (i = 0; i < ROUNDS; i++, from += BYTES) {
		CHECK(pread(fd, page, BYTES, from) == BYTES, "%m");
		CHECK(pwrite(fd, page, BYTES, from) == BYTES, "%m");
		CHECK(!fdatasync(fd), "%m");
		CHECK(pwrite(sync_fd, page, BYTES, from) == BYTES, "%m");
	}
	close(fd);
	close(sync_fd);
}

static void trace_waits(struct ends *ends)
{
	struct client_config config = { .count = 1, .events = SCOPE_EVENTS_ALL };
	struct client_counts pages;
	struct client client;
	char byte;
	int status;

	*ends = (struct ends){ .loop = device_of(loop), .top = device_of(top) };
	CHECK(!pipe(go));
	ends->pid = fork();
	if (!ends->pid) {
		/* Else it would wait for ever where the test fails before that. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		CHECK(read(go[0], &byte, 1) == 1);
		wait_often(0);
		_exit(0);
	}
	config.pids[0] = ends->pid;
	client_begin(&client, &config);
	CHECK(write(go[1], "g", 1) == 1);
	wait_often(MB * 1024 * 1024 / 2); /* this process is not traced */
	CHECK(waitpid(ends->pid, &status, 0) == (int)ends->pid && !status);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, ends);
	client_pages(&client, &pages);
	CHECK(!pages.lost[0] && !pages.lost[1] && !pages.lost[2]);
	client_close(&client);
	close(go[0]);
	close(go[1]);
}

static void check_waits(const struct stack *stack)
{
	struct ends ends;
	uint32_t i, requests = 0;

	trace_waits(&ends);
	for (i = 0; i < KINDS; i++)
		printf("# %s: %s: %u requests, %u bios of the loop device, %u of that on it\n", stack->name,
		       kind_names[i], ends.count[i][PLACE_REQUEST], ends.count[i][PLACE_BELOW],
		       ends.count[i][PLACE_TOP]);
	for (i = 0; i < KINDS; i++) {
		CHECK(ends.count[i][stack->place[i]] == kind_waits[i], "%s: %s", stack->name, kind_names[i]);
		CHECK(ends.count[i][PLACE_REQUEST] + ends.count[i][PLACE_BELOW] + ends.count[i][PLACE_TOP] ==
			      kind_waits[i],
		      "%s: %s: a wait has two records", stack->name, kind_names[i]);
		requests += ends.count[i][PLACE_REQUEST];
	}
	CHECK(ends.issued == requests, "%u issued, %u requests done", ends.issued, requests);
	/* The device counts in ticks of the kernel. */
	if (stack->delays)
		CHECK(ends.least_ns >= DELAY_MS * 1000000 / 2, "%lu ns", ends.least_ns);
}

/* Exit status of a command line, with its output thrown away. */
static int run(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "{ %s; } >/dev/null 2>&1", command);
	return system(line);
}

/* A loop device has a cache to flush if its file can be synced. Returns false if this kernel has none. */
static bool begin_loop(void)
{
	FILE *output;
	bool found;

	if (run("modprobe loop; truncate -s 16M " FILE_PATH))
		return false;
	output = popen("losetup -f --show " FILE_PATH " 2>/dev/null", "r");
	found = output && fgets(loop, sizeof(loop), output);
	pclose(output);
	loop[strcspn(loop, "\n")] = 0;
	return found;
}

static bool begin_top(const struct stack *stack)
{
	char command[512], table[256] = "";
	const char *at = strchr(stack->table, '@');

	snprintf(table, sizeof(table), "%.*s%s%s", (int)(at - stack->table), stack->table, loop, at + 1);
	snprintf(command, sizeof(command),
		 "modprobe -a %s && dmsetup create scope_bio --noudevsync --table '0 %d %s' && dmsetup mknodes",
		 stack->module, MB * 2048, table);
	snprintf(top, sizeof(top), "/dev/mapper/scope_bio");
	return !run(command);
}

void test_bio(void)
{
	uint32_t i;

	if (!begin_loop()) {
		puts("# skipped: this kernel has no loop devices, or there is no losetup");
		return;
	}
	for (i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		snprintf(top, sizeof(top), "%s", loop);
		if (stacks[i].module && !begin_top(&stacks[i])) {
			printf("# %s is skipped: there is no such module, or no dmsetup\n", stacks[i].name);
			continue;
		}
		check_waits(&stacks[i]);
		CHECK(!stacks[i].module || !run("dmsetup remove --noudevsync scope_bio"));
	}
	CHECK(!run("losetup -d $(losetup -j " FILE_PATH " -O NAME -n); rm " FILE_PATH));
}
