/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An exploration: each round adds one refinement, at the place with most of the variance or of the latency.
 *
 *   scope_explore_next() ──► plan of a round ──► a capture ──► an analysis ──► scope_explore_take() ──► …
 *
 * After VAIF (Toslali et al., SoCC 2021). There is one tree for each path of requests that is unpredictable or
 * consistently slow, and one for a kind whose paths differ. A tree begins with the edge with the largest share (from
 * the first round, which records only the skeleton), continues with the stacks taken in that edge, and ends at the
 * function whose calls hold the share.
 */
#ifndef SCOPE_EXPLORE_EXPLORE_H
#define SCOPE_EXPLORE_EXPLORE_H

#include "capture/probing.h"
#include "explore/key_relations.h"
#include "explore/probe_place.h"
#include "explore/search.h"
#include "variance/forest.h"

#define SCOPE_EXPLORE_REQUESTS_MIN 20 /* requests of a path in a round; with fewer nothing is concluded */
#define SCOPE_EXPLORE_ROUND_NS 3000000000ull
#define SCOPE_EXPLORE_ROUNDS 24	      /* most rounds, if the user gives no number */
#define SCOPE_EXPLORE_BUDGET_SHARE 50 /* thousandths of a CPU */
#define SCOPE_EXPLORE_TREES 8	      /* no rule */
#define SCOPE_EXPLORE_SHARE_MIN 0.05  /* a path with less than this share of its kind's variance is ignored */
#define SCOPE_EXPLORE_BETWEEN 0.5     /* if more than this share is between paths, the kind is a tree */
#define SCOPE_EXPLORE_HOLDS 0.5 /* a function holds the searched share if its calls have more than this part of it */
#define SCOPE_EXPLORE_STEPS 64	/* no rule: steps of a tree */

enum scope_explore_phase {
	SCOPE_EXPLORE_STACKS, /* next: stacks in its edge */
	SCOPE_EXPLORE_SEARCHES,
	SCOPE_EXPLORE_DONE,
};

enum scope_explore_end {
	SCOPE_EXPLORE_OPEN,	   /* there were no more rounds, or the user ended it */
	SCOPE_EXPLORE_FOUND,	   /* the share is in the own code of `function` */
	SCOPE_EXPLORE_CALLED,	   /* the edge is a call that `function` makes */
	SCOPE_EXPLORE_NOT_SPLIT,   /* `function`, or the edge, holds the share, and nothing inside can be probed */
	SCOPE_EXPLORE_NO_STACKS,   /* no stack was taken in the edge */
	SCOPE_EXPLORE_NO_FUNCTION, /* the stacks have no function of the program that can be probed */
	SCOPE_EXPLORE_SPREAD,	   /* no probed function holds most of the share */
	SCOPE_EXPLORE_FEW,	   /* too few of its requests came in later rounds */
	SCOPE_EXPLORE_GONE,	   /* it did not vary any more */
	SCOPE_EXPLORE_BUDGET,
};

/* One refinement: a node of the tree. */
struct scope_explore_step {
	unsigned round;					 /* from 1 on */
	bool stacks;					 /* a step with stacks; else with a probe on a function */
	uint32_t function;				 /* number in the tree's call paths */
	enum scope_search_answer answer;		 /* NOT_ASKED: the round had no result */
	double share;					 /* share of the variance, or of the latency, in its calls */
	uint64_t with, without;				 /* requests with and without such a call … */
	double with_ns, with_cv, without_ns, without_cv; /* … and their latencies */
	double calls;					 /* mean number of calls in a request that has any */
	unsigned probes;
	bool taken_back;	/* the probe was removed because it was too costly */
	struct scope_error why; /* why there was no answer */
};

struct scope_explore_tree {
	char group[SCOPE_PLAIN_COMM_BYTES];
	uint64_t hash;	 /* hash of its path, with the bin; 0: all of the kind */
	unsigned number; /* number of the path, by number of requests, from 1 on; 0: all */
	/* The bin of the key that divides the kind's requests; "": no key does, or the request has no value for it. */
	char key[SCOPE_KEY_NAME];
	double key_from, key_to;
	enum scope_forest_state state;
	uint64_t requests;
	double mean_ns, cv, latency_share; /* latency_share: the share of the kind's variance that is in this path */
	double weight;			   /* weight for the order of trees */
	uint64_t edge;
	double edge_share, edge_ns; /* ns: mean */
	bool sleeps;		    /* most of the edge's share is sleep */
	enum scope_explore_phase phase;
	enum scope_explore_end end;
	unsigned tries; /* rounds without a result */
	struct scope_call_paths paths;
	struct scope_search search;
	struct scope_explore_step step[SCOPE_EXPLORE_STEPS];
	unsigned steps;
	bool found; /* function is valid */
	uint32_t function;
	char caller[SCOPE_CALL_PATH_NAME]; /* function that makes the call of the edge; "": not known, or the edge is no call */
	bool kernel;			   /* the search is in the kernel */
	bool nameless;			   /* most of the code inside has no name */
	char inside[SCOPE_CALL_PATH_NAME]; /* the place of that code: "lib.so+0x1139" */
};

