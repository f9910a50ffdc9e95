// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every step that can fail is made to fail once: the session stays usable or is closed, and nothing is left.
 *
 * There are two ways to make a step fail, if the kernel or the module offers them: the module's own fail_at
 * (kmod/kunit/faults.h) names one call of the module's after the other; the kernel's fail-nth (of
 * CONFIG_FAULT_INJECTION) one allocation after the other, those below the module's calls included.
 * EVERY=1 tries each number; else the gaps grow, for a long list.
 *
 * Starts that are refused are looked at more closely: what they leave to be recorded, while processes that
 * are traced and others make calls on the same CPUs, each of which says by its argument who makes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "callers.h"
#include "tests.h"

#define MOST 4000   /* faults in one operation */
#define READ_ALL 3  /* SYSLOG_ACTION_READ_ALL */
#define LOG_SIZE 10 /* SYSLOG_ACTION_SIZE_BUFFER */
#define PROBES "/sys/module/scope/parameters/probes"

/* How a fault is ordered. fired() is asked after disarm(). */
struct method {
	const char *name;
	const char *path;
};

static const struct method module_calls = { "fail_at", "/sys/module/scope/parameters/fail_at" };
static const struct method allocations = { "fail-nth", "/proc/thread-self/fail-nth" };
static const struct method *method;
static int armed_for, fault_fd;
static bool fired;

static void order(int number)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d", number);

	CHECK(pwrite(fault_fd, text, length, 0) == length);
}

static void arm(bool on)
{
	char text[16] = "";

	if (on)
		return order(armed_for);
	CHECK(pread(fault_fd, text, sizeof(text) - 1, 0) > 0);
	fired = atoi(text) == 0;
	order(0);
}

/* What a test does to a session; the stage says in which state it wants it. */
enum stage { UNCONFIGURED, READY, MAPPED, RUNNING };

struct operation {
	const char *name;
	enum stage stage;
	int (*run)(struct client *client);
};

static struct client_config config = { .count = 1,
				       .follow = true,
				       .stack_mode = SCOPE_STACK_COPY,
				       .sample_period_ns = 1000000,
				       .subbuf_bytes = 65536,
				       .subbuf_count = 4 };

static int run_configure(struct client *client)
{
	return client_configure(client, &config);
}

static int run_start(struct client *client)
{
	return client_command(client, SCOPE_CMD_START);
}

static int run_stop(struct client *client)
{
	return client_command(client, SCOPE_CMD_STOP);
}

static int run_query(struct client *client)
{
	struct client_counts counts;

	return client_query(client, &counts);
}

static int run_map(struct client *client)
{
	void *map;
	int err;

	arm(true);
	map = mmap(NULL, client->info.region_bytes, PROT_READ, MAP_SHARED, client->fd, 0);
	err = map == MAP_FAILED ? -errno : 0;
	arm(false);
	if (!err)
		munmap(map, client->info.region_bytes);
	return err;
}

static int run_flush(struct client *client)
{
	int err;

	arm(true);
	err = ioctl(client->fd, SCOPE_IOC_FLUSH) ? -errno : 0;
	arm(false);
	return err;
}

static const struct operation operations[] = {
	{ "configure", UNCONFIGURED, run_configure },
	{ "map", READY, run_map },
	{ "start", MAPPED, run_start },
	{ "query", RUNNING, run_query },
	{ "flush", RUNNING, run_flush },
	{ "stop", RUNNING, run_stop },
};

static void bring_to(struct client *client, enum stage stage)
{
	client_open(client);
	if (stage >= READY) {
		CHECK(!client_configure(client, &config));
		CHECK(!ioctl(client->fd, SCOPE_IOC_INFO, &client->info));
	}
	if (stage >= MAPPED)
		client_map(client);
	if (stage >= RUNNING)
		CHECK(!client_command(client, SCOPE_CMD_START));
}

/*
 * A session that saw a failure does the same again, or says that it is of no use any more. Where
 * only the answer was lost, it says that it has done so already.
 */
static void again(struct client *client, const struct operation *operation, int number, int before)
{
	bool lost = before == -ENOBUFS;
	int err;

	client->arm = NULL;
	armed_for = 0;
	err = operation->run(client);
	CHECK(!err || err == -ESHUTDOWN || (lost && (err == -EBUSY || err == -EALREADY)), "%s, %s %d: %s, then %s",
	      operation->name, method->name, number, strerror(-before), strerror(-err));
}

