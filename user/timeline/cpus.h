/* SPDX-License-Identifier: GPL-2.0-only */
/* What ran on each CPU in the last stretches of time: traced threads, others, or nothing. */
#ifndef TIMELINE_CPUS_H
#define TIMELINE_CPUS_H

#include <stddef.h>
#include <stdint.h>

#define SCOPE_CPU_MARKS 32 /* no rule */

/* From since_ns on, until the next mark of the CPU: traced threads run, others, or nothing. */
struct scope_cpu_mark {
	uint64_t since_ns;
	uint32_t runs; /* enum scope_cpu_runs */
};

enum scope_cpu_runs { SCOPE_CPU_IDLE, SCOPE_CPU_OWN, SCOPE_CPU_TAKEN, SCOPE_CPU_RUNS };

struct scope_cpu {
	struct scope_cpu_mark mark[SCOPE_CPU_MARKS]; /* a ring */
	uint64_t marks;				     /* so far; neighbours differ in what runs */
	uint32_t own_tid;			     /* the traced thread that it runs; 0: none */
	uint32_t taker_tid;			     /* the last other thread that is known; 0: none */
	uint64_t taker_ns;			     /* when it was last seen there */
};

/* All 0 is empty. */
struct scope_cpus {
	struct scope_cpu *cpu; /* by number */
	size_t count, capacity;
};

/* Records what the CPU runs next: next_tid is a traced thread, other_tid another one; both 0: nothing. 0 or -ENOMEM. */
int scope_timeline_cpus_switch(struct scope_cpus *cpus, uint32_t cpu, uint32_t next_tid, uint32_t other_tid,
			       uint64_t now_ns);

/*
 * A thread that is not traced ran on the CPU until now, since a time that is not known: threads that are not traced took turns there,
 * and switches between them are not recorded. If nothing seemed to run, it did. 0 or -ENOMEM.
 */
int scope_timeline_cpus_ran(struct scope_cpus *cpus, uint32_t cpu, uint32_t other_tid, uint64_t now_ns);

/*
 * Splits the stretch that ends now into what ran on the CPU; ret_ns has SCOPE_CPU_RUNS sums, of the stretch's length
 * together. If the marks do not reach back to its begin, the part that they cover represents all of it. A CPU without
 * marks was idle.
 */
void scope_timeline_cpus_split(const struct scope_cpus *cpus, uint32_t cpu, uint64_t begin_ns, uint64_t now_ns,
			       uint64_t *ret_ns);

/*
 * The thread that is not traced for which a thread waited there since that time: the last one that was seen. One that was seen only before
 * that may have left, and has if it is the one that woke the waiting thread (waker_tid): a client waits for the answer then. 0: not known.
 */
uint32_t scope_timeline_cpus_taker(const struct scope_cpus *cpus, uint32_t cpu, uint64_t since_ns, uint32_t waker_tid);

/* The traced thread that runs on the CPU; 0: none, or none is known. */
uint32_t scope_timeline_cpus_own(const struct scope_cpus *cpus, uint32_t cpu);

void scope_timeline_cpus_free(struct scope_cpus *cpus);

#endif
