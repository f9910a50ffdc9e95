// SPDX-License-Identifier: GPL-2.0-only
/* Reads by capstone where each instruction of a function may go next. */
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

/* Structures differ between versions, so it has to be the one whose headers were used. */
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

/* A jump's target, which is its last operand where it is in the instruction. */
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

/* b without a condition, and br; cbz, tbnz and b.eq go on as well. */
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
