/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds in machine code where each instruction may go next, and which constants are passed to calls. */
#ifndef SCOPE_SYMBOL_DISASSEMBLE_H
#define SCOPE_SYMBOL_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One instruction, and which instructions may follow it. */
struct scope_instruction {
	uint64_t at;	 /* its address */
	uint64_t target; /* if `jumps`: the address that it jumps to; UINT64_MAX: known only at run time */
	uint8_t bytes;
	bool falls;   /* the next instruction may follow */
	bool jumps;   /* it may jump to target; calls do not count, because they return */
	bool padding; /* it does nothing, like the instructions between blocks */
};

/*
 * The instructions of a function whose code begins at `at`, in the order of their addresses. machine: as in the ELF
 * header (x86-64, i386 or arm64). 0; -ENOTSUP: another machine, or no capstone; -ENOMEM; -EILSEQ: a byte in it begins
 * no instruction. The caller frees *ret_instruction.
 */
int scope_symbol_disassemble(unsigned machine, const uint8_t *code, size_t bytes, uint64_t at,
			     struct scope_instruction **ret_instruction, size_t *ret_count);

#define SCOPE_CALL_ARGUMENTS 6u /* those that the ABI of x86-64 passes in registers, without floating-point numbers */

/* A call, or a jump that ends a function like a call, with the arguments that were set just before it. */
struct scope_constant_call {
	uint64_t callee; /* its address, or with by_pointer that of the pointer to it; UINT64_MAX: known only at run time */
	bool by_pointer;
	uint8_t known; /* bit n: argument n is this constant */
	uint64_t argument[SCOPE_CALL_ARGUMENTS];
};

struct scope_decoder;

/* 0; -ENOTSUP: not x86-64, or no capstone; -ENOMEM. */
int scope_symbol_decoder_create(unsigned machine, struct scope_decoder **ret_decoder);
void scope_symbol_decoder_destroy(struct scope_decoder *decoder); /* NULL is fine */

/*
 * Follows code from `at`, where an instruction begins, in the order of addresses, up to a call or to a jump or return
 * without a condition. Returns true if it ended with a call, or with a jump out of this code. *ret_bytes: number of
 * bytes that were read.
 */
bool scope_symbol_decoder_call(struct scope_decoder *decoder, const uint8_t *code, size_t bytes, uint64_t at,
			       struct scope_constant_call *ret_call, size_t *ret_bytes);

#endif
