/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds where the latency of each kind of request varies, and for what its slowest requests wait.
 *
 * A kind is all requests of one group of threads. A path is those of a kind with the same edges (variance/edge.h), in
 * the order in which each edge first occurs. Each path has sums by edge; those of a kind are the sums of its paths. See
 * variance/moments.h for shares.
 */
#ifndef SCOPE_VARIANCE_VARIANCE_H
#define SCOPE_VARIANCE_VARIANCE_H

#include "symbol/symbol.h"
#include "unit/distribution.h"
#include "variance/edge_pass.h"
#include "variance/moments.h"
#include "waits/cascade.h"

#define SCOPE_VARIANCE_PATHS 1024     /* of all kinds; further ones are one path of their kind */
#define SCOPE_VARIANCE_KIND_EDGES 256 /* no rule: of that path; later ones are SCOPE_EDGE_UNSEEN */

struct scope_edge_sums {
	uint64_t edge;
	uint64_t units, times; /* units with this edge; number of times it occurred */
	struct scope_part_sums part[SCOPE_EDGE_PARTS];
	struct scope_part_sums all; /* of the parts */
	/* For edges of a kind: the results of the two functions of variance/moments.h. */
	double share, tail_share;
};

struct scope_variance_path {
	uint64_t hash;
	uint32_t kind; /* number of its kind before kinds are sorted */
	bool rest;     /* for the paths that have no room */
	struct scope_spread spread;
	struct scope_edge_sums *edge; /* in the order in which they first occur */
	size_t edges, capacity;
	double mean_ns, cv; /* cv: standard deviation over mean */
	double share;	    /* of the kind's variance, by the variance within this path */
	/* Its slowest request. */
	uint32_t thread;
	uint64_t begin_ns, end_ns;
};

/* What an edge waited for: a traced thread, or a cause outside the traced threads. */
struct scope_variance_wait {
	uint16_t nr;	/* of the call slept in, or SCOPE_NR_NONE */
	uint8_t end;	/* enum scope_end */
	uint8_t class;	/* enum scope_wait_class, of OUTSIDE and PROCESS; else 0 */
	uint32_t group; /* of the thread that ran, or waited for a CPU */
	struct scope_part_sums sums;
	double share; /* of the kind's variance */
};

#define SCOPE_VARIANCE_WAITS 64 /* no rule: of a kind */

/* A function, by the stacks taken in an edge of a kind. */
struct scope_edge_function {
	uint64_t edge;
	const struct scope_function *function; /* NULL: the stack has none of the program */
	uint32_t stacks;
	struct scope_part_sums sums;
	double share; /* of the kind's variance */
};

/* Properties of each request other than its latency. */
enum scope_key {
	SCOPE_KEY_BYTES, /* that its calls read and wrote */
	SCOPE_KEY_CALLS, /* how many it made */
	SCOPE_KEY_PAUSE, /* ns since its thread's last request */
	SCOPE_KEYS,
};

struct scope_variance_kind {
	uint32_t group;
	double shift_ns; /* the median */
	struct scope_sketch latency;
	struct scope_spread spread;
	uint64_t p50_ns, p99_ns;
	double mean_ns, cv;
	double between;		      /* share of the variance that is between the means of its paths */
	double key[SCOPE_KEYS];	      /* correlation of the latency with it (Pearson) */
	struct scope_edge_sums *edge; /* by share of the variance, the largest first */
	size_t edges;
	struct scope_variance_path **path; /* by requests, most first */
	size_t paths;
	struct scope_variance_wait *wait; /* by share of the variance */
	size_t waits;
	struct scope_edge_function *function; /* by share of the variance */
	size_t functions;
	uint64_t low_ns, until_ns, high_ns,
		highest_ns; /* the bands: low to until, and high to highest, all inclusive */
};

/* The request that the caller asked for. */
struct scope_variance_request {
	uint32_t thread, group;
	uint64_t begin_ns, end_ns;
	struct scope_unit_edges edges;
};

struct scope_variance {
	struct scope_variance_kind *kind; /* by variance of a request times number of requests, the largest first */
	size_t kinds;
	struct scope_edge_table *table;		/* of all paths */
	uint64_t edges;				/* gone through */
	struct scope_variance_request *request; /* NULL: none was asked for, or it was not found */
};

/*
 * Reads the trace once more, and the log of distributions. Kinds of fewer than SCOPE_VARIANCE_UNITS_MIN requests are
 * left out. symbols: NULL: functions are not named. request: NULL, or the thread and the begin of a request whose edges
 * are kept. The arguments must outlive the result. 0 or -errno; the caller destroys.
 */
#define SCOPE_VARIANCE_UNITS_MIN 20
int scope_variance_create(struct scope_trace *trace, const struct scope_distributions *distributions,
			  const struct scope_groups *groups, const struct scope_pickups *pickups,
			  struct scope_symbols *symbols, const struct scope_variance_request *request,
			  struct scope_variance **ret_variance);
void scope_variance_destroy(struct scope_variance *variance); /* NULL is fine */

/* The band of its kind that a latency is in. */
enum scope_band scope_variance_band(const struct scope_variance_kind *kind, uint64_t ns);

/* For variance.c: finds what the kinds' requests waited for. of_group: the kind of each group, or NULL. 0 or -errno. */
int scope_variance_propagate(const struct scope_distributions *distributions, const struct scope_groups *groups,
			     struct scope_variance_kind *const *of_group);

/* For variance.c: fills in the kinds' keys. 0 or -errno. */
int scope_variance_keys(const struct scope_distributions *distributions, const struct scope_groups *groups,
			struct scope_variance_kind *const *of_group);

#endif
