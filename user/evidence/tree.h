/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call tree of program functions, with the excess time found under each.
 *
 * Library frames are left out: time in libc below a program function is that function's own.
 */
#ifndef SCOPE_EVIDENCE_TREE_H
#define SCOPE_EVIDENCE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/symbol.h"

#define SCOPE_TREE_ROOT 0u /* no rule */
#define SCOPE_PATH_MAX 64
#define SCOPE_CIRCLE_MAX 3 /* no rule: functions of a circle that are shown */

/* How a function calls itself again: by others, the first one it calls first; none: at once. */
struct scope_circle {
	const struct scope_function *function; /* NULL: it does not */
	const struct scope_function *by[SCOPE_CIRCLE_MAX];
	unsigned count; /* of all between, of which SCOPE_CIRCLE_MAX are kept */
};

struct scope_tree_node {
	const struct scope_function *function; /* NULL for the root */
	uint32_t parent, child, sibling;       /* 0: none */
	uint32_t depth;
	double self_ns;			  /* excess of this node alone */
	double total_ns;		  /* with all below it: scope_evidence_tree_sum() */
	double self_run_ns, total_run_ns; /* the running part of both */
	struct scope_circle circle;	  /* of most stacks through it: scope_evidence_tree_vote() */
	int32_t votes;
};

struct scope_tree {
	struct scope_tree_node *node;
	size_t count, capacity;
};

int scope_evidence_tree_init(struct scope_tree *tree);
void scope_evidence_tree_free(struct scope_tree *tree);

/*
 * The node of a call path, made where it is missing. Functions outermost first; a function that
 * calls itself, directly or not, stands once, at its first place.
 */
int scope_evidence_tree_insert(struct scope_tree *tree, const struct scope_function *const *path, unsigned count,
			       uint32_t *ret_node);

/*
 * Counts a stack at node, and the circles that were left out of its path, for each function on the way: what more
 * than half of the stacks say stays in circle (R. S. Boyer, J. S. Moore, "MJRTY: A Fast Majority Vote Algorithm").
 */
void scope_evidence_tree_vote(struct scope_tree *tree, uint32_t node, const struct scope_circle *circle,
			      unsigned circles);

/* Fills the totals of every node from what is its own. */
void scope_evidence_tree_sum(struct scope_tree *tree);

/* Who is named for a node. */
struct scope_owner {
	const struct scope_function *function; /* that scope_evidence_tree_attribute() names for it, or NULL */
	bool found;			       /* it is a finding: the rest is weighed as if that were fixed */
};

/* Of each node of a tree, by its index. The tree is evidence, and stays as it is. */
struct scope_attribution {
	struct scope_owner *owner;
	size_t count;
};

/* Nobody is named. The tree must not grow any more. 0 or -ENOMEM. */
int scope_evidence_attribution_init(struct scope_attribution *attribution, const struct scope_tree *tree);
void scope_evidence_attribution_free(struct scope_attribution *attribution);

/* One function to blame, and how much of the excess it is named for. */
struct scope_share {
	const struct scope_function *function;
	uint32_t node; /* where most of it is */
	double excess_ns;
};

/* What the descent does not decide by the excess alone. Each returns 0 or -errno. */
struct scope_tree_judge {
	/* Asked where the excess of a node splits: do its branches make one cause, for which it is named itself? */
	int (*same_cause)(void *user, uint32_t node, bool *ret_same_cause);
	/*
	 * Asked where the way down from a node, which holds the excess up to there, ends: is a caller between the two
	 * at fault, which calls it too often? NULL: never.
	 */
	int (*caller)(void *user, uint32_t from, uint32_t node, uint32_t *ret_node);
	void *user;
};

/*
 * Contrastive descent (methods: call tree of the excess): from the root on while one child holds at
 * least 90 % of what its parent holds. Where the excess splits, the function itself is named if it
 * has a good part of its own, or judge (NULL: never) says so, else each branch is followed; what no branch holds stays with the
 * function. A caller that judge finds at fault is named in its place. What runs is split also by itself, where it is worth a word: a function that sleeps for
 * long must not hide another that runs. Shares of one function from several branches are added up. Largest first, ties by name.
 * Every node whose excess, of either sign, went into a share gets its function as owner, in attribution.
 * ret_shares: malloc'd, freed by the caller.
 */
int scope_evidence_tree_attribute(const struct scope_tree *tree, const struct scope_tree_judge *judge,
				  struct scope_attribution *attribution, struct scope_share **ret_shares,
				  size_t *ret_count);

/* Gives the node and all below it to the node's function, as if the excess did not split there. */
void scope_evidence_tree_own(const struct scope_tree *tree, uint32_t node, struct scope_attribution *attribution);

#endif
