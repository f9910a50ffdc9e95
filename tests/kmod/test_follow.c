// SPDX-License-Identifier: GPL-2.0-only
/* Families of processes, unusual system calls, and calls that have not returned yet. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "tests.h"

struct seen {
	uint32_t tids[64], tid_count;
	uint32_t states, execs, calls[3], minus_one, high, open_random, long_calls;
	struct scope_record_exec exec;
	/* A CPU's records come after all of another's: their order is that of their times. */
	uint64_t exec_ns, exit_group_ns;
	uint32_t exit_group_tid;
};

static void note_exit_group(struct seen *seen, uint16_t nr, uint32_t tid, uint64_t now_ns)
{
	if (nr != SYS_exit_group)
		return;
	seen->exit_group_tid = tid;
	seen->exit_group_ns = now_ns;
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_syscall *call = record;
	const struct scope_record_enter *enter = record;
	const struct scope_record_state *state = record;
	struct seen *seen = data;
	uint32_t i;

	(void)cpu, (void)bytes;
	for (i = 0; tid && i < seen->tid_count && seen->tids[i] != tid; i++)
		;
	if (tid && i == seen->tid_count && i < 64)
		seen->tids[seen->tid_count++] = tid;
	switch (scope_record_type(call->word)) {
	case SCOPE_RECORD_STATE:
		seen->states += !(state->flags & SCOPE_STATE_AT_STOP);
		break;
	case SCOPE_RECORD_EXEC:
		seen->execs++;
		seen->exec = *(const struct scope_record_exec *)record;
		seen->exec_ns = now_ns;
		break;
	case SCOPE_RECORD_SYSCALL:
		note_exit_group(seen, call->nr, tid, now_ns);
		if (call->nr == SYS_getppid || call->nr == 20)
			seen->calls[call->abi_args & 0xf] += call->nr == ((call->abi_args & 0xf) ? 20 : SYS_getppid);
		seen->minus_one += call->nr == SCOPE_NR_NONE;
		seen->high += call->nr == 600 && call->ret == -ENOSYS;
		break;
	case SCOPE_RECORD_ENTER:
		seen->open_random += enter->nr == SYS_getrandom;
		note_exit_group(seen, enter->nr, tid, now_ns);
		break;
	}
}

static void stop_and_check(struct client *client, struct seen *seen)
{
	struct client_counts pages;

	CHECK(!client_command(client, SCOPE_CMD_STOP));
	client_drain(client, on_record, seen);
	client_pages(client, &pages);
	CHECK(pages.records == client->received && !pages.lost[0]);
	client_close(client);
}

static void family_member(int depth, int to_fd, int go_fd)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Each child has the next one. */
	while (depth-- && !fork())
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	CHECK(write(to_fd, "", 1) == 1);
	if (read(go_fd, &byte, 1) == 1)
		for (;;)
			pause();
	_exit(0);
}

/* Descendants born before the start belong to the session, and with them theirs born later. */
void test_family(void)
{
	struct client_config config = { .count = 1, .follow = true };
	struct client_counts counts;
	struct client client;
	struct seen seen = { 0 };
	int to[2], go[2], i;
	char byte;
	pid_t pid;

	CHECK(!pipe(to) && !pipe(go));
	pid = fork();
	if (!pid)
		family_member(4, to[1], go[0]);
	for (i = 0; i < 5; i++)
		CHECK(read(to[0], &byte, 1) == 1);
	config.pids[0] = pid;
	client_begin(&client, &config);
	CHECK(!client_query(&client, &counts));
	CHECK(counts.processes == 5, "%u", counts.processes);
	for (i = 0; i < 5; i++)
		CHECK(write(go[1], "", 1) == 1);
	usleep(50000);
	stop_and_check(&client, &seen);
	CHECK(seen.states == 5 && seen.tid_count == 5, "%u states, %u threads", seen.states, seen.tid_count);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void *exec_main(void *data)
{
	(void)data;
	usleep(1000);
	execl("/bin/true", "scope-exec", NULL);
	return NULL;
}

/* A thread other than the first calls exec: it gets the first one's number. */
void test_exec_of_thread(void)
{
	struct client_config config = { .count = 1 };
	struct client client;
	struct seen seen = { 0 };
	int go[2];
	char byte;
	pid_t pid;

	CHECK(!pipe(go));
	pid = fork();
	if (!pid) {
		pthread_t thread;

		CHECK(read(go[0], &byte, 1) == 1);
		pthread_create(&thread, NULL, exec_main, NULL);
		for (;;)
			pause();
	}
	config.pids[0] = pid;
	client_begin(&client, &config);
	CHECK(write(go[1], "", 1) == 1);
	waitpid(pid, NULL, 0);
	stop_and_check(&client, &seen);
	CHECK(seen.execs == 1 && (int)seen.exec.tid == pid && seen.exec.old_tid != seen.exec.tid);
	CHECK((int)seen.exec.tgid == pid && !strcmp(seen.exec.comm, "true"), "%s", seen.exec.comm);
	CHECK((int)seen.exit_group_tid == pid && seen.exit_group_ns > seen.exec_ns, "%u", seen.exit_group_tid);
}

static void odd_calls(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		syscall(SYS_getppid);
		syscall(-1);
		syscall(600);
#ifdef __x86_64__
		long nr = 20; /* getpid, for 32-bit programs */
		__asm__ volatile("int $0x80" : "+a"(nr) : : "memory", "r8", "r9", "r10", "r11");
		CHECK(nr == getpid());
#endif
	}
}

