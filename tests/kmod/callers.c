// SPDX-License-Identifier: GPL-2.0-only
/* Processes that make calls forever, on each CPU: one that is traced and one that is not. */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "callers.h"
#include "tests.h"

#define CALLS 128 /* that a process makes while the fault is armed, two of them forks */

static void call_for_ever(uint32_t cpu, volatile uint64_t *calls)
{
	const struct timespec nap = { 0, 50000 };
	cpu_set_t set;
	pid_t child;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(!sched_setaffinity(0, sizeof(set), &set));
	for (;; ++*calls) {
		syscall(SYS_close, -getpid());
		if (*calls % 16 == 15)
			nanosleep(&nap, NULL);
		if (*calls % 64)
			continue;
		child = fork();
		if (!child) {
			syscall(SYS_close, -getpid());
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

void callers_begin(struct callers *callers)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t i;

	callers->count = 2 * (cpus < CALLER_CPUS ? cpus : CALLER_CPUS);
	callers->calls = mmap(NULL, callers->count * sizeof(*callers->calls), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(callers->calls != MAP_FAILED);
	for (i = 0; i < callers->count; i++) {
		callers->pid[i] = fork();
		if (!callers->pid[i])
			call_for_ever(i / 2, &callers->calls[i]);
	}
}

/* Until each has made CALLS calls more. */
void callers_wait(const struct callers *callers)
{
	uint64_t before[2 * CALLER_CPUS];
	uint32_t i;

	for (i = 0; i < callers->count; i++)
		before[i] = callers->calls[i];
	for (i = 0; i < callers->count; i++)
		while (callers->calls[i] < before[i] + CALLS)
			usleep(1000);
}

void callers_end(struct callers *callers)
{
	uint32_t i;

	for (i = 0; i < callers->count; i++) {
		kill(callers->pid[i], SIGKILL);
		waitpid(callers->pid[i], NULL, 0);
	}
	munmap((void *)callers->calls, callers->count * sizeof(*callers->calls));
}
