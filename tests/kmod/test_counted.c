// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's counts for a thread, and the interruptions of its time: page faults equal those of /proc exactly;
 * interrupts take a part of a thread's CPU time, and are not recorded for other threads; reclaim for the memory limit
 * of a control group begins and ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include "tests.h"

#define PAGES 3000
#define BUSY_NS 600000000ull
#define GROUP "/tmp/scope-stall"
#define LIMIT_BYTES "16777216"
#define READ_BYTES (64u << 20)
#define DEVICE "/dev/nullb0"

struct found {
	uint32_t pid;
	uint64_t minor, major, read, written;
	uint64_t interrupts, interrupt_ns;
	uint64_t begun, ended;
	bool inside;
};

static int go[2], done[2];

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_counters *counters = record;
	const struct scope_record_hardirq *irq = record;
	const struct scope_record_stall *stall = record;
	struct found *found = data;

	(void)cpu, (void)now_ns, (void)bytes;
	switch (scope_record_type(counters->word)) {
	case SCOPE_RECORD_COUNTERS:
		CHECK(tid == found->pid && !counters->zero, "counters of %u", tid);
		found->minor += counters->minor_faults;
		found->major += counters->major_faults;
		found->read += counters->read_bytes;
		found->written += counters->written_bytes;
		break;
	case SCOPE_RECORD_HARDIRQ:
	case SCOPE_RECORD_SOFTIRQ:
		CHECK(tid == found->pid, "an interrupt of %u", tid);
		found->interrupts++;
		found->interrupt_ns += irq->ns;
		break;
	case SCOPE_RECORD_STALL:
		CHECK(tid == found->pid && !stall->zero && stall->kind <= SCOPE_STALL_COMPACT, "kind %u of %u",
		      stall->kind, tid);
		if (stall->flags & SCOPE_STALL_END)
			found->ended++;
		else
			found->begun++;
		break;
	}
}

