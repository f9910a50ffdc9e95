/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads from machine code where each instruction may go next. */
#ifndef SCOPE_SYMBOL_DISASSEMBLE_H
#define SCOPE_SYMBOL_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One instruction, as far as its successors matter. */
struct scope_instruction {
	uint64_t at;	 /* its address */
	uint64_t target; /* with `jumps`: where to; UINT64_MAX: known only at run time */
	uint8_t bytes;
	bool falls;   /* the next instruction may follow */
	bool jumps;   /* to target; calls do not count, because they return */
	bool padding; /* it does nothing, as instructions between blocks */
};

/*
 * The instructions of the code of a function that begins at `at`, in the order of their addresses. machine: as the ELF
 * header has it (x86-64, i386 and arm64). 0; -ENOTSUP: another machine, or no capstone; -ENOMEM; -EILSEQ: a
 * byte in it begins no instruction. The caller frees *ret_instruction.
 */
int scope_symbol_disassemble(unsigned machine, const uint8_t *code, size_t bytes, uint64_t at,
			     struct scope_instruction **ret_instruction, size_t *ret_count);

#endif
