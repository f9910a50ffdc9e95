// SPDX-License-Identifier: GPL-2.0-only
/* Counts the votes of episodes for functions at one call, and finds the winner. */
#include "evidence/vote.h"

#include <math.h>
#include <string.h>

#define ROUNDING 0.9999f /* sums of the same weights in another order are equal */

void scope_evidence_ballot_vote(struct scope_ballot *ballot, uint32_t function, double weight)
{
	unsigned at, lightest = 0;

	for (at = 0; at < ballot->votes && ballot->function[at] != function; at++)
		if (ballot->weight[at] < ballot->weight[lightest])
			lightest = at;
	if (at == SCOPE_VOTES_MAX) {
		if (ballot->weight[lightest] >= weight)
			return;
		at = lightest;
	} else if (at == ballot->votes) {
		ballot->votes++;
	} else if (ballot->weight[at] >= weight) {
		return;
	}
	ballot->function[at] = function;
	ballot->weight[at] = (float)weight;
}

static float weight_of(const struct scope_ballot *ballot, uint32_t function)
{
	for (unsigned i = 0; i < ballot->votes; i++)
		if (ballot->function[i] == function)
			return ballot->weight[i];
	return 0;
}

/* A function and its callers, innermost first. */
struct chain {
	uint32_t function[SCOPE_PATH_MAX];
	unsigned length;
	float weight; /* of all of them */
};

static bool has(const struct chain *chain, uint32_t function)
{
	for (unsigned i = 0; i < chain->length; i++)
		if (chain->function[i] == function)
			return true;
	return false;
}

static void climb(const struct scope_signatures *signatures, const struct scope_ballot *ballot, uint32_t function,
		  struct chain *ret_chain)
{
	*ret_chain = (struct chain){ .length = 0 };
	while (function != SCOPE_SIGNATURE_NONE && ret_chain->length < SCOPE_PATH_MAX) {
		const struct scope_signature_function *at = &signatures->function[function];
		float best = -1;

		ret_chain->function[ret_chain->length++] = function;
		ret_chain->weight += weight_of(ballot, function);
		function = SCOPE_SIGNATURE_NONE;
		for (size_t i = 0; i < at->callers; i++) {
			float weight = weight_of(ballot, at->caller[i]);

			if (weight > best && !has(ret_chain, at->caller[i])) {
				best = weight;
				function = at->caller[i];
			}
		}
	}
}

static void lay_out(const struct scope_signatures *signatures, const struct chain *chain,
		    struct scope_winner *ret_winner)
{
	ret_winner->length = chain->length;
	for (unsigned i = 0; i < chain->length; i++)
		ret_winner->path[i] = &signatures->function[chain->function[chain->length - 1 - i]].function;
}

unsigned scope_evidence_ballot_count(const struct scope_signatures *signatures, const struct scope_ballot *ballot,
				     struct scope_winner ret_winner[SCOPE_WINNERS_MAX])
{
	struct chain chain[SCOPE_VOTES_MAX];
	float best = 0;
	unsigned winners = 0;

	for (unsigned i = 0; i < ballot->votes; i++) {
		climb(signatures, ballot, ballot->function[i], &chain[i]);
		best = fmaxf(best, chain[i].weight);
	}
	/* A caller has no more than its callee; it is equal only if the callee adds nothing. */
	for (unsigned i = 0; i < ballot->votes; i++) {
		if (chain[i].weight < best * ROUNDING)
			continue;
		if (winners == SCOPE_WINNERS_MAX)
			return 0;
		lay_out(signatures, &chain[i], &ret_winner[winners++]);
	}
	return winners;
}
