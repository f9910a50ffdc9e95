/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The results of one round of an exploration: requests by kind and path, with sums by edge and by call of probed
 * functions.
 *
 * Latencies do not include waits for a CPU, which no probe of the program can explain. The share of these waits in the
 * variance is a separate figure. A path is all requests of a kind with the same edges, in the order of first
 * occurrence. Probes are not counted as edges, so the same requests are one path in all rounds.
 */
#ifndef SCOPE_EXPLORE_ROUND_SUMS_H
#define SCOPE_EXPLORE_ROUND_SUMS_H

#include <math.h>

#include "base/sketch.h"
#include "unit/distribution.h"
#include "variance/edge_pass.h"
#include "variance/moments.h"

#define SCOPE_ROUND_PATHS 64	    /* no rule: paths of a kind; further ones count as one path */
#define SCOPE_ROUND_REQUESTS 20000u /* no rule: requests of a kind that are kept for correlations: the first ones */
#define SCOPE_ROUND_STACKS 40000u   /* no rule: stacks in all: the first ones */
#define SCOPE_ROUND_OTHER UINT32_MAX

enum scope_round_key {
	SCOPE_ROUND_BYTES, /* bytes read and written, without those of files */
	SCOPE_ROUND_CALLS,
	SCOPE_ROUND_PAUSE, /* ns since the thread's last request */
	SCOPE_ROUND_QUEUE, /* requests of the kind that were in progress when it began */
	SCOPE_ROUND_KEYS,
};

struct scope_round_edge {
	uint64_t edge;
	uint64_t units;
	struct scope_part_sums own, sleeps; /* sleeps: a part of own */
};

#define SCOPE_ROUND_SPLIT_BINS 16 /* no rule */

/* A split of a kind: requests whose values of a key are in different bins belong to different paths. */
struct scope_round_split {
	char kind[SCOPE_PLAIN_COMM_BYTES];
	uint8_t key; /* index in scope_round_request.key */
	unsigned bins;
	double from[SCOPE_ROUND_SPLIT_BINS]; /* least values of the bins, ascending */
};

/* Calls of one probed function. */
struct scope_round_span {
	uint64_t times;
	uint64_t around; /* requests that are mostly inside one call, which begins before or ends after them */
	struct scope_part_sums own, before;
	struct scope_spread hit; /* latencies of the requests with such a call */
};

struct scope_round_path {
	uint64_t hash;	     /* hash of its edges, without the probes, and of the bin; 0: all of the kind */
	uint64_t edges_hash; /* hash of the edges alone */
	unsigned bin;	     /* bin of the kind's split, from 1 on; 0: there is no split, or the request has no value */
	bool rest;	     /* all paths for which there was no room */
	struct scope_spread spread;
	struct scope_round_edge *edge; /* in the order of first occurrence */
	size_t edges, capacity;
	struct scope_round_span span[SCOPE_UNIT_SPANS];
};

struct scope_round_request {
	uint64_t begin_ns, end_ns;
	uint32_t path; /* index in the kind */
	double own_ns;
	double key[SCOPE_ROUND_KEYS + SCOPE_UNIT_KEYS]; /* NAN: it has no value */
};

struct scope_round_kind {
	char name[SCOPE_PLAIN_COMM_BYTES]; /* of its group */
	uint32_t group;
	double shift_ns, wall_shift_ns; /* of the first request */
	struct scope_sketch own;
	struct scope_spread wall;      /* latencies with waits for a CPU */
	struct scope_part_sums queues; /* these waits, compared with the latencies above */
	struct scope_round_path all;
	struct scope_round_path *path;
	size_t paths, path_capacity;
	struct scope_round_request *request; /* by time of their end */
	size_t requests, request_capacity;
};

struct scope_round_stack {
	struct scope_logged_stack stack;
	uint64_t edge;
	uint64_t hash; /* of the path */
	uint32_t kind;
	double own_ns; /* of the request */
	double ns;     /* time that the stack represents; 0: a sample, which represents its period */
};

struct scope_round {
	struct scope_round_kind *kind; /* indexed like groups */
	size_t kinds;
	struct scope_round_stack *stack;
	size_t stacks, stack_capacity;
	uint64_t asked_hash; /* path of scope_round_wanted.asked; 0: no request was asked for, or it did not occur */
};

/* What is summed up. */
struct scope_round_wanted {
	const struct scope_edge_wanted *extras; /* may be NULL */
	const struct scope_round_split *split;	/* by kind, at most one each */
	size_t splits;
	uint64_t from_ns; /* requests that began then or later */
	struct {
		uint32_t thread;
		uint64_t begin_ns; /* 0: none */
	} asked;		   /* a request whose path is needed */
};

/*
 * Makes one pass over the trace. distributions, groups and pickups are those of an analysis of this trace. 0 or -errno;
 * the caller destroys.
 */
int scope_explore_round_create(struct scope_trace *trace, const struct scope_distributions *distributions,
			       const struct scope_groups *groups, const struct scope_pickups *pickups,
			       const struct scope_round_wanted *wanted, struct scope_round **ret_round);
void scope_explore_round_destroy(struct scope_round *round); /* NULL is fine */

/* Finds a kind by its name; NULL: it had no request. */
const struct scope_round_kind *scope_explore_round_kind(const struct scope_round *round, const char *name);
/* Finds a path by its hash, 0 for all of the kind; NULL: it had no request. */
const struct scope_round_path *scope_explore_round_path(const struct scope_round_kind *kind, uint64_t hash);

/* The bin of a value, from 1 on; 0: the value is NAN. Values below the first bin count for the first bin. */
static inline unsigned scope_explore_round_bin(const struct scope_round_split *split, double value)
{
	unsigned bin = 1;

	if (isnan(value))
		return 0;
	while (bin < split->bins && value >= split->from[bin])
		bin++;
	return bin;
}

/* Mean and other figures of the latencies of a path, without waits for a CPU. */
double scope_explore_round_mean(const struct scope_round_kind *kind, const struct scope_round_path *path);
double scope_explore_round_cv(const struct scope_round_kind *kind, const struct scope_round_path *path);
/* The share of waits for a CPU in the variance of all latencies of the kind. */
double scope_explore_round_queues(const struct scope_round_kind *kind);

#endif
