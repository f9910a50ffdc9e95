/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that make calls forever, on each CPU: one that is traced and one that is not. */
#ifndef SCOPE_TESTS_KMOD_CALLERS_H
#define SCOPE_TESTS_KMOD_CALLERS_H

#include <stdint.h>
#include <sys/types.h>

#define CALLER_CPUS 4 /* at most */

/* On each CPU two processes that make calls, the first of them traced. */
struct callers {
	pid_t pid[2 * CALLER_CPUS];
	volatile uint64_t *calls; /* that each made */
	uint32_t count;
};

void callers_begin(struct callers *callers);
void callers_wait(const struct callers *callers);
void callers_end(struct callers *callers);

#endif
