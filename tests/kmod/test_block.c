// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to a block device: each request of a traced process is recorded when it is issued and when it is done,
 * with its place, size and time; requests of other processes are not recorded.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include "tests.h"

#define DEVICE "/dev/nullb0"
#define READS 40
#define WRITES 20
#define SECTORS 8
/* The device of the kernel's module null_blk answers by a timer, after this long. */
#define ANSWER_NS 2000000

struct requests {
	uint32_t pid, dev;
	uint32_t issued[2], done[2]; /* by SCOPE_BLOCK_READ and _WRITE */
	uint64_t issue_ns[READS + WRITES];
	uint32_t queued;
};

static int go[2];

/* Which request: reads come first, each at a sector of its own. */
static uint32_t index_of(uint64_t sector, uint8_t op)
{
	CHECK(op == SCOPE_BLOCK_READ || op == SCOPE_BLOCK_WRITE, "op %u", op);
	CHECK(sector % SECTORS == 0 && sector / SECTORS < READS + WRITES, "sector %lu", sector);
	CHECK((sector / SECTORS >= READS) == (op == SCOPE_BLOCK_WRITE));
	return sector / SECTORS;
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_block_issue *issue = record;
	const struct scope_record_block_done *done = record;
	struct requests *requests = data;
	uint64_t took_ns;
	uint32_t i;

	(void)cpu, (void)tid, (void)bytes;
	if (scope_record_type(issue->word) == SCOPE_RECORD_BLOCK_ISSUE) {
		i = index_of(issue->sector, issue->op);
		CHECK(issue->tid == requests->pid && issue->dev == requests->dev && !issue->zero);
		CHECK(issue->bytes == SECTORS * 512 && !(issue->flags & SCOPE_BLOCK_UNMATCHED), "%u bytes, flags %x",
		      issue->bytes, issue->flags);
		CHECK(issue->flags & SCOPE_BLOCK_SYNC, "flags %x", issue->flags);
		CHECK(!requests->issue_ns[i], "request %u is issued twice", i);
		requests->issue_ns[i] = now_ns;
		requests->issued[issue->op]++;
		requests->queued += issue->queue_ns > 0;
	} else if (scope_record_type(issue->word) == SCOPE_RECORD_BLOCK_DONE) {
		i = index_of(done->sector, done->op);
		CHECK(done->tid == requests->pid && done->dev == requests->dev && !done->zero);
		CHECK(done->bytes == SECTORS * 512 && !done->error);
		CHECK(done->latency_ns >= ANSWER_NS, "request %u took %lu ns", i, done->latency_ns);
		/* Each CPU's stream is read as a whole: the issue may come later here. */
		took_ns = requests->issue_ns[i] ? now_ns - requests->issue_ns[i] : done->latency_ns;
		/* Two CPUs' clocks, and where one stepped back, differ by a little. */
		CHECK(took_ns + 500000 > done->latency_ns && took_ns < done->latency_ns + 500000, "%lu, %lu", took_ns,
		      done->latency_ns);
		requests->done[done->op]++;
	}
}

/* From a sector on; those of two processes must not meet, or the kernel makes one of two. */
static void make_requests(off_t from)
{
	int fd = open(DEVICE, O_RDWR | O_DIRECT);
	void *page;
	int i;

	CHECK(fd >= 0 && !posix_memalign(&page, 4096, 4096));
	for (i = 0; i < READS + WRITES; i++)
		CHECK((i < READS ? pread(fd, page, SECTORS * 512, (from + i * SECTORS) * 512)
				 : pwrite(fd, page, SECTORS * 512, (from + i * SECTORS) * 512)) == SECTORS * 512,
		      "%s", strerror(errno));
	close(fd);
}

static void target(void)
{
	char byte;

	/* Else it would wait for ever where the test fails before that. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CHECK(read(go[0], &byte, 1) == 1);
	make_requests(0);
	_exit(0);
}

static void trace_requests(const char *scheduler)
{
	struct client_config config = { .count = 1, .events = SCOPE_EVENTS_ALL };
	struct requests requests = { 0 };
	struct client_counts pages;
	struct client client;
	struct stat stat_device;
	int status;

	CHECK(!pipe(go));
	requests.pid = fork();
	if (!requests.pid)
		target();
	CHECK(!stat(DEVICE, &stat_device));
	requests.dev = major(stat_device.st_rdev) << SCOPE_BLOCK_MINOR_BITS | minor(stat_device.st_rdev);
	config.pids[0] = requests.pid;
	client_begin(&client, &config);
	CHECK(write(go[1], "g", 1) == 1);
	make_requests(1 << 20); /* this process is not traced */
	CHECK(waitpid(requests.pid, &status, 0) == (int)requests.pid && !status);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, &requests);
	client_pages(&client, &pages);
	CHECK(!pages.lost[0] && !pages.lost[1] && !pages.lost[2]);
	CHECK(requests.issued[0] == READS && requests.issued[1] == WRITES, "%u, %u issued", requests.issued[0],
	      requests.issued[1]);
	CHECK(requests.done[0] == READS && requests.done[1] == WRITES, "%u, %u done", requests.done[0],
	      requests.done[1]);
	printf("# scheduler %s: %u of %u were queued\n", scheduler, requests.queued, READS + WRITES);
	client_close(&client);
	close(go[0]);
	close(go[1]);
}

/* Exit status of a command line, with its output thrown away. */
static int run(const char *command)
{
	char line[256];

	snprintf(line, sizeof(line), "%s >/dev/null 2>&1", command);
	return system(line);
}

void test_block(void)
{
	char modprobe[128];

	snprintf(modprobe, sizeof(modprobe),
		 "modprobe null_blk queue_mode=2 irqmode=2 "
		 "completion_nsec=%d gb=1 nr_devices=1",
		 ANSWER_NS);
	if (run(modprobe)) {
		puts("# skipped: this kernel has no module null_blk");
		return;
	}
	CHECK(!run("echo none >/sys/block/nullb0/queue/scheduler"));
	trace_requests("none");
	run("modprobe mq-deadline");
	if (!run("echo mq-deadline >/sys/block/nullb0/queue/scheduler"))
		trace_requests("mq-deadline");
	CHECK(!run("rmmod null_blk"));
}
