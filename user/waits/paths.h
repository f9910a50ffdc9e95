/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The critical paths of the slowest requests: for each moment of a request the thread that it
 * depended on, across threads.
 *
 * A path goes from the end of the request back to its begin: along the request's own thread; where
 * that slept, along the thread that woke it, and so on (methods: wPerf's cascade for one request).
 */
#ifndef SCOPE_WAITS_PATHS_H
#define SCOPE_WAITS_PATHS_H

#include "symbol/symbol.h"
#include "unit/distribution.h"
#include "waits/cascade.h"

#define SCOPE_PATHS_MAX 100  /* no rule */
#define SCOPE_PATH_PARTS 512 /* no rule: of one path; earlier ones are left out */

/* Adjacent parts of one thread and one kind are merged. */
struct scope_path_part {
	struct scope_part part;
	const struct scope_function *function; /* of most of its stacks; NULL: none */
	uint32_t stacks;		       /* votes for it, less those against it */
};

struct scope_slow_path {
	uint64_t begin_ns, end_ns;
	uint32_t thread;
	struct scope_path_part *part; /* in order of time */
	size_t parts;
	uint64_t left_out_ns; /* before the first part */
};

struct scope_paths {
	struct scope_slow_path *path; /* the slowest first */
	size_t count;
};

/*
 * The paths of the `count` request units that took longest, of clients' requests if any thread
 * takes some. Units that had not ended are left out. 0 or -errno; the caller destroys.
 */
int scope_waits_paths_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
			     size_t most, struct scope_paths **ret_paths);
void scope_waits_paths_destroy(struct scope_paths *paths);
/*
 * Names the functions that ran or slept in their parts, by the trace's stacks. log: of the distributions. 0 or
 * -errno.
 */
int scope_waits_paths_name(struct scope_paths *paths, struct scope_trace *trace, struct scope_unit_log *log,
			   struct scope_symbols *symbols);

#endif
