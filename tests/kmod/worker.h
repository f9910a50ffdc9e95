/* SPDX-License-Identifier: GPL-2.0-only */
/* A process whose threads repeatedly call close() with their own number, negative, and take requested names. */
#ifndef SCOPE_TESTS_KMOD_WORKER_H
#define SCOPE_TESTS_KMOD_WORKER_H

#include <stdint.h>
#include <sys/types.h>
#include <scope/abi.h>

#define WORKER_THREADS 3

struct worker {
	pid_t pid;
	volatile int32_t tid[WORKER_THREADS];
	volatile char name[WORKER_THREADS][SCOPE_COMM_BYTES]; /* to take next; "" after */
};

struct worker *worker_begin(void);
void worker_end(struct worker *worker);
void worker_rename(struct worker *worker, int index, const char *name);

#endif
