/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How registers are recorded: the values of scope/abi.h for this machine, and which register of a record is the stack
 * pointer.
 */
#ifndef SCOPE_BASE_MACHINE_H
#define SCOPE_BASE_MACHINE_H

#include <stdint.h>

#include <scope/abi.h>

#if defined(__x86_64__)
#define SCOPE_MACHINE_REG_COUNT SCOPE_REG_COUNT_X86_64
#define SCOPE_MACHINE_REG_SP SCOPE_REG_SP_X86_64
#elif defined(__aarch64__)
#define SCOPE_MACHINE_REG_COUNT SCOPE_REG_COUNT_ARM64
#define SCOPE_MACHINE_REG_SP SCOPE_REG_SP_ARM64
#else
#error "no registers known for this machine"
#endif

/*
 * The index of the stack pointer among the registers of a record. The number of registers shows which machine they are
 * of.
 */
static inline uint32_t scope_machine_reg_sp(uint32_t regs)
{
	return regs == SCOPE_REG_COUNT_ARM64 ? SCOPE_REG_SP_ARM64 : SCOPE_REG_SP_X86_64;
}

#endif
