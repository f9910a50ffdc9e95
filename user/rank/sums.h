/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums of the evidence's items for one function, and for all functions. */
#ifndef SCOPE_RANK_SUMS_H
#define SCOPE_RANK_SUMS_H

#include "rank/rank.h"

/* Sums over the items for which one function is named. */
struct scope_sums {
	double abnormal_ns, normal_ns;	 /* the function's */
	double normal_wait_ns;		 /* of normal_ns, asleep */
	double all_ns[2], all_run_ns[2]; /* anywhere: usual, abnormal; of these, running */
	double run_ns, kernel_ns, wait_ns, lock_ns, late_ns;
	bool kernel_shown;		 /* a sample of any function hit the kernel: samples show the kernel */
	double nr_ns[SCOPE_SYSCALL_MAX]; /* sleeping time by call */
	double task_ns, held_ns;	 /* of wait_ns, in no thread (unit/held_request.h); of that, without a stack */
	double class_ns[SCOPE_WAIT_CLASSES];		  /* of wait_ns */
	uint32_t samples, sleeps, all[2], all_samples[2]; /* counts of items */
	uint32_t held;					  /* of sleeps: without a stack */
	uint32_t usual_stacks;				  /* the function's */
	double usual_ns2, usual_run_ns2;		  /* squares, of all usual items */
	double abnormal_ns2;				  /* the same of all abnormal ones */
	uint32_t *unit;					  /* distinct abnormal units among them, ascending */
	size_t units;
	double units_at_first; /* their number if samples had kept their first period */
};

/* The caller destroys the result. 0 or -ENOMEM. */
int scope_rank_sums_create(const struct scope_evidence *evidence, const struct scope_attribution *attribution,
			   const struct scope_function *function, struct scope_sums **ret_sums);
void scope_rank_sums_destroy(struct scope_sums *sums);

/* The unit's entry in sums->unit, or NULL. */
const uint32_t *scope_rank_sums_find(const struct scope_sums *sums, uint32_t unit);

#endif
