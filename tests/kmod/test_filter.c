// SPDX-License-Identifier: GPL-2.0-only
/*
 * The selection of a session: threads, names, control groups, sets of calls, changed while it
 * runs.
 *
 * The traced threads call close() with their own number, negative, as its argument, forever. So
 * each record shows by itself if it belongs to the right thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "attributes.h"
#include "tests.h"
#include "worker.h"

#define GROUP "/tmp/scope-cgroup"

/* What came from each of the threads looked for. */
struct seen {
	int32_t tid[8];
	uint32_t count;
	uint32_t calls[8], states[8], ends[8], other_calls;
	uint64_t left_ns[8]; /* when its THREAD_EXIT said it is traced no more */
	uint64_t added_ns;   /* when the test last added something: CPUs are read one by one */
};

static int index_of(const struct seen *seen, uint32_t tid)
{
	uint32_t i;

	for (i = 0; i < seen->count; i++)
		if ((uint32_t)seen->tid[i] == tid)
			return i;
	return -1;
}

static void on_call(struct seen *seen, uint32_t tid, int i, uint64_t now_ns, const struct scope_record_enter *call)
{
	const uint64_t *arg = (const uint64_t *)(call + 1);

	CHECK(tid, "a call of nobody");
	if (call->nr != SYS_close) {
		seen->other_calls++;
		return;
	}
	if (call->abi_args >> 4)
		CHECK((int32_t)*arg == -(int32_t)tid, "close(%d) with thread %u", (int32_t)*arg, tid);
	CHECK(i >= 0, "thread %u was not selected", tid);
	CHECK(now_ns <= seen->left_ns[i] || !seen->left_ns[i] || (seen->added_ns && now_ns >= seen->added_ns),
	      "a record after the end of tracing");
	seen->calls[i]++;
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_state *state = record;
	const struct scope_record_thread_exit *end = record;
	struct seen *seen = data;
	int i = index_of(seen, tid);

	(void)cpu, (void)bytes;
	switch (scope_record_type(state->word)) {
	case SCOPE_RECORD_SYSCALL:
	case SCOPE_RECORD_ENTER:
		on_call(seen, tid, i, now_ns, record);
		break;
	case SCOPE_RECORD_STATE:
		i = index_of(seen, state->tid);
		CHECK(i >= 0, "STATE of %u", state->tid);
		seen->states[i] += !(state->flags & SCOPE_STATE_AT_STOP);
		break;
	case SCOPE_RECORD_THREAD_EXIT:
		i = index_of(seen, end->tid);
		if (i < 0)
			break;
		seen->ends[i] += !!(end->flags & SCOPE_EXIT_UNTRACED);
		seen->left_ns[i] = now_ns;
		break;
	}
}

static int configure(struct client *client, struct attributes *targets, const uint8_t *syscalls)
{
	struct attributes a = { 0 };
	uint8_t counts[SCOPE_SYSCALL_MAX] = { [SYS_close] = 1 };
	char text[256];
	int err;

	client_open(client);
	attributes_u32(&a, SCOPE_ATTR_SESSION, client->info.session);
	attributes_u32(&a, SCOPE_ATTR_PROTOCOL, SCOPE_PROTOCOL);
	attributes_nest(&a, SCOPE_ATTR_TARGETS, targets);
	attributes_add(&a, SCOPE_ATTR_ARG_COUNTS, counts, sizeof(counts));
	if (syscalls)
		attributes_add(&a, SCOPE_ATTR_SYSCALLS, syscalls, SCOPE_SYSCALL_MAX / 8);
	err = client_raw(client, SCOPE_CMD_CONFIGURE, a.data, a.bytes, text, sizeof(text));
	if (err)
		printf("# configure: %s\n", text);
	return err;
}

static void begin(struct client *client, struct attributes *targets, const uint8_t *syscalls)
{
	CHECK(!configure(client, targets, syscalls));
	client_map(client);
	CHECK(!client_command(client, SCOPE_CMD_START));
}

