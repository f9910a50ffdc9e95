/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that makes known numbers of system calls and writes the numbers of its threads into shared memory. */
#ifndef SCOPE_TESTS_KMOD_WORKLOAD_H
#define SCOPE_TESTS_KMOD_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WORKLOAD_THREADS 3
#define WORKLOAD_MARK 0x5c09e5c09e5c09e5ull /* on the stack of the spinning thread */

struct workload_plan {
	uint32_t getppid, read, nanosleep, futex_rounds, processes; /* per thread but processes */
	uint32_t spin_ms;
	bool blocked; /* one more thread, in read() on a pipe from before the work to the end */
};

struct workload_shared {
	struct workload_plan plan;
	volatile int32_t tid[WORKLOAD_THREADS], blocked_tid, child[64];
	volatile uint64_t blocked_at_ns;
	volatile uint64_t spin_ns[2]; /* the time from which, and until which, the last thread spins, CLOCK_MONOTONIC */
	volatile int32_t blocked_fd;
	uint32_t futex_a, futex_b;
};

struct workload {
	pid_t pid;
	int to_fd, from_fd;
	struct workload_shared *shared;
};

void *workload_thread_main(void *data); /* its address is looked for in stacks */

/* Returns once every thread waits before the work. */
void workload_begin(struct workload *workload, const struct workload_plan *plan);
void workload_go(struct workload *workload);
bool workload_done(struct workload *workload);
void workload_end(struct workload *workload);

#endif
