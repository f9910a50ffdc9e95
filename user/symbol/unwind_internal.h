/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that walk a stack share. */
#ifndef SCOPE_SYMBOL_UNWIND_INTERNAL_H
#define SCOPE_SYMBOL_UNWIND_INTERNAL_H

#include "symbol/frame.h"
#include "symbol/made_code.h"
#include "symbol/symbol.h"
#include "symbol/unwind.h"

/* Where a machine has each register. */
struct machine {
	unsigned int regs; /* how many are recorded */
	unsigned int pc, sp, fp;
	bool call_pushes;  /* at the begin of a function the return address is on the stack */
	unsigned int word; /* bytes of an address */
};

struct walk {
	struct scope_spaces *spaces;
	const struct scope_space *space;
	const struct machine *machine;
	struct scope_slice slice;
	struct scope_frame frame;
	bool exact;			       /* pc is not a return address: look it up unchanged */
	struct scope_left_functions functions; /* the functions that replace the frame's pc */
	unsigned int flags;
};

/* unwind.c */

/* Sets the registers to those of the caller, by a rule. 0, or a flag that ends the walk. */
unsigned int scope_symbol_unwind_rule_step(struct walk *walk, const struct scope_rule *rule);
/* The flag for a walk that ends with this error of a read. */
unsigned int scope_symbol_unwind_flag(int err);
/*
 * Checks the return address: 0 ends a stack, like an undefined one; others must point to code. 0, or a flag that ends
 * the walk.
 */
unsigned int scope_symbol_unwind_caller_check(const struct walk *walk);
/* Finds the place of the current pc and its rule, NULL if there is none. 0, -ENOENT, -ENOMEM. */
int scope_symbol_unwind_rule(const struct walk *walk, struct scope_place *ret_place,
			     const struct scope_rule **ret_rule);
/* True if the rule needs a frame pointer, and the register cannot be one. */
bool scope_symbol_unwind_lacks_frame_pointer(const struct walk *walk, const struct scope_rule *rule);
/* unwind_search.c */

/*
 * A step over code without unwind tables and frame pointers, such as musl: takes the first word above the stack pointer
 * that is the address after a call and from which the tables lead further. Frames in between are skipped. Leaves
 * *ret_end unchanged if there is no such word. via: NULL, or the frame to which the tables must lead in one step. 0,
 * -ENOMEM.
 */
int scope_symbol_unwind_scan(struct walk *walk, const struct walk *via, unsigned int *ret_end);
/*
 * A step by a rule that counts from the frame pointer, if the frame pointer is not known. (For a thread that sleeps,
 * /proc shows only the stack pointer.) Takes the first word above the stack pointer from which the rule leads to the
 * address after a call, and the tables lead further. Leaves *ret_end unchanged if there is no such word. 0, -ENOMEM.
 */
int scope_symbol_unwind_frame_step(struct walk *walk, const struct scope_rule *rule, unsigned int *ret_end);
/* A step from code that has no tables, in a file or made at run time. 0, and *ret_end set to a flag if the walk ends; -ENOMEM. */
int scope_symbol_unwind_bare_step(struct walk *walk, bool made, unsigned int *ret_end);
#endif
