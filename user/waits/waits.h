/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows all sleeps inside requests to the threads that ended them, and on to the causes.
 *
 * Only time in which a thread has something to do counts: sleeps inside request units, and for
 * threads without request units sleeps for a lock, a disk or memory, and to pass something on. A
 * thread that waits for work is idle. Inside the chain of such a sleep all sleeps count. Each part
 * of a chain is one of enum scope_end.
 */
#ifndef SCOPE_WAITS_WAITS_H
#define SCOPE_WAITS_WAITS_H

#include "symbol/symbol.h"
#include "timeline/devices.h"
#include "unit/distribution.h"
#include "waits/cover.h"
#include "waits/fd_names.h"
#include "waits/group_tree.h"
#include "waits/takers.h"

#define SCOPE_WAITS_DEVICE_MOST 0.5 /* share of the time of all block requests: waits for a disk are then for it */

/* For what others wait. */
enum scope_bottleneck_kind {
	SCOPE_BOTTLENECK_RUNS,
	SCOPE_BOTTLENECK_DISK,	/* it sleeps for a disk */
	SCOPE_BOTTLENECK_HOLDS, /* it sleeps for anything else outside, and has the lock that they wait for */
	SCOPE_BOTTLENECK_KINDS,
};

/* Time that others waited for threads of a group. */
struct scope_waits_kept {
	double ns;	 /* all waits summed up */
	double cover_ns; /* each moment once */
};

/* The time of a group's threads, and the time for which they kept others waiting; ns. Same index as the groups. */
struct scope_waits_group {
	double unit_ns, run_ns, queue_ns;   /* of request units: wall, on a CPU, in the run queue */
	double wait_ns[SCOPE_WAIT_CLASSES]; /* sleeps that count, by class */
	uint64_t waits;
	struct scope_waits_kept kept[SCOPE_BOTTLENECK_KINDS];
	double held_ns[SCOPE_WAIT_CLASSES]; /* of kept[SCOPE_BOTTLENECK_HOLDS].ns, by class of the sleep */
};

/* A function that others wait for, and how much of its group's kept time it has. */
struct scope_waits_function {
	const struct scope_function *function;
	uint32_t group;
	uint8_t kind; /* enum scope_bottleneck_kind */
	uint16_t nr;  /* the call in which it slept for most of that time, or for a share near that; RUNS: none */
	double nr_ns; /* how far that call is ahead of the others */
	uint64_t stacks;
	double share; /* of the group's */
};

/*
 * A bottleneck: a function that others wait for during most of the window. share: of the window, in
 * which a thread waited for it. gain: upper bound of the growth in throughput if it took half as
 * long.
 */
struct scope_bottleneck {
	const struct scope_function *function; /* NULL: no stack names one */
	uint32_t group;
	uint8_t kind;  /* enum scope_bottleneck_kind */
	uint8_t class; /* with HOLDS: enum scope_wait_class of most of its sleeps */
	uint16_t nr;   /* the call in which the function sleeps most; SCOPE_NR_NONE: it runs, or no stack names one */
	double share, gain;
	double kept_ns; /* all waits for it, summed up */
	uint64_t stacks;
	uint32_t waits_most; /* the group that waits for it most */
};

struct scope_waits {
	double window_ns;
	double followed_ns, unseen_ns;	    /* of all waits that count: followed; of these, without a known cause */
	double queue_ns, queue_own_ns;	    /* of all threads: long waits for a CPU; while traced ones had it */
	struct scope_device device;	    /* the block device on which requests spent most time; requests 0: none */
	double device_most;		    /* its part of the time of all requests */
	double work_ns, disk_ns;	    /* of threads with work to do: all of it; asleep for a disk */
	double stall_ns[SCOPE_STALL_KINDS]; /* of all threads, in memory stalls, by kind (timeline/thread.h) */
	struct scope_takers takers;	    /* the other threads that had the CPU in these stretches */
	uint64_t waits, every;		    /* every n-th was followed */
	struct scope_waits_group *group;
	size_t groups;
	struct scope_waits_tree tree;
	struct scope_covers kept[SCOPE_BOTTLENECK_KINDS];
	struct scope_waits_function *function; /* by group, then most first */
	size_t functions;
	struct scope_bottleneck *bottleneck; /* most first */
	size_t bottlenecks;
	uint32_t *of_thread; /* its group */
	size_t threads;
	struct scope_fd_names *names;
};

/*
 * Computed from distributions after their end. The arguments must outlive the result, which the
 * caller destroys. 0 or -errno.
 */
int scope_waits_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
		       struct scope_waits **ret_waits);
void scope_waits_destroy(struct scope_waits *waits);

/*
 * Names the functions that ran or slept while others waited for that, by the trace's stacks.
 * log: of the distributions. 0 or -errno.
 */
int scope_waits_name(struct scope_waits *waits, struct scope_trace *trace, struct scope_unit_log *log,
		     struct scope_symbols *symbols);
/* Finds bottlenecks. Call it after functions have names, if they get any. 0 or -ENOMEM. */
int scope_waits_judge(struct scope_waits *waits);

#endif
