/* SPDX-License-Identifier: GPL-2.0-only */
/* A whole series of experiments and its results, from which reports are made. */
#ifndef SCOPE_CAUSAL_RESULT_H
#define SCOPE_CAUSAL_RESULT_H

#include "causal/effect.h"

/* Texts and arrays that the caller sets are borrowed; those of compute() belong to the result. */
struct scope_causal_result {
	enum scope_causal_kind kind;
	const char *program;	 /* name of the process; "" unknown */
	uint32_t pid;		 /* 0: unknown */
	const char *kernel;	 /* release; "" unknown */
	uint64_t seed;		 /* seed of the order, and of the intervals */
	const char *progress;	 /* the point, as the user named it */
	const char *const *site; /* `sites` names, as the user named them */
	uint32_t sites;
	const struct scope_experiment *experiment; /* `count` experiments, in their order */
	size_t count, planned;
	const char *ended; /* why fewer experiments than planned were made, or "" */
	uint64_t delays;   /* delays that were recorded, and by how much they were longer than configured */
	double late_p50_ns, late_p99_ns;
	struct scope_effect *effect; /* set by compute(): effect of each site */
	uint32_t *rank;		     /* set by compute(): sites by slope, the steepest first, unknown ones last */
};

/* Computes effect and rank from the other members. 0 or -ENOMEM. */
int scope_causal_result_compute(struct scope_causal_result *result);
void scope_causal_result_free(struct scope_causal_result *result); /* effect and rank; zeroed is fine */

#define SCOPE_NOTES_MAX 12

struct scope_notes {
	char text[SCOPE_NOTES_MAX][320];
	unsigned count;
};

/* Sentences with reasons to doubt the effect, the most important first; often there are none. */
void scope_causal_effect_notes(const struct scope_effect *effect, struct scope_notes *ret_notes);

/* Describes the effect in one sentence. */
void scope_causal_effect_meaning(const struct scope_effect *effect, char *ret_text, size_t bytes);

#endif
