/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds threads that are out of line with their group: slower, with more work, or with longer waits.
 *
 * For each thread with MIN_UNITS request units, three values are compared with those of its group: time on a CPU and
 * wait for each unit, and units in a second. Their logarithms scatter equally in groups of any speed. The highest
 * values are removed one by one and compared with the rest (B. Rosner, "Percentage Points for a Generalized ESD
 * Many-Outlier Procedure", Technometrics 25(2), 1983, on one side), so several slow threads do not hide each other. The
 * error of a thread's own mean is used as the scatter if it is larger, so threads with few units are not out of line by
 * chance.
 */
#ifndef SCOPE_SERVER_BALANCE_H
#define SCOPE_SERVER_BALANCE_H

#include "unit/distribution.h"

enum scope_uneven {
	SCOPE_UNEVEN_SLOWER, /* more time on a CPU for each unit */
	SCOPE_UNEVEN_WORK,   /* more units a second */
	SCOPE_UNEVEN_WAITS,  /* longer waits in each unit, those for a CPU included */
	SCOPE_UNEVENS,
};

/* A thread's request units. A zeroed struct has none. */
struct scope_thread_load {
	uint64_t units;
	double run_ns, run_square;   /* sums over units, and of squares: for the error of the mean */
	double wait_ns, wait_square; /* the same of asleep and in the run queue */
	double queue_ns;	     /* of wait_ns */
	double life_ns;		     /* of the window, in which the thread was there */
};

/* A thread that is out of line in one thing. */
struct scope_uneven_thread {
	uint32_t thread, group;
	uint8_t in;	       /* enum scope_uneven: of several, the one that costs most */
	bool cpu;	       /* WAITS: for a CPU, for the most part */
	uint32_t others;       /* threads of its group that it is compared with */
	uint64_t units;	       /* its own */
	double own, usual;     /* ns for each unit, or units in a second */
	double extra_ns;       /* its time above that of a usual thread, in all */
	double p50_ns, p99_ns; /* of its units' wall time; 0: not computed */
};

struct scope_balance {
	struct scope_uneven_thread *thread; /* most extra time first */
	size_t count;
};

/*
 * Uses only loads: of_thread[i] < groups is the group of thread i. In at most 2 of 100 programs
 * whose threads are all alike it finds one by chance. 0 or -ENOMEM; the caller destroys.
 */
int scope_server_balance_judge(const struct scope_thread_load *load, const uint32_t *of_thread, size_t threads,
			       size_t groups, struct scope_balance **ret_balance);
/* Uses distributions after the end of the pass. 0 or -errno; the caller destroys. */
int scope_server_balance_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
				struct scope_balance **ret_balance);
void scope_server_balance_destroy(struct scope_balance *balance); /* NULL is fine */

#endif
