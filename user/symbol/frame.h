/* SPDX-License-Identifier: GPL-2.0-only */
/* A frame whose caller is searched: its registers, and the copied bytes of the stack. */
#ifndef SCOPE_SYMBOL_FRAME_H
#define SCOPE_SYMBOL_FRAME_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <scope/abi.h>

/* Stack bytes: data[0] was at address base. word: bytes of an address, 8 or 4. */
struct scope_slice {
	uint64_t base;
	const uint8_t *data;
	size_t bytes;
	unsigned int word;
};

struct scope_frame {
	uint64_t reg[SCOPE_REG_MAX];
	uint64_t valid; /* bit for each register whose value is known */
	const struct scope_slice *slice;
};

/* 0; -ENODATA: beyond the end of the slice; -EFAULT: below it. */
static inline int scope_symbol_slice_read(const struct scope_slice *slice, uint64_t address, uint64_t *ret_word)
{
	uint64_t offset = address - slice->base, word = 0;

	if (address < slice->base)
		return -EFAULT;
	if (offset > slice->bytes || slice->bytes - offset < slice->word)
		return -ENODATA;
	memcpy(&word, slice->data + offset, slice->word);
	*ret_word = word;
	return 0;
}

/* 0; -EFAULT: the value is lost. */
static inline int scope_symbol_frame_reg(const struct scope_frame *frame, unsigned int reg, uint64_t *ret_value)
{
	if (reg >= SCOPE_REG_MAX || !(frame->valid >> reg & 1))
		return -EFAULT;
	*ret_value = frame->reg[reg];
	return 0;
}

#endif