static int next_number(int number)
{
	return getenv("EVERY") ? number + 1 : number + 1 + number / 16;
}

static void fail_all(const struct operation *operation)
{
	int number, faults = 0, refused = 0, err;
	struct client client;

	for (number = 1; number < MOST; number = next_number(number)) {
		bring_to(&client, operation->stage);
		client.arm = arm;
		armed_for = number;
		fired = false;
		err = operation->run(&client);
		CHECK(!err || fired, "%s failed by itself: %s", operation->name, strerror(-err));
		if (err)
			again(&client, operation, number, err);
		client_close(&client);
		if (!fired)
			break;
		faults++;
		refused += !!err;
	}
	CHECK(number < MOST, "%s never ends", operation->name);
	printf("# %s: %d faults, %d times refused\n", operation->name, faults, refused);
}

static void fail_all_opens(void)
{
	int number, faults = 0, refused = 0, fd;

	for (number = 1; number < MOST; number = next_number(number)) {
		armed_for = number;
		arm(true);
		fd = open(SCOPE_DEVICE_PATH, O_RDWR | O_CLOEXEC);
		arm(false);
		CHECK(fd >= 0 || fired, "open failed by itself: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		if (!fired)
			break;
		faults++;
		refused += fd < 0;
	}
	CHECK(number < MOST && refused);
	printf("# open: %d faults, %d times refused\n", faults, refused);
}

/* The module's file is of no use for a file that faults fill in; its loader reads it again. */
static void fail_all_loads(void)
{
	int number, faults = 0, refused = 0, err, fd;
	const char *module = getenv("SCOPE_KO");

	if (!module)
		return;
	for (number = 1; number < MOST; number = next_number(number)) {
		CHECK(!syscall(SYS_delete_module, "scope", O_NONBLOCK), "%s", strerror(errno));
		fd = open(module, O_RDONLY | O_CLOEXEC);
		CHECK(fd >= 0);
		armed_for = number;
		arm(true);
		err = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
		arm(false);
		CHECK(!err || fired, "loading failed by itself: %s", strerror(-err));
		if (err) {
			CHECK(access(SCOPE_DEVICE_PATH, F_OK), "the device stays");
			CHECK(!syscall(SYS_finit_module, fd, "", 0), "%s", strerror(errno));
		}
		close(fd);
		if (!fired)
			break;
		faults++;
		refused += !!err;
	}
	CHECK(number < MOST && refused);
	printf("# load: %d faults, %d times refused\n", faults, refused);
}

static bool begin(const struct method *by)
{
	method = by;
	fault_fd = open(by->path, O_RDWR | O_CLOEXEC);
	if (fault_fd < 0)
		printf("# skipped: no %s here\n", by->path);
	return fault_fd >= 0;
}

static void write_setting(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	CHECK(write(fd, value, strlen(value)) == (ssize_t)strlen(value));
	close(fd);
}

static void fail_everything(void)
{
	size_t i;

	config.pids[0] = getpid();
	fail_all_opens();
	for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		fail_all(&operations[i]);
	client_wait_unused();
	close(fault_fd);
}

void test_failing_calls(void)
{
	if (begin(&module_calls))
		fail_everything();
}

/* What may be recorded: from when on; and how many calls were. */
struct span {
	uint64_t from_ns, calls;
};

static struct span span_from_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (struct span){ .from_ns = now.tv_sec * 1000000000ull + now.tv_nsec };
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_syscall *whole = record;
	const struct scope_record_enter *enter = record;
	const uint64_t *arg = (const uint64_t *)(enter + 1);
	struct span *span = data;

	(void)cpu, (void)bytes;
	CHECK(now_ns >= span->from_ns, "type %u from before the start", scope_record_type(enter->word));
	if (scope_record_type(enter->word) == SCOPE_RECORD_SYSCALL)
		CHECK(now_ns - whole->duration_ns >= span->from_ns, "a call from before the start");
	else if (scope_record_type(enter->word) == SCOPE_RECORD_ENTER)
		CHECK(enter->enter_ns >= span->from_ns, "an enter from before the start");
	else
		return;
	/* Both have 16 bytes before their arguments. */
	if (enter->nr != SYS_close || !(enter->abi_args >> 4))
		return;
	CHECK((int32_t)*arg == -(int32_t)tid, "close(%d) with thread %u", (int32_t)*arg, tid);
	span->calls++;
}

