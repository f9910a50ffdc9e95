// SPDX-License-Identifier: GPL-2.0-only
/* Finds, with capstone, where each instruction may go next, what it computes, and which constants calls get. */
#include "symbol/disassemble.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/shared_library.h"

#define FUNCTIONS(F)                                                                                                   \
	F(close)                                                                                                       \
	F(disasm_iter)                                                                                                 \
	F(free)                                                                                                        \
	F(insn_group)                                                                                                  \
	F(malloc)                                                                                                      \
	F(open)                                                                                                        \
	F(option)

#define MEMBER(name) SCOPE_LIBRARY_MEMBER(cs_, name)
#define FUNCTION(name) SCOPE_LIBRARY_FUNCTION(capstone, cs_, name)

/* The functions of capstone, which the first function to disassemble loads: see base/shared_library.h. */
static struct {
	FUNCTIONS(MEMBER)
} capstone;

/* Structures differ between versions, so the library must have the version of the headers. */
#define TEXT(number) #number
#define VERSION(number) TEXT(number)

static int load(void)
{
	static const struct scope_library_function functions[] = { FUNCTIONS(FUNCTION) };

	return scope_library_load("libcapstone.so." VERSION(CS_API_MAJOR), "libcapstone" VERSION(CS_API_MAJOR),
				  functions, sizeof(functions) / sizeof(*functions), NULL);
}

static int machine_open(unsigned machine, csh *ret_handle)
{
	cs_err err;

	switch (machine) {
	case EM_X86_64:
		err = capstone.open(CS_ARCH_X86, CS_MODE_64, ret_handle);
		break;
	case EM_386:
		err = capstone.open(CS_ARCH_X86, CS_MODE_32, ret_handle);
		break;
	case EM_AARCH64:
		err = capstone.open(CS_ARCH_ARM64, CS_MODE_ARM, ret_handle);
		break;
	default:
		return -ENOTSUP;
	}
	if (err)
		return err == CS_ERR_MEM ? -ENOMEM : -ENOTSUP;
	capstone.option(*ret_handle, CS_OPT_DETAIL, CS_OPT_ON);
	return 0;
}

static bool is_conditional_x86(unsigned id)
{
	switch (id) {
	case X86_INS_JMP:
	case X86_INS_LJMP:
		return false;
	default:
		return true;
	}
}

/* A jump's target. If the instruction contains it, it is the last operand. */
static uint64_t target_x86(const cs_x86 *x86)
{
	return x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM ? (uint64_t)x86->operands[0].imm : UINT64_MAX;
}

static uint64_t target_arm64(const cs_arm64 *arm64)
{
	const uint8_t count = arm64->op_count;

	return count && arm64->operands[count - 1].type == ARM64_OP_IMM ? (uint64_t)arm64->operands[count - 1].imm
									: UINT64_MAX;
}

/* b without a condition and br always jump; after cbz, tbnz and b.eq the next instruction may follow, too. */
static bool is_conditional_arm64(const cs_insn *found)
{
	return found->id != ARM64_INS_BR &&
	       !(found->id == ARM64_INS_B &&
		 (found->detail->arm64.cc == ARM64_CC_INVALID || found->detail->arm64.cc == ARM64_CC_AL));
}

static void take(csh handle, unsigned machine, const cs_insn *found, struct scope_instruction *ret)
{
	const bool arm64 = machine == EM_AARCH64;
	const bool call = capstone.insn_group(handle, found, CS_GRP_CALL);

	*ret = (struct scope_instruction){
		.at = found->address,
		.bytes = (uint8_t)found->size,
		.falls = true,
		.jumps = !call && capstone.insn_group(handle, found, CS_GRP_JUMP),
		.padding = found->id == (arm64 ? (unsigned)ARM64_INS_NOP : (unsigned)X86_INS_NOP) ||
			   (!arm64 && found->id == X86_INS_INT3),
	};
	if (ret->jumps) {
		ret->falls = arm64 ? is_conditional_arm64(found) : is_conditional_x86(found->id);
		ret->target = arm64 ? target_arm64(&found->detail->arm64) : target_x86(&found->detail->x86);
	} else if (capstone.insn_group(handle, found, CS_GRP_RET) || (!arm64 && found->id == X86_INS_UD2) ||
		   (arm64 && found->id == ARM64_INS_RET)) {
		ret->falls = false;
	}
}

