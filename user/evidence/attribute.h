/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes a stretch of a thread's time to the units, waits and hangs that contain it. */
#ifndef SCOPE_EVIDENCE_ATTRIBUTE_H
#define SCOPE_EVIDENCE_ATTRIBUTE_H

#include "evidence/lookup.h"
#include "evidence/stack_node.h"

struct scope_attributor {
	const struct scope_kept *kept;
	const struct scope_units *units;	 /* of kept */
	const struct scope_detection *detection; /* NULL: units of a reference */
	const struct scope_hang *hangs;
	size_t hang_count;
	struct scope_evidence *evidence; /* gets the items */
	struct scope_lookup lookup;
	size_t *window_first; /* per thread its first window; one more than threads */
	uint64_t window_longest_ns;
	uint64_t normal_every, normal_seen; /* of stretches in usual units one of normal_every counts */
	bool merge;			    /* stretches of one unit that say the same are one item */
	bool *nameless; /* per unit: a thread that it waited for had a stack then, without a function of the program */
};

/* What a thread did from begin to end, by one piece of evidence. */
struct scope_stretch {
	uint64_t begin_ns, end_ns; /* the same for a sample */
	double weight_ns;
	double sampling_ratio; /* of a sample: how many come for one at the first period; 0: one */
	bool run, kernel;      /* on a CPU; in the kernel */
	bool propagated;       /* asleep, for another traced thread */
	bool task;	       /* asleep, in no thread … */
	bool held;	       /* … and without a stack: see struct scope_item */
	bool silent;	       /* … see struct scope_item */
	bool interpreter;      /* see struct scope_item */
	uint8_t class;
	uint16_t nr;
	uint32_t unit;			     /* UINT32_MAX: none that counts */
	const struct scope_function *inside; /* with kernel: the function there; NULL: not known */
};

/*
 * Makes it a sleep in a call, which ends when the thread is woken; from then on the thread waits
 * for a CPU. For a call from before the trace the entry is not known, and is given as its return.
 */
static inline void scope_evidence_stretch_sleep(struct scope_stretch *stretch, uint64_t enter_ns, uint64_t wake_ns,
						uint64_t slept_ns)
{
	stretch->begin_ns = enter_ns < wake_ns ? enter_ns : wake_ns - slept_ns;
	stretch->end_ns = wake_ns;
	stretch->weight_ns = slept_ns;
	stretch->run = false;
}

/*
 * kept, detection, hangs and evidence are set by the caller, and must outlive it; the rest is
 * filled in. normal_every: at least 1. 0 or -ENOMEM; free in any case.
 */
int scope_evidence_attributor_init(struct scope_attributor *attributor, uint64_t normal_every);
void scope_evidence_attributor_free(struct scope_attributor *attributor);

/*
 * True if the stretch counts anywhere. Call it once for each stretch, because only some of those in usual units
 * count.
 */
bool scope_evidence_attributor_wants(struct scope_attributor *attributor, uint32_t thread,
				     const struct scope_stretch *stretch);
/* Adds items for it to the evidence. 0 or -ENOMEM. */
int scope_evidence_attributor_add(struct scope_attributor *attributor, uint32_t thread,
				  const struct scope_stretch *stretch, struct scope_stack_node stack_node);

#endif