/* Of a process that sleeps. */
static void read_faults(uint32_t pid, uint64_t *ret_minor, uint64_t *ret_major)
{
	char path[64], line[1024];
	unsigned long minor, major;
	FILE *file;
	char *at;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = fopen(path, "r");
	CHECK(file && fgets(line, sizeof(line), file));
	fclose(file);
	at = strrchr(line, ')');
	CHECK(at && sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %lu %*u %lu", &minor, &major) == 2);
	*ret_minor = minor;
	*ret_major = major;
}

static void wait_asleep(uint32_t pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	while (state != 'S') {
		file = fopen(path, "r");
		CHECK(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
		fclose(file);
		usleep(1000);
	}
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void work(void)
{
	const uint64_t until = now_ns() + BUSY_NS;
	char *page = mmap(NULL, PAGES * 4096ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	CHECK(page != MAP_FAILED);
	madvise(page, PAGES * 4096ul, MADV_NOHUGEPAGE);
	for (i = 0; i < PAGES; i++)
		page[i * 4096l] = 1;
	while (now_ns() < until)
		;
}

/* More pages of a device than fit into the group's limit: all but the last are given up again. */
static void fill(void)
{
	static char piece[1 << 20];
	int fd = open(DEVICE, O_RDONLY);
	unsigned int i;

	CHECK(fd >= 0);
	for (i = 0; i < READ_BYTES / sizeof(piece); i++)
		CHECK(read(fd, piece, sizeof(piece)) == sizeof(piece), "%s", strerror(errno));
	close(fd);
}

static void __attribute__((noreturn)) target(void (*what)(void))
{
	char byte;

	for (;;) {
		if (read(go[0], &byte, 1) != 1)
			_exit(0);
		what();
		CHECK(write(done[1], "d", 1) == 1);
	}
}

static bool put(const char *name, const char *text)
{
	char path[128];
	FILE *file;
	bool ok;

	snprintf(path, sizeof(path), GROUP "/%s", name);
	file = fopen(path, "w");
	if (!file)
		return false;
	ok = fputs(text, file) >= 0;
	return !fclose(file) && ok;
}

/* Traces a child while it works once. Returns false if the kernel has none of these events. */
static bool trace(uint32_t events, void (*what)(void), const char *group, struct found *found)
{
	struct client_config config = { .count = 1, .events = SCOPE_EVENTS_SCHED | events };
	struct client_counts pages;
	struct client client;
	char byte, self[16];
	int status, err;

	CHECK(!pipe(go) && !pipe(done));
	found->pid = fork();
	if (!found->pid) {
		close(go[1]);
		if (group) {
			snprintf(self, sizeof(self), "%d", getpid());
			CHECK(put(group, self), "%s", strerror(errno));
		}
		target(what);
	}
	close(go[0]);
	/* Once without tracing: what is touched the first time only is touched. */
	CHECK(write(go[1], "g", 1) == 1 && read(done[0], &byte, 1) == 1);
	wait_asleep(found->pid);
	config.pids[0] = found->pid;
	client_open(&client);
	err = client_configure(&client, &config);
	if (!err) {
		uint64_t minor, major, minor_after, major_after;

		client_map(&client);
		CHECK(!client_command(&client, SCOPE_CMD_START));
		read_faults(found->pid, &minor, &major);
		CHECK(write(go[1], "g", 1) == 1 && read(done[0], &byte, 1) == 1);
		what(); /* this process is not traced */
		wait_asleep(found->pid);
		read_faults(found->pid, &minor_after, &major_after);
		CHECK(!client_command(&client, SCOPE_CMD_STOP));
		client_drain(&client, on_record, found);
		client_pages(&client, &pages);
		CHECK(!pages.lost[0] && !pages.lost[1] && !pages.lost[2]);
		if (events & SCOPE_EVENTS_COUNTERS) {
			CHECK(found->minor == minor_after - minor, "%lu minor faults, not %lu", found->minor,
			      minor_after - minor);
			CHECK(found->major == major_after - major, "%lu major faults, not %lu", found->major,
			      major_after - major);
		}
	}
	client_close(&client);
	close(go[1]);
	close(done[0]);
	close(done[1]);
	CHECK(waitpid(found->pid, &status, 0) == (int)found->pid && !status);
	CHECK(!err || err == -EOPNOTSUPP, "%s", strerror(-err));
	return !err;
}

void test_counted(void)
{
	struct found found = { 0 };

	CHECK(trace(SCOPE_EVENTS_COUNTERS, work, NULL, &found));
	CHECK(found.minor >= PAGES && !found.interrupts && !found.begun, "%lu faults", found.minor);
	printf("# %lu minor and %lu major faults, as in /proc\n", found.minor, found.major);
	found = (struct found){ 0 };
	if (!trace(SCOPE_EVENTS_COUNTERS | SCOPE_EVENTS_INTERRUPT, work, NULL, &found)) {
		puts("# skipped: this kernel has no tracepoints of interrupts");
		return;
	}
	CHECK(found.interrupts > 10 && found.interrupt_ns > 0 && found.interrupt_ns < BUSY_NS, "%lu, %lu ns",
	      found.interrupts, found.interrupt_ns);
	printf("# %lu interrupts and softirqs took %lu us of %llu\n", found.interrupts, found.interrupt_ns / 1000,
	       BUSY_NS / 1000);
}

void test_stall(void)
{
	struct found found = { 0 };

	mkdir(GROUP, 0755);
	if (mount("none", GROUP, "cgroup2", 0, NULL)) {
		puts("# skipped: this kernel has no control groups of version 2");
		return;
	}
	mkdir(GROUP "/small", 0755);
	if (system("modprobe null_blk queue_mode=2 gb=1 nr_devices=1 >/dev/null 2>&1")) {
		puts("# skipped: this kernel has no module null_blk");
	} else if (!put("cgroup.subtree_control", "+memory") || !put("small/memory.max", LIMIT_BYTES)) {
		puts("# skipped: no memory controller of version 2");
	} else if (!trace(SCOPE_EVENTS_STALL, fill, "small/cgroup.procs", &found)) {
		puts("# skipped: this kernel has no tracepoints of reclaim");
	} else {
		CHECK(found.begun && found.begun == found.ended, "%lu begun, %lu ended", found.begun, found.ended);
		printf("# made room %lu times\n", found.begun);
	}
	if (system("rmmod null_blk >/dev/null 2>&1"))
		puts("# null_blk stays");
	rmdir(GROUP "/small");
	umount(GROUP);
	rmdir(GROUP);
}