int scope_symbol_disassemble(unsigned machine, const uint8_t *code, size_t bytes, uint64_t at,
			     struct scope_instruction **ret_instruction, size_t *ret_count)
{
	struct scope_instruction *instruction = NULL;
	size_t count = 0, room = 0;
	cs_insn *found;
	csh handle;
	int err = load();

	if (!err)
		err = machine_open(machine, &handle);
	if (err)
		return err;
	found = capstone.malloc(handle);
	err = found ? 0 : -ENOMEM;
	while (!err && bytes && capstone.disasm_iter(handle, &code, &bytes, &at, found)) {
		err = scope_grow(&instruction, &room, count + 1, sizeof(*instruction));
		if (!err)
			take(handle, machine, found, &instruction[count++]);
	}
	if (!err && (bytes || !count))
		err = -EILSEQ;
	if (found)
		capstone.free(found, 1);
	capstone.close(&handle);
	if (err) {
		free(instruction);
		return err;
	}
	*ret_instruction = instruction;
	*ret_count = count;
	return 0;
}

struct scope_decoder {
	csh handle;
	cs_insn *found;
};

int scope_symbol_decoder_create(unsigned machine, struct scope_decoder **ret_decoder)
{
	struct scope_decoder *decoder;
	int err = machine == EM_X86_64 ? load() : -ENOTSUP;

	if (err)
		return err;
	decoder = calloc(1, sizeof(*decoder));
	if (!decoder)
		return -ENOMEM;
	err = machine_open(machine, &decoder->handle);
	if (err) {
		free(decoder);
		return err;
	}
	decoder->found = capstone.malloc(decoder->handle);
	if (!decoder->found) {
		scope_symbol_decoder_destroy(decoder);
		return -ENOMEM;
	}
	*ret_decoder = decoder;
	return 0;
}

void scope_symbol_decoder_destroy(struct scope_decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->found)
		capstone.free(decoder->found, 1);
	capstone.close(&decoder->handle);
	free(decoder);
}

/* Which argument a register of x86-64 is, in any of its widths (System V ABI, section 3.2.3); -1: none. */
static int argument_of(unsigned reg)
{
	switch (reg) {
	case X86_REG_RDI:
	case X86_REG_EDI:
	case X86_REG_DI:
	case X86_REG_DIL:
		return 0;
	case X86_REG_RSI:
	case X86_REG_ESI:
	case X86_REG_SI:
	case X86_REG_SIL:
		return 1;
	case X86_REG_RDX:
	case X86_REG_EDX:
	case X86_REG_DX:
	case X86_REG_DL:
	case X86_REG_DH:
		return 2;
	case X86_REG_RCX:
	case X86_REG_ECX:
	case X86_REG_CX:
	case X86_REG_CL:
	case X86_REG_CH:
		return 3;
	case X86_REG_R8:
	case X86_REG_R8D:
	case X86_REG_R8W:
	case X86_REG_R8B:
		return 4;
	case X86_REG_R9:
	case X86_REG_R9D:
	case X86_REG_R9W:
	case X86_REG_R9B:
		return 5;
	default:
		return -1;
	}
}

static void forget(struct scope_constant_call *call, unsigned reg)
{
	const int argument = argument_of(reg);

	if (argument >= 0)
		call->known &= (uint8_t) ~(1u << argument);
}

/*
 * Notes what an instruction that is no jump leaves in registers of arguments: the address of `lea`, the number of
 * `mov`, or an unknown value.
 */
static void note_constant(const cs_insn *found, struct scope_constant_call *call)
{
	const cs_detail *detail = found->detail;
	const cs_x86_op *to = &detail->x86.operands[0], *from = &detail->x86.operands[1];
	const int argument = detail->x86.op_count && to->type == X86_OP_REG ? argument_of(to->reg) : -1;

	for (unsigned i = 0; i < detail->regs_write_count; i++)
		forget(call, detail->regs_write[i]);
	for (unsigned i = 0; i < detail->x86.op_count; i++)
		if (detail->x86.operands[i].type == X86_OP_REG && detail->x86.operands[i].access & CS_AC_WRITE)
			forget(call, detail->x86.operands[i].reg);
	if (argument < 0 || detail->x86.op_count < 2)
		return;
	if (found->id == X86_INS_LEA && from->mem.base == X86_REG_RIP && from->mem.index == X86_REG_INVALID)
		call->argument[argument] = found->address + found->size + (uint64_t)from->mem.disp;
	else if (found->id == X86_INS_MOV && from->type == X86_OP_IMM && to->size >= 4)
		call->argument[argument] = to->size == 4 ? (uint32_t)from->imm : (uint64_t)from->imm;
	else if (found->id == X86_INS_XOR && from->type == X86_OP_REG && from->reg == to->reg)
		call->argument[argument] = 0;
	else
		return;
	call->known |= (uint8_t)(1u << argument);
}

