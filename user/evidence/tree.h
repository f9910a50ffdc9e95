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

/* How a function calls itself again: through which functions, in the order of the calls; none: directly. */
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
	double total_ns;		  /* with all nodes below it: scope_evidence_tree_sum() */
	double self_run_ns, total_run_ns; /* the running part of both */
	double self_task_ns;		  /* of self_ns: a task waited for another task of the program */
	double self_below_ns;		  /* of self_ns: in functions of libraries that it called */
	struct scope_circle circle;	  /* of most stacks through it: scope_evidence_tree_vote() */
	int32_t votes;
};

struct scope_tree {
	struct scope_tree_node *node;
	size_t count, capacity;
};

int scope_evidence_tree_init(struct scope_tree *tree);
void scope_evidence_tree_free(struct scope_tree *tree);

/* True if the node is that one, or below it. */
static inline bool scope_evidence_tree_is_below(const struct scope_tree *tree, uint32_t node, uint32_t above)
{
	while (node != SCOPE_TREE_ROOT && node != above)
		node = tree->node[node].parent;
	return node == above;
}

/*
 * The node of a call path, created if it is missing. Functions outermost first; a function that
 * calls itself, directly or not, is entered once, at its first place.
 */
int scope_evidence_tree_insert(struct scope_tree *tree, const struct scope_function *const *path, unsigned count,
			       uint32_t *ret_node);

/*
 * Counts a stack at node, and the circles that were left out of its path, for each function on the
 * path: the circle of more than half of the stacks stays in `circle` (R. S. Boyer, J. S. Moore,
 * "MJRTY: A Fast Majority Vote Algorithm").
 */
void scope_evidence_tree_vote(struct scope_tree *tree, uint32_t node, const struct scope_circle *circle,
			      unsigned circles);

/* Computes the totals of every node. */
void scope_evidence_tree_sum(struct scope_tree *tree);
/* The first child whose total_ns is at least that; 0: none. */
uint32_t scope_evidence_tree_child_with(const struct scope_tree *tree, uint32_t node, double total_ns);

/* The function named for a node. */
struct scope_owner {
	const struct scope_function *function; /* that scope_evidence_tree_attribute() names for it, or NULL */
	bool found;			       /* it is already a finding: the rest is judged as if it were fixed */
};

/* For each node of a tree, by its index. The tree is evidence, and is not changed. */
struct scope_attribution {
	struct scope_owner *owner;
	size_t count;
};

/* Creates it, with no function named. The tree must not grow after that. 0 or -ENOMEM. */
int scope_evidence_attribution_init(struct scope_attribution *attribution, const struct scope_tree *tree);
void scope_evidence_attribution_free(struct scope_attribution *attribution);

/* One function to blame, and how much of the excess it is named for. */
struct scope_share {
	const struct scope_function *function;
	uint32_t node; /* where most of it is */
	double excess_ns;
};

/* Decisions of the descent that need more than the excess. Each returns 0 or -errno. */
struct scope_tree_judge {
	/* Called when the excess of a node splits: true if its branches are one cause, for which the node is named. */
	int (*same_cause)(void *user, uint32_t node, bool *ret_same_cause);
	/*
	 * Called when a descent ends that began below from, where the excess was split, or at the root: names a caller,
	 * from or below it, for which its callees work too much; node where there is none. NULL: never.
	 */
	int (*caller)(void *user, uint32_t from, uint32_t node, uint32_t *ret_node);
	/* Follow the branches of a function with a good part of its own as well: it is no finding. */
	bool branches;
	void *user;
};

/*
 * Contrastive descent (methods: call tree of the excess): from the root on while one child holds at
 * least 90 % of what its parent holds. Where the excess splits, the function itself is named if it
 * has a good part of its own, or judge (NULL: never) says so; else each branch is followed, and the
 * part outside of all branches stays with the function. A caller that judge finds at fault is named
 * instead, which may be the function that splits. If running excess is large enough, it is split separately, too, because a function that
 * sleeps for long must not hide another one that runs. Shares of one function from several branches
 * are added up. Largest first, ties by name. Every node whose excess, of either sign, is part of a
 * share gets its function as owner, in attribution. ret_shares: malloc'd, freed by the caller.
 */
int scope_evidence_tree_attribute(const struct scope_tree *tree, const struct scope_tree_judge *judge,
				  struct scope_attribution *attribution, struct scope_share **ret_shares,
				  size_t *ret_count);

/* Makes the node's function the owner of the node and all nodes below it, as if the excess did not split there. */
void scope_evidence_tree_own(const struct scope_tree *tree, uint32_t node, struct scope_attribution *attribution);

/* The child of the deepest node that both share, on the way to node; ROOT: node itself is shared. */
uint32_t scope_evidence_tree_branch(const struct scope_tree *tree, uint32_t node, uint32_t other);
/* NULL: of the root. */
const struct scope_function *scope_evidence_tree_outermost(const struct scope_tree *tree, uint32_t node);

#endif
