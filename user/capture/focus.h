/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which calls get stacks while a capture runs, how long ones, and how often what runs is sampled, so that
 * they stay within a budget.
 *
 * At first none do: a short stretch shows which calls take long, and how often. From then on every
 * second decides again. A call has a stack if it took min_ns or more. Where more of them would come
 * than the budget allows, first those numbers go without that always take about the same time (a
 * timer, a heartbeat: nothing abnormal is in them), then min_ns is doubled as often as it takes: the
 * slowest calls keep theirs. It comes down again one step at a time, once there is room to spare.
 *
 * Where more than one stack in a hundred fills its slice, and twice as many bytes of stack a second
 * would still be few (1 MB), the slice is doubled, as often as that holds: large frames cut fewer of
 * them short. It is halved again where they become more, and stays what it was at first once events
 * were lost.
 *
 * A server that has little to do is hit by few samples. So the period is halved, down to period_min_ns,
 * while that brings no more samples of traced threads a second than one processor gives that runs all
 * the time at the first period; no more than samples_per_second of whomever; while a sample takes at
 * most a twentieth of the time to the next one; and while they have no more than 1 MB of stack a second.
 * It is doubled again where one of these is clearly exceeded, at most to what it was at first, and
 * stays that once events were lost.
 *
 * Threads are not chosen. Whose fault a wait is, is told by the stacks of the one that ended it, and which
 * thread that will be is not known beforehand.
 */
#ifndef SCOPE_CAPTURE_FOCUS_H
#define SCOPE_CAPTURE_FOCUS_H

#include <stdbool.h>
#include <stdint.h>

#include <scope/abi.h>

struct scope_subbuf;
struct scope_focus;

struct scope_focus_limits {
	uint64_t learn_ns;			 /* without stacks, from begin() on; 0: none */
	uint32_t min_ns;			 /* shorter calls never get one */
	uint32_t per_second;			 /* the budget: stacks at calls, of all CPUs together */
	uint32_t slice_bytes, slice_max;	 /* of the stack: at first, and at most; the same: stays */
	uint32_t period_ns, period_min_ns;	 /* of samples: at first, and at least; the same: stays. 0: none */
	uint32_t samples_per_second;		 /* of whomever: above it the period is never shortened */
	uint8_t syscalls[SCOPE_SYSCALL_MAX / 8]; /* numbers that may have them */
};

struct scope_focus_choice {
	bool on; /* stacks and samples at all */
	uint32_t min_ns, slice_bytes, period_ns;
	uint8_t syscalls[SCOPE_SYSCALL_MAX / 8];
};

/* 0 or -ENOMEM. */
int scope_capture_focus_create(const struct scope_focus_limits *limits, struct scope_focus **ret_focus);
void scope_capture_focus_destroy(struct scope_focus *focus); /* NULL is fine */

/* Learns from the calls in a sub-buffer; one CPU's in their order. */
void scope_capture_focus_take(struct scope_focus *focus, const struct scope_subbuf *subbuf);

/* What take() does with each of them: a call of that number returned after so long; a stack came. */
void scope_capture_focus_call(struct scope_focus *focus, uint16_t nr, uint64_t duration_ns);
void scope_capture_focus_stack(struct scope_focus *focus, uint32_t bytes, bool full);

/* The same: a sample came. cost_ns: it held the thread up for so long; 0: not known. */
void scope_capture_focus_sample(struct scope_focus *focus, uint32_t bytes, uint32_t cost_ns);

/* So many samples were taken since the beginning, of threads that are not traced as well. */
void scope_capture_focus_taken(struct scope_focus *focus, uint64_t samples);

/* The same: events were lost, so nothing may come that takes more room. */
void scope_capture_focus_loss(struct scope_focus *focus);

/* What holds until the first decision. */
struct scope_focus_choice scope_capture_focus_first(const struct scope_focus *focus);

/* Calls can come from now on: the first period begins. */
void scope_capture_focus_begin(struct scope_focus *focus, uint64_t now_ns);

/* To be asked some times a second, once it has begun. True where something changed: *ret_choice holds from now on. */
bool scope_capture_focus_decide(struct scope_focus *focus, uint64_t now_ns, struct scope_focus_choice *ret_choice);

#endif