static void note_callee(const cs_insn *found, struct scope_constant_call *call)
{
	const cs_x86_op *to = &found->detail->x86.operands[0];

	call->callee = UINT64_MAX;
	call->by_pointer = to->type == X86_OP_MEM;
	if (to->type == X86_OP_IMM)
		call->callee = (uint64_t)to->imm;
	else if (call->by_pointer && to->mem.base == X86_REG_RIP && to->mem.index == X86_REG_INVALID)
		call->callee = found->address + found->size + (uint64_t)to->mem.disp;
}

bool scope_symbol_decoder_call(struct scope_decoder *decoder, const uint8_t *code, size_t bytes, uint64_t at,
			       struct scope_constant_call *ret_call, size_t *ret_bytes)
{
	const uint64_t begin = at, end = at + bytes;
	bool calls = false, over = false;
	cs_insn *found = decoder->found;

	*ret_call = (struct scope_constant_call){ .callee = UINT64_MAX };
	while (!over && bytes && capstone.disasm_iter(decoder->handle, &code, &bytes, &at, found)) {
		if (capstone.insn_group(decoder->handle, found, CS_GRP_CALL)) {
			calls = over = true;
			note_callee(found, ret_call);
		} else if (found->id == X86_INS_JMP) {
			note_callee(found, ret_call);
			calls = ret_call->callee < begin || ret_call->callee >= end;
			over = true;
		} else if (capstone.insn_group(decoder->handle, found, CS_GRP_RET)) {
			over = true;
		} else if (!capstone.insn_group(decoder->handle, found, CS_GRP_JUMP)) {
			note_constant(found, ret_call);
		}
	}
	*ret_bytes = (size_t)(at - begin);
	return calls;
}

#define CALLER_SAVED 0x0fc7u /* rax, rcx, rdx, rsi, rdi, r8 to r11 (System V ABI, section 3.2.1) */
#define ALL_REGISTERS 0xffffu

/* The number of a register in any of its widths. */
static uint8_t register_of(unsigned reg)
{
#define ROW(q, d, w, b)                                                                                                \
	{                                                                                                              \
		X86_REG_##q, X86_REG_##d, X86_REG_##w, X86_REG_##b                                                     \
	}
	static const uint16_t name[SCOPE_REGISTERS][4] = {
		ROW(RAX, EAX, AX, AL),	    ROW(RCX, ECX, CX, CL),	ROW(RDX, EDX, DX, DL),
		ROW(RBX, EBX, BX, BL),	    ROW(RSP, ESP, SP, SPL),	ROW(RBP, EBP, BP, BPL),
		ROW(RSI, ESI, SI, SIL),	    ROW(RDI, EDI, DI, DIL),	ROW(R8, R8D, R8W, R8B),
		ROW(R9, R9D, R9W, R9B),	    ROW(R10, R10D, R10W, R10B), ROW(R11, R11D, R11W, R11B),
		ROW(R12, R12D, R12W, R12B), ROW(R13, R13D, R13W, R13B), ROW(R14, R14D, R14W, R14B),
		ROW(R15, R15D, R15W, R15B),
	};
	static const uint16_t high[] = { X86_REG_AH, X86_REG_CH, X86_REG_DH, X86_REG_BH };

	for (uint8_t i = 0; i < SCOPE_REGISTERS; i++)
		for (unsigned width = 0; width < 4; width++)
			if (name[i][width] == reg || (i < 4 && high[i] == reg))
				return i;
	return SCOPE_NO_REGISTER;
#undef ROW
}

static struct scope_operand operand_of(const cs_insn *found, const cs_x86_op *given)
{
	struct scope_operand operand = {
		.bytes = given->size, .reg = SCOPE_NO_REGISTER, .base = SCOPE_NO_REGISTER, .index = SCOPE_NO_REGISTER
	};

