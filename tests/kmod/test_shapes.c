// SPDX-License-Identifier: GPL-2.0-only
/* Unusual processes and calls: namespaces, ended thread-group leaders, reused thread numbers, vfork, clocks. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <linux/sched.h>
#include "tests.h"

#define CALLS 50

struct seen {
	uint32_t tid[64], calls[64], count; /* getppid() of each thread */
	uint32_t x32, none, execs, bad;
};

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_enter *call = record;
	struct seen *seen = data;
	uint32_t type = scope_record_type(call->word), i;

	(void)cpu, (void)now_ns, (void)bytes;
	seen->execs += type == SCOPE_RECORD_EXEC;
	if (type != SCOPE_RECORD_SYSCALL && type != SCOPE_RECORD_ENTER)
		return;
	seen->none += call->nr == SCOPE_NR_NONE;
	seen->bad += call->nr == SYS_pread64 && call->abi_args >> 4 && *(const uint64_t *)(record + 24) == ~0ull;
	if (call->nr != SYS_getppid)
		return;
	if ((call->abi_args & 0xf) == SCOPE_ABI_X32) {
		seen->x32++;
		return;
	}
	for (i = 0; i < seen->count && seen->tid[i] != tid; i++)
		;
	CHECK(i < 64);
	if (i == seen->count)
		seen->tid[seen->count++] = tid;
	seen->calls[i]++;
}

static uint32_t calls_of(const struct seen *seen, uint32_t tid)
{
	uint32_t i;

	for (i = 0; i < seen->count; i++)
		if (seen->tid[i] == tid)
			return seen->calls[i];
	return 0;
}

static void call_often(void)
{
	int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
}

/* Forks one that waits for a byte, works, and says when it has. */
struct actor {
	pid_t pid;
	int go, done;
};

static void actor_begin(struct actor *actor, void (*work)(void))
{
	int go[2], done[2];
	char byte;

	CHECK(!pipe(go) && !pipe(done));
	actor->pid = fork();
	if (!actor->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(go[0], &byte, 1) == 1) {
			work();
			CHECK(write(done[1], &byte, 1) == 1);
		}
		_exit(0);
	}
	actor->go = go[1];
	actor->done = done[0];
	close(go[0]);
	close(done[1]);
}

static void actor_act(struct actor *actor)
{
	char byte;

	CHECK(write(actor->go, "", 1) == 1 && read(actor->done, &byte, 1) == 1);
}

static void actor_end(struct actor *actor)
{
	kill(actor->pid, SIGKILL);
	waitpid(actor->pid, NULL, 0);
	close(actor->go);
	close(actor->done);
}

/* Inside a PID namespace: numbers of it are taken, and records have those of the first namespace. */
static void trace_inside(void)
{
	struct client_config config = { .count = 1 };
	struct seen seen = { 0 };
	struct client client;
	struct actor actor;

	actor_begin(&actor, call_often);
	CHECK(actor.pid < 10, "%d", actor.pid);
	config.pids[0] = actor.pid;
	client_begin(&client, &config);
	actor_act(&actor);
	client_finish(&client, on_record, &seen);
	CHECK(seen.count == 1 && seen.calls[0] == CALLS && (int)seen.tid[0] != actor.pid, "%u threads, %u calls, %u",
	      seen.count, seen.calls[0], seen.tid[0]);
	actor_end(&actor);
}

