/* SPDX-License-Identifier: GPL-2.0-only */
/* The default configuration of a capture. */
#ifndef SCOPE_CAPTURE_DEFAULTS_H
#define SCOPE_CAPTURE_DEFAULTS_H

#include <stdint.h>

#include <scope/abi.h>

#define SCOPE_DEFAULT_DURATION_NS 90000000000ull
#define SCOPE_DEFAULT_SUBBUF_BYTES (256u << 10)
#define SCOPE_DEFAULT_SUBBUF_COUNT 8u
#define SCOPE_DEFAULT_STACK_BYTES 8192u
#define SCOPE_DEFAULT_STACK_MIN_NS 100000u
#define SCOPE_DEFAULT_STACKS_PER_SECOND 1000u	 /* per CPU */
#define SCOPE_DEFAULT_LEARN_NS 1000000000ull	 /* period without stacks, see capture/focus.h … */
#define SCOPE_DEFAULT_LEARN_OF_NS 10000000000ull /* … in captures that last at least this long, or have no end */

/* Not a round number: samples in step with the target's timers would hit only a part of its work. */
#define SCOPE_DEFAULT_SAMPLE_PERIOD_NS 2003000u
#define SCOPE_DEFAULT_SAMPLES_PER_SECOND 2000u /* of all CPUs together */
#define SCOPE_DEFAULT_SAMPLE_TIMES 8u /* the most samples, as a multiple, if samples cost little (capture/focus.h) */

/* A flight recorder runs for weeks, and its last seconds must fit into memory. */
#define SCOPE_DEFAULT_FLIGHT_STACKS_PER_SECOND 20u	      /* per CPU */
#define SCOPE_DEFAULT_FLIGHT_SAMPLES_PER_SECOND 50u	      /* of all CPUs together */
#define SCOPE_DEFAULT_OVERHEAD_MAX SCOPE_OVERHEAD_MAX_DEFAULT /* thousandths of a CPU */

#define SCOPE_DEFAULT_FLUSH_MS 200		 /* no event stays in the kernel for longer */
#define SCOPE_DEFAULT_MEMORY_BYTES 32768u	 /* bytes of the stack of a thread that does not run */
#define SCOPE_DEFAULT_MEMORY_TOTAL (64ull << 20) /* bytes of all such stacks, at start and again at stop */

/* The period in ns with which samples of all `cpus` CPUs together stay below the limit. */
uint32_t scope_capture_default_sample_period_ns(uint32_t cpus);
uint32_t scope_capture_default_flight_period_ns(uint32_t cpus);

/*
 * How many arguments to store, by syscall number: the descriptor of a call that has one, the address and operation of
 * futex, the process of a wait.
 */
void scope_capture_default_arg_counts(uint8_t ret_counts[SCOPE_SYSCALL_MAX]);
/* Raises the counts of calls that have a size, an offset or flags (base/syscall_args.h). */
void scope_capture_parameter_arg_counts(uint8_t counts[SCOPE_SYSCALL_MAX]);

/*
 * Which calls get a stack if they took long, one bit for each number: all but those in which servers only wait for work
 * (epoll, accept). Stacks of these would only show where idle threads wait, and would use up the limit of stacks per
 * second. poll and select are included, because programs also wait in them for single answers.
 */
void scope_capture_default_stack_syscalls(uint8_t ret_bits[SCOPE_SYSCALL_MAX / 8]);

#endif
