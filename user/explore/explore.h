/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An exploration: each round adds one refinement, where most of the variance or of the latency is.
 *
 *   scope_explore_next() ──► plan of a round ──► a capture ──► an analysis ──► scope_explore_take() ──► …
 *
 * After VAIF (Toslali et al., SoCC 2021), with one tree for each path of requests that is unpredictable or consistently
 * slow, and one for a kind whose paths differ. A tree goes from the edge with the largest share (the first round, with
 * the skeleton alone) over the stacks taken in it to the function whose calls hold the share.
 */
#ifndef SCOPE_EXPLORE_EXPLORE_H
#define SCOPE_EXPLORE_EXPLORE_H

#include "capture/probing.h"
#include "explore/key_relations.h"
#include "explore/probe_place.h"
#include "explore/search.h"
#include "variance/forest.h"

#define SCOPE_EXPLORE_REQUESTS_MIN 20 /* of a path in a round: with fewer nothing is concluded */
#define SCOPE_EXPLORE_ROUND_NS 3000000000ull
#define SCOPE_EXPLORE_ROUNDS 24	      /* at most, if the user names no number */
#define SCOPE_EXPLORE_BUDGET_SHARE 50 /* thousandths of a CPU */
#define SCOPE_EXPLORE_TREES 8	      /* no rule */
#define SCOPE_EXPLORE_SHARE_MIN 0.05  /* share of a kind's variance: a path with less is left aside */
#define SCOPE_EXPLORE_BETWEEN 0.5     /* share of it, between paths: above it the kind is a tree */
#define SCOPE_EXPLORE_HOLDS 0.5	      /* share of the share that is searched: a function with more of it holds it */
#define SCOPE_EXPLORE_STEPS 64	      /* no rule: of a tree */

enum scope_explore_phase {
	SCOPE_EXPLORE_STACKS, /* stacks in its edge come next */
	SCOPE_EXPLORE_SEARCHES,
	SCOPE_EXPLORE_DONE,
};

enum scope_explore_end {
	SCOPE_EXPLORE_OPEN,	   /* rounds ran out, or the user ended it */
	SCOPE_EXPLORE_FOUND,	   /* function: its own code */
	SCOPE_EXPLORE_CALLED,	   /* the edge is a call, which function makes */
	SCOPE_EXPLORE_NOT_SPLIT,   /* function, or the edge, holds it, and what is inside cannot be probed */
	SCOPE_EXPLORE_NO_STACKS,   /* no stack was taken in the edge */
	SCOPE_EXPLORE_NO_FUNCTION, /* stacks have no function of the program that can be probed */
	SCOPE_EXPLORE_SPREAD,	   /* no function that was probed holds most of it */
	SCOPE_EXPLORE_FEW,	   /* too few of its requests came again */
	SCOPE_EXPLORE_GONE,	   /* it did not vary any more */
	SCOPE_EXPLORE_BUDGET,
};

/* One refinement: a node of the tree. */
struct scope_explore_step {
	unsigned round;					 /* from 1 on */
	bool stacks;					 /* that of stacks; else a probe on a function */
	uint32_t function;				 /* of the tree's call paths */
	enum scope_search_answer answer;		 /* NOT_ASKED: the round showed nothing */
	double share;					 /* of the variance, or of the latency, in its calls */
	uint64_t with, without;				 /* requests with and without such a call … */
	double with_ns, with_cv, without_ns, without_cv; /* … and their latencies */
	double calls;					 /* of a request with any */
	unsigned probes;
	bool taken_back;	/* too costly */
	struct scope_error why; /* why there was no answer */
};

struct scope_explore_tree {
	char group[SCOPE_PLAIN_COMM_BYTES];
	uint64_t hash;	 /* of its path, with the bin; 0: all of the kind */
	unsigned number; /* of the path, by number of requests, from 1 on; 0: all */
	/* The bin of the key that divides the kind's requests; "": none does, or the request has no value of it. */
	char key[SCOPE_KEY_NAME];
	double key_from, key_to;
	enum scope_forest_state state;
	uint64_t requests;
	double mean_ns, cv, latency_share; /* latency_share: of the kind's variance, in this path */
	double weight;			   /* by which trees are ordered */
	uint64_t edge;
	double edge_share, edge_ns; /* ns: mean */
	bool sleeps;		    /* most of the edge's share is sleep */
	enum scope_explore_phase phase;
	enum scope_explore_end end;
	unsigned tries; /* rounds that showed nothing */
	struct scope_call_paths paths;
	struct scope_search search;
	struct scope_explore_step step[SCOPE_EXPLORE_STEPS];
	unsigned steps;
	bool found; /* function is valid */
	uint32_t function;
	char caller[SCOPE_CALL_PATH_NAME]; /* of the call that is the edge; "": not known, or it is no call */
	bool kernel;			   /* the search is in the kernel */
	bool nameless;			   /* most of what is inside has no name */
	char inside[SCOPE_CALL_PATH_NAME]; /* that: "lib.so+0x1139" */
};

