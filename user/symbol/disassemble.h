/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds in machine code where each instruction may go next, what it computes, and which constants calls get. */
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

#define SCOPE_REGISTERS 16u		  /* of x86-64, for whole numbers, by their numbers in its code */
#define SCOPE_NO_REGISTER SCOPE_REGISTERS /* also for all others */

/* Instructions with which jumps through tables are made. */
enum scope_operation_kind {
	SCOPE_OPERATION_OTHER,
	SCOPE_OPERATION_MOVE, /* also with extension by zeros or by the sign */
	SCOPE_OPERATION_ADDRESS,
	SCOPE_OPERATION_ADD,
	SCOPE_OPERATION_SUBTRACT,
	SCOPE_OPERATION_AND,
	SCOPE_OPERATION_COMPARE,
	SCOPE_OPERATION_EXTEND,	    /* of a register, by its own sign */
	SCOPE_OPERATION_IF_ABOVE,   /* jumps by a comparison of numbers without a sign */
	SCOPE_OPERATION_IF_BELOW,   /* ja, jb, */
	SCOPE_OPERATION_IF_AT_MOST, /* jbe, */
	SCOPE_OPERATION_IF_AT_LEAST /* jae */
};

enum scope_operand_kind { SCOPE_OPERAND_NONE, SCOPE_OPERAND_REGISTER, SCOPE_OPERAND_NUMBER, SCOPE_OPERAND_MEMORY };

struct scope_operand {
	enum scope_operand_kind kind;
	uint8_t bytes;
	uint8_t reg;	     /* of a register */
	uint8_t base, index; /* of memory */
	uint8_t scale;
	uint64_t number; /* of memory: what is added to base + index * scale, with the address of the instruction's end */
};

struct scope_operation {
	enum scope_operation_kind kind;
	struct scope_operand to, from; /* of a jump: `to` */
	uint16_t writes;	       /* bit n: register n has another value after it, or after the call */
	bool stores;		       /* it may write memory */
	bool calls;
};

/* What the instruction at `at` computes. Returns false if no instruction begins there. */
bool scope_symbol_decoder_operation(struct scope_decoder *decoder, const uint8_t *code, size_t bytes, uint64_t at,
				    struct scope_operation *ret_operation);

#endif
