/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call paths that stacks in one edge showed, and where their functions can be probed: the search space.
 *
 * A path is the sequence of functions from the outermost to the innermost. Its weight is how often it was seen, in time
 * that stacks stand for, in requests that took longer than their mean. Where the return address of a call was on a stack
 * is where the call ends, so an ordinary probe there replaces one on the return of the function: nothing on the stack
 * of the program is changed.
 */
#ifndef SCOPE_EXPLORE_CALL_PATHS_H
#define SCOPE_EXPLORE_CALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explore/round_sums.h"
#include "symbol/symbol.h"

#define SCOPE_CALL_PATH_DEPTH 128 /* no rule: the innermost functions of deeper stacks */
#define SCOPE_CALL_PATH_SITES 6	  /* no rule: places from which a function is called, the first ones */
#define SCOPE_CALL_PATH_NAME 192  /* no rule: bytes */

/* An address in a process. */
struct scope_call_site {
	uint32_t tgid;
	uint64_t address;
};

struct scope_call_function {
	char name[SCOPE_CALL_PATH_NAME];
	char module[64];
	bool kernel;
	bool library;		       /* of the system or the language: not searched */
	bool known;		       /* it has a name in a symbol table; else it is not searched either */
	struct scope_call_site inside; /* some address in it */
	bool after_call;	       /* that is a return address, after the call */
	struct scope_call_site site[SCOPE_CALL_PATH_SITES]; /* where it returns to */
	unsigned sites;
	double stacks_ns; /* weight of the paths with it */
};

struct scope_call_path {
	uint32_t *function; /* outermost first */
	unsigned depth;
	double weight_ns;
	uint64_t stacks;
};

/* A zeroed struct is empty. */
struct scope_call_paths {
	struct scope_call_function *function;
	size_t functions, function_capacity;
	struct scope_call_path *path; /* by weight, heaviest first, after scope_explore_call_paths_end() */
	size_t paths, path_capacity;
	uint64_t stacks, nameless; /* nameless: without any function that can be named or placed */
};

/*
 * Adds the stacks of one edge of a path of a round (hash 0: of the whole kind) in the trace. only_slow: of requests
 * longer than that, ns. 0 or -errno.
 */
int scope_explore_call_paths_add(struct scope_call_paths *paths, const struct scope_round *round, uint32_t kind,
				 uint64_t hash, uint64_t edge, double only_slow, struct scope_trace *trace,
				 struct scope_symbols *symbols);

/* Adds one path of functions of the kernel by their names, outermost first. 0 or -ENOMEM. */
int scope_explore_call_paths_kernel(struct scope_call_paths *paths, const char *const *name, unsigned depth,
				    double weight_ns);

/* Adds a path of functions that are in the table already. 0 or -ENOMEM. */
int scope_explore_call_paths_put(struct scope_call_paths *paths, const uint32_t *function, unsigned depth,
				 double weight_ns);

/* Sorts. Call it after the last one was added. */
void scope_explore_call_paths_end(struct scope_call_paths *paths);
void scope_explore_call_paths_free(struct scope_call_paths *paths);

#endif
