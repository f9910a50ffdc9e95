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
#define SCOPE_DEFAULT_LEARN_NS 1000000000ull	 /* without stacks, see capture/focus.h … */
#define SCOPE_DEFAULT_LEARN_OF_NS 10000000000ull /* … in captures that last this long, or without end */

/* Not a round number, because a period in step with the target's timers would see only a part of its work. */
#define SCOPE_DEFAULT_SAMPLE_PERIOD_NS 2003000u
#define SCOPE_DEFAULT_SAMPLES_PER_SECOND 2000u /* of all CPUs together */
#define SCOPE_DEFAULT_SAMPLE_TIMES 8u	       /* the most, if they cost little (capture/focus.h) */

/* A flight recorder runs for weeks, and its last seconds must fit into memory. */
#define SCOPE_DEFAULT_FLIGHT_STACKS_PER_SECOND 20u	      /* per CPU */
#define SCOPE_DEFAULT_FLIGHT_SAMPLES_PER_SECOND 50u	      /* of all CPUs together */
#define SCOPE_DEFAULT_OVERHEAD_MAX SCOPE_OVERHEAD_MAX_DEFAULT /* thousandths of a CPU */

#define SCOPE_DEFAULT_FLUSH_MS 200		 /* no event stays in the kernel for longer */
#define SCOPE_DEFAULT_MEMORY_BYTES 32768u	 /* of the stack of a thread that does not run */
#define SCOPE_DEFAULT_MEMORY_TOTAL (64ull << 20) /* of all of them, at start and again at stop */

/* The period for that number of CPUs online, ns: all of them together stay below the limit. */
uint32_t scope_capture_default_sample_period_ns(uint32_t cpus);
uint32_t scope_capture_default_flight_period_ns(uint32_t cpus);

/*
 * How many arguments to store, by syscall number: the descriptor of a call that works on one, the
 * address and operation of futex, the process of a wait.
 */
void scope_capture_default_arg_counts(uint8_t ret_counts[SCOPE_SYSCALL_MAX]);
/* Raises them where a call has a size, an offset or flags (base/syscall_args.h). */
void scope_capture_parameter_arg_counts(uint8_t counts[SCOPE_SYSCALL_MAX]);

/*
 * Which calls get a stack when they took long, one bit per number: all but those in which servers
 * only wait for work (epoll, accept). The stacks of these would only show where idle threads wait,
 * and use up the limit of stacks per second. poll and select are included, because they also wait
 * for single answers.
 */
void scope_capture_default_stack_syscalls(uint8_t ret_bits[SCOPE_SYSCALL_MAX / 8]);

#endif
