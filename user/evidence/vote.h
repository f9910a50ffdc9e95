/* SPDX-License-Identifier: GPL-2.0-only */
/* What episodes say of one call: votes for functions, and who wins. */
#ifndef SCOPE_EVIDENCE_VOTE_H
#define SCOPE_EVIDENCE_VOTE_H

#include "evidence/tree.h"
#include "signature/set.h"

#define SCOPE_VOTES_MAX 12
#define SCOPE_WINNERS_MAX 4 /* more that are equal make none */

/* A function has the weight of its heaviest episode. Where there is no room, the lightest one goes. */
struct scope_ballot {
	uint32_t function[SCOPE_VOTES_MAX];
	float weight[SCOPE_VOTES_MAX];
	uint8_t votes;
};

void scope_evidence_ballot_vote(struct scope_ballot *ballot, uint32_t function, double weight);

/* A function with the callers it was most likely reached by, outermost first. */
struct scope_winner {
	const struct scope_function *path[SCOPE_PATH_MAX];
	unsigned length;
};

/*
 * Those whose weights, with those of the callers on their paths, sum up highest, deepest ones of a
 * path only; in order of their numbers. At each step up the caller with the greatest weight is taken
 * for the one, of equals the most frequent. Their number: 0 where there is no vote, or no end of
 * equals.
 */
unsigned scope_evidence_ballot_count(const struct scope_signatures *signatures, const struct scope_ballot *ballot,
				     struct scope_winner ret_winner[SCOPE_WINNERS_MAX]);

#endif