struct scope_explore_kind {
	char name[SCOPE_PLAIN_COMM_BYTES];
	uint64_t requests;
	double mean_ns, cv;	/* without waits for a CPU */
	double wall_cv, queues; /* with them; their share of the variance */
	struct scope_key_relations keys;
};

/* What to do in a round. */
struct scope_explore_plan {
	int tree; /* number; -1: the skeleton alone */
	bool stacks, samples;
	uint16_t nr; /* stacks: of this call alone; SCOPE_NR_NONE: of no call */
	bool kernel_stacks;
	uint32_t function;
	struct scope_probing_one probe[SCOPE_PLACES_MAX];
	struct scope_span_probe span[SCOPE_PLACES_MAX];
	unsigned probes;
};

struct scope_explore_options {
	struct scope_forest_limits limits;
	enum scope_search_mode mode;
	const struct scope_explore_key *key; /* asked for by the user; borrowed */
	size_t keys;
	bool kernel; /* the source has probes in the kernel */
};

struct scope_explore {
	struct scope_explore_options options;
	struct scope_explore_kind *kind;
	size_t kinds;
	struct scope_round_split *split; /* of kinds whose latency a key that was asked for explains */
	size_t splits;
	struct scope_explore_tree tree[SCOPE_EXPLORE_TREES];
	size_t trees, left_out; /* left out: for lack of room */
	unsigned rounds;
	uint32_t functions_seen; /* in the program's modules, met or not */
	uint32_t probed;	 /* different functions */
	uint32_t probes;	 /* that were set */
};

void scope_explore_init(struct scope_explore *explore, const struct scope_explore_options *options);
void scope_explore_free(struct scope_explore *explore);

/* What the next round has to do; false: nothing is left. reader: to look up places. */
bool scope_explore_next(struct scope_explore *explore, struct scope_proc_reader *reader,
			struct scope_explore_plan *ret_plan);

/*
 * Of the first round: the kinds and their keys. If there are splits then, the sums of this round are wanted once more, by
 * these, and of all further rounds. 0 or -ENOMEM.
 */
int scope_explore_relate(struct scope_explore *explore, const struct scope_round *round);
/* True if a kind is divided by the key with that number, of those asked for. */
bool scope_explore_splits_by(const struct scope_explore *explore, size_t key);

/* What the round showed. trace and symbols: of its stacks. kernel: kernel stacks seen in it, or NULL. 0 or -ENOMEM. */
int scope_explore_take(struct scope_explore *explore, const struct scope_explore_plan *plan,
		       const struct scope_probing *probing, const struct scope_round *round, struct scope_trace *trace,
		       struct scope_symbols *symbols, const struct scope_call_paths *kernel);

/*
 * The tree that a request of that group belongs to: of its path (scope_round.asked_hash, of the first round), or of all
 * paths of the kind; NULL: it has none.
 */
const struct scope_explore_tree *scope_explore_tree_of(const struct scope_explore *explore, const char *group,
						       uint64_t hash);

/* What every round records exceeded the budget, or no rounds are left: open trees stay open. */
void scope_explore_stop(struct scope_explore *explore, enum scope_explore_end end);

/* For explore.c: trees, from the first round. */
void scope_explore_plant(struct scope_explore *explore, const struct scope_round *round);
/* For explore.c: nothing is left to probe in a tree, which is concluded. */
void scope_explore_conclude(struct scope_explore_tree *tree);

/* The function's share in a path: of the variance, or if the path is consistently slow of the time. */
double scope_explore_share(const struct scope_round_kind *kind, const struct scope_round_path *path, bool slow,
			   const struct scope_part_sums *part);

#endif
