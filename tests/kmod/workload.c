// SPDX-License-Identifier: GPL-2.0-only
/* A process that makes known numbers of system calls and writes the numbers of its threads into shared memory. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>
#include "client.h"
#include "workload.h"

static struct workload_shared *shared;
static pthread_barrier_t barrier;
static int blocked_pipe[2];

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* Two threads pass a token; each wait and each wake is one call. */
static void play(uint32_t *mine, uint32_t *other)
{
	uint32_t i;

	for (i = 0; i < shared->plan.futex_rounds; i++) {
		while (!__atomic_exchange_n(mine, 0, __ATOMIC_ACQUIRE))
			syscall(SYS_futex, mine, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
		__atomic_store_n(other, 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, other, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
}

static __attribute__((noinline)) void spin(uint64_t until_ns)
{
	volatile uint64_t marks[8] __attribute__((unused));
	int i;

	for (i = 0; i < 8; i++)
		marks[i] = WORKLOAD_MARK;
	while (clock_ns() < until_ns)
		for (i = 0; i < 10000; i++)
			marks[i % 8] = WORKLOAD_MARK;
}

static void run_processes(uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		pid_t pid = fork();

		if (!pid) {
			syscall(SYS_getppid);
			execl("/bin/true", "scope-child", NULL);
			_exit(127);
		}
		shared->child[i % 64] = pid;
		waitpid(pid, NULL, 0);
	}
}

void *workload_thread_main(void *data)
{
	const struct workload_plan *plan = &shared->plan;
	long index = (long)data;
	struct timespec nap = { 0, 200000 };
	char byte;
	uint32_t i;
	int zero = open("/dev/zero", O_RDONLY);

	shared->tid[index] = syscall(SYS_gettid);
	pthread_barrier_wait(&barrier); /* all have their numbers */
	pthread_barrier_wait(&barrier); /* the work begins */
	for (i = 0; i < plan->getppid; i++)
		syscall(SYS_getppid);
	for (i = 0; i < plan->read; i++)
		syscall(SYS_pread64, zero, &byte, 1, 0);
	for (i = 0; i < plan->nanosleep; i++)
		syscall(SYS_nanosleep, &nap, NULL);
	if (index == 0) {
		play(&shared->futex_a, &shared->futex_b);
	} else if (index == 1) {
		play(&shared->futex_b, &shared->futex_a);
	} else if (plan->spin_ms) {
		shared->spin_ns[0] = clock_ns();
		spin(shared->spin_ns[0] + plan->spin_ms * 1000000ull);
		shared->spin_ns[1] = clock_ns();
	}
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
	return NULL;
}

static void *blocked_main(void *data)
{
	char byte;

	(void)data;
	shared->blocked_tid = syscall(SYS_gettid);
	shared->blocked_fd = blocked_pipe[0];
	/* Runs for a while first: that must not count as blocked. */
	spin(clock_ns() + 30000000);
	shared->blocked_at_ns = clock_ns();
	syscall(SYS_read, blocked_pipe[0], &byte, 1);
	return NULL;
}

static void process_main(int from_fd, int to_fd)
{
	pthread_t threads[WORKLOAD_THREADS], blocked;
	char byte = 0;
	long i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	shared->futex_a = 1;
	CHECK(!pipe(blocked_pipe));
	pthread_barrier_init(&barrier, NULL, WORKLOAD_THREADS + 1);
	for (i = 0; i < WORKLOAD_THREADS; i++)
		pthread_create(&threads[i], NULL, workload_thread_main, (void *)i);
	if (shared->plan.blocked) {
		pthread_create(&blocked, NULL, blocked_main, NULL);
		while (!shared->blocked_at_ns)
			usleep(1000);
		usleep(20000);
	}
	pthread_barrier_wait(&barrier);
	CHECK(write(to_fd, &byte, 1) == 1);
	CHECK(read(from_fd, &byte, 1) == 1);
	pthread_barrier_wait(&barrier);
	run_processes(shared->plan.processes);
	pthread_barrier_wait(&barrier);
	CHECK(write(to_fd, &byte, 1) == 1);
	for (;;)
		pause();
}

void workload_begin(struct workload *workload, const struct workload_plan *plan)
{
	int to[2], from[2];
	char byte;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	shared->plan = *plan;
	CHECK(!pipe(to) && !pipe(from));
	workload->pid = fork();
	CHECK(workload->pid >= 0);
	if (!workload->pid) {
		close(to[1]);
		close(from[0]);
		process_main(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	workload->to_fd = to[1];
	workload->from_fd = from[0];
	workload->shared = shared;
	CHECK(read(workload->from_fd, &byte, 1) == 1);
}

void workload_go(struct workload *workload)
{
	CHECK(write(workload->to_fd, "", 1) == 1);
}

bool workload_done(struct workload *workload)
{
	struct pollfd poll_fd = { .fd = workload->from_fd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) == 1;
}

void workload_end(struct workload *workload)
{
	close(workload->to_fd);
	close(workload->from_fd);
	kill(workload->pid, SIGKILL);
	waitpid(workload->pid, NULL, 0);
	munmap(workload->shared, sizeof(*workload->shared));
}
