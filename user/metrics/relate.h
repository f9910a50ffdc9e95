/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The correlation of time series of metrics with another series.
 *
 * Pearson's r and Spearman's rho of each series with the chosen one. Steps resemble their neighbours, so chance is
 * found by permuting blocks of steps of one of the two series, of length n^(1/3); p is corrected for the number of
 * series tried (Holm 1979). The 95 % interval of r is Fisher's, with n reduced by the autocorrelation of each series at
 * a lag of one step (Bartlett 1935). Correlation does not prove a cause.
 */
#ifndef SCOPE_METRICS_RELATE_H
#define SCOPE_METRICS_RELATE_H

#include <stdbool.h>
#include <stddef.h>

#define SCOPE_RELATE_STEPS_MIN 12 /* steps in which both series have a value: fewer give no result */
#define SCOPE_RELATE_CHANCE 0.05  /* corrected p: above it there is no result */
#define SCOPE_RELATE_STRENGTH 0.5 /* |r|: weaker ones are left out */
#define SCOPE_RELATE_QUEUE 0.3	  /* the same of the run queue */
#define SCOPE_RELATE_ROUNDS 2000  /* no rule: permutations */

struct scope_relation {
	double r, low, high; /* Pearson, and its 95 % interval */
	double rho;	     /* Spearman */
	double p;	     /* of |r| by chance; corrected after scope_metrics_relate_correct() */
	size_t steps;	     /* in which both have a value */
};

/*
 * Correlates two series over the same steps; NAN: no value. 0; -ENODATA: too few steps, or one of the two never
 * changes; -ENOMEM.
 */
int scope_metrics_relate(const double *a, const double *b, size_t steps, struct scope_relation *ret_relation);

/* Corrects p of all that were tried, in any order. 0 or -ENOMEM. */
int scope_metrics_relate_correct(struct scope_relation *relation, size_t count);

#endif
