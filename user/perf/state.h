/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes a STATE record of a thread from /proc. */
#ifndef SCOPE_PERF_STATE_H
#define SCOPE_PERF_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/event.h>

struct scope_proc_reader;

/* Offset of CLOCK_MONOTONIC from the run queue's clock, by CPU. */
struct scope_perf_clock {
	struct scope_perf_clock_row {
		uint32_t cpu;
		int64_t ahead_ns;
	} * row;
	size_t count;
};

/*
 * Runs on each of the CPUs in turn and compares the clocks there. Each visit preempts the thread that runs there, so
 * that a session which has begun gets records of all running threads. CPUs that this thread may not use are left out. 0
 * or -ENOMEM.
 */
int scope_perf_clock_read(const uint32_t *cpus, size_t count, struct scope_perf_clock *ret_clock);
void scope_perf_clock_destroy(struct scope_perf_clock *clock);

/*
 * Fills everything but word; reg gets state->regs registers. For a sleeping thread only the stack pointer, the program
 * counter and the arguments of its call are known: the other registers are 0. iowait is not known. since_ns is wrong by
 * the time of interrupts on its CPU since then; it is 0 if the kernel does not report it. 0; -errno if the thread has
 * ended.
 */
int scope_perf_state_read(struct scope_proc_reader *reader, const struct scope_perf_clock *clock, uint32_t tgid,
			  uint32_t tid, struct scope_record_state *ret_state, uint64_t reg[SCOPE_REG_MAX]);

/* False if the thread has ended, even if its process still exists until the parent reads its status. */
bool scope_perf_state_lives(uint32_t tgid, uint32_t tid);

/* SCOPE_ABI_32 for a 32-bit program, else (also if it cannot be read) SCOPE_ABI_NATIVE. */
uint8_t scope_perf_program_abi(struct scope_proc_reader *reader, uint32_t tgid);

#endif
