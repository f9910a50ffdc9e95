/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes the effect of one site on the whole program from its experiments.
 *
 * Sensitivity: the time between two visits of the progress point (its period) over the delay that
 * was served per such visit, both ns. Slope 1: the full delay adds to the period, the site is on
 * the critical path; 0: it is not on it; 1/k: k threads share the work; above 1: a delay there also
 * makes other threads wait.
 *
 * Speedup: (p0 - ps) / p0 over the speedup, where p is the period in effective time, elapsed less
 * inserted, and p0 that of all experiments without one (Curtsinger and Berger, SOSP 2015, sections
 * 2 and 3.4). Slope 1: the program gains what the site gains.
 *
 * With a pair of progress points the same is computed for latency, W = L / lambda (Little,
 * Operations Research 9, 1961): mean number in flight over the rate of ends.
 */
#ifndef SCOPE_CAUSAL_EFFECT_H
#define SCOPE_CAUSAL_EFFECT_H

#include <stdbool.h>

#include "causal/experiment.h"
#include "causal/fit.h"

#define SCOPE_EFFECT_STRONG 0.5	   /* slope from which an effect is strong */
#define SCOPE_EFFECT_CLEAR 0.05	   /* slopes nearer to 0 are no effect; slopes below -0.05 are contention */
#define SCOPE_EFFECT_NONE 0.1	   /* an interval within this on both sides of 0 is no effect */
#define SCOPE_EFFECT_FAR 2	   /* larger speedups of the program are dropped */
#define SCOPE_EFFECT_DRIFT 0.05	   /* change of the period, as a share: from here on there is a warning */
#define SCOPE_EFFECT_UNSERVED 0.01 /* share of visits without their delay, from which on there is a warning */
#define SCOPE_EFFECT_LEVELS 64
#define SCOPE_EFFECT_VISITS_SAFE 10 /* mean visits of an experiment; 97 of 100 such experiments then have 5 or more */

enum scope_effect_verdict {
	SCOPE_EFFECT_IS_UNKNOWN,   /* too little was measured */
	SCOPE_EFFECT_IS_UNDECIDED, /* the interval reaches over 0 and is wide */
	SCOPE_EFFECT_IS_NONE,
	SCOPE_EFFECT_IS_MODERATE,
	SCOPE_EFFECT_IS_STRONG,
	SCOPE_EFFECT_IS_CONTENTION, /* making the site faster slows the program */
	SCOPE_EFFECT_WORDS,
};

/* All experiments of one value. */
struct scope_effect_level {
	double value;
	size_t n;		    /* that count */
	double period_ns;	    /* mean, in effective time */
	double served_ns;	    /* mean delay that was served; 0: none */
	bool known;		    /* `change` is valid */
	struct scope_change change; /* of the period compared with value 0; above 0: faster */
};

struct scope_effect {
	enum scope_causal_kind kind;
	enum scope_effect_verdict verdict;
	size_t n;	    /* experiments that count */
	size_t dropped_few; /* those with fewer than SCOPE_CAUSAL_VISITS_MIN visits */
	size_t dropped_far; /* speedups beyond SCOPE_EFFECT_FAR */
	bool known;	    /* `fit` is valid */
	struct scope_fit fit;
	bool latency_known;
	struct scope_fit latency;
	double latency_ns; /* at value 0; 0: there is no pair, or no experiment at 0 */
	bool drift_known;
	double drift; /* change of the period at value 0 from first to last, as a share */
	struct scope_interval drift_95;
	uint64_t visits, served, asked_ns, served_ns, missed, capped, lost, elapsed_ns;
	uint64_t inserted_ns, unsettled_ns;
	uint64_t few_progress, few_ns; /* visits and time of the experiments that were dropped because of few visits */
	double wanted_ns;	       /* the largest delay in a second that would have been needed without limits */
	double enough_s;	       /* undecided: seconds of experiments that would be enough; else 0 */
	struct scope_effect_level level[SCOPE_EFFECT_LEVELS]; /* ascending */
	size_t levels;
};

/*
 * experiment: all experiments in their order; those of another site are ignored. 0, or -ENOMEM.
 * With few or none the verdict is unknown.
 */
int scope_causal_effect_compute(const struct scope_experiment *experiment, size_t count, uint32_t site,
				enum scope_causal_kind kind, uint64_t seed, struct scope_effect *ret_effect);

const char *scope_causal_effect_word(enum scope_effect_verdict verdict); /* "strong", static */

/* The effective time of one experiment, ns. */
static inline double scope_causal_experiment_effective(const struct scope_experiment *experiment)
{
	return experiment->elapsed_ns > experiment->inserted_ns
		       ? (double)(experiment->elapsed_ns - experiment->inserted_ns)
		       : 0;
}

#endif
