/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the loop of machine code around an instruction. */
#ifndef SCOPE_SYMBOL_LOOP_H
#define SCOPE_SYMBOL_LOOP_H

#include "symbol/disassemble.h"

/*
 * The smallest natural loop that has the instruction with that number: the instructions from which a jump back to the
 * loop's first one, through which alone it is entered, is reached without that one (Aho, Lam, Sethi, Ullman: Compilers,
 * section 9.6). A jump whose target is known only at run time may go to every block that nothing else leads to.
 * ret_inside: by number, whether it is in the loop. 0; -ENOENT: no loop has it; -ENOMEM.
 */
int scope_symbol_loop_find(const struct scope_instruction *instruction, size_t count, size_t number, bool *ret_inside);

#endif