void test_pid_namespaces(void)
{
	struct client_config config = { .count = 1, .follow = true };
	struct seen seen = { 0 };
	struct client client;
	struct actor actor;
	int status;
	pid_t pid;

	/* From inside. The caller itself stays outside; its children do not. */
	pid = fork();
	if (!pid) {
		CHECK(!unshare(CLONE_NEWPID), "%s", strerror(errno));
		pid = fork();
		if (!pid) {
			trace_inside();
			_exit(0);
		}
		CHECK(waitpid(pid, &status, 0) == pid && !status);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	/* From outside, by the number it has outside. */
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		CHECK(!unshare(CLONE_NEWPID));
		actor_begin(&actor, call_often);
		config.pids[0] = actor.pid;
		client_begin(&client, &config);
		actor_act(&actor);
		client_finish(&client, on_record, &seen);
		CHECK(calls_of(&seen, actor.pid) == CALLS, "%u", calls_of(&seen, actor.pid));
		actor_end(&actor);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
}

static void have_family(void)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t pid = vfork();

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid < 0 && errno == ENOSYS) /* before 5.3 */
		pid = syscall(SYS_clone, SIGCHLD, 0, NULL, NULL, 0);
	if (!pid) {
		call_often();
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	/* Its children are in a pid namespace of their own. */
	CHECK(!unshare(CLONE_NEWPID));
	pid = fork();
	if (!pid) {
		call_often();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

void test_family_ways(void)
{
	struct client_config config = { .count = 1, .follow = true };
	struct seen seen = { 0 };
	struct client client;
	struct actor actor;

	actor_begin(&actor, have_family);
	config.pids[0] = actor.pid;
	client_begin(&client, &config);
	actor_act(&actor);
	client_finish(&client, on_record, &seen);
	CHECK(seen.execs == 1 && seen.count == 2, "%u execs, %u children", seen.execs, seen.count);
	CHECK(seen.calls[0] == CALLS && seen.calls[1] == CALLS);
	actor_end(&actor);
}

static int leader_go, leader_done;

static void *outlive(void *unused)
{
	char byte;

	(void)unused;
	while (read(leader_go, &byte, 1) == 1) {
		call_often();
		CHECK(write(leader_done, &byte, 1) == 1);
	}
	return NULL;
}

/* The first thread is gone, the process lives: it can be named, and its other thread is traced. */
void test_leader_gone(void)
{
	struct client_config config = { .count = 1 };
	int go[2], done[2], i;
	struct seen seen = { 0 };
	struct client client;
	pthread_t thread;
	char byte;
	pid_t pid;

	CHECK(!pipe(go) && !pipe(done));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		leader_go = go[0];
		leader_done = done[1];
		pthread_create(&thread, NULL, outlive, NULL);
		syscall(SYS_exit, 0);
	}
	for (i = 0; i < 2; i++) /* the second time the first thread is surely a zombie */
		CHECK(write(go[1], "", 1) == 1 && read(done[0], &byte, 1) == 1);
	config.pids[0] = pid;
	client_begin(&client, &config);
	CHECK(write(go[1], "", 1) == 1 && read(done[0], &byte, 1) == 1);
	client_finish(&client, on_record, &seen);
	CHECK(seen.count == 1 && seen.calls[0] == CALLS && (int)seen.tid[0] != pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A number that is used again belongs to another process. */
void test_pid_reuse(void)
{
	struct client_config config = { .count = 2, .pids = { 0, getpid() } };
	struct clone_args args = { .exit_signal = SIGCHLD, .set_tid_size = 1 };
	struct client_counts counts;
	struct seen seen = { 0 };
	struct client client;
	struct actor actor;
	pid_t number, pid;

	actor_begin(&actor, call_often);
	number = actor.pid;
	config.pids[0] = number;
	client_begin(&client, &config);
	actor_act(&actor);
	actor_end(&actor);
	CHECK(!client_query(&client, &counts) && counts.processes == 1, "%u", counts.processes);
	args.set_tid = (uintptr_t)&number;
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (!pid) {
		call_often();
		_exit(0);
	}
	CHECK(pid == number || errno == ENOSYS || errno == EINVAL || errno == E2BIG, "%d: %s", pid, strerror(errno));
	if (pid > 0)
		waitpid(pid, NULL, 0);
	client_finish(&client, on_record, &seen);
	CHECK(calls_of(&seen, number) == CALLS, "%u calls of the number", calls_of(&seen, number));
}

static void odd_arguments(void)
{
	int i;

	for (i = 0; i < CALLS; i++) {
		syscall(SYS_pread64, -1, ~0ul, ~0ul, ~0ul);
		syscall(SYS_pread64, 0x7fffffff, 1ul << 63, 1, 0);
#ifdef __x86_64__
		syscall(SYS_getppid | 0x40000000);
#endif
	}
}

/* Arguments that point nowhere are words like others; the x32 bit is recorded; the clock may be set. */
void test_odd_arguments(void)
{
	struct client_config config = {
		.count = 1, .stack_mode = SCOPE_STACK_COPY, .stack_min_ns = 1, .subbuf_count = 64
	};
	struct timeval before, step;
	struct seen seen = { 0 };
	struct client client;
	struct actor actor;
	int i;

	actor_begin(&actor, odd_arguments);
	config.pids[0] = actor.pid;
	config.arg_counts[SYS_pread64] = 4;
	client_begin(&client, &config);
	for (i = 0; i < 10; i++) {
		CHECK(!gettimeofday(&before, NULL));
		step = before;
		step.tv_sec += i % 2 ? -3600 : 86400;
		CHECK(!settimeofday(&step, NULL), "%s", strerror(errno));
		actor_act(&actor);
		CHECK(!settimeofday(&before, NULL));
		client_drain(&client, on_record, &seen);
	}
	client_finish(&client, on_record, &seen);
	CHECK(seen.bad == 10 * CALLS, "%u calls with words of ones", seen.bad);
#ifdef __x86_64__
	CHECK(seen.x32 == 10 * CALLS, "%u x32 calls", seen.x32);
#endif
	actor_end(&actor);
}

/* A debugger that makes every other getppid() another call: the call that ran is recorded. */
void test_rewritten_call(void)
{
#ifdef __x86_64__
	struct client_config config = { .count = 1 };
	struct user_regs_struct regs;
	struct seen seen = { 0 };
	struct client client;
	uint32_t rewritten = 0, turn = 0;
	int status;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		call_often();
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
	config.pids[0] = pid;
	client_begin(&client, &config);
	for (;;) {
		CHECK(!ptrace(PTRACE_SYSCALL, pid, NULL, NULL));
		CHECK(waitpid(pid, &status, 0) == pid);
		if (WIFEXITED(status))
			break;
		CHECK(!ptrace(PTRACE_GETREGS, pid, NULL, &regs));
		/* Only at an entry has the result register this value. */
		if (regs.orig_rax != SYS_getppid || (long)regs.rax != -ENOSYS || turn++ % 2)
			continue;
		regs.orig_rax = -1;
		CHECK(!ptrace(PTRACE_SETREGS, pid, NULL, &regs));
		rewritten++;
	}
	client_finish(&client, on_record, &seen);
	CHECK(rewritten == CALLS / 2 && seen.count == 1 && seen.calls[0] == CALLS - rewritten, "%u rewritten, %u left",
	      rewritten, seen.calls[0]);
#endif
}
