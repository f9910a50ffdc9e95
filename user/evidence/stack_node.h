/* SPDX-License-Identifier: GPL-2.0-only */
/* One stack as a node of the tree of program functions. */
#ifndef SCOPE_EVIDENCE_STACK_NODE_H
#define SCOPE_EVIDENCE_STACK_NODE_H

#include "evidence/evidence.h"
#include "symbol/namesake.h"

/* Arguments; namesakes: for the functions of a reference, whose stacks are not kept; else NULL. */
struct scope_stack_nodes {
	struct scope_symbols *symbols;
	const struct scope_namesakes *namesakes;
	struct scope_evidence *evidence;
};

#define SCOPE_STACK_NODE_CIRCLES 2 /* no rule */

/* See struct scope_item. circle: functions that call themselves again, each of which is once on the path. */
struct scope_stack_node {
	uint32_t node, frames;
	const struct scope_function *below, *above;
	bool idle, bare; /* see struct scope_stopped_stack */
	bool runtime;	 /* it has functions of its language's runtime, and none of the program */
	bool language;	 /* the same of functions of its language */
	bool unnamed;	 /* a frame is in code made at run time without a name, or in the JVM's interpreter */
	struct scope_circle circle[SCOPE_STACK_NODE_CIRCLES];
	unsigned circles;
};

/*
 * Addresses that were unwound before, innermost first, ended as SCOPE_FRAMES_*, and counted by that. No address at all:
 * registers of no machine that is known. 0, -ENOMEM.
 */
int scope_evidence_stack_node_of_frames(const struct scope_stack_nodes *stack_nodes, uint32_t tgid, const uint64_t *ips,
					unsigned count, uint8_t ended, struct scope_stack_node *ret_stack_node);

/* The stack of an event, in whichever of the three forms it has. 0, -ENOMEM. */
int scope_evidence_stack_node_of_event(const struct scope_stack_nodes *stack_nodes, uint32_t tgid,
				       const struct scope_event *event, struct scope_stack_node *ret_stack_node);

/* Registers and stack bytes: unwound first, and counted by how that ended. 0, -ENOMEM. */
int scope_evidence_stack_node_of_copy(const struct scope_stack_nodes *stack_nodes, uint32_t tgid, const uint64_t *reg,
				      unsigned regs, const uint8_t *data, size_t bytes,
				      struct scope_stack_node *ret_stack_node);

#endif
