/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The signatures of the programs in a trace, ready to be matched.
 *
 * An episode fits a function that has it, or that has a longer episode which contains it. The deepest of these
 * functions own it, because a function that calls another one, directly or not, has the other's calls under it as well.
 * An episode with a busy stretch is owned by the deepest function that was on the stack in at least half of such
 * stretches. An episode that k functions own weighs 1 / k (as in PerfScope), or its length / k, because long episodes
 * are more specific. Episodes with too many owners are left out.
 */
#ifndef SCOPE_SIGNATURE_SET_H
#define SCOPE_SIGNATURE_SET_H

#include "signature/match.h"
#include "signature/store.h"

struct scope_signature_options {
	uint32_t owners_max; /* an episode of more functions is ignored */
	bool flat;	     /* it weighs 1 / k, independent of its length */
};

#define SCOPE_SIGNATURE_OWNERS_MAX 4
#define SCOPE_SIGNATURE_NONE UINT32_MAX

/* Its callers, the most frequent first. */
struct scope_signature_function {
	struct scope_function function; /* for the tree; path is the module's name */
	uint32_t *caller;		/* indices */
	size_t callers;
	uint64_t episodes; /* it owns */
};

struct scope_signatures {
	struct scope_signature_function *function;
	size_t functions, capacity;
	struct scope_episode *episode; /* different ones that have owners, by scope_signature_episode_compare() */
	double *weight;		       /* per episode */
	size_t episodes;
	size_t *first; /* per episode its first one in owner; one more than episodes */
	uint32_t *owner;
	size_t shared; /* episodes left out: owned by too many */
	struct scope_matcher *matcher;
	char **problem; /* programs of which another build was learned, a sentence each */
	size_t problems;
};

/*
 * Reads the builds that the trace's processes map. *ret_signatures is NULL if nothing of them was
 * learned and there is no problem to report. 0 or -errno with error. The caller destroys.
 */
int scope_signatures_load(struct scope_store *store, const struct scope_trace *trace,
			  const struct scope_signature_options *options, struct scope_error *error,
			  struct scope_signatures **ret_signatures);
/*
 * The name of a function. If its file has no symbols, this is the name with which it was learned, from the same build
 * with symbols. signatures: NULL is fine.
 */
const char *scope_signatures_name(const struct scope_signatures *signatures, const struct scope_function *function);
void scope_signatures_destroy(struct scope_signatures *signatures); /* NULL is fine */

#endif
