/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where abnormal units spent their excess: attributes stacks of the trace to units, waits and
 * hangs.
 *
 * Running time is divided among the samples inside a unit, sleeping time among the stacks taken at
 * the return of long calls, and a wait for another traced thread among the stacks of that thread
 * during the wait, along a chain of at most SCOPE_WAIT_CHAIN_DEPTH threads (methods: wPerf's
 * cascade with conserved weight; Zhou et al., OSDI 2018, section 3). From the time of abnormal
 * units the time of as many normal units of their population is subtracted.
 */
#ifndef SCOPE_EVIDENCE_EVIDENCE_H
#define SCOPE_EVIDENCE_EVIDENCE_H

#include "anomaly/hang.h"
#include "evidence/keep.h"
#include "evidence/tree.h"
#include "signature/set.h"
#include "symbol/symbol.h"

enum scope_item_kind {
	SCOPE_ITEM_RUN,	  /* a sample inside a unit */
	SCOPE_ITEM_WAIT,  /* a sleep inside a unit, at the stack that slept */
	SCOPE_ITEM_BLAME, /* what a thread did while a unit waited for it */
	SCOPE_ITEM_SPIN,  /* a sample of a spinning thread */
};

/* One stack attributed to a node of the tree. */
struct scope_item {
	uint64_t time_ns;
	double weight_ns; /* time of the whole it is part of, before scaling */
	double excess_ns; /* scaled; negative for normal units */
	uint32_t node;
	uint32_t frames;     /* of evidence, where its stack begins; 0: none is kept */
	uint32_t unit;	     /* RUN, WAIT: the unit; BLAME: the unit that waited; SPIN: hang */
	uint32_t population; /* of the unit */
	uint16_t nr;	     /* WAIT: the call; BLAME: the call the unit waited in */
	uint8_t kind;
	uint8_t class;	      /* WAIT: enum scope_wait_class */
	float sampling_ratio; /* RUN: how many samples come for one at the first period; 0: one */
	bool abnormal;
	bool reference;			     /* of another trace, or of another time: unit is one of the reference's */
	bool kernel;			     /* RUN: the sample hit the kernel */
	const struct scope_function *inside; /* RUN, SPIN: the function in the kernel; NULL: not known */
	const struct scope_function *below;  /* the library function that its function called; NULL: none */
	const struct scope_function
		*above; /* RUN, WAIT, SPIN: of its language's library, called its outermost one; NULL */
	bool lock;	/* BLAME: for a lock */
	bool chance;	/* BLAME: the thread waited for was at usual work, see attribute.c */
	bool propagated; /* WAIT that wait-chain segments replace, if they have any item; BLAME that those further on replace */
	bool background; /* of a goroutine that works for no request, which the unit's thread ran: background_tasks.h */
	bool task;	 /* WAIT: of a request, in no thread (unit/held_request.h) … */
	bool held;	 /* … and no stack: the function is one that works for it (held_waits.h) … */
	bool silent; /* … and the thread that was waited for had none either, not even one without a function of the program */
	/* RUN, WAIT: of an interpreter alone, by which snapshots of its thread say more: see contrast.c */
	bool interpreter;
};

/* A task waited for what another task of the program does: for a lock, a channel, a group. */
static inline bool scope_evidence_waits_for_task(const struct scope_item *item)
{
	return item->kind == SCOPE_ITEM_WAIT && item->task && !item->held && item->class == SCOPE_WAIT_FUTEX;
}

/* The stack of a thread that did not run as the window began or ended. */
struct scope_stopped_stack {
	uint32_t node;			    /* SCOPE_TREE_ROOT: no stack, or no program function in it */
	uint32_t frames;		    /* see struct scope_item */
	const struct scope_function *below; /* library function in which it is, NULL: none, or unknown */
	const struct scope_function *start; /* outermost program function, NULL if unknown */
	bool idle; /* it waits for work in its language's runtime, and no function of the program is on its stack */
	bool bare; /* its whole stack is known, and no function of the program is on it, but bodies of scripts perhaps */
};

/* What is on the stacks of a thread: it shows whether the thread belongs to a runtime. */
struct scope_thread_stacks {
	bool own;     /* functions of the program */
	bool runtime; /* functions of its language's runtime, and none of the program */
};

struct scope_stuck_tasks;

#define SCOPE_FRAMES_CALLED 16 /* no rule: bits of the flags, and functions of a stack for which they are kept */

struct scope_evidence {
	struct scope_tree tree;
	struct scope_item *item;
	size_t items, item_capacity;
	struct scope_stopped_stack *stopped_stack; /* per thread of units */
	struct scope_thread_stacks *thread_stacks; /* the same */
	struct scope_stuck_tasks *stuck;	   /* tasks that hang: stuck_tasks.h */
	size_t stucks;
	/*
	 * Stacks of items, one after another: process | flags of SCOPE_UNWIND << 32 | bits << 48, the number of
	 * addresses, then the addresses inside program functions, innermost first, each in the call
	 * instruction (not after it). Bit i: a library called the function of address i.
	 */
	uint64_t *frames;
	size_t frame_words, frame_capacity; /* words */
	uint64_t stacks;		    /* unwound; or calls attributed by signatures */
	uint64_t complete, cut, broken;	    /* stacks by how unwinding ended (symbol.h) */
	uint64_t tracer;		    /* samples that hit the tracer itself: left out */
	uint64_t nameless;		    /* stacks without any program function */
	uint64_t language;		    /* of these, the stacks in functions of its language */
	uint64_t foldered; /* of the others, those in libraries that are the system's only by their folder */
	double excess_ns;  /* of all abnormal units, over their populations' medians */
	double found_ns;   /* of it, the part that stacks explain */
	double chance_ns;  /* of it, by stacks: waits for threads at usual work */
	/* Usual units that are compared with them, by their timelines, no stack needed; scaled as items are. */
	double usual_ns, usual_blocked_ns;
	uint64_t usual_units;
};

/* A trace, the units kept of it, and the names of functions: symbols for its stacks, or signatures for its calls. */
struct scope_evidence_source {
	struct scope_trace *trace;
	const struct scope_kept *kept;
	struct scope_symbols *symbols;		   /* NULL: no stacks are wanted */
	const struct scope_signatures *signatures; /* for scope_evidence_sign() */
};

/*
 * reference: NULL, or the source of usual units for populations that are compared with another
 * trace. hangs: as found by scope_anomaly_hang_find(); hangs that the stacks of peers contradict
 * are removed from the array. second: NULL, or the evidence of signatures, used for threads whose
 * place no stack shows.
 */
int scope_evidence_collect(const struct scope_evidence_source *source, const struct scope_evidence_source *reference,
			   const struct scope_detection *detection, const struct scope_pickups *pickups,
			   const struct scope_evidence *second, struct scope_hang *hangs, size_t *hang_count,
			   struct scope_evidence **ret_evidence);

/* The same by the source's signatures; hangs stay as they are. */
int scope_evidence_sign(const struct scope_evidence_source *source, const struct scope_evidence_source *reference,
			const struct scope_detection *detection, struct scope_evidence **ret_evidence);
void scope_evidence_destroy(struct scope_evidence *evidence);

#endif
