// SPDX-License-Identifier: GPL-2.0-only
/* Replaces disassemble.c if capstone is not available or cannot be linked: no loop is found. */
#include "symbol/disassemble.h"

#include <errno.h>

int scope_symbol_disassemble(unsigned machine, const uint8_t *code, size_t bytes, uint64_t at,
			     struct scope_instruction **ret_instruction, size_t *ret_count)
{
	(void)machine, (void)code, (void)bytes, (void)at, (void)ret_instruction, (void)ret_count;
	return -ENOTSUP;
}