	switch (given->type) {
	case X86_OP_REG:
		operand.kind = SCOPE_OPERAND_REGISTER;
		operand.reg = register_of(given->reg);
		break;
	case X86_OP_IMM:
		operand.kind = SCOPE_OPERAND_NUMBER;
		operand.number = (uint64_t)given->imm;
		break;
	case X86_OP_MEM:
		operand.kind = SCOPE_OPERAND_MEMORY;
		operand.number = (uint64_t)given->mem.disp;
		operand.scale = (uint8_t)given->mem.scale;
		if (given->mem.base == X86_REG_RIP)
			operand.number += found->address + found->size;
		else
			operand.base = register_of(given->mem.base);
		operand.index = register_of(given->mem.index);
		/* Only these segments have a base, which is not followed. */
		if (given->mem.segment == X86_REG_FS || given->mem.segment == X86_REG_GS)
			operand.kind = SCOPE_OPERAND_NONE;
		break;
	default:
		break;
	}
	return operand;
}

static enum scope_operation_kind kind_of(unsigned id)
{
	static const struct {
		unsigned id;
		enum scope_operation_kind kind;
	} kinds[] = {
		{ X86_INS_MOV, SCOPE_OPERATION_MOVE },	      { X86_INS_MOVZX, SCOPE_OPERATION_MOVE },
		{ X86_INS_MOVSX, SCOPE_OPERATION_MOVE },      { X86_INS_MOVSXD, SCOPE_OPERATION_MOVE },
		{ X86_INS_MOVABS, SCOPE_OPERATION_MOVE },     { X86_INS_LEA, SCOPE_OPERATION_ADDRESS },
		{ X86_INS_ADD, SCOPE_OPERATION_ADD },	      { X86_INS_SUB, SCOPE_OPERATION_SUBTRACT },
		{ X86_INS_AND, SCOPE_OPERATION_AND },	      { X86_INS_CMP, SCOPE_OPERATION_COMPARE },
		{ X86_INS_CDQE, SCOPE_OPERATION_EXTEND },     { X86_INS_JA, SCOPE_OPERATION_IF_ABOVE },
		{ X86_INS_JB, SCOPE_OPERATION_IF_BELOW },     { X86_INS_JBE, SCOPE_OPERATION_IF_AT_MOST },
		{ X86_INS_JAE, SCOPE_OPERATION_IF_AT_LEAST },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].id == id)
			return kinds[i].kind;
	return SCOPE_OPERATION_OTHER;
}

/* The registers that an instruction writes, which capstone lists as operands or besides them. */
static uint16_t writes_of(const cs_insn *found)
{
	const cs_detail *detail = found->detail;
	uint32_t writes = 0;

	for (unsigned i = 0; i < detail->regs_write_count; i++)
		writes |= 1u << register_of(detail->regs_write[i]);
	for (unsigned i = 0; i < detail->x86.op_count; i++)
		if (detail->x86.operands[i].type == X86_OP_REG && detail->x86.operands[i].access & CS_AC_WRITE)
			writes |= 1u << register_of(detail->x86.operands[i].reg);
	return (uint16_t)(writes & ALL_REGISTERS);
}

bool scope_symbol_decoder_operation(struct scope_decoder *decoder, const uint8_t *code, size_t bytes, uint64_t at,
				    struct scope_operation *ret_operation)
{
	const cs_insn *found = decoder->found;
	const cs_x86 *x86;

	if (!capstone.disasm_iter(decoder->handle, &code, &bytes, &at, decoder->found))
		return false;
	x86 = &found->detail->x86;
	*ret_operation = (struct scope_operation){
		.kind = kind_of(found->id),
		.writes = writes_of(found),
		.calls = capstone.insn_group(decoder->handle, found, CS_GRP_CALL),
	};
	if (x86->op_count)
		ret_operation->to = operand_of(found, &x86->operands[0]);
	if (x86->op_count > 1)
		ret_operation->from = operand_of(found, &x86->operands[1]);
	if (ret_operation->calls)
		ret_operation->writes |= CALLER_SAVED;
	ret_operation->stores = ret_operation->calls || (ret_operation->to.kind == SCOPE_OPERAND_MEMORY &&
							 ret_operation->kind != SCOPE_OPERATION_COMPARE);
	return true;
}
