/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attributes the time of a trace's calls to the functions whose signatures they match, in one more
 * pass over it.
 *
 * Each call, and the time before it, is attributed by a vote: of the functions that own an episode
 * with this call, the one with the highest sum of weights, its callers' weights included, wins. Of
 * equals their common callers win. Episodes with a busy stretch (episode.h) vote only on that
 * stretch.
 */
#ifndef SCOPE_EVIDENCE_SIGN_H
#define SCOPE_EVIDENCE_SIGN_H

#include "evidence/evidence.h"

/*
 * As scope_evidence_collect_items(), without SPIN items, because a spinning thread makes no calls.
 * Also fills ->stopped_stack, for threads that are in a call with which the episode of one function
 * ends.
 */
int scope_evidence_sign_items(const struct scope_evidence_source *source, const struct scope_detection *detection,
			      struct scope_evidence *evidence);

/* Adds the items of a reference's usual units, by the same signatures: of source. */
int scope_evidence_sign_reference(const struct scope_evidence_source *reference,
				  const struct scope_signatures *signatures, struct scope_evidence *evidence);

#endif
