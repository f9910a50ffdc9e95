/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lays the time of a trace's calls on the functions whose signatures they bear: one more pass over it.
 *
 * Each call, and the time up to it, is laid where most speaks for: of the functions that own an
 * episode it is in, the one whose weights, with those of its callers, sum up highest. Between
 * equals it is attributed to the callers that they have in common. Episodes with a busy stretch (episode.h)
 * speak for that stretch alone.
 */
#ifndef SCOPE_EVIDENCE_SIGN_H
#define SCOPE_EVIDENCE_SIGN_H

#include "evidence/evidence.h"

/*
 * As scope_evidence_collect_items(), without SPIN items: who spins makes no calls. Fills ->standing as well,
 * of threads that made calls and are in one with which one function's episode ends.
 */
int scope_evidence_sign_items(const struct scope_evidence_source *source, const struct scope_detection *detection,
			      struct scope_evidence *evidence);

/* Adds the items of a reference's usual units, by the same signatures: of source. */
int scope_evidence_sign_reference(const struct scope_evidence_source *reference,
				  const struct scope_signatures *signatures, struct scope_evidence *evidence);

#endif
