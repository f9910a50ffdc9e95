/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the experiments of a plan, one after another. */
#ifndef SCOPE_CAUSAL_SERIES_H
#define SCOPE_CAUSAL_SERIES_H

#include <signal.h>

#include "causal/experiment.h"
#include "causal/inject.h"
#include "causal/plan.h"

enum scope_series_end {
	SCOPE_SERIES_DONE,
	SCOPE_SERIES_INTERRUPTED,
	SCOPE_SERIES_TARGET_GONE,
	SCOPE_SERIES_NO_PROGRESS, /* no visits in the longest experiment: `why` says what may be wrong */
	SCOPE_SERIES_FAILED,	  /* see `why` */
};

struct scope_series_options {
	struct scope_inject_options inject;
	/* Values are delays in ns, or, if inject has a sample period, speedups as shares of it. */
	const struct scope_plan *plan;
	/*
	 * Delays are shares of the longest delay of each site, which scope_causal_plan_longest_ns() computes from the
	 * visits counted before the first experiment.
	 */
	bool relative;
	uint64_t length_ns;   /* of one experiment; adapted (causal/plan.h) */
	uint64_t cool_off_ns; /* time before each experiment in which its delay is on, but visits are not counted */
};

struct scope_series_watch {
	/*
	 * Called some times a second. index: number of the experiment in the plan, from 0. step: has the length in ns.
	 */
	void (*progress)(void *context, size_t index, const struct scope_plan_step *step, double left_s);
	void *context;
};

struct scope_series_result {
	struct scope_experiment *experiment; /* the finished experiments, in their order */
	size_t count, capacity;
	enum scope_series_end end;
	struct scope_error why;
	uint64_t length_ns; /* after adaption */
	uint64_t delays;    /* number of recorded delays, and how much longer than configured they were */
	double late_p50_ns, late_p99_ns;
};

/*
 * Returns 0 with *ret_result filled, for scope_causal_series_free(), also if the series ended early; or -errno with
 * error filled if it could not begin. Ends early if *stop is set. Delays are off when it returns.
 */
int scope_causal_series_run(const struct scope_series_options *options, const volatile sig_atomic_t *stop,
			    const struct scope_series_watch *watch, struct scope_error *error,
			    struct scope_series_result *ret_result);
void scope_causal_series_free(struct scope_series_result *result); /* zeroed is fine */

#endif
