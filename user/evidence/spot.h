/* SPDX-License-Identifier: GPL-2.0-only */
/* One stack as a node of the tree of program functions. */
#ifndef SCOPE_EVIDENCE_SPOT_H
#define SCOPE_EVIDENCE_SPOT_H

#include "evidence/evidence.h"
#include "symbol/namesake.h"

/* What it takes; namesakes: of the functions of a reference, whose stacks are not kept; else NULL. */
struct scope_spotter {
	struct scope_symbols *symbols;
	const struct scope_namesakes *namesakes;
	struct scope_evidence *evidence;
};

#define SCOPE_SPOT_CIRCLES 2 /* no rule */

/* See struct scope_item. circle: of functions that call themselves again, which stand once on the path. */
struct scope_spot {
	uint32_t node, trail;
	const struct scope_function *below;
	bool idle; /* see struct scope_standing */
	struct scope_circle circle[SCOPE_SPOT_CIRCLES];
	unsigned circles;
};

/*
 * Addresses, innermost first, as scope_symbols_unwind() gives them with its flags; what goes beyond
 * SCOPE_PATH_MAX different program functions is left out. 0, -ENOMEM.
 */
int scope_evidence_spot_chain(const struct scope_spotter *spotter, uint32_t tgid, const uint64_t *ips, unsigned count,
			      unsigned flags, struct scope_spot *ret_spot);

/*
 * What was unwound before, ended as SCOPE_FRAMES_*, counted by that. No address at all: registers of no
 * machine that is known. 0, -ENOMEM.
 */
int scope_evidence_spot_frames(const struct scope_spotter *spotter, uint32_t tgid, const uint64_t *ips, unsigned count,
			       uint8_t ended, struct scope_spot *ret_spot);

/* Registers and stack bytes: unwound first, and counted by how that ended. 0, -ENOMEM. */
int scope_evidence_spot_stack(const struct scope_spotter *spotter, uint32_t tgid, const uint64_t *reg, unsigned regs,
			      const uint8_t *data, size_t bytes, struct scope_spot *ret_spot);

#endif
