/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the functions that own an episode, and its weight. */
#ifndef SCOPE_SIGNATURE_OWNERSHIP_H
#define SCOPE_SIGNATURE_OWNERSHIP_H

#include "signature/set.h"

/* An episode of a function. */
struct scope_owned {
	struct scope_episode episode;
	uint32_t function; /* index */
};

/*
 * Fills episode, weight, first, owner, shared and the counts of the functions, by the rule of set.h.
 * Sorts owned. 0 or -ENOMEM.
 */
int scope_signatures_own(struct scope_signatures *signatures, struct scope_owned *owned, size_t count,
			 const struct scope_signature_options *options);

#endif
