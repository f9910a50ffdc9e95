// SPDX-License-Identifier: GPL-2.0-only
/* Replaces disassemble.c if capstone is not available or cannot be linked: no loop is found, and no constant of a call. */
#include "symbol/disassemble.h"

#include <errno.h>

int scope_symbol_disassemble(unsigned machine, const uint8_t *code, size_t bytes, uint64_t at,
			     struct scope_instruction **ret_instruction, size_t *ret_count)
{
	(void)machine, (void)code, (void)bytes, (void)at, (void)ret_instruction, (void)ret_count;
	return -ENOTSUP;
}

int scope_symbol_decoder_create(unsigned machine, struct scope_decoder **ret_decoder)
{
	(void)machine, (void)ret_decoder;
	return -ENOTSUP;
}

void scope_symbol_decoder_destroy(struct scope_decoder *decoder)
{
	(void)decoder;
}

bool scope_symbol_decoder_call(struct scope_decoder *decoder, const uint8_t *code, size_t bytes, uint64_t at,
			       struct scope_constant_call *ret_call, size_t *ret_bytes)
{
	(void)decoder, (void)code, (void)bytes, (void)at, (void)ret_call, (void)ret_bytes;
	return false;
}

bool scope_symbol_decoder_operation(struct scope_decoder *decoder, const uint8_t *code, size_t bytes, uint64_t at,
				    struct scope_operation *ret_operation)
{
	(void)decoder, (void)code, (void)bytes, (void)at, (void)ret_operation;
	return false;
}
