/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the experiments of a plan, one behind the other. */
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
	SCOPE_SERIES_NO_PROGRESS, /* none in the longest experiment there is: why says what may be wrong */
	SCOPE_SERIES_FAILED,	  /* why says it */
};

struct scope_series_options {
	struct scope_inject_options inject;
	/* Delays in ns; where inject has a sample period speedups, as shares of that. */
	const struct scope_plan *plan;
	/*
	 * Delays are shares of a longest one instead, for each site its own, as scope_causal_plan_longest_ns()
	 * tells by the visits counted before the first experiment.
	 */
	bool relative;
	uint64_t length_ns;   /* of one experiment; adapted (causal/plan.h) */
	uint64_t cool_off_ns; /* before each: its delay is on, but nothing counts yet */
};

struct scope_series_watch {
	/* Some times a second; index counts experiments of the plan from 0, step has the length in ns. */
	void (*progress)(void *context, size_t index, const struct scope_plan_step *step, double left_s);
	void *context;
};

struct scope_series_result {
	struct scope_experiment *experiment; /* those that were finished, in their order */
	size_t count, capacity;
	enum scope_series_end end;
	struct scope_error why;
	uint64_t length_ns; /* as adapted */
	uint64_t delays;    /* of which the next two are: how much longer than asked */
	double late_p50_ns, late_p99_ns;
};

/*
 * 0 with *ret_result filled, for scope_causal_series_free(): whatever ended it, what was measured is there. Else
 * -errno with error filled: it could not begin. Ends early where *stop is set. Delays are off when it
 * returns.
 */
int scope_causal_series_run(const struct scope_series_options *options, const volatile sig_atomic_t *stop,
			    const struct scope_series_watch *watch, struct scope_error *error,
			    struct scope_series_result *ret_result);
void scope_causal_series_free(struct scope_series_result *result); /* zeroed is fine */

#endif