static void check_no_probe(void)
{
	int fd = open(PROBES, O_RDONLY | O_CLOEXEC);
	char text[16] = "";

	CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	CHECK(!atoi(text), "%d probes stay", atoi(text));
	close(fd);
}

static uint64_t events_of(const struct client_counts *counts)
{
	return counts->records + counts->lost[0] + counts->lost[1] + counts->lost[2] + counts->stacks + counts->skipped;
}

/*
 * After a start that was refused nothing more is counted. Where another start is possible, nothing was counted at
 * all.
 */
static bool check_refused(struct client *client, const struct callers *callers)
{
	struct client_counts before, after;

	check_no_probe();
	CHECK(!client_query(client, &before));
	callers_wait(callers);
	CHECK(!client_query(client, &after));
	CHECK(after.run_state == SCOPE_RUN_READY || after.run_state == SCOPE_RUN_STOPPED);
	CHECK(events_of(&before) == events_of(&after), "%lu events, then %lu", events_of(&before), events_of(&after));
	CHECK(after.run_state == SCOPE_RUN_STOPPED || (!events_of(&after) && !after.probe_ns),
	      "%lu events of a start that can be tried again", events_of(&after));
	return after.run_state == SCOPE_RUN_READY;
}

/* The session runs: what it records is right. */
static void check_session(struct client *client, const struct callers *callers, struct span *span)
{
	callers_wait(callers);
	CHECK(!client_command(client, SCOPE_CMD_STOP));
	check_no_probe();
	client_drain(client, on_record, span);
	CHECK(span->calls);
}

static bool fail_one_start(int number, const struct callers *callers, int *ready, int *stopped)
{
	struct span span;
	struct client client;
	int err;

	bring_to(&client, MAPPED);
	client.arm = arm;
	armed_for = number;
	fired = false;
	span = span_from_now();
	err = client_command(&client, SCOPE_CMD_START);
	client.arm = NULL;
	CHECK(!err || fired, "start failed by itself: %s", strerror(-err));
	if (!err || err == -ENOBUFS) { /* only the answer was lost */
		check_session(&client, callers, &span);
	} else if (check_refused(&client, callers)) {
		++*ready;
		span = span_from_now();
		err = client_command(&client, SCOPE_CMD_START);
		CHECK(!err, "again after call %d: %s", number, strerror(-err));
		check_session(&client, callers, &span);
	} else {
		++*stopped;
		CHECK(client_command(&client, SCOPE_CMD_START) == -ESHUTDOWN);
		client_drain(&client, on_record, &span);
	}
	client_close(&client);
	return fired;
}

void test_failing_starts(void)
{
	struct callers callers;
	int number = 1, ready = 0, stopped = 0;
	uint32_t i;

	if (!begin(&module_calls))
		return;
	callers_begin(&callers);
	config.events = SCOPE_EVENTS_ALL;
	/* Stacks are to leave room for calls, also where the kernel takes long. */
	config.stack_min_ns = 1000000000;
	config.sample_period_ns = 100000000;
	config.arg_counts[SYS_close] = 1;
	config.count = callers.count / 2;
	for (i = 0; i < config.count; i++)
		config.pids[i] = callers.pid[2 * i];
	while (fail_one_start(number, &callers, &ready, &stopped))
		number++;
	printf("# %d calls; refused and tried again %d times, for good %d times\n", number - 1, ready, stopped);
	CHECK(ready && stopped);
	callers_end(&callers);
	close(fault_fd);
}

/* A ring that cannot be had is refused in an answer: the allocator has no call trace to print. */
static void check_log(void)
{
	int bytes = klogctl(LOG_SIZE, NULL, 0);
	char *log = bytes > 0 ? calloc(1, bytes + 1) : NULL;

	CHECK(log && klogctl(READ_ALL, log, bytes) > 0);
	CHECK(!strstr(log, "vmalloc error") && !strstr(log, "vmalloc: allocation failure"));
	free(log);
}

void test_failing_allocations(void)
{
	static const char *const settings[][2] = {
		{ "/sys/kernel/debug/failslab/ignore-gfp-wait", "N" },
		{ "/sys/kernel/debug/failslab/verbose", "0" },
		{ "/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N" },
		{ "/sys/kernel/debug/fail_page_alloc/min-order", "0" },
		{ "/sys/kernel/debug/fail_page_alloc/verbose", "0" },
	};
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		write_setting(settings[i][0], settings[i][1]);
	if (!begin(&allocations))
		return;
	fail_everything();
	check_log();
	if (begin(&allocations))
		fail_all_loads();
}
