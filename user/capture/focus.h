/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides while a capture runs which calls get stacks, how long these stacks are, and how often
 * running threads are sampled, within a budget.
 *
 * At first no call gets a stack. When it is known which calls take long, and how often, this file decides once a
 * second. The rules are in docs/architecture.md, "Stacks go to the slowest calls" and "The sampling period follows the
 * cost".
 */
#ifndef SCOPE_CAPTURE_FOCUS_H
#define SCOPE_CAPTURE_FOCUS_H

#include <stdbool.h>
#include <stdint.h>

#include <scope/abi.h>

struct scope_focus;

struct scope_focus_limits {
	uint64_t learn_ns;		 /* first period without stacks, from begin() on; 0: none */
	uint32_t min_ns;		 /* shorter calls never get one */
	uint32_t per_second;		 /* the budget: stacks at calls, of all CPUs together */
	uint32_t slice_bytes, slice_max; /* bytes of a slice: at first, and at most; equal: no change */
	uint32_t slice_room;		 /* with this many bytes of stacks a second slices do not grow */
	uint32_t period_ns,
		period_min_ns;	     /* period of samples: at first, and at least; equal: no change. 0: no samples */
	uint32_t samples_per_second; /* of all threads: above this number the period is not shortened */
	uint8_t syscalls[SCOPE_SYSCALL_MAX / 8]; /* numbers of calls that may get a stack */
};

struct scope_focus_choice {
	bool on; /* there are stacks and samples */
	uint32_t min_ns, slice_bytes, period_ns;
	uint8_t syscalls[SCOPE_SYSCALL_MAX / 8];
};

/* 0 or -ENOMEM. */
int scope_capture_focus_create(const struct scope_focus_limits *limits, struct scope_focus **ret_focus);
void scope_capture_focus_destroy(struct scope_focus *focus); /* NULL is fine */

/* A call with that number returned after this time; or a stack came. */
void scope_capture_focus_call(struct scope_focus *focus, uint16_t nr, uint64_t duration_ns);
void scope_capture_focus_stack(struct scope_focus *focus, uint32_t bytes, bool full);

/* The same for a sample. cost_ns: for how long it delayed the thread; 0: not known. */
void scope_capture_focus_sample(struct scope_focus *focus, uint32_t bytes, uint32_t cost_ns);

/* Sets the number of samples taken since the start, also of threads that are not traced. */
void scope_capture_focus_taken(struct scope_focus *focus, uint64_t samples);

/* Events were lost, so no change may need more room. */
void scope_capture_focus_loss(struct scope_focus *focus);

/* The choice before the first decision. */
struct scope_focus_choice scope_capture_focus_first(const struct scope_focus *focus);

/* Calls may come from now on: begins the first period. */
void scope_capture_focus_begin(struct scope_focus *focus, uint64_t now_ns);

/* Call it some times a second after begin(). Returns true if the choice changed: use *ret_choice from now on. */
bool scope_capture_focus_decide(struct scope_focus *focus, uint64_t now_ns, struct scope_focus_choice *ret_choice);

#endif