struct scope_explore_kind {
	char name[SCOPE_PLAIN_COMM_BYTES];
	uint64_t requests;
	double mean_ns, cv;	/* latencies without waits for a CPU */
	double wall_cv, queues; /* latencies with them; the share of these waits in the variance */
	struct scope_key_relations keys;
};

/* What to do in a round. */
struct scope_explore_plan {
	int tree; /* number of the tree; -1: only the skeleton */
	bool stacks, samples;
	uint16_t nr; /* stacks: only of this call; SCOPE_NR_NONE: of no call */
	bool kernel_stacks;
	uint32_t function;
	struct scope_probing_one probe[SCOPE_PLACES_MAX];
	struct scope_span_probe span[SCOPE_PLACES_MAX];
	unsigned probes;
};

struct scope_explore_options {
	struct scope_forest_limits limits;
	enum scope_search_mode mode;
	const struct scope_explore_key *key; /* requested by the user; borrowed */
	size_t keys;
	bool kernel; /* the source can set probes in the kernel */
};

struct scope_explore {
	struct scope_explore_options options;
	struct scope_explore_kind *kind;
	size_t kinds;
	struct scope_round_split *split; /* splits of kinds whose latency is explained by a requested key */
	size_t splits;
	struct scope_explore_tree tree[SCOPE_EXPLORE_TREES];
	size_t trees, left_out; /* left_out: trees without room */
	unsigned rounds;
	uint32_t functions_seen; /* in the program's modules, met or not */
	uint32_t probed;	 /* different functions */
	uint32_t probes;	 /* probes that were set */
};

void scope_explore_init(struct scope_explore *explore, const struct scope_explore_options *options);
void scope_explore_free(struct scope_explore *explore);

/* Plans the next round. Returns false if nothing is left. reader: looks up places. */
bool scope_explore_next(struct scope_explore *explore, struct scope_proc_reader *reader,
			struct scope_explore_plan *ret_plan);

/*
 * Call it for the first round: takes the kinds and their keys. If there are splits afterwards, make the sums of this
 * round again with them, and those of all further rounds. 0 or -ENOMEM.
 */
int scope_explore_relate(struct scope_explore *explore, const struct scope_round *round);
/* True if some kind is divided by the requested key with that number. */
bool scope_explore_splits_by(const struct scope_explore *explore, size_t key);

/*
 * Takes the results of a round. trace and symbols: for its stacks. kernel: kernel stacks seen in it, or NULL. 0 or
 * -ENOMEM.
 */
int scope_explore_take(struct scope_explore *explore, const struct scope_explore_plan *plan,
		       const struct scope_probing *probing, const struct scope_round *round, struct scope_trace *trace,
		       struct scope_symbols *symbols, const struct scope_call_paths *kernel);

/*
 * The tree of a request of that group: that of its path (scope_round.asked_hash of the first round), or that of all
 * paths of the kind; NULL: there is none.
 */
const struct scope_explore_tree *scope_explore_tree_of(const struct scope_explore *explore, const char *group,
						       uint64_t hash);

/*
 * Ends the exploration, because the events of every round alone exceed the budget, or no rounds are left. Open trees
 * stay open.
 */
void scope_explore_stop(struct scope_explore *explore, enum scope_explore_end end);

/* For explore.c: makes the trees from the first round. */
void scope_explore_plant(struct scope_explore *explore, const struct scope_round *round);
/* For explore.c: concludes a tree in which nothing is left to probe. */
void scope_explore_conclude(struct scope_explore_tree *tree);

/* The function's share in a path: of the variance, or if the path is consistently slow of the time. */
double scope_explore_share(const struct scope_round_kind *kind, const struct scope_round_path *path, bool slow,
			   const struct scope_part_sums *part);

#endif
