/* SPDX-License-Identifier: GPL-2.0-only */
/* One experiment and its counts: the structure that all of causal/ uses. */
#ifndef SCOPE_CAUSAL_EXPERIMENT_H
#define SCOPE_CAUSAL_EXPERIMENT_H

#include <stddef.h>
#include <stdint.h>

#define SCOPE_CAUSAL_VISITS_MIN 5 /* visits of the progress point that an experiment needs */

enum scope_causal_kind {
	SCOPE_CAUSAL_SENSITIVITY, /* value: ns by which each visit of the site is delayed */
	SCOPE_CAUSAL_SPEEDUP,	  /* value: share by which the site is sped up, 0 to 1 */
};

struct scope_experiment {
	uint32_t site; /* number in the list of sites */
	double value;  /* see enum scope_causal_kind; 0: no delay or speedup */
	uint64_t elapsed_ns;
	uint64_t inserted_ns;	      /* speedup: delay of all threads; not part of the time */
	uint64_t progress;	      /* visits of the progress point; for a pair those of its end */
	double in_flight;	      /* pair: mean number in flight; else 0 */
	uint64_t visits;	      /* visits of the site by the threads of the rule */
	uint64_t served;	      /* delays */
	uint64_t asked_ns, served_ns; /* sums over the delays that were served */
	uint64_t missed;	      /* visits without the delay they should have had */
	uint64_t capped;	      /* visits whose delay was cut or left out by a limit */
	uint64_t unsettled_ns; /* speedup: sum of the delays that threads had not served yet when they woke others */
	uint64_t lost;	       /* events lost: the counts are too low */
};

#endif
