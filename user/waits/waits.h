/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who waits for whom, and what that ends in: all sleeps inside requests, followed to the threads that ended them.
 *
 * Only time in which a thread has something to do counts: sleeps inside request units, and of threads without any
 * those for a lock, a disk or memory, and to hand something on. A thread that waits for work waits for nobody. Inside
 * the chain of such a sleep all that is slept counts. Each part of a chain is one of enum scope_end.
 */
#ifndef SCOPE_WAITS_WAITS_H
#define SCOPE_WAITS_WAITS_H

#include "symbol/symbol.h"
#include "unit/distribution.h"
#include "waits/cover.h"
#include "waits/group_tree.h"
#include "waits/takers.h"

/* The time that threads of a group took, or kept others waiting, in ns. Indexed as the groups are. */
struct scope_waits_group {
	double unit_ns, run_ns, queue_ns;   /* of request units: wall, on a CPU, in the run queue */
	double wait_ns[SCOPE_WAIT_CLASSES]; /* sleeps that count, by class */
	uint64_t waits;
	double kept_ns;			    /* others waited while its threads ran, all waits summed up */
	double cover_ns;		    /* time in which any thread waited so: each moment once */
	double disk_kept_ns, disk_cover_ns; /* the same, while its threads slept for a disk */
};

/* A function that others wait for, and how much of its group's kept time it has. */
struct scope_waits_function {
	const struct scope_function *function;
	uint32_t group;
	bool disk; /* it slept for a disk; else it ran */
	uint64_t stacks;
	double share; /* of the group's */
};

enum scope_knot {
	SCOPE_KNOT_RUNS,
	SCOPE_KNOT_DISK,
};

/*
 * A bottleneck: what others wait for, most of the window. share: of the window, in which somebody waited for it.
 * gain: by how much more would be done in the same time if it took half as long, at most.
 */
struct scope_bottleneck {
	const struct scope_function *function; /* NULL: no stack names one */
	uint32_t group;
	uint8_t kind; /* enum scope_knot */
	double share, gain;
	double kept_ns; /* all waits for it, summed up */
	uint64_t stacks;
	uint32_t waits_most; /* the group that waits for it most */
};

struct scope_waits {
	double window_ns;
	double followed_ns, unseen_ns; /* of all waits that count; the latter had no end that is known */
	double queue_ns, queue_own_ns; /* of all threads: long in the run queue; of it, traced threads had the CPU */
	struct scope_takers takers;    /* of the same, who else had it */
	uint64_t waits, every;	       /* each so manyth was followed */
	struct scope_waits_group *group;
	size_t groups;
	struct scope_waits_tree tree;
	struct scope_covers ran, disk;
	struct scope_waits_function *function; /* by group, then most first */
	size_t functions;
	struct scope_bottleneck *bottleneck; /* most first */
	size_t bottlenecks;
	uint32_t *of_thread; /* its group */
	size_t threads;
};

/*
 * Of a survey behind its end. What it is given must outlive the result, which the caller destroys. 0 or -errno.
 */
int scope_waits_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
		       struct scope_waits **ret_waits);
void scope_waits_destroy(struct scope_waits *waits);

/*
 * Names what ran, and slept for a disk while others waited, by the trace's stacks. log: of the survey. 0 or -errno.
 */
int scope_waits_name(struct scope_waits *waits, struct scope_trace *trace, struct scope_unit_log *log,
		     struct scope_symbols *symbols);
/* Once functions have names, or without: finds bottlenecks. 0 or -ENOMEM. */
int scope_waits_judge(struct scope_waits *waits);

#endif
