/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts the votes of episodes for functions at one call, and finds the winner. */
#ifndef SCOPE_EVIDENCE_VOTE_H
#define SCOPE_EVIDENCE_VOTE_H

#include "evidence/tree.h"
#include "signature/set.h"

#define SCOPE_VOTES_MAX 12
#define SCOPE_WINNERS_MAX 4 /* with more equal ones there is no winner */

/* The weight of a function is that of its heaviest episode. If there is no room, the lightest function is dropped. */
struct scope_ballot {
	uint32_t function[SCOPE_VOTES_MAX];
	float weight[SCOPE_VOTES_MAX];
	uint8_t votes;
};

void scope_evidence_ballot_vote(struct scope_ballot *ballot, uint32_t function, double weight);

/* A function with its most likely callers, outermost first. */
struct scope_winner {
	const struct scope_function *path[SCOPE_PATH_MAX];
	unsigned length;
};

/*
 * Those whose weights, with those of the callers on their paths, sum up highest, deepest ones of a
 * path only; in order of their numbers. At each step up the caller with the greatest weight is
 * taken, of equals the most frequent one. Returns their number: 0 if there is no vote, or too many
 * are equal.
 */
unsigned scope_evidence_ballot_count(const struct scope_signatures *signatures, const struct scope_ballot *ballot,
				     struct scope_winner ret_winner[SCOPE_WINNERS_MAX]);

#endif
