/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call paths of the stacks that were taken in one edge, and where their functions can be probed: the search space.
 *
 * A path is the sequence of functions from the outermost to the innermost. Its weight is the time that its stacks
 * represent, in requests that took longer than the mean. A call ends at its return address, which is on the stack. An
 * ordinary probe at this address replaces a probe on the return of the function, so nothing on the stack of the program
 * is changed.
 */
#ifndef SCOPE_EXPLORE_CALL_PATHS_H
#define SCOPE_EXPLORE_CALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explore/round_sums.h"
#include "symbol/symbol.h"

#define SCOPE_CALL_PATH_DEPTH 128 /* no rule: of deeper stacks only the innermost functions are used */
#define SCOPE_CALL_PATH_SITES 6	  /* no rule: places from which a function is called; only the first ones are used */
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
	bool library;		       /* it belongs to the system or the language: not searched */
	bool known;		       /* it has a name in a symbol table; other functions are not searched */
	struct scope_call_site inside; /* some address in the function */
	bool after_call;	       /* `inside` is a return address, after the call */
	struct scope_call_site site[SCOPE_CALL_PATH_SITES]; /* addresses to which it returns */
	unsigned sites;
	double stacks_ns; /* weight of the paths that contain it */
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
	uint64_t stacks, nameless; /* nameless: stacks without any function that has a name or a place */
};

/*
 * Adds the stacks of one edge of a path of a round (hash 0: of the whole kind) in the trace. only_slow: only those of
 * requests longer than this, ns. 0 or -errno.
 */
int scope_explore_call_paths_add(struct scope_call_paths *paths, const struct scope_round *round, uint32_t kind,
				 uint64_t hash, uint64_t edge, double only_slow, struct scope_trace *trace,
				 struct scope_symbols *symbols);

/* Adds one path of kernel functions by their names, outermost first. 0 or -ENOMEM. */
int scope_explore_call_paths_kernel(struct scope_call_paths *paths, const char *const *name, unsigned depth,
				    double weight_ns);

/* Adds a function to the table: it, which may move when another one is added, or NULL: no memory. */
struct scope_call_function *scope_explore_call_paths_function(struct scope_call_paths *paths, const char *name,
							      const char *module);

/* Adds a path of functions that are in the table already. 0 or -ENOMEM. */
int scope_explore_call_paths_put(struct scope_call_paths *paths, const uint32_t *function, unsigned depth,
				 double weight_ns);

/* Sorts the paths. Call it after the last one was added. */
void scope_explore_call_paths_end(struct scope_call_paths *paths);
void scope_explore_call_paths_free(struct scope_call_paths *paths);

#endif