static int change(struct client *client, struct seen *seen, int name, const struct attributes *targets)
{
	struct attributes a = { 0 };
	struct timespec now;
	char text[256];
	int err;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (name == SCOPE_ATTR_TARGETS)
		seen->added_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	attributes_u32(&a, SCOPE_ATTR_SESSION, client->info.session);
	attributes_nest(&a, name, targets);
	err = client_raw(client, SCOPE_CMD_FILTER, a.data, a.bytes, text, sizeof(text));
	if (err)
		printf("# filter: %s: %s\n", strerror(-err), text);
	return err;
}

/* Takes what comes for a while, or until what is waited for has come; line: who waits. */
static void take_until(struct client *client, struct seen *seen, const uint32_t *until, int line)
{
	uint32_t before = until ? *until : 0;
	bool come = false;
	int i;

	for (i = 0; i < 1000; i++) {
		usleep(2000);
		CHECK(!ioctl(client->fd, SCOPE_IOC_FLUSH));
		client_drain(client, on_record, seen);
		/* What came before it, on a processor that was read before that, comes with one round more. */
		if (come)
			return;
		come = until ? *until > before + 20 : i == 20;
	}
	FAIL("what line %d waits for does not come: %u since", line, *until - before);
}

#define take(client, seen, until) take_until(client, seen, until, __LINE__)

static void look_for(struct seen *seen, const struct worker *worker)
{
	int i;

	for (i = 0; i < WORKER_THREADS; i++)
		seen->tid[seen->count++] = worker->tid[i];
}

void test_filter_thread(void)
{
	struct worker *worker = worker_begin();
	struct attributes target = { 0 }, other = { 0 };
	struct seen seen = { 0 };
	struct client_counts counts;
	struct client client;

	look_for(&seen, worker);
	attributes_u32(&target, SCOPE_ATTR_THREAD, worker->tid[1]);
	attributes_u32(&other, SCOPE_ATTR_THREAD, worker->tid[2]);
	begin(&client, &target, NULL);
	take(&client, &seen, &seen.calls[1]);
	CHECK(!seen.calls[0] && !seen.calls[2] && seen.states[1] == 1 && !seen.states[0]);
	CHECK(!change(&client, &seen, SCOPE_ATTR_TARGETS, &other));
	take(&client, &seen, &seen.calls[2]);
	CHECK(seen.states[2] == 1);
	CHECK(!client_query(&client, &counts) && counts.processes == 0);
	CHECK(!change(&client, &seen, SCOPE_ATTR_REMOVE, &target));
	CHECK(change(&client, &seen, SCOPE_ATTR_REMOVE, &target) == -ENOENT);
	take(&client, &seen, &seen.calls[2]);
	CHECK(seen.ends[1] == 1 && seen.left_ns[1] && !seen.calls[0]);
	client_finish(&client, on_record, &seen);
	worker_end(worker);
}

/* Added and removed over and over, every record is with its own thread. */
void test_filter_process_changes(void)
{
	struct worker *worker[2] = { worker_begin(), worker_begin() };
	struct attributes target[2] = { 0 };
	struct seen seen = { 0 };
	struct client client;
	int i, round;

	for (i = 0; i < 2; i++) {
		look_for(&seen, worker[i]);
		attributes_u32(&target[i], SCOPE_ATTR_TARGET, worker[i]->pid);
	}
	begin(&client, &target[0], NULL);
	take(&client, &seen, &seen.calls[0]);
	CHECK(!seen.calls[WORKER_THREADS]);
	for (round = 1; round <= 20; round++) {
		CHECK(!change(&client, &seen, SCOPE_ATTR_TARGETS, &target[1]));
		take(&client, &seen, &seen.calls[WORKER_THREADS]);
		for (i = 0; i < WORKER_THREADS; i++)
			CHECK(seen.states[WORKER_THREADS + i] == (uint32_t)round, "%u states in round %d",
			      seen.states[WORKER_THREADS + i], round);
		CHECK(!change(&client, &seen, SCOPE_ATTR_REMOVE, &target[1]));
		take(&client, &seen, &seen.calls[0]);
		for (i = 0; i < WORKER_THREADS; i++)
			CHECK(seen.ends[WORKER_THREADS + i] == (uint32_t)round, "%u ends in round %d",
			      seen.ends[WORKER_THREADS + i], round);
	}
	CHECK(seen.states[0] == 1 && !seen.ends[0]);
	client_finish(&client, on_record, &seen);
	worker_end(worker[0]);
	worker_end(worker[1]);
}

