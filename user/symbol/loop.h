/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the loops of machine code around an instruction. */
#ifndef SCOPE_SYMBOL_LOOP_H
#define SCOPE_SYMBOL_LOOP_H

#include "symbol/jump_table.h"

/*
 * The natural loops of a function (Aho, Lam, Sethi, Ullman: Compilers, section 9.6). A loop is entered only through its
 * head, its first instruction. It has all instructions from which a jump back to the head is reached without passing
 * the head. A jump whose target is known only at run time, and which has no table, may go to every block to which
 * nothing else leads.
 */
struct scope_loops;

/*
 * jump: those through tables, in the order of jump_table.h. 0; -ENOENT: no instructions, or too many; -ENOMEM.
 * Instructions and jumps are borrowed. Destroy takes NULL.
 */
int scope_symbol_loops_create(const struct scope_instruction *instruction, size_t count, const struct scope_jump *jump,
			      size_t jumps, struct scope_loops **ret_loops);
void scope_symbol_loops_destroy(struct scope_loops *loops);

/*
 * The heads of the loops around the instruction with that number, the innermost first, at most max. They are numbers of
 * instructions, or `count` for targets known only at run time. Returns how many there are.
 */
unsigned int scope_symbol_loops_around(struct scope_loops *loops, size_t number, uint32_t *ret_head, unsigned int max);

/* ret_inside: for each instruction, by number: true if it is in the loop with that head. */
void scope_symbol_loops_inside(struct scope_loops *loops, uint32_t head, bool *ret_inside);

#endif
