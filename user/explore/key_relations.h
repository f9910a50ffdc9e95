/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Correlates keys of requests with their latency, and with the number of requests in progress.
 *
 * Computes Pearson's R and Spearman's rho. p is found by permuting blocks of requests, and corrected for the number of
 * keys (metrics/relate.h). A key that correlates with the latency also divides requests into bins of equal numbers. If
 * most of the variance is between the bins, the key explains it, and each bin is a separate path.
 */
#ifndef SCOPE_EXPLORE_KEY_RELATIONS_H
#define SCOPE_EXPLORE_KEY_RELATIONS_H

#include "explore/round_sums.h"
#include "metrics/relate.h"

#define SCOPE_EXPLORE_KEY_PROBE                                                                                        \
	1000u		      /* no rule: number of the first probe for a key; probes of functions have lower numbers */
#define SCOPE_KEY_NAME 64     /* no rule: bytes */
#define SCOPE_KEY_BINS_MAX 16 /* no rule */
#define SCOPE_KEY_BINS 4      /* if the user gives no number */
#define SCOPE_KEY_REQUESTS 4000u /* requests that are correlated; of a larger number every n-th */
#define SCOPE_KEY_EXPLAINS 0.5	 /* the key explains the variance if more than this share is between bins */

/* A key that --key requests. */
struct scope_explore_key {
	char name[SCOPE_KEY_NAME]; /* "write:arg2" */
	struct scope_unit_key source;
	unsigned bins;
};

struct scope_key_bin {
	double from, to; /* values, both inclusive */
	uint64_t requests;
	double mean_ns, cv;
};

struct scope_key_relation {
	char name[SCOPE_KEY_NAME];
	bool asked;		       /* requested by the user: printed in any case */
	bool none;		       /* too few values, or only one value */
	struct scope_relation latency; /* p: corrected for all keys of the kind */
	bool queue_none;
	struct scope_relation queue;
	double explained; /* share of the variance between bins */
	struct scope_key_bin bin[SCOPE_KEY_BINS_MAX];
	unsigned bins;
};

#define SCOPE_KEYS_MAX (SCOPE_ROUND_KEYS + SCOPE_UNIT_KEYS)

struct scope_key_relations {
	struct scope_key_relation key[SCOPE_KEYS_MAX];
	unsigned keys;
};

/* True if the latency correlates with the key beyond chance. */
bool scope_explore_key_holds(const struct scope_key_relation *relation);

/* 0 or -ENOMEM. */
int scope_explore_keys(const struct scope_round_kind *kind, const struct scope_explore_key *key, size_t keys,
		       struct scope_key_relations *ret_relations);

#endif