/* A descendant leaves with its ancestor, unless it was named itself. */
void test_filter_removes_descendants(void)
{
	struct client_config config = { .count = 1, .follow = true };
	struct attributes parent = { 0 }, child = { 0 };
	struct seen seen = { 0 };
	struct client_counts counts;
	struct client client;
	int go[2];
	pid_t pid[3];

	CHECK(!pipe(go));
	pid[0] = fork();
	if (!pid[0]) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int i = 1; i < 3; i++) {
			pid[i] = fork();
			if (!pid[i]) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				for (;;)
					pause();
			}
			CHECK(write(go[1], &pid[i], sizeof(pid[i])) == sizeof(pid[i]));
		}
		for (;;)
			pause();
	}
	CHECK(read(go[0], &pid[1], sizeof(pid[1])) == sizeof(pid[1]));
	CHECK(read(go[0], &pid[2], sizeof(pid[2])) == sizeof(pid[2]));
	config.pids[0] = pid[0];
	attributes_u32(&parent, SCOPE_ATTR_TARGET, pid[0]);
	attributes_u32(&child, SCOPE_ATTR_TARGET, pid[2]);
	client_begin(&client, &config);
	CHECK(!client_query(&client, &counts) && counts.processes == 3, "%u", counts.processes);
	CHECK(!change(&client, &seen, SCOPE_ATTR_TARGETS, &child));
	CHECK(!change(&client, &seen, SCOPE_ATTR_REMOVE, &parent));
	CHECK(!client_query(&client, &counts) && counts.processes == 1, "%u", counts.processes);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_close(&client);
	kill(pid[0], SIGKILL);
	waitpid(pid[0], NULL, 0);
}

void test_filter_names(void)
{
	struct worker *worker = worker_begin();
	struct attributes target = { 0 }, more = { 0 };
	struct seen seen = { 0 };
	struct client client;

	look_for(&seen, worker);
	worker_rename(worker, 0, "filter-a");
	worker_rename(worker, 1, "filter-b");
	attributes_add(&target, SCOPE_ATTR_COMM, "filter-a", 8);
	attributes_add(&more, SCOPE_ATTR_COMM_PREFIX, "filter-", 7);
	begin(&client, &target, NULL);
	take(&client, &seen, &seen.calls[0]);
	CHECK(!seen.calls[1] && !seen.calls[2] && seen.states[0] == 1);
	worker_rename(worker, 2, "filter-a");
	take(&client, &seen, &seen.calls[2]);
	CHECK(seen.states[2] == 1);
	worker_rename(worker, 0, "other");
	take(&client, &seen, &seen.calls[2]);
	CHECK(seen.ends[0] == 1 && !seen.calls[1]);
	CHECK(!change(&client, &seen, SCOPE_ATTR_TARGETS, &more));
	take(&client, &seen, &seen.calls[1]);
	CHECK(seen.states[1] == 1 && seen.states[2] == 1 && seen.states[0] == 1);
	CHECK(!change(&client, &seen, SCOPE_ATTR_REMOVE, &target));
	take(&client, &seen, &seen.calls[2]);
	CHECK(!change(&client, &seen, SCOPE_ATTR_REMOVE, &more));
	take(&client, &seen, NULL);
	CHECK(seen.ends[1] == 1 && seen.ends[2] == 1);
	client_finish(&client, on_record, &seen);
	worker_end(worker);
}

static uint64_t group_make(const char *path)
{
	struct stat status;

	rmdir(path);
	CHECK(!mkdir(path, 0755), "%s: %s", path, strerror(errno));
	CHECK(!stat(path, &status));
	return status.st_ino;
}

static void group_enter(const char *path, pid_t pid)
{
	char file[128], text[16];
	int fd;

	snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	snprintf(text, sizeof(text), "%d", pid);
	fd = open(file, O_WRONLY);
	CHECK(fd >= 0 && write(fd, text, strlen(text)) > 0, "%s: %s", file, strerror(errno));
	close(fd);
}

static void group_target(struct attributes *targets, uint64_t id)
{
	struct attributes group = { 0 };

	attributes_add(&group, SCOPE_ATTR_CGROUP_ID, &id, sizeof(id));
	attributes_nest(targets, SCOPE_ATTR_CGROUP, &group);
}