/* Numbers of other ABIs and numbers out of range are recorded, and can be distinguished. */
void test_odd_calls(void)
{
	struct client_config config = { .count = 1, .pids = { getpid() } };
	struct client client;
	struct seen seen = { 0 };

	client_begin(&client, &config);
	odd_calls();
	stop_and_check(&client, &seen);
	printf("# native %u, 32-bit %u, -1 %u, 600 %u\n", seen.calls[0], seen.calls[1], seen.minus_one, seen.high);
	/* A call that the timer cut in two is recorded otherwise: a few may be missing here. */
	CHECK(seen.calls[SCOPE_ABI_NATIVE] > 90 && seen.calls[SCOPE_ABI_32] > 90);
	CHECK(seen.minus_one > 90 && seen.high > 90);
}

static void *random_main(void *data)
{
	size_t bytes = 1 << 30;
	char *buffer = mmap(NULL, bytes / 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*(volatile int *)data = 1;
	for (;;)
		syscall(SYS_getrandom, buffer, 33554431, 0);
	return NULL;
}

/* A call that neither returns nor blocks is recorded by a flush. */
void test_flush_open_call(void)
{
	struct client_config config = { .count = 1, .pids = { getpid() } };
	struct client client;
	struct seen seen = { 0 };
	volatile int going = 0;
	pthread_t thread;
	int i;

	client_begin(&client, &config);
	pthread_create(&thread, NULL, random_main, (void *)&going);
	while (!going)
		usleep(1000);
	for (i = 0; i < 20 && !seen.open_random; i++) {
		usleep(5000);
		CHECK(!ioctl(client.fd, SCOPE_IOC_FLUSH));
		client_drain(&client, on_record, &seen);
	}
	CHECK(seen.open_random);
	stop_and_check(&client, &seen);
}

/* Without SCHED there are no switches, and threads are restated where records need it. */
void test_calls_alone(void)
{
	struct workload_plan plan = { .getppid = 1000, .nanosleep = 20, .futex_rounds = 100 };
	struct client_config config = { .count = 1, .events = SCOPE_EVENTS_SYSCALL };
	struct workload workload;
	struct client client;
	struct seen seen = { 0 };

	workload_begin(&workload, &plan);
	config.pids[0] = workload.pid;
	client_begin(&client, &config);
	workload_go(&workload);
	while (!workload_done(&workload))
		usleep(1000);
	stop_and_check(&client, &seen);
	CHECK(seen.calls[SCOPE_ABI_NATIVE] > WORKLOAD_THREADS * 1000 * 9 / 10);
	CHECK(seen.tid_count == WORKLOAD_THREADS + 1, "%u", seen.tid_count);
	workload_end(&workload);
}

/* Without end: a load to load and unload under. Ends with its parent. */
void test_load(void)
{
	struct timespec nap = { 0, 100000 };
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		for (i = 0; i < 1000; i++)
			syscall(SYS_getppid);
		syscall(SYS_nanosleep, &nap, NULL);
		if (!fork())
			_exit(0);
		waitpid(-1, NULL, 0);
	}
}

/* Traces pid for a moment, and exits without a stop. */
void test_trace_briefly(int pid)
{
	struct client_config config = { .count = 1,
					.follow = true,
					.stack_mode = SCOPE_STACK_COPY,
					.stack_min_ns = 1000,
					.sample_period_ns = 200000 };
	struct client client;
	struct seen seen = { 0 };

	config.pids[0] = pid;
	client_begin(&client, &config);
	usleep(20000);
	CHECK(!ioctl(client.fd, SCOPE_IOC_FLUSH));
	client_drain(&client, on_record, &seen);
	CHECK(client.received);
}