/* Who is in a group, or below it, as processes come to it and leave it. */
void test_filter_cgroup(void)
{
	struct worker *worker[2] = { worker_begin(), worker_begin() };
	struct attributes target = { 0 };
	struct seen seen = { 0 };
	struct client client;
	uint64_t id;

	mkdir(GROUP, 0755);
	if (mount("none", GROUP, "cgroup2", 0, NULL) && errno == ENODEV) {
		printf("# skipped: the kernel has no control groups of version 2\n");
		goto end;
	}
	id = group_make(GROUP "/traced");
	group_make(GROUP "/traced/below");
	group_enter(GROUP "/traced", worker[0]->pid);
	look_for(&seen, worker[0]);
	look_for(&seen, worker[1]);
	group_target(&target, id);
	if (configure(&client, &target, NULL) == -EOPNOTSUPP) {
		printf("# skipped: the kernel has no filter by control group\n");
		client_close(&client);
		goto end;
	}
	client_map(&client);
	CHECK(!client_command(&client, SCOPE_CMD_START));
	take(&client, &seen, &seen.calls[1]);
	CHECK(seen.states[0] == 1 && seen.states[1] == 1 && !seen.calls[WORKER_THREADS]);
	group_enter(GROUP "/traced/below", worker[1]->pid);
	take(&client, &seen, &seen.calls[WORKER_THREADS + 1]);
	CHECK(seen.states[WORKER_THREADS] == 1 && seen.states[WORKER_THREADS + 2] == 1);
	group_enter(GROUP "/traced/below", worker[0]->pid);
	group_enter(GROUP, worker[1]->pid);
	take(&client, &seen, &seen.calls[0]);
	CHECK(seen.ends[WORKER_THREADS] == 1 && seen.ends[WORKER_THREADS + 2] == 1 && !seen.ends[0]);
	CHECK(!change(&client, &seen, SCOPE_ATTR_REMOVE, &target));
	take(&client, &seen, NULL);
	CHECK(seen.ends[0] == 1 && seen.ends[2] == 1);
	client_finish(&client, on_record, &seen);
end:
	worker_end(worker[0]);
	worker_end(worker[1]);
	rmdir(GROUP "/traced/below");
	rmdir(GROUP "/traced");
	umount(GROUP);
}

static int set_syscalls(struct client *client, const uint8_t *bits)
{
	struct attributes a = { 0 };
	char text[256];

	attributes_u32(&a, SCOPE_ATTR_SESSION, client->info.session);
	attributes_add(&a, SCOPE_ATTR_SYSCALLS, bits, SCOPE_SYSCALL_MAX / 8);
	return client_raw(client, SCOPE_CMD_FILTER, a.data, a.bytes, text, sizeof(text));
}

/* Calls out of the set leave no record, blocking ones and those of other ABIs included. */
void test_filter_syscalls(void)
{
	uint8_t one[SCOPE_SYSCALL_MAX / 8] = { [SYS_close / 8] = 1 << SYS_close % 8 };
	uint8_t none[SCOPE_SYSCALL_MAX / 8] = { 0 }, all[SCOPE_SYSCALL_MAX / 8];
	struct worker *worker = worker_begin();
	struct attributes target = { 0 };
	struct seen seen = { 0 };
	struct client client;
	uint32_t calls;

	memset(all, 0xff, sizeof(all));
	look_for(&seen, worker);
	attributes_u32(&target, SCOPE_ATTR_TARGET, worker->pid);
	begin(&client, &target, one);
	take(&client, &seen, &seen.calls[0]);
	CHECK(!seen.other_calls, "%u", seen.other_calls);
	CHECK(!set_syscalls(&client, none));
	take(&client, &seen, NULL);
	calls = seen.calls[0];
	take(&client, &seen, NULL);
	CHECK(seen.calls[0] == calls && !seen.other_calls);
	CHECK(!set_syscalls(&client, all));
	take(&client, &seen, &seen.other_calls);
	CHECK(seen.calls[0] > calls);
	client_finish(&client, on_record, &seen);
	worker_end(worker);
}
